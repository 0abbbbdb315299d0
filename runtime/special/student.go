package special

import "math"

// The functions of the standard Student-t distribution, for every x and any real nu > 0 degrees of freedom; nu = Inf is the
// normal distribution. NaN for nu <= 0. The accuracies hold from nu = 1e-290 on, which smaller nu are taken for, and for every
// x, as long as the result is a normal number. How they come about is said at tPoint, tTail, uniform and tSlope.

// halfLog2Pi is log(2 pi)/2.
const halfLog2Pi = 0.918938533204672741780329736405617640

// degenerate reports whether the arguments are NaN, outside the domain, or x is infinite.
func degenerate(x, nu float64) bool { return !(nu > 0) || !(math.Abs(x) <= math.MaxFloat64) }

// certain reports whether x is so far to the right that 1 - F, the density and dF/dnu are 0 to the last bit: less than exp(-746). With L = log(1+x^2/nu) the
// integral of t f(t) from x on gives 1 - F <= exp(-(nu-1)L/2)/100 for x >= 39 and nu >= 100, which is above the density, and |dF/dnu| is at most (2 + L/2)(1 - F).
func certain(x, nu float64) bool {
	const leastX, leastNu, leastExponent = 39, 100, 1520 // of nu L: 0.99 * 1520/2 = 752, and 2 + L/2 < exp(6) where x^2/nu <= 1e300
	if !(x > leastX && nu >= leastNu) {
		return false
	}
	s := math.Min(x/math.Sqrt(nu), 1e150)
	return s < 1e-4 || nu*math.Log1p(s*s) > leastExponent // below 1e-4 nu L is x^2 but for the last digits
}

// atEnds returns the limits of a function at x = -Inf and x = Inf; NaN for other degenerate arguments.
func atEnds(x, nu, left, right float64) float64 {
	switch {
	case x != x || !(nu > 0):
		return math.NaN()
	case x > 0:
		return right
	}
	return left
}

// TLogPDF returns the log-density at x. 3 ulp.
func TLogPDF(x, nu float64) float64 {
	if degenerate(x, nu) {
		return atEnds(x, nu, math.Inf(-1), math.Inf(-1))
	}
	p := newTPoint(math.Abs(x), nu)
	return -((p.power + 0.5*p.xi) + (halfLog2Pi + 0.5*math.Log1p(theta(p.a)/p.a)))
}

// TCDF returns the distribution function F(x), which is 0.5 at 0. 3 ulp in both tails.
func TCDF(x, nu float64) float64 {
	if degenerate(x, nu) {
		return atEnds(x, nu, 0, 1)
	}
	p := newTPoint(math.Abs(x), nu)
	if p.isCentral() {
		_, _, delta, deltaL := p.central()
		return halfAnd(delta, deltaL, x)
	}
	t := p.tail()
	hi, lo := p.chance(t)
	if x > 0 {
		return (1 - hi) - lo
	}
	return hi + lo
}

// TLogCDF returns log F(x): about -nu log|x| far to the left, minus the upper tail far to the right,
// where it keeps its relative accuracy until it underflows. 3 ulp.
func TLogCDF(x, nu float64) float64 {
	if degenerate(x, nu) {
		return atEnds(x, nu, math.Inf(-1), 0)
	}
	if certain(x, nu) {
		return 0
	}
	p := newTPoint(math.Abs(x), nu)
	if p.isCentral() {
		_, _, delta, deltaL := p.central()
		return logOfHalf(delta, deltaL, x)
	}
	t := p.tail()
	if x > 0 {
		return logOfRest(p.chance(t))
	}
	return p.logChance(t)
}

// halfTwo returns 1/2 + delta with the sign of x, in two words.
func halfTwo(delta, deltaL, x float64) (hi, lo float64) {
	if x < 0 {
		delta, deltaL = -delta, -deltaL
	}
	hi = 0.5 + delta
	return hi, (delta - (hi - 0.5)) + deltaL
}

// halfAnd returns that in one word.
func halfAnd(delta, deltaL, x float64) float64 {
	hi, lo := halfTwo(delta, deltaL, x)
	return hi + lo
}

// logOfHalf returns its logarithm.
func logOfHalf(delta, deltaL, x float64) float64 {
	hi, lo := halfTwo(delta, deltaL, x)
	return Log(hi) + lo/hi
}

// logOfRest returns log(1 - hi - lo) for a tail in two words.
func logOfRest(hi, lo float64) float64 { return math.Log1p(-hi) - lo/(1-hi) }

// ratioCentral is how far to the left the central form serves the ratio: there 1/2 - delta makes the errors of delta larger.
const ratioCentral = 0.4

// isCentralRatio reports whether the central form serves the ratio at x, of which |x| is the point's.
func (p *tPoint) isCentralRatio(x float64) bool {
	return p.isCentral() && (x > 0 || p.x <= ratioCentral || p.nu < heavyTo)
}

// TRatio returns f(x)/F(x), the derivative of TLogCDF in x: about nu/|x| far to the left. 3 ulp.
//
// Its own derivative in x is elementary: -r (r + (nu+1) x/(nu+x^2)), where r is the ratio.
func TRatio(x, nu float64) float64 {
	if degenerate(x, nu) {
		left := 0.0
		if math.IsInf(nu, 1) {
			left = nu
		}
		return atEnds(x, nu, left, 0)
	}
	if certain(x, nu) {
		return 0
	}
	p := newTPoint(math.Abs(x), nu)
	if p.isCentralRatio(x) {
		f, fL, delta, deltaL := p.central()
		return ratioOfHalf(f, fL, delta, deltaL, x)
	}
	t := p.tail()
	if x > 0 {
		hi, lo := p.chance(t)
		return p.rateOfRest(t, hi, lo)
	}
	hi, lo := p.rate(t)
	return hi + lo
}

// ratioOfHalf returns f/(1/2 + delta).
func ratioOfHalf(f, fL, delta, deltaL, x float64) float64 {
	d, dL := halfTwo(delta, deltaL, x)
	hi, lo := overTwo(f, fL, d, dL)
	return hi + lo
}

// rateOfRest returns f/(1-S), for S in two words.
func (p *tPoint) rateOfRest(t tTail, hi, lo float64) float64 {
	rate, rateL := p.rate(t)
	f, fL := timesTwo(rate, rateL, hi, lo)
	d := 1 - hi
	hi, lo = overTwo(f, fL, d, ((1-d)-hi)-lo)
	return hi + lo
}
