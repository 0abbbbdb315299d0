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
	// Of the factors: how many predictors each sees, which is the first of all, where its precision begins, and how often it counts.
	seen, first, square []int
	w                   []float64
	a                   []float64 // coefficients, predictor by predictor
	// The quadratic part is constant + shift0'z - z'precision0 z/2.
	constant           float64
	shift0, precision0 []float64
	// Of the sites, for one of the times that a factor counts: a number for each predictor, and a matrix for each factor.
	shifts, precisions []float64
	// Of the approximation; factor is the Cholesky factor of its precision.
	shift, precision, factor, mean, cov []float64
	images, twice                       []float64 // the covariance times the coefficients of one factor
	columns, scratch                    []float64 // of a portion of predictors
	local, checked                      *local
	quad                                *quadrature
	cubes                               [][]*cubature // by the number of predictors and level, nil for numbers that no factor sees
	level                               []int         // of the factors
}

func newSites(p Problem, s Settings) (*sites, error) {
	d, n, rows := p.FactorSizes()
	if d < 1 || float64(d)*float64(rows+6*d) > mostNumbers {
		return nil, fmt.Errorf("%d latent variables and %d factors need more memory than there is for them", d, n)
	}
	vector := func(k int) []float64 { return make([]float64, k) }
	e := &sites{Settings: s, p: p, d: d, n: n, a: vector(rows * d), w: vector(n), shift0: vector(d), precision0: vector(d * d),
		shifts: vector(rows), shift: vector(d), precision: vector(d * d), factor: vector(d * d), mean: vector(d), cov: vector(d * d),
		scratch: vector(d * d), quad: newQuadrature(p, s.Power)}
	e.index()
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
	for i, k := range e.seen {
		for j := range k {
			e.precisions[e.square[i]+j*k+j] = 1
		}
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

// index finds where what belongs to the factors is, and makes what integrates them.
func (e *sites) index() {
	most, rows, squares := 1, 0, 0
	for i := range e.n {
		k := e.p.Predictors(i)
		e.seen, e.first, e.square = append(e.seen, k), append(e.first, rows), append(e.square, squares)
		most, rows, squares = max(most, k), rows+k, squares+k*k
	}
	e.precisions = make([]float64, squares)
	e.images, e.twice = make([]float64, most*e.d), make([]float64, most*e.d)
	e.columns = make([]float64, (Portion+most)*e.d)
	e.scratch = make([]float64, max(e.d*e.d, len(e.columns)))
	e.local, e.checked = newLocal(e, most), newLocal(e, most)
	e.cubes, e.level = make([][]*cubature, most+1), make([]int, e.n)
	for _, k := range e.seen {
		if k > 1 && e.cubes[k] == nil {
			e.cubes[k] = newCubatures(e.p, k)
		}
	}
}

// coefficients are those of a predictor.
func (e *sites) coefficients(row int) []float64 { return e.a[row*e.d : (row+1)*e.d] }

// refresh computes the approximation from its sites, free of the rounding that steps add up; false where it is improper.
func (e *sites) refresh() bool {
	copy(e.shift, e.shift0)
	copy(e.precision, e.precision0)
	start := 0 // the first predictor of a portion
	for i, k := range e.seen {
		first := e.first[i]
		for j := range k { // rows of the precision of the site times the coefficients
			row := e.columns[(first-start+j)*e.d:][:e.d]
			clear(row)
			for m := range k {
				dense.Axpy(row, e.w[i]*e.precisions[e.square[i]+j*k+m], e.coefficients(first+m))
			}
			dense.Axpy(e.shift, e.w[i]*e.shifts[first+j], e.coefficients(first+j))
		}
		if b := first + k - start; b >= Portion || i == e.n-1 {
			dense.AddWeightedCross(e.precision, nil, e.columns[:b*e.d], e.a[start*e.d:(start+b)*e.d], e.scratch, b, e.d, e.d)
			start += b
		}
	}
	dense.Symmetrize(e.precision, e.d)
	if !dense.Cholesky(e.factor, e.precision, e.d) {
		return false
	}
	dense.InverseFromCholesky(e.cov, e.factor, e.d)
	copy(e.mean, e.shift)
	dense.Solve(e.mean, e.factor, e.d)
	return true
}

// predictors writes the distribution of the predictors of a factor, and the covariance times their coefficients to e.images.
func (e *sites) predictors(to marginal, i int) {
	k := e.seen[i]
	for j := range k {
		a, image := e.coefficients(e.first[i]+j), e.images[j*e.d:(j+1)*e.d]
		dense.MulVec(image, e.cov, a, e.d, e.d)
		to.mean[j] = dense.Dot(a, e.mean)
		for m := range j + 1 {
			c := dense.Dot(image, e.coefficients(e.first[i]+m))
			to.cov[j*k+m], to.cov[m*k+j] = c, c
		}
	}
}

// site are the natural parameters of a site.
func (e *sites) site(i int) natural {
	k := e.seen[i]
	return natural{e.shifts[e.first[i]:][:k], e.precisions[e.square[i]:][:k*k]}
}

// integrate writes the moments of a tilted distribution; false where there are none.
func (e *sites) integrate(l *local) (log float64, ok bool) {
	t := &l.tilted
	for levels := e.cubes[l.k]; l.k > 1; e.level[l.factor]++ {
		level := e.level[l.factor]
		log, t.quadrature, ok = levels[level].tilted(l.factor, &term{e.Power, l.cavity, l.rest}, l.now, t.marginal)
		if !ok || t.quadrature <= latticeTolerance || level == len(levels)-1 {
			return log, ok
		}
	}
	m, ok := e.quad.tilted(l.factor, l.cavity.mean[0], l.cavity.cov[0])
	t.mean[0], t.cov[0], t.quadrature = m.mean, m.variance, m.change
	return m.log, ok
}

// expectations are those of a factor, of its slopes and of its curvatures.
func (e *sites) expectations(l *local) (mean float64, slope, curvature []float64, ok bool) {
	t := &l.tilted
	for levels := e.cubes[l.k]; l.k > 1; e.level[l.factor]++ {
		level := e.level[l.factor]
		mean, slope, curvature, t.quadrature, ok = levels[level].expected(l.factor, l.now)
		if !ok || t.quadrature <= latticeTolerance || level == len(levels)-1 {
			return mean, slope, curvature, ok
		}
	}
	m, ok := e.quad.expected(l.factor, l.now.mean[0], l.now.cov[0])
	l.change[0], l.other[0], t.quadrature = m.slope, m.curvature, m.change
	return m.mean, l.change, l.other, ok
}

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
		l := e.local
		if !l.at(i) { // no coefficients, or numbers that depend on each other
			continue
		}
		copy(e.checked.numbers, l.numbers) // as it was
		e.checked.cut(l.k)
		if !l.approach(step) {
			disagreement = math.Inf(1)
			continue
		}
		disagreement = math.Max(disagreement, l.first)
		site := e.site(i)
		copy(site.shift, l.site.shift)
		copy(site.precision, l.site.precision)
		e.move(e.checked, l.now)
	}
	return disagreement
}

// move changes the approximation by as many outer products as a factor has predictors, so that these have other moments than before.
func (e *sites) move(before *local, now marginal) {
	k, largest := before.k, 0.0
	inverse := before.whole.precision // of the covariance that the predictors had
	dense.Mul(before.other, inverse, now.cov, k, k, k)
	dense.Mul(before.root, before.other, inverse, k, k, k)
	for j := range k {
		clear(e.twice[j*e.d : (j+1)*e.d])
		for m := range k {
			q := inverse[j*k+m] - before.root[j*k+m]
			largest = math.Max(largest, math.Abs(q)*math.Sqrt(before.now.cov[j*k+j]*before.now.cov[m*k+m]))
			dense.Axpy(e.twice[j*e.d:(j+1)*e.d], q, e.images[m*e.d:(m+1)*e.d])
			before.other[m] = now.mean[m] - before.now.mean[m]
		}
		dense.Axpy(e.mean, dense.Dot(inverse[j*k:(j+1)*k], before.other[:k]), e.images[j*e.d:(j+1)*e.d])
	}
	if largest <= 1e-14 {
		return
	}
	for j := range k {
		dense.AddOuter(e.cov, -1, e.twice[j*e.d:(j+1)*e.d], e.images[j*e.d:(j+1)*e.d], e.d, e.d)
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
		l := e.checked
		if !l.at(i) {
			if constant, ok := e.fixed(i); ok {
				c.logs += e.w[i] * constant
			} else {
				c.skipped = append(c.skipped, i)
			}
			continue
		}
		if !l.tilt() {
			c.skipped = append(c.skipped, i)
			continue
		}
		t := &l.tilted
		if d := t.disagreement; d > c.disagreement || math.IsNaN(d) {
			c.disagreement, c.worst = d, i
		}
		c.quadrature = math.Max(c.quadrature, t.quadrature)
		c.logs += e.w[i] * t.logSite
	}
	return c
}

// fixed is the logarithm of a factor whose predictors are 0 whatever the latent variables are; false where they are not.
func (e *sites) fixed(i int) (float64, bool) {
	k := e.seen[i]
	for _, x := range e.a[e.first[i]*e.d:][:k*e.d] {
		if x != 0 {
			return 0, false
		}
	}
	return e.quad.constant(i, k), true
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
