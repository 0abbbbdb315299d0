package dense_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"
	lapack "gonum.org/v1/gonum/lapack/gonum"

	"github.com/sngdgen/sngdgen/runtime/dense"
)

// shapes are what steps work on: rows of a block or of a batch, and the dimension.
var shapes = [][2]int{
	{256, 1}, {256, 2}, {256, 3}, {256, 5}, {256, 8}, {256, 10}, {256, 20}, {256, 43}, {100, 100}, {100, 300}, {100, 1000},
}

var bare gonum.Implementation

// against runs a function and the plain call of gonum that does the same, and reports the rate of floating-point
// operations.
func against(b *testing.B, rows, d int, flops float64, ours, gonums func()) {
	for _, f := range []struct {
		name string
		run  func()
	}{{"dense", ours}, {"gonum", gonums}} {
		b.Run(fmt.Sprintf("%dx%d/%s", rows, d, f.name), func(b *testing.B) {
			for b.Loop() {
				f.run()
			}
			b.ReportMetric(flops*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
		})
	}
}

func forShapes(f func(rng *rand.Rand, b, d int)) {
	for _, s := range shapes {
		f(rand.New(rand.NewPCG(2, 3)), s[0], s[1])
	}
}

func BenchmarkAddMulTVec(b *testing.B) {
	forShapes(func(rng *rand.Rand, n, d int) {
		x, w, dst := random(rng, n*d), random(rng, n), make([]float64, d)
		against(b, n, d, 2*float64(n*d), func() { dense.AddMulTVec(dst, 1e-3, x, w, n, d) },
			func() { bare.Dgemv(blas.Trans, n, d, 1e-3, x, d, w, 1, 1, dst, 1) })
	})
}

func BenchmarkAddMulVec(b *testing.B) {
	forShapes(func(rng *rand.Rand, n, d int) {
		x, w, dst := random(rng, n*d), random(rng, d), make([]float64, n)
		against(b, n, d, 2*float64(n*d), func() { dense.AddMulVec(dst, 1e-3, x, w, n, d) },
			func() { bare.Dgemv(blas.NoTrans, n, d, 1e-3, x, d, w, 1, 1, dst, 1) })
	})
}

func BenchmarkRowsSquare(b *testing.B) {
	forShapes(func(rng *rand.Rand, n, d int) {
		x, dst := random(rng, n*d), make([]float64, n)
		against(b, n, d, 2*float64(n*d), func() { dense.RowsSquare(dst, x, n, d) }, func() {
			for i := range dst {
				dst[i] = bare.Ddot(d, x[i*d:], 1, x[i*d:], 1)
			}
		})
	})
}

func BenchmarkAddOuter(b *testing.B) {
	forShapes(func(rng *rand.Rand, n, d int) {
		x, w, y := random(rng, n*d), random(rng, n), random(rng, d)
		against(b, n, d, 2*float64(n*d), func() { dense.AddOuter(x, 1e-9, w, y, n, d) },
			func() { bare.Dger(n, d, 1e-9, w, 1, y, 1, x, d) })
	})
}

func BenchmarkAddSymmetricOuter(b *testing.B) {
	forShapes(func(rng *rand.Rand, _, d int) {
		x, y := random(rng, d*d), random(rng, d)
		against(b, d, d, 2*float64(d*d), func() { dense.AddSymmetricOuter(x, 0.7e-9, y, d) },
			func() { bare.Dger(d, d, 1e-9, y, 1, y, 1, x, d) })
	})
}

func BenchmarkAddWeightedGram(b *testing.B) {
	forShapes(func(rng *rand.Rand, n, d int) {
		x, w, dst, scratch := random(rng, n*d), random(rng, n), make([]float64, d*d), make([]float64, n*d)
		against(b, n, d, float64(n*d*(d+1)), func() { dense.AddWeightedGram(dst, w, x, scratch, n, d) },
			func() { bare.Dsyrk(blas.Lower, blas.Trans, d, n, 1, x, d, 1, dst, d) })
	})
}

// BenchmarkSquare multiplies matrices of d x d.
func BenchmarkSquare(b *testing.B) {
	forShapes(func(rng *rand.Rand, _, d int) {
		x, a, dst := random(rng, d*d), random(rng, d*d), make([]float64, d*d)
		against(b, d, d, 2*float64(d*d)*float64(d), func() { dense.AddMul(dst, 1, x, a, d, d, d) },
			func() { bare.Dgemm(blas.NoTrans, blas.NoTrans, d, d, d, 1, x, d, a, d, 1, dst, d) })
	})
}

func BenchmarkAddMul(b *testing.B) {
	forShapes(func(rng *rand.Rand, n, d int) {
		x, a, dst := random(rng, n*d), random(rng, d*d), make([]float64, n*d)
		against(b, n, d, 2*float64(n*d*d), func() { dense.AddMul(dst, 1, x, a, n, d, d) },
			func() { bare.Dgemm(blas.NoTrans, blas.NoTrans, n, d, d, 1, x, d, a, d, 1, dst, d) })
	})
}

func BenchmarkAddMulNT(b *testing.B) {
	forShapes(func(rng *rand.Rand, n, d int) {
		x, a, dst := random(rng, n*d), random(rng, d*d), make([]float64, n*d)
		against(b, n, d, 2*float64(n*d*d), func() { dense.AddMulNT(dst, 1, x, a, n, d, d) },
			func() { bare.Dgemm(blas.NoTrans, blas.Trans, n, d, d, 1, x, d, a, d, 1, dst, d) })
	})
}

// factored returns a matrix and its factor, close to the identity so that solving again and again stays finite.
func factored(rng *rand.Rand, d int) (a, l []float64) {
	a, l = random(rng, d*d), make([]float64, d*d)
	for i := range d {
		for j := range d {
			a[i*d+j] *= 1e-3 / float64(d)
		}
		a[i*d+i] = 1
	}
	dense.Symmetrize(a, d)
	if !dense.Cholesky(l, a, d) {
		panic("not positive definite")
	}
	return a, l
}

func BenchmarkSolveLowerRows(b *testing.B) {
	forShapes(func(rng *rand.Rand, n, d int) {
		_, l := factored(rng, d)
		x, y := random(rng, n*d), random(rng, n*d)
		against(b, n, d, float64(n*d*d), func() { dense.SolveLowerRows(x, l, n, d) },
			func() { bare.Dtrsm(blas.Right, blas.Lower, blas.Trans, blas.NonUnit, n, d, 1, l, d, y, d) })
	})
}

func BenchmarkSolveLowerTRows(b *testing.B) {
	forShapes(func(rng *rand.Rand, n, d int) {
		_, l := factored(rng, d)
		x, y := random(rng, n*d), random(rng, n*d)
		against(b, n, d, float64(n*d*d), func() { dense.SolveLowerTRows(x, l, n, d) },
			func() { bare.Dtrsm(blas.Right, blas.Lower, blas.NoTrans, blas.NonUnit, n, d, 1, l, d, y, d) })
	})
}

func BenchmarkSolve(b *testing.B) {
	forShapes(func(rng *rand.Rand, _, d int) {
		_, l := factored(rng, d)
		x, y := random(rng, d), random(rng, d)
		against(b, 1, d, 2*float64(d*d), func() { dense.Solve(x, l, d) }, func() {
			bare.Dtrsv(blas.Lower, blas.NoTrans, blas.NonUnit, d, l, d, y, 1)
			bare.Dtrsv(blas.Lower, blas.Trans, blas.NonUnit, d, l, d, y, 1)
		})
	})
}

func BenchmarkCholesky(b *testing.B) {
	forShapes(func(rng *rand.Rand, _, d int) {
		a, l := factored(rng, d)
		against(b, d, d, float64(d*d)*float64(d)/3, func() { dense.Cholesky(l, a, d) }, func() {
			copy(l, a)
			lapack.Implementation{}.Dpotrf(blas.Lower, d, l, d)
		})
	})
}

func BenchmarkInverse(b *testing.B) {
	forShapes(func(rng *rand.Rand, _, d int) {
		_, l := factored(rng, d)
		inv := make([]float64, d*d)
		against(b, d, d, 2*float64(d*d)*float64(d)/3, func() { dense.InverseFromCholesky(inv, l, d) }, func() {
			copy(inv, l)
			lapack.Implementation{}.Dpotri(blas.Lower, d, inv, d)
		})
	})
}
