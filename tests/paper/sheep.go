package main

import (
	"context"
	"fmt"
	"math"

	"github.com/sngdgen/sngdgen/generated/negbin"
	"github.com/sngdgen/sngdgen/internal/picture"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/tests/paper/grid"
	"github.com/sngdgen/sngdgen/tests/paper/internal/curves"
	"github.com/sngdgen/sngdgen/tests/paper/internal/runner"
	"github.com/sngdgen/sngdgen/tests/sheep"
)

// The figures of the negative binomial distribution on the ticks of 82 sheep.
var sheepFigures = []figure{
	{name: "figure-1", title: "Figure 1: negative binomial, ticks on sheep",
		claim: "By exact line search SNGD needs fewer iterations than GD, BFGS and NGD under the target; the density of its " +
			"gamma surrogate lies over the histogram of the counts.",
		panels: 3, series: []string{"SNGD", "GD", "BFGS", "NGD", "natural L-BFGS"}, make: sheepCurves},
	{name: "figure-18", title: "Figure 18: SNGD and natural gradients under the target",
		claim: "SNGD makes faster progress than NGD also where that is in the coordinates of the surrogate (NGD-g): it is not " +
			"a matter of coordinates alone. In the end natural gradients under the target converge faster.",
		panels: 2, series: []string{"SNGD", "NGD", "NGD-g"}, make: sheepNatural},
}

var exact = runtime.ExactLineSearch{}

// fullMemory makes L-BFGS remember all steps.
var fullMemory = runtime.NaturalLBFGS{Memory: runner.FullMemory}

// sheepMethods are those of figures 1 and 18.
var sheepMethods = map[string]runner.Runner{
	"SNGD":           runner.OnSurrogate(runtime.SNGD{}, exact),
	"GD":             runner.Plain(runtime.SNGD{}, exact),
	"BFGS":           runner.Plain(fullMemory, exact),
	"NGD":            runner.Natural(exact),
	"NGD-g":          runner.NaturalSurrogate(exact),
	"natural L-BFGS": runner.OnSurrogate(runtime.NaturalLBFGS{}, runtime.Wolfe{}),
}

// sheepOptimum is the least mean negative log-likelihood.
const sheepOptimum = -sheep.LogLikelihood / 82

// named makes settings of methods that have none.
func named(methods ...string) (out []grid.Setting) {
	for _, m := range methods {
		out = append(out, grid.Setting{Method: m})
	}
	return out
}

// repeats of a run that takes less than a millisecond.
const repeats = 30

// sheepRuns runs all methods from all starts.
func sheepRuns(ctx context.Context, l *lab) ([]grid.Result, error) {
	return l.once("sheep", func() ([]grid.Result, error) {
		settings := named("SNGD", "GD", "BFGS", "NGD", "NGD-g", "natural L-BFGS")
		return l.parallel(ctx, "negative binomial", settings, l.seeds(), func(ctx context.Context, s grid.Setting,
			seed uint64) (grid.Run, error) {
			m, err := negbin.New(sheep.Ticks())
			if err != nil {
				return grid.Run{}, err
			}
			z, err := sheep.Start(m, int(seed))
			if err != nil {
				return grid.Run{}, err
			}
			r, _, err := runner.Fastest(ctx, repeats, sheepMethods[s.Method], m, z, runtime.Settings{MaxIterations: 60}, now)
			return r, err
		})
	})
}

// chosen are the results of some methods, in their order.
func chosen(rs []grid.Result, methods ...string) (out []grid.Result) {
	for _, m := range methods {
		for _, r := range rs {
			if r.Method == m {
				out = append(out, r)
			}
		}
	}
	return out
}

// sheepDistances from the optimum at which methods are compared.
var sheepDistances = []float64{1e-1, 1e-2, 1e-4, 1e-6}

func sheepCurves(ctx context.Context, l *lab) (*found, error) {
	rs, err := sheepRuns(ctx, l)
	if err != nil {
		return nil, err
	}
	methods := []string{"SNGD", "GD", "BFGS", "NGD", "natural L-BFGS"}
	out := distanceFigure(chosen(rs, methods...), "sheep", "negative binomial, n = 82", sheepOptimum, 15)
	rungs := curves.RungsOf(curves.Pairs(rs), curves.Iterations, sheepOptimum, sheepDistances...)
	var t tally
	for _, other := range []string{"GD", "BFGS", "NGD"} {
		t.counts(rungs.Counts("SNGD", other))
	}
	out.verdict, out.seen = t.verdict(), rungs.Sentences(methods)
	out.seen = append(out.seen, fmt.Sprintf("By these numbers SNGD is before GD, BFGS and NGD in %d of %d comparisons, level in %d, after them "+
		"in %d.", t.ahead, t.ahead+t.level+t.behind, t.level, t.behind))
	out.seen = append(out.seen, curves.RungsOf(curves.Pairs(rs), curves.Seconds, sheepOptimum, 1e-6).Sentences(methods)...)
	m, z, err := sheepFit()
	if err != nil {
		return nil, err
	}
	alpha, beta := gammaOf(m, z)
	p, inside := histogram("sheep-histogram", "ticks on 82 sheep and the gamma "+
		"surrogate of SNGD", "ticks", sheep.Ticks(), 1, func(x float64) float64 {
		return gammaDensity(x, alpha, beta)
	})
	out.panels = append(out.panels, p)
	out.seen = append(out.seen, fmt.Sprintf("The surrogate ends at alpha = %.5g and beta = %.5g: its mean %.5g is that of the "+
		"counts, %.5g, its standard deviation %.4g (counts: %.4g). "+
		"Histogram and density have %.0f %% of their area "+
		"in common.", alpha, beta, alpha/beta, meanOf(sheep.Ticks()), math.Sqrt(alpha)/beta, deviation(sheep.Ticks()), 100*inside))
	return out, nil
}

func sheepNatural(ctx context.Context, l *lab) (*found, error) {
	rs, err := sheepRuns(ctx, l)
	if err != nil {
		return nil, err
	}
	methods := []string{"SNGD", "NGD", "NGD-g"}
	out := distanceFigure(chosen(rs, methods...), "natural", "negative binomial, n = 82", sheepOptimum, 12)
	pairs := curves.Pairs(rs)
	early := curves.RungsOf(pairs, curves.Iterations, sheepOptimum, 1e-1, 1e-2, 1e-3, 1e-4)
	late := curves.RungsOf(pairs, curves.Iterations, sheepOptimum, 1e-8, 1e-10)
	var before, after tally
	for _, other := range methods[1:] {
		before.counts(early.Counts("SNGD", other))
		after.counts(late.Counts(other, "SNGD"))
	}
	out.verdict = wins(before.ahead+after.ahead, len(methods[1:])*(len(early.Distances)+len(late.Distances)))
	out.seen = append(early.Sentences(methods), late.Sentences(methods)...)
	out.seen = append(out.seen, fmt.Sprintf("Down to 1e-4 SNGD is before the others in %d comparisons, level in %d, after them in %d; at 1e-8 and "+
		"1e-10 NGD and NGD-g are before SNGD in %d, level in %d, after it in %d.", before.ahead, before.level, before.behind, after.ahead,
		after.level, after.behind))
	return out, nil
}

// counts adds outcomes of comparisons.
func (t *tally) counts(ahead, level, behind int) {
	t.ahead, t.level, t.behind = t.ahead+ahead, t.level+level, t.behind+behind
}

// distanceFigure draws mean distances from an optimum along both axes.
func distanceFigure(rs []grid.Result, name, title string, optimum, iterations float64) *found {
	v := curves.View{Name: curvePanel + name, Title: title, Loss: "mean negative log-likelihood", Above: optimum}
	out := &found{panels: v.Panels(curves.Pairs(rs)), notes: []string{"Fisher matrices of the target are sums over the counts up to a remaining mass of " +
		"1e-12, also at points that a line search tries and leaves: hundreds of terms near the optimum, up to four million where a step is far too " +
		"long. That is nearly all the time of NGD and NGD-g."}}
	x := &out.panels[curves.Iterations].X
	x.Min, x.Max, x.Whole = 0, iterations, true
	return out
}

// sheepFit is the end of SNGD from the default start.
func sheepFit() (*negbin.Model, []float64, error) {
	m, err := negbin.New(sheep.Ticks())
	if err != nil {
		return nil, nil, err
	}
	z := make([]float64, 2)
	if err := m.Start(z, 0, nil); err != nil {
		return nil, nil, err
	}
	r, err := runtime.Minimize(context.Background(), m, z, &runtime.Settings{Method: runtime.SNGD{}, Step: exact, GradientTolerance: 1e-10})
	if r == nil {
		return nil, nil, err
	}
	return m, r.Z, nil
}

// gammaOf are the parameters of the surrogate.
func gammaOf(m *negbin.Model, z []float64) (alpha, beta float64) {
	natural := make([]float64, 2)
	m.Dual(natural, z)
	return natural[0] + 1, -natural[1]
}

func gammaDensity(x, alpha, beta float64) float64 {
	lgamma, _ := math.Lgamma(alpha)
	return math.Exp(alpha*math.Log(beta) - lgamma + (alpha-1)*math.Log(x) - beta*x)
}

// histogram draws bars of a width, as a density, with a curve over them; inside is the area that both have in common.
func histogram(name, title, label string, x []float64, width float64, density func(x float64) float64) (p picture.Panel, inside float64) {
	bars := picture.Layer{Kind: picture.Bars, Name: "data", Color: picture.Data}
	last := 0.0
	for _, v := range x {
		last = max(last, v)
	}
	n := int(last/width) + 1
	counts := make([]float64, n)
	for _, v := range x {
		counts[int(v/width)] += 1 / (float64(len(x)) * width)
	}
	// Bars of counts of 1 are centred at the numbers.
	shift := 0.0
	if width == 1 {
		shift = -0.5
	}
	const fine = 20
	line := picture.Layer{Kind: picture.Line, Name: "density of the surrogate", Color: picture.Fitted}
	for i, c := range counts {
		from := float64(i)*width + shift
		bars.From, bars.To, bars.Low, bars.High = append(bars.From, from), append(bars.To, from+width), append(bars.Low, 0),
			append(bars.High, c)
		for j := range fine {
			at := from + (float64(j)+0.5)*width/fine
			if at <= 0 {
				continue
			}
			d := density(at)
			line.X, line.Y = append(line.X, at), append(line.Y, d)
			inside += min(d, c) * width / fine
		}
	}
	return picture.Panel{Name: name, Title: title, X: picture.Axis{Label: label}, Y: picture.Axis{Label: "density"},
		Layers: []picture.Layer{bars, line}}, inside
}

func meanOf(x []float64) float64 {
	m, _ := grid.Spread(x)
	return m
}

func deviation(x []float64) float64 {
	_, wide := grid.Spread(x)
	return wide / 2 * math.Sqrt(float64(len(x)))
}
