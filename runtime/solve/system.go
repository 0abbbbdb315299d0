package solve

import "math"

// MaxUnknowns is the largest system that System solves.
const MaxUnknowns = 4

// System finds the minimum of a convex function by damped Newton steps: the root of its gradient F with Jacobian J
// (Nocedal and Wright 2006, section 3.3, with backtracking on the function).
//
//	s := solve.NewSystem(2)
//	s.X[0], s.X[1] = start...
//	for s.Next() {
//		s.Merit, s.F[0], ..., s.J[0][0], ... = at(s.X)
//		s.Step()
//	}
//	x := s.X // NaN when there is none
type System struct {
	X, F  [MaxUnknowns]float64
	J     [MaxUnknowns][MaxUnknowns]float64
	Merit float64

	n         int
	base      [MaxUnknowns]float64 // the last accepted point
	direction [MaxUnknowns]float64
	damping
}

// NewSystem returns a solver for n unknowns; the caller sets the start in X.
func NewSystem(n int) System { return System{n: n} }

// Next reports whether the system must be evaluated at X.
func (s *System) Next() bool { return !s.done }

// Step takes Merit, F and J at X, and moves X.
func (s *System) Step() {
	slope := 0.0
	for i := range s.n {
		slope += s.F[i] * s.direction[i]
	}
	switch s.judge(s.Merit, slope, s.finite()) {
	case accepted:
		s.base = s.X
		if !s.newton() {
			s.fail()
			return
		}
		s.full()
		s.move()
	case tooFar:
		s.move()
	case finished:
		s.X = s.base
	default:
		s.fail()
	}
}

func (s *System) finite() bool {
	sum := s.Merit
	for i := range s.n {
		sum += s.F[i]
		for j := range s.n {
			sum += s.J[i][j]
		}
	}
	return !math.IsNaN(sum) && !math.IsInf(sum, 0)
}

func (s *System) move() {
	for i := range s.n {
		s.X[i] = s.base[i] + s.scale*s.direction[i]
	}
}

func (s *System) fail() {
	for i := range s.n {
		s.X[i] = math.NaN()
	}
	s.done = true
}

// newton solves J d = -F by elimination with partial pivoting; false when J is singular.
func (s *System) newton() bool {
	a, b := s.J, s.F
	for k := range s.n {
		p := k
		for i := k + 1; i < s.n; i++ {
			if math.Abs(a[i][k]) > math.Abs(a[p][k]) {
				p = i
			}
		}
		a[k], a[p], b[k], b[p] = a[p], a[k], b[p], b[k]
		if a[k][k] == 0 {
			return false
		}
		for i := k + 1; i < s.n; i++ {
			f := a[i][k] / a[k][k]
			for j := k; j < s.n; j++ {
				a[i][j] -= f * a[k][j]
			}
			b[i] -= f * b[k]
		}
	}
	for k := s.n - 1; k >= 0; k-- {
		d := -b[k]
		for j := k + 1; j < s.n; j++ {
			d -= a[k][j] * s.direction[j]
		}
		s.direction[k] = d / a[k][k]
	}
	s.slope = 0
	for i := range s.n {
		s.slope += s.F[i] * s.direction[i]
	}
	return s.slope <= 0
}
