package special

import "math"

// For a below gammaUniformFrom the last step to the quantile is on log P or log Q in two words:
//
//	log P = a log x + log H - lgamma(1+a),    log Q = a log x + log(a/b_0) - x - lgamma(1+a),
//
// with the H of gammaquantileseries.go and the b_0 of gammaquantilefraction.go.

// isPolished reports whether there is such a step, before which the quantile need not be known to the last digit.
func (p *gammaPoint) isPolished() bool { return p.a < gammaUniformFrom && p.x > 0x1p-1000 }

// polish takes the step.
func (p *gammaPoint) polish(u float64) {
	if !p.isPolished() {
		return
	}
	excess, rate := p.excess(u)
	step, _ := gammaStep(-excess, rate, p.a-p.x, p.x)
	p.x += p.x * math.Expm1(step)
	p.logX += step
	p.logRatio += step
}

// excess returns log(P/u), or log(Q/(1-u)) where the form is of Q, and its derivative in log x.
func (p *gammaPoint) excess(u float64) (excess, rate float64) {
	a := p.a
	below, belowL, product, productL := gammaWords(a)
	hi, lo := logOf(p.x)
	hi, lo = scaleTwo(hi, lo, a)
	hi, lo = addTwo(hi, lo, -below, -belowL)
	if p.form == gammaPowers {
		h, hL := gammaPowerWords(a, p.x)
		log, logL := log1pWords(h, hL)
		hi, lo = addTwo(hi, lo, log, logL)
		log, logL = logOf(u)
		hi, lo = addTwo(hi, lo, -log, -logL)
		return hi + lo, a * math.Exp(-p.x) / (1 + h)
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
	return hi + lo, rate
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
	k := int(16*a + 0.5)
	c := (*[12]float64)(lgammaCells[k][1:])
	delta := a - float64(k)/16
	y := delta * delta
	even := ((((c[10]*y+c[8])*y+c[6])*y+c[4])*y + c[2]) * y
	odd := ((((c[11]*y+c[9])*y+c[7])*y+c[5])*y+c[3])*y + c[1]
	change := even + delta*odd
	ratio := c[0] + change
	ratioL := (change - (ratio - c[0])) + lgammaCells[k][0]
	less, lessL := sumTwo(-1, a)
	below, belowL = timesTwo(ratio, ratioL, a, 0)
	below, belowL = timesTwo(below, belowL, less, lessL)
	return below, belowL, product, productL
}

// gammaSeriesWords is gammaSeriesSum in two words.
func gammaSeriesWords(a, x float64) (sum, low float64) {
	sum = 1
	term, termL := 1.0, 0.0
	for k := 1.0; ; k++ {
		top, topL := sumTwo(a, k)
		inverse := 1 / top
		q := float64(x * inverse)
		qL := (math.FMA(-q, top, x) - q*topL) * inverse
		term, termL = timesTwo(term, termL, q, qL)
		var rest float64
		sum, rest = sumTwo(sum, term)
		low += rest + termL
		if !(term >= negligible*sum) {
			return sum, low
		}
	}
}

// gammaPowerWords returns H - 1 = a gammaPowerSum in two words: the first two terms are most of it.
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
	h, hL = addTwo(h, hL, rest, 0)
	return scaleTwo(h, hL, a)
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
