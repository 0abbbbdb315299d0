package dense_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/sngdgen/sngdgen/runtime/dense"
)

// The lengths lie on both sides of the blocks and tiles.
var (
	dims   = []int{1, 2, 3, 8, 9, 10, 43, 64, 65, 128, 257, 300}
	blocks = []int{1, 7, 100, 256}
)

func random(rng *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	return x
}

// definite returns a positive definite matrix whose condition number is about 100.
func definite(rng *rand.Rand, d int) []float64 {
	a := random(rng, d*d)
	if d == 0 {
		return nil
	}
	var s mat.SymDense
	s.SymOuterK(1/float64(d), mat.NewDense(d, d, a))
	out := make([]float64, d*d)
	for i := range d {
		for j := range d {
			out[i*d+j] = s.At(i, j)
		}
		out[i*d+i] += 0.05
	}
	return out
}

func lower(a []float64, d int) []float64 {
	out := make([]float64, len(a))
	for i := range d {
		copy(out[i*d:i*d+i+1], a[i*d:i*d+i+1])
	}
	return out
}

func clone(x []float64) []float64 { return append([]float64(nil), x...) }

// near complains unless got is want up to rounding, on the scale of the largest number of want.
func near(t *testing.T, what string, got, want []float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d numbers instead of %d", what, len(got), len(want))
	}
	scale := 1e-300
	for _, v := range want {
		scale = max(scale, math.Abs(v))
	}
	for i := range got {
		if !(math.Abs(got[i]-want[i]) <= 2e-12*scale) {
			t.Fatalf("%s: [%d] is %g instead of %g", what, i, got[i], want[i])
		}
	}
}

// gonum's product of matrices of any kind, as full storage.
func product(factors ...mat.Matrix) []float64 {
	var out mat.Dense
	out.CloneFrom(factors[0])
	for _, f := range factors[1:] {
		var next mat.Dense
		next.Mul(&out, f)
		out = next
	}
	return clone(out.RawMatrix().Data)
}

func matrix(a []float64, r, c int) *mat.Dense { return mat.NewDense(r, c, clone(a[:r*c])) }

func inverse(a []float64, d int) *mat.Dense {
	var inv mat.Dense
	if err := inv.Inverse(matrix(a, d, d)); err != nil {
		panic(err)
	}
	return &inv
}

// plus returns x + alpha y.
func plus(x []float64, alpha float64, y []float64) []float64 {
	out := clone(x)
	for i := range out {
		out[i] += alpha * y[i]
	}
	return out
}

func forSizes(t *testing.T, test func(t *testing.T, rng *rand.Rand, b, d int)) {
	for _, d := range dims {
		for _, b := range blocks {
			t.Run(fmt.Sprintf("%dx%d", b, d), func(t *testing.T) {
				test(t, rand.New(rand.NewPCG(uint64(b), uint64(d))), b, d)
			})
		}
	}
}

func forDims(t *testing.T, test func(t *testing.T, rng *rand.Rand, d int)) {
	for _, d := range dims {
		t.Run(fmt.Sprint(d), func(t *testing.T) { test(t, rand.New(rand.NewPCG(0, uint64(d))), d) })
	}
}

func TestVectors(t *testing.T) {
	forDims(t, func(t *testing.T, rng *rand.Rand, d int) {
		x, y := random(rng, d), random(rng, d)
		dot := 0.0
		for i := range x {
			dot += x[i] * y[i]
		}
		near(t, "Dot", []float64{dense.Dot(x, y) / float64(d)}, []float64{dot / float64(d)})
		dst := clone(y)
		dense.Axpy(dst, 0.7, x)
		near(t, "Axpy", dst, plus(y, 0.7, x))
		dense.Scale(dst, -2, x)
		near(t, "Scale", dst, plus(make([]float64, d), -2, x))
	})
}

func TestSymmetricMulVec(t *testing.T) {
	for _, d := range []int{1, 3, 8, 10, 43, 71, 72, 73, 100} {
		rng := rand.New(rand.NewPCG(5, uint64(d)))
		a, x := random(rng, d*d), random(rng, d)
		dense.Mirror(a, d)
		near(t, "SymmetricMulVec", dense.SymmetricMulVec(random(rng, d), a, x, d), product(matrix(a, d, d), matrix(x, d, 1)))
	}
}

func TestMatrixVector(t *testing.T) {
	forSizes(t, func(t *testing.T, rng *rand.Rand, r, c int) {
		a, x, y := random(rng, r*c), random(rng, c), random(rng, r)
		ax := product(matrix(a, r, c), matrix(x, c, 1))
		aty := product(matrix(a, r, c).T(), matrix(y, r, 1))
		dst := random(rng, r)
		base := clone(dst)
		dense.AddMulVec(dst, -0.3, a, x, r, c)
		near(t, "AddMulVec", dst, plus(base, -0.3, ax))
		dense.MulVec(dst, a, x, r, c)
		near(t, "MulVec", dst, ax)

		dst = random(rng, c)
		base = clone(dst)
		dense.AddMulTVec(dst, -0.3, a, y, r, c)
		near(t, "AddMulTVec", dst, plus(base, -0.3, aty))
		dense.MulTVec(dst, a, y, r, c)
		near(t, "MulTVec", dst, aty)

		dst = clone(a)
		dense.AddOuter(dst, 1.5, y, x, r, c)
		near(t, "AddOuter", dst, plus(a, 1.5, product(matrix(y, r, 1), matrix(x, 1, c))))
	})
}

func TestRows(t *testing.T) {
	forSizes(t, func(t *testing.T, rng *rand.Rand, b, d int) {
		x, y := random(rng, b*d), random(rng, b*d)
		dots, squares := make([]float64, b), make([]float64, b)
		for i := range b {
			for j := range d {
				dots[i] += x[i*d+j] * y[i*d+j]
				squares[i] += x[i*d+j] * x[i*d+j]
			}
		}
		dst := make([]float64, b)
		dense.RowsDot(dst, x, y, b, d)
		if d > 1 || b > 1 {
			near(t, "RowsDot", dst, dots)
		}
		dense.RowsSquare(dst, x, b, d)
		near(t, "RowsSquare", dst, squares)
		listed, rows := []int{b - 1, 0, b / 2}, make([]float64, 3*d)
		dense.Gather(rows, x, listed, d)
		for k, i := range listed {
			near(t, "Gather", rows[k*d:(k+1)*d], x[i*d:(i+1)*d])
		}
	})
}

func TestProducts(t *testing.T) {
	for _, s := range [][3]int{
		{1, 1, 1}, {2, 3, 1}, {3, 3, 3}, {5, 5, 5}, {6, 5, 5}, {1, 7, 5}, {8, 8, 8}, {65, 1, 129}, {64, 64, 64},
		{43, 256, 10}, {100, 70, 300}, {257, 130, 2},
		{10, 10, 256}, {33, 300, 65}, {130, 65, 63},
	} {
		m, k, n := s[0], s[1], s[2]
		rng := rand.New(rand.NewPCG(uint64(m), uint64(n)))
		a, b, at, bt := random(rng, m*k), random(rng, k*n), make([]float64, m*k), make([]float64, k*n)
		dense.Transpose(at, a, m, k)
		dense.Transpose(bt, b, k, n)
		near(t, "Transpose", at, product(matrix(a, m, k).T()))
		want, base := product(matrix(a, m, k), matrix(b, k, n)), random(rng, m*n)

		dst := clone(base)
		dense.AddMul(dst, -2, a, b, m, k, n)
		near(t, "AddMul", dst, plus(base, -2, want))
		dense.Mul(dst, a, b, m, k, n)
		near(t, "Mul", dst, want)

		dst = clone(base)
		dense.AddMulNT(dst, -2, a, bt, m, k, n)
		near(t, "AddMulNT", dst, plus(base, -2, want))
		dense.MulNT(dst, a, bt, m, k, n)
		near(t, "MulNT", dst, want)
	}
}

// TestLowerCross: the lower triangle of a sum of outer products, and nothing above it.
func TestLowerCross(t *testing.T) {
	forSizes(t, func(t *testing.T, rng *rand.Rand, b, d int) {
		x, y, w, base := random(rng, b*d), random(rng, b*d), random(rng, b), random(rng, d*d)
		scratch := make([]float64, b*d)
		want := dense.AddWeightedCross(clone(base), w, x, y, scratch, b, d, d)
		for i := range d {
			copy(want[i*d+i+1:(i+1)*d], base[i*d+i+1:(i+1)*d])
		}
		near(t, "AddLowerCross", dense.AddLowerCross(clone(base), w, x, y, scratch, b, d), want)
	})
}

// TestTriangularProducts: products with lower triangular matrices are those of others.
func TestTriangularProducts(t *testing.T) {
	forSizes(t, func(t *testing.T, rng *rand.Rand, b, d int) {
		l, a := dense.LowerHalf(random(rng, d*d), d), dense.LowerHalf(random(rng, d*d), d)
		x, xt := random(rng, b*d), make([]float64, b*d)
		dense.Transpose(xt, x, b, d)
		near(t, "MulLower", dense.MulLower(make([]float64, b*d), l, xt, d, b), dense.Mul(make([]float64, b*d), l, xt, d, d, b))
		near(t, "MulNTLower", dense.MulNTLower(make([]float64, b*d), x, l, b, d), dense.MulNT(make([]float64, b*d), x, l, b, d, d))
		near(t, "MulLowers", dense.MulLowers(make([]float64, d*d), a, l, d), dense.MulNT(make([]float64, d*d), a, l, d, d, d))
	})
}

func TestGram(t *testing.T) {
	forSizes(t, func(t *testing.T, rng *rand.Rand, b, d int) {
		w, x, scratch, base := random(rng, b), random(rng, b*d), make([]float64, b*d), random(rng, d*d)
		for _, weights := range [][]float64{w, nil} {
			ones := mat.NewDiagDense(b, nil)
			for i := range b {
				ones.SetDiag(i, 1)
				if weights != nil {
					ones.SetDiag(i, w[i])
				}
			}
			if weights != nil {
				dense.ScaleRows(scratch, w, x, b, d)
				near(t, "ScaleRows", scratch, product(ones, matrix(x, b, d)))
			}
			want := product(matrix(x, b, d).T(), ones, matrix(x, b, d))
			dst := clone(base)
			dense.AddWeightedGram(dst, weights, x, scratch, b, d)
			near(t, "AddWeightedGram", dst, plus(base, 1, lower(want, d)))
			clear(dst)
			dense.AddWeightedGram(dst, weights, x, scratch, b, d)
			dense.Mirror(dst, d)
			near(t, "Mirror", dst, want)

			c := min(d, 30)
			y := random(rng, b*c)
			dst = clone(base[:d*c])
			dense.AddWeightedCross(dst, weights, x, y, scratch, b, d, c)
			near(t, "AddWeightedCross", dst, plus(base[:d*c], 1, product(matrix(x, b, d).T(), ones, matrix(y, b, c))))
		}
	})
}

func TestSymmetric(t *testing.T) {
	forDims(t, func(t *testing.T, rng *rand.Rand, d int) {
		a, v := random(rng, d*d), random(rng, d)
		dst := clone(a)
		dense.Symmetrize(dst, d)
		half := plus(make([]float64, d*d), 0.5, a)
		near(t, "Symmetrize", dst, plus(half, 0.5, product(matrix(a, d, d).T())))
		lower := clone(a)
		dense.LowerHalf(lower, d)
		for i := range d {
			for j := range d {
				want := a[i*d+j]
				if j == i {
					want /= 2
				} else if j > i {
					want = 0
				}
				if lower[i*d+j] != want {
					t.Fatalf("LowerHalf: entry %d, %d is %v, not %v", i, j, lower[i*d+j], want)
				}
			}
		}
		base := clone(dst)
		dense.AddSymmetricOuter(dst, -0.7, v, d)
		near(t, "AddSymmetricOuter", dst, plus(base, -0.7, product(matrix(v, d, 1), matrix(v, 1, d))))
		symmetric(t, dst, d)
		diag := make([]float64, d)
		dense.DiagOf(diag, dst, d)
		for i := range d {
			if want := base[i*d+i] - 0.7*v[i]*v[i]; !(math.Abs(diag[i]-want) <= 1e-13) {
				t.Errorf("diagonal: %g instead of %g", diag[i], want)
			}
		}
	})
}

func symmetric(t *testing.T, a []float64, d int) {
	t.Helper()
	for i := range d {
		for j := range i {
			if a[i*d+j] != a[j*d+i] {
				t.Fatalf("(%d, %d) is %g, but (%d, %d) is %g", i, j, a[i*d+j], j, i, a[j*d+i])
			}
		}
	}
}
