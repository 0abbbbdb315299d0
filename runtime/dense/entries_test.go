package dense_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sngdgen/sngdgen/runtime/dense"
)

// Kernels in place of loops round as the loops do, at lengths with and without vector instructions, and in place.
func TestEntriesAreLoops(t *testing.T) {
	forDims(t, func(t *testing.T, rng *rand.Rand, d int) {
		x, y, a := random(rng, d), random(rng, d), 1/3.0
		same := func(name string, got []float64, want func(i int) float64) {
			t.Helper()
			for i, v := range got {
				if math.Float64bits(v) != math.Float64bits(want(i)) {
					t.Fatalf("%s: entry %d is %v, not %v", name, i, v, want(i))
				}
			}
		}
		fresh := func() []float64 { return make([]float64, d) }
		plus := func(i int) float64 { return x[i] + y[i] }
		same("Plus", dense.Plus(fresh(), x, y), plus)
		same("Plus into the first", inPlace(x, func(dst []float64) []float64 { return dense.Plus(dst, dst, y) }), plus)
		same("Plus into the second", inPlace(y, func(dst []float64) []float64 { return dense.Plus(dst, x, dst) }), plus)
		minus := func(i int) float64 { return x[i] - y[i] }
		same("Minus", dense.Minus(fresh(), x, y), minus)
		same("Minus into the second", inPlace(y, func(dst []float64) []float64 { return dense.Minus(dst, x, dst) }), minus)
		same("Scale", dense.Scale(fresh(), a, x), func(i int) float64 { return a * x[i] })
		affine := func(i int) float64 {
			sum := float64(3*x[i]) - 0.7
			return a * sum * y[i]
		}
		same("AffineTimes", dense.AffineTimes(fresh(), a, 3, x, -0.7, y), affine)
		same("AffineTimes into the second", inPlace(y, func(dst []float64) []float64 { return dense.AffineTimes(dst, a, 3, x, -0.7, dst) }), affine)
		same("Divide", dense.Divide(fresh(), x, a), func(i int) float64 { return x[i] / a })
	})
}

// inPlace is what becomes of a copy.
func inPlace(x []float64, f func([]float64) []float64) []float64 { return f(clone(x)) }

// A quotient is finite where the inverse of the divisor is not.
func TestDivideBySmall(t *testing.T) {
	tiny := math.SmallestNonzeroFloat64
	for _, n := range []int{1, 100} {
		x := make([]float64, n)
		x[0] = 3 * tiny
		if got := dense.Divide(make([]float64, n), x, tiny); got[0] != 3 || n > 1 && got[1] != 0 {
			t.Errorf("%d entries: %v", n, got[:min(n, 2)])
		}
	}
}

// Symmetric matrices are made of lower triangles, whatever there is above them, also in place; and A + u u' stays symmetric to the last digit.
func TestMirroredKernels(t *testing.T) {
	forDims(t, func(t *testing.T, rng *rand.Rand, d int) {
		lower, u, v := random(rng, d*d), random(rng, d), random(rng, d)
		for i := range d {
			for j := i + 1; j < d; j++ {
				lower[i*d+j] = math.NaN()
			}
		}
		check := func(name string, got []float64, want func(i, j int) float64) {
			t.Helper()
			for i := range d {
				for j := range d {
					if g, w := got[i*d+j], want(max(i, j), min(i, j)); g != w {
						t.Fatalf("%s: entry %d, %d is %v, not %v", name, i, j, g, w)
					}
				}
			}
		}
		at := func(i, j int) float64 { return lower[i*d+j] }
		half := func(i, j int) float64 { return -0.5 * at(i, j) }
		outer := func(i, j int) float64 { return at(i, j) + 0.3*(u[i]*v[j]) }
		check("Mirrored", dense.Mirrored(make([]float64, d*d), lower, d), at)
		check("Mirrored in place", inPlace(lower, func(m []float64) []float64 { return dense.Mirrored(m, m, d) }), at)
		check("MirroredScale", dense.MirroredScale(make([]float64, d*d), -0.5, lower, d), half)
		check("MirroredScale in place", inPlace(lower, func(m []float64) []float64 { return dense.MirroredScale(m, -0.5, m, d) }), half)
		check("MirroredPlusOuter", dense.MirroredPlusOuter(make([]float64, d*d), lower, 0.3, u, v, d), outer)
		check("MirroredPlusOuter in place", inPlace(lower, func(m []float64) []float64 { return dense.MirroredPlusOuter(m, m, 0.3, u, v, d) }), outer)
		symmetric := dense.Mirrored(make([]float64, d*d), lower, d)
		whole := dense.PlusOuter(make([]float64, d*d), symmetric, 0.3, u, u, d, d)
		check("PlusOuter", whole, func(i, j int) float64 { return symmetric[i*d+j] + 0.3*(u[i]*u[j]) })
		trace := 0.0
		for i := range d {
			trace += symmetric[i*d+i]
		}
		if got := dense.Trace(symmetric, d); got != trace {
			t.Errorf("a trace is %v, not %v", got, trace)
		}
		check("AddToDiagonal", inPlace(symmetric, func(m []float64) []float64 { return dense.AddToDiagonal(m, 2.5, d) }), func(i, j int) float64 {
			if i == j {
				return at(i, j) + 2.5
			}
			return at(i, j)
		})
	})
}

// Rows plus a vector are the sums, whatever their length.
func TestRowsPlus(t *testing.T) {
	forDims(t, func(t *testing.T, rng *rand.Rand, d int) {
		const b = 5
		x, v := random(rng, b*d), random(rng, d)
		for i, got := range dense.RowsPlus(make([]float64, b*d), x, v, b, d) {
			if want := x[i] + v[i%d]; got != want {
				t.Fatalf("entry %d is %v, not %v", i, got, want)
			}
		}
	})
}

// Sums of rows and multiples of them round as loops do.
func TestScaledRows(t *testing.T) {
	forSizes(t, func(t *testing.T, rng *rand.Rand, b, d int) {
		x, v, w, base := random(rng, b*d), random(rng, d), random(rng, b), random(rng, b*d)
		rows, outer := clone(base), clone(base)
		dense.AddScaledRows(rows, w, x, b, d)
		dense.AddRowsOuter(outer, w, v, b, d)
		less := dense.LessRows(make([]float64, b*d), v, x, b, d)
		for i := range b {
			for j := range d {
				ij := i*d + j
				product, other := float64(w[i]*x[ij]), float64(w[i]*v[j])
				if rows[ij] != base[ij]+product || outer[ij] != base[ij]+other || less[ij] != v[j]-x[ij] {
					t.Fatalf("entry %d, %d", i, j)
				}
			}
		}
	})
}
