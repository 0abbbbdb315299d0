package special

import "math"

// The rational approximations of M. J. Wichura 1988, Algorithm AS 241: the percentage points of the normal distribution,
// Applied Statistics 37, 477-484 (PPND16): the quantile divided by u - 1/2 in 0.425^2 - (u - 1/2)^2, and the upper
// quantile of p in sqrt(-log(p)) - 1.6 up to 5 and sqrt(-log(p)) - 5 up to 27.
var (
	quantileMidP = [8]float64{3.3871328727963666080e0, 1.3314166789178437745e2, 1.9715909503065514427e3,
		1.3731693765509461125e4, 4.5921953931549871457e4, 6.7265770927008700853e4, 3.3430575583588128105e4, 2.5090809287301226727e3}
	quantileMidQ = [8]float64{1, 4.2313330701600911252e1, 6.8718700749205790830e2, 5.3941960214247511077e3,
		2.1213794301586595867e4, 3.9307895800092710610e4, 2.8729085735721942674e4, 5.2264952788528545610e3}
	quantileTailP = [8]float64{1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0,
		3.64784832476320460504e0, 1.27045825245236838258e0, 2.41780725177450611770e-1, 2.27238449892691845833e-2, 7.74545014278341407640e-4}
	quantileTailQ = [8]float64{1, 2.05319162663775882187e0, 1.67638483018380384940e0, 6.89767334985100004550e-1,
		1.48103976427480074590e-1, 1.51986665636164571966e-2, 5.47593808499534494600e-4, 1.05075007164441684324e-9}
	quantileFarP = [8]float64{6.65790464350110377720e0, 5.46378491116411436990e0, 1.78482653991729133580e0,
		2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3, 2.71155556874348757815e-5, 2.01033439929228813265e-7}
	quantileFarQ = [8]float64{1, 5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2,
		7.86869131145613259100e-4, 1.84631831751005468180e-5, 1.42151175831644588870e-7, 2.04426310338993978564e-15}
)

// NormalQuantile returns the x with Ndtr(x) = u, for 0 <= u <= 1: -Inf at 0, +Inf at 1; NaN elsewhere. 4 ulp, of the
// quantile of the floating-point number u: near 1 few of those are left, so that upper tails are better served by
// -NormalQuantile(1 - u) from an accurate 1 - u.
func NormalQuantile(u float64) float64 {
	q := u - 0.5
	if math.Abs(q) <= 0.425 {
		r := 0.180625 - q*q
		slope := poly7(&quantileMidP, r) / poly7(&quantileMidQ, r)
		rest := u - (q + 0.5) // of q, below 1/4; the derivative is about 1.4 times the quotient there
		return math.FMA(q, slope, 1.4*rest*slope)
	}
	switch {
	case u == 0:
		return math.Inf(-1)
	case u == 1:
		return math.Inf(1)
	case u < 0.5:
		x, _ := upperNormalQuantile(u)
		return -x
	}
	x, _ := upperNormalQuantile(1 - u) // exact
	return x
}

// upperNormalQuantile returns the x with Ndtr(-x) = p in two words, for 0 < p <= 0.075; NaN for p < 0.
func upperNormalQuantile(p float64) (x, rest float64) {
	square := -Log(p)
	r := math.Sqrt(square)
	low := 0.5 * math.FMA(-r, r, square) / r // what rounding took counts where r is not much larger than what is subtracted
	upper, lower := &quantileTailP, &quantileTailQ
	start := 1.6
	if r > 5 {
		upper, lower = &quantileFarP, &quantileFarQ
		start = 5
	}
	r = (r - start) + low
	n, nL := words7(upper, r)
	d, dL := words7(lower, r)
	x, rest = overTwo(n, nL, d, dL)
	return x + rest, rest - ((x + rest) - x)
}

// NormalQuantileDU returns the derivative of NormalQuantile, the inverse of the density at the quantile; +Inf at 0 and 1.
// 4 ulp.
func NormalQuantileDU(u float64) float64 {
	p := math.Min(u, 1-u)
	if p == 0 {
		return math.Inf(1)
	}
	var x, rest float64
	if p <= 0.075 {
		x, rest = upperNormalQuantile(p)
	} else {
		x = -NormalQuantile(p)
	}
	hi, lo := millsWords(x, rest)
	return overLeast(hi, lo, p)
}
