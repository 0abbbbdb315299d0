package estimate

import (
	"context"
	"errors"
	"math"

	"github.com/sngdgen/sngdgen/runtime"
)

// errReached ends a run that comes to an optimum where another has ended.
var errReached = errors.New("the run comes to an optimum that is known")

const (
	// reachedEvery is the number of steps between two looks whether a run comes to a known optimum, which take a loss each where it is near.
	reachedEvery = 4
	// reachedWithin is the difference in total log-likelihood from which on it is asked: runs take about half of their steps from there to their
	// last digits.
	reachedWithin = 0.01
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

// reachedGuard ends a run that comes to one of the known optima, and notes which. Nil where none is known.
func (a *attempt) reachedGuard(v *view, r *Settings, n float64) runtime.Recorder {
	if len(r.known) == 0 {
		return nil
	}
	at := make([]float64, len(v.z))
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
		return nil
	})
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
