package ep

import "math"

// quadrature integrates functions of one number under normal distributions, of a factor that sees one. The trapezoidal rule on the whole line converges
// exponentially in the number of nodes for analytic functions (Trefethen and Weideman 2014, The exponentially convergent
// trapezoidal rule, SIAM Review 56(3)), uses all nodes again when they are doubled, so that the change says what the error is, and
// does not mind several modes. Where the nodes lie follows from the integrand alone: as narrow as it is, or as far away.
type quadrature struct {
	p           Problem
	power       float64
	at, logs    []float64 // a grid of nodes, and the logarithms of the factor there
	density     density
	expectation expectation
	total       sums
	evaluations int
}

const (
	// A grid has so many nodes at first. What is smaller than exp(-negligible) times the largest value counts for nothing, and
	// so many nodes at least have to be above that.
	gridNodes  = 33
	negligible = 40
	fewNodes   = 12
	// Changes of the grid until its nodes are where the integrand is: each is by a factor of 2 or more.
	gridTries = 200
	// The nodes are doubled until the moments change by no more than nodeTolerance; as the error is squared by it, it is far below.
	// A factor that is not smooth may need all of them.
	nodeTolerance = 1e-8
	mostNodes     = 1 << 13
)

func newQuadrature(p Problem, power float64) *quadrature {
	return &quadrature{p: p, power: power, at: make([]float64, Portion), logs: make([]float64, Portion)}
}

// sums are those of a trapezoidal rule: of the weights, and of the weights times powers of what is integrated.
type sums [3]float64

// integrand is what sums are made of: the logarithm of the size of a term at a node, which decides where the nodes are, and the
// term itself, divided by exp(scale). Measure makes of the sums, times the distance of the nodes, what is to be found.
type integrand interface {
	size(s, h float64) float64
	add(to *sums, s, h, scale float64)
	measure(sums) sums
}

// grid are equidistant nodes where an integrand is not negligible.
type grid struct {
	lo, step float64
	n        int
	largest  float64 // logarithm of the largest size
}

// evaluate evaluates a factor at equidistant nodes, at most Portion of them.
func (q *quadrature) evaluate(i int, lo, step float64, n int) []float64 {
	for k := range n {
		q.at[k] = lo + float64(k)*step
	}
	q.p.FactorLogs(q.logs[:n], q.at[:n], i)
	q.evaluations += n
	return q.logs[:n]
}

// locate finds where the integrand is not negligible, beginning with a wide range about a normal distribution. False where it
// grows without end, is nowhere positive, or is not a number.
func (q *quadrature) locate(i int, mean, variance float64, f integrand) (g grid, ok bool) {
	width := 9.5 * math.Sqrt(variance)
	lo, hi := mean-width, mean+width
	for range gridTries {
		step := (hi - lo) / (gridNodes - 1)
		if !(step > 0) || math.IsInf(step, 0) || lo+step == lo || hi-step == hi {
			return g, false
		}
		logs, largest, ok := q.sizes(i, lo, step, f)
		if !ok {
			return g, false
		}
		first, last := extent(logs, largest-negligible)
		from, to := q.at[max(first-1, 0)], q.at[min(last+1, gridNodes-1)]
		switch {
		case first == 0 || last == gridNodes-1:
			if first == 0 {
				from = lo - (hi - lo)
			}
			if last == gridNodes-1 {
				to = hi + (hi - lo)
			}
			lo, hi = from, to
		case last-first+1 < fewNodes:
			lo, hi = from, to
		default:
			return grid{lo: lo, step: step, n: gridNodes, largest: largest}, true
		}
	}
	return g, false
}

// sizes are those of the terms at the nodes of a first grid, and the largest; false where one is no number, or all are 0, or so large
// that digits for their differences are missing.
func (q *quadrature) sizes(i int, lo, step float64, f integrand) (logs []float64, largest float64, ok bool) {
	logs, largest = q.evaluate(i, lo, step, gridNodes), math.Inf(-1)
	for k, h := range logs {
		logs[k] = f.size(q.at[k], h)
		if math.IsNaN(logs[k]) || math.IsInf(logs[k], 1) {
			return nil, 0, false
		}
		largest = math.Max(largest, logs[k])
	}
	return logs, largest, largest-negligible < largest // not where it is -Inf
}

// extent are the first and the last of the logarithms that are above one that is below the largest.
func extent(logs []float64, least float64) (first, last int) {
	last = len(logs) - 1
	for !(logs[first] > least) {
		first++
	}
	for !(logs[last] > least) {
		last--
	}
	return first, last
}

// integrate adds up the terms of an integrand on ever finer grids, until what they measure does not change.
func (q *quadrature) integrate(i int, g grid, f integrand) (now sums, change float64) {
	q.total = sums{}
	q.addAll(i, g.lo, g.step, g.n, g.largest, f)
	step, n := g.step, g.n
	now = f.measure(scaled(q.total, step))
	for n < mostNodes {
		before := now
		q.addAll(i, g.lo+step/2, step, n-1, g.largest, f)
		step, n = step/2, 2*n-1
		now = f.measure(scaled(q.total, step))
		change = 0
		for k := range now {
			change = math.Max(change, math.Abs(now[k]-before[k]))
		}
		if change <= nodeTolerance {
			break
		}
	}
	return now, change
}

func scaled(s sums, by float64) sums {
	for k := range s {
		s[k] *= by
	}
	return s
}

// addAll adds the terms at equidistant nodes.
func (q *quadrature) addAll(i int, lo, step float64, n int, scale float64, f integrand) {
	for start := 0; start < n; start += Portion {
		b := min(Portion, n-start)
		for k, h := range q.evaluate(i, lo+float64(start)*step, step, b) {
			f.add(&q.total, q.at[k], h, scale)
		}
	}
}

// density is a normal distribution times a power of the factor.
type density struct {
	mean, variance, power, centre, width float64
}

func (f *density) size(s, h float64) float64 {
	u := s - f.mean
	return f.power*h - u*u/(2*f.variance)
}

func (f *density) add(to *sums, s, h, scale float64) {
	p := math.Exp(f.size(s, h) - scale)
	u := s - f.centre
	to[0] += p
	to[1] += p * u
	to[2] += p * u * u
}

// measure are the logarithm of the integral, the mean in standard deviations from the centre, and the logarithm of the variance.
func (f *density) measure(t sums) sums {
	mean := t[1] / t[0]
	variance := t[2]/t[0] - mean*mean
	return sums{math.Log(t[0]), mean / math.Sqrt(variance), math.Log(variance / (f.width * f.width))}
}

// moments are those of a tilted distribution, with the logarithm of its integral. Change is that of the moments by the last
// doubling of the nodes, of the mean in standard deviations, of the variance in variances.
type moments struct{ log, mean, variance, change float64 }

// tilted integrates a power of a factor under its cavity; false where it has no integral.
func (q *quadrature) tilted(i int, mean, variance float64) (moments, bool) {
	f := &q.density
	*f = density{mean: mean, variance: variance, power: q.power}
	g, ok := q.locate(i, mean, variance, f)
	if !ok {
		return moments{}, false
	}
	f.centre = g.lo + g.step*float64(g.n/2)
	f.width = g.step * float64(g.n)
	out, change := q.integrate(i, g, f)
	v := math.Exp(out[2]) * f.width * f.width
	m := moments{log: out[0] + g.largest - math.Log(2*math.Pi*variance)/2, mean: f.centre + out[1]*math.Sqrt(v), variance: v, change: change}
	return m, v > 0 && v <= math.MaxFloat64 && !math.IsNaN(m.mean+m.log)
}

// expectation is the logarithm of a factor under a normal distribution.
type expectation struct{ mean, variance float64 }

func (f *expectation) size(s, h float64) float64 {
	u := (s - f.mean) * (s - f.mean) / f.variance
	return math.Log1p(math.Abs(h)) + math.Log1p(u) - u/2
}

func (f *expectation) add(to *sums, s, h, _ float64) {
	u := (s - f.mean) / math.Sqrt(f.variance)
	p := math.Exp(-u * u / 2)
	if p == 0 {
		return
	}
	to[0] += p * h
	to[1] += p * h * u
	to[2] += p * h * (u*u - 1)
}

func (f *expectation) measure(t sums) sums { return scaled(t, 1/math.Sqrt(2*math.Pi*f.variance)) }

// slopes are the expectations of the logarithm of a factor, of its slope and of its curvature.
type slopes struct{ mean, slope, curvature, change float64 }

// expected are those under a normal distribution, by integration by parts: E[h'] = E[h u]/sd and E[h"] = E[h (u^2 - 1)]/variance,
// for u = (s - mean)/sd.
func (q *quadrature) expected(i int, mean, variance float64) (slopes, bool) {
	f := &q.expectation
	*f = expectation{mean, variance}
	g, ok := q.locate(i, mean, variance, f)
	if !ok {
		return slopes{}, false
	}
	out, change := q.integrate(i, g, f)
	s := slopes{mean: out[0], slope: out[1] / math.Sqrt(variance), curvature: out[2] / variance, change: change}
	return s, !math.IsNaN(s.mean + s.slope + s.curvature)
}

// constant is the logarithm of a factor whose predictors, k of them, are 0 whatever the latent variables are.
func (q *quadrature) constant(i, k int) float64 {
	clear(q.at[:k])
	q.p.FactorLogs(q.logs[:1], q.at[:k], i)
	q.evaluations++
	return q.logs[0]
}
