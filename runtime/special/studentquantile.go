package special

import "math"

// The quantile is found from a guess by steps of fourth order on the central or the tail form of the distribution
// function, whose second and third derivatives are elementary. Two evaluations are usual, the guess being off by less
// than a percent.

// TQuantile returns the x with F(x) = u, for 0 <= u <= 1; NaN elsewhere. It is infinite where it overflows, and odd to
// the last bit about u = 1/2. 3 ulp.
//
// To the right this is about the u given, and such u crowd near 1: TQuantileLog reaches farther out there.
func TQuantile(u, nu float64) float64 {
	x, _ := tQuantileTwo(u, nu)
	return x
}

// tQuantileTwo returns TQuantile in two words.
func tQuantileTwo(u, nu float64) (x, rest float64) {
	if !(u >= 0 && u <= 1 && nu > 0) {
		return math.NaN(), 0
	}
	if u > 0.5 {
		p := 1 - u // exact
		return upperQuantile(tTarget{p: p, logP: Log(p), d: u - 0.5}, nu)
	}
	x, rest = upperQuantile(tTarget{p: u, logP: Log(u), d: 0.5 - u}, nu)
	return -x, -rest
}

// TQuantileDU returns the derivative of TQuantile in u, the inverse of the density at the quantile; +Inf at u = 0 and 1.
// 4 ulp.
func TQuantileDU(u, nu float64) float64 {
	p := math.Min(u, 1-u)
	x := -TQuantile(p, nu)
	if !(x >= 0 && x <= math.MaxFloat64) {
		return x
	}
	t := newTPoint(x, nu)
	if t.isCentral() {
		f, fL := t.density()
		return oneOver(f, fL, 1)
	}
	tail := t.tail()
	rate, rateL := t.rate(tail)
	return oneOver(rate, rateL, p)
}

// oneOver returns 1/(hi + lo)/p, where p may be one of the least numbers.
func oneOver(hi, lo, p float64) float64 {
	n, nL := overTwo(1, 0, hi, lo)
	return overLeast(n, nL, p)
}

// ln2Rest is log(2) less its float64.
const ln2Rest = 2.319046813846299616e-17

// TQuantileLog returns the x with log F(x) = logU, for logU <= 0; NaN elsewhere. It reaches beyond TQuantile on
// both sides, below logU = -745 and up to logU = -1e-300. 4 ulp, but for logU > -log 2 and nu < 1, where
// it is ill-conditioned: it goes like a power -1/nu of 1 - exp(logU), whose rounding makes it 4/nu.
func TQuantileLog(logU, nu float64) float64 {
	if !(logU <= 0 && nu > 0) {
		return math.NaN()
	}
	d := 0.5 * math.Expm1((logU+math.Ln2)+ln2Rest)
	if d > 0 {
		p := -math.Expm1(logU)
		x, _ := upperQuantile(tTarget{p: p, logP: Log(p), d: d}, nu)
		return x
	}
	p, pL := expWords(logU, 0)
	x, _ := upperQuantile(tTarget{p: p, pL: pL, logP: logU, d: -d, byLog: logU < -700, logExact: true}, nu)
	return -x
}

// tTarget says where the upper quantile is: S = p + pL, log S = logP, F - 1/2 = d. Of these d is exact for d <= 1/4; and p
// elsewhere, or logP if byLog, where p is too small for a float64. And logExact says that it is logP that was given.
type tTarget struct {
	p, pL, logP, d  float64
	byLog, logExact bool
}

// upperQuantile returns the quantile x >= 0, in two words.
func upperQuantile(t tTarget, nu float64) (x, rest float64) {
	if t.d == 0 {
		return 0, 0
	}
	if t.d == 0.5 && math.IsInf(t.logP, -1) {
		return math.Inf(1), 0
	}
	if t.isHeavy(nu) {
		return t.heavyQuantile(nu)
	}
	x = t.guess(nu)
	for range 20 {
		if !(x > 0 && x <= math.MaxFloat64) { // beyond the largest number, or below the least
			break
		}
		p := newTPoint(x, nu)
		var step float64
		if nu < heavyTo || p.isCentral() {
			step = t.centralStep(p)
		} else {
			step = x * math.Expm1(t.tailStep(p))
		}
		x += step
		rest = step - (x - p.x)
		if math.Abs(step) < 5e-5*x {
			break
		}
	}
	return x, rest
}

// centralStep returns the step in x on F(x) - 1/2 = d.
func (t tTarget) centralStep(p tPoint) float64 {
	f, _, delta, deltaL := p.central()
	off := t.d - delta
	if t.d > 0.25 { // p has the digits that d lost
		off = ((0.5 - delta) - t.p) - t.pL
	}
	n := (1 + 1/p.nu) * p.z
	return invertStep((off-deltaL)/f, -n*p.x, -n*(p.z-p.y))
}

// tailStep returns the step in log x on log S = log p.
func (t tTarget) tailStep(p tPoint) float64 {
	tail := p.tail()
	m := p.x * p.plainRate(tail) // -d log S/d log x
	ay, _ := p.ay()
	ny := 2*ay + p.y // (nu+1) y
	b := 1 - ny + m
	return invertStep(t.excess(p, tail)/m, b, m*b-2*ny*p.z)
}

// excess returns log(S/p). The logarithm is not formed as a difference of two, except where the target is one, or next to the
// least numbers.
func (t tTarget) excess(p tPoint, tail tTail) float64 {
	k, kL, power, powerL := p.factor(tail)
	hi, lo := t.logP, 0.0
	if !t.byLog {
		e, eL := expWords(-power, -powerL)
		chance, chanceL := timesTwo(k, kL, e, eL)
		if chance > 0.5*t.p && chance < 2*t.p && t.p > 1e-290 {
			return math.Log1p(((chance - t.p) + (chanceL - t.pL)) / t.p)
		}
		hi, lo = logOf(t.p)
	}
	return ((-power - hi) - (powerL + lo)) + (Log(k) + kL/k)
}

// invertStep solves D + b D^2/2 + (b^2+db) D^3/6 = rho for D: the step on a function whose logarithmic derivative of
// the first derivative is b, and db the derivative of that, where Newton's step is rho.
func invertStep(rho, b, db float64) float64 {
	if q := b * rho; math.Abs(q) > 0.3 {
		return 2 * rho / (1 + math.Sqrt(math.Max(0, 1+2*q)))
	}
	return rho * (1 + rho*(-0.5*b+rho*(b*b/3-db/6)))
}
