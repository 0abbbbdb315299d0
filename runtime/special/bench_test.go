package special

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// sink keeps the compiler from dropping the calls.
var sink float64

const benchPoints = 1024

// spread returns points spaced evenly in the logarithm between lo and hi, in random order.
func spread(lo, hi float64) []float64 {
	rng := rand.New(rand.NewPCG(7, 9))
	points := make([]float64, benchPoints)
	for k := range points {
		points[k] = lo * math.Exp(rng.Float64()*math.Log(hi/lo))
	}
	return points
}

// counts returns random whole numbers from lo to hi.
func counts(lo, hi int) []float64 {
	rng := rand.New(rand.NewPCG(11, 13))
	points := make([]float64, benchPoints)
	for k := range points {
		points[k] = float64(lo + rng.IntN(hi-lo+1))
	}
	return points
}

// even returns points between lo and hi.
func even(lo, hi float64) []float64 {
	rng := rand.New(rand.NewPCG(3, 5))
	points := make([]float64, benchPoints)
	for k := range points {
		points[k] = lo + rng.Float64()*(hi-lo)
	}
	return points
}

func BenchmarkUnary(b *testing.B) {
	line := even(-10, 10)
	for _, c := range []struct {
		name   string
		f      func(float64) float64
		points []float64
	}{
		{"math.Log", math.Log, spread(0.1, 1e6)},
		{"Lgamma", Lgamma, spread(0.1, 1e6)},
		{"Digamma", Digamma, spread(0.1, 1e6)},
		{"Digamma/large", Digamma, spread(5, 1e6)},
		{"Trigamma", Trigamma, spread(0.1, 1e6)},
		{"Trigamma/large", Trigamma, spread(5, 1e6)},
		{"Tetragamma", Tetragamma, spread(0.1, 1e6)},
		{"DigammaLog", DigammaLog, spread(0.1, 1e6)},
		{"TrigammaInv", TrigammaInv, spread(0.1, 1e6)},
		{"TetragammaInv2", TetragammaInv2, spread(0.1, 1e6)},
		{"Erfcx", Erfcx, line},
		{"Ndtr", Ndtr, line},
		{"LogNdtr", LogNdtr, line},
		{"NdtrRatio", NdtrRatio, line},
		{"NormalQuantile", NormalQuantile, even(0, 1)},
		{"Sigmoid", Sigmoid, line},
		{"LogSigmoid", LogSigmoid, line},
		{"Softplus", Softplus, line},
		{"SoftplusSigmoid", func(x float64) float64 { l, s := SoftplusSigmoid(x); return l + s }, line},
		{"Logit", Logit, even(0, 1)},
	} {
		b.Run(c.name, func(b *testing.B) {
			for k := 0; b.Loop(); k++ {
				sink += c.f(c.points[k%benchPoints])
			}
		})
	}
}

func BenchmarkDifference(b *testing.B) {
	both := func(x, r float64) float64 {
		l, d := LgammaDigammaDiff(x, r)
		return l + d
	}
	for _, c := range []struct {
		name string
		f    func(x, r float64) float64
	}{
		{"LgammaDiff", LgammaDiff}, {"DigammaDiff", DigammaDiff}, {"LgammaDigammaDiff", both},
		{"TrigammaDiff", TrigammaDiff}, {"TetragammaDiff", TetragammaDiff},
	} {
		for _, a := range []struct {
			name string
			x, r []float64
		}{
			{"count=4", counts(4, 4), spread(0.5, 50)},
			{"count=16", counts(16, 16), spread(0.5, 50)},
			{"count=0..8", counts(0, 8), spread(0.5, 50)},
			{"count=17..1000", counts(17, 1000), spread(3, 50)},
			{"real", spread(0.1, 100), spread(0.5, 50)},
		} {
			b.Run(fmt.Sprint(c.name, "/", a.name), func(b *testing.B) {
				for k := 0; b.Loop(); k++ {
					sink += c.f(a.x[k%benchPoints], a.r[k%benchPoints])
				}
			})
		}
	}
}
