// Package minibatch runs the paper's experiments on many rows: maximum likelihood over minibatches by SNGD and by Adam, with losses on
// rows that are held out (So and Turner 2024, section 4.2 and appendix "Experiment details").
package minibatch

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/baseline"
	"github.com/sngdgen/sngdgen/tests/paper/grid"
	"github.com/sngdgen/sngdgen/tests/paper/synthetic/skewnormal"
	"github.com/sngdgen/sngdgen/tests/paper/synthetic/skewt"
	"github.com/sngdgen/sngdgen/tests/paper/synthetic/tcopula"
)

// Task is an experiment: data from a truth, and the generated package that is fitted to them.
type Task struct {
	Name, Title string
	Draw        func(d int, rng *rand.Rand) (*Truth, error)
	Above       []baseline.Above // for the baselines: "for all methods we parameterised nu as log(nu-2)"
}

// Tasks are those of the paper.
var Tasks = []Task{
	{"skewnormal", "Skew-normal", Skewed(math.Inf(1)), nil},
	{"skewt", "Skew-t", Skewed(10), []baseline.Above{{Parameter: "nu", Bound: 2}}},
	{"tcopula", "t copula", Copula(5), []baseline.Above{{Parameter: "nu", Bound: 2}}},
}

// Models finds the packages that are generated from models.yaml of the synthetic experiments: the library's problems with the
// paper's starts.
func Models(name string) (func() runtime.Model, bool) {
	switch name {
	case "skewnormal":
		return func() runtime.Model { return new(skewnormal.Model) }, true
	case "skewt":
		return func() runtime.Model { return new(skewt.Model) }, true
	case "tcopula":
		return func() runtime.Model { return new(tcopula.Model) }, true
	}
	return nil, false
}

// Config has the sizes and limits of an experiment. A run ends when it has passed all checkpoints.
type Config struct {
	D, N, Held, Batch int // columns, rows to train on, rows held out, rows of a minibatch
	grid.Checkpoints
	Seeds           int
	SNGD, Auxiliary []float64
	Adam            []float64
}

// Contender is what a generated package must be.
type Contender interface {
	runtime.Model
	runtime.Batcher
	runtime.Objective
}

// SNGD is the name of the method in tables.
const SNGD = "SNGD, mean"

// Settings lists the grid.
func (c *Config) Settings() []grid.Setting {
	return append(grid.SNGD(SNGD, "", c.SNGD, c.Auxiliary), grid.Adam("", c.Adam)...)
}

// Experiment is a model with its data.
type Experiment struct {
	Config
	Model Contender
	Truth float64 // loss of the distribution that the data are drawn from on the held-out rows, where it is known
	rows  []float64
	held  []int // rows that are not trained on: the last ones
}

// Prepare draws the data. They are the same for all seeds of runs, as in the paper.
func Prepare(t Task, c Config, make func() runtime.Model, dataSeed uint64) (*Experiment, error) {
	source, err := t.Draw(c.D, runtime.Stream(dataSeed, "truth"))
	if err != nil {
		return nil, err
	}
	e, err := On(source.Rows(c.N+c.Held, c.D, runtime.Stream(dataSeed, "data")), c, make)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.Name, err)
	}
	theta, err := source.theta(e.Model)
	if err != nil {
		return nil, err
	}
	if err := e.Model.Batch(e.held); err != nil {
		return nil, err
	}
	e.Truth = e.Model.ThetaGradient(slices.Clone(theta), theta)
	return e, e.Model.Batch(nil)
}

// On is an experiment on given rows, the last of which are held out.
func On(values []float64, c Config, make func() runtime.Model) (*Experiment, error) {
	m, ok := make().(Contender)
	if !ok {
		return nil, fmt.Errorf("the generated package has no minibatches, or no parameters of their own")
	}
	if err := m.SetData(runtime.Data{Values: values, Columns: c.D}); err != nil {
		return nil, err
	}
	e := &Experiment{Config: c, Model: m, Truth: math.NaN(), rows: values}
	for i := range c.Held {
		e.held = append(e.held, c.N+i)
	}
	return e, nil
}

// All runs the grid.
func (e *Experiment) All(ctx context.Context, above []baseline.Above, log func(string)) ([]grid.Result, error) {
	return grid.All(e.Settings(), e.Seeds, func(s grid.Setting, seed uint64) (grid.Run, error) { return e.One(ctx, s, above, seed) }, log)
}

// One runs one setting with one seed, which decides the start and the minibatches, the same for all settings.
func (e *Experiment) One(ctx context.Context, s grid.Setting, above []baseline.Above, seed uint64) (grid.Run, error) {
	m := e.Model.Clone().(Contender)
	z, err := e.start(m, seed)
	if err != nil {
		return grid.Run{}, err
	}
	var p runtime.Problem = m
	if s.Root != nil {
		u, err := baseline.Charts(m, *s.Root, above...)
		if err != nil {
			return grid.Run{}, err
		}
		z = grid.Coordinates(m, u, z)
		p = baseline.Euclidean(u)
	}
	w := &grid.Watch{Checkpoints: &e.Checkpoints, Loss: func(z []float64) float64 {
		if m.Batch(e.held) != nil {
			return math.NaN() // Prepare has set this batch before
		}
		return p.Loss(z)
	}}
	set := &runtime.Stochastic{
		Batch: e.Batch, Sampling: runtime.WithReplacement, Rows: e.N, Seed: seed,
		Step: runtime.Constant{Step: s.Step}, Auxiliary: runtime.Adam{Rate: s.Rate},
		MaxSteps: math.MaxInt, SkipLoss: true,
		Every: e.Every, Recorder: w,
	}
	return w.Outcome(runtime.Descend(ctx, p, z, set))
}

// start is the random start of the paper.
func (e *Experiment) start(m Contender, seed uint64) ([]float64, error) {
	z := make([]float64, grid.Dimension(m))
	return z, m.Start(z, m.Info().Starts, runtime.Stream(seed, "start"))
}

// NaturalLBFGS minimises the loss over all rows to train on by L-BFGS with natural gradients, from the same start, up to the last of the
// checkpoints; its loss on the held-out rows is what is recorded. It returns the parameters of the target at the end too.
func (e *Experiment) NaturalLBFGS(ctx context.Context, make func() runtime.Model, seed uint64) (grid.Run, []float64, error) {
	m, ok := make().(Contender)
	if !ok {
		return grid.Run{}, nil, fmt.Errorf("the generated package has no minibatches")
	}
	if err := m.SetData(runtime.Data{Values: e.rows[:e.N*e.D], Columns: e.D}); err != nil {
		return grid.Run{}, nil, err
	}
	judge := e.Model.Clone().(Contender)
	if err := judge.Batch(e.held); err != nil {
		return grid.Run{}, nil, err
	}
	z, err := e.start(m, seed)
	if err != nil {
		return grid.Run{}, nil, err
	}
	c := e.Checkpoints
	c.Every = 1
	w := &grid.Watch{Checkpoints: &c, Loss: judge.Loss}
	res, err := runtime.Minimize(ctx, m, z, &runtime.Settings{Method: runtime.NaturalLBFGS{}, Step: runtime.Wolfe{}, Recorder: w})
	r, err := w.Outcome(res, err)
	if err != nil {
		return r, nil, err
	}
	r.Fault = "" // a search that gets no further is an end
	theta := slices.Repeat([]float64{0}, grid.LengthOfTheta(m))
	m.Theta(theta, res.Z)
	return r, theta, nil
}

// Rows are all rows, those to train on first.
func (e *Experiment) Rows() []float64 { return e.rows }
