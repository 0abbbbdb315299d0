package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/baseline"
	"github.com/sngdgen/sngdgen/tests/paper/grid"
)

// task is an experiment: data from a truth, and the generated package that is fitted to them.
type task struct {
	name, title string
	draw        func(d int, rng *rand.Rand) (*truth, error)
	above       []baseline.Above // for the baselines: "for all methods we parameterised nu as log(nu-2)"
	full        config
}

// The sizes are the paper's, those of the t copula close to those of its stock returns; the grids are our own, for the
// paper does not list its.
var (
	large = config{
		d: 1000, n: 10_000, held: 1000, batch: 100,
		Checkpoints: grid.Checkpoints{Steps: []int{10, 50, 100}, Seconds: []float64{15, 30}, Every: 10}, seeds: 2,
		sngd: []float64{0.01, 0.03, 0.1}, auxiliary: []float64{0.01}, adam: []float64{0.001, 0.003},
	}
	medium = config{
		d: 100, n: 1000, held: 1000, batch: 100,
		Checkpoints: grid.Checkpoints{Steps: []int{10, 50, 200, 1000}, Seconds: []float64{0.1, 0.3, 1}, Every: 10}, seeds: 10,
		sngd: []float64{0.003, 0.01, 0.03, 0.1}, auxiliary: []float64{0.01, 0.1},
		adam: []float64{0.0003, 0.001, 0.003, 0.01, 0.03},
	}
	tasks = []task{
		{"skewnormal", "Skew-normal", skewed(math.Inf(1)), nil, large},
		{"skewt", "Skew-t", skewed(10), []baseline.Above{{Parameter: "nu", Bound: 2}}, large},
		{"tcopula", "t copula", copula(5), []baseline.Above{{Parameter: "nu", Bound: 2}}, medium},
	}
)

// config has the sizes and limits of an experiment. A run ends when it has passed all checkpoints.
type config struct {
	d, n, held, batch int
	grid.Checkpoints
	seeds           int
	sngd, auxiliary []float64
	adam            []float64
}

// contender is what a generated package must be.
type contender interface {
	runtime.Model
	runtime.Batcher
	runtime.Objective
}

// settings lists the grid.
func (c *config) settings() []grid.Setting {
	return append(grid.SNGD("SNGD, mean", "", c.sngd, c.auxiliary), grid.Adam("", c.adam)...)
}

// experiment is a task with data.
type experiment struct {
	config
	model contender
	held  []int   // rows that are not trained on: the last ones
	truth float64 // its loss on the held-out rows
	loop  runtime.Descender
}

// prepare draws the data. They are the same for all seeds of runs, as in the paper.
func prepare(t task, c config, make func() runtime.Model, dataSeed uint64) (*experiment, error) {
	m, ok := make().(contender)
	if !ok {
		return nil, fmt.Errorf("the generated package %s has no minibatches, or no parameters of their own", t.name)
	}
	source, err := t.draw(c.d, runtime.Stream(dataSeed, "truth"))
	if err != nil {
		return nil, err
	}
	values := source.rows(c.n+c.held, c.d, runtime.Stream(dataSeed, "data"))
	if err := m.SetData(runtime.Data{Values: values, Columns: c.d}); err != nil {
		return nil, err
	}
	e := &experiment{config: c, model: m}
	for i := range c.held {
		e.held = append(e.held, c.n+i)
	}
	theta, err := source.theta(m)
	if err != nil {
		return nil, err
	}
	if err := m.Batch(e.held); err != nil {
		return nil, err
	}
	e.truth = m.ThetaGradient(slices.Clone(theta), theta)
	m.Batch(nil)
	return e, nil
}

// all runs the grid.
func (e *experiment) all(ctx context.Context, above []baseline.Above, log func(string)) ([]grid.Result, error) {
	return grid.All(e.settings(), e.seeds, func(s grid.Setting, seed uint64) (grid.Run, error) { return e.one(ctx, s, above, seed) }, log)
}

// one runs one setting with one seed, which decides the start and the minibatches, the same for all settings.
func (e *experiment) one(ctx context.Context, s grid.Setting, above []baseline.Above, seed uint64) (grid.Run, error) {
	var p runtime.Problem = e.model
	z := make([]float64, grid.Dimension(p))
	random := e.model.Info().Starts // the first start that is random
	if err := e.model.Start(z, random, runtime.Stream(seed, "start")); err != nil {
		return grid.Run{}, err
	}
	if s.Root != nil {
		u, err := baseline.Charts(e.model, *s.Root, above...)
		if err != nil {
			return grid.Run{}, err
		}
		z = grid.Coordinates(e.model, u, z)
		p = baseline.Euclidean(u)
	}
	w := &grid.Watch{Checkpoints: &e.Checkpoints, Loss: func(z []float64) float64 {
		if e.model.Batch(e.held) != nil {
			return math.NaN() // prepare has set this batch before
		}
		return p.Loss(z)
	}}
	set := &runtime.Stochastic{
		Batch: e.batch, Sampling: runtime.WithReplacement, Rows: e.n, Seed: seed,
		Step: runtime.Constant{Step: s.Step}, Auxiliary: runtime.Adam{Rate: s.Rate},
		MaxSteps: math.MaxInt, SkipLoss: true,
		Every: e.Every, Recorder: w,
	}
	res, err := e.loop.Descend(ctx, p, z, set)
	e.model.Batch(nil)
	return w.Outcome(res, err)
}
