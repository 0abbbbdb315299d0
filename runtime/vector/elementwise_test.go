package vector

import (
	"bufio"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
)

// function is one over slices, with what tests and the table of accuracy need to know.
type function struct {
	name  string
	run   func(dst, x []float64)
	limit float64                    // units in the last place
	draw  func(u, v float64) float64 // a point, of two uniform numbers
	ends  map[float64]float64        // at special arguments
}

var inf, nan = math.Inf(1), math.NaN()

var functions = []function{
	{"exp", Exp, 1.0, func(u, v float64) float64 {
		if v < 0.5 {
			return 4*u - 2
		}
		return 1500*u - 750
	}, map[float64]float64{0: 1, inf: inf, -inf: 0, nan: nan, 710: inf, math.MaxFloat64: inf, -746: 0, -1e300: 0, 5e-324: 1}},
	{"log", Log, 0.9, func(u, v float64) float64 {
		switch {
		case v < 0.5:
			return 0.5 + 1.5*u
		case v < 0.6:
			return u * 0x1p-1022
		}
		return math.Ldexp(1+v, int(2040*u)-1020)
	}, map[float64]float64{0: -inf, 1: 0, inf: inf, -inf: nan, nan: nan, -1: nan, -5e-324: nan}},
	{"expm1", Expm1, 1.2, func(u, v float64) float64 {
		if v < 0.7 {
			return 4*u - 2
		}
		return 760*u - 50
	}, map[float64]float64{0: 0, math.Copysign(0, -1): math.Copysign(0, -1), inf: inf, -inf: -1, nan: nan, 710: inf, -50: -1, 5e-324: 5e-324}},
	{"log1p", Log1p, 1.2, func(u, v float64) float64 {
		if v < 0.7 {
			return 4*u - 1
		}
		return math.Ldexp(1+v, int(2040*u)-1020)
	}, map[float64]float64{0: 0, math.Copysign(0, -1): math.Copysign(0, -1), inf: inf, -inf: nan, nan: nan, -1: -inf, -1.5: nan, 5e-324: 5e-324}},
	{"sigmoid", Sigmoid, 2, func(u, v float64) float64 {
		if v < 0.7 {
			return 80*u - 40
		}
		return 1500*u - 750
	}, map[float64]float64{0: 0.5, inf: 1, -inf: 0, nan: nan, -746: 0, 40: 1}},
	{"softplus", Softplus, 2, func(u, v float64) float64 {
		if v < 0.7 {
			return 80*u - 40
		}
		return 1500*u - 750
	}, map[float64]float64{inf: inf, -inf: 0, nan: nan, -746: 0, 1e300: 1e300}},
	{"logndtr", first(LogNdtrRatio), 4, normalPoint, map[float64]float64{-inf: -inf, nan: nan, -1e200: -inf, 40: 0, inf: 0}},
	{"ndtrratio", second(LogNdtrRatio), 4, normalPoint, map[float64]float64{-inf: inf, nan: nan, 40: 0, inf: 0}},
	{"logndtr", LogNdtr, 4, normalPoint, nil},
	{"ndtrratio", NdtrRatio, 4, normalPoint, nil},
	{"softplus", first(SoftplusSigmoid), 2, uniformPoint(-40, 40), nil},
	{"sigmoid", second(SoftplusSigmoid), 2, uniformPoint(-40, 40), nil},
}

// first and second are one of the results of a kernel of two functions, the other going to memory as far as there is some.
func first(f func(first, second, x []float64)) func(dst, x []float64) {
	return func(dst, x []float64) { f(dst, make([]float64, len(dst)), x) }
}

func second(f func(first, second, x []float64)) func(dst, x []float64) {
	return func(dst, x []float64) { f(make([]float64, len(dst)), dst, x) }
}

func uniformPoint(from, to float64) func(u, v float64) float64 {
	return func(u, _ float64) float64 { return from + (to-from)*u }
}

// normalPoint is one between -10 and 10 for half of the times, else one where tails end.
func normalPoint(u, v float64) float64 {
	if v < 0.5 {
		return 20*u - 10
	}
	return 80*u - 40
}

// points reads the table of a function: exact arguments, and values to 30 digits, by mpmath.
func points(t *testing.T, name string) (x []float64, want []*big.Float) {
	t.Helper()
	file, err := os.Open("testdata/" + name + ".tsv")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for s := bufio.NewScanner(file); s.Scan(); {
		left, right, _ := strings.Cut(s.Text(), "\t")
		v, err := strconv.ParseFloat(left, 64)
		if err != nil {
			t.Fatal(err)
		}
		w, _, err := big.ParseFloat(right, 10, 120, big.ToNearestEven)
		if err != nil {
			t.Fatal(err)
		}
		x, want = append(x, v), append(want, w)
	}
	return x, want
}

// ulps is how far a value is from the true one, in distances from that to the next larger number.
func ulps(got float64, want *big.Float) float64 {
	w, _ := want.Float64()
	w = math.Abs(w)
	if math.IsInf(w, 0) || math.IsInf(got, 0) || got != got {
		if math.Abs(got) == w {
			return 0
		}
		return inf
	}
	gap := math.Nextafter(w, inf) - w
	if math.IsInf(gap, 0) {
		gap = w - math.Nextafter(w, 0)
	}
	d, _ := new(big.Float).Sub(new(big.Float).SetPrec(160).SetFloat64(got), want).Float64()
	return math.Abs(d) / gap
}

func TestFunctions(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		for _, f := range functions {
			x, want := points(t, f.name)
			got := make([]float64, len(x))
			f.run(got, x)
			worst, at := 0.0, 0.0
			for i, w := range want {
				if e := ulps(got[i], w); !(e <= worst) {
					worst, at = e, x[i]
				}
			}
			t.Logf("%s: %.3f units in the last place at %v, of %d points", f.name, worst, at, len(x))
			if !(worst <= f.limit) {
				t.Errorf("%s is off by %.3f units in the last place at %v", f.name, worst, at)
			}
			for x, want := range f.ends {
				all := []float64{x, x, x, x, x, x, x, x, x, x, x}
				f.run(all, all)
				for _, got := range all {
					if !equal(got, want) {
						t.Errorf("%s(%v) is %v instead of %v", f.name, x, got, want)
						break
					}
				}
			}
		}
	})
}

// TestFunctionsAlike: values do not depend on the level, on what stands beside them, or on how many there are.
func TestFunctionsAlike(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	for _, f := range functions {
		x := make([]float64, 20000)
		for i := range x {
			x[i] = f.draw(rng.Float64(), rng.Float64())
			if i%50 == 0 {
				x[i] = math.Float64frombits(rng.Uint64())
			}
		}
		want := make([]float64, len(x))
		f.run(want, x)
		eachLevel(t, func(t *testing.T) {
			for n := range 40 {
				at := rng.IntN(len(x) - n)
				got := make([]float64, n+3)
				got[n] = 7
				f.run(got[:n], x[at:])
				sameBits(t, fmt.Sprintf("%s of %d", f.name, n), got, append(append([]float64(nil), want[at:at+n]...), 7))
			}
			got := append([]float64(nil), x...)
			f.run(got, got)
			sameBits(t, f.name, got, want)
		})
	}
}

// TestApart: functions that have a kernel together and one alone come to the same bits.
func TestApart(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		x := emulatedPoints()
		first, second, one := make([]float64, len(x)), make([]float64, len(x)), make([]float64, len(x))
		for _, f := range []struct {
			name        string
			both        func(first, second, x []float64)
			left, right func(dst, x []float64)
		}{
			{"LogNdtrRatio", LogNdtrRatio, LogNdtr, NdtrRatio},
			{"SoftplusSigmoid", SoftplusSigmoid, Softplus, Sigmoid},
		} {
			f.both(first, second, x)
			f.left(one, x)
			sameBits(t, "first of "+f.name, one, first)
			f.right(one, x)
			sameBits(t, "second of "+f.name, one, second)
		}
	})
}

func TestExpShares(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(15, 16))
		for n := range 50 {
			x, top, sums := values(rng, n, true), values(rng, n, true), values(rng, n, false)
			for i := range x {
				x[i] *= 300
			}
			got, want, wantSums := make([]float64, n), make([]float64, n), make([]float64, n)
			for i := range x {
				want[i] = x[i] - top[i]
			}
			Exp(want, want)
			for i, v := range want {
				if v < 0x1p-1022 {
					want[i] = 0
				}
				wantSums[i] = sums[i] + want[i]
			}
			ExpShares(got, x, top, sums)
			sameBits(t, "shares", got, want)
			sameBits(t, "sums", sums, wantSums)
		}
	})
}

func BenchmarkFunctions(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, f := range functions {
		x, dst := make([]float64, 256), make([]float64, 256)
		for i := range x {
			x[i] = f.draw(rng.Float64(), 0)
		}
		for _, l := range []Level{AVX2, AVX512} {
			b.Run(fmt.Sprintf("%s/%v", f.name, l), func(b *testing.B) {
				defer Use(Use(l))
				for b.Loop() {
					f.run(dst, x)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/256, "ns/number")
			})
		}
	}
}
