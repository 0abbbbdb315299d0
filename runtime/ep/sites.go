package ep

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/sngdgen/sngdgen/runtime/dense"
)

// sites are a normal approximation with a site for every factor.
type sites struct {
	Settings
	p    Problem
	d, n int
	a, w []float64 // coefficients, factor by factor, and how often they count
	// The quadratic part is constant + shift0'z - z'precision0 z/2.
	constant           float64
	shift0, precision0 []float64
	// Of the sites, for one of the times that a factor counts.
	shifts, precisions []float64
	// Of the approximation; factor is the Cholesky factor of its precision.
	shift, precision, factor, mean, cov []float64
	image, scratch                      []float64 // cov a, and one of the size of the covariance
	quad                                *quadrature
}

func newSites(p Problem, s Settings) (*sites, error) {
	d, n := p.FactorSizes()
	if d < 1 || float64(d)*float64(n+6*d) > mostNumbers {
		return nil, fmt.Errorf("%d latent variables and %d factors need more memory than there is for them", d, n)
	}
	vector := func(k int) []float64 { return make([]float64, k) }
	e := &sites{Settings: s, p: p, d: d, n: n, a: vector(n * d), w: vector(n), shift0: vector(d), precision0: vector(d * d),
		shifts: vector(n), precisions: vector(n), shift: vector(d), precision: vector(d * d), factor: vector(d * d), mean: vector(d),
		cov: vector(d * d), image: vector(d), scratch: vector(d * d), quad: newQuadrature(p, s.Power)}
	p.Coefficients(e.a, e.w)
	e.readQuadratic()
	for _, x := range [][]float64{e.a, e.w, e.shift0, e.precision0, {e.constant}} {
		for _, v := range x {
			if !(math.Abs(v) <= math.MaxFloat64) {
				return nil, errors.New("the coefficients of a predictor, or of the quadratic part, are not finite")
			}
		}
	}
	if e.refresh() {
		return e, nil
	}
	// Of a quadratic part that is no density by itself the sites have to make one: of unit precision, to begin with.
	for i := range e.precisions {
		e.precisions[i] = 1
	}
	if !e.refresh() {
		return nil, errNothing
	}
	return e, nil
}

// readQuadratic takes the coefficients of the quadratic part from its gradients at 0 and at the unit vectors.
func (e *sites) readQuadratic() {
	z, g, d := make([]float64, e.d), make([]float64, e.d), e.d
	e.constant = e.p.Quadratic(e.shift0, z)
	for j := range d {
		z[j] = 1
		e.p.Quadratic(g, z)
		z[j] = 0
		for k := range d {
			e.precision0[j*d+k] = e.shift0[k] - g[k]
		}
	}
	dense.Symmetrize(e.precision0, d)
}

// row are the coefficients of a factor.
func (e *sites) row(i int) []float64 { return e.a[i*e.d : (i+1)*e.d] }

// refresh computes the approximation from its sites, free of the rounding that steps add up; false where it is improper.
func (e *sites) refresh() bool {
	copy(e.shift, e.shift0)
	copy(e.precision, e.precision0)
	for start := 0; start < e.n; start += Portion {
		end := min(start+Portion, e.n)
		b := end - start
		weighted := e.quad.at[:b]
		for i := range weighted {
			weighted[i] = e.w[start+i] * e.precisions[start+i]
		}
		dense.AddWeightedGram(e.precision, weighted, e.a[start*e.d:end*e.d], e.gramScratch(b), b, e.d)
		for i := range weighted {
			weighted[i] = e.w[start+i] * e.shifts[start+i]
		}
		dense.AddMulTVec(e.shift, 1, e.a[start*e.d:end*e.d], weighted, b, e.d)
	}
	dense.Mirror(e.precision, e.d)
	if !dense.Cholesky(e.factor, e.precision, e.d) {
		return false
	}
	dense.InverseFromCholesky(e.cov, e.factor, e.d)
	copy(e.mean, e.shift)
	dense.Solve(e.mean, e.factor, e.d)
	return true
}

func (e *sites) gramScratch(b int) []float64 {
	if len(e.scratch) < b*e.d {
		e.scratch = make([]float64, b*e.d)
	}
	return e.scratch[:b*e.d]
}

// marginal is the normal distribution of a predictor; scale is its standard deviation.
type marginal struct{ mean, variance float64 }

// natural are shift and precision of a normal distribution of one number.
type natural struct{ shift, precision float64 }

func (m marginal) natural() natural { return natural{m.mean / m.variance, 1 / m.variance} }

func (n natural) moments() marginal { return marginal{n.shift / n.precision, 1 / n.precision} }

// plus adds k times a site.
func (n natural) plus(k float64, site natural) natural {
	return natural{n.shift + k*site.shift, n.precision + k*site.precision}
}

// predictor is the distribution of the predictor of a factor, with the covariance times its coefficients in e.image.
func (e *sites) predictor(i int) marginal {
	a := e.row(i)
	dense.MulVec(e.image, e.cov, a, e.d, e.d)
	return marginal{dense.Dot(a, e.mean), dense.Dot(a, e.image)}
}

// site are the natural parameters of a site.
func (e *sites) site(i int) natural { return natural{e.shifts[i], e.precisions[i]} }

// sweep takes a step of every site, one after the other, each from the approximation that the last one has left. It returns the
// largest disagreement that it has seen, which is infinite where a factor had no tilted moments.
func (e *sites) sweep(ctx context.Context, step float64) (disagreement float64) {
	for i := range e.n {
		if i&0xff == 0 && ctx.Err() != nil {
			return disagreement
		}
		if e.w[i] == 0 {
			continue
		}
		now := e.predictor(i)
		if !(now.variance > 0) { // no coefficients
			continue
		}
		before := e.site(i)
		l := local{e: e, factor: i, weight: e.w[i], site: before, now: now}
		if !l.approach(step) {
			disagreement = math.Inf(1)
			continue
		}
		disagreement = math.Max(disagreement, l.first)
		e.move(i, now, natural{l.site.shift - before.shift, l.site.precision - before.precision})
	}
	return disagreement
}

// move changes a site and the approximation with it: an outer product (Sherman and Morrison).
func (e *sites) move(i int, now marginal, by natural) {
	e.shifts[i] += by.shift
	e.precisions[i] += by.precision
	all := natural{e.w[i] * by.shift, e.w[i] * by.precision}
	k := 1 / (1 + all.precision*now.variance)
	dense.Axpy(e.mean, k*(all.shift-all.precision*now.mean), e.image)
	if math.Abs(all.precision)*now.variance > 1e-14 {
		dense.AddOuter(e.cov, -k*all.precision, e.image, e.image, e.d, e.d)
	}
}

// check is what all tilted distributions say at the end.
type check struct {
	disagreement, quadrature float64
	worst                    int
	skipped                  []int
	logs                     float64 // sum of the logarithms of the constants of the sites
}

// check compares the moments of all tilted distributions with those of the approximation, which it does not change.
func (e *sites) check() check {
	var c check
	for i := range e.n {
		if e.w[i] == 0 {
			continue
		}
		now := e.predictor(i)
		if !(now.variance > 0) {
			c.logs += e.w[i] * e.quad.constant(i)
			continue
		}
		t, ok := e.tilt(i, now, e.site(i))
		if !ok {
			c.skipped = append(c.skipped, i)
			continue
		}
		if d := t.disagreement; d > c.disagreement || math.IsNaN(d) {
			c.disagreement, c.worst = d, i
		}
		c.quadrature = math.Max(c.quadrature, t.quadrature)
		c.logs += e.w[i] * t.logSite
	}
	return c
}

// logEvidence is the logarithm of the integral of the quadratic part times the sites with their constants, which are such that the
// tilted distributions have the integrals that they have with the factors (Minka 2004, section 3; Seeger 2005, Expectation
// propagation for exponential families, section 4).
func (e *sites) logEvidence(c check) float64 {
	if len(c.skipped) > 0 {
		return math.NaN()
	}
	return e.constant + c.logs + (dense.Dot(e.shift, e.mean)-dense.LogDet(e.factor, e.d)+float64(e.d)*math.Log(2*math.Pi))/2
}
