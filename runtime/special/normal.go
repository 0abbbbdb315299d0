package special

import "math"

// invSqrt2Pi is 1/sqrt(2 pi), the normal density at 0.
const invSqrt2Pi = 0.398942280401432677939946059934381868

// tailRatio returns Mills' ratio Phi(-x)/phi(x) (DLMF 7.8.1), for x >= 0, as numerator and denominator: some callers need
// it, some its inverse. It falls slowly, like 1/x: the density, which falls fast, is left to the callers, who put it back
// where they need it.
//
// Beyond the cells it is (1 - u R(u))/x with u = 1/x^2, of which 1 is nearly all.
func tailRatio(x float64) (p, q float64) {
	if x <= normalCellsEnd {
		c, delta := normalCellOf(-x)
		return 1, c.ratioAt(delta)
	}
	i := 1 / x
	u := i * i
	d := poly7(&normalTailQ, u)
	return d - u*poly7(&normalTailP, u), x * d
}

// invSqrt2PiRest is what the float64 of invSqrt2Pi leaves.
const invSqrt2PiRest = -2.49232720227773e-17

// millsWords returns Mills' ratio at w + low >= 0 in two words.
func millsWords(w, low float64) (hi, lo float64) {
	if w <= normalCellsEnd {
		k, delta := normalCellAt(-w)
		psi, psiL := normalCells[k].ratioWords(delta, normalRatioRests[k])
		hi, lo = overTwo(1, 0, psi, psiL)
		return hi, lo + low*(w*hi-1)
	}
	i := 1 / w
	u := i * i
	rest := u * (poly7(&normalTailP, u) / poly7(&normalTailQ, u))
	hi = 1 - rest
	return overTwo(hi, (1-hi)-rest, w, low)
}

// expHalfSquare returns exp(-x^2/2). The rounding error of x^2, which exp would multiply by x^2/2, is taken along.
func expHalfSquare(x float64) float64 {
	if x > 39 || x < -39 { // 0 from 38.6 on; and Inf^2-Inf^2 is NaN
		return 0
	}
	h := float64(x * x)
	rest := math.FMA(x, x, -h)
	e := math.Exp(-0.5 * h)
	return e - e*(0.5*rest)
}

// Erfcx returns exp(x^2) erfc(x), the scaled complementary error function (DLMF 7.2.2), for every x; +Inf below -26.63.
// 4 ulp.
func Erfcx(x float64) float64 {
	p, q := tailRatio(math.Sqrt2 * math.Abs(x))
	m := 2 * invSqrt2Pi * (p / q)
	if x >= 0 {
		return m
	}
	if x < -27 {
		return math.Inf(1)
	}
	h := float64(x * x)
	rest := math.FMA(x, x, -h)
	e := math.Exp(h)
	if math.IsInf(e, 1) {
		return e
	}
	return 2*(e+e*rest) - m // 1 at 0 is the smallest: the difference is harmless
}

// Ndtr returns Phi(x), the distribution function of the standard normal distribution, for every x. 4 ulp in both tails, as long
// as the result is a normal number (x > -37.5); 0 below -38.5.
func Ndtr(x float64) float64 {
	if x != x {
		return x
	}
	p, q := tailRatio(math.Abs(x))
	tail := invSqrt2Pi * expHalfSquare(x) * (p / q)
	if x <= 0 {
		return tail
	}
	return 1 - tail
}

// LogNdtr returns log(Phi(x)) for every x: about -x^2/2 far to the left, -Phi(-x) far to the right, where it keeps its
// relative accuracy until it underflows. 4 ulp.
func LogNdtr(x float64) float64 {
	if inNormalCells(x) {
		c, delta := normalCellOf(x)
		return c.logAt(delta)
	}
	if x < 0 {
		p, q := tailRatio(-x)
		return Log(invSqrt2Pi*p/q) - 0.5*x*x
	}
	return math.Log1p(-Ndtr(-x))
}

// NdtrRatio returns phi(x)/Phi(x), the derivative of LogNdtr, for every x: about -x far to the left; to the right it
// falls like phi(x) and underflows to 0 at 38.6. 4 ulp.
func NdtrRatio(x float64) float64 {
	if inNormalCells(x) {
		c, delta := normalCellOf(x)
		return c.ratioAt(delta)
	}
	if x != x {
		return x
	}
	p, q := tailRatio(math.Abs(x))
	if x <= 0 {
		return q / p
	}
	e := expHalfSquare(x)
	if e == 0 { // q may be infinite
		return 0
	}
	e *= invSqrt2Pi
	return e * q / (q - e*p) // phi/(1 - phi M), over one denominator
}

// NdtrResidual returns x + NdtrRatio(x), which is x - E[z | z < x] for a standard normal z: the mean residual life of
// reliability theory. It is positive, about -1/x far to the left, where the sum would lose all digits. 4 ulp.
func NdtrResidual(x float64) float64 {
	switch {
	case x >= 0:
		return x + NdtrRatio(x)
	case x >= -normalCellsEnd:
		return poly8(&normalResidualP, -x) / poly8(&normalResidualQ, -x)
	}
	i := -1 / x // of the numbers of tailRatio, R(u)/(-x (1 - u R(u)))
	u := i * i
	r := poly7(&normalTailP, u)
	return i * r / (poly7(&normalTailQ, u) - u*r)
}

// LogNdtrRatio returns LogNdtr(x) and NdtrRatio(x), of which each has what is dear in the other.
func LogNdtrRatio(x float64) (log, ratio float64) {
	if inNormalCells(x) {
		c, delta := normalCellOf(x)
		return c.logAt(delta), c.ratioAt(delta)
	}
	p, q := tailRatio(math.Abs(x))
	if x < 0 {
		return Log(invSqrt2Pi*p/q) - 0.5*x*x, q / p
	}
	e := expHalfSquare(x)
	if e == 0 { // q may be infinite
		return -e, 0
	}
	e *= invSqrt2Pi
	return math.Log1p(-e * (p / q)), e * q / (q - e*p)
}
