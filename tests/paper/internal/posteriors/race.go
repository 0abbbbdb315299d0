// Package posteriors runs the paper's variational experiments: Bayesian logistic regression by skew-normal and skew-t posteriors and by
// mixtures, by SNGD, by the method of Lin, Khan and Schmidt (2019) and by Adam (So and Turner 2024, sections 4.2 and 4.4).
package posteriors

import (
	"context"
	"fmt"
	"math"

	"github.com/sngdgen/sngdgen/generated"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/baseline"
	"github.com/sngdgen/sngdgen/runtime/estimate"
	"github.com/sngdgen/sngdgen/runtime/matched"
	"github.com/sngdgen/sngdgen/tests/paper/grid"
	"github.com/sngdgen/sngdgen/tests/paper/synthetic/posteriorskew"
	"github.com/sngdgen/sngdgen/tests/paper/synthetic/posteriorskewt"
)

// Task is a family of posteriors: the problems of the library that fit it, and where Adam's charts begin.
type Task struct {
	Name, Title string
	Problem     string // by SNGD, and on charts by Adam: of the library, or in the parameters of the paper
	Default     string // of the library, where Problem is not
	MCEF        string // the same target with the surrogate of Lin, Khan and Schmidt; "" where there is none
	Above       []baseline.Above
	Components  int // of a mixture
	Seeds       int // at most; 0 means all
}

// Tasks are those of the paper.
var Tasks = []Task{
	{Name: "skewnormal", Title: "Skew-normal", Problem: "posteriorskew", Default: "logisticskew", MCEF: "logisticmcef"},
	{Name: "skewt", Title: "Skew-t", Problem: "posteriorskewt", Default: "logisticskewt", Above: []baseline.Above{{Parameter: "nu", Bound: 2}}},
	{Name: "mixture", Title: "Three skew-normals", Problem: "logisticskewmix", Components: 3, Seeds: 3},
}

// Config has the sizes and limits of an experiment; the grids are our own, for the paper does not list its.
type Config struct {
	grid.Checkpoints
	Seeds           int
	Draws, Eval     int // of each component to train with, and of the whole to evaluate with
	SNGD, Auxiliary []float64
	MCEF            []float64
	Adam            []float64
}

// Full are sizes close to the paper's.
var Full = Config{
	Checkpoints: grid.Checkpoints{Steps: []int{100, 300, 1000}, Seconds: []float64{0.05, 0.1, 0.3}, Every: 20},
	Seeds:       10, Draws: 20, Eval: 1000,
	SNGD: []float64{0.01, 0.03, 0.1}, Auxiliary: []float64{0.003, 0.01, 0.03},
	MCEF: []float64{0.003, 0.01, 0.03, 0.1},
	Adam: []float64{0.001, 0.003, 0.01, 0.03},
}

// Settings lists the grid of a task.
func (c *Config) Settings(t Task) []grid.Setting {
	out := grid.SNGD("SNGD", t.Problem, c.SNGD, c.Auxiliary)
	if t.MCEF != "" {
		for _, step := range c.MCEF {
			out = append(out, grid.Setting{Method: "MCEF", Text: fmt.Sprintf("step %g", step), Problem: t.MCEF, Step: step, Rate: 1})
		}
	}
	return append(out, grid.Adam(t.Problem, c.Adam)...)
}

// SeedsOf is how many seeds a task has.
func (c *Config) SeedsOf(t Task) int {
	if t.Seeds > 0 {
		return min(t.Seeds, c.Seeds)
	}
	return c.Seeds
}

// Run runs one setting with one seed, which decides the noise, the same for all settings.
func (c *Config) Run(ctx context.Context, t Task, s grid.Setting, data runtime.Data, seed uint64) (grid.Run, error) {
	m, err := Load(s.Problem, data, t.Components)
	if err != nil {
		return grid.Run{}, err
	}
	k := max(t.Components, 1)
	judge := m.Clone().(runtime.Variational)
	if err := m.SetDraws(c.Draws * k); err != nil {
		return grid.Run{}, err
	}
	if err := judge.SetDraws(c.Eval); err != nil {
		return grid.Run{}, err
	}
	z, err := start(m, seed)
	if err != nil {
		return grid.Run{}, err
	}
	var p runtime.Problem = m
	loss := judge.Loss
	if s.Root != nil {
		u, err := baseline.Charts(m, *s.Root, t.Above...)
		if err != nil {
			return grid.Run{}, err
		}
		of, err := baseline.Charts(judge, *s.Root, t.Above...)
		if err != nil {
			return grid.Run{}, err
		}
		z, p, loss = grid.Coordinates(m, u, z), baseline.Euclidean(u), of.Loss
	}
	w := &grid.Watch{Checkpoints: &c.Checkpoints, Loss: loss}
	return w.Outcome(runtime.Descend(ctx, p, z, &runtime.Stochastic{
		Seed: seed, Step: runtime.Constant{Step: s.Step}, Auxiliary: runtime.Adam{Rate: s.Rate},
		MaxSteps: math.MaxInt, SkipLoss: true, Every: c.Every, VerifyEvery: 10 * c.Every, Recorder: w,
		Drawing: runtime.Independent, ToBoundary: runtime.Constant{Step: 0.5},
	}))
}

// start is the first random start, or the only one.
func start(m runtime.Variational, seed uint64) ([]float64, error) {
	z := make([]float64, grid.Dimension(m))
	first := 0
	if m.Info().RandomStart {
		first = m.Info().Starts
	}
	return z, m.Start(z, first, runtime.Stream(seed, "start"))
}

// SampleAverage maximises the bound by draws that are fixed for the run, at least so many for each component, matched in their moments, by
// natural L-BFGS. It is judged by the draws that judge the others.
func (c *Config) SampleAverage(ctx context.Context, t Task, data runtime.Data, least int, seed uint64) (grid.Run, error) {
	m, err := Load(t.Problem, data, t.Components)
	if err != nil {
		return grid.Run{}, err
	}
	judge := m.Clone().(runtime.Variational)
	if err := judge.SetDraws(c.Eval); err != nil {
		return grid.Run{}, err
	}
	k := max(t.Components, 1)
	if err := m.SetDraws(matched.Draws(m.Noise(), least) * k); err != nil {
		return grid.Run{}, err
	}
	rng := runtime.Stream(seed, "fixed")
	m.Draw(rng)
	matched.Fill(m.Noise(), k, rng)
	z, err := start(m, seed)
	if err != nil {
		return grid.Run{}, err
	}
	own := c.Checkpoints
	own.Every = 1
	w := &grid.Watch{Checkpoints: &own, Loss: judge.Loss}
	r, err := w.Outcome(runtime.Minimize(ctx, m, z, &runtime.Settings{Method: runtime.NaturalLBFGS{}, Step: runtime.Wolfe{}, Recorder: w}))
	r.Fault = "" // a search that gets no further is an end
	return r, err
}

// Load returns a problem of the library on data.
func Load(name string, data runtime.Data, components int) (runtime.Variational, error) {
	var m runtime.Variational
	switch lookup, ok := generated.Lookup(name); {
	case name == "posteriorskew":
		m = new(posteriorskew.Model)
	case name == "posteriorskewt":
		m = new(posteriorskewt.Model)
	case ok:
		m = lookup().(runtime.Variational)
	default:
		return nil, fmt.Errorf("the library has no %s", name)
	}
	return m, estimate.Load(m, data, components)
}

// All runs the grid.
func (c *Config) All(ctx context.Context, t Task, data runtime.Data, log func(string)) ([]grid.Result, error) {
	return grid.All(c.Settings(t), c.SeedsOf(t), func(s grid.Setting, seed uint64) (grid.Run, error) {
		return c.Run(ctx, t, s,
			data, seed)
	}, log)
}
