package special

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestGammaQuantileTables(t *testing.T) {
	checkTable(t, "gammaquantile", 3, func(a []float64) float64 { return GammaQuantile(a[0], a[1]) }, inUlps)
	checkTable(t, "gammaquantileda", 10, func(a []float64) float64 { return GammaQuantileDA(a[0], a[1]) }, inUlps)
	checkTable(t, "gammaquantiledu", 4, func(a []float64) float64 { return GammaQuantileDU(a[0], a[1]) }, inUlps)
}

func TestGammaQuantileEdges(t *testing.T) {
	expect := func(u, a, x, da float64) {
		t.Helper()
		gotX, gotDA := GammaQuantileWithDA(u, a)
		if !same(gotX, x) || !same(gotDA, da) {
			t.Errorf("GammaQuantileWithDA(%v, %v) = %v, %v, want %v, %v", u, a, gotX, gotDA, x, da)
		}
		if !same(GammaQuantile(u, a), x) || !same(GammaQuantileDA(u, a), da) {
			t.Errorf("at %v, %v: %v, %v, want %v, %v", u, a, GammaQuantile(u, a), GammaQuantileDA(u, a), x, da)
		}
	}
	for _, a := range []float64{5e-324, 1e-10, 0.3, 1, 5, 30, 1e10, math.MaxFloat64, inf} {
		expect(0, a, 0, 0)
		expect(1, a, inf, inf)
		for _, u := range []float64{nan, -5e-324, -1, math.Nextafter(1, 2), inf, -inf} {
			expect(u, a, nan, nan)
		}
	}
	for _, a := range []float64{nan, 0, -1, -inf} {
		for _, u := range []float64{nan, 0, 0.3, 1} {
			expect(u, a, nan, nan)
		}
	}
	expect(0.3, inf, inf, 1)
	for _, u := range []float64{5e-324, 1e-300, 0.5, 1 - 1e-16} { // the quantile underflows
		expect(u, 1e-30, 0, 0)
		expect(u, 5e-324, 0, 0)
	}
	expect(1e-5, 0.01, 0, 0)
}

// The distribution of shape 1 is the exponential one, that of shape 1/2 that of half a squared normal number.
func TestGammaQuantileClosedForms(t *testing.T) {
	for _, u := range append(spread(1e-300, 0.9), even(0, 1)...) {
		if got, want := GammaQuantile(u, 1), -math.Log1p(-u); !(math.Abs(got-want) <= 16*ulp(want)) {
			t.Errorf("GammaQuantile(%v, 1) = %v, want %v", u, got, want)
		}
		p := 0.5 - 0.5*u // not exact for small u
		if z := NormalQuantile(p); u > 1e-3 {
			if got, want := GammaQuantile(u, 0.5), 0.5*z*z; !(math.Abs(got-want) <= 1e-12*want) {
				t.Errorf("GammaQuantile(%v, 1/2) = %v, want %v", u, got, want)
			}
		}
	}
}

// For a large shape the distribution is the normal one, with its first corrections (Cornish and Fisher).
func TestGammaQuantileNormalLimit(t *testing.T) {
	for _, a := range []float64{1e14, 1e20, 1e40, 1e300} {
		for _, u := range append(spread(1e-300, 0.5), even(0, 1)...) {
			z := NormalQuantile(u)
			x, da := GammaQuantileWithDA(u, a)
			if want := a + (z*math.Sqrt(a) + (z*z-1)/3); !(math.Abs(x-want) <= 2*ulp(want)) {
				t.Errorf("GammaQuantile(%v, %v) = %v, want %v", u, a, x, want)
			}
			if want := 1 + 0.5*z/math.Sqrt(a); !(math.Abs(da-want) <= 2*ulp(want)) {
				t.Errorf("GammaQuantileDA(%v, %v) = %v, want %v", u, a, da, want)
			}
		}
	}
}

// For a small shape the quantile is a power, as long as it is small; and its logarithm is right where it nearly
// underflows.
func TestGammaQuantilePowerLimit(t *testing.T) {
	for _, a := range []float64{1e-3, 0.01, 0.1, 0.5, 0.9} {
		for _, share := range even(0.06, 0.999) {
			logX := -700 * share
			u := math.Exp(a*logX - Lgamma(1+a))
			x, da := GammaQuantileWithDA(u, a)
			if !(math.Abs(math.Log(x)-logX) <= 4*ulp(logX)+2*eps/a) {
				t.Errorf("log GammaQuantile(%v, %v) = %v, want %v", u, a, math.Log(x), logX)
			}
			if want := x / a * (Digamma(1+a) - math.Log(x)); !(math.Abs(da-want) <= 8*ulp(want)) {
				t.Errorf("GammaQuantileDA(%v, %v) = %v, want %v", u, a, da, want)
			}
		}
	}
}

// drawChance draws a probability, in both tails and the middle.
func drawChance(t *rapid.T) float64 {
	u := drawLog(t, "chance", 1e-12, 0.9)
	if rapid.Bool().Draw(t, "right") {
		return 1 - u
	}
	return u
}

// drawShape draws a shape of every form.
func drawShape(t *rapid.T) float64 { return drawLog(t, "shape", 0.05, 1e4) }

func TestGammaQuantileMonotone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		u, a := drawChance(t), drawShape(t)
		step := drawLog(t, "step", 1e-12, 1)
		x := GammaQuantile(u, a)
		slack := 48 * eps * x
		if v := u + (1-u)*u*step; GammaQuantile(v, a) < x-slack {
			t.Fatalf("the quantile falls from %v at %v to %v at %v", x, u, GammaQuantile(v, a), v)
		}
		if y := GammaQuantile(u, a*(1+step)); y < x-slack {
			t.Fatalf("the quantile falls in the shape: %v, %v", x, y)
		}
	})
}

// The derivative in the shape against differences of the logarithm of the quantile, in that of the shape.
func TestGammaQuantileDifferences(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		u, a := drawChance(t), drawShape(t)
		const h = 1e-3
		at := func(k float64) float64 { return math.Log(GammaQuantile(u, a*math.Exp(k*h))) }
		want := (8*(at(1)-at(-1)) - (at(2) - at(-2))) / (12 * h)
		x, da := GammaQuantileWithDA(u, a)
		near(t, "dx/da", a*da/x, want, math.Abs(want)+1e-2*math.Abs(math.Log(x)), 1e-9)
	})
}

// The derivative in the probability is the inverse of the density.
func TestGammaQuantileDensity(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		u, a := drawChance(t), drawShape(t)
		h := 1e-3 * u * (1 - u)
		up, down := u+h, u-h
		slope := (GammaQuantile(up, a) - GammaQuantile(down, a)) / (up - down)
		x := GammaQuantile(u, a)
		want := math.Exp(-((a-1)*math.Log(x) - x - Lgamma(a)))
		near(t, "dx/du", slope, want, want*(1+1/(a*a)), 1e-5+1e-11*x/(h*want))
	})
}

func TestGammaQuantileNoAllocation(t *testing.T) {
	if n := testing.AllocsPerRun(5, func() {
		for _, u := range []float64{1e-300, 1e-20, 0.01, 0.3, 0.6, 0.99, 1 - 1e-12} {
			for _, a := range []float64{1e-3, 0.3, 1, 4, 20, 50, 1e6, 1e300} {
				x, da := GammaQuantileWithDA(u, a)
				sink += x + da + GammaQuantile(u, a) + GammaQuantileDA(u, a)
			}
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkGammaQuantile(b *testing.B) {
	for _, c := range []struct {
		name string
		u, a []float64
	}{
		{"a=0.01..0.1", even(0, 1), spread(0.01, 0.1)},
		{"a=0.1..1", even(0, 1), spread(0.1, 1)},
		{"a=0.1..1/right", even(0.9, 1), spread(0.1, 1)},
		{"a=1..8", even(0, 1), spread(1, 8)},
		{"a=8..40", even(0, 1), spread(8, 40)},
		{"a=40..1e6", even(0, 1), spread(40, 1e6)},
		{"a=0.1..100/left", spread(1e-300, 0.01), spread(0.1, 100)},
	} {
		b.Run("alone/"+c.name, func(b *testing.B) {
			for k := 0; b.Loop(); k++ {
				sink += GammaQuantile(c.u[k%benchPoints], c.a[k*7%benchPoints])
			}
		})
		b.Run("withDA/"+c.name, func(b *testing.B) {
			for k := 0; b.Loop(); k++ {
				x, da := GammaQuantileWithDA(c.u[k%benchPoints], c.a[k*7%benchPoints])
				sink += x + da
			}
		})
	}
}
