package special

import "math"

// To the left, P(a, x) = x^a/Gamma(a+1) H with an H that is 1 at 0. So x is x0 = (u Gamma(a+1))^(1/a), the quantile for
// H = 1, times exp(delta), and what is to be solved is
//
//	a delta + log H(x0 exp(delta)) = 0.
//
// Here x0 is formed once, with log u in two words, and no logarithm is multiplied by 1/a after that: x keeps its digits
// down to where it underflows.

// For large shapes log Gamma(a+1) has few digits after the point, and most of it, a log(a) - a, is left out.

// gammaBase is x0 = scale exp(high + low + lowL), where low may be as large as a few units.
type gammaBase struct{ scale, high, low, lowL, x float64 }

// gammaScaledFrom is the least a for which the scale is a, not 1.
const gammaScaledFrom = 3

func newGammaBase(u, a float64) gammaBase {
	hi, lo := logOf(u)
	b := gammaBase{scale: 1, high: hi / a}
	rest := (math.FMA(-b.high, a, hi) + lo) / a
	switch {
	case a <= 1: // lgamma(1+a)/a
		ratio, ratioL := lgammaCell(a)
		less, lessL := sumTwo(-1, a)
		ratio, ratioL = timesTwo(ratio, ratioL, less, lessL)
		b.low, b.lowL = addTwo(ratio, ratioL, rest, 0)
	case a < gammaScaledFrom:
		b.low = rest + lgammaAbove(a)/a
	default:
		b.scale = a
		b.low = (rest + (logGammaScaled(a)+0.5*Log(2*math.Pi*a))/a) - 1
	}
	if b.high < -1e4 { // exp is 0, and the rest may be NaN
		b.low, b.lowL = 0, 0
	}
	b.x = b.at(0)
	return b
}

// logGammaScaled returns the logarithm of Gamma(a) divided by Stirling's approximation sqrt(2 pi/a) (a/e)^a, for a >= 1.
func logGammaScaled(a float64) float64 {
	if a < tailFrom {
		return Lgamma(a) - ((a-0.5)*Log(a) - a + halfLog2Pi)
	}
	i := 1 / a
	return i * lgRest(i*i)
}

// lgammaAbove returns lgamma(1 + a).
func lgammaAbove(a float64) float64 {
	if a <= 2 {
		return lgammaMid(a)
	}
	return Lgamma(1 + a)
}

// at returns x0 exp(delta).
func (b gammaBase) at(delta float64) float64 {
	return b.scale * (math.Exp(b.high) * math.Exp(b.low+delta))
}

// exactly is at with one rounding.
func (b gammaBase) exactly(delta float64) float64 {
	if b.high < -1e4 {
		return 0
	}
	hi, lo := addTwo(b.high, 0, b.low, b.lowL)
	hi, lo = addTwo(hi, lo, delta, 0)
	e, eL := expWords(hi, lo)
	product := float64(b.scale * e)
	return product + (math.FMA(b.scale, e, -product) + b.scale*eL)
}

// findAbout finds the quantile with P = chance (form gammaSeries) or Q = chance (gammaFraction) from a guess of
// mu = x/a - 1, for a >= 1 where x is of the order of a, from
//
//	log P = log k - a (mu - log(1+mu)) + log(a/(2 pi))/2 - log Gamma*,
//
// where Gamma* is Gamma(a) divided by Stirling's approximation: no term is larger than log P, but by little.
func (p *gammaPoint) findAbout(form gammaForm, chance, mu float64) {
	p.form = form
	a := p.a
	want := p.wanted(chance)
	for range maxGammaSteps {
		x := a * (1 + mu)
		var k, rate float64
		if form == gammaSeries {
			k = gammaSeriesSum(a, x, p.negligible()) / a
			rate = 1 / k
		} else {
			rate = -gammaFractionAt(a, x, p.fractionSteps(x))
			k = -1 / rate
		}
		log := Log(k) - a*lessLog1p(mu)
		step, last := p.step(want-log, rate, -a*mu, x)
		mu += (1 + mu) * math.Expm1(step)
		if last {
			break
		}
	}
	p.x = math.FMA(a, mu, a)
	if !p.isPolished() {
		p.logRatio = math.Log1p(mu)
	}
}

// wanted returns what log k - a (mu - log(1+mu)) is to be.
func (p *gammaPoint) wanted(chance float64) float64 {
	if p.isPolished() {
		below, _, product, _ := gammaWords(p.a)
		return Log(chance*product/p.a) + below - p.a*(Log(p.a)-1)
	}
	return Log(chance) + logGammaScaled(p.a) - 0.5*Log(p.a/(2*math.Pi))
}

// findSeries finds the quantile from a guess, for the forms that are series.
func (p *gammaPoint) findSeries(base gammaBase, guess float64) {
	if p.isPolished() && base.x > leastPolished && base.x < 0.1 { // the guess is good to 1e-4
		p.x = guess
		return
	}
	delta := 0.0
	if base.x > leastPolished { // else H is 1
		delta = Log(guess / base.x)
		for range maxGammaSteps {
			x := base.at(delta)
			log, rate := p.seriesLog(x)
			step, last := p.step(-(p.a*delta + log), rate, p.a-x, x)
			delta += step
			if last {
				break
			}
		}
	}
	p.x, p.logRatio = base.exactly(delta), base.high+(base.low+delta)
}

// seriesLog returns log H and 1/k.
func (p *gammaPoint) seriesLog(x float64) (log, rate float64) {
	if p.form == gammaPowers {
		h := p.a * gammaPowerSum(p.a, x, p.negligible())
		return math.Log1p(h), p.a * math.Exp(-x) / (1 + h)
	}
	g := gammaSeriesSum(p.a, x, p.negligible())
	return Log(g) - x, p.a / g
}

// gammaPowerSum returns (H - 1)/a = sum of (-x)^n/(n! (a+n)), n = 1, 2, ... (DLMF 8.7.1), for x up to 4. The first term is
// added last: the others are small beside it.
func gammaPowerSum(a, x, negligible float64) float64 {
	rest, term := 0.0, -x
	for n := 2; n < len(inverseWhole); n++ {
		term *= -x * inverseWhole[n]
		rest += term / (a + float64(n))
		if math.Abs(term) < negligible {
			break
		}
	}
	return rest - x/(a+1)
}

// powersSlope: with A = (H-1)/a,
//
//	dx/da = exp(x) x/a ((1 + aA) (psi(a+1) - log x) - A - a dA/da).
func (p *gammaPoint) powersSlope() float64 {
	a, x := p.a, p.x
	drest, term := 0.0, -x
	for n := 2; n < len(inverseWhole) && math.Abs(term) >= negligible; n++ {
		term *= -x * inverseWhole[n]
		inverse := 1 / (a + float64(n))
		drest -= term * inverse * inverse
	}
	sum, sumL := gammaPowerWords(a, x)
	h, hL := scaleTwo(sum, sumL, a)
	h, hL = addTwo(1, 0, h, hL)
	t, tL := p.digammaLessLog()
	t, tL = timesTwo(t, tL, h, hL)
	t, tL = addTwo(t, tL, -sum, -sumL)
	first := x / (a + 1)
	bracket := (t - a*(drest+first/(a+1))) + tL
	return math.Exp(x) * (x / a * bracket)
}

// digammaLessLog returns psi(1+a) - log x, in two words for a < 8.
func (p *gammaPoint) digammaLessLog() (hi, lo float64) {
	if p.a >= gammaUniformFrom {
		return 1/p.a - (p.logRatio - DigammaLog(p.a)), 0
	}
	hi, lo = digammaWords(p.a)
	log, logL := logOf(p.x)
	return addTwo(hi, lo, -log, -(logL + p.xL/p.x))
}

// gammaSeriesSum returns G = H exp(x) = 1 + x/(a+1) + x^2/((a+1)(a+2)) + ... (DLMF 8.7.1).
func gammaSeriesSum(a, x, negligible float64) float64 {
	sum, term := 1.0, 1.0
	for top := a + 1; ; top++ {
		term *= x / top
		sum += term
		if !(term >= negligible*sum) {
			return sum
		}
	}
}

// seriesSlope: dx/da = x/a (G (psi(a+1) - log x) - dG/da).
func (p *gammaPoint) seriesSlope() float64 {
	sum, dsum, term, dlog := 1.0, 0.0, 1.0, 0.0
	for top := p.a + 1; ; top++ {
		inverse := 1 / top
		term *= p.x * inverse
		dlog += inverse
		sum += term
		dsum += term * dlog // minus dG/da
		if !(term >= negligible*sum) {
			break
		}
	}
	t, tL := p.digammaLessLog()
	return p.x / p.a * (sum*(t+tL) + dsum)
}
