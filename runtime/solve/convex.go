package solve

import "math"

// Convex finds the minimum of a convex function of a vector by damped Newton steps, as System does, with directions that
// the caller gives: solutions of H d = F with F the gradient and H the Hessian, which need not be formed.
//
//	s := solve.NewConvex(make([]float64, solve.ConvexVectors*n))
//	copy(s.X, start)
//	for s.Next() {
//		s.Merit, s.F, s.D = at(s.X)
//		s.Step()
//	}
//	x := s.X // NaN when there is none
type Convex struct {
	X, F, D []float64 // the point to evaluate, the gradient there, and the solution of H D = F
	Merit   float64

	base, direction []float64 // the last accepted point, and D there
	damping
}

// ConvexVectors is how many vectors as long as the unknown make the memory of Convex.
const ConvexVectors = 5

// NewConvex returns a solver that works in the given memory; the caller sets the start in X.
func NewConvex(memory []float64) Convex {
	n := len(memory) / ConvexVectors
	return Convex{
		X: part(memory, n, 0), F: part(memory, n, 1), D: part(memory, n, 2),
		base: part(memory, n, 3), direction: part(memory, n, 4),
	}
}

// Next reports whether the function must be evaluated at X.
func (s *Convex) Next() bool { return !s.done }

// Step takes Merit, F and D at X, and moves X. Where D does not point downhill nothing can be told from it, as where
// something is not a number.
func (s *Convex) Step() {
	downhill := dot(s.F, s.D)
	switch s.judge(s.Merit, -dot(s.F, s.direction), s.finite() && (downhill >= 0 || negligible(downhill, s.Merit))) {
	case accepted:
		copy(s.base, s.X)
		copy(s.direction, s.D)
		s.slope = -math.Max(downhill, 0)
		s.full()
		s.move()
	case tooFar:
		s.move()
	case finished:
		copy(s.X, s.base)
	default:
		spoil(s.X)
	}
}

func (s *Convex) finite() bool {
	sum := s.Merit
	for i, f := range s.F {
		sum += f + s.D[i]
	}
	return !math.IsNaN(sum) && !math.IsInf(sum, 0)
}

func (s *Convex) move() {
	for i, b := range s.base {
		s.X[i] = b - s.scale*s.direction[i]
	}
}

// spoil makes every entry NaN.
func spoil(x []float64) {
	for i := range x {
		x[i] = math.NaN()
	}
}

// part is vector i of a memory of vectors of length n.
func part(memory []float64, n, i int) []float64 { return memory[i*n : (i+1)*n] }

func dot(x, y []float64) float64 {
	sum := 0.0
	for i, v := range x {
		sum += v * y[i]
	}
	return sum
}
