// Package solve finds roots for generated code by reverse communication: the caller evaluates the equation at X and
// reports value and slope, the solver chooses the next X. So no closure is made and nothing is allocated.
package solve

import "math"

// Scalar finds the root of one equation f(x) = 0 on an open interval where f has one root: Newton's method, kept inside
// the interval and, once two points of opposite sign are known, between them (Press et al. 2007, Numerical Recipes,
// section 9.4).
//
//	s := solve.NewScalar(start, 0, math.Inf(1))
//	for s.Next() {
//		s.Step(f(s.X), slope(s.X))
//	}
//	root := s.X // NaN when there is none
type Scalar struct {
	X        float64 // the point to evaluate; after the loop, the root
	lo, hi   float64 // ends of the domain
	neg, pos float64 // points where f was negative and positive; NaN while unknown
	move     float64 // length of the last step
	done     bool
	steps    int
}

const (
	maxSteps = 200
	// quadratic is the relative size of a Newton step below which the next one would be lost in rounding: the error
	// after a step is of the order of its square.
	quadratic = 1e-8
	// patience is how many steps may fail to shrink before they are no longer taken for Newton's method at its best.
	patience = 10
)

// NewScalar starts at x when that lies inside the interval, otherwise at a point in the middle of it.
func NewScalar(x, lo, hi float64) Scalar {
	if !(x > lo && x < hi) { // which no infinity is
		x = middle(lo, hi)
	}
	return Scalar{X: x, lo: lo, hi: hi, neg: math.NaN(), pos: math.NaN()}
}

// middle is a point inside an interval, on the scale of numbers around 1 where an end is infinite.
func middle(lo, hi float64) float64 {
	switch {
	case math.IsInf(lo, -1) && math.IsInf(hi, 1):
		return 0
	case math.IsInf(hi, 1):
		return lo + 1
	case math.IsInf(lo, -1):
		return hi - 1
	}
	return lo + (hi-lo)/2
}

// Next reports whether the equation must be evaluated at X.
func (s *Scalar) Next() bool { return !s.done }

// Step takes the value and the slope of the equation at X, and moves X.
func (s *Scalar) Step(f, slope float64) {
	s.steps++
	switch {
	case f == 0:
		s.done = true
		return
	case math.IsNaN(f) || s.steps > maxSteps:
		s.fail()
		return
	case f < 0:
		s.neg = s.X
	default:
		s.pos = s.X
	}
	next := s.X - f/slope
	if next == s.X && !math.IsInf(slope, 0) {
		s.done = true
		return
	}
	newton := s.inside(next)
	switch {
	case !newton:
		next = s.fallback(f, slope)
	case s.steps > patience && math.Abs(next-s.X) > s.move/2:
		newton, next = false, s.hurry(next, f, slope)
	}
	s.move = math.Abs(next - s.X)
	if next == s.X {
		s.done = true
		return
	}
	relative := math.Abs(next-s.X) / max(math.Abs(next), math.Abs(s.X))
	s.X = next
	switch {
	case newton && relative < quadratic, relative < 2e-16:
		s.done = true
	case s.X <= s.lo || s.X >= s.hi || math.IsInf(s.X, 0) || math.Abs(s.X) < 1e-300 && s.lo == 0:
		s.fail() // the end of the domain: no change of sign on the way
	}
}

func (s *Scalar) fail() { s.X, s.done = math.NaN(), true }

// inside reports whether a Newton step may be taken: inside the domain, and between the bracketing points if known.
func (s *Scalar) inside(x float64) bool {
	if !(x > s.lo && x < s.hi) {
		return false
	}
	if math.IsNaN(s.neg) || math.IsNaN(s.pos) {
		return true
	}
	return x > min(s.neg, s.pos) && x < max(s.neg, s.pos)
}

// hurry replaces a Newton step that is not much shorter than the last step, as when f grows exponentially and each step
// is about 1: the bracket is halved, or without one the step is lengthened, ever more, until the root is passed.
func (s *Scalar) hurry(next, f, slope float64) float64 {
	if !math.IsNaN(s.neg) && !math.IsNaN(s.pos) {
		return between(s.neg, s.pos)
	}
	if far := s.X + (next-s.X)*math.Ldexp(1, min(s.steps-patience, 1000)); s.inside(far) {
		return far
	}
	return s.fallback(f, slope)
}

// fallback halves the bracket, or without one goes towards the side to which the slope points, ever faster.
func (s *Scalar) fallback(f, slope float64) float64 {
	if !math.IsNaN(s.neg) && !math.IsNaN(s.pos) {
		return between(s.neg, s.pos)
	}
	up := f < 0 == (slope > 0)
	end := s.lo
	if up {
		end = s.hi
	}
	return towards(s.X, end, s.steps)
}

// between is the middle of two points: the geometric one where both have one sign and differ much.
func between(a, b float64) float64 {
	if a*b > 0 && (a/b > 4 || b/a > 4) {
		return math.Copysign(math.Sqrt(math.Abs(a))*math.Sqrt(math.Abs(b)), a)
	}
	return a + (b-a)/2
}

// towards moves from x towards an end of the domain: a fraction of the way to a finite end, by growing factors to an
// infinite one.
func towards(x, end float64, step int) float64 {
	factor := math.Ldexp(1, min(1<<min(step, 9), 600))
	if !math.IsInf(end, 0) {
		return end + (x-end)/factor
	}
	return x + math.Copysign(max(math.Abs(x), 1)*factor, end)
}
