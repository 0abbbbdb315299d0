package vector

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// naiveDot is an inner product in the order of the kernels.
func naiveDot(x, y []float64) float64 {
	var l [8]float64
	for i := range x {
		l[i%8] = math.FMA(x[i], y[i], l[i%8])
	}
	return ((l[0] + l[4]) + (l[1] + l[5])) + ((l[2] + l[6]) + (l[3] + l[7]))
}

func TestRows(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(9, 10))
		for trial := range 2000 {
			r, c, alpha := 1+rng.IntN(100), 1+rng.IntN(60), 1.0
			if trial%3 == 0 {
				alpha = rng.NormFloat64()
			}
			a, y, x, w := values(rng, r*c, trial%2 == 0), values(rng, r*c, false), values(rng, c, false), values(rng, r, false)
			what := fmt.Sprintf("%d x %d", r, c)
			got, want := values(rng, c+9, true), make([]float64, c+9)
			copy(want, got)
			naiveCombine(want[:c], alpha, a, w)
			AddMulTVec(got, alpha, a, w, r, c)
			sameBits(t, "AddMulTVec "+what, got, want)
			got, want = values(rng, r*c+9, trial%2 == 0), make([]float64, r*c+9)
			copy(want, got)
			lda := c * (trial % 4 % 3) // also one row again and again, and every other row
			rows := values(rng, r*lda+c, trial%2 == 0)
			for i := range r * c {
				product := w[i/c] * rows[i/c*lda+i%c]
				want[i] += product
			}
			AddScaledRows(got, w, rows, lda, r, c)
			sameBits(t, "AddScaledRows "+what, got, want)
			if r < Together {
				continue
			}
			got, want = values(rng, r+9, true), make([]float64, r+9)
			copy(want, got)
			for i := range r {
				want[i] += alpha * naiveDot(a[i*c:(i+1)*c], x)
			}
			AddMulVec(got, alpha, a, x, r, c)
			sameBits(t, "AddMulVec "+what, got, want)
			for i := range r {
				want[i] = naiveDot(a[i*c:(i+1)*c], x)
			}
			MulVec(got, a, x, r, c)
			sameBits(t, "MulVec "+what, got, want)
			for i := range r {
				want[i] = naiveDot(a[i*c:(i+1)*c], y[i*c:(i+1)*c])
			}
			RowsDot(got, a, y, r, c)
			sameBits(t, "RowsDot "+what, got, want)
		}
	})
}

// naiveCombine adds up the products of eight rows before it adds them to dst, and of the rows that are left one by one.
func naiveCombine(dst []float64, alpha float64, a, w []float64) {
	r, c := len(w), len(dst)
	for i := 0; i < r; {
		n := 1
		if i+8 <= r {
			n = 8
		}
		for j := range dst {
			sum := alpha * w[i] * a[i*c+j]
			for k := i + 1; k < i+n; k++ {
				sum = math.FMA(alpha*w[k], a[k*c+j], sum)
			}
			dst[j] += sum
		}
		i += n
	}
}

// Gather copies rows, also more than once and from the ends, and nothing else.
func TestGather(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(11, 12))
		for range 2000 {
			n, c := 1+rng.IntN(40), 1+rng.IntN(40)
			a, rows := values(rng, n*c, false), make([]int, rng.IntN(60))
			for k := range rows {
				rows[k] = rng.IntN(n)
			}
			got := values(rng, len(rows)*c+9, true)
			want := slices.Clone(got)
			for k, i := range rows {
				copy(want[k*c:], a[i*c:(i+1)*c])
			}
			Gather(got, a, rows, c)
			sameBits(t, fmt.Sprintf("%d of %d rows of %d", len(rows), n, c), got, want)
		}
		for _, row := range []int{-1, 3, math.MinInt, math.MaxInt} {
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("row %d of 3 is copied", row)
					}
				}()
				Gather(make([]float64, 4), make([]float64, 6), []int{0, row}, 2)
			}()
		}
	})
}
