package special

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestBetaTailEdges(t *testing.T) {
	type at struct{ x, a, b float64 }
	for _, c := range []struct {
		name string
		f    func(x, a, b float64) float64
		want map[at]float64
	}{
		{"BetaCDF", BetaCDF, map[at]float64{{0, 2, 3}: 0, {1, 2, 3}: 1, {0.25, 1, 1}: 0.25, {0.5, 7, 7}: 0.5}},
		{"BetaLogCDF", BetaLogCDF, map[at]float64{{0, 2, 3}: -inf, {1, 2, 3}: 0, {0.25, 3, 1}: 3 * math.Log(0.25)}},
		{"BetaLogSF", BetaLogSF, map[at]float64{{0, 2, 3}: 0, {1, 2, 3}: -inf, {0.25, 1, 300}: 300 * math.Log(0.75)}},
		{"BetaRatio", BetaRatio, map[at]float64{{0, 2, 3}: inf, {1, 2, 3}: 0, {1, 2, 1}: 2, {0.25, 3, 1}: 12}},
		{"BetaHazard", BetaHazard, map[at]float64{{1, 2, 3}: inf, {0, 2, 3}: 0, {0, 1, 3}: 3, {0, 0.5, 3}: inf, {0.25, 1, 3}: 4}},
		{"BetaLogCDFDA", BetaLogCDFDA, map[at]float64{{0, 2, 3}: -inf, {1, 2, 3}: 0, {0.25, 3, 1}: math.Log(0.25) + 1.0/3 - 1.0/3}},
		{"BetaLogCDFDB", BetaLogCDFDB, map[at]float64{{0, 2, 1}: 1.5, {1, 2, 3}: 0}},
		{"BetaLogSFDA", BetaLogSFDA, map[at]float64{{0, 2, 3}: 0, {1, 1, 2}: 1.5}},
		{"BetaLogSFDB", BetaLogSFDB, map[at]float64{{0, 2, 3}: 0, {1, 2, 3}: -inf, {0.25, 1, 3}: math.Log(0.75)}},
	} {
		for a, want := range c.want {
			if got := c.f(a.x, a.a, a.b); !same(got, want) && !(math.Abs(got-want) <= 8*ulp(want)) {
				t.Errorf("%s(%v, %v, %v) = %v, want %v", c.name, a.x, a.a, a.b, got, want)
			}
		}
		for _, a := range []at{{-1, 2, 2}, {2, 1, 1}, {0.5, 0, 1}, {0.5, 1, 0}, {0.5, -1, 1}, {nan, 1, 1}, {0.5, nan, 1}, {0.5, 1, nan}} {
			if got := c.f(a.x, a.a, a.b); got == got {
				t.Errorf("%s(%v, %v, %v) = %v, want NaN", c.name, a.x, a.a, a.b, got)
			}
		}
	}
}

// Both tails are probabilities that add up to 1, the recurrence in the first shape holds, and derivatives have their signs, all over the domain.
func TestBetaTails(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawLog(t, "a", 1e-12, 1e8), drawLog(t, "b", 1e-12, 1e8)
		x := rapid.Float64Range(1e-12, 1-1e-12).Draw(t, "x")
		if rapid.Bool().Draw(t, "near") {
			x = math.Min(math.Max(a/(a+b)*(1+rapid.Float64Range(-10, 10).Draw(t, "deviations")*math.Sqrt(b/a/(a+b+1))), 1e-300), 1-1e-15)
		}
		below, above := BetaLogCDF(x, a, b), BetaLogSF(x, a, b)
		if sum := math.Exp(below) + math.Exp(above); !(below <= 0 && above <= 0 && math.Abs(sum-1) <= 1e-14) {
			t.Fatalf("at %v, %v, %v: log I = %v, log(1 - I) = %v", x, a, b, below, above)
		}
		if r, h := BetaRatio(x, a, b), BetaHazard(x, a, b); !(r >= 0 && h >= 0) {
			t.Fatalf("at %v, %v, %v: ratio %v, hazard %v", x, a, b, r, h)
		}
		if da, db := BetaLogCDFDA(x, a, b), BetaLogCDFDB(x, a, b); !(da <= 0 && db >= 0) {
			t.Fatalf("at %v, %v, %v: derivatives of log I %v, %v", x, a, b, da, db)
		}
		if da, db := BetaLogSFDA(x, a, b), BetaLogSFDB(x, a, b); !(da >= 0 && db <= 0) {
			t.Fatalf("at %v, %v, %v: derivatives of log(1 - I) %v, %v", x, a, b, da, db)
		}
		if c := BetaLogCDF(x, a+1, b); a > 1e-3 && !(c <= below+1e-13*(1-below)) {
			t.Fatalf("at %v, %v, %v: log I is %v, and with a larger shape %v", x, a, b, below, c)
		}
	})
}

// The derivatives against differences.
func TestBetaTailDifferences(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawLog(t, "a", 0.05, 1e3), drawLog(t, "b", 0.05, 1e3)
		x := rapid.Float64Range(0.01, 0.99).Draw(t, "x")
		h := 1e-3 / (1 + a + b)
		for _, c := range []struct {
			name   string
			f      func(x, a, b float64) float64
			da, db func(x, a, b float64) float64
		}{{"log I", BetaLogCDF, BetaLogCDFDA, BetaLogCDFDB}, {"log(1 - I)", BetaLogSF, BetaLogSFDA, BetaLogSFDB}} {
			size := math.Abs(c.f(x, a, b))
			if size < 1e-280 {
				continue
			}
			at := func(k float64) float64 { return c.f(x, a*math.Exp(k*h), b) }
			want := (8*(at(1)-at(-1)) - (at(2) - at(-2))) / (12 * h)
			near(t, c.name+" in a", a*c.da(x, a, b), want, math.Abs(want)+size, 1e-6)
			at = func(k float64) float64 { return c.f(x, a, b*math.Exp(k*h)) }
			want = (8*(at(1)-at(-1)) - (at(2) - at(-2))) / (12 * h)
			near(t, c.name+" in b", b*c.db(x, a, b), want, math.Abs(want)+size, 1e-6)
		}
	})
}

func TestOwenT(t *testing.T) {
	for _, c := range [][3]float64{{0, 1, 0.125}, {0, inf, 0.25}, {1, inf, Ndtr(-1) / 2}, {inf, 1, 0}, {0.7, 0, 0}} {
		if got := OwenT(c[0], c[1]); !(math.Abs(got-c[2]) <= 4*ulp(c[2])) {
			t.Errorf("T(%v, %v) = %v, want %v", c[0], c[1], got, c[2])
		}
	}
	for _, c := range [][2]float64{{nan, 1}, {1, nan}} {
		if got := OwenT(c[0], c[1]); got == got {
			t.Errorf("T(%v, %v) = %v", c[0], c[1], got)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		h, a := rapid.Float64Range(-10, 10).Draw(t, "h"), drawLog(t, "a", 1e-3, 1e3)
		v := OwenT(h, a)
		if OwenT(-h, a) != v || OwenT(h, -a) != -v {
			t.Fatal("not even in h, or not odd in a")
		}
		// T(h, a) + T(ah, 1/a) is (Phi(h) + Phi(ah))/2 - Phi(h) Phi(ah) for a > 0
		p, q := Ndtr(-math.Abs(h)), Ndtr(-math.Abs(a*h))
		near(t, "the other part", v+OwenT(a*h, 1/a), (p+q)/2-p*q, p+q, 1e-14)
	})
}

func TestBetaTailNoAllocation(t *testing.T) {
	if n := testing.AllocsPerRun(5, func() {
		for _, a := range []float64{1e-3, 0.5, 3, 20, 1e5} {
			for _, x := range []float64{0.01, 0.5, 0.999} {
				sink += BetaLogCDF(x, a, 2) + BetaLogSFDA(x, 2, a) + BetaHazard(x, a, 40) + BetaRatio(x, a, 1e4) + OwenT(x, a)
			}
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkBetaLogCDF(b *testing.B) {
	for range b.N {
		sink += BetaLogCDF(0.3, 2.5, 4)
	}
}
