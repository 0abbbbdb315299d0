// Command coverage finds out whether the Monte Carlo errors that sngdgen reports are what they say: the standard error of a bound,
// that of a difference of bounds, and what fixed draws leave open. It repeats each with many seeds and compares with values of
// which the error is much smaller:
//
//	go run ./tests/variational/coverage > tests/variational/coverage/TABLE.md
//
// The data are those of tests/rivals/posteriors. The progress goes to the standard error.
package main

import (
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strings"

	"github.com/sngdgen/sngdgen/generated"
	"github.com/sngdgen/sngdgen/internal/console"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/estimate"
	"github.com/sngdgen/sngdgen/tests/variational/datasets"
)

// notes is the text around the tables, which stand where it has their name in braces.
//
//go:embed notes.md
var notes string

func main() { console.Main(command) }

// posterior is a problem of the library with a file of data, and the draws of fits: few, whose errors are large enough to be seen, and
// 0, the default.
type posterior struct {
	problem, file string
	draws         []int
}

var cases = []posterior{
	{"linearregression", "linearknown", []int{0}}, {"poissonregression", "poisson", []int{40, 0}}, {"robustregression", "robust", []int{40, 0}},
	{"logistic", "logistic", []int{100, 0}}, {"logisticskew", "logistic", []int{0}},
}

func command(ctx context.Context, args []string, out, progress io.Writer) error {
	f := flag.NewFlagSet("coverage", flag.ContinueOnError)
	f.SetOutput(progress)
	folder := f.String("testdata", "tests/rivals/posteriors/testdata", "folder with the data")
	times := f.Int("times", 100, "number of experiments")
	many := f.Int("draws", 400_000, "draws of what is taken for the truth")
	only := f.String("only", "", "problem of the library; all when empty")
	if err := f.Parse(args); err != nil {
		return err
	}
	t := new(tables)
	for _, c := range cases {
		if *only != "" && *only != c.problem {
			continue
		}
		err := t.add(ctx, c, *folder, *times, *many, progress)
		if ctx.Err() != nil {
			t.incomplete = "Incomplete: stopped at " + c.problem + ".\n\n"
			break
		}
		if err != nil {
			return fmt.Errorf("%s: %w", c.problem, err)
		}
	}
	_, err := io.WriteString(out, t.String())
	return err
}

// tables are the rows as far as they are known.
type tables struct {
	bounds, ends strings.Builder
	incomplete   string
}

func (t *tables) String() string {
	return strings.NewReplacer("{incomplete}\n", t.incomplete, "{bounds}\n", t.bounds.String(), "{fits}\n", t.ends.String()).Replace(notes)
}

// add does all experiments with a posterior.
func (t *tables) add(ctx context.Context, c posterior, folder string, times, many int, progress io.Writer) error {
	lookup, ok := generated.Lookup(c.problem)
	if !ok {
		return errors.New("the library has no such problem")
	}
	m := lookup().(runtime.Variational)
	data, err := datasets.Read(filepath.Join(folder, c.file+".csv"))
	if err != nil {
		return err
	}
	if err := m.SetData(data); err != nil {
		return err
	}
	e := &experiment{ctx: ctx, m: m, times: times, many: many}
	rows, err := e.bounds()
	if err != nil {
		return err
	}
	for _, r := range rows {
		fmt.Fprintf(&t.bounds, "| %s | %s\n", c.problem, r)
		fmt.Fprintf(progress, "%s: %s\n", c.problem, r)
	}
	if e.best, e.top, err = e.fit(777, manyFixed); err != nil {
		return err
	}
	for _, draws := range c.draws {
		row, err := e.fits(draws)
		if err != nil {
			return err
		}
		fmt.Fprintf(&t.ends, "| %s | %s\n", c.problem, row)
		fmt.Fprintf(progress, "%s: %s\n", c.problem, row)
	}
	return nil
}

const (
	manyFixed  = 20_000 // draws of a fit that is taken for the best
	riseDraws  = 4_000  // by which ends are compared with it
	shapeDraws = 10_000 // of a k-hat
)

// experiment repeats what is reported of a posterior.
type experiment struct {
	ctx         context.Context
	m           runtime.Variational
	times, many int
	best        *estimate.Approximation // of a fit with many draws
	top         []float64               // its coordinates
}

// fit fits with so many draws, 0 for the default.
func (e *experiment) fit(seed uint64, draws int) (*estimate.Approximation, []float64, error) {
	a, err := estimate.Approximate(e.ctx, e.m, &estimate.Settings{Seed: seed, Method: "saa", Variational: estimate.Variational{Draws: draws}})
	if a == nil {
		return nil, nil, err
	}
	z := make([]float64, len(a.Coordinates))
	for i, x := range a.Coordinates {
		z[i] = float64(x)
	}
	return a, z, e.ctx.Err()
}

// tally counts intervals that hold the truth.
type tally struct {
	n, one, two float64
	squares     float64
}

func (t *tally) add(off, err float64) {
	t.n++
	if math.Abs(off) <= err {
		t.one++
	}
	if math.Abs(off) <= 2*err {
		t.two++
	}
	if err > 0 {
		t.squares += off * off / (err * err)
	}
}

func (t *tally) String() string {
	return fmt.Sprintf("%.0f %% | %.0f %% | %.2f |", 100*t.one/t.n, 100*t.two/t.n, math.Sqrt(t.squares/t.n))
}

// bounds are the rows of the standard errors of a bound and of a difference of two.
func (e *experiment) bounds() ([]string, error) {
	_, z, err := e.fit(1, 0)
	if err != nil {
		return nil, err
	}
	start := make([]float64, len(z))
	if err := e.m.Start(start, 0, runtime.Stream(1, "start")); err != nil {
		return nil, err
	}
	near := make([]float64, len(z)) // a point a little way back to the start
	for i := range z {
		near[i] = 0.97*z[i] + 0.03*start[i]
	}
	var rows []string
	for _, what := range []struct {
		name string
		of   func(draws int, seed uint64) (runtime.Estimate, error)
	}{
		{"bound", func(draws int, seed uint64) (runtime.Estimate, error) { return runtime.ELBO(e.m, z, draws, seed) }},
		{"difference", func(draws int, seed uint64) (runtime.Estimate, error) { return runtime.Rise(e.m, near, z, draws, seed) }},
	} {
		truth, err := what.of(e.many, 99_999)
		if err != nil {
			return nil, err
		}
		for _, draws := range []int{200, 1000} {
			var t tally
			mean := 0.0
			for seed := range uint64(e.times) {
				x, err := what.of(draws, seed)
				if err != nil {
					return nil, err
				}
				t.add(x.Mean-truth.Mean, math.Hypot(x.StandardError, truth.StandardError))
				mean += x.StandardError / float64(e.times)
			}
			rows = append(rows, fmt.Sprintf("%s | %d | %.2g | %s", what.name, draws, mean, t.String()))
		}
	}
	row, err := e.shapes(z)
	return append(rows, row), err
}

// shapes is the row of the standard error of k-hat, against the mean of all.
func (e *experiment) shapes(z []float64) (string, error) {
	var t tally
	var each []runtime.Estimate
	mean, said := 0.0, 0.0
	for seed := range uint64(e.times) {
		x, err := runtime.ELBO(e.m, z, shapeDraws, seed)
		if err != nil {
			return "", err
		}
		each = append(each, x)
		mean += x.KHat / float64(e.times)
		said += x.KHatError / float64(e.times)
	}
	for _, x := range each {
		t.add(x.KHat-mean, x.KHatError)
	}
	return fmt.Sprintf("k-hat, %.2f | %d | %.2g | %s", mean, shapeDraws, said, t.String()), nil
}

// fits is the row of what fixed draws leave open: the bound and the means at the ends of fits, against those of a fit with many.
func (e *experiment) fits(draws int) (string, error) {
	best, top := e.best, e.top
	means, deviations := entries(best.Posterior.Mean), entries(best.Posterior.SD)
	var actual, noise, said, number float64
	squares, inside := make([]float64, len(means)), make([]float64, len(means))
	largest, worst, open := 0.0, 0.0, 0
	n := float64(e.times)
	for seed := range uint64(e.times) {
		a, z, err := e.fit(seed+2, draws)
		if err != nil {
			return "", err
		}
		if a.Noise == nil || !(float64(a.Noise.Shortfall) >= 0) {
			open++
			continue
		}
		rise, err := runtime.Rise(e.m, z, top, riseDraws, 5)
		if err != nil {
			return "", err
		}
		actual += rise.Mean / n
		noise += rise.StandardError / n // the same draws for all
		said += float64(a.Noise.Shortfall) / n
		worst += float64(a.Noise.MeanError) / n
		number += float64(a.Noise.Draws) / n
		for i, x := range entries(a.Posterior.Mean) {
			off := (x - means[i]) / deviations[i]
			squares[i] += off * off / n
			if math.Abs(off) <= 2*float64(a.Noise.MeanError) {
				inside[i] += 1 / n
			}
		}
	}
	least := 1.0
	for i, s := range squares {
		if largest = max(largest, math.Sqrt(s)); inside[i] < least {
			least = inside[i]
		}
	}
	return fmt.Sprintf("%.0f | %.2g | %.2g ± %.1g | %.2g | %.2g | %.0f %% | %d |", number, said, actual, 2*noise, worst, largest, 100*least, open), nil
}

// entries are all numbers of some values.
func entries(v estimate.Values) []float64 {
	var out []float64
	for _, x := range v {
		out = append(out, x.Entries...)
	}
	return out
}
