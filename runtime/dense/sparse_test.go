package dense_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sngdgen/sngdgen/runtime/dense"
	"github.com/sngdgen/sngdgen/runtime/vector"
)

// zeroed is a random matrix of n x d with so large a share of zeros, and rows and columns that have nothing else.
func zeroed(rng *rand.Rand, n, d int, share float64) []float64 {
	x := make([]float64, n*d)
	row, column := rng.IntN(n), rng.IntN(d)
	for i := range x {
		if rng.Float64() >= share && (share == 0 || i/d != row && i%d != column) {
			x[i] = rng.NormFloat64()
		}
	}
	return x
}

// sparseOf is X, of n x d, without its zeros, nil where that is not worth it.
func sparseOf(x []float64, n, d int) *dense.Sparse {
	entries := dense.SparseEntries(x, n, d)
	if entries < 0 {
		return nil
	}
	numbers, whole := dense.SparseMemory(n, d, entries)
	s := dense.SparseIn(make([]float64, numbers), make([]int, whole), x, n, d)
	return &s
}

// TestSparse: products that leave zeros out are those that do not, number by number, whatever the sizes are and the share of zeros, and they leave alone what
// lies between the vectors.
func TestSparse(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	taken := 0
	for _, size := range [][2]int{{40, 30}, {257, 20}, {500, 53}, {3, 700}, {129, 129}, {800, 400}, {385, 385}} {
		n, d := size[0], size[1]
		for _, share := range []float64{0, 0.3, 0.6, 0.7, 0.8, 0.9, 0.95, 0.999, 1} {
			x := zeroed(rng, n, d, share)
			s := sparseOf(x, n, d)
			if s == nil {
				if share > 0.85 && vector.On() {
					t.Errorf("%v, zeros %v: all entries are multiplied", size, share)
				}
				continue
			}
			if taken++; share < 0.5 {
				t.Errorf("%v, zeros %v: zeros are left out", size, share)
			}
			memory := random(rng, dense.SparseRoom(d))
			for _, m := range []int{0, 1, 4, 7, 10, 16, 20, 24, 25, 60} {
				stride := d + rng.IntN(3)
				v, slopes := random(rng, m*stride), random(rng, m*n)
				got, want := random(rng, m*n), make([]float64, m*n)
				dense.MulVectors(want, v, x, m, n, d, stride)
				if !s.MulVectors(got, v, m, stride, memory) {
					t.Fatalf("%v, zeros %v, %d vectors: refused", size, share, m)
				}
				sameNumbers(t, fmt.Sprintf("%v, zeros %v, %d vectors", size, share, m), got, want)
				sums := append([]float64(nil), v...)
				dense.AddMulVectors(v, slopes, x, m, n, d, stride)
				if !s.AddMulVectors(sums, slopes, m, stride, memory) {
					t.Fatalf("%v, zeros %v, %d sums: refused", size, share, m)
				}
				sameNumbers(t, fmt.Sprintf("%v, zeros %v, sums for %d vectors", size, share, m), sums, v)
			}
		}
	}
	if taken == 0 && vector.On() {
		t.Error("zeros are never left out")
	}
}

// sameNumbers compares numbers, of which none is NaN.
func sameNumbers(t *testing.T, what string, got, want []float64) {
	t.Helper()
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("%s: number %d is %v, not %v", what, i, got[i], want[i])
		}
	}
}

// TestSparseRefuses: zeros are not left out where they are multiplied with what is not finite, wherever that is, and nothing is written then.
func TestSparseRefuses(t *testing.T) {
	const n, d, m, stride = 130, 40, 9, 42
	rng := rand.New(rand.NewPCG(3, 4))
	s := sparseOf(zeroed(rng, n, d, 0.9), n, d)
	if s == nil {
		t.Skip("there are no kernels")
	}
	memory := make([]float64, dense.SparseRoom(d))
	for _, wrong := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		for range 50 {
			v, slopes := random(rng, m*stride), random(rng, m*n)
			v[rng.IntN(m)*stride+rng.IntN(d)], slopes[rng.IntN(m*n)] = wrong, wrong
			dst, sums := make([]float64, m*n), make([]float64, m*stride)
			if s.MulVectors(dst, v, m, stride, memory) || s.AddMulVectors(sums, slopes, m, stride, memory) {
				t.Fatalf("zeros times %v are 0", wrong)
			}
			sameNumbers(t, "what is refused", append(dst, sums...), make([]float64, m*n+m*stride))
		}
	}
	if v := random(rng, m*stride); v != nil {
		v[d] = math.NaN() // between two vectors
		if !s.MulVectors(make([]float64, m*n), v, m, stride, memory) {
			t.Error("what is no entry of a vector is looked at")
		}
	}
}
