package special

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestGammaTailEdges(t *testing.T) {
	type at struct{ x, a float64 }
	for _, c := range []struct {
		name string
		f    func(x, a float64) float64
		want map[at]float64
	}{
		{"GammaCDF", GammaCDF, map[at]float64{{0, 2}: 0, {inf, 2}: 1, {2, inf}: 0}},
		{"GammaLogCDF", GammaLogCDF, map[at]float64{{0, 2}: -inf, {inf, 2}: 0, {2, inf}: -inf}},
		{"GammaLogSF", GammaLogSF, map[at]float64{{0, 2}: 0, {inf, 2}: -inf, {2, inf}: 0, {3, 1}: -3, {700, 1}: -700}},
		{"GammaRatio", GammaRatio, map[at]float64{{0, 2}: inf, {inf, 2}: 0}},
		{"GammaHazard", GammaHazard, map[at]float64{{0, 2}: 0, {0, 1}: 1, {0, 0.5}: inf, {inf, 2}: 1, {5, 1}: 1}},
		{"GammaLogCDFDA", GammaLogCDFDA, map[at]float64{{0, 2}: -inf, {inf, 2}: 0}},
		{"GammaLogSFDA", GammaLogSFDA, map[at]float64{{0, 2}: 0, {inf, 2}: inf}},
	} {
		for a, want := range c.want {
			if got := c.f(a.x, a.a); !same(got, want) && !(math.Abs(got-want) <= 4*ulp(want)) {
				t.Errorf("%s(%v, %v) = %v, want %v", c.name, a.x, a.a, got, want)
			}
		}
		for _, a := range []at{{-1, 2}, {1, 0}, {1, -1}, {nan, 1}, {1, nan}, {inf, inf}} {
			if got := c.f(a.x, a.a); got == got {
				t.Errorf("%s(%v, %v) = %v, want NaN", c.name, a.x, a.a, got)
			}
		}
	}
}

// Both tails are probabilities that add up to 1, the quantile undoes the distribution function, and the derivatives have their signs, all
// over the domain.
func TestGammaTails(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := drawLog(t, "shape", 1e-12, 1e8)
		x := a * drawLog(t, "ratio", 1e-5, 1e3)
		if rapid.Bool().Draw(t, "near") {
			x = math.Abs(a + math.Sqrt(a)*drawLog(t, "deviation", 0.01, 30))
		}
		p, q := GammaLogCDF(x, a), GammaLogSF(x, a)
		if sum := math.Exp(p) + math.Exp(q); !(p <= 0 && q <= 0 && math.Abs(sum-1) <= 1e-14) {
			t.Fatalf("at %v, %v: log P = %v, log Q = %v", x, a, p, q)
		}
		if r, h := GammaRatio(x, a), GammaHazard(x, a); !(r >= 0 && h >= 0) {
			t.Fatalf("at %v, %v: ratio %v, hazard %v", x, a, r, h)
		}
		if down, up := GammaLogCDFDA(x, a), GammaLogSFDA(x, a); !(down <= 0 && up >= 0) {
			t.Fatalf("at %v, %v: derivatives in the shape %v, %v", x, a, down, up)
		}
		u := GammaCDF(x, a)
		if back := GammaQuantile(u, a); u > 1e-300 && u < 0.9 && !(math.Abs(back-x) <= math.Max(1e-14/GammaRatio(x, a), 2*ulp(x))) {
			t.Fatalf("the quantile of %v at shape %v is %v, not %v", u, a, back, x)
		}
	})
}

// The derivatives in the shape against differences.
func TestGammaTailDifferences(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := drawLog(t, "shape", 0.05, 1e3)
		x := a * drawLog(t, "ratio", 0.2, 4)
		h := 1e-3 / (1 + a)
		for _, c := range []struct {
			name  string
			f, df func(x, a float64) float64
		}{{"log P", GammaLogCDF, GammaLogCDFDA}, {"log Q", GammaLogSF, GammaLogSFDA}} {
			at := func(k float64) float64 { return c.f(x, a*math.Exp(k*h)) }
			want := (8*(at(1)-at(-1)) - (at(2) - at(-2))) / (12 * h)
			near(t, c.name, a*c.df(x, a), want, math.Abs(want)+math.Abs(c.f(x, a))+1e-300, 1e-6) // differences of less have no digits
		}
	})
}

func TestGammaTailNoAllocation(t *testing.T) {
	if n := testing.AllocsPerRun(5, func() {
		for _, a := range []float64{1e-3, 0.5, 3, 20, 1e5} {
			for _, r := range []float64{0.01, 0.9, 1.1, 5} {
				sink += GammaLogCDF(a*r, a) + GammaLogSFDA(a*r, a) + GammaHazard(a*r, a) + LogBesselK(a, r) + LogBesselI(a, r) + BesselIRatioDX(a, r) + BesselKRatio(a, r)
			}
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
