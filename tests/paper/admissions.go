package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/sngdgen/sngdgen/generated/negbinmix"
	"github.com/sngdgen/sngdgen/internal/table"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/tests/paper/grid"
	"github.com/sngdgen/sngdgen/tests/paper/internal/runner"
)

var admissionsFigure = []figure{{name: "figure-6", title: "Figure 6: mixture of negative binomials, daily admissions",
	claim: "By exact line search SNGD significantly outperforms GD and BFGS for a mixture of five negative binomials (n = " +
		"1,120); the mixture of gammas that is its surrogate lies over the histogram.",
	panels: 3, series: []string{"SNGD", "GD", "BFGS", "natural L-BFGS"}, make: admissionsCurves}}

const (
	fivefold      = 5    // components, as in the paper
	sameOptimum   = 1e-6 // ends within this of the lowest count as the same
	shownDistance = 1e-4 // losses nearer to the lowest are drawn there
)

// admissionsModel is the model on the file of the flag.
func admissionsModel(l *lab) (*negbinmix.Model, error) {
	data, err := table.ReadFile(l.admissions, nil, table.Options{})
	if err != nil {
		return nil, err
	}
	return negbinmix.New(data.Values, fivefold)
}

// admissionsRun is one run from a random start.
func admissionsRun(ctx context.Context, m *negbinmix.Model, method string, seed uint64, limit int) (grid.Run, *runner.End, error) {
	own := m.Clone()
	z := make([]float64, grid.Dimension(own))
	if err := own.Start(z, own.Info().Starts, runtime.Stream(1, "start", seed)); err != nil {
		return grid.Run{}, nil, err
	}
	return runner.Course(ctx, sheepMethods[method], own, z, runtime.Settings{MaxIterations: limit}, now)
}

func admissionsCurves(ctx context.Context, l *lab) (*found, error) {
	if l.admissions == "" {
		return &found{missing: "The daily admissions are not here: name a file with -admissions. Nothing is claimed."}, nil
	}
	m, err := admissionsModel(l)
	if err != nil {
		return nil, err
	}
	limit := sized(l, 200, 40)
	methods := []string{"SNGD", "GD", "BFGS", "natural L-BFGS"}
	rs, err := l.parallel(ctx, "admissions", named(methods...), l.seeds(), func(ctx context.Context, s grid.Setting,
		seed uint64) (grid.Run, error) {
		r, _, err := admissionsRun(ctx, m, s.Method, seed, limit)
		return r, err
	})
	if err != nil {
		return nil, err
	}
	x := m.Observations()
	lowest, best := ends(rs)
	c := &contest{name: "admissions", title: "admissions, k = 5", loss: "mean negative log-likelihood", rs: rs,
		checkpoints: &grid.Checkpoints{Steps: []int{limit}, Every: 1}, truth: math.NaN(), above: lowest, least: shownDistance}
	out := contestFigure(false, duel{[]string{"SNGD"}, []string{"GD", "BFGS"}}, c)
	out.tables = nil // there are no settings
	ahead, of := out.early(c, 3, 10, 30)
	if ahead > 0 && out.verdict == differs || ahead < of && out.verdict == agrees {
		out.verdict = partly
	}
	for _, r := range rs {
		at := 0
		for _, x := range r.Runs {
			if x.Samples[len(x.Samples)-1].Loss <= lowest+sameOptimum {
				at++
			}
		}
		out.seen = append(out.seen, fmt.Sprintf("%s ends within 1e-6 of %.8f, the lowest loss of all runs, from %d of "+
			"%d starts.", r.Method, lowest, at, len(r.Runs)))
	}
	_, end, err := admissionsRun(ctx, m, "SNGD", best, limit)
	if err != nil {
		return nil, err
	}
	values := repeated(x)
	p, inside := histogram("admissions-histogram", "admissions and the surrogate of SNGD", "daily admissions", values,
		slices.Max(values)/40, func(x float64) float64 {
			return gammaMixture(x, end.Theta)
		})
	out.panels = append(out.panels, p)
	out.seen = append(out.seen, fmt.Sprintf("Of the best run of SNGD histogram and density have %.0f %% of their area "+
		"in common.", 100*inside))
	out.notes = append(out.notes, fmt.Sprintf("n = %d days of the file, %d components, from the paper's random starts; %d "+
		"iterations at most. Runs end in different optima, and means over them stay above the lowest.", len(values), fivefold, limit))
	return out, nil
}

// early says where the methods are on average after some iterations, and counts at how many of these SNGD, the first one, is below GD and
// BFGS, the next two.
func (f *found) early(c *contest, iterations ...int) (ahead, of int) {
	for _, k := range iterations {
		var words []string
		var at []float64
		for i := range c.rs {
			mean, _ := grid.Spread(c.rs[i].Over(grid.UntilStep(k)))
			at = append(at, mean)
			words = append(words, fmt.Sprintf("%s %.4f", c.rs[i].Method, mean))
		}
		for _, other := range at[1:3] {
			if of++; at[0] < other {
				ahead++
			}
		}
		f.seen = append(f.seen, fmt.Sprintf("Mean loss after %d iterations: %s.", k, strings.Join(words, ", ")))
	}
	f.seen = append(f.seen, fmt.Sprintf("Of these SNGD is ahead of GD and BFGS in %d of %d comparisons.", ahead, of))
	return ahead, of
}

// ends are the lowest loss of all runs, and the start from which SNGD, the first method, ends lowest.
func ends(rs []grid.Result) (lowest float64, best uint64) {
	lowest = math.Inf(1)
	own := math.Inf(1)
	for i, r := range rs {
		for seed, x := range r.Runs {
			end := x.Samples[len(x.Samples)-1].Loss
			lowest = min(lowest, end)
			if i == 0 && end < own {
				own, best = end, uint64(seed)
			}
		}
	}
	return lowest, best
}

// repeated are rows as many times as their weights say.
func repeated(d runtime.Data) (out []float64) {
	for i, x := range d.Values {
		n := 1.0
		if d.Weights != nil {
			n = d.Weights[i]
		}
		for range int(n) {
			out = append(out, x)
		}
	}
	return out
}

// gammaMixture is the density of x under the surrogate of a mixture of negative binomials: s is the rate of a component, r (1 - s) its
// shape.
func gammaMixture(x float64, theta []float64) float64 {
	k := len(theta) / 3
	sum := 0.0
	for c := range k {
		r, s := theta[k+c], theta[2*k+c]
		sum += theta[c] * gammaDensity(x, r*(1-s), s)
	}
	return sum
}
