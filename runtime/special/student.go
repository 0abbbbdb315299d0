package special

import "math"

// The functions of the standard Student-t distribution, for every x and any real nu > 0 degrees of freedom; nu = Inf is the
// normal distribution. NaN for nu <= 0. The accuracies hold from nu = 1e-290 on, which smaller nu are taken for, and for every
// x, as long as the result is a normal number. How they come about is said at tPoint, tTail, uniform and tSlope.

// halfLog2Pi is log(2 pi)/2.
const halfLog2Pi = 0.918938533204672741780329736405617640

// degenerate reports whether the arguments are NaN, outside the domain, or x is infinite.
func degenerate(x, nu float64) bool { return !(nu > 0) || !(math.Abs(x) <= math.MaxFloat64) }

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

// TCDF returns the distribution function F(x), which is 0.5 at 0. 5 ulp in both tails.
func TCDF(x, nu float64) float64 {
	if degenerate(x, nu) {
		return atEnds(x, nu, 0, 1)
	}
	p := newTPoint(math.Abs(x), nu)
	if p.isCentral() {
		_, delta := p.central()
		return 0.5 + math.Copysign(delta, x)
	}
	t := p.tail()
	if x > 0 {
		return 1 - t.k*p.exp()
	}
	return t.k * p.exp()
}

// TLogCDF returns log F(x): about -nu log|x| far to the left, minus the upper tail far to the right,
// where it keeps its relative accuracy until it underflows. 5 ulp.
func TLogCDF(x, nu float64) float64 {
	if degenerate(x, nu) {
		return atEnds(x, nu, math.Inf(-1), 0)
	}
	p := newTPoint(math.Abs(x), nu)
	if p.isCentral() {
		_, delta := p.central()
		return logOfHalf(math.Copysign(delta, x))
	}
	t := p.tail()
	if x > 0 {
		return math.Log1p(-t.k * p.exp())
	}
	return (math.Log(t.k) - p.powerL) - p.power
}

// logOfHalf returns log(1/2 + delta).
func logOfHalf(delta float64) float64 {
	sum := 0.5 + delta
	return math.Log(sum) + (delta-(sum-0.5))/sum
}

// ratioCentral is how far to the left the central form serves the ratio: there 1/2 - delta makes the errors of delta larger.
const ratioCentral = 0.4

// isCentralRatio reports whether the central form serves the ratio at x, of which |x| is the point's.
func (p *tPoint) isCentralRatio(x float64) bool {
	return p.isCentral() && (x > 0 || p.x <= ratioCentral || p.nu < heavyTo)
}

// TRatio returns f(x)/F(x), the derivative of TLogCDF in x: about nu/|x| far to the left. 4 ulp, and 5 for
// nu < 1.
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
	p := newTPoint(math.Abs(x), nu)
	if p.isCentralRatio(x) {
		f, delta := p.central()
		return f / (0.5 + math.Copysign(delta, x))
	}
	t := p.tail()
	if x > 0 {
		tail := t.k * p.exp()
		return t.rate * tail / (1 - tail)
	}
	return t.rate
}
