package general

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/optimize"
)

// flatSearch is a line search of gonum until the predicted change of the loss drowns in rounding. From there on it asks
// only the slopes, as in the approximate Wolfe conditions (Hager and Zhang, SIAM J. Optim. 16, 2005, equation 4.1). The
// searches of gonum compare losses to the end: they stop half the digits short, or, MoreThuente, not at all.
type flatSearch struct {
	inner  optimize.Linesearcher
	flat   bool
	trials int
	loss   float64 // at step 0
	slope  float64 // at step 0
	step   float64
	a, sa  float64 // the last step but one, and its slope
}

const both = optimize.FuncEvaluation | optimize.GradEvaluation

// Init starts a search from a loss f and a slope g.
func (s *flatSearch) Init(f, g, step float64) optimize.Operation {
	s.trials, s.loss, s.slope, s.step, s.a, s.sa = 0, f, g, step, 0, g
	s.flat = math.Abs(g*step) <= 1e-12*(1+math.Abs(f))
	if !s.flat {
		return s.inner.Init(f, g, step)
	}
	return both
}

// Iterate judges the step of the last call.
func (s *flatSearch) Iterate(f, g float64) (optimize.Operation, float64, error) {
	if !s.flat {
		return s.steep(f, g)
	}
	if s.trials++; s.trials > 20 {
		return optimize.NoOperation, s.step, optimize.ErrLinesearcherFailure
	}
	if !math.IsInf(f, 0) && math.Abs(g) <= 0.9*math.Abs(s.slope) {
		return optimize.MajorIteration, s.step, nil
	}
	next := s.step - g*(s.step-s.a)/(g-s.sa)
	if math.IsInf(f, 0) || !(next > 0.1*s.step) {
		next = 0.1 * s.step
	}
	s.a, s.sa, s.step = s.step, g, math.Min(next, 10*s.step)
	return both, s.step, nil
}

// steep leaves the judgement to gonum, except that a step to where the loss is undefined starts the search again at
// half of it: MoreThuente interpolates values and cannot use an infinite one.
func (s *flatSearch) steep(f, g float64) (op optimize.Operation, step float64, err error) {
	if math.IsInf(f, 1) {
		s.step /= 2
		return s.inner.Init(s.loss, s.slope, s.step), s.step, nil
	}
	op, step, err = s.inner.Iterate(f, g)
	s.step = step
	return op, step, err
}

// errStuck ends a search of gonum that has gone on for too long.
var errStuck = errors.New("general: the line search of gonum does not end")

// maxTrials is the number of evaluations between two iterations after which a search is stuck.
const maxTrials = 500
