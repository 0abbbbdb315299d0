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
// 11 ulp.
func TLogCDFDNu(x, nu float64) float64 {
	if degenerate(x, nu) {
		return atEnds(x, nu, math.Inf(-1), 0)
	}
	p := newTPoint(math.Abs(x), nu)
	return p.slope().ofLog(x)
}

// TQuantileDNu returns d TQuantile(u, nu)/d nu = -(dF/dnu)/f at the quantile: negative for u > 1/2. Callers who have
// the quantile had better use TQuantileDNuAt. 12 ulp.
func TQuantileDNu(u, nu float64) float64 {
	return TQuantileDNuAt(TQuantile(u, nu), nu)
}

// TQuantileDNuAt returns the derivative in nu, at fixed u, of the quantile x = TQuantile(u, nu), as a function of x.
// 12 ulp.
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
	case p.isHeavy():
		return p.heavySlope()
	case p.a < uniformFrom && p.isCentralSlope():
		return p.centralSlope()
	case p.isFar():
		sum, dsum := p.termSumSlope()
		return p.seriesSlope(tTail{
			k:    tailFactor(p.a, p.y) * sum,
			rate: p.nu / sum / p.x,
		}, 0.5/sum, dsum/sum)
	case p.a >= uniformFrom:
		return p.uniformSlope()
	}
	return p.shiftedSlope()
}

// seriesSlope puts together -d log S/d nu from x f/S/(2 nu) and d log H/d a at fixed z.
func (p *tPoint) seriesSlope(t tTail, move, dlogH float64) tSlope {
	_, rest := tConstantSlope(p.a)
	return tSlope{perTail: (0.5*p.xi - move) + (rest - 0.5*dlogH), tail: t.k * p.exp(), rate: t.rate, k: t.k}
}

// heavySlope is for points of the heavy form: F has the derivative sum of k (1/2)_k/(k! (a+k)^2) z^k in a.
func (p *tPoint) heavySlope() tSlope {
	t, f := p.heavyTail()
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
	return p.seriesSlope(t, 0.5*math.Sqrt(p.y)/f, d/f)
}

// termSumSlope is termSum with the derivative in a.
func (p *tPoint) termSumSlope() (sum, dsum float64) {
	rest, term, dlog := 0.0, 1.0, 0.0
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
	return 1 + rest, dsum
}

// shiftedSlope is for points of the shifted form.
func (p *tPoint) shiftedSlope() tSlope {
	n := p.lift()
	up := p.a + float64(n)
	u := newUniformSlope(p, up)
	h := u.topSum(p, up)
	dh := h * u.topSlope(p, up)
	for ; n > 0; n-- { // as shiftedSum; (a+1/2)/(a+1) is 1 - 1/(2 (a+1))
		share := p.z * (up - 0.5) / up
		dh = share*dh + 0.5*p.z/(up*up)*h
		h = 1 + share*h
		up--
	}
	t := tTail{k: tailFactor(p.a, p.y) * h, rate: p.nu / h / p.x}
	return p.seriesSlope(t, 0.5/h, dh/h)
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

// isCentralSlope reports whether the central form serves.
func (p *tPoint) isCentralSlope() bool { return p.s <= 1 && p.x <= 2.5 }

// centralSlope is for the central form: with M the sum of the c_k of that form, c_0 = 1,
//
//	dF/dnu = x f (d log(c)/d nu M + N/2),   N = dM/da + (M-1)/nu - M xi,
//
// where N, which is the small difference of its terms, has coefficients n_k in y of its own: the equation that M solves,
// 2y(1-y) M' = 1 - M + (nu+1) y M, makes 2y(1-y) N' = ((nu+1) y - 1) N + y/nu + y - xi of it, and so
//
//	(2k+1) n_k = (nu + 2k-1) n_(k-1) - 1/k,   but for k = 1   3 n_1 = 1/nu.
func (p *tPoint) centralSlope() tSlope {
	m, power := 1.0, p.y
	term := (p.nu + 1) * p.y / 3
	n := p.y / (3 * p.nu)
	sum := n
	for k := 2; term > negligible*0x1p-6 && k < len(inverseWhole); k++ {
		m += term
		inverse := 0.5 * inverseOdd[k-1]
		ratio := (p.nu + float64(2*k-1)) * p.y * inverse
		power *= p.y
		n = ratio*n - power*(inverseWhole[k]*inverse)
		sum += n
		term *= ratio
	}
	f := p.density()
	slope, _ := tConstantSlope(p.a)
	dF := f * (slope*m + 0.5*sum) * p.x
	if p.isCentral() {
		tail := 0.5 - p.x*f*m
		return tSlope{perTail: dF / tail, tail: tail, rate: f / tail}
	}
	t := p.tail()
	tail := t.k * p.exp()
	return tSlope{perTail: dF / tail, tail: tail, rate: t.rate, k: t.k}
}
