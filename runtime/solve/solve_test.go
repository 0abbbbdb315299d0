package solve_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/sngdgen/sngdgen/internal/testseed"

	"github.com/sngdgen/sngdgen/runtime/solve"
)

func TestScalarFindsRootsFromAnyStart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		root := math.Exp(rapid.Float64Range(-200, 200).Draw(t, "log root"))
		start := math.Exp(rapid.Float64Range(-300, 300).Draw(t, "log start"))
		s := solve.NewScalar(start, 0, math.Inf(1))
		evaluations := 0
		for s.Next() {
			s.Step(math.Log(s.X)-math.Log(root), 1/s.X)
			evaluations++
		}
		if !(math.Abs(s.X-root) <= 1e-13*root*(1+math.Abs(math.Log(root)))) {
			t.Fatalf("root %g, found %g from %g after %d evaluations", root, s.X, start, evaluations)
		}
	})
}

// Newton's method alone needs a step for each unit of the start here.
func TestScalarFindsRootsOfExponentials(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		root := math.Exp(rapid.Float64Range(-20, 6).Draw(t, "log root"))
		start := math.Exp(rapid.Float64Range(-30, 6.5).Draw(t, "log start"))
		want := root * math.Exp(root)
		s := solve.NewScalar(start, 0, math.Inf(1))
		evaluations := 0
		for s.Next() {
			s.Step(s.X*math.Exp(s.X)-want, (1+s.X)*math.Exp(s.X))
			evaluations++
		}
		if !(math.Abs(s.X-root) <= 1e-13*root) || evaluations > 60 {
			t.Fatalf("root %g, found %g from %g after %d evaluations", root, s.X, start, evaluations)
		}
	})
}

// The minimum of lgamma-free parts of a log-partition, -log(-y) - y m, on any scale of m.
func TestSystemOnAnyScale(t *testing.T) {
	for _, m := range []float64{1e-30, 1e-12, 1, 1e12, 1e30} {
		s := solve.NewSystem(1)
		s.X[0] = -1
		evaluations := 0
		for s.Next() {
			y := s.X[0]
			s.Merit, s.F[0], s.J[0][0] = -math.Log(-y)-y*m, -1/y-m, 1/(y*y)
			s.Step()
			evaluations++
		}
		if !(math.Abs(s.X[0]*m+1) <= 1e-14) || evaluations > 150 {
			t.Errorf("m = %g: found %g after %d evaluations", m, s.X[0], evaluations)
		}
	}
}

func TestScalarWithoutRoot(t *testing.T) {
	s := solve.NewScalar(1, 0, math.Inf(1))
	evaluations := 0
	for s.Next() {
		s.Step(1+s.X, 1)
		evaluations++
	}
	if !math.IsNaN(s.X) || evaluations > 300 {
		t.Fatalf("found %g after %d evaluations, want NaN soon", s.X, evaluations)
	}
}

// The convex function exp(x) + exp(-2 y) + (x + y)^2/2 - a x - b y.
func TestSystemFindsMinimum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x0, y0 := rapid.Float64Range(-5, 5).Draw(t, "x"), rapid.Float64Range(-5, 5).Draw(t, "y")
		a, b := math.Exp(x0)+x0+y0, -2*math.Exp(-2*y0)+x0+y0
		s := solve.NewSystem(2)
		s.X[0] = rapid.Float64Range(-20, 20).Draw(t, "start x")
		s.X[1] = rapid.Float64Range(-20, 20).Draw(t, "start y")
		for s.Next() {
			x, y := s.X[0], s.X[1]
			s.Merit = math.Exp(x) + math.Exp(-2*y) + (x+y)*(x+y)/2 - a*x - b*y
			s.F[0], s.F[1] = math.Exp(x)+x+y-a, -2*math.Exp(-2*y)+x+y-b
			s.J[0][0], s.J[0][1], s.J[1][0], s.J[1][1] = math.Exp(x)+1, 1, 1, 4*math.Exp(-2*y)+1
			s.Step()
		}
		if !(math.Abs(s.X[0]-x0)+math.Abs(s.X[1]-y0) <= 1e-9*(1+math.Exp(2*math.Abs(y0))*1e-6)) {
			t.Fatalf("minimum (%g, %g), found (%g, %g)", x0, y0, s.X[0], s.X[1])
		}
	})
}

func TestNoAllocation(t *testing.T) {
	allocs := testing.AllocsPerRun(100, func() {
		s := solve.NewScalar(2, 0, math.Inf(1))
		for s.Next() {
			s.Step(s.X*s.X-2, 2*s.X)
		}
	})
	if allocs != 0 {
		t.Fatalf("%g allocations", allocs)
	}
}
