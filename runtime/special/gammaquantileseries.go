package special

import "math"

// To the left, P(a, x) = x^a/Gamma(a+1) H with an H that is 1 at 0. So x is x0 = (u Gamma(a+1))^(1/a), the quantile for
// H = 1, times exp(delta), and what is to be solved is
//
//	a delta + log H(x0 exp(delta)) = 0.
//
// Here x0 is formed once, with log u in two words, and no logarithm is multiplied by 1/a after that: x keeps its digits
// down to where it underflows.

// gammaBase has log x0 = high + low, where low may be as large as a few units.
type gammaBase struct{ high, low, x float64 }

func newGammaBase(u, a float64) gammaBase {
	hi, lo := logOf(u)
	high := hi / a
	low := (math.FMA(-high, a, hi) + lo + lgammaAbove(a)) / a
	if high < -1e4 { // exp is 0, and the rest may be NaN
		low = 0
	}
	return gammaBase{high: high, low: low, x: math.Exp(high) * math.Exp(low)}
}

// lgammaAbove returns lgamma(1 + a).
func lgammaAbove(a float64) float64 {
	if a <= 2 {
		return lgammaMid(a)
	}
	return Lgamma(1 + a)
}

// at returns x0 exp(delta).
func (b gammaBase) at(delta float64) float64 { return math.Exp(b.high) * math.Exp(b.low+delta) }

// findSeries finds the quantile from a guess, for the forms that are series.
func (p *gammaPoint) findSeries(base gammaBase, guess float64) {
	delta := 0.0
	if base.x > 1e-20 { // else H is 1
		delta = math.Log(guess / base.x)
		for range maxGammaSteps {
			x := base.at(delta)
			log, rate := p.seriesLog(x)
			step, last := gammaStep(-(p.a*delta + log), rate, p.a-x, x)
			delta += step
			if last {
				break
			}
		}
	}
	p.x, p.logX = base.at(delta), base.high+(base.low+delta)
}

// seriesLog returns log H and 1/k.
func (p *gammaPoint) seriesLog(x float64) (log, rate float64) {
	if p.form == gammaPowers {
		h := p.a * gammaPowerSum(p.a, x)
		return math.Log1p(h), p.a * math.Exp(-x) / (1 + h)
	}
	g := gammaSeriesSum(p.a, x)
	return math.Log(g) - x, p.a / g
}

// gammaPowerSum returns (H - 1)/a = sum of (-x)^n/(n! (a+n)), n = 1, 2, ... (DLMF 8.7.1), for x up to 4.
func gammaPowerSum(a, x float64) float64 {
	sum, term := 0.0, 1.0
	for n := 1; n < len(inverseWhole); n++ {
		term *= -x * inverseWhole[n]
		sum += term / (a + float64(n))
		if math.Abs(term) < negligible {
			break
		}
	}
	return sum
}

// powersSlope: with A = (H-1)/a,
//
//	dx/da = exp(x) x/a ((1 + aA) (psi(a+1) - log x) - A - a dA/da).
func (p *gammaPoint) powersSlope() float64 {
	a, x := p.a, p.x
	sum, dsum, term := 0.0, 0.0, 1.0
	for n := 1; n < len(inverseWhole); n++ {
		term *= -x * inverseWhole[n]
		inverse := 1 / (a + float64(n))
		sum += term * inverse
		dsum -= term * inverse * inverse
		if math.Abs(term) < negligible {
			break
		}
	}
	bracket := (1+a*sum)*(digammaRoot(a)-p.logX) - sum - a*dsum
	return math.Exp(x) * (x / a * bracket)
}

// gammaSeriesSum returns G = H exp(x) = 1 + x/(a+1) + x^2/((a+1)(a+2)) + ... (DLMF 8.7.1).
func gammaSeriesSum(a, x float64) float64 {
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
	return p.x / p.a * (sum*(Digamma(p.a+1)-p.logX) + dsum)
}
