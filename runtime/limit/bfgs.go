package limit

import (
	"context"
	"math"

	"github.com/sngdgen/sngdgen/runtime/dense"
)

// objective is a function with its gradient, which may have kinks; NaN outside its domain.
type objective interface {
	Dim() int
	Gradient(g, u []float64) float64
}

// search minimises an objective by BFGS with a weak Wolfe line search, which also serves functions with kinks: it needs no
// subgradient but that of the points it visits, and the inverse Hessian learns the directions across which there is a kink
// (Lewis and Overton, Nonsmooth optimization via quasi-Newton methods, Math. Program. 141, 2013, sections 2 to 4). It is
// reused for all starts.
type search struct {
	f                objective
	u, g             []float64 // where it is
	trial, gradient  []float64
	direction, s, hy []float64
	h                []float64 // inverse Hessian, row by row
	scale            []float64 // standard deviations that the coordinates have among the starts
	evaluations      int
	ended            bool // whether the last run came to an end with fewer steps than it may take
	// A search is abandoned where it would not come to the value to beat, which is NaN where there is none, or crawls; patience is the number of
	// evaluations before the former is asked.
	beat      float64
	patience  int
	abandoned bool
	beaten    bool // whether it ends where it is below that value
}

func newSearch(f objective, scale []float64) *search {
	n := f.Dim()
	vector := func() []float64 { return make([]float64, n) }
	return &search{f: f, u: vector(), g: vector(), trial: vector(), gradient: vector(), direction: vector(), s: vector(),
		hy: vector(), h: make([]float64, n*n), scale: scale, beat: math.NaN()}
}

const (
	decrease  = 1e-4
	curvature = 0.9 // c1 < c2 < 1, section 2.2
)

// effort is how hard a search tries.
type effort struct {
	iterations int     // of BFGS
	trials     int     // of a line search, which halves steps
	tolerance  float64 // relative decrease that several steps in a row must not exceed for the search to end
}

var (
	rough = effort{iterations: 300, trials: 25, tolerance: 1e-10}
	fine  = effort{iterations: 1000, trials: 60, tolerance: 1e-15}
)

// flatSteps are the steps in a row without a decrease that counts.
const flatSteps = 5

// from takes the search to a start, and returns the value there; NaN outside the domain.
func (s *search) from(u []float64) float64 {
	s.abandoned = false
	copy(s.u, u)
	return s.at(s.u, s.g)
}

// A search that takes all steps of a round, and gains less by them than this part of the value, crawls: along a ridge to infinity, where there may be no end.
const (
	crawl      = 1e-7
	mostRounds = 30
)

// polish goes on from where the search is, with the value f there, to a point where no descent is left that floating point
// shows. A kink makes the metric singular across it, which may stop a search too early: so it starts again with the first
// metric, until that gains nothing. A search that crawls is abandoned.
func (s *search) polish(ctx context.Context, f float64) (float64, error) {
	for range mostRounds {
		before := f
		var err error
		if f, err = s.run(ctx, f, fine); err != nil || s.abandoned || s.beats(f) || !(before-f > 1e-13*(1+math.Abs(f))) {
			return f, err
		}
		if !s.ended && before-f < crawl*(1+math.Abs(f)) {
			break
		}
	}
	s.abandoned = true
	return f, nil
}

// run is BFGS from where the search is, with the value f there. It notes whether it came to an end with fewer steps than it may take.
func (s *search) run(ctx context.Context, f float64, e effort) (float64, error) {
	s.reset()
	s.ended = true
	flat, before, decrease := 0, f, math.NaN()
	for i := range e.iterations {
		if ctx.Err() != nil {
			return f, context.Cause(ctx)
		}
		dense.MulVec(s.direction, s.h, s.g, len(s.u), len(s.u))
		dense.Scale(s.direction, -1, s.direction)
		slope := dense.Dot(s.direction, s.g)
		if !(slope < 0) {
			return f, nil
		}
		next, ok := s.lineSearch(f, slope, e.trials)
		if !ok {
			return f, nil
		}
		s.update()
		if flat++; f-next > e.tolerance*(1+math.Abs(f)) {
			flat = 0
		}
		if f = next; flat == flatSteps || s.beats(f) {
			return f, nil
		}
		if (i+1)%stretch == 0 {
			if s.abandoned = s.hopeless(f, before-f, decrease); s.abandoned {
				return f, nil
			}
			before, decrease = f, before-f
		}
	}
	s.ended = false
	return f, nil
}

// stretch is the number of steps whose decrease says how fast a search is.
const stretch = 20

// The value to beat is out of reach where it is more than farAway steps away at the pace of the last stretch; where that pace has fallen to less than slowing of
// that of the stretch before, more than slowingAway steps: 0.9 for each stretch to come would lead less far.
const (
	farAway     = 1000
	slowing     = 0.7
	slowingAway = 200
)

// hopeless reports whether the value to beat is out of reach, from the value f after a stretch with a decrease, and the decrease of the stretch before, NaN where there
// was none. Of a search that ends near it the end says which of the two is better.
func (s *search) hopeless(f, decrease, before float64) bool {
	steps := float64(farAway)
	if decrease < slowing*before {
		steps = slowingAway
	}
	return s.evaluations > s.patience && f-s.beat > max(near*(1+math.Abs(f)), steps/stretch*decrease)
}

// beats reports whether no more is asked than a value as low as this one.
func (s *search) beats(f float64) bool { return s.beaten && f < s.beat }

// reset makes the inverse Hessian that of coordinates with unit scales.
func (s *search) reset() {
	n := len(s.u)
	clear(s.h)
	for i := range n {
		s.h[i*n+i] = s.scale[i] * s.scale[i]
	}
}

func (s *search) at(u, g []float64) float64 {
	s.evaluations++
	return s.f.Gradient(g, u)
}

// lineSearch finds a step that satisfies the weak Wolfe conditions by bisection and doubling (algorithm 2.6), and leaves the
// point and its gradient in trial and gradient. It reports whether there is a decrease.
func (s *search) lineSearch(f, slope float64, trials int) (float64, bool) {
	low, high, step := 0.0, math.Inf(1), 1.0
	for range trials {
		copy(s.trial, s.u)
		dense.Axpy(s.trial, step, s.direction)
		next := s.at(s.trial, s.gradient)
		switch {
		case !(next <= f+decrease*step*slope): // NaN too
			high = step
		case dense.Dot(s.gradient, s.direction) < curvature*slope:
			low = step
		default:
			return next, true
		}
		if step = 2 * low; !math.IsInf(high, 1) {
			step = (low + high) / 2
		}
	}
	if low == 0 {
		return f, false
	}
	copy(s.trial, s.u) // it decreases for as far as one looks
	dense.Axpy(s.trial, low, s.direction)
	next := s.at(s.trial, s.gradient)
	return next, next < f
}

// update moves to the trial point and updates the inverse Hessian (equation 2.3): with y the change of the gradient, s that
// of the point and r = 1/(s'y), H becomes (I - r s y') H (I - r y s') + r s s'.
func (s *search) update() {
	n := len(s.u)
	for i := range n {
		s.s[i] = s.trial[i] - s.u[i]
		s.direction[i] = s.gradient[i] - s.g[i] // y
	}
	copy(s.u, s.trial)
	copy(s.g, s.gradient)
	y := s.direction
	sy := dense.Dot(s.s, y)
	if !(sy > 0) {
		return
	}
	dense.MulVec(s.hy, s.h, y, n, n)
	r := 1 / sy
	a := r * (1 + r*dense.Dot(y, s.hy))
	for i := range n {
		for j := range n {
			s.h[i*n+j] += a*s.s[i]*s.s[j] - r*(s.hy[i]*s.s[j]+s.s[i]*s.hy[j])
		}
	}
}
