package vector

import (
	"fmt"
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
