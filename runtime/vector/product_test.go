package vector

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

func eachLevel(t *testing.T, f func(t *testing.T)) {
	for _, l := range []Level{AVX2, AVX512} {
		if l > best {
			t.Logf("the processor lacks %v", l)
			continue
		}
		t.Run(l.String(), func(t *testing.T) {
			defer Use(Use(l))
			f(t)
		})
	}
}

// values are random numbers, with special ones among them where asked for.
func values(rng *rand.Rand, n int, special bool) []float64 {
	odd := []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), 5e-324, -1e-310, 1e308, math.MaxFloat64}
	x := make([]float64, n)
	for i := range x {
		x[i] = rng.NormFloat64()
		if special && rng.IntN(20) == 0 {
			x[i] = odd[rng.IntN(len(odd))]
		}
	}
	return x
}

// equal reports whether two numbers are the same, NaN being NaN.
func equal(a, b float64) bool {
	return math.Float64bits(a) == math.Float64bits(b) || a != a && b != b
}

// naive is the product in the order in which the kernels take it, one fused multiply-add after the other.
func naive(p *Mul, m, k, n int) {
	depth := p.depth(k)
	for l := 0; l < k; l += depth {
		for i := range m {
			for j := range n {
				if p.Lower && j > i {
					continue
				}
				sum := 0.0
				for q := l; q < min(l+depth, k); q++ {
					b := p.B.Data[q*p.B.Row+j*p.B.Column]
					if p.W != nil {
						b *= p.W[q]
					}
					sum = math.FMA(p.A.Data[i*p.A.Row+q*p.A.Column], b, sum)
				}
				c := &p.C.Data[i*p.C.Row+j]
				if p.Overwrite && l == 0 {
					*c = sum
				} else {
					*c = math.FMA(p.Alpha, sum, *c)
				}
			}
		}
	}
}

// TestMul compares products with the scalar one, bit by bit, also around what may be written.
func TestMul(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(1, 2))
		for trial := range 4000 {
			m, k, n := 1+rng.IntN(40), 1+rng.IntN(30), 1+rng.IntN(60)
			if trial%100 == 0 {
				k = 380 + rng.IntN(500)
			}
			if trial%100 == 1 {
				m, n = 90+rng.IntN(20), 250+rng.IntN(30)
			}
			if trial%100 == 2 {
				m, k = 255+rng.IntN(20), 120+rng.IntN(40)
			}
			p := randomMul(rng, m, k, n, trial%2 == 0)
			what := fmt.Sprintf("%d x %d x %d, lower %v, overwrite %v, weights %v, strides %d %d", m, k, n, p.Lower, p.Overwrite,
				p.W != nil, p.A.Row, p.A.Column)
			want := p
			want.C.Data = append([]float64(nil), p.C.Data...)
			naive(&want, m, k, n)
			p.Run(m, k, n)
			for i, v := range want.C.Data {
				if !equal(v, p.C.Data[i]) {
					t.Fatalf("%s: [%d, %d] is %g instead of %g", what, i/p.C.Row, i%p.C.Row, p.C.Data[i], v)
				}
			}
		}
	})
}

// TestMulTriangles: what is left out of products with triangular matrices is 0, so that they have the bits of others.
func TestMulTriangles(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(5, 6))
		for trial := range 2000 {
			m, k, n := 1+rng.IntN(60), 1+rng.IntN(60), 1+rng.IntN(60)
			if trial%500 == 0 {
				m, k, n = 380+rng.IntN(80), 380+rng.IntN(80), 1+rng.IntN(100)
			}
			p := randomMul(rng, m, k, n, false)
			p.LowerA, p.UpperB = rng.IntN(2) == 0, rng.IntN(2) == 0
			for i := range k {
				for j := range i {
					if p.LowerA && j < m {
						p.A.Data[j*p.A.Row+i*p.A.Column] = 0
					}
					if p.UpperB && j < n {
						p.B.Data[i*p.B.Row+j*p.B.Column] = 0
					}
				}
			}
			want := p
			want.C.Data = append([]float64(nil), p.C.Data...)
			naive(&want, m, k, n)
			p.Run(m, k, n)
			sameBits(t, fmt.Sprintf("%d x %d x %d, %v %v", m, k, n, p.LowerA, p.UpperB), p.C.Data, want.C.Data)
		}
	})
}

func randomMul(rng *rand.Rand, m, k, n int, special bool) Mul {
	p := Mul{Alpha: rng.NormFloat64(), Lower: rng.IntN(2) == 0, Overwrite: rng.IntN(2) == 0}
	if p.Overwrite {
		p.Alpha = 1
	}
	if p.Lower {
		n = max(n, m)
	}
	crowded := n >= 250 && rng.IntN(2) == 0
	p.C = Matrix{Row: n + rng.IntN(5), Column: 1}
	p.C.Data = values(rng, m*p.C.Row+3, special)
	p.B = Matrix{Row: n + rng.IntN(5), Column: 1}
	if crowded { // rows compete for places in the cache
		p.B.Row = 320
	} else if rng.IntN(3) == 0 {
		p.B = Matrix{Row: 1, Column: k + rng.IntN(5)}
	}
	p.B.Data = values(rng, p.B.extent(k, n), special)
	if rng.IntN(2) == 0 {
		p.A = Matrix{Row: k + rng.IntN(3), Column: 1}
	} else {
		p.A = Matrix{Row: 1, Column: m + rng.IntN(3)}
	}
	p.A.Data = values(rng, p.A.extent(m, k), special)
	if rng.IntN(2) == 0 {
		p.W = values(rng, k, special)
	}
	return p
}

func BenchmarkMul(b *testing.B) {
	for _, d := range []int{8, 10, 16, 43, 64, 128, 300, 1000, 1500} {
		for _, l := range []Level{AVX2, AVX512} {
			b.Run(fmt.Sprintf("%d/%v", d, l), func(b *testing.B) {
				defer Use(Use(l))
				rng := rand.New(rand.NewPCG(1, 2))
				p := Mul{Alpha: 1, Overwrite: true}
				p.C, p.A, p.B = Matrix{values(rng, d*d, false), d, 1}, Matrix{values(rng, d*d, false), d, 1}, Matrix{values(rng, d*d, false), d, 1}
				for b.Loop() {
					p.Run(d, d, d)
				}
				b.ReportMetric(2*float64(d*d*d)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
			})
		}
	}
}
