package vector

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// sparseOf is A, of r x c, without its zeros.
func sparseOf(a Matrix, r, c int) *Sparse {
	entries := 0
	for i := range r {
		for j := range c {
			if *a.at(i, j) != 0 {
				entries++
			}
		}
	}
	s := SparseIn(make([]float64, entries), make([]int, entries), make([]int, SparseStarts(r, c)), a, r, c)
	return &s
}

// TestSparse: stretch by stretch a product without zeros has the numbers of one with them, also of some of the rows, and on top of what there is.
func TestSparse(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(21, 22))
		for trial := range 300 {
			r, c, n := 1+rng.IntN(300), 1+rng.IntN(40), 1+rng.IntN(MostSparse)
			if trial%10 == 0 { // several sums
				r, c = c, 300+rng.IntN(600)
			}
			width, kept := SparseWidth(n), rng.Float64()
			a, b := values(rng, r*c, false), values(rng, c*width, false)
			for i := range a {
				if rng.Float64() > kept {
					a[i] = 0
				}
			}
			s := sparseOf(Matrix{a, c, 1}, r, c)
			first := rng.IntN(r)
			rows, add := 1+rng.IntN(r-first), rng.IntN(2) == 0
			got, sums := values(rng, rows*width, false), make([]float64, rows*width)
			want := slices.Clone(got)
			p := Mul{C: Matrix{want, width, 1}, A: Matrix{a[first*c:], c, 1}, B: Matrix{b, width, 1}, Alpha: 1, Overwrite: !add}
			p.Run(rows, c, n)
			for j := 0; j < c; j += SparseDepth {
				s.Mul(got, sums, b[j*width:], n, first, rows, j/SparseDepth, add)
			}
			for i := range rows {
				for j := range n {
					if got[i*width+j] != want[i*width+j] {
						t.Fatalf("%d x %d times %d columns, rows from %d to %d, add %v: entry %d, %d is %v, not %v",
							r, c, n, first, first+rows, add, i, j, got[i*width+j], want[i*width+j])
					}
				}
			}
		}
	})
}

// TestFinite: a number that is not finite is seen wherever it is, and no other is.
func TestFinite(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		for n := range 150 {
			x := make([]float64, n)
			for i := range x {
				x[i] = []float64{0, math.Copysign(0, -1), math.MaxFloat64, -math.MaxFloat64, 5e-324}[i%5]
			}
			if !Finite(x) {
				t.Fatalf("%d finite numbers are not", n)
			}
			for i, old := range x {
				for _, wrong := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
					if x[i] = wrong; Finite(x) {
						t.Fatalf("%v at %d of %d is finite", wrong, i, n)
					}
				}
				x[i] = old
			}
		}
	})
}
