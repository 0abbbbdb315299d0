package vector

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestTranspose(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(3, 4))
		for trial := range 3000 {
			r, c := 1+rng.IntN(40), 1+rng.IntN(40)
			if trial%300 == 0 {
				r, c = 300+rng.IntN(100), 300+rng.IntN(100)
			}
			lda, ldd := c+rng.IntN(5), r+rng.IntN(5)
			a, dst := values(rng, (r-1)*lda+c, true), values(rng, (c-1)*ldd+r+20, true)
			want := append([]float64(nil), dst...)
			for i := range r {
				for j := range c {
					want[j*ldd+i] = a[i*lda+j]
				}
			}
			Transpose(dst, ldd, a, lda, r, c)
			sameBits(t, fmt.Sprintf("%d x %d", r, c), dst, want)
		}
		for d := range 100 {
			a := values(rng, d*d, true)
			want := append([]float64(nil), a...)
			for i := range d {
				for j := range i {
					want[j*d+i] = a[i*d+j]
				}
			}
			MirrorLower(a, d, d)
			sameBits(t, "mirror", a, want)
		}
	})
}

// SquaresOfSolve adds the squares of what SolveLowerRows gives, in the order of RowsDot.
func TestSquaresOfSolve(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(13, 14))
		for range 1000 {
			b, d := rng.IntN(60), rng.IntN(MostSquared+1)
			l, x := values(rng, d*d, false), values(rng, b*d, false)
			solution := append([]float64(nil), x...)
			SolveLowerRows(solution, d, l, d, b, d)
			got := values(rng, b+9, true)
			want := append([]float64(nil), got...)
			for i := range b {
				row := solution[i*d : (i+1)*d]
				want[i] = naiveDot(row, row)
			}
			SquaresOfSolve(got, x, l, b, d)
			sameBits(t, fmt.Sprintf("%d x %d", b, d), got, want)
		}
	})
}

func sameBits(t *testing.T, what string, got, want []float64) {
	t.Helper()
	for i, v := range want {
		if !equal(got[i], v) {
			t.Fatalf("%s: [%d] is %g instead of %g", what, i, got[i], v)
		}
	}
}

// naiveSolve solves L x = b, or from the last equation on L' x = b, with one fused multiply-add after the other, as far as
// that goes within blocks; blocks are products.
func naiveSolve(x, l []float64, ldl, d int, transposed bool) {
	block := func(j, n int, order func(i int) int, element func(i, k int) float64) {
		for i := range n {
			sum := x[j+order(i)]
			for k := range i {
				sum = math.FMA(-element(order(i), order(k)), x[j+order(k)], sum)
			}
			x[j+order(i)] = sum * (1 / l[(j+order(i))*ldl+j+order(i)])
		}
	}
	if !transposed {
		for j := 0; j < d; j += solved {
			n := min(solved, d-j)
			p := Mul{C: Matrix{x[j:], d, 1}, A: Matrix{x, d, 1}, B: Matrix{l[j*ldl:], 1, ldl}, Alpha: -1}
			naive(&p, 1, j, n)
			block(j, n, func(i int) int { return i }, func(i, k int) float64 { return l[(j+i)*ldl+j+k] })
		}
		return
	}
	for j := (d - 1) / solved * solved; j >= 0; j -= solved {
		n := min(solved, d-j)
		if j+n < d {
			p := Mul{C: Matrix{x[j:], d, 1}, A: Matrix{x[j+n:], d, 1}, B: Matrix{l[(j+n)*ldl+j:], ldl, 1}, Alpha: -1}
			naive(&p, 1, d-j-n, n)
		}
		block(j, n, func(i int) int { return n - 1 - i }, func(i, k int) float64 { return l[(j+k)*ldl+j+i] })
	}
}

func TestSolveRows(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(5, 6))
		for trial := range 600 {
			b, d := 1+rng.IntN(40), 1+rng.IntN(70)
			if trial%150 == 0 {
				b, d = 90+rng.IntN(20), 1+rng.IntN(600)
			}
			ldx, ldl := d+rng.IntN(4), d+rng.IntN(4)
			l, x := values(rng, d*ldl, false), values(rng, b*ldx, trial%2 == 0)
			for i := range d {
				for j := range i {
					l[i*ldl+j] /= float64(d)
				}
				l[i*ldl+i] = 1 + rng.Float64()
				for j := i + 1; j < d; j++ {
					l[i*ldl+j] = math.NaN()
				}
			}
			for _, transposed := range []bool{false, true} {
				got, want := append([]float64(nil), x...), append([]float64(nil), x...)
				for i := range b {
					naiveSolve(want[i*ldx:][:d], l, ldl, d, transposed)
				}
				if transposed {
					SolveLowerTRows(got, ldx, l, ldl, b, d)
				} else {
					SolveLowerRows(got, ldx, l, ldl, b, d)
				}
				sameBits(t, fmt.Sprintf("%d rows of %d, transposed %v", b, d, transposed), got, want)
			}
		}
	})
}

// TestCholesky: what the factor is multiplied out is the matrix, and both levels give the same bits.
func TestCholesky(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(7, 8))
		for _, d := range []int{1, 2, 7, 8, 9, 16, 43, 63, 64, 65, 100, 128, 200, 450} {
			lda := d + rng.IntN(3)
			x, a := values(rng, d*d, false), make([]float64, d*lda)
			p := Mul{C: Matrix{a, lda, 1}, A: Matrix{x, d, 1}, B: Matrix{x, 1, d}, Alpha: 1, Overwrite: true}
			p.Run(d, d, d)
			for i := range d {
				a[i*lda+i] += float64(d)
			}
			u := append([]float64(nil), a...)
			if !Cholesky(u, lda, d) {
				t.Fatalf("d = %d: not positive definite", d)
			}
			for i := range d {
				for j := i; j < d; j++ {
					sum := 0.0
					for k := range i + 1 {
						sum += u[k*lda+i] * u[k*lda+j]
					}
					if !(math.Abs(sum-a[i*lda+j]) <= 1e-15*float64(d)*math.Sqrt(a[i*lda+i]*a[j*lda+j])) {
						t.Fatalf("d = %d: [%d, %d] of U' U is %g instead of %g", d, i, j, sum, a[i*lda+j])
					}
				}
			}
			if before := Use(AVX2); before == AVX512 {
				v := append([]float64(nil), a...)
				Cholesky(v, lda, d)
				Use(before)
				sameBits(t, fmt.Sprintf("both levels, d = %d", d), v, u)
			}
		}
	})
}

func TestInverse(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(11, 12))
		for _, d := range []int{1, 2, 3, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 43, 63, 64, 65, 130, 203} {
			l, w := values(rng, d*d, false), values(rng, d*d, true)
			for i := range d {
				for j := range d {
					l[i*d+j] /= float64(d)
				}
				l[i*d+i] = 1 + rng.Float64()
			}
			InvertLower(w, l, d)
			for i := range d {
				for j := range d {
					sum := 0.0
					for k := j; k <= i; k++ {
						sum += l[i*d+k] * w[k*d+j]
					}
					want := 0.0
					if i == j {
						want = 1
					}
					if !(math.Abs(sum-want) < 1e-14) || j > i && w[i*d+j] != 0 {
						t.Fatalf("d = %d: [%d, %d] of L inv(L) is %g", d, i, j, sum)
					}
				}
			}
			square := append([]float64(nil), w...)
			SquareLower(square, d)
			for i := range d {
				for j := range i + 1 {
					sum := 0.0
					for k := i; k < d; k++ {
						sum += w[k*d+i] * w[k*d+j]
					}
					if !(math.Abs(sum-square[i*d+j]) < 1e-14) {
						t.Fatalf("d = %d: [%d, %d] of W' W is %g instead of %g", d, i, j, square[i*d+j], sum)
					}
				}
			}
			if before := Use(AVX2); before == AVX512 {
				again := append([]float64(nil), w...)
				InvertLower(again, l, d)
				sameBits(t, fmt.Sprintf("inverse on both levels, d = %d", d), again, w)
				SquareLower(again, d)
				Use(before)
				for i := range d {
					sameBits(t, fmt.Sprintf("square on both levels, d = %d, row %d", d, i), again[i*d:i*d+i+1], square[i*d:i*d+i+1])
				}
			}
		}
	})
}

// TestSolveLowerTTriangle: from the diagonal on entries have the bits of a whole solve.
func TestSolveLowerTTriangle(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		for _, d := range []int{1, 7, 8, 16, 23, 63, 64, 65, 100, 130} {
			rng := rand.New(rand.NewPCG(31, uint64(d)))
			l, x := values(rng, d*d, false), values(rng, d*d, false)
			for i := range d {
				l[i*d+i] = 2 + math.Abs(l[i*d+i])
			}
			want, got := slices.Clone(x), slices.Clone(x)
			SolveLowerTRows(want, d, l, d, d, d)
			SolveLowerTTriangle(got, d, l, d, d)
			for i := range d {
				sameBits(t, fmt.Sprintf("row %d of %d", i, d), got[i*d+i:(i+1)*d], want[i*d+i:(i+1)*d])
			}
		}
	})
}
