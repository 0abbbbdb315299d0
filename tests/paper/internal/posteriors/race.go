package main

import (
	"context"
	"fmt"
	"math"

	"github.com/sngdgen/sngdgen/generated"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/baseline"
	"github.com/sngdgen/sngdgen/runtime/estimate"
	"github.com/sngdgen/sngdgen/tests/paper/grid"
)

// task is a family of posteriors: the problems of the library that fit it, and where Adam's charts begin.
type task struct {
	name, title string
	problem     string // by SNGD, and on charts by Adam
	mcef        string // the same target with the surrogate of Lin, Khan and Schmidt; "" where there is none
	above       []baseline.Above
	components  int // of a mixture
	seeds       int // at most; 0 means all
}

var tasks = []task{
	{name: "skewnormal", title: "Skew-normal", problem: "logisticskew", mcef: "logisticmcef"},
	{name: "skewt", title: "Skew-t", problem: "logisticskewt", above: []baseline.Above{{Parameter: "nu", Bound: 2}}},
	{name: "mixture", title: "Three skew-normals", problem: "logisticskewmix", components: 3, seeds: 3},
}

// config has the sizes and limits of an experiment; the grids are our own, for the paper does not list its.
type config struct {
	grid.Checkpoints
	seeds           int
	draws, eval     int // of each component to train with, and of the whole to evaluate with
	sngd, auxiliary []float64
	mcef            []float64
	adam            []float64
}

var full = config{
	Checkpoints: grid.Checkpoints{Steps: []int{100, 300, 1000}, Seconds: []float64{0.05, 0.1, 0.3}, Every: 20},
	seeds:       10, draws: 20, eval: 1000,
	sngd: []float64{0.01, 0.03, 0.1}, auxiliary: []float64{0.003, 0.01, 0.03},
	mcef: []float64{0.003, 0.01, 0.03, 0.1},
	adam: []float64{0.001, 0.003, 0.01, 0.03},
}

func (c *config) settings(t task) []grid.Setting {
	out := grid.SNGD("SNGD", t.problem, c.sngd, c.auxiliary)
	if t.mcef != "" {
		for _, step := range c.mcef {
			out = append(out, grid.Setting{Method: "MCEF", Text: fmt.Sprintf("step %g", step), Problem: t.mcef, Step: step, Rate: 1})
		}
	}
	return append(out, grid.Adam(t.problem, c.adam)...)
}

// seedsOf is how many seeds a task has.
func (c *config) seedsOf(t task) int {
	if t.seeds > 0 {
		return min(t.seeds, c.seeds)
	}
	return c.seeds
}

// run runs one setting with one seed, which decides the noise, the same for all settings.
func (c *config) run(ctx context.Context, t task, s grid.Setting, data runtime.Data, seed uint64) (grid.Run, error) {
	m, err := load(s.Problem, data, t.components)
	if err != nil {
		return grid.Run{}, err
	}
	k := max(t.components, 1)
	judge := m.Clone().(runtime.Variational)
	if err := m.SetDraws(c.draws * k); err != nil {
		return grid.Run{}, err
	}
	if err := judge.SetDraws(c.eval); err != nil {
		return grid.Run{}, err
	}
	z := make([]float64, grid.Dimension(m))
	start := 0
	if m.Info().RandomStart {
		start = m.Info().Starts
	}
	if err := m.Start(z, start, runtime.Stream(seed, "start")); err != nil {
		return grid.Run{}, err
	}
	var p runtime.Problem = m
	loss := judge.Loss
	if s.Root != nil {
		u, err := baseline.Charts(m, *s.Root, t.above...)
		if err != nil {
			return grid.Run{}, err
		}
		of, err := baseline.Charts(judge, *s.Root, t.above...)
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

// load returns a problem of the library on data.
func load(name string, data runtime.Data, components int) (runtime.Variational, error) {
	lookup, ok := generated.Lookup(name)
	if !ok {
		return nil, fmt.Errorf("the library has no %s", name)
	}
	m := lookup().(runtime.Variational)
	return m, estimate.Load(m, data, components)
}

// all runs the grid.
func (c *config) all(ctx context.Context, t task, data runtime.Data, log func(string)) ([]grid.Result, error) {
	return grid.All(c.settings(t), c.seedsOf(t), func(s grid.Setting, seed uint64) (grid.Run, error) { return c.run(ctx, t, s, data, seed) }, log)
}
