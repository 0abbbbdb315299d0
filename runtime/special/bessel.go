package special

import "math"

// Logarithms and ratios of the modified Bessel functions of real order, without overflow. There are two forms each.
//
// Where s = sqrt(x^2 + nu^2) is besselFrom or more, the expansions for large orders (DLMF 10.41.3, 10.41.4), of which, written in 1/s,
//
//	log I_nu(x) = s - nu asinh(nu/x) - log(2 pi s)/2 + Q_1/s + Q_2/s^2 + ...,   Q_k a polynomial in (nu/s)^2,
//
// those for large x are the case nu = 0. K has the signs of s and asinh reversed. With a = nu + 1/2, s^2 = x^2 + a^2 and p = a/s,
//
//	I_(nu+1)(x)/I_nu(x) = x/(a + s) (1 + V_1(p)/s + V_2(p)/s^2 + ...)
//
// follows from Riccati's equation r' = 1 - r^2 - 2 a r/x (DLMF 10.29.2), and K_(nu+1)/K_nu from its other solution, -K_(nu+1)/K_nu,
// with -s for s. testdata/fit_bessel.py makes the polynomials.
//
// Elsewhere I is its power series (DLMF 10.25.2), ratios come from recurrences in the direction in which they are stable, and K is the
// integral of exp(-x cosh t) cosh(nu t) (DLMF 10.32.9) by the trapezoidal rule, whose error falls exponentially with 1/step (Trefethen
// and Weideman 2014, The exponentially convergent trapezoidal rule, SIAM Review 56, section 4).

// besselFrom is where 16 terms of the expansions have all digits.
const besselFrom = 32

// besselTable has the polynomials of the terms of an expansion.
type besselTable [16][]float64

// sum returns the sum of the k-th polynomial at z times w^k, to as many terms as count.
func (t *besselTable) sum(z, w float64) float64 {
	terms := len(t)
	switch size := math.Abs(w); {
	case size < 1e-8:
		terms = 2
	case size < 1e-4:
		terms = 4
	case size < 5e-3:
		terms = 8
	}
	sum := 0.0
	for k := terms - 1; k >= 0; k-- {
		polynomial := 0.0
		for j := len(t[k]) - 1; j >= 0; j-- {
			polynomial = polynomial*z + t[k][j]
		}
		sum = (sum + polynomial) * w
	}
	return sum
}

// asinhRatio returns asinh(y/x), also where the ratio overflows.
func asinhRatio(y, x float64) float64 {
	if q := y / x; math.Abs(q) < 1e300 {
		return math.Asinh(q)
	}
	return math.Copysign(math.Ln2+(Log(math.Abs(y))-Log(x)), y)
}

// besselLog returns the expansion of log I for sign 1, of log K for -1, without the constant.
func besselLog(x, nu, s, sign float64) float64 {
	p := nu / s
	return sign*(s-nu*asinhRatio(nu, x)) + (besselLogs.sum(p*p, sign/s) - 0.5*Log(s))
}

// besselOrder returns its derivative in nu.
func besselOrder(x, nu, s, sign float64) float64 {
	p := nu / s
	return (besselOrders.sum(p*p, sign/s)-0.5)*(p/s) - sign*asinhRatio(nu, x)
}

// halfLogHalfPi is log(pi/2)/2.
const halfLogHalfPi = 0.225791352644727432363097614947441071

// LogBesselI returns the logarithm of the modified Bessel function of the first kind I of order nu >= 0 at x >= 0; NaN elsewhere. At
// x = 0 it is 0 for order 0, otherwise -Inf. 4 ulp; next to its zeros the error is that of a change of x and nu by 2 ulp.
func LogBesselI(x, nu float64) float64 {
	switch {
	case !(x >= 0 && nu >= 0):
		return math.NaN()
	case x == 0 && nu == 0:
		return 0
	case x == 0 || math.IsInf(nu, 1):
		return math.Inf(-1)
	case math.IsInf(x, 1):
		return x
	}
	if s := math.Hypot(x, nu); s >= besselFrom {
		return besselLog(x, nu, s, 1) - halfLog2Pi
	}
	sum, _ := besselSeries(x, nu)
	if nu == 0 {
		return math.Log1p(sum)
	}
	return nu*Log(0.5*x) - lgammaAbove(nu) + math.Log1p(sum)
}

// besselSeries returns the sum of (x^2/4)^k/(k! (nu+1)_k), k = 1, 2, ..., and with a factor 1/(nu+1) + ... + 1/(nu+k).
func besselSeries(x, nu float64) (sum, harmonic float64) {
	square := 0.25 * x * x
	term, total := 1.0, 0.0
	for k := 1.0; ; k++ {
		inverse := 1 / (nu + k)
		term *= square / k * inverse
		total += inverse
		sum += term
		harmonic += term * total
		if term <= negligible*sum {
			return sum, harmonic
		}
	}
}

// LogBesselIDNu returns the derivative of LogBesselI in nu: about log(x) for small x, about -asinh(nu/x) for large numbers. 10 ulp, but
// where it is small, for orders below x, 2e-15 absolutely: there it is an exponentially small number at nu = 0.
func LogBesselIDNu(x, nu float64) float64 {
	switch {
	case !(x >= 0 && nu >= 0):
		return math.NaN()
	case x == 0 || math.IsInf(nu, 1):
		return math.Inf(-1)
	case math.IsInf(x, 1):
		return 0
	}
	if s := math.Hypot(x, nu); s >= besselFrom {
		return besselOrder(x, nu, s, 1)
	}
	sum, harmonic := besselSeries(x, nu)
	return Log(0.5*x) - Digamma(nu+1) - harmonic/(1+sum)
}

// BesselIRatio returns I of order nu+1 divided by I of order nu >= 0 at x >= 0, between 0 and 1; NaN elsewhere: the mean length of
// random directions. 4 ulp.
func BesselIRatio(x, nu float64) float64 {
	switch {
	case !(x >= 0 && nu >= 0):
		return math.NaN()
	case x == 0 || math.IsInf(nu, 1):
		return 0
	case math.IsInf(x, 1):
		return 1
	}
	steps := besselSteps(x, nu)
	r := newBesselRatio(x, nu+steps).ratio()
	for k := steps; k > 0; k-- {
		r = x / (2*(nu+k) + x*r)
	}
	return r
}

// BesselIRatioDX returns the derivative of BesselIRatio in x, which is positive. 20 ulp.
//
// It is (nu+1/2)/x^2 (1+e) with an e that is small for large x, where c is small in the ratio 1-c. The recurrence r_(m-1) = 1/(2m/x + r_m)
// becomes one for each, whose errors are relative to them.
func BesselIRatioDX(x, nu float64) float64 {
	switch {
	case !(x >= 0 && nu >= 0):
		return math.NaN()
	case math.IsInf(x, 1) || math.IsInf(nu, 1):
		return 0
	case x < 1e-8:
		return 0.5 / (nu + 1)
	}
	steps := besselSteps(x, nu)
	b := newBesselRatio(x, nu+steps)
	if steps == 0 || x < 4 || x < nu {
		r, dx := b.ratio(), b.slope()
		for k := steps; k > 0; k-- {
			m := nu + k
			r = x / (2*m + x*r)
			dx = r * r * (2*m/x/x - dx)
		}
		return dx
	}
	c, e := b.complement(), b.excess()
	for k := steps; k > 0; k-- {
		m := nu + k
		c = (2*m/x - c) / (2*m/x + (1 - c))
		r := 1 - c
		e = -c*(2-c) - r*r*((m+0.5)/(m-0.5))*e
	}
	return (nu + 0.5) / x / x * (1 + e)
}

// besselSteps returns how many orders above nu the expansion has all digits.
func besselSteps(x, nu float64) float64 {
	if a := nu + 0.5; math.Hypot(x, a) < besselFrom {
		return math.Ceil(math.Sqrt(besselFrom*besselFrom-x*x) - a)
	}
	return 0
}

// besselRatio is the expansion of a ratio of I.
type besselRatio struct{ x, a, s, p, below, rest float64 }

func newBesselRatio(x, nu float64) besselRatio {
	a := nu + 0.5
	s := math.Hypot(x, a)
	return besselRatio{x, a, s, a / s, x / (a + s), besselRatios.sum(a/s, 1/s)}
}

// ratio returns the ratio.
func (b besselRatio) ratio() float64 { return b.below + b.below*b.rest }

// complement returns 1 less the ratio.
func (b besselRatio) complement() float64 {
	return (b.a+b.a*(b.a/(b.s+b.x)))/(b.a+b.s) - b.below*b.rest
}

// slope returns the derivative of the ratio.
func (b besselRatio) slope() float64 {
	q := b.x / b.s
	return b.p/(b.a+b.s)*(1+b.rest) - b.below*q/b.s*besselSlopes.sum(b.p, 1/b.s)
}

// excess returns e, where the derivative of the ratio is a/x^2 (1+e).
func (b besselRatio) excess() float64 {
	q := b.x / b.s
	return (1-b.p)*b.rest - b.p - q*q*b.below*(b.x/b.a)*besselSlopes.sum(b.p, 1/b.s)
}

// LogBesselK returns the logarithm of the modified Bessel function of the second kind K of any order nu at x >= 0; NaN elsewhere. It is
// even in nu, and +Inf at x = 0. 4 ulp; next to its zeros the error is that of a change of x and nu by 2 ulp. Below 1e-3 it is slower, by
// a factor of ten at 1e-16.
func LogBesselK(x, nu float64) float64 {
	nu = math.Abs(nu)
	switch {
	case !(x >= 0) || nu != nu:
		return math.NaN()
	case x == 0 || math.IsInf(nu, 1):
		return math.Inf(1)
	case math.IsInf(x, 1):
		return math.Inf(-1)
	}
	if s := math.Hypot(x, nu); s >= besselFrom {
		return besselLog(x, nu, s, -1) + halfLogHalfPi
	}
	if isBesselKPower(x, nu) {
		return Lgamma(nu) + nu*(math.Ln2-Log(x)) - math.Ln2
	}
	top, sum, _ := besselKIntegral(x, nu)
	return top + Log(sum)
}

// LogBesselKDNu returns the derivative of LogBesselK in nu, which is odd. 10 ulp.
func LogBesselKDNu(x, nu float64) float64 {
	order := math.Abs(nu)
	switch {
	case !(x >= 0) || nu != nu:
		return math.NaN()
	case nu == 0 || math.IsInf(x, 1):
		return 0
	case x == 0 || math.IsInf(order, 1):
		return math.Copysign(math.Inf(1), nu)
	}
	var slope float64
	if s := math.Hypot(x, order); s >= besselFrom {
		slope = besselOrder(x, order, s, -1)
	} else if isBesselKPower(x, order) {
		slope = Digamma(order) + (math.Ln2 - Log(x))
	} else {
		_, _, slope = besselKIntegral(x, order)
	}
	return math.Copysign(slope, nu)
}

// isBesselKPower reports whether K is Gamma(nu) (2/x)^nu/2 (DLMF 10.30.2): the next term is smaller by a power of x of at least 1.
func isBesselKPower(x, nu float64) bool { return x < 1e-16 && nu >= 0.5 }

// besselStep is the step of the trapezoidal rule, for which its error does not count as long as x and nu are below besselFrom. Its
// multiples are exact.
const besselStep = 3.0 / 32

// besselNodes are cosh(t) - 1 and sinh(t) at the multiples of the step.
var besselNodes = func() (nodes [512]struct{ cosh, sinh float64 }) {
	for k := range nodes {
		e, eL := expWords(besselStep*float64(k), 0)
		inverse, inverseL := overTwo(1, 0, e, eL)
		sinh, sinhL := addTwo(e, eL, -inverse, -inverseL)
		nodes[k].sinh = 0.5 * (sinh + sinhL)
		cosh, coshL := addTwo(e, eL, inverse, inverseL)
		cosh, coshL = addTwo(0.5*cosh, 0.5*coshL, -1, 0)
		nodes[k].cosh = cosh + coshL
	}
	return nodes
}()

// besselKExponent returns x (cosh(t) - 1) at a node.
func besselKExponent(x float64, k int) float64 {
	if k < len(besselNodes) {
		return x * besselNodes[k].cosh
	}
	half := math.Exp(0.5 * besselStep * float64(k))
	return x * half * (0.5 * half)
}

// besselKIntegral returns K as exp(top) sum, and the mean of t tanh(nu t), which is the derivative of log K in nu >= 0.
func besselKIntegral(x, nu float64) (top, sum, mean float64) {
	peak := asinhRatio(nu, x)
	half := math.Sinh(0.5 * peak)
	top = nu*peak - 2*x*half*half
	var sumL, meanL float64
	for k := 0; ; k++ {
		t := besselStep * float64(k)
		less := nu*t - besselKExponent(x, k) - top
		if less < -40 {
			if t > peak {
				break
			}
			continue
		}
		small := math.Expm1(-2 * nu * t)
		w := 0.5 * math.Exp(less)
		if k == 0 {
			w *= 0.5
		}
		sum, sumL = addTwo(sum, sumL, w*(2+small), 0)
		mean, meanL = addTwo(mean, meanL, -w*small*t, 0)
	}
	return top - x, besselStep * sum, mean / sum
}

// BesselKRatio returns K of order nu+1 divided by K of order nu, any number, at x >= 0; NaN elsewhere. 4 ulp from
// x = 1e-16 on; below, the errors of powers of x grow with their exponents, to 300 ulp.
func BesselKRatio(x, nu float64) float64 {
	a := nu + 0.5
	switch {
	case !(x >= 0) || nu != nu:
		return math.NaN()
	case a == 0:
		return 1
	case a < 0: // K is even in the order
		return 1 / BesselKRatio(x, -nu-1)
	case x == 0 || math.IsInf(nu, 1):
		return math.Inf(1)
	case math.IsInf(x, 1):
		return 1
	}
	if s := math.Hypot(x, a); s >= besselFrom {
		return (a + s) / x * (1 + besselRatios.sum(-a/s, -1/s))
	}
	steps := math.Floor(nu + 0.5)
	order := nu - steps
	ratio := besselKRatioNear(x, order)
	for k := 1.0; k <= steps; k++ {
		ratio = 2*(order+k)/x + 1/ratio
	}
	return ratio
}

// besselKRatioNear is for orders between -1/2 and 1/2.
func besselKRatioNear(x, nu float64) float64 {
	if x < 1e-16 {
		top, sum, _ := besselKIntegral(x, math.Abs(nu))
		return math.Exp(Lgamma(1+nu)-top+nu*(math.Ln2-Log(x))) / sum / x
	}
	var above, aboveL, sum, sumL float64
	for k, node := range besselNodes {
		w := math.Exp(-x * node.cosh)
		if k == 0 {
			w = 0.5
		}
		cosh, sinh := w, 0.0
		if nu != 0 {
			up := math.Expm1(nu * besselStep * float64(k))
			sinh = 0.5 * w * (up + up/(1+up))
			cosh = w + 0.5*w*up*up/(1+up)
		}
		more := cosh*node.cosh + sinh*node.sinh
		above, aboveL = addTwo(above, aboveL, more, 0)
		sum, sumL = addTwo(sum, sumL, cosh, 0)
		if more < 1e-18*above {
			break
		}
	}
	return 1 + above/sum
}
