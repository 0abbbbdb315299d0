package special

import "math"

// The last step to the quantile is on log P or log Q in two words. For a below gammaUniformFrom they are
//
//	log P = a log x + log H - lgamma(1+a),    log Q = a log x + log(a/b_0) - x - lgamma(1+a),
//
// with the H of gammaquantileseries.go and the b_0 of gammaquantilefraction.go.

// isPolished reports whether there is such a step, before which the quantile need not be known to the last digit.
func (p *gammaPoint) isPolished() bool { return p.a < gammaUniformFrom && p.form != gammaUniform }

// negligible is the size below which terms are left out before that.
func (p *gammaPoint) negligible() float64 {
	if p.isPolished() {
		return 1e-7
	}
	return negligible
}

// polish takes the step.
func (p *gammaPoint) polish(u float64) {
	if p.isPolished() && p.x > leastPolished {
		excess, rate := p.excess(u)
		step, _ := p.step(-excess, rate, p.a-p.x, p.x)
		change := p.x * changeOf(step)
		x := p.x
		p.x += change
		p.xL = change - (p.x - x)
	}
}

// changeOf is expm1, faster for the steps that are usual.
func changeOf(step float64) float64 {
	if math.Abs(step) < 1e-3 {
		return step + step*step*(0.5+step*(1.0/6+step*(1.0/24+step*(1.0/120))))
	}
	return math.Expm1(step)
}

// leastPolished is where H is 1 below.
const leastPolished = 1e-20

// stepUniform is the step around the normal distribution; it reports whether it is the last.
func (p *gammaPoint) stepUniform(side, chance float64) (last bool) {
	t := p.uniformWords(side, p.mu)
	rate := -side * math.Sqrt(p.a) / (t.scaled * t.m)
	shift := 0
	if chance < 0x1p-900 {
		chance *= 0x1p600
		shift = 600
	}
	q, qL := overTwo(t.m, t.mL, chance, 0)
	hi, lo := logTwo(q, qL, shift)
	hi, lo = addTwo(hi, lo, -halfLog2Pi, -halfLog2PiRest)
	hi, lo = addTwo(hi, lo, -t.power, -t.powerL)
	step, last := p.step(-(hi + lo), rate, -p.a*p.mu, p.a*(1+p.mu))
	change := (1 + p.mu) * changeOf(step)
	product, productL := timesTwo(p.a, 0, p.mu, 0)
	p.x, p.xL = addTwo(p.a, 0, product, productL+p.a*change)
	p.mu += change
	return last
}

// uniformTail is a tail of gammaquantileuniform.go, m exp(-power)/sqrt(2 pi), and Gamma*.
type uniformTail struct{ m, mL, power, powerL, scaled float64 }

// uniformWords returns the tail at mu in two words.
func (p *gammaPoint) uniformWords(side, mu float64) (t uniformTail) {
	less, lessL := lessLog1pWords(mu)
	t.power, t.powerL = scaleTwo(less, lessL, p.a)
	z, zL := 0.0, 0.0
	if t.power > 0 {
		z, zL = rootTwo(2*t.power, 2*t.powerL)
	}
	t.m, t.mL = millsWords(z, zL)
	if side*mu < 0 { // Phi(z)/phi(z) = sqrt(2 pi) exp(z^2/2) - Phi(-z)/phi(z)
		e, eL := expWords(t.power, t.powerL)
		e, eL = timesTwo(e, eL, sqrt2Pi, sqrt2PiRest)
		t.m, t.mL = addTwo(e, eL, -t.m, -t.mL)
	}
	eta := math.Copysign(math.Sqrt(2*less), mu)
	sum, scaled := gammaExpansion(p.a, eta)
	t.scaled = scaled
	t.m, t.mL = addTwo(t.m, t.mL, side*sum/(math.Sqrt(p.a)*scaled), 0)
	return t
}

// sqrt2Pi is the square root of 2 pi, and sqrt2PiRest what is left of it.
const (
	sqrt2Pi     = 2.5066282746310007
	sqrt2PiRest = -1.8328579980459167e-16
)

// lessLog1pWords is lessLog1p, in two words where it is not small.
func lessLog1pWords(mu float64) (hi, lo float64) {
	if math.Abs(mu) < 0.25 {
		return lessLog1p(mu), 0
	}
	t, tL := sumTwo(1, mu)
	log, logL := logTwo(t, tL, 0)
	return addTwo(mu, 0, -log, -logL)
}

// perChance returns dx/du = 1/f, as k x divided by the probability of the form's tail.
func (p *gammaPoint) perChance(u float64) float64 {
	var n, nL, d, dL float64
	chance, rate := u, 0.0
	switch p.form {
	case gammaUniform:
		return p.perUniform(u)
	case gammaFraction:
		chance = 1 - u
		n = p.x
		d, dL = gammaFractionWords(p.a, p.x)
		rate = -d
	case gammaPowers:
		h, hL := gammaPowerWords(p.a, p.x)
		h, hL = scaleTwo(h, hL, p.a)
		e, eL := expWords(p.x, 0)
		n, nL = timesTwo(e, eL, p.x, 0)
		sum := 1 + h
		n, nL = timesTwo(n, nL, sum, (h-(sum-1))+hL)
		d = p.a
		rate = p.a * math.Exp(-p.x) / sum
	default:
		g, gL := gammaSeriesWords(p.a, p.x)
		n, nL = timesTwo(g, gL, p.x, 0)
		d = p.a
		rate = p.a / g
	}
	q, qL := overTwo(n, nL, d, dL)
	perChance := overLeast(q, qL, chance)
	return perChance + perChance*(1-(p.a-p.x-rate))*(p.xL/p.x) // the density is that at x + xL
}

// perUniform is perChance around the normal distribution.
func (p *gammaPoint) perUniform(u float64) float64 {
	side, chance := gammaSide(u)
	t := p.uniformWords(side, p.mu)
	n, nL := timesTwo(t.m, t.mL, p.x, p.xL)
	n, nL = timesTwo(n, nL, t.scaled, 0)
	d, dL := rootTwo(p.a, 0)
	q, qL := overTwo(n, nL, d, dL)
	return overLeast(q, qL, chance)
}

// excess returns log(P/u), or log(Q/(1-u)) where the form is of Q, and its derivative in log x.
func (p *gammaPoint) excess(u float64) (excess, rate float64) {
	hi, lo, rate := p.excessWords(u)
	return hi + lo, rate
}

// excessWords is excess in two words.
func (p *gammaPoint) excessWords(u float64) (hi, lo, rate float64) {
	a := p.a
	below, belowL, product, productL := gammaWords(a)
	hi, lo = logOf(p.x)
	hi, lo = scaleTwo(hi, lo, a)
	hi, lo = addTwo(hi, lo, -below, -belowL)
	if p.form == gammaPowers {
		h, hL := gammaPowerWords(a, p.x)
		h, hL = scaleTwo(h, hL, a)
		log, logL := log1pWords(h, hL)
		hi, lo = addTwo(hi, lo, log, logL)
		log, logL = logOf(u)
		hi, lo = addTwo(hi, lo, -log, -logL)
		return hi, lo, a * math.Exp(-p.x) / (1 + h)
	}
	hi, lo = addTwo(hi, lo, -p.x, 0)
	var q, qL float64
	shift := 0
	if p.form == gammaSeries {
		if u < 0x1p-900 {
			u *= 0x1p600
			shift = 600
		}
		g, gL := gammaSeriesWords(a, p.x)
		rate = a / g
		product, productL = timesTwo(product, productL, u, 0)
		q, qL = overTwo(g, gL, product, productL)
	} else {
		b, bL := gammaFractionWords(a, p.x)
		rate = -b
		b, bL = timesTwo(b, bL, 1-u, 0)
		product, productL = timesTwo(product, productL, b, bL)
		q, qL = overTwo(a, 0, product, productL)
	}
	log, logL := logTwo(q, qL, shift)
	hi, lo = addTwo(hi, lo, log, logL)
	return hi, lo, rate
}

// log1pWords returns log(1 + h + hL) in two words.
func log1pWords(h, hL float64) (hi, lo float64) {
	if h >= 0 {
		return log1pTwo(h, hL)
	}
	d := 1 + h
	s, sL := overTwo(-h, -hL, d, (h-(d-1))+hL)
	hi, lo = log1pTwo(s, sL)
	return -hi, -lo
}

// gammaWords returns lgamma(1+a) = below + log(product) for 0 < a < 8, each in two words.
func gammaWords(a float64) (below, belowL, product, productL float64) {
	product = 1
	for a > 1 {
		product, productL = timesTwo(product, productL, a, 0)
		a-- // exact
	}
	ratio, ratioL := lgammaCell(a)
	less, lessL := sumTwo(-1, a)
	below, belowL = timesTwo(ratio, ratioL, a, 0)
	below, belowL = timesTwo(below, belowL, less, lessL)
	return below, belowL, product, productL
}

// digammaWords returns psi(1+a) for 0 < a < 8, in two words.
func digammaWords(a float64) (psi, psiL float64) {
	for a > 1 {
		inverse, inverseL := overTwo(1, 0, a, 0)
		psi, psiL = addTwo(psi, psiL, inverse, inverseL)
		a-- // exact
	}
	ratio, ratioL := lgammaCell(a)
	twice, twiceL := sumTwo(-1, 2*a)
	ratio, ratioL = timesTwo(ratio, ratioL, twice, twiceL)
	ratio, ratioL = addTwo(ratio, ratioL, a*(a-1)*lgammaCellSlope(a), 0)
	return addTwo(psi, psiL, ratio, ratioL)
}

// lgammaCell returns lgamma(1+z)/(z (z-1)) for 0 <= z <= 1 in two words.
func lgammaCell(z float64) (hi, lo float64) {
	c, rest, delta := lgammaCellOf(z)
	y := delta * delta
	even := ((((c[10]*y+c[8])*y+c[6])*y+c[4])*y + c[2]) * y
	odd := ((((c[11]*y+c[9])*y+c[7])*y+c[5])*y+c[3])*y + c[1]
	change := even + delta*odd
	hi = c[0] + change
	return hi, (change - (hi - c[0])) + rest
}

// lgammaCellSlope returns its derivative.
func lgammaCellSlope(z float64) float64 {
	c, _, delta := lgammaCellOf(z)
	slope := 0.0
	for k := len(c) - 1; k > 0; k-- {
		slope = slope*delta + float64(k)*c[k]
	}
	return slope
}

// lgammaCellOf returns the coefficients around the nearest centre, the second word of the first, and the distance.
func lgammaCellOf(z float64) (c *[12]float64, rest, delta float64) {
	k := int(16*z + 0.5)
	return (*[12]float64)(lgammaCells[k][1:]), lgammaCells[k][0], z - float64(k)/16
}

// gammaSeriesWords is gammaSeriesSum in two words.
func gammaSeriesWords(a, x float64) (sum, low float64) {
	sum = 1
	term, termL := 1.0, 0.0
	k := 1.0
	for ; term >= 0x1p-5*sum; k++ {
		top, topL := sumTwo(a, k)
		inverse := 1 / top
		q := float64(x * inverse)
		qL := (math.FMA(-q, top, x) - q*topL) * inverse
		term, termL = timesTwo(term, termL, q, qL)
		var rest float64
		sum, rest = sumTwo(sum, term)
		low += rest + termL
	}
	rest := 0.0
	for ; term >= negligible*sum; k++ { // these are small
		term *= x / (a + k)
		rest += term
	}
	return addTwo(sum, low, rest, 0)
}

// gammaPowerWords is gammaPowerSum in two words: the first two terms are most of it.
func gammaPowerWords(a, x float64) (h, hL float64) {
	first, firstL := sumTwo(1, a)
	first, firstL = overTwo(-x, 0, first, firstL)
	second, secondL := sumTwo(2, a)
	h, hL = square(x)
	second, secondL = overTwo(0.5*h, 0.5*hL, second, secondL)
	rest, term := 0.0, 0.5*h
	for n := 3; n < len(inverseWhole) && math.Abs(term) >= negligible; n++ {
		term *= -x * inverseWhole[n]
		rest += term / (a + float64(n))
	}
	h, hL = addTwo(first, firstL, second, secondL)
	return addTwo(h, hL, rest, 0)
}

// gammaFractionWords is gammaFractionAt in two words: those of the last two steps.
func gammaFractionWords(a, x float64) (b, bL float64) {
	n := float64(gammaFractionSteps(x))
	b = gammaFractionTail(a, x, n)
	for ; n > 2; n-- {
		b = (x + 2*n - 1 - a) - n*(n-a)/b
	}
	less, lessL := sumTwo(x, -a)
	for ; n > 0; n-- {
		c, cL := sumTwo(n, -a)
		c, cL = scaleTwo(c, cL, n)
		c, cL = overTwo(c, cL, b, bL)
		b, bL = addTwo(less, lessL, 2*n-1, 0)
		b, bL = addTwo(b, bL, -c, -cL)
	}
	return b, bL
}
