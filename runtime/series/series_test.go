package series_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sngdgen/sngdgen/runtime/series"
)

// A state s of one number, 0.3 at first, with s' = a tanh(s) + x and the value b s x, along rows with weights: with the derivatives
// with respect to a, b and the start.
func along(x, w, labels, memory []float64, a, b, start float64, slopes bool) series.Scan {
	scan := series.New(memory, len(w), w, labels, 1, 3, 1, slopes)
	for scan.Next() {
		copy(scan.Data, x[scan.Row:])
		s, x := scan.State[0], scan.Data[0]
		t := math.Tanh(s)
		switch scan.Do {
		case series.Start:
			scan.State[0] = start
		case series.Step:
			scan.Value, scan.After[0] = b*s*x, a*t+x
		case series.Back:
			c := scan.Cotangent[0]
			scan.Before[0] = scan.Weight*b*x + c*a*(1-t*t)
			scan.Gradient[0], scan.Gradient[1], scan.Gradient[2] = c*t, scan.Weight*s*x, 0
		case series.BackStart:
			scan.Gradient[0], scan.Gradient[1], scan.Gradient[2] = 0, 0, scan.Cotangent[0]
		}
	}
	return scan
}

// slowly is the sum by a plain loop.
func slowly(x, w, labels []float64, a, b, start float64) float64 {
	sum, s := 0.0, start
	for i := range x {
		if labels != nil && i > 0 && labels[i] != labels[i-1] {
			s = start
		}
		sum += w[i] * b * s * x[i]
		s = a*math.Tanh(s) + x[i]
	}
	return sum
}

// The sum is that of a plain loop, whatever the number of rows and of series, and derivatives are those of differences. All memory
// that is said to be needed may be full of what was there before.
func TestScan(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, 2, 3, 4, 5, 8, 9, 10, 16, 17, 24, 25, 26, 99, 100, 101, 1000} {
		for _, several := range []bool{false, true} {
			x, w := make([]float64, n), make([]float64, n)
			var labels []float64
			for i := range x {
				x[i], w[i] = rng.NormFloat64(), float64(rng.IntN(3))
				if several {
					labels = append(labels, float64(i/7+rng.IntN(2)))
				}
			}
			memory := make([]float64, series.Memory(n, 1, 3, 1))
			for i := range memory {
				memory[i] = math.NaN()
			}
			at := [3]float64{0.9, 1.3, 0.3}
			f := func(p [3]float64) float64 { return slowly(x, w, labels, p[0], p[1], p[2]) }
			if got := along(x, w, labels, memory, at[0], at[1], at[2], false).Sum; !near(got, f(at), 1e-12) {
				t.Errorf("%d rows: sum %v, by a loop %v", n, got, f(at))
			}
			scan := along(x, w, labels, memory, at[0], at[1], at[2], true)
			if !near(scan.Sum, f(at), 1e-12) {
				t.Errorf("%d rows: sum %v on the way to derivatives, by a loop %v", n, scan.Sum, f(at))
			}
			for k := range at {
				const h = 1e-5
				up, down := at, at
				up[k] += h
				down[k] -= h
				if want := (f(up) - f(down)) / (2 * h); !near(scan.Total[k], want, 1e-6) {
					t.Errorf("%d rows, series %t: derivative %d is %v, by differences %v", n, several, k, scan.Total[k], want)
				}
			}
		}
	}
}

func near(a, b, tol float64) bool { return math.Abs(a-b) <= tol*(1+math.Abs(b)) }

// Memory grows with the square root of the number of rows, and nothing is allocated on the way.
func TestMemory(t *testing.T) {
	if small, large := series.Memory(1e4, 3, 5, 2), series.Memory(1e6, 3, 5, 2); large > 10*small {
		t.Errorf("%d numbers for 1e4 rows, %d for 1e6", small, large)
	}
	x, w := make([]float64, 500), make([]float64, 500)
	memory := make([]float64, series.Memory(500, 1, 3, 1))
	if n := testing.AllocsPerRun(10, func() { along(x, w, nil, memory, 0.9, 1, 0.3, true) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
