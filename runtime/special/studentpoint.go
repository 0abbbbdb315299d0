package special

import "math"

// tPoint is a point x >= 0 of the Student-t distribution with nu degrees of freedom, and what all its functions need there. With
//
//	a = nu/2,  s = x^2/nu,  z = 1/(1+s),  y = 1-z,  xi = log(1+s)
//
// the density is c exp(-a xi) sqrt(z), and the upper tail S, what the functions below are about, is half of the
// regularised incomplete beta function I_z(a, 1/2) (DLMF 8.17.2).
type tPoint struct {
	x, nu, a      float64
	s, y          float64
	z, zRest      float64 // what rounding took from z, relative to it
	xi, xiL       float64 // in two words
	power, powerL float64 // a xi, in two words
}

// square returns x^2 in two words.
func square(x float64) (hi, lo float64) {
	hi = float64(x * x)
	return hi, math.FMA(x, x, -hi)
}

// leastNu replaces smaller nu, which make no difference: F is 1/2 nearly everywhere.
const leastNu = 1e-290

// newTPoint expects 0 <= x < Inf and nu > 0.
func newTPoint(x, nu float64) tPoint {
	nu = math.Max(nu, leastNu)
	p := tPoint{x: x, nu: nu, a: 0.5 * nu}
	var low float64 // of s
	if x > 0x1p450 || nu < 0x1p-100 || nu > 0x1p1000 {
		p.extreme()
	} else {
		h, l := square(x)
		p.s = h / nu
		low = (l - math.FMA(p.s, nu, -h)) / nu
		p.xi, p.xiL = log1pTwo(p.s, low)
	}
	t := 1 + p.s
	p.z = 1 / t
	if p.s < 4 { // only there it is wanted
		p.zRest = math.FMA(-p.z, t, 1) - p.z*((p.s-(t-1))+low)
	}
	p.y = 1
	if p.s < 0x1p60 {
		p.y = p.s * p.z
	}
	p.power = p.a * p.xi
	p.powerL = math.FMA(p.a, p.xi, -p.power) + p.a*p.xiL
	if p.s < 0x1p-900 { // xi may have underflowed, nu may be infinite: the normal limit
		h, l := square(x)
		p.power, p.powerL = 0.5*h, 0.5*l
	}
	if p.power > math.MaxFloat64 { // the second word is -Inf or NaN then
		p.powerL = 0
	}
	return p
}

// extreme sets s and xi where x^2 or s may overflow or underflow.
func (p *tPoint) extreme() {
	if p.x == 0 || math.IsInf(p.nu, 1) {
		return
	}
	m, e := math.Frexp(p.x)
	n, f := math.Frexp(p.nu)
	h, l := square(m)
	q := h / n
	low := (l - math.FMA(q, n, -h)) / n
	k := 2*e - f
	p.s = math.Ldexp(q, k)
	if k > 100 {
		p.xi, p.xiL = logTwo(q, low, k)
		return
	}
	p.xi, p.xiL = log1pTwo(p.s, math.Ldexp(low, k))
}

// exp returns exp(-a xi), with the second word.
func (p *tPoint) exp() float64 {
	e := math.Exp(-p.power)
	return e - e*p.powerL
}

// density returns the density at the point, c exp(-(a + 1/2) xi).
func (p *tPoint) density() float64 {
	hi := p.power + 0.5*p.xi
	lo := (0.5*p.xi - (hi - p.power)) + (p.powerL + 0.5*p.xiL)
	e := math.Exp(-hi)
	return tConstant(p.a) * (e - e*lo)
}

// rootZ returns sqrt(z), which does not underflow where z does.
func (p *tPoint) rootZ() float64 {
	if p.s > 0x1p900 {
		return math.Sqrt(p.nu) / p.x
	}
	return math.Sqrt(p.z)
}
