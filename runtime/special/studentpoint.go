package special

import "math"

// tPoint is a point x >= 0 of the Student-t law with nu degrees of freedom, and what all its functions need there. With
//
//	a = nu/2,  s = x^2/nu,  z = 1/(1+s),  y = 1-z,  xi = log(1+s)
//
// the density is c exp(-a xi) sqrt(z), and the upper tail S, what the functions below are about, is half of the
// regularised incomplete beta function I_z(a, 1/2) (DLMF 8.17.2).
type tPoint struct {
	x, nu, a      float64
	s, z, y, xi   float64
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
	var low float64
	if x > 0x1p450 || nu < 0x1p-100 || nu > 0x1p1000 {
		low = p.extreme()
	} else {
		h, l := square(x)
		p.s = h / nu
		low = (l - math.FMA(p.s, nu, -h)) / nu
		p.xi, low = log1pTwo(p.s, low)
	}
	p.z = 1 / (1 + p.s)
	p.y = 1
	if p.s < 0x1p60 {
		p.y = p.s * p.z
	}
	p.power = p.a * p.xi
	p.powerL = math.FMA(p.a, p.xi, -p.power) + p.a*low
	if p.s < 0x1p-900 { // xi may have underflowed, nu may be infinite: the normal limit
		h, l := square(x)
		p.power, p.powerL = 0.5*h, 0.5*l
	}
	if p.power > math.MaxFloat64 { // the second word is -Inf or NaN then
		p.powerL = 0
	}
	return p
}

// extreme sets s and xi, and returns the second word of xi, where x^2 or s may overflow or underflow.
func (p *tPoint) extreme() (low float64) {
	if p.x == 0 || math.IsInf(p.nu, 1) {
		return 0
	}
	m, e := math.Frexp(p.x)
	n, f := math.Frexp(p.nu)
	h, l := square(m)
	q := h / n
	low = (l - math.FMA(q, n, -h)) / n
	k := 2*e - f
	p.s = math.Ldexp(q, k)
	if k > 100 {
		p.xi, low = logTwo(q, low, k)
		return low
	}
	p.xi, low = log1pTwo(p.s, math.Ldexp(low, k))
	return low
}

// exp returns exp(-a xi), with the second word.
func (p *tPoint) exp() float64 {
	e := math.Exp(-p.power)
	return e - e*p.powerL
}

// density returns the density at the point.
func (p *tPoint) density() float64 { return tConstant(p.a) * p.rootZ() * p.exp() }

// rootZ returns sqrt(z), which does not underflow where z does.
func (p *tPoint) rootZ() float64 {
	if p.s > 0x1p900 {
		return math.Sqrt(p.nu) / p.x
	}
	return math.Sqrt(p.z)
}
