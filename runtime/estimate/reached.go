package estimate

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/sngdgen/sngdgen/runtime"
)

var (
	// errReached ends a run that comes to an optimum where another has ended.
	errReached = errors.New("the run comes to an optimum that is known")
	// errWorse ends a run that has all but come to an optimum that is lower than a known one.
	errWorse = errors.New("the run comes to a lower optimum than one that is known")
)

const (
	// reachedEvery is the number of steps between two looks whether a run comes to a known optimum, which take a loss each where it is near.
	reachedEvery = 4
	// reachedWithin is the difference in total log-likelihood from which on it is asked: runs take about half of their steps from there to their
	// last digits.
	reachedWithin = 0.01
	// A run ends also where it is lower than a known optimum by worseBy, and a natural step would gain less than worseWithin, both in total log-likelihood: it is
	// as good as stationary, and about half of its steps would be for digits of an optimum that nobody asks for. Who does makes the run go on: see sharpen.
	worseBy     = 1
	worseWithin = 1e-8
)

// reachable returns the ends of runs that others need not come to in all digits: sound ones, as far as their curvature shows too, of which the
// first and the best are looked at. Their order is that of the runs.
func reachable(ctx context.Context, m runtime.Model, r *Settings, runs []attempt) (ends []*attempt) {
	order := ranked(runs)
	if _, bound := m.(runtime.Variational); bound || r.stochastic() || len(order) == 0 {
		return nil
	}
	for i := range runs {
		a := &runs[i]
		if a.reached || i > 0 && a != order[0] {
			continue
		}
		if a.look(m, r); a.ended() {
			a.judge(ctx, m, r)
		}
		if a.ended() {
			ends = append(ends, a)
		}
	}
	return ends
}

// reachedGuard ends a run that comes to one of the known optima, and notes which, or to a lower one. Nil where none is known.
func (a *attempt) reachedGuard(v *view, r *Settings, n float64) runtime.Recorder {
	if len(r.known) == 0 {
		return nil
	}
	at, highest := make([]float64, len(v.z)), math.Inf(1)
	for _, end := range r.known {
		highest = min(highest, end.res.Loss)
	}
	return runtime.RecorderFunc(func(it *runtime.Iteration) error {
		if it.Index%reachedEvery != 0 {
			return nil
		}
		for _, end := range r.known {
			if comesTo(v, at, it.Z, it.Loss, end.res, n) {
				a.end = end
				return errReached
			}
		}
		if n*(it.Loss-highest) > worseBy && n*it.NaturalNorm*it.NaturalNorm < worseWithin && !r.unconstrained() {
			return errWorse
		}
		return nil
	})
}

// endWorse is the end of a run that errWorse has ended.
func (a *attempt) endWorse() {
	a.res.Status, a.res.Message = runtime.GradientConverged, runtime.GradientConverged.String()
	a.err, a.coarse = nil, true
}

// sharpen makes a run that errWorse has ended go on to where it would have ended by itself.
func (a *attempt) sharpen(ctx context.Context, m runtime.Model, r *Settings) {
	if !a.coarse {
		return
	}
	a.coarse = false
	on, z := *a.own(r).bounded(), slices.Clone(a.res.Z)
	on.known = nil
	next := runOne(ctx, m.Clone(), &on, a.start, func(_ runtime.Model, dst []float64) error { copy(dst, z); return nil })
	if next.res == nil {
		return
	}
	next.goesOn(a)
	next.traced = append(a.traced, next.traced...)
	*a = next
}

// comesTo reports whether z, of a loss, is on its way to the end of a run: where the likelihood is not higher, lower by next to nothing, and rises as
// along a parabola half of the way there. Another maximum, or a saddle point, would have to be within that, with no valley to see. At is scratch.
func comesTo(p interface{ Loss(z []float64) float64 }, at, z []float64, loss float64, end *runtime.Result, n float64) bool {
	above, digits := loss-end.Loss, sameLoss*(1+math.Abs(loss))
	if !(above >= -digits && n*above < reachedWithin) {
		return false
	}
	for i := range at {
		at[i] = (z[i] + end.Z[i]) / 2
	}
	half := p.Loss(at) - end.Loss
	return half >= -digits && half <= math.Max(above, 0)/2+roundingOf*(1+math.Abs(loss))
}

// takeEnd makes what is known of the end of another run that of this one, which has come there with fewer steps than would be its own.
func (a *attempt) takeEnd() {
	own := *a
	*a = *own.end
	res := *own.end.res
	res.Iterations, res.LossEvaluations, res.GradientEvaluations = own.res.Iterations, own.res.LossEvaluations, own.res.GradientEvaluations
	a.start, a.traced, a.res, a.reached, a.end, a.err = own.start, own.traced, &res, true, nil, own.end.err
}

// both tells two recorders, either of which may be nil.
func both(first, second runtime.Recorder) runtime.Recorder {
	switch {
	case first == nil:
		return second
	case second == nil:
		return first
	}
	return runtime.RecorderFunc(func(it *runtime.Iteration) error {
		if err := first.Record(it); err != nil {
			return err
		}
		return second.Record(it)
	})
}
