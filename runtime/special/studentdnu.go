package special

import "math"

// The derivatives in nu at fixed x. At fixed z, S depends on nu through a alone, and moving z at fixed a is moving x,
// so
//
//	dS/dnu at x  =  1/2 dS/da at z  +  x f/(2 nu).
//
// For a below uniformFrom the two are formed as they stand, with dS/da from the series of the tail's form, term by
// term. They cancel to the extent of a few a/(1+x^2), one digit and a half, so both are in two words. From uniformFrom on, or where x is so
// large that nothing cancels, it is done on paper (uniform.slope).

// TLogCDFDNu returns d log F(x)/d nu: negative for x < 0, 0 at 0, positive for x > 0; about -log|x| far to the left.
// 10 ulp.
func TLogCDFDNu(x, nu float64) float64 {
	if degenerate(x, nu) {
		return atEnds(x, nu, math.Inf(-1), 0)
	}
	if certain(x, nu) {
		return 0
	}
	p := newTPoint(math.Abs(x), nu)
	s := p.slope()
	if x <= 0 {
		return -s.perTail(p)
	}
	hi, lo := p.chance(s.tTail)
	return s.perRest(p, hi, lo)
}

// TQuantileDNu returns d TQuantile(u, nu)/d nu = -(dF/dnu)/f at the quantile: negative for u > 1/2. Callers who have
// the quantile had better use TQuantileDNuAt. 10 ulp.
func TQuantileDNu(u, nu float64) float64 {
	_, dnu := TQuantileWithDNu(u, nu)
	return dnu
}

// TQuantileDNuAt returns the derivative in nu, at fixed u, of the quantile x = TQuantile(u, nu), as a function of x.
// 10 ulp.
func TQuantileDNuAt(x, nu float64) float64 {
	if degenerate(x, nu) {
		return atEnds(x, nu, math.Inf(1), math.Inf(-1))
	}
	return quantileSlope(x, 0, nu)
}

// quantileSlope is TQuantileDNuAt for a quantile in two words.
func quantileSlope(x, rest, nu float64) float64 {
	if x < 0 {
		return -quantileSlope(-x, -rest, nu)
	}
	p := newTPointTwo(x, rest, nu)
	s := p.slope()
	return -s.perDensity(p)
}

// tSlope is the tail with -d log S/d nu or -dS/d nu over the density, which are positive.
type tSlope struct {
	tTail
	slope     float64
	ofDensity bool
}

// perTail returns -d log S/d nu.
func (s *tSlope) perTail(p tPoint) float64 {
	if s.ofDensity {
		rate, _ := p.rate(s.tTail)
		return s.slope * rate
	}
	return s.slope
}

// perRest returns -dS/d nu over 1-S, for S in two words.
func (s *tSlope) perRest(p tPoint, hi, lo float64) float64 {
	if s.ofDensity {
		return s.slope * p.rateOfRest(s.tTail, hi, lo)
	}
	d := 1 - hi
	odds, oddsL := overTwo(hi, lo, d, ((1-d)-hi)-lo)
	return s.slope * (odds + oddsL)
}

// perDensity returns -dS/d nu over the density.
func (s *tSlope) perDensity(p tPoint) float64 {
	if s.ofDensity {
		return s.slope
	}
	rate, _ := p.rate(s.tTail)
	return s.slope / rate
}

// slope returns the tail with its derivative.
func (p *tPoint) slope() (s tSlope) {
	switch {
	case p.isHeavy():
		s.form = tHeavy
		s.h, s.hL = p.heavyFactor()
		move, moveL := p.heavyMove(s.tTail)
		s.slope = p.seriesSlope(move, moveL, p.heavySumSlope()/s.h)
	case p.a < uniformFrom && p.isCentralSlope():
		s = p.centralSlope()
	case p.isFar():
		sum, dsum := p.termSumSlope()
		s.h = 1 + sum
		s.hL = sum - (s.h - 1)
		move, moveL := overTwo(0.5, 0, s.h, s.hL)
		s.slope = p.seriesSlope(move, moveL, dsum/s.h)
	case p.a >= uniformFrom:
		s = p.uniformSlope()
	default:
		s = p.shiftedSlope()
	}
	return s
}

// seriesSlope puts together -d log S/d nu from x f/S/(2 nu), in two words, and d log H/d a at fixed z.
func (p *tPoint) seriesSlope(move, moveL, dlogH float64) float64 {
	_, rest := tConstantSlope(p.a)
	return (0.5*p.xi - move) + (0.5*p.xiL - moveL) + (rest - 0.5*dlogH)
}

// heavySumSlope returns the derivative of F in a: the sum of k (1/2)_k/(k! (a+k)^2) z^k.
func (p *tPoint) heavySumSlope() float64 {
	d, term := 0.0, 1.0
	for k := 1; k < len(inverseWhole); k++ {
		term *= p.z * (1 - 0.5*inverseWhole[k])
		inverse := 1 / (p.a + float64(k))
		part := term * inverse * (float64(k) * inverse)
		d += part
		if part < negligible*d {
			break
		}
	}
	return d
}

// termSumSlope returns the sum of H, without its first term, 1, and the derivative in a.
func (p *tPoint) termSumSlope() (rest, dsum float64) {
	term, dlog := 1.0, 0.0
	up, down := p.a+0.5, p.a+1
	for range maxTerms {
		term *= p.z * (up / down)
		dlog += 0.5 / (up * down)
		rest += term
		dsum += term * dlog
		if term < negligible {
			break
		}
		up++
		down++
	}
	return rest, dsum
}

// shiftedSlope is for points of the shifted form.
func (p *tPoint) shiftedSlope() (s tSlope) {
	n := p.lift()
	up := p.a + float64(n)
	u := newUniformSlope(p, up)
	h, hL := u.topSum(p, up)
	dh := h * u.topSlope(p, up)
	for k := n; k > 0; k-- { // as shiftedSum
		share, shareL, slope := p.share(k)
		dh = share*dh + slope*h
		h, hL = onePlus(share, shareL, h, hL)
	}
	s.h, s.hL = h, hL
	move, moveL := overTwo(0.5, 0, h, hL)
	s.slope = p.seriesSlope(move, moveL, dh/h)
	return s
}

// topSlope returns d log H/d a at fixed z for the H of the expansion at a: the derivative of log S less that of the
// logarithm of exp(-a xi)/(a B(a,1/2)).
func (u *uniform) topSlope(p *tPoint, a float64) float64 {
	share := u.share()
	dshare := (u.dsum - share*u.dfirst) / (1 + u.first)
	tail, tailL := timesTwo(u.w, u.wL, u.h, 0)
	tail, tailL = overTwo(tail, tailL, u.m, u.mL)
	tailL += tail * (2*u.h*dshare - (1-u.w*u.w)*share)
	return ((p.xi - tail) + (p.xiL - tailL)) + (1/a - u.h - 2*u.h*u.h*u.dfirst/(1+u.first))
}

// uniformSlope is the derivative of the expansion at the point itself. With b = 1 + h p_1 and dots for d/dh,
//
//	-dS/dnu = w phi(w) h/(2b) (1 - exp(-xi/2)/(g (1+h/2)) + h p_1 - (h - xi) P + 2h (dhP - hP db/b)),
//
// where dhP and db are the derivatives of hP and b in h; g at xi, and the first difference, which is about h/2 + xi/2,
// without subtraction.
func (p *tPoint) uniformSlope() (s tSlope) {
	u := newUniformSlope(p, p.a)
	h, b := u.h, 1+u.first
	g1 := sinhPowerRest(h, p.xi)
	lead := (0.5*h + (g1-math.Expm1(-0.5*p.xi))/(1+g1)) / (1 + 0.5*h)
	rest := u.first - (h-p.xi)*u.series + 2*h*(u.dsum-u.share()*u.dfirst)
	s.form = tUniform
	s.h, s.hL = u.m, u.mL
	s.slope = 0.5 * u.w * h * (lead + rest) / (b * u.m)
	return s
}

// sinhPowerRest is g(xi) - 1, to as many terms as the expansion.
func sinhPowerRest(h, xi float64) float64 {
	square := xi * xi
	sum := 0.0
	for k := terms(h, xi); k > 0; k-- {
		sum = (sum + sinhPower[k]) * square
	}
	return sum
}

// isCentralSlope reports whether the central form serves.
func (p *tPoint) isCentralSlope() bool { return p.s <= 1 && p.x <= 2.25 }

// centralSlope is for the central form: with M the sum of the c_k of that form, c_0 = 1,
//
//	dF/dnu = x f (d log(c)/d nu M + N/2),   N = dM/da + (M-1)/nu - M xi,
//
// where N, which is the small difference of its terms, has coefficients n_k in y of its own: the equation that M solves,
// 2y(1-y) M' = 1 - M + (nu+1) y M, makes 2y(1-y) N' = ((nu+1) y - 1) N + y/nu + y - xi of it, and so
//
//	(2k+1) n_k = (nu + 2k-1) n_(k-1) - 1/k,   but for k = 1   3 n_1 = 1/nu.
func (p *tPoint) centralSlope() (s tSlope) {
	rest, power := 0.0, p.y // M - 1, y^k
	term := (p.nu + 1) * p.y / 3
	n := p.y / (3 * p.nu)
	sum := n
	for k := 2; term > negligible*0x1p-6 && k < len(inverseWhole); k++ {
		rest += term
		inverse := 0.5 * inverseOdd[k-1]
		ratio := (p.nu + float64(2*k-1)) * p.y * inverse
		power *= p.y
		n = ratio*n - power*(inverseWhole[k]*inverse)
		sum += n
		term *= ratio
	}
	m := 1 + rest
	slope, _ := tConstantSlope(p.a)
	s.slope, s.ofDensity = (slope*m+0.5*sum)*p.x, true
	if !p.isCentral() {
		s.tTail = p.tail()
		return s
	}
	s.form = tCentral
	s.f, s.fL = p.density()
	delta, deltaL := timesTwo(p.x, 0, m, rest-(m-1))
	delta, deltaL = timesTwo(delta, deltaL, s.f, s.fL)
	s.h, s.hL = halfTwo(delta, deltaL, -1)
	return s
}
