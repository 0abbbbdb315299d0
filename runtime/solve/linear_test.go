package solve_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/sngdgen/sngdgen/runtime/solve"
)

// conjugate solves H x = b with a preconditioner, and counts the products.
func conjugate(h mat.Symmetric, b, diagonal []float64) (x []float64, products int) {
	n := len(b)
	s := solve.NewConjugate(make([]float64, solve.ConjugateVectors*n))
	copy(s.R, b)
	copy(s.D, diagonal)
	for s.Next() {
		mat.NewVecDense(n, s.Q).MulVec(h, mat.NewVecDense(n, s.P))
		s.Step()
		products++
	}
	return s.X, products
}

func vector(t *rapid.T, name string, n int, lo, hi float64) []float64 {
	return rapid.SliceOfN(rapid.Float64Range(lo, hi), n, n).Draw(t, name)
}

// A diagonal over twelve decades less a matrix of rank one: two products are enough, and a third for what rounding leaves;
// the formula of Sherman and Morrison gives the solution.
func TestConjugateOfDiagonalAndRankOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 40).Draw(t, "n")
		d, b := vector(t, "log d", n, -14, 14), vector(t, "b", n, -1, 1)
		inverses := 0.0
		for i := range d {
			d[i] = math.Exp(d[i])
			inverses += 1 / d[i]
		}
		c := rapid.Float64Range(-1, 0.99).Draw(t, "c") / inverses
		h := mat.NewSymDense(n, nil)
		sum := 0.0
		for i := range n {
			for j := i; j < n; j++ {
				h.SetSym(i, j, -c)
			}
			h.SetSym(i, i, d[i]-c)
			sum += b[i] / d[i]
		}
		x, products := conjugate(h, b, d)
		scale := 0.0
		for _, v := range x {
			scale = math.Max(scale, math.Abs(v))
		}
		for i, v := range x {
			want := (b[i] + c*sum/(1-c*inverses)) / d[i]
			if !(math.Abs(v-want) <= 1e-10*math.Max(math.Abs(want), scale*1e-3)) {
				t.Fatalf("x[%d] = %v, want %v", i, v, want)
			}
		}
		if products > 6 {
			t.Fatalf("%d products", products)
		}
	})
}

// A dense matrix, without a preconditioner, against gonum.
func TestConjugateOfDenseMatrix(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(t, "n")
		a := mat.NewDense(n, n, vector(t, "a", n*n, -1, 1))
		h := mat.NewSymDense(n, nil)
		h.SymOuterK(1, a)
		for i := range n {
			h.SetSym(i, i, h.At(i, i)+0.5)
		}
		b := vector(t, "b", n, -1, 1)
		x, products := conjugate(h, b, make([]float64, n))
		var want mat.VecDense
		if err := want.SolveVec(h, mat.NewVecDense(n, b)); err != nil {
			t.Fatal(err)
		}
		for i, v := range x {
			if !(math.Abs(v-want.AtVec(i)) <= 1e-11*(1+mat.Norm(&want, 2))) {
				t.Fatalf("x[%d] = %v, want %v after %d products", i, v, want.AtVec(i), products)
			}
		}
	})
}

func TestConjugateWithoutSolution(t *testing.T) {
	indefinite := mat.NewSymDense(2, []float64{-1, 0, 0, 1})
	rights := map[string][]float64{"indefinite": {1, 0}, "not a number": {math.NaN(), 1}, "infinite": {math.Inf(1), 1}}
	for name, b := range rights {
		if x, products := conjugate(indefinite, b, []float64{1, 1}); !math.IsNaN(x[0]) || products > 10 {
			t.Errorf("%s: %v after %d products, want NaN soon", name, x, products)
		}
	}
	if x, products := conjugate(indefinite, []float64{0, 0}, []float64{1, 1}); x[0] != 0 || x[1] != 0 || products != 0 {
		t.Errorf("of 0: %v after %d products", x, products)
	}
}

// convex minimises (sum_i x_i)^2/2 - sum_i log(x_i) - m.x, whose Hessian is a diagonal plus a matrix of ones.
func convex(start, m []float64) (x []float64, evaluations int) {
	s := solve.NewConvex(make([]float64, solve.ConvexVectors*len(m)))
	copy(s.X, start)
	for s.Next() {
		sum, inverses, right := 0.0, 1.0, 0.0
		for _, x := range s.X {
			sum += x
		}
		s.Merit = sum * sum / 2
		for i, x := range s.X {
			s.Merit -= math.Log(x) + m[i]*x
			s.F[i] = sum - 1/x - m[i]
			inverses += x * x
			right += s.F[i] * x * x
		}
		for i, x := range s.X {
			s.D[i] = (s.F[i] - right/inverses) * x * x
		}
		s.Step()
		evaluations++
	}
	return s.X, evaluations
}

func TestConvexFindsMinimum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 20).Draw(t, "n")
		want, start := vector(t, "log minimum", n, -3, 3), vector(t, "log start", n, -6, 6)
		m, sum := make([]float64, n), 0.0
		for i := range want {
			want[i], start[i] = math.Exp(want[i]), math.Exp(start[i])
			sum += want[i]
		}
		for i, x := range want {
			m[i] = sum - 1/x
		}
		x, evaluations := convex(start, m)
		for i := range x {
			if !(math.Abs(x[i]-want[i]) <= 1e-9*want[i]) {
				t.Fatalf("x[%d] = %v, want %v after %d evaluations", i, x[i], want[i], evaluations)
			}
		}
	})
}

// The convex function -log(x) - m x has a minimum for m < 0 only.
func TestConvexWithoutMinimum(t *testing.T) {
	for _, m := range []float64{0, 1, math.NaN(), -1} {
		s := solve.NewConvex(make([]float64, solve.ConvexVectors))
		s.X[0] = 1
		evaluations := 0
		for s.Next() {
			x := s.X[0]
			s.Merit, s.F[0] = -math.Log(x)-m*x, -1/x-m
			s.D[0] = s.F[0] * x * x
			s.Step()
			evaluations++
		}
		if found := s.X[0] == 1; found != (m == -1) || !found && !math.IsNaN(s.X[0]) || evaluations > 600 {
			t.Errorf("m = %v: %v after %d evaluations", m, s.X[0], evaluations)
		}
	}
}

func TestNoAllocationInVectors(t *testing.T) {
	memory, other := make([]float64, solve.ConvexVectors*3), make([]float64, solve.ConjugateVectors*3)
	allocs := testing.AllocsPerRun(100, func() {
		s := solve.NewConvex(memory)
		clear(s.X)
		for s.Next() {
			s.Merit = 0
			l := solve.NewConjugate(other)
			for i, x := range s.X {
				e := math.Exp(x)
				s.Merit += e - x*float64(i+1)
				s.F[i] = e - float64(i+1)
				l.R[i], l.D[i] = s.F[i], 1
			}
			for l.Next() {
				for i, p := range l.P {
					l.Q[i] = p * math.Exp(s.X[i])
				}
				l.Step()
			}
			copy(s.D, l.X)
			s.Step()
		}
		if !(math.Abs(s.X[2]-math.Log(3)) < 1e-12) {
			t.Fatalf("found %v", s.X)
		}
	})
	if allocs != 0 {
		t.Fatalf("%g allocations", allocs)
	}
}
