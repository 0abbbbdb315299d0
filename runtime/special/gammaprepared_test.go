package special

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func preparedFor(r float64) *GammaDiffs {
	g := new(GammaDiffs)
	g.Prepare(r, fewDiffs)
	return g
}

// The methods keep the bounds of the functions.
func TestGammaDiffsTables(t *testing.T) {
	lgamma := func(a []float64) float64 { return preparedFor(a[1]).Lgamma(a[0]) }
	digamma := func(a []float64) float64 { return preparedFor(a[1]).Digamma(a[0]) }
	for _, name := range []string{"far", "whole", "real"} {
		checkTable(t, "lgammadiff_"+name, 4, lgamma, lgammaDiffError)
		checkTable(t, "digammadiff_"+name, 4, digamma, inUlps)
	}
}

// alike takes NaN as equal to itself.
func alike(x, y float64) bool { return x == y || math.IsNaN(x) && math.IsNaN(y) }

// Both at once are the two methods to the last digit, and all are the functions: exactly so where nothing is prepared.
func TestGammaDiffsAreTheFunctions(t *testing.T) {
	xs := []float64{0, 1, 2, 16, 0.25, 15.5, 16.5, 17, 300, 1e9, 1e300, math.MaxFloat64, math.Inf(1), -1, math.NaN()}
	rs := []float64{0, 5e-324, 1e-10, 0.7, 1, 2.9999999999999996, 3, 14.9, 1e10, 1e18, 1.1e18, 1e300, math.MaxFloat64,
		math.Inf(1), -1, math.NaN()}
	for _, r := range rs {
		g := preparedFor(r)
		for _, x := range xs {
			l, d := g.LgammaDigamma(x)
			if !alike(l, g.Lgamma(x)) || !alike(d, g.Digamma(x)) {
				t.Errorf("(%v, %v): %v, %v together, but %v, %v", x, r, l, d, g.Lgamma(x), g.Digamma(x))
			}
			wantL, wantD := LgammaDigammaDiff(x, r)
			if alike(l, wantL) && alike(d, wantD) {
				continue
			}
			size := math.Max(math.Abs(wantL), 1+math.Abs(math.Log(r)))
			if !g.isFar(x) || !(math.Abs(l-wantL) <= 4*ulp(size) && math.Abs(d-wantD) <= 4*ulp(wantD)) {
				t.Errorf("(%v, %v): %v, %v, not %v, %v", x, r, l, d, wantL, wantD)
			}
		}
	}
}

// What is returned does not depend on what was asked before.
func TestGammaDiffsForget(t *testing.T) {
	rs := []float64{0.5, 2, 14.9, 0, 1e19, math.NaN()}
	rapid.Check(t, func(t *rapid.T) {
		g := new(GammaDiffs)
		for range rapid.IntRange(1, 20).Draw(t, "passes") {
			r := rapid.SampledFrom(rs).Draw(t, "r")
			calls := rapid.IntRange(1, 10).Draw(t, "calls")
			fresh := new(GammaDiffs)
			g.Prepare(r, calls)
			fresh.Prepare(r, calls)
			for range 5 {
				x := float64(rapid.IntRange(-2, 80).Draw(t, "half")) / 2
				l, d := g.LgammaDigamma(x)
				if wantL, wantD := fresh.LgammaDigamma(x); !alike(l, wantL) || !alike(d, wantD) {
					t.Fatalf("(%v, %v): %v, %v, at first %v, %v", x, r, l, d, wantL, wantD)
				}
			}
		}
	})
}

// Few calls are the functions themselves, and so is what was never prepared, at r = 0.
func TestGammaDiffsUnprepared(t *testing.T) {
	few, zero := new(GammaDiffs), new(GammaDiffs)
	few.Prepare(2.5, fewDiffs-1)
	for _, x := range []float64{0, 3, 0.5, 17, 1000} {
		l, d := few.LgammaDigamma(x)
		if wantL, wantD := LgammaDigammaDiff(x, 2.5); l != wantL || d != wantD {
			t.Errorf("few, %v: %v, %v, not %v, %v", x, l, d, wantL, wantD)
		}
		l, d = zero.LgammaDigamma(x)
		if wantL, wantD := LgammaDigammaDiff(x, 0); l != wantL || d != wantD {
			t.Errorf("zero value, %v: %v, %v, not %v, %v", x, l, d, wantL, wantD)
		}
	}
}

func TestGammaDiffsAllocateNothing(t *testing.T) {
	g := new(GammaDiffs)
	if n := testing.AllocsPerRun(10, func() {
		g.Prepare(g.r+0.7, 100)
		for x := range 40 {
			sink += g.Lgamma(float64(x)) + g.Digamma(float64(x)/2)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
