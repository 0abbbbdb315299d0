package check

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/integrate/quad"

	"github.com/sngdgen/sngdgen/expr"
)

// chart maps an interval of the real line onto a range, so that what falls like a power becomes what falls
// exponentially: x = f(t), with the logarithm of dx/dt.
type chart struct {
	x, logSlope func(t float64) float64
	lo, hi      float64 // as far as numbers allow
}

func chartOf(r expr.Range) chart {
	switch {
	case !math.IsInf(r.Lo, 0) && !math.IsInf(r.Hi, 0):
		width := r.Hi - r.Lo
		return chart{
			x:        func(t float64) float64 { return r.Lo + width/(1+math.Exp(-t)) },
			logSlope: func(t float64) float64 { return math.Log(width) - math.Abs(t) - 2*math.Log1p(math.Exp(-math.Abs(t))) },
			lo:       -30, hi: 30,
		}
	case !math.IsInf(r.Lo, 0):
		return chart{
			x:        func(t float64) float64 { return r.Lo + math.Exp(t) },
			logSlope: func(t float64) float64 { return t },
			lo:       -150, hi: 150,
		}
	}
	return chart{
		x:        math.Sinh,
		logSlope: func(t float64) float64 { return math.Abs(t) + math.Log1p(math.Exp(-2*math.Abs(t))) - math.Ln2 },
		lo:       -150, hi: 150,
	}
}

// integral is the integral of exp(f) over the range of a chart. Where the tails do not converge, ok is false and the
// result is a lower bound, which is 0 where the panels do not converge either. A result that is not 1 is believed only
// when a second run, from other panels, confirms it.
func integral(f logFunc, c chart) (m float64, ok bool) {
	m, ok = integrate(f, c, 2)
	if math.Abs(m-1) > massTolerance {
		again, sure := integrate(f, c, 0.7)
		if sure != ok || math.Abs(again-m) > massTolerance/10*m {
			return 0, false
		}
	}
	return m, ok
}

// integrate halves panels until each agrees with its halves.
func integrate(f logFunc, c chart, width float64) (float64, bool) {
	q := &quadrature{f: f, chart: c}
	edges, ok := q.edges(width)
	if !ok {
		return 0, false
	}
	pending := q.panels(edges)
	total := 0.0 // accepted, in units of the peak
	for range maxRounds {
		if len(pending) == 0 || q.failed {
			break
		}
		tolerance := massError / 1000 * (total + sumPanels(pending))
		var next []panel
		for _, p := range pending {
			middle := p.a + (p.b-p.a)/2
			left, right := q.panel(p.a, middle), q.panel(middle, p.b)
			if math.Abs(left.value+right.value-p.value) <= tolerance {
				total += left.value + right.value
			} else {
				next = append(next, left, right)
			}
		}
		pending = next
	}
	if len(pending) > 0 || q.failed || total == 0 {
		return 0, false
	}
	tails := q.tails()
	return math.Exp(q.peak) * total, tails < massError*total && !q.failed
}

const (
	maxRounds = 45 // a jump is in a panel that is halved each time
	order     = 10 // of the Gauss rule on a panel
)

type panel struct{ a, b, value float64 }

func sumPanels(ps []panel) float64 {
	sum := 0.0
	for _, p := range ps {
		sum += p.value
	}
	return sum
}

// quadrature integrates exp(f(x(t)) - peak) dx/dt.
type quadrature struct {
	f      logFunc
	chart  chart
	peak   float64
	failed bool // met something that is not a number
	count  int
}

// negligible is how far below the highest a log-density may end without a jump.
const negligible = 40

// maxPanels bounds the work on one integral.
const maxPanels = 4000

// logs evaluates the logarithm of the integrand.
func (q *quadrature) logs(ts []float64) []float64 {
	xs := make([]float64, len(ts))
	for i, t := range ts {
		xs[i] = q.chart.x(t)
	}
	out, ok := q.f(xs)
	if !ok {
		q.failed = true
		return make([]float64, len(ts))
	}
	out = slices.Clone(out)
	for i, t := range ts {
		if out[i] += q.chart.logSlope(t); math.IsNaN(out[i]) || math.IsInf(out[i], 1) {
			q.failed = true
		}
	}
	return out
}

// edges are panels of a width, and finer ones around the highest point: a narrow peak falls between even panels.
func (q *quadrature) edges(width float64) ([]float64, bool) {
	var ts []float64
	for t := q.chart.lo; t < q.chart.hi; t += width {
		ts = append(ts, t)
	}
	ts = append(ts, q.chart.hi)
	top, step := q.highest(ts), width
	for range 30 {
		if step /= 2; step < 1e-9 {
			break
		}
		around := []float64{top - 2*step, top - step, top, top + step, top + 2*step}
		top = q.highest(around)
	}
	for d := width; d > 1e-5; d /= 2 {
		ts = append(ts, top-d, top+d)
	}
	ts = append(ts, top)
	slices.Sort(ts)
	ts = slices.DeleteFunc(slices.Compact(ts), func(t float64) bool { return t < q.chart.lo || t > q.chart.hi })
	q.peak = q.logs([]float64{top})[0]
	if q.failed || !finite(q.peak) {
		return ts, false
	}
	ts = q.withJumps(ts)
	return ts, !q.failed
}

// withJumps adds the places where a density ends that is not small there, as at the end of a support: a panel may have all its nodes on
// one side of such a place.
func (q *quadrature) withJumps(ts []float64) []float64 {
	logs := q.logs(ts)
	out := slices.Clone(ts)
	for i := 1; i < len(ts); i++ {
		inside, outside := ts[i-1], ts[i]
		if math.IsInf(logs[i-1], -1) {
			inside, outside = outside, inside
		}
		if math.IsInf(logs[i-1], -1) == math.IsInf(logs[i], -1) {
			continue
		}
		for range 60 {
			middle := inside + (outside-inside)/2
			if math.IsInf(q.logs([]float64{middle})[0], -1) {
				outside = middle
			} else {
				inside = middle
			}
		}
		if q.logs([]float64{inside})[0] > q.peak-negligible {
			out = append(out, inside, outside)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func (q *quadrature) highest(ts []float64) float64 {
	best := 0
	logs := q.logs(ts)
	for i := range logs {
		if logs[i] > logs[best] {
			best = i
		}
	}
	return ts[best]
}

func (q *quadrature) panels(edges []float64) []panel {
	var out []panel
	for i := 1; i < len(edges); i++ {
		out = append(out, q.panel(edges[i-1], edges[i]))
	}
	return out
}

func (q *quadrature) panel(a, b float64) panel {
	if !(a < b) { // neighbours have no number between them
		return panel{a: a, b: b}
	}
	var ts, ws [order]float64
	quad.Legendre{}.FixedLocations(ts[:], ws[:], a, b)
	p := panel{a: a, b: b}
	for i, l := range q.logs(ts[:]) {
		p.value += ws[i] * math.Exp(l-q.peak)
	}
	if q.count++; q.count > maxPanels {
		q.failed = true
	}
	return p
}

// tails bounds what lies beyond the ends, where the integrand falls at least exponentially.
func (q *quadrature) tails() float64 {
	sum := 0.0
	for _, end := range [][]float64{{q.chart.lo, q.chart.lo + 1}, {q.chart.hi, q.chart.hi - 1}} {
		l := q.logs(end)
		switch rate := l[1] - l[0]; {
		case math.IsInf(l[0], -1):
		case rate > 0:
			sum += math.Exp(l[0]-q.peak) / rate
		default:
			return math.Inf(1)
		}
	}
	return sum
}
