package dense_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	_ "github.com/sngdgen/sngdgen/internal/testseed"

	"github.com/sngdgen/sngdgen/runtime/dense"
)

func TestCholesky(t *testing.T) {
	forDims(t, func(t *testing.T, rng *rand.Rand, d int) {
		a, l := definite(rng, d), random(rng, d*d)
		var chol mat.Cholesky
		if !chol.Factorize(mat.NewSymDense(d, a)) || !dense.Cholesky(l, a, d) {
			t.Fatal("not positive definite")
		}
		var want mat.TriDense
		chol.LTo(&want)
		near(t, "Cholesky", l, product(&want))
		if got := dense.LogDet(l, d); math.Abs(got-chol.LogDet()) > 1e-12*float64(d) {
			t.Errorf("log det is %g instead of %g", got, chol.LogDet())
		}

		in := clone(a) // in place, and with rubbish where nothing may be read
		for i := range d {
			for j := i + 1; j < d; j++ {
				in[i*d+j] = math.NaN()
			}
		}
		if !dense.Cholesky(in, in, d) {
			t.Fatal("reads the upper triangle")
		}
		same(t, in, l)
	})
}

func same(t *testing.T, got, want []float64) {
	t.Helper()
	for i := range got {
		if got[i] != want[i] {
			t.Fatalf("[%d] is %g instead of %g", i, got[i], want[i])
		}
	}
}

// Every element of the lower triangle can spoil the factor.
func TestCholeskyRefuses(t *testing.T) {
	for _, d := range dims[:len(dims)-2] {
		rng := rand.New(rand.NewPCG(1, uint64(d)))
		a, l := definite(rng, d), make([]float64, d*d)
		refused := func(i, j int, v float64) {
			t.Helper()
			bad := clone(a)
			if bad[i*d+j] = v; dense.Cholesky(l, bad, d) {
				t.Errorf("d = %d: %g at (%d, %d) is taken for positive definite", d, v, i, j)
			}
		}
		for range 20 {
			i := rng.IntN(d)
			j := rng.IntN(i + 1)
			for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), -1e3} {
				refused(i, j, v)
			}
			refused(i, i, 0)
			refused(i, i, -1e-9)
		}
	}
}

func TestSolve(t *testing.T) {
	forSizes(t, func(t *testing.T, rng *rand.Rand, b, d int) {
		a, l, x := definite(rng, d), make([]float64, d*d), random(rng, b*d)
		if !dense.Cholesky(l, a, d) {
			t.Fatal("not positive definite")
		}
		rows := func(what string, solve func(x, l []float64, b, d int) []float64, one func(x, l []float64, d int) []float64, m []float64) {
			t.Helper()
			got := clone(x)
			solve(got, l, b, d)
			// The residual, not the solution: it is small whatever the condition.
			near(t, what, product(matrix(got, b, d), matrix(m, d, d).T()), x)
			first := clone(x[:d])
			one(first, l, d)
			near(t, what+" of one", first, got[:d])
		}
		rows("SolveLowerRows", dense.SolveLowerRows, dense.SolveLower, l)
		rows("SolveLowerTRows", dense.SolveLowerTRows, dense.SolveLowerT, product(matrix(l, d, d).T()))
		rows("SolveRows", dense.SolveRows, dense.Solve, a)
		got, want, solution := make([]float64, b), make([]float64, b), clone(x)
		for i := range b {
			one := dense.SolveLower(solution[i*d:(i+1)*d], l, d)
			want[i] = dense.Dot(one, one)
		}
		near(t, "RowsSquareOfSolve", dense.RowsSquareOfSolve(got, x, random(rng, b*d), l, b, d), want)
		if dense.RowsSquare(want, dense.SolveLowerRows(clone(x), l, b, d), b, d); !slices.Equal(got, want) {
			t.Errorf("squares of a solve are %v, of its result %v", got, want)
		}
	})
}

func TestInverse(t *testing.T) {
	forDims(t, func(t *testing.T, rng *rand.Rand, d int) {
		a, s, l, inv := definite(rng, d), definite(rng, d), make([]float64, d*d), random(rng, d*d)
		if !dense.Cholesky(l, a, d) {
			t.Fatal("not positive definite")
		}
		want := inverse(a, d)
		dense.InverseFromCholesky(inv, l, d)
		near(t, "InverseFromCholesky", inv, product(want))
		near(t, "TraceOfInverse", []float64{dense.TraceOfInverse(l, random(rng, d*d), d)}, []float64{mat.Trace(want)})
		symmetric(t, inv, d)

		diag, all := make([]float64, d), product(want, matrix(s, d, d))
		dense.DiagOfSolve(diag, l, s, inv, d)
		wantDiag := make([]float64, d)
		dense.DiagOf(wantDiag, all, d)
		near(t, "DiagOfSolve", diag, wantDiag)
		trace := 0.0
		for _, v := range wantDiag {
			trace += v
		}
		near(t, "TraceOfSolve", []float64{dense.TraceOfSolve(l, s, random(rng, d*d), d)}, []float64{trace})
	})
}

// The factor of a matrix made of a factor is that factor, on any scale, and solving undoes multiplying.
func TestFactorOfProduct(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.IntRange(1, 80).Draw(t, "d")
		b := rapid.IntRange(1, 20).Draw(t, "b")
		scale := math.Exp(rapid.Float64Range(-100, 100).Draw(t, "log scale"))
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		l := lower(random(rng, d*d), d)
		for i := range d {
			for j := range i {
				l[i*d+j] *= scale / float64(d)
			}
			l[i*d+i] = scale * (1 + rng.Float64())
		}
		a, got, inv := make([]float64, d*d), make([]float64, d*d), make([]float64, d*d)
		dense.MulNT(a, l, l, d, d, d)
		if !dense.Cholesky(got, a, d) {
			t.Fatal("not positive definite")
		}
		for i := range got {
			if !(math.Abs(got[i]-l[i]) <= 1e-12*scale) {
				t.Fatalf("factor: [%d] is %g instead of %g", i, got[i], l[i])
			}
		}
		x := random(rng, b*d)
		ax := make([]float64, b*d)
		dense.Mul(ax, x, a, b, d, d)
		dense.SolveRows(ax, got, b, d)
		dense.InverseFromCholesky(inv, got, d)
		one := make([]float64, d*d)
		dense.Mul(one, inv, a, d, d, d)
		for i := range d {
			one[i*d+i]--
		}
		for i := range x {
			if !(math.Abs(ax[i]-x[i]) <= 1e-11) {
				t.Fatalf("solve: [%d] is %g instead of %g", i, ax[i], x[i])
			}
		}
		for i := range one {
			if !(math.Abs(one[i]) <= 1e-11) {
				t.Fatalf("inverse: [%d] is off by %g", i, one[i])
			}
		}
	})
}

// TestSolveLowerHalf: the lower half of a solve, whatever lies above the diagonals.
func TestSolveLowerHalf(t *testing.T) {
	for _, d := range []int{0, 1, 3, 4, 15, 16, 17, 53, 64, 65, 130, 200} {
		rng := rand.New(rand.NewPCG(uint64(d), 3))
		l := make([]float64, d*d)
		dense.Cholesky(l, definite(rng, d), d)
		x := random(rng, d*d)
		want := dense.LowerHalf(dense.SolveLowerRows(clone(x), l, d, d), d)
		for i := range d {
			for j := i + 1; j < d; j++ {
				x[i*d+j], l[i*d+j] = math.NaN(), math.NaN()
			}
		}
		near(t, "SolveLowerHalf", dense.SolveLowerHalf(random(rng, d*d), x, l, d), want)
		near(t, "SolveLowerHalf in place", dense.SolveLowerHalf(x, x, l, d), want)
	}
}

// TestSolvesOfBothSides: a symmetric matrix between two solves, whatever lies above the diagonal of the factor, and symmetric to the last digit. The
// first of two keeps the trace of what the two together are with one solve less.
func TestSolvesOfBothSides(t *testing.T) {
	for _, d := range []int{0, 1, 3, 4, 15, 16, 17, 53, 64, 65, 130, 200} {
		rng := rand.New(rand.NewPCG(uint64(d), 4))
		l := make([]float64, d*d)
		dense.Cholesky(l, definite(rng, d), d)
		s := dense.Mirrored(make([]float64, d*d), random(rng, d*d), d)
		both := func(solve func(x, l []float64, b, d int) []float64) []float64 {
			half := solve(clone(s), l, d, d)
			return solve(dense.Transpose(make([]float64, d*d), half, d, d), l, d, d)
		}
		inner, outer := both(dense.SolveLowerRows), both(dense.SolveLowerTRows)
		trace := dense.Trace(dense.SolveRows(clone(s), l, d, d), d)
		half := dense.SolveLowerTRows(clone(s), l, d, d)
		for i := range d {
			for j := i + 1; j < d; j++ {
				l[i*d+j] = math.NaN()
			}
		}
		scratch, dst, x := random(rng, d*d), random(rng, d*d), clone(s)
		got := dense.SolveLowerBoth(clone(s), scratch, l, d)
		near(t, "SolveLowerBoth", got, inner)
		near(t, "its trace", []float64{dense.Trace(got, d)}, []float64{trace})
		near(t, "SolveLowerTBoth", dense.SolveLowerTBoth(dst, x, l, d), outer)
		near(t, "what it leaves", x, half)
		for i := range d {
			for j := range i {
				if got[i*d+j] != got[j*d+i] || dst[i*d+j] != dst[j*d+i] {
					t.Fatalf("d = %d: entry %d, %d is not symmetric", d, i, j)
				}
			}
		}
	}
}

// TestLowerTriangles: products and sums of which the lower triangle is wanted, and a trace that reads no more; what is above it stays.
func TestLowerTriangles(t *testing.T) {
	for _, d := range []int{0, 1, 3, 8, 9, 16, 53, 64, 65, 130} {
		rng := rand.New(rand.NewPCG(uint64(d), 5))
		a, b, u, v := random(rng, d*d), random(rng, d*d), random(rng, d), random(rng, d)
		product := dense.Mul(make([]float64, d*d), a, b, d, d, d)
		trace := 0.0
		lower := func(name string, got, before []float64, want func(i, j int) float64) {
			t.Helper()
			expected := clone(before)
			for i := range d {
				for j := range i + 1 {
					expected[i*d+j] = want(i, j)
				}
			}
			near(t, name, got, expected)
		}
		run := func(name string, f func(dst []float64), want func(i, j int) float64) {
			t.Helper()
			dst := random(rng, d*d)
			before := clone(dst)
			f(dst)
			lower(name, dst, before, want)
		}
		run("MulToLower", func(dst []float64) { dense.MulToLower(dst, a, b, d, d) }, func(i, j int) float64 { return product[i*d+j] })
		run("ClearLower", func(dst []float64) { dense.ClearLower(dst, d) }, func(i, j int) float64 { return 0 })
		run("LowerSum", func(dst []float64) { dense.LowerSum(dst, 0.3, a, -2, b, d) },
			func(i, j int) float64 { return 0.3*a[i*d+j] - 2*b[i*d+j] })
		run("LowerSymmetric", func(dst []float64) { dense.LowerSymmetric(dst, 0.3, a, -2, b, d) },
			func(i, j int) float64 { return 0.3*a[i*d+j] - 2*(b[i*d+j]+b[j*d+i]) })
		run("LowerRankTwo", func(dst []float64) { dense.LowerRankTwo(dst, 0.3, a, -2, u, v, d) },
			func(i, j int) float64 { return 0.3*a[i*d+j] - 2*(u[i]*v[j]+v[i]*u[j]) })
		// Mirrored ones have the bits of those in lower triangles.
		same := func(name string, lower, mirrored func(dst, a []float64)) {
			t.Helper()
			want := make([]float64, d*d)
			lower(want, a)
			for _, inPlace := range []bool{false, true} {
				got, from := random(rng, d*d), a
				if inPlace {
					copy(got, a)
					from = got
				}
				if mirrored(got, from); !slices.Equal(got, dense.Mirror(want, d)) {
					t.Errorf("%s, d = %d, in place %v: %v, not %v", name, d, inPlace, got, want)
				}
			}
		}
		same("MirroredSum", func(dst, a []float64) { dense.LowerSum(dst, 0.3, a, -2, b, d) },
			func(dst, a []float64) { dense.MirroredSum(dst, 0.3, a, -2, b, d) })
		same("MirroredSymmetric", func(dst, a []float64) { dense.LowerSymmetric(dst, 0.3, a, -2, b, d) },
			func(dst, a []float64) { dense.MirroredSymmetric(dst, 0.3, a, -2, b, d) })
		same("MirroredRankTwo", func(dst, a []float64) { dense.LowerRankTwo(dst, 0.3, a, -2, u, v, d) },
			func(dst, a []float64) { dense.MirroredRankTwo(dst, 0.3, a, -2, u, v, d) })
		run("LowerSumRankTwo", func(dst []float64) { dense.LowerSumRankTwo(dst, 0.3, a, -2, b, 0.7, u, v, d) },
			func(i, j int) float64 { return 0.3*a[i*d+j] - 2*b[i*d+j] + 0.7*(u[i]*v[j]+v[i]*u[j]) })
		twoCalls := func(dst, a []float64) {
			dense.LowerRankTwo(dense.LowerSum(dst, 0.3, a, -2, b, d), 1, dst, 0.7, u, v, d)
		}
		same("MirroredSumRankTwo", twoCalls, func(dst, a []float64) { dense.MirroredSumRankTwo(dst, 0.3, a, -2, b, 0.7, u, v, d) })
		same("LowerSumRankTwo", twoCalls, func(dst, a []float64) { dense.Mirror(dense.LowerSumRankTwo(dst, 0.3, a, -2, b, 0.7, u, v, d), d) })
		for i := range d {
			for j := range d {
				trace += a[max(i, j)*d+min(i, j)] * b[max(i, j)*d+min(i, j)]
			}
		}
		near(t, "SymmetricDot", []float64{dense.SymmetricDot(a, b, d)}, []float64{trace})
		sum := dense.ScaledSum(make([]float64, d*d), 0.3, a, -2, b)
		near(t, "ScaledSum", sum, plus(plus(make([]float64, d*d), 0.3, a), -2, b))
	}
}
