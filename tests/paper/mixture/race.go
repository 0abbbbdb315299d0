package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/sngdgen/sngdgen/generated/negbinmix"
	"github.com/sngdgen/sngdgen/generated/negbinmixnat"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/tests/paper/clock"
	"github.com/sngdgen/sngdgen/tests/paper/grid"
	"github.com/sngdgen/sngdgen/tests/paper/internal/runner"
)

// method is a way to fit a mixture, a row of a table.
type method struct {
	name, coordinates, search string
	run                       runner.Runner
}

func (f *method) title() string { return f.name + ", " + f.coordinates + ", " + f.search }

const (
	natural       = "natural" // tells the methods that step the natural parameters of the surrogate
	defaultMethod = "natural L-BFGS"
)

var (
	exact = runtime.ExactLineSearch{}
	// published is the line search of the published experiments: "exact" is the best of 1,000 equally spaced steps on (0, 1].
	published = runtime.GridSearch{N: 1000, Max: 1}
)

// onGrid is the method that takes minutes.
var onGrid = method{"SNGD", "mean", "grid", runner.OnSurrogate(runtime.SNGD{}, published)}

var methods = []method{
	{"SNGD", "mean", "exact", runner.OnSurrogate(runtime.SNGD{}, exact)},
	{"SNGD", "mean", "exact, up to 1", runner.OnSurrogate(runtime.SNGD{}, runtime.ExactLineSearch{MaxStep: 1})},
	{"SNGD", natural, "exact", runner.OnSurrogate(runtime.SNGD{}, exact)},
	{defaultMethod, "mean", "Wolfe", runner.OnSurrogate(runtime.NaturalLBFGS{}, runtime.Wolfe{})},
	{defaultMethod, natural, "Wolfe", runner.OnSurrogate(runtime.NaturalLBFGS{}, runtime.Wolfe{})},
	{"BFGS", "softmax, log, logit", "gonum", runner.Gonum("bfgs")},
	{"GD", "softmax, log, logit", "exact", runner.Plain(runtime.SNGD{}, exact)},
	{"GD", "softmax, log, logit", "backtracking", runner.Plain(runtime.SNGD{}, runtime.Backtracking{})},
}

// problem returns the model that a method runs on.
func (f *method) problem(x []float64, k int) (runtime.Model, error) {
	if f.coordinates == natural {
		return negbinmixnat.New(x, k)
	}
	return negbinmix.New(x, k)
}

// moment is the state after an iteration.
type moment struct {
	loss, seconds float64
	evaluations   int // of the loss and the gradients so far
}

// race is one run from one start.
type race struct {
	moments   []moment
	theta     []float64 // the target's parameters at the end
	converged bool
	fault     string // why it ended early, "" when it did not
}

// String says where the run has ended.
func (r *race) String() string {
	return fmt.Sprintf("%.10f after %d iterations, %.3f s %s", r.last().loss, len(r.moments)-1, r.last().seconds, r.fault)
}

func (r *race) last() moment { return r.moments[len(r.moments)-1] }

// at is the state after some iterations; a run that has ended stays where it is.
func (r *race) at(iteration int) moment { return r.moments[min(iteration, len(r.moments)-1)] }

// until is the first iteration after which the loss is within some distance of what it is at the end; the last one
// where the end is a limit.
func (r *race) until(within float64) int {
	if !r.converged && r.fault == "" {
		return len(r.moments) - 1
	}
	end := r.last().loss
	return slices.IndexFunc(r.moments, func(m moment) bool { return m.loss <= end+within })
}

// from runs a method on counts from a random start of the problem, that of the paper: the same target for all methods,
// whatever their coordinates.
func (f *method) from(ctx context.Context, x []float64, k, seed, iterations int) (*race, error) {
	m, err := f.problem(x, k)
	if err != nil {
		return nil, err
	}
	z := make([]float64, grid.Dimension(m))
	if err := m.Start(z, m.Info().Starts, runtime.Stream(1, "start", uint64(seed))); err != nil {
		return nil, err
	}
	return f.race(ctx, m, z, iterations)
}

func (f *method) race(ctx context.Context, m runtime.Model, z []float64, iterations int) (*race, error) {
	r, began := new(race), clock.Now()
	s := runtime.Settings{
		MaxIterations: iterations, GradientTolerance: tolerance,
		Recorder: runtime.RecorderFunc(func(it *runtime.Iteration) error {
			r.moments = append(r.moments, moment{it.Loss, (clock.Now() - began).Seconds(), it.Evaluations})
			return nil
		}),
	}
	res, err := f.run(ctx, m, z, s)
	var stuck *runtime.Error
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case res == nil || len(r.moments) == 0 || math.IsNaN(r.moments[0].loss):
		return nil, fmt.Errorf("%s: %w", f.name, errors.Join(err, errors.New("no start")))
	case err != nil && (errors.As(err, &stuck) || res.Status == runtime.Failed): // an outcome
		r.fault = res.Message
	case err != nil:
		return nil, err
	case !res.Status.Converged() && res.Status != runtime.IterationLimit:
		r.fault = res.Message
	}
	r.converged, r.theta = res.Status.Converged(), res.Theta
	return r, nil
}

// tolerance of the norm of the gradient: an error of the loss far below what the tables show.
const tolerance = 1e-6

// median of numbers, the mean of the two in the middle.
func median(x []float64) float64 {
	x = slices.Sorted(slices.Values(x))
	return (x[(len(x)-1)/2] + x[len(x)/2]) / 2
}
