package vector

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestSymmetricMulVec: the bits of scalar code that goes through the matrix in the same order, whatever is above the diagonal beyond the squares next to it
// and the rows of the last, incomplete one.
func TestSymmetricMulVec(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(41, 42))
		for _, d := range []int{8, 9, 15, 16, 17, 23, 24, 31, 40, 64, 71, 72, 100, 129} {
			a, x := values(rng, d*d, d%3 == 0), values(rng, d, false)
			for i := range d {
				for j := range i {
					a[j*d+i] = a[i*d+j]
					if j/8 < i/8 {
						a[j*d+i] = math.NaN()
					}
				}
			}
			got := values(rng, d+9, true)
			want := slices.Clone(got)
			naiveSymmetric(want[:d], a, x)
			SymmetricMulVec(got, a, x, d)
			sameBits(t, fmt.Sprintf("%d x %d", d, d), got, want)
		}
	})
}

// TestSumRankTwo: the bits of a sum, and of a rank-two term that is added to it.
func TestSumRankTwo(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(43, 44))
		for _, d := range []int{1, 2, 7, 8, 9, 16, 17, 63, 64, 65, 130} {
			a, b, u, v := values(rng, d*d, d%3 == 0), values(rng, d*d, false), values(rng, d, false), values(rng, d, false)
			for _, mirrored := range []bool{false, true} {
				want := values(rng, d*d, false)
				got, inPlace := slices.Clone(want), slices.Clone(a)
				LowerSum(want, 0.3, a, -2, b, d, false)
				LowerRankTwo(want, 1, want, 0.7, u, v, d, mirrored)
				LowerSumRankTwo(got, 0.3, a, -2, b, 0.7, u, v, d, mirrored)
				sameBits(t, fmt.Sprintf("%d x %d, mirrored %v", d, d, mirrored), got, want)
				LowerSumRankTwo(inPlace, 0.3, inPlace, -2, b, 0.7, u, v, d, true)
				MirrorLower(want, d, d)
				sameBits(t, fmt.Sprintf("%d x %d in place", d, d), inPlace, want)
			}
		}
	})
}

// naiveSymmetric takes eight rows after eight: their squares on the diagonal, and what is left of these for rows and for columns.
func naiveSymmetric(dst, a, x []float64) {
	d := len(dst)
	whole := d / 8 * 8
	for i := range d {
		row := a[i*d : (i+1)*d]
		left := i / 8 * 8
		if i >= whole {
			dst[i] = naiveDot(row, x)
			continue
		}
		dst[i] = naiveDot(row[left:left+8], x[left:left+8])
		if left > 0 {
			dst[i] += naiveDot(row[:left], x[:left])
		}
		for j, v := range row[:left] {
			dst[j] = math.FMA(x[i], v, dst[j])
		}
	}
	for i := whole; i < d; i++ {
		for j, v := range a[i*d : i*d+whole] {
			dst[j] += v * x[i]
		}
	}
}
