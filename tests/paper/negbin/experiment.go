package main

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/sngdgen/sngdgen/generated/negbin"
	"github.com/sngdgen/sngdgen/generated/negbinnat"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/baseline"
	"github.com/sngdgen/sngdgen/runtime/baseline/general"
	"github.com/sngdgen/sngdgen/tests/sheep"
)

// method is a row of the table.
type method struct {
	name, coordinates, search string
	run                       func(*race) error
}

// fullMemory makes limited memory L-BFGS remember every step of a run.
const fullMemory = 1000

var (
	exact = runtime.ExactLineSearch{}
	// grid is the line search of the published experiments: "exact" is the best of 1,000 equally spaced steps on (0, 1].
	grid   = runtime.GridSearch{N: 1000, Max: 1}
	memory = runtime.NaturalLBFGS{Memory: fullMemory}
)

var methods = []method{
	{"SNGD", "mean", "exact", mean(runtime.SNGD{}, exact)},
	{"GD", "log r, logit s", "exact", unconstrained(euclidean, runtime.SNGD{}, exact)},
	{"BFGS", "log r, logit s", "exact", unconstrained(euclidean, memory, exact)},
	{"NGD", "log r, logit s", "exact", unconstrained(baseline.Natural, runtime.SNGD{}, exact)},
	{"NGD-g", "mean", "exact", surrogateNGD(exact)},

	{"SNGD", "mean", "grid", mean(runtime.SNGD{}, grid)},
	{"GD", "log r, logit s", "grid", unconstrained(euclidean, runtime.SNGD{}, grid)},
	{"BFGS", "log r, logit s", "grid", unconstrained(euclidean, memory, grid)},
	{"NGD", "log r, logit s", "grid", unconstrained(baseline.Natural, runtime.SNGD{}, grid)},
	{"NGD-g", "mean", "grid", surrogateNGD(grid)},

	{"NGD, 100 draws", "log r, logit s", "grid", estimated(100, false, grid)},
	{"NGD, 1,000 draws", "log r, logit s", "grid", estimated(1000, false, grid)},
	{"NGD-g, 100 draws", "mean", "grid", estimated(100, true, grid)},
	{"NGD-g, 1,000 draws", "mean", "grid", estimated(1000, true, grid)},

	{"SNGD", "mean", "constant, 1", mean(runtime.SNGD{}, runtime.Constant{})},
	{"SNGD", "natural", "exact", natural(runtime.SNGD{}, exact)},
	{"natural L-BFGS", "mean", "Wolfe", mean(runtime.NaturalLBFGS{}, runtime.Wolfe{})},
	{"natural L-BFGS", "mean", "exact", mean(runtime.NaturalLBFGS{}, exact)},
	{"natural L-BFGS", "natural", "Wolfe", natural(runtime.NaturalLBFGS{}, runtime.Wolfe{})},
	{"BFGS", "log r, logit s", "gonum", gonum("bfgs")},
	{"L-BFGS", "log r, logit s", "gonum", gonum("lbfgs")},
	{"CG", "log r, logit s", "gonum", gonum("cg")},
	{"Newton", "log r, logit s", "gonum", gonum("newton")},
}

// race is one run from one start, and what it has reached so far.
type race struct {
	start int
	theta func(dst, x []float64)
	calls *calls

	off             []float64 // distance from the optimum after each iteration
	mean, total     int       // iterations until the mean, the total negative log-likelihood is within 1e-6 of the optimum
	digits          int       // iterations until r and s have ten digits
	gradients, loss int       // calls until the mean is
}

// never is the count of what a run does not reach.
const never = math.MaxInt

// within is how close to the optimum counts.
const within = 1e-6

// errDone ends a run that has nothing left to show.
var errDone = errors.New("ten digits")

// Record takes note of an iteration.
func (r *race) Record(it *runtime.Iteration) error {
	off := it.Loss + sheep.LogLikelihood/82
	reach := func(at *int, ok bool) bool {
		first := ok && *at == never
		if first {
			*at = it.Index
		}
		return first
	}
	r.off = append(r.off, off)
	if reach(&r.mean, off <= within) {
		r.gradients, r.loss = r.calls.gradients, r.calls.losses
	}
	reach(&r.total, 82*off <= within)
	theta := make([]float64, 2)
	r.theta(theta, it.Z)
	ten := math.Abs(theta[0]/sheep.R-1) <= 1e-10 && math.Abs(theta[1]/sheep.S-1) <= 1e-10
	reach(&r.digits, ten)
	if r.digits < never && r.total < never {
		return errDone
	}
	return nil
}

// minimize runs a method of package runtime.
func (r *race) minimize(p runtime.Problem, x []float64, m runtime.Method, s runtime.StepRule) error {
	r.calls = new(calls)
	_, err := runtime.Minimize(context.Background(), counted{p, r.calls}, x, &runtime.Settings{Method: m, Step: s, Recorder: r})
	return ignore(err)
}

// ignore drops the errors that are outcomes: a run that has seen enough, and one that gets no further. What it has not
// reached is in the table.
func ignore(err error) error {
	var stuck *runtime.Error
	if errors.Is(err, errDone) || errors.As(err, &stuck) {
		return nil
	}
	return err
}

func mean(m runtime.Method, s runtime.StepRule) func(*race) error {
	return func(r *race) error {
		model, z, err := start(r.start)
		if err != nil {
			return err
		}
		r.theta = model.Theta
		return r.minimize(model, z, m, s)
	}
}

// natural starts from the same target in natural coordinates.
func natural(m runtime.Method, s runtime.StepRule) func(*race) error {
	return func(r *race) error {
		model, err := negbinnat.New(sheep.Ticks())
		if err != nil {
			return err
		}
		z, err := sheep.Start(model, r.start)
		if err != nil {
			return err
		}
		r.theta = model.Theta
		return r.minimize(model, z, m, s)
	}
}

// surrogateNGD is natural gradient descent under the target in the coordinates of the surrogate.
func surrogateNGD(s runtime.StepRule) func(*race) error {
	return func(r *race) error {
		model, z, err := start(r.start)
		if err != nil {
			return err
		}
		p, err := baseline.NaturalSurrogate(model)
		if err != nil {
			return err
		}
		r.theta = model.Theta
		return r.minimize(p, z, runtime.SNGD{}, s)
	}
}

// estimated is natural gradient descent under the target with the Fisher matrix estimated from draws at every step.
func estimated(draws int, surrogate bool, s runtime.StepRule) func(*race) error {
	return func(r *race) error {
		e := &estimate{rng: runtime.Stream(1, "fisher", uint64(r.start)), draws: draws}
		var x []float64
		var err error
		if surrogate {
			if e.model, x, err = start(r.start); err != nil {
				return err
			}
			r.theta, e.Problem, e.fisher = e.model.Theta, e.model, e.model.FisherSurrogate
		} else {
			if e.model, x, err = r.inUnconstrained(); err != nil {
				return err
			}
			e.Problem, e.fisher = baseline.Euclidean(e.model.Unconstrained()), e.model.FisherUnconstrained
		}
		e.theta = r.theta
		return r.minimize(e, x, runtime.SNGD{}, s)
	}
}

func euclidean(m baseline.InformedModel) (runtime.Problem, error) {
	return baseline.Euclidean(m.Unconstrained()), nil
}

// unconstrained runs on a view of the objective in log r and logit s.
func unconstrained(view func(baseline.InformedModel) (runtime.Problem, error), m runtime.Method, s runtime.StepRule) func(*race) error {
	return func(r *race) error {
		model, x, err := r.inUnconstrained()
		if err != nil {
			return err
		}
		p, err := view(model)
		if err != nil {
			return err
		}
		return r.minimize(p, x, m, s)
	}
}

// gonum runs a method of gonum with a line search of gonum.
func gonum(name string) func(*race) error {
	return func(r *race) error {
		model, x, err := r.inUnconstrained()
		if err != nil {
			return err
		}
		r.calls = new(calls)
		u := countedUnconstrained{model.Unconstrained(), r.calls}
		_, err = general.Run(context.Background(), u, x, name, &runtime.Settings{Recorder: r})
		return ignore(err)
	}
}

func (r *race) inUnconstrained() (*negbin.Model, []float64, error) {
	model, z, err := start(r.start)
	if err != nil {
		return nil, nil, err
	}
	u := model.Unconstrained()
	theta, x := make([]float64, 2), make([]float64, 2)
	model.Theta(theta, z)
	u.FromTheta(x, theta)
	r.theta = u.Theta
	return model, x, nil
}

// start returns the model of the sheep and a start of the paper.
func start(i int) (*negbin.Model, []float64, error) {
	model, err := negbin.New(sheep.Ticks())
	if err != nil {
		return nil, nil, err
	}
	z, err := sheep.Start(model, i)
	return model, z, err
}

// calls counts evaluations.
type calls struct{ gradients, losses int }

// counted counts the calls of a problem.
type counted struct {
	runtime.Problem
	calls *calls
}

func (c counted) Loss(z []float64) float64 {
	c.calls.losses++
	return c.Problem.Loss(z)
}

func (c counted) Gradients(v, g, z []float64) float64 {
	c.calls.gradients++
	return c.Problem.Gradients(v, g, z)
}

type countedUnconstrained struct {
	runtime.Unconstrained
	calls *calls
}

func (c countedUnconstrained) Loss(u []float64) float64 {
	c.calls.losses++
	return c.Unconstrained.Loss(u)
}

func (c countedUnconstrained) Gradient(g, u []float64) float64 {
	c.calls.gradients++
	return c.Unconstrained.Gradient(g, u)
}

// row is a method with its races, one a start.
type row struct {
	method
	races []*race
}

// experiment runs methods from a number of starts.
func experiment(methods []method, starts int) ([]row, error) {
	var rows []row
	for _, m := range methods {
		out := row{method: m}
		for i := range starts {
			r := &race{start: i, mean: never, total: never, digits: never, gradients: never, loss: never}
			if err := m.run(r); err != nil {
				return nil, fmt.Errorf("%s, %s, start %d: %w", m.name, m.search, i, err)
			}
			out.races = append(out.races, r)
		}
		rows = append(rows, out)
	}
	return rows, nil
}
