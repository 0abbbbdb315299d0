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
	"github.com/sngdgen/sngdgen/tests/paper/internal/curves"
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
	admissionBars = 120  // of the histogram, narrow enough for the peak of a component
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
	out := new(found)
	out.draw(false, c)
	out.tables = nil // there are no settings
	var t tally
	t.of(out.compare(duel{[]string{"SNGD"}, []string{"GD", "BFGS"}}, false, c))
	out.seen = append(out.seen, t.sentence("SNGD"))
	out.early(c, &t, 3, 10, 30)
	out.verdict = t.verdict()
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
		slices.Max(values)/admissionBars, func(x float64) float64 {
			return gammaMixture(x, end.Theta)
		})
	out.panels = append(out.panels, p)
	out.seen = append(out.seen, fmt.Sprintf("Of the best run of SNGD histogram and density have %.0f %% of their area "+
		"in common.", 100*inside))
	out.notes = append(out.notes, fmt.Sprintf("n = %d days of the file, %d components, from random starts as the paper's; %d "+
		"iterations at most. The paper has 1,120 days of the whole United Kingdom. Runs end in different optima, and means over them stay above the lowest.", len(values), fivefold, limit))
	out.on = fmt.Sprintf("at n = %d", len(values))
	return out, nil
}

// early says where the methods are on average after some iterations, and counts how SNGD, the first one, compares with GD and BFGS, the
// next two.
func (f *found) early(c *contest, t *tally, iterations ...int) {
	all := curves.Along(c.pairs(false), curves.Iterations)
	var own tally
	for _, k := range iterations {
		var words []string
		for i := range all {
			mean, _ := grid.Spread(c.rs[i].Over(grid.UntilStep(k)))
			words = append(words, fmt.Sprintf("%s %.4f", c.rs[i].Method, mean))
		}
		for i := range all[1:3] {
			d := curves.Less(&all[0], &all[i+1], float64(k))
			own.add(d.Outcome())
			words = append(words, fmt.Sprintf("SNGD less %s %v", all[i+1].Method, d))
		}
		f.seen = append(f.seen, fmt.Sprintf("Mean loss after %d iterations: %s.", k, strings.Join(words, ", ")))
	}
	f.seen = append(f.seen, fmt.Sprintf("In these %d comparisons SNGD is lower by more than two standard errors in %d, level in %d, higher in %d.",
		own.ahead+own.level+own.behind, own.ahead, own.level, own.behind))
	t.counts(own.ahead, own.level, own.behind)
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
