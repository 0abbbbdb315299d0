package ep

import (
	"math"

	"github.com/sngdgen/sngdgen/runtime/dense"
)

// local is the part of the problem that one factor sees: its site, and the distribution of its predictors.
type local struct {
	e      *sites
	factor int
	k      int     // number of predictors
	weight float64 // how often the factor counts
	site   natural
	now    marginal
	whole  natural // of now
	first  float64 // disagreement before the first step

	cavity, to  marginal
	rest        natural
	by, total   natural
	tilted      tilted
	root, other []float64 // k x k
	change      []float64
	numbers     []float64 // the memory of all
}

// tilted are the moments of a tilted distribution, and what follows from them.
type tilted struct {
	marginal
	target       natural // of the site: with power 0 alone
	disagreement float64 // with those of the approximation, divided by the power
	quadrature   float64
	logSite      float64 // logarithm of the constant of the site
}

const (
	// Steps of one site at a time. With power 1, of a factor that counts once, the first one is the last: the cavity does not
	// depend on the site.
	localSteps  = 8
	localEnough = 1e-2
	// A step that goes beyond the moments of the tilted distribution, as those do with a power below 1 and of factors that count
	// several times, changes the precision by no more than this part of it, or as far as these moments are, and the mean by as many
	// standard deviations.
	mostBeyond = 0.5
)

// newLocal has memory for factors of so many predictors.
func newLocal(e *sites, k int) *local {
	l := &local{e: e, numbers: make([]float64, 8*(k+k*k)+4*k*k+k)}
	l.cut(k)
	return l
}

// cut shares the memory out for factors of k predictors.
func (l *local) cut(k int) {
	if l.k == k {
		return
	}
	l.k = k
	free := l.numbers
	take := func(n int) []float64 {
		var x []float64
		x, free = free[:n:n], free[n:]
		return x
	}
	for _, m := range []*marginal{&l.now, &l.cavity, &l.to, &l.tilted.marginal} {
		m.mean, m.cov = take(k), take(k*k)
	}
	for _, n := range []*natural{&l.site, &l.whole, &l.rest, &l.by} {
		n.shift, n.precision = take(k), take(k*k)
	}
	l.total, l.tilted.target = l.rest, l.rest // which is not in use then
	l.root, l.other, l.change = take(k*k), take(k*k), take(k)
}

// at takes a factor, its site and the distribution of its predictors; false where these are not random.
func (l *local) at(i int) bool {
	e := l.e
	l.cut(e.seen[i])
	l.factor, l.weight = i, e.w[i]
	site := e.site(i)
	copy(l.site.shift, site.shift)
	copy(l.site.precision, site.precision)
	e.predictors(l.now, i)
	return l.whole.of(l.now, l.root)
}

// approach takes steps of the site until it agrees with its factor; false where the factor has no tilted moments.
func (l *local) approach(step float64) bool {
	alone := l.weight == 1 && l.e.Power == 1
	for k := range localSteps {
		if !l.tilt() {
			return k > 0
		}
		disagreement := l.tilted.disagreement
		if k == 0 {
			l.first = disagreement
		}
		if !l.step(step) || !l.take() {
			return k > 0
		}
		if alone || step < 1 || disagreement < localEnough*l.first || disagreement < l.e.Tolerance/10 {
			break
		}
	}
	return true
}

// step is the change of a site by a natural step: its mean parameters, which are those of the predictors under the approximation,
// go towards those of the tilted distribution, and the change of the natural parameters is divided by the power. In the limit of
// power 0 that is the part step of the way to the target. It is false where rounding leaves no distribution.
func (l *local) step(step float64) bool {
	power := l.e.Power
	if power == 0 {
		for j, x := range l.tilted.target.shift {
			l.by.shift[j] = step * x
		}
		for j, x := range l.tilted.target.precision {
			l.by.precision[j] = step * x
		}
		return true
	}
	for j, x := range l.now.mean {
		l.change[j] = l.tilted.mean[j] - x
		l.to.mean[j] = x + step*l.change[j]
	}
	for j, x := range l.now.cov {
		l.to.cov[j] = x + step*(l.tilted.cov[j]-x) + step*(1-step)*l.change[j/l.k]*l.change[j%l.k]
	}
	if !l.by.of(l.to, l.root) {
		return false
	}
	for j, x := range l.whole.shift {
		l.by.shift[j] = (l.by.shift[j] - x) / power
	}
	for j, x := range l.whole.precision {
		l.by.precision[j] = (l.by.precision[j] - x) / power
	}
	return true
}

// take takes a step of the site.
func (l *local) take() bool {
	copy(l.total.shift, l.by.shift)
	copy(l.total.precision, l.by.precision)
	dense.Scale(l.total.shift, l.weight, l.total.shift)
	dense.Scale(l.total.precision, l.weight, l.total.precision)
	// As far as the tilted moments the approximation stays proper; beyond them within bounds.
	safe := 0.0
	if l.e.Power > 0 {
		safe = math.Min(1, l.e.Power/l.weight)
	}
	change, drift := l.size(l.total)
	part := math.Min(1, math.Max(safe, mostBeyond/math.Max(change, drift)))
	l.whole.add(part, l.total)
	if !l.now.of(l.whole, l.root) {
		return false
	}
	l.site.add(part, l.by)
	return true
}

// size is how large a change of natural parameters is: of the precision as a part of it, of the mean in standard deviations.
func (l *local) size(by natural) (change, drift float64) {
	k := l.k
	if !dense.Cholesky(l.root, l.now.cov, k) {
		return math.Inf(1), math.Inf(1)
	}
	for i := range k { // root' Q root, whose root is lower triangular
		for j := range k {
			sum := 0.0
			for a := i; a < k; a++ {
				for b := j; b < k; b++ {
					sum += l.root[a*k+i] * by.precision[a*k+b] * l.root[b*k+j]
				}
			}
			change += sum * sum
		}
		sum := 0.0
		for a := i; a < k; a++ {
			sum += l.root[a*k+i] * (by.shift[a] - dense.Dot(by.precision[a*k:a*k+k], l.now.mean))
		}
		drift += sum * sum
	}
	return math.Sqrt(change), math.Sqrt(drift)
}

// tilt integrates the tilted distribution of the factor: the approximation without the power of its site, its cavity, times the
// power of the factor. It is false where the cavity is improper, or there is no integral.
func (l *local) tilt() bool {
	power := l.e.Power
	if power == 0 {
		return l.expect()
	}
	copy(l.rest.shift, l.whole.shift)
	copy(l.rest.precision, l.whole.precision)
	l.rest.add(-power, l.site)
	if !l.cavity.of(l.rest, l.root) {
		return false
	}
	// The logarithm of the integral of the cavity times the power of the site.
	own := dense.LogDet(l.root, l.k) + dense.Dot(l.whole.shift, l.now.mean) - dense.Dot(l.rest.shift, l.cavity.mean)
	if !dense.Cholesky(l.root, l.whole.precision, l.k) {
		return false
	}
	own = (own - dense.LogDet(l.root, l.k)) / 2
	log, ok := l.e.integrate(l)
	if !ok {
		return false
	}
	t := &l.tilted
	t.disagreement = 0
	for j := range l.k {
		t.disagreement = math.Max(t.disagreement, math.Abs(t.mean[j]-l.now.mean[j])/math.Sqrt(l.now.cov[j*l.k+j]))
		for m := range j + 1 {
			scale := math.Sqrt(l.now.cov[j*l.k+j] * l.now.cov[m*l.k+m])
			t.disagreement = math.Max(t.disagreement, math.Abs(t.cov[j*l.k+m]-l.now.cov[j*l.k+m])/scale)
		}
	}
	t.disagreement /= power
	t.quadrature /= power
	t.logSite = (log - own) / power
	return true
}

// expect is the limit of power 0: the site that has the expected slope and curvature of the factor, which is stationary for the
// evidence lower bound (Opper and Archambeau 2009, The variational Gaussian approximation revisited, equation 3.7).
func (l *local) expect() bool {
	mean, slope, curvature, ok := l.e.expectations(l)
	if !ok {
		return false
	}
	t, k := &l.tilted, l.k
	t.logSite = mean
	for j := range k {
		along := dense.Dot(curvature[j*k:j*k+k], l.now.mean)
		t.target.shift[j] = slope[j] - along - l.site.shift[j]
		t.logSite -= l.site.shift[j] * l.now.mean[j]
		for m := range k {
			q := l.site.precision[j*k+m]
			t.target.precision[j*k+m] = -curvature[j*k+m] - q
			t.logSite += q * (l.now.cov[j*k+m] + l.now.mean[j]*l.now.mean[m]) / 2
		}
	}
	change, drift := l.size(t.target)
	t.disagreement = math.Max(change, drift)
	return true
}
