package dense_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/sngdgen/sngdgen/runtime/dense"
)

// TestNoAllocations runs everything on both sides of the sizes from which gonum's Dgemm and Dpotrf start goroutines.
func TestNoAllocations(t *testing.T) {
	for _, d := range []int{0, 1, 2, 8, 9, 64, 65, 128, 300} {
		for _, b := range []int{0, 1, 7, 100} {
			rng := rand.New(rand.NewPCG(uint64(b), uint64(d)))
			a := definite(rng, d)
			l, dst, scratch, square := make([]float64, d*d), make([]float64, d*d), make([]float64, d*d), random(rng, d*d)
			x, y, z, rows := random(rng, b*d), random(rng, b*d), make([]float64, b*d), random(rng, b)
			v, u := random(rng, d), random(rng, d)
			dense.Cholesky(l, a, d)
			free := func(name string, f func()) {
				t.Helper()
				if n := testing.AllocsPerRun(2, f); n != 0 {
					t.Errorf("%s, b = %d, d = %d: %g allocations", name, b, d, n)
				}
			}
			free("vectors", func() {
				dense.Axpy(v, dense.Dot(u, v), u)
				dense.Scale(v, 0.5, u)
				dense.Divide(v, dense.Plus(v, u, dense.Minus(v, v, u)), 1+dense.Sum(u))
				dense.AffineTimes(v, 2, 3, v, 1, u)
				dense.ScaledSum(v, 2, v, 3, u)
			})
			free("matrices and vectors", func() {
				dense.MulVec(rows, x, v, b, d)
				dense.SymmetricMulVec(u, square, v, d)
				dense.MulTVec(u, x, rows, b, d)
				dense.RowsDot(rows, x, y, b, d)
				dense.RowsSquare(rows, x, b, d)
				dense.Gather(y, x, []int{b - 1, 0}[:min(b, 2)], d)
				dense.ScaleRows(z, rows, x, b, d)
				dense.AddScaledRows(z, rows, x, b, d)
				dense.AddRowsOuter(z, rows, v, b, d)
				dense.LessRows(z, v, x, b, d)
				dense.RowsPlus(z, dense.RowsLess(z, x, v, b, d), u, b, d)
				dense.PlusOuter(z, x, 2, rows, v, b, d)
				dense.AddOuter(z, 0.1, rows, v, b, d)
				dense.AddSymmetricOuter(dst, 0.1, v, d)
				dense.AddSymmetricOuter(dst, 1, v, d)
			})
			free("products", func() {
				dense.Mul(z, x, a, b, d, d)
				dense.MulNT(z, x, a, b, d, d)
				dense.MulLower(dst, l, square, d, d)
				dense.MulToLower(dst, l, square, d, d)
				dense.MulNTLower(z, x, l, b, d)
				dense.MulLowers(dst, l, l, d)
			})
			free("sums over rows", func() {
				dense.AddWeightedGram(dst, rows, x, z, b, d)
				dense.AddWeightedGram(dst, nil, x, nil, b, d)
				dense.AddWeightedCross(dst, rows, x, y, z, b, d, d)
				dense.AddLowerCross(dst, rows, x, y, z, b, d)
			})
			free("factors", func() {
				dense.Cholesky(dst, a, d)
				dense.LogDet(dst, d)
				dense.InverseFromCholesky(dst, l, d)
				dense.DiagOfSolve(v, l, square, scratch, d)
				dense.TraceOfInverse(l, scratch, d)
				dense.TraceOfSolve(l, square, scratch, d)
			})
			free("solves", func() {
				dense.Solve(v, l, d)
				dense.SolveRows(y, l, b, d)
				dense.SolveLowerHalf(dst, square, l, d)
				dense.SolveLowerTBoth(dst, dense.SolveLowerBoth(square, scratch, l, d), l, d)
				dense.RowsSquareOfSolve(rows, x, y, l, b, d)
			})
			free("components", func() {
				dense.LogSumExp(rows, x, b, d)
				dense.Softmax(z, rows, x, b, d)
			})
			free("parts", func() {
				dense.Mirror(dense.ClearLower(dst, d), d)
				dense.Symmetrize(dst, d)
				dense.LowerHalf(dst, d)
				dense.Transpose(z, x, b, d)
				dense.DiagOf(v, dst, d)
				dense.AddToDiagonal(dst, dense.Trace(square, d), d)
				dense.Mirrored(dst, square, d)
				dense.MirroredScale(dst, 2, square, d)
				dense.MirroredPlusOuter(dst, square, 2, u, v, d)
				dense.LowerSum(dst, dense.SymmetricDot(square, dst, d), square, 3, square, d)
				dense.LowerSymmetric(dst, 2, dst, 3, square, d)
				dense.LowerRankTwo(dst, 2, dst, 3, u, v, d)
				dense.MirroredSumRankTwo(dst, 2, dense.LowerSumRankTwo(dst, 2, dst, 3, square, 1, u, v, d), 3, square, 1, u, v, d)
			})
		}
	}
}

func TestNoAllocationsAtLargeSizes(t *testing.T) {
	const d = 1000
	a, l := make([]float64, d*d), make([]float64, d*d)
	for i := range d {
		a[i*d+i] = 1
	}
	dense.AddSymmetricOuter(a, 0.5/d, random(rand.New(rand.NewPCG(1, d)), d), d)
	if n := testing.AllocsPerRun(1, func() { dense.Cholesky(l, a, d) }); n != 0 {
		t.Errorf("%g allocations", n)
	}
}

// Results do not depend on what ran before, on where slices lie in memory, or on how long they are.
func TestRepeatable(t *testing.T) {
	const b, d = 100, 67
	rng := rand.New(rand.NewPCG(5, 6))
	a, x, w := definite(rng, d), random(rng, b*d), random(rng, b)
	run := func(shift int) []float64 {
		at := func(x []float64) []float64 { return append(make([]float64, shift), append(clone(x), 7)...)[shift:] }
		l, y, g, v := at(a), at(x), at(a), at(w)
		dense.Cholesky(l, l, d)
		dense.SolveRows(y, l, b, d)
		dense.AddWeightedGram(g, v, y, at(x), b, d)
		dense.MulTVec(v, y, w, b, d)
		return append(append(clone(y[:b*d]), g[:d*d]...), v[:d]...)
	}
	want := run(0)
	for shift := 1; shift < 4; shift++ {
		same(t, run(shift), want)
	}
}

func ExampleCholesky() {
	a := []float64{4, 2, 2, 5}
	l := make([]float64, 4)
	x := []float64{8, 12}
	if dense.Cholesky(l, a, 2) {
		dense.Solve(x, l, 2)
	}
	fmt.Println(l, x)
	// Output: [2 0 1 2] [1 2]
}
