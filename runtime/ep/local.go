package ep

import "math"

// local is the part of the problem that one factor sees: its site, and the distribution of its predictor.
type local struct {
	e      *sites
	factor int
	weight float64 // how often the factor counts
	site   natural
	now    marginal
	first  float64 // disagreement before the first step
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

// approach takes steps of the site until it agrees with its factor; false where the factor has no tilted moments.
func (l *local) approach(step float64) bool {
	alone := l.weight == 1 && l.e.Power == 1
	for k := range localSteps {
		t, ok := l.e.tilt(l.factor, l.now, l.site)
		if !ok {
			return k > 0
		}
		if k == 0 {
			l.first = t.disagreement
		}
		l.take(t, step)
		if alone || step < 1 || t.disagreement < localEnough*l.first || t.disagreement < l.e.Tolerance/10 {
			break
		}
	}
	return true
}

// take takes a step of the site.
func (l *local) take(t tilted, step float64) {
	old := l.now.natural()
	by := t.step(l.now, l.e.Power, step)
	total := natural{l.weight * by.shift, l.weight * by.precision}
	// As far as the tilted moments the approximation stays proper; beyond them within bounds.
	safe := 0.0
	if l.e.Power > 0 {
		safe = math.Min(1, l.e.Power/l.weight)
	}
	change := math.Abs(total.precision) * l.now.variance
	drift := math.Abs(total.shift-total.precision*l.now.mean) * math.Sqrt(l.now.variance)
	part := math.Min(1, math.Max(safe, mostBeyond/math.Max(change, drift)))
	l.site = l.site.plus(part, by)
	l.now = old.plus(part, total).moments()
}

// tilted are the moments of a tilted distribution, and what follows from them.
type tilted struct {
	marginal
	target       natural // of the site: with power 0 alone
	disagreement float64 // with those of the approximation, divided by the power
	quadrature   float64
	logSite      float64 // logarithm of the constant of the site
}

// step is the change of a site by a natural step: its mean parameters, which are those of the predictor under the approximation,
// go towards those of the tilted distribution, and the change of the natural parameters is divided by the power. In the limit of
// power 0 that is the part step of the way to the target.
func (t *tilted) step(now marginal, power, step float64) natural {
	if power == 0 {
		return natural{step * t.target.shift, step * t.target.precision}
	}
	change := t.mean - now.mean
	to := marginal{now.mean + step*change, now.variance + step*(t.variance-now.variance) + step*(1-step)*change*change}.natural()
	from := now.natural()
	return natural{(to.shift - from.shift) / power, (to.precision - from.precision) / power}
}

// tilt integrates the tilted distribution of a factor: the approximation without the power of its site, its cavity, times the
// power of the factor. It is false where the cavity is improper, or there is no integral.
func (e *sites) tilt(i int, now marginal, site natural) (tilted, bool) {
	if e.Power == 0 {
		return e.expect(i, now, site)
	}
	whole := now.natural()
	rest := whole.plus(-e.Power, site)
	if !(rest.precision > 0) || math.IsInf(1/rest.precision, 0) {
		return tilted{}, false
	}
	cavity := rest.moments()
	m, ok := e.quad.tilted(i, cavity)
	if !ok {
		return tilted{}, false
	}
	t := tilted{marginal: marginal{m.mean, m.variance}}
	sd := math.Sqrt(now.variance)
	t.disagreement = math.Max(math.Abs(t.mean-now.mean)/sd, math.Abs(t.variance/now.variance-1)) / e.Power
	t.quadrature = m.change / e.Power
	// The logarithm of the integral of the cavity times the power of the site.
	own := (math.Log(rest.precision/whole.precision) + whole.shift*now.mean - rest.shift*cavity.mean) / 2
	t.logSite = (m.log - own) / e.Power
	return t, true
}

// expect is the limit of power 0: the site that has the expected slope and curvature of the factor, which is stationary for the
// evidence lower bound (Opper and Archambeau 2009, The variational Gaussian approximation revisited, equation 3.7).
func (e *sites) expect(i int, now marginal, site natural) (tilted, bool) {
	m, ok := e.quad.expected(i, now)
	if !ok {
		return tilted{}, false
	}
	target := natural{m.slope - m.curvature*now.mean, -m.curvature}
	t := tilted{marginal: now, target: natural{target.shift - site.shift, target.precision - site.precision}, quadrature: m.change}
	sd := math.Sqrt(now.variance)
	t.disagreement = math.Max(math.Abs(t.target.shift-t.target.precision*now.mean)*sd, math.Abs(t.target.precision)*now.variance)
	t.logSite = m.mean - site.shift*now.mean + site.precision*(now.variance+now.mean*now.mean)/2
	return t, true
}
