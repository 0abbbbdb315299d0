package special

import "math"

// tPoint is a point x >= 0 of the Student-t distribution with nu degrees of freedom, and what all its functions need there. With
//
//	a = nu/2,  s = x^2/nu,  z = 1/(1+s),  y = 1-z,  xi = log(1+s)
//
// the density is c exp(-a xi) sqrt(z), and the upper tail S, what the functions below are about, is half of the
// regularised incomplete beta function I_z(a, 1/2) (DLMF 8.17.2).
type tPoint struct {
	x, xL, nu, a  float64
	s, sL         float64 // this and what follows in two words
	z, zL         float64
	y, yL         float64
	xi, xiL       float64
	power, powerL float64 // a xi
}

// square returns x^2 in two words.
func square(x float64) (hi, lo float64) {
	hi = float64(x * x)
	return hi, math.FMA(x, x, -hi)
}

// leastNu replaces smaller nu, which make no difference: F is 1/2 nearly everywhere.
const leastNu = 1e-290

// newTPoint expects 0 <= x < Inf and nu > 0.
func newTPoint(x, nu float64) tPoint { return newTPointTwo(x, 0, nu) }

// newTPointTwo is for an x in two words.
func newTPointTwo(x, xL, nu float64) tPoint {
	nu = math.Max(nu, leastNu)
	p := tPoint{x: x, xL: xL, nu: nu, a: 0.5 * nu}
	if x > 0x1p450 || nu < 0x1p-100 || nu > 0x1p1000 {
		p.extreme()
	} else {
		h, l := square(x)
		l += 2 * x * xL
		p.s = h / nu
		p.sL = (l - math.FMA(p.s, nu, -h)) / nu
		p.xi, p.xiL = log1pTwo(p.s, p.sL)
	}
	p.shares()
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

// shares sets z and y.
func (p *tPoint) shares() {
	t := 1 + p.s
	z := 1 / t
	p.z, p.y = z, 1
	if p.s > 0x1p53 {
		return
	}
	low := z * (math.FMA(-z, t, 1) - z*((p.s-(t-1))+p.sL))
	p.z = z + low
	p.zL = low - (p.z - z)
	y := 1 - p.z
	low = ((1 - y) - p.z) - p.zL
	if p.s < 1 {
		y = float64(p.s * p.z)
		low = math.FMA(p.s, p.z, -y) + (p.s*p.zL + p.sL*p.z)
	}
	p.y = y + low
	p.yL = low - (p.y - y)
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

// density returns the density at the point, c exp(-(a + 1/2) xi), in two words.
func (p *tPoint) density() (hi, lo float64) {
	hi, lo = addTwo(p.power, p.powerL, 0.5*p.xi, 0.5*p.xiL)
	c, cL := tConstantTwo(p.a)
	e, eL := expWords(-hi, -lo)
	return timesTwo(c, cL, e, eL)
}
