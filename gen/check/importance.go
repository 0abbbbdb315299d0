package check

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/sngdgen/sngdgen/runtime/psis"
	"github.com/sngdgen/sngdgen/runtime/random"
)

// vectorChart maps n numbers onto an observation, with the logarithm of the Jacobian determinant.
type vectorChart struct {
	n, entries int
	observe    func(x, t []float64) (logJacobian float64)
}

// chart is that of the observations: of several variables one behind the other.
func (d density) chart() vectorChart { return recordChart(d.parts) }

// chart is that of one variable: entry by entry, of a simplex the logarithms of ratios to the last entry, and of a direction its
// projection onto a plane, of a square matrix what the table of types says.
func (p part) chart() vectorChart {
	entries := p.entries()
	if isSimplex(p.kind) {
		return vectorChart{n: entries - 1, entries: entries, observe: ontoSimplex}
	}
	if isDirection(p.kind) {
		return vectorChart{n: entries - 1, entries: entries, observe: ontoSphere}
	}
	if isStochastic(p.kind) {
		return rowsOntoSimplex(p.rows)
	}
	if p.kind.Type.Form.Square() {
		return p.matrixChart()
	}
	one := chartOf(p.kind.Range)
	if p.kind.Integer {
		one = wholeChart(p.kind.Range)
	}
	return vectorChart{n: entries, entries: entries, observe: func(x, t []float64) (logJacobian float64) {
		for i, v := range t {
			v = min(max(v, one.lo), one.hi)
			x[i] = one.x(v)
			logJacobian += one.logSlope(v)
		}
		return logJacobian
	}}
}

// rowsOntoSimplex is the chart of a d x d matrix whose rows sum to 1.
func rowsOntoSimplex(d int) vectorChart {
	return vectorChart{n: d * (d - 1), entries: d * d, observe: func(x, t []float64) (logJacobian float64) {
		for i := range d {
			logJacobian += ontoSimplex(x[i*d:(i+1)*d], t[i*(d-1):(i+1)*(d-1)])
		}
		return logJacobian
	}}
}

// ontoSphere is the inverse of the stereographic projection, with its Jacobian onto the surface (2/(1 + |t|^2))^n.
func ontoSphere(x, t []float64) (logJacobian float64) {
	last := len(x) - 1
	square := 0.0
	for _, v := range t {
		square += v * v
	}
	for i, v := range t {
		x[i] = 2 * v / (1 + square)
	}
	x[last] = (square - 1) / (1 + square)
	return float64(last) * (math.Ln2 - math.Log1p(square))
}

// ontoSimplex is the softmax of t and 0. The determinant is the product of all entries (Aitchison, The Statistical Analysis
// of Compositional Data, 1986, section 6.2).
func ontoSimplex(x, t []float64) (logJacobian float64) {
	last := len(x) - 1
	top := 0.0
	for _, v := range t {
		top = math.Max(top, v)
	}
	x[last] = math.Exp(-top)
	sum := x[last]
	for i, v := range t {
		x[i] = math.Exp(v - top)
		sum += x[i]
	}
	for i := range x {
		x[i] /= sum
		logJacobian += math.Log(x[i])
	}
	return logJacobian
}

const (
	firstDraws = 1000 // from a wide proposal
	roundDraws = 500  // in each of the rounds that adapt it
	adaptions  = 4
	lastDraws  = 3000
	kernels    = 40  // of a proposal
	wide       = 0.1 // the share of the wide proposal in all others
	widest     = 3.0 // its scale: on the line of a chart three are a factor of 20
	nu         = 5.0 // degrees of freedom of all
	bandwidth  = 0.6 // of a kernel, in units of the covariance of all draws
)

// sampled is the mass of exp(f) by adaptive importance sampling: Cappé, Guillin, Marin and Robert, Population Monte Carlo,
// JCGS 13(4), 2004. The proposal is a mixture of Student's t kernels at points resampled by their weights, so that several
// modes are kept. It is ok where the weights have a variance, as Pareto's k tells.
func sampled(rng *rand.Rand, f logFunc, c vectorChart) mass {
	q := newProposal(c.n)
	draws := firstDraws
	for range adaptions {
		ts, logs, ok := q.weigh(rng, f, c, draws)
		if !ok || !q.adapt(rng, ts, logs) {
			return mass{}
		}
		draws = roundDraws
	}
	_, logs, ok := q.weigh(rng, f, c, lastDraws)
	if !ok {
		return mass{}
	}
	ws := make([]float64, len(logs))
	for i, l := range logs {
		ws[i] = math.Exp(l)
	}
	mean, sd := stat.MeanStdDev(ws, nil)
	m := mass{value: mean, err: sd / math.Sqrt(lastDraws)}
	k := psis.Smooth(logs)
	if m.ok = k < 0.5 && m.err < 0.05*mean; !m.ok {
		m = mass{}
	}
	return m
}

// proposal is a mixture of kernels of one shape, and a wide one.
type proposal struct {
	n       int
	centres [][]float64
	chol    mat.Cholesky // of the covariance of a kernel
	lower   mat.TriDense
}

func newProposal(n int) *proposal { return &proposal{n: n} }

// draw draws a point.
func (q *proposal) draw(rng *rand.Rand) []float64 {
	t := make([]float64, q.n)
	scale := math.Sqrt(nu / (2 * random.Gamma(rng, nu/2, 1)))
	e := make([]float64, q.n)
	for i := range e {
		e[i] = scale * random.Normal(rng, 0, 1)
	}
	if len(q.centres) == 0 || rng.Float64() < wide {
		for i := range t {
			t[i] = widest * e[i]
		}
		return t
	}
	centre := q.centres[rng.IntN(len(q.centres))]
	for i := range t {
		t[i] = centre[i]
		for j := range i + 1 {
			t[i] += q.lower.At(i, j) * e[j]
		}
	}
	return t
}

// logDensity is that of a draw.
func (q *proposal) logDensity(t []float64) float64 {
	square := 0.0
	for _, v := range t {
		square += v * v / (widest * widest)
	}
	broad := q.kernel(square, float64(q.n)*math.Log(widest))
	if len(q.centres) == 0 {
		return broad
	}
	logs := make([]float64, 1, len(q.centres)+1)
	logs[0] = broad + math.Log(wide)
	half := q.chol.LogDet() / 2
	share := math.Log1p(-wide) - math.Log(float64(len(q.centres)))
	z := make([]float64, q.n)
	for _, c := range q.centres {
		square = 0
		for i := range z {
			z[i] = t[i] - c[i]
			for j := range i {
				z[i] -= q.lower.At(i, j) * z[j]
			}
			z[i] /= q.lower.At(i, i)
			square += z[i] * z[i]
		}
		logs = append(logs, q.kernel(square, half)+share)
	}
	return logSumExp(logs)
}

// kernel is the log-density of Student's t at a square distance.
func (q *proposal) kernel(square, logScale float64) float64 {
	n := float64(q.n)
	a, _ := math.Lgamma((nu + n) / 2)
	b, _ := math.Lgamma(nu / 2)
	return a - b - n/2*math.Log(nu*math.Pi) - logScale - (nu+n)/2*math.Log1p(square/nu)
}

// weigh draws points, with the logarithms of their weights.
func (q *proposal) weigh(rng *rand.Rand, f logFunc, c vectorChart, draws int) (ts [][]float64, logs []float64, ok bool) {
	xs, logJacobian := make([]float64, draws*c.entries), make([]float64, draws)
	ts = make([][]float64, draws)
	for i := range ts {
		ts[i] = q.draw(rng)
		logJacobian[i] = c.observe(xs[i*c.entries:(i+1)*c.entries], ts[i])
	}
	logs, ok = f(xs)
	if !ok {
		return nil, nil, false
	}
	for i := range logs {
		if logs[i] += logJacobian[i] - q.logDensity(ts[i]); math.IsNaN(logs[i]) || math.IsInf(logs[i], 1) {
			return nil, nil, false
		}
	}
	return ts, logs, true
}

// adapt moves the kernels to points drawn by their weights; false where nearly all weigh nothing. As long as few have all
// of the weight, a root of the weights is taken.
func (q *proposal) adapt(rng *rand.Rand, ts [][]float64, logs []float64) bool {
	ws := make([]float64, len(ts))
	total := logSumExp(logs)
	if math.IsInf(total, 0) {
		return false
	}
	for power := 1.0; power > 1e-4; power /= 2 {
		scaled := make([]float64, len(logs))
		for i, l := range logs {
			scaled[i] = power * (l - total)
		}
		whole, square := logSumExp(scaled), 0.0
		for i, l := range scaled {
			ws[i] = math.Exp(l - whole)
			square += ws[i] * ws[i]
		}
		if 1/square >= 10*float64(q.n) {
			break
		}
	}
	m := mat.NewDense(len(ts), q.n, nil)
	for i, t := range ts {
		m.SetRow(i, t)
	}
	for i := range ws { // of a sample of this size, as the covariance of weighted rows counts them
		ws[i] *= float64(len(ws))
	}
	cov := mat.NewSymDense(q.n, nil)
	stat.CovarianceMatrix(cov, m, ws)
	cov.ScaleSym(bandwidth*bandwidth, cov)
	for i := range q.n {
		cov.SetSym(i, i, cov.At(i, i)*(1+1e-9)+1e-12)
	}
	if !q.chol.Factorize(cov) {
		return false
	}
	q.chol.LTo(&q.lower)
	q.centres = q.centres[:0]
	for range kernels {
		u := rng.Float64() * float64(len(ws))
		k := 0
		for u -= ws[k]; u > 0 && k < len(ws)-1; u -= ws[k] {
			k++
		}
		q.centres = append(q.centres, ts[k])
	}
	return true
}

func logSumExp(logs []float64) float64 {
	top := math.Inf(-1)
	for _, l := range logs {
		top = math.Max(top, l)
	}
	if math.IsInf(top, 0) {
		return top
	}
	sum := 0.0
	for _, l := range logs {
		sum += math.Exp(l - top)
	}
	return top + math.Log(sum)
}
