package special

import (
	"math"

	"github.com/sngdgen/sngdgen/runtime/vector"
)

// GammaDiffs is the differences of lgamma and digamma from an argument r that stays for many calls. Prepare sets it;
// the methods then return what the functions do that they are named after, but for a last bit or two and as accurately,
// in 0.4 of the time for r >= 3 and in 0.2 of it below.
//
// The counts up to maxRising are kept once they were asked for. Beyond them, what depends on r alone is there already,
// and at x+r, which is above maxRising too, a few terms of the asymptotic series do without a division. For fractional
// x up to there the functions are called.
//
// It has memory, and must not be used concurrently. The zero value is that of r = 0.
type GammaDiffs struct {
	r        float64
	prepared bool
	known    uint32 // which counts are kept, a bit each
	table    vector.GammaTable
	numbers  [together]float64 // what slices are of
}

// fewDiffs is the number of calls from which on preparing pays.
const fewDiffs = 4

// Prepare sets r, for about so many calls: few do not deserve it. The counts are kept as long as r is the same.
func (g *GammaDiffs) Prepare(r float64, calls int) {
	if r != g.r {
		g.r, g.known = r, 0
	}
	g.prepared = calls >= fewDiffs && r >= 0 && r <= hugeBase
	if !g.prepared {
		return
	}
	// From r some steps of the recurrence lead up to top >= tailFrom.
	product, sum, t := 1.0, 0.0, &g.table
	t.Lgammas[0], t.Digammas[0] = 0, 0 // which kernels do not ask for; it was something else for an r outside the domain
	t.Steps, t.Top = 0, r
	for t.Top < tailFrom {
		product *= t.Top
		sum += 1 / t.Top
		t.Steps++
		t.Top = r + t.Steps
	}
	t.Inverse, t.LogTop = 1/t.Top, Log(t.Top)
	t.LogBelow, t.SumBelow = Log(product), sum
	u := t.Inverse * t.Inverse
	t.LgammaTop, t.DigammaTop = t.Inverse*lgRest(u), u*psiRest(u)
}

// Lgamma returns LgammaDiff(x, r).
func (g *GammaDiffs) Lgamma(x float64) float64 {
	if n := count(x); n >= 0 {
		return g.table.Lgammas[g.kept(n)]
	}
	if !g.isFar(x) {
		return LgammaDiff(x, g.r)
	}
	return g.lgamma(g.at(x))
}

// Digamma returns DigammaDiff(x, r).
func (g *GammaDiffs) Digamma(x float64) float64 {
	if n := count(x); n >= 0 {
		return g.table.Digammas[g.kept(n)]
	}
	if !g.isFar(x) {
		return DigammaDiff(x, g.r)
	}
	return g.digamma(g.at(x))
}

// LgammaDigamma returns LgammaDigammaDiff(x, r).
func (g *GammaDiffs) LgammaDigamma(x float64) (l, d float64) {
	if n := count(x); n >= 0 {
		g.kept(n)
		return g.table.Lgammas[n], g.table.Digammas[n]
	}
	if !g.isFar(x) {
		return LgammaDigammaDiff(x, g.r)
	}
	p := g.at(x)
	return g.lgamma(p), g.digamma(p)
}

// kept returns the count, whose differences are then there.
func (g *GammaDiffs) kept(n int) int {
	if g.known>>n&1 == 0 {
		g.keep(n)
	}
	return n
}

func (g *GammaDiffs) keep(n int) {
	g.table.Lgammas[n], g.table.Digammas[n] = LgammaDigammaDiff(float64(n), g.r)
	g.known |= 1 << n
}

// isFar reports whether the series without divisions serves x.
func (g *GammaDiffs) isFar(x float64) bool {
	return g.prepared && x > maxRising && x <= math.MaxFloat64
}

// diffPoint is what both differences of x need: f = x less the steps taken already, w = 1/(x+r), and log((x+r)/top).
type diffPoint struct {
	f, z, w, log float64
}

func (g *GammaDiffs) at(x float64) diffPoint {
	f := x - g.table.Steps
	z := f + g.table.Top
	w := 1 / z
	// log(1+q), where 1+q is rounded to t: the derivative there is 1/t, or nearly top/z, and t-1 is exact.
	q := f / g.table.Top
	t := 1 + q
	return diffPoint{f, z, w, Log(t) + (q-(t-1))*(g.table.Top*w)}
}

// lgamma is stirlingLgamma.
func (g *GammaDiffs) lgamma(p diffPoint) float64 {
	v := p.w * p.w
	rest := p.w*(1.0/12-v*(1.0/360-v*(1.0/1260-v*(1.0/1680-v*(1.0/1188))))) - g.table.LgammaTop
	return (p.f*g.table.LogTop + (((p.z-0.5)*p.log - p.f) + rest)) + g.table.LogBelow
}

// digamma is stirlingDigamma.
func (g *GammaDiffs) digamma(p diffPoint) float64 {
	v := p.w * p.w
	rest := g.table.DigammaTop - v*(1.0/12-v*(1.0/120-v*(1.0/252-v*(1.0/240-v*(1.0/132)))))
	return (p.log + (0.5*(p.f*g.table.Inverse*p.w) + rest)) + g.table.SumBelow
}
