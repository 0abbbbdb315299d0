package solve

import "math"

// Conjugate solves H x = b for a symmetric positive definite H, given by its products, by conjugate gradients with a
// diagonal preconditioner (Nocedal and Wright 2006, algorithm 5.3). A preconditioner that differs from H by a matrix of
// rank r makes it end after r + 1 products: of a diagonal matrix plus one of rank one it is as good as the formula of
// Sherman and Morrison.
//
//	s := solve.NewConjugate(make([]float64, solve.ConjugateVectors*n))
//	copy(s.R, b)
//	copy(s.D, diagonal)
//	for s.Next() {
//		s.Q = H * s.P
//		s.Step()
//	}
//	x := s.X // NaN where H is not positive definite
type Conjugate struct {
	X []float64 // the solution
	R []float64 // the residual: before the first step, b
	D []float64 // the diagonal of the preconditioner; an entry that is not positive counts as 1
	P []float64 // the direction whose product with H is asked for
	Q []float64 // H P

	unit        float64 // the largest entry of b, in which everything is measured: squares do not underflow
	size, first float64 // R'inv(D)R: now, and at the start
	steps       int
	started     bool
	done        bool
}

// ConjugateVectors is how many vectors as long as the unknown make the memory of Conjugate.
const ConjugateVectors = 5

// NewConjugate returns a solver that works in the given memory.
func NewConjugate(memory []float64) Conjugate {
	n := len(memory) / ConjugateVectors
	return Conjugate{
		X: part(memory, n, 0), R: part(memory, n, 1), D: part(memory, n, 2), P: part(memory, n, 3), Q: part(memory, n, 4),
	}
}

// Next reports whether the product of H with P is needed.
func (s *Conjugate) Next() bool {
	if !s.started {
		s.start()
	}
	return !s.done
}

func (s *Conjugate) start() {
	s.started = true
	clear(s.X)
	clear(s.P)
	for i, d := range s.D {
		if !(d > 0) || math.IsInf(d, 0) {
			s.D[i] = 1
		}
		s.unit = math.Max(s.unit, math.Abs(s.R[i])) // NaN when one is
	}
	if s.done = s.unit == 0; s.done {
		return
	}
	for i := range s.R {
		s.R[i] /= s.unit
	}
	s.turn()
	s.first = s.size
	s.finish()
}

// turn makes P the next direction, the preconditioned residual plus a multiple of the last one.
func (s *Conjugate) turn() {
	size, keep := 0.0, 0.0
	for i, r := range s.R {
		size += r * r / s.D[i]
	}
	if s.size > 0 {
		keep = size / s.size
	}
	for i, r := range s.R {
		s.P[i] = r/s.D[i] + keep*s.P[i]
	}
	s.size = size
}

// small is the square of the relative size of a residual that is rounding: the right-hand side is not known better.
const small = 1e-32

// Step takes Q = H P.
func (s *Conjugate) Step() {
	s.steps++
	curvature := dot(s.P, s.Q)
	if !(curvature > 0) { // a direction of rounding, unless it is the first
		s.end(s.steps == 1 || math.IsNaN(curvature))
		return
	}
	length := s.size / curvature
	for i, p := range s.P {
		s.X[i] += length * p
		s.R[i] -= length * s.Q[i]
	}
	s.turn()
	s.finish()
}

// finish ends the iteration when the residual is rounding, or cannot become so any more.
func (s *Conjugate) finish() {
	failed := math.IsNaN(s.size) || math.IsInf(s.size, 0)
	if failed || s.size <= small*s.first || s.steps >= 2*len(s.X)+10 {
		s.end(failed)
	}
}

func (s *Conjugate) end(failed bool) {
	s.done = true
	if failed {
		spoil(s.X)
	}
	for i := range s.X {
		s.X[i] *= s.unit
	}
}
