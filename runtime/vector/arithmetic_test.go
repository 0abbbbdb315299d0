package vector

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// operations are the operations in Go.
var operations = []func(a, b float64) float64{
	Plus:  func(a, b float64) float64 { return a + b },
	Minus: func(a, b float64) float64 { return a - b },
	Times: func(a, b float64) float64 { return a * b },
	Over:  func(a, b float64) float64 { return a / b },
}

// TestArithmetic: on every level the same bits as in Go, for special numbers too, into memory of its own or that of an operand.
func TestArithmetic(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(21, 22))
		for n := range 70 {
			for o, f := range operations {
				o := Operation(o)
				a, b := values(rng, n, n%3 == 0), values(rng, n, n%3 == 0)
				x := values(rng, 1, n%5 == 0)[0]
				for form, run := range map[string]func(dst, a []float64){
					"slices":       func(dst, a []float64) { Combine(o, dst, a, b) },
					"number":       func(dst, a []float64) { CombineNumber(o, dst, a, x) },
					"number first": func(dst, a []float64) { CombineFrom(o, dst, x, a) },
				} {
					want := make([]float64, n)
					for i := range want {
						switch form {
						case "slices":
							want[i] = f(a[i], b[i])
						case "number":
							want[i] = f(a[i], x)
						default:
							want[i] = f(x, a[i])
						}
					}
					name := fmt.Sprintf("operation %d of %d, %s", o, n, form)
					got := append(make([]float64, n), 7)
					run(got[:n], a)
					sameBits(t, name, got, append(want, 7))
					same := append([]float64(nil), a...)
					run(same, same)
					sameBits(t, name+" in place", same, want)
				}
			}
		}
	})
}

// TestInverses: on every level the same bits as in Go, for special numbers too, into memory of its own or that of an operand.
func TestInverses(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(25, 26))
		for n := range 70 {
			x := values(rng, n, n%3 == 0)
			inverses, roots := make([]float64, n), make([]float64, n)
			for i, v := range x {
				inverses[i], roots[i] = 1/v, 1/math.Sqrt(v)
			}
			for _, f := range []struct {
				name string
				run  func(dst, x []float64)
				want []float64
			}{{"Inverse", Inverse, inverses}, {"InverseRoot", InverseRoot, roots}} {
				got := append(make([]float64, n), 7)
				f.run(got[:n], x)
				sameBits(t, f.name, got, append(slices.Clone(f.want), 7))
				same := slices.Clone(x)
				f.run(same, same)
				sameBits(t, f.name+" in place", same, f.want)
			}
		}
	})
}

// TestAffineTimes: on every level the same bits as in Go, into memory of its own or that of an operand.
func TestAffineTimes(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(23, 24))
		for n := range 70 {
			x, y := values(rng, n, n%3 == 0), values(rng, n, n%3 == 0)
			c, a, b := rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()
			want := make([]float64, n)
			for i := range want {
				sum := float64(a*x[i]) + b
				want[i] = c * sum * y[i]
			}
			got := append(make([]float64, n), 7)
			AffineTimes(got[:n], c, a, x, b, y)
			sameBits(t, fmt.Sprintf("%d numbers", n), got, append(want, 7))
			for name, dst := range map[string][]float64{"the first": slices.Clone(x), "the second": slices.Clone(y)} {
				if name == "the first" {
					AffineTimes(dst, c, a, dst, b, y)
				} else {
					AffineTimes(dst, c, a, x, b, dst)
				}
				sameBits(t, fmt.Sprintf("%d numbers into %s", n, name), dst, want)
			}
		}
	})
}

// TestTriangles: on every level the same bits as in Go, in the lower triangle alone, which is the only one that is read where nothing else is said.
func TestTriangles(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(25, 26))
		for _, d := range []int{1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 63, 64, 65, 72, 79, 130, 200} {
			special := d%3 == 0
			a, b, u, v := values(rng, d*d, special), values(rng, d*d, special), values(rng, d, special), values(rng, d, special)
			p, q := rng.NormFloat64(), rng.NormFloat64()
			for name, test := range map[string]struct {
				run  func(dst, a []float64, mirrored bool)
				term func(i, j int) float64
			}{
				"sum": {func(dst, a []float64, mirrored bool) { LowerSum(dst, p, a, q, b, d, mirrored) },
					func(i, j int) float64 { return float64(0.5*b[i*d+j]) + float64(0.5*b[i*d+j]) }},
				"symmetric": {func(dst, a []float64, mirrored bool) { LowerSymmetric(dst, p, a, q, b, d, mirrored) },
					func(i, j int) float64 { return b[i*d+j] + b[j*d+i] }},
				"rank two": {func(dst, a []float64, mirrored bool) { LowerRankTwo(dst, p, a, q, u, v, d, mirrored) },
					func(i, j int) float64 { return float64(u[i]*v[j]) + float64(v[i]*u[j]) }},
			} {
				got, same := values(rng, d*d, false), slices.Clone(a)
				want, inPlace := slices.Clone(got), slices.Clone(a)
				for i := range d {
					for j := range i + 1 {
						want[i*d+j] = float64(p*a[i*d+j]) + float64(q*test.term(i, j))
						inPlace[i*d+j] = want[i*d+j]
					}
				}
				test.run(got, a, false)
				sameBits(t, fmt.Sprintf("%s of %d", name, d), got, want)
				test.run(same, same, false)
				sameBits(t, fmt.Sprintf("%s of %d in place", name, d), same, inPlace)
				for i := range d {
					for j := range i {
						want[j*d+i] = want[i*d+j]
					}
				}
				same = slices.Clone(a)
				test.run(same, same, true)
				sameBits(t, fmt.Sprintf("%s of %d, mirrored in place", name, d), same, want)
			}
		}
	})
}
