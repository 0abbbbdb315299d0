package special

import "math"

// The derivatives in nu at fixed x. At fixed z, S depends on nu through a alone, and moving z at fixed a is moving x,
// so
//
//	dS/dnu at x  =  1/2 dS/da at z  +  x f/(2 nu).
//
// For a below uniformFrom the two are formed as they stand, with dS/da from the series of the tail's form, term by
// term. They cancel to the extent of a few a/(1+x^2), one digit and a half. From uniformFrom on, or where x is so
// large that nothing cancels, it is done on paper (uniform.slope).

// TLogCDFDNu returns d log F(x)/d nu: negative for x < 0, 0 at 0, positive for x > 0; about -log|x| far to the left.
// 150 ulp (4e-14) around nu = 16, 0.7 < |x| < 1.2, and 10 ulp in most places.
func TLogCDFDNu(x, nu float64) float64 {
	if degenerate(x, nu) {
		return atEnds(x, nu, math.Inf(-1), 0)
	}
	p := newTPoint(math.Abs(x), nu)
	return p.slope().ofLog(x)
}

// TQuantileDNu returns d TQuantile(u, nu)/d nu = -(dF/dnu)/f at the quantile: negative for u > 1/2. Callers who have
// the quantile had better use TQuantileDNuAt. The quantile's own error, which see, is passed on.
func TQuantileDNu(u, nu float64) float64 {
	return TQuantileDNuAt(TQuantile(u, nu), nu)
}

// TQuantileDNuAt returns the derivative in nu, at fixed u, of the quantile x = TQuantile(u, nu), as a function of x.
// 150 ulp, like TLogCDFDNu.
func TQuantileDNuAt(x, nu float64) float64 {
	if degenerate(x, nu) {
		return atEnds(x, nu, math.Inf(1), math.Inf(-1))
	}
	p := newTPoint(math.Abs(x), nu)
	s := p.slope()
	return -math.Copysign(s.perTail/s.rate, x)
}

// tSlope has -d log S/d nu, which is positive, S and f/S; and, but for central points, k of tTail.
type tSlope struct{ perTail, tail, rate, k float64 }

// ofLog returns d log F(x)/d nu, where |x| is the point's.
func (s tSlope) ofLog(x float64) float64 {
	if x <= 0 {
		return -s.perTail
	}
	return s.perTail * (s.tail / (1 - s.tail))
}

// slope returns the derivative of log S.
func (p *tPoint) slope() tSlope {
	switch {
	case p.isFar():
		sum, dsum, _, _ := p.termSumSlope(maxTerms)
		return p.seriesSlope(tTail{
			k:    tConstant(p.a) / math.Sqrt(p.nu) * math.Sqrt(p.y) * sum,
			rate: p.nu / sum / p.x,
		}, 0.5/sum, dsum/sum)
	case p.a >= uniformFrom:
		return p.uniformSlope()
	case p.isCentral():
		return p.centralSlope()
	}
	return p.shiftedSlope()
}

// seriesSlope puts together -d log S/d nu from x f/S/(2 nu) and d log H/d a at fixed z.
func (p *tPoint) seriesSlope(t tTail, move, dlogH float64) tSlope {
	_, rest := tConstantSlope(p.a)
	return tSlope{perTail: (0.5*p.xi - move) + (rest - 0.5*dlogH), tail: t.k * p.exp(), rate: t.rate, k: t.k}
}

// termSumSlope is termSum with the derivatives in a: those of the sum, and that of the logarithm of the term.
func (p *tPoint) termSumSlope(n int) (sum, dsum, next, dlog float64) {
	next = 1
	up, down := p.a+0.5, p.a+1
	for ; n > 0; n-- {
		sum += next
		dsum += next * dlog
		next *= p.z * (up / down)
		dlog += 0.5 / (up * down)
		if next < negligible {
			break
		}
		up++
		down++
	}
	return sum, dsum, next, dlog
}

// shiftedSlope is for points of the shifted form.
func (p *tPoint) shiftedSlope() tSlope {
	n := p.lift()
	sum, dsum, last, dlast := p.termSumSlope(n)
	top := p.a + float64(n)
	u := newUniformSlope(p, top)
	rootS := math.Sqrt(p.s)
	rest := last * u.topSum(p, top)
	sum, dsum = rootS*sum+rest, rootS*dsum+rest*(dlast+u.topSlope(p, top))
	rate := math.Sqrt(p.nu) / sum
	return p.seriesSlope(tTail{k: tConstant(p.a) * p.rootZ() / rate, rate: rate}, 0.5*p.x*rate/p.nu, dsum/sum)
}

// topSlope returns d log H/d a at fixed z for the H of the expansion at a: the derivative of log S less that of the
// logarithm of exp(-a xi)/(a B(a,1/2)).
func (u *uniform) topSlope(p *tPoint, a float64) float64 {
	share := u.share()
	dshare := (u.dsum - share*u.dfirst) / (1 + u.first)
	tail := u.w * u.h * (1 - (1-u.w*u.w)*share + 2*u.h*dshare) * invSqrt2Pi / u.scaled
	return (p.xi - tail) + (1/a - u.h - 2*u.h*u.h*u.dfirst/(1+u.first))
}

// uniformSlope is the derivative of the expansion at the point itself. With b = 1 + h p_1 and dots for d/dh,
//
//	-dS/dnu = w phi(w) h/(2b) (1 - exp(-xi/2)/(g (1+h/2)) + h p_1 - (h - xi) P + 2h (dhP - hP db/b)),
//
// where dhP and db are the derivatives of hP and b in h; g at xi, and the first difference, which is about h/2 + xi/2,
// without subtraction.
func (p *tPoint) uniformSlope() tSlope {
	u := newUniformSlope(p, p.a)
	h, b := u.h, 1+u.first
	g1 := sinhPowerRest(h, p.xi)
	lead := (0.5*h + (g1-math.Expm1(-0.5*p.xi))/(1+g1)) / (1 + 0.5*h)
	rest := u.first - (h-p.xi)*u.series + 2*h*(u.dsum-u.share()*u.dfirst)
	k := u.scaled * math.Sqrt(math.Sqrt(1+p.s))
	return tSlope{
		perTail: 0.5 * u.w * h * (lead + rest) / b * invSqrt2Pi / u.scaled,
		tail:    k * p.exp(),
		rate:    tConstant(p.a) * p.rootZ() / k,
		k:       k,
	}
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

// centralSlope is for the central form: with d the derivative of the sum in a at fixed y,
//
//	dF/dnu = x f (d log(c)/d nu + (sum-1)(1/(2 nu) + d log(c)/d nu) + (d - sum xi)/2).
func (p *tPoint) centralSlope() tSlope {
	f := p.density()
	rest, drest := p.centralSumSlope()
	slope, kappa := tConstantSlope(p.a)
	dF := p.x * f * (slope + rest*(1/p.nu-kappa) + 0.5*(drest-(1+rest)*p.xi))
	tail := 0.5 - (p.x*f + p.x*f*rest)
	return tSlope{perTail: dF / tail, tail: tail, rate: f / tail}
}

// centralSumSlope is centralSum with its derivative in a at fixed y, for finite a.
func (p *tPoint) centralSumSlope() (sum, dsum float64) {
	term, dlog, up := 1.0, 0.0, p.a+0.5
	for _, inv := range &inverseOdd {
		term *= up * p.y * inv
		dlog += 1 / up
		sum += term
		dsum += term * dlog
		if term < negligible {
			break
		}
		up++
	}
	return sum, dsum
}
