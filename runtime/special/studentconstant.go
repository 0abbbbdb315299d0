package special

import "math"

// The constant of the Student-t density, c(nu) = Gamma(a+1/2)/(sqrt(2 pi a) Gamma(a)) with a = nu/2, is written as
//
//	c = sqrt(a / (2 pi (a + theta))),   theta(a) = (Gamma(a+1)/Gamma(a+1/2))^2 - a,
//
// because theta is as tame as a function can be: it falls from 1/pi at 0 to 1/4 at infinity (G. N. Watson, A note on
// Gamma functions, Proc. Edinburgh Math. Soc. 11 (1959), 7-9). No lgamma is left whose digits would cancel or,
// multiplied up by exp, get lost.

// thetaFrom is where the approximation in 1/a takes over from that in a.
const thetaFrom = 2

// theta returns theta(a) for a >= 0.
func theta(a float64) float64 {
	if a < thetaFrom {
		return poly8(&thetaLowP, a) / poly8(&thetaLowQ, a)
	}
	u := 1 / a
	return poly8(&thetaHighP, u) / poly8(&thetaHighQ, u)
}

// tConstant returns c for a = nu/2.
func tConstant(a float64) float64 {
	if a > 1 {
		return invSqrt2Pi / math.Sqrt(1+theta(a)/a)
	}
	return invSqrt2Pi * math.Sqrt(a/(a+theta(a)))
}

// inverse2Pi is 1/(2 pi), and inverse2PiRest what is left of it.
const (
	inverse2Pi     = 0.15915494309189535
	inverse2PiRest = -9.839338337591243e-18
)

// tConstantTwo returns c in two words.
func tConstantTwo(a float64) (hi, lo float64) {
	if a > 1 {
		d := theta(a) / a
		hi, lo = overTwo(inverse2Pi, inverse2PiRest, 1+d, d-((1+d)-1))
	} else {
		d, dL := sumTwo(theta(a), a)
		n := float64(inverse2Pi * a)
		hi, lo = overTwo(n, math.FMA(inverse2Pi, a, -n)+inverse2PiRest*a, d, dL)
	}
	return rootTwo(hi, lo)
}

// tailFactor returns c sqrt(y/nu) in two words, where c/sqrt(nu) = 1/(nu B(a,1/2)), for finite a.
func tailFactor(a, y, yL float64) (hi, lo float64) {
	d, dL := sumTwo(a, theta(a))
	n, nL := timesTwo(0.5*inverse2Pi, 0.5*inverse2PiRest, y, yL)
	return rootTwo(overTwo(n, nL, d, dL))
}

// tConstantSlope returns d log(c)/d nu, which is positive, and 1/(2 nu) less that, which is too: the one for large nu,
// where it falls like 1/(4 nu^2), the other for small nu, where it has a limit.
func tConstantSlope(a float64) (slope, rest float64) {
	if a < thetaFrom {
		return 0.25 * poly8(&slopeLowP, a) / (a * poly8(&slopeLowQ, a)), poly8(&slopeRestP, a) / poly8(&slopeRestQ, a)
	}
	u := 1 / a
	slope = 0.0625 * u * (u * (poly8(&slopeHighP, u) / poly8(&slopeHighQ, u)))
	return slope, 0.25*u - slope
}
