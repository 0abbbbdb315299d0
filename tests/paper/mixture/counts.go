package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/sngdgen/sngdgen/generated/negbinmix"
	"github.com/sngdgen/sngdgen/runtime/estimate"
)

// The paper's synthetic stand-in: counts of ten negative binomials.
const (
	tenfold   = 10
	someRows  = 1000
	tenSeeds  = 10
	shortRuns = 1000 // iterations
)

// checkpoints are the iterations after which losses are compared.
var checkpoints = []int{1, 3, 10, 30, 100, 300, 1000}

// stand is a data set with the parameters it was drawn from.
type stand struct{ x, theta []float64 }

// draw makes counts of k equally likely components with means uniform on (5, 5000) and variances of 9 times the mean:
// the ratio of mean to variance is s, and the mean r (1 - s)/s.
func draw(k, n int, seed uint64) (*stand, error) {
	rng := rand.New(rand.NewPCG(41, seed))
	out := &stand{x: make([]float64, n), theta: make([]float64, 3*k)}
	for c := range k {
		mean := 5 + 4995*rng.Float64()
		out.theta[c], out.theta[k+c], out.theta[2*k+c] = 1/float64(k), mean/8, 1./9
	}
	m := new(negbinmix.Model)
	if err := m.Resize([]int{k}); err != nil {
		return nil, err
	}
	m.Sample(out.x, out.theta, rng)
	return out, nil
}

// contest has the runs of all methods on one data set, in the order of the methods.
type contest struct {
	races []*race
	best  float64 // the lowest loss of any method, also from the default start
}

// contend runs the methods on one data set from the same random start.
func contend(ctx context.Context, chosen []method, s *stand, k, seed, iterations int) (*contest, error) {
	c := new(contest)
	var err error
	if c.best, err = fromDefault(ctx, s, k); err != nil {
		return nil, err
	}
	for _, f := range chosen {
		r, err := f.from(ctx, s.x, k, seed, iterations)
		if err != nil {
			return nil, err
		}
		c.races = append(c.races, r)
		c.best = min(c.best, r.last().loss)
	}
	return c, nil
}

// fromDefault is the loss of a full fit from the start that is a formula of the data.
func fromDefault(ctx context.Context, s *stand, k int) (float64, error) {
	m, err := negbinmix.New(s.x, k)
	if err != nil {
		return math.NaN(), err
	}
	_, r, err := m.Fit(ctx, &estimate.Settings{Starts: 1})
	if r == nil {
		return math.NaN(), err
	}
	return float64(r.Loss), nil
}

func counts(ctx context.Context, o *options, progress io.Writer) (string, error) {
	var contests []*contest
	for seed := range o.number(tenSeeds) {
		s, err := draw(tenfold, someRows, uint64(seed))
		if err != nil {
			return "", err
		}
		c, err := contend(ctx, methods, s, tenfold, seed, shortRuns)
		if err != nil {
			return "", fmt.Errorf("seed %d: %w", seed, err)
		}
		for i, r := range c.races {
			fmt.Fprintf(progress, "counts, seed %d, %s: gap %.2e, %s\n", seed, methods[i].title(), r.last().loss-c.best, r)
		}
		contests = append(contests, c)
	}
	return gaps(methods, contests), nil
}

// gaps writes the medians of the distance from the lowest loss, and how long an iteration and the whole run take.
func gaps(chosen []method, contests []*contest) string {
	var b strings.Builder
	b.WriteString("| method | coordinates | line search |")
	for _, k := range checkpoints {
		fmt.Fprintf(&b, " %d |", k)
	}
	b.WriteString(" best | ms/iteration | ms |\n|" + strings.Repeat(" --- |", 6+len(checkpoints)) + "\n")
	for i, f := range chosen {
		fmt.Fprintf(&b, "| %s | %s | %s |", f.name, f.coordinates, f.search)
		for _, k := range checkpoints {
			above := over(contests, func(c *contest) float64 { return c.races[i].at(k).loss - c.best })
			fmt.Fprintf(&b, " %s |", gap(above))
		}
		at := 0
		for _, c := range contests {
			if c.races[i].last().loss <= c.best+sameLoss {
				at++
			}
		}
		per := over(contests, func(c *contest) float64 {
			return 1000 * c.races[i].last().seconds / float64(max(1, len(c.races[i].moments)-1))
		})
		whole := over(contests, func(c *contest) float64 { return 1000 * c.races[i].last().seconds })
		fmt.Fprintf(&b, " %d of %d | %.2g | %.3g |\n", at, len(contests), per, whole)
	}
	return b.String()
}

// gap writes a distance; below the rounding of the loss it is none.
func gap(x float64) string {
	if x < 1e-12 {
		return "0"
	}
	return fmt.Sprintf("%.0e", x)
}

// over is the median over the data sets.
func over(contests []*contest, of func(*contest) float64) float64 {
	var out []float64
	for _, c := range contests {
		out = append(out, of(c))
	}
	return median(out)
}
