package special

import "math"

// The quantile of the standard gamma distribution of shape a, and its derivative in the shape at a fixed probability, which is
// what the implicit reparameterisation of gamma draws needs (Figurnov, Mohamed and Mnih 2018, Implicit
// reparameterization gradients, NeurIPS 31).
//
// With the density f, the distribution function P and Q = 1 - P (DLMF 8.2.4), all that is needed of the distribution at a point
// is k = P/(x f) or k = Q/(x f), like Mills' ratio of the normal distribution. It has no exponential in it, and is at hand in
// each of four forms:
//
//	a >= 8, x = a (1+mu), |eta| <= 1    P or Q, around the normal distribution    gammaquantileuniform.go
//	a < 1, x below about 1              P, in powers of -x               gammaquantileseries.go
//	a >= 1, x below a + sqrt(a)/4       P, in powers of x                gammaquantileseries.go
//	elsewhere                           Q, a continued fraction          gammaquantilefraction.go
//
// The root is found in log x, by steps of fourth order on log P or log Q (invertStep), of which
//
//	d log P/d log x = 1/k,     d log(1/k)/d log x = a - x - 1/k = b,     db/d log x = -x - b/k,
//
// and likewise for Q with -k for k. The guesses are such that one or two steps are usual, and three the most.
//
// The derivative in the shape is -(dP/da)/f, from the same form, differentiated term by term. With d log(x f)/da =
// log x - psi(a) and k alone it is
//
//	dx/da = x ((psi(a) - log x) k - dk/da)     for P, the negative of it for Q,
//
// where to the left for P and to the right for Q nothing cancels.

// GammaQuantile returns the x with P(a, x) = u, the quantile of the standard gamma distribution of shape a > 0, for
// 0 <= u <= 1; NaN elsewhere. It is 0 at u = 0, +Inf at u = 1, and 0 where it underflows, as it does for small shapes,
// where it goes like u^(1/a).
//
// 3 ulp, also in the tails, as long as the quantile is a normal number. To the right this is about the u given, and such u crowd near 1.
func GammaQuantile(u, a float64) float64 {
	if !(u > 0 && u < 1 && a > 0 && a <= math.MaxFloat64) {
		x, _ := gammaQuantileEnds(u, a)
		return x
	}
	return newGammaPoint(u, a).x
}

// GammaQuantileDA returns d GammaQuantile(u, a)/d a, which is positive: 0 at u = 0 and where the quantile underflows,
// +Inf at u = 1, and about 1 for large a. 10 ulp.
func GammaQuantileDA(u, a float64) float64 {
	_, da := GammaQuantileWithDA(u, a)
	return da
}

// GammaQuantileWithDA returns GammaQuantile and GammaQuantileDA.
func GammaQuantileWithDA(u, a float64) (x, da float64) {
	if !(u > 0 && u < 1 && a > 0 && a <= math.MaxFloat64) {
		return gammaQuantileEnds(u, a)
	}
	p := newGammaPoint(u, a)
	return p.x, p.slope()
}

// GammaQuantileDU returns the derivative of GammaQuantile in u, the inverse of the density at the quantile: 0 where the
// quantile underflows, +Inf at u = 1. 4 ulp, as long as the quantile is a normal number.
func GammaQuantileDU(u, a float64) float64 {
	if !(u > 0 && u < 1 && a > 0 && a <= math.MaxFloat64) {
		return gammaQuantileDUEnds(u, a)
	}
	p := newGammaPoint(u, a)
	if p.x == 0 {
		return 0
	}
	return p.perChance(u)
}

// gammaQuantileDUEnds is for the arguments at the ends of the domain and outside of it: at u = 0 the inverse of the
// density at 0.
func gammaQuantileDUEnds(u, a float64) float64 {
	switch {
	case !(u >= 0 && u <= 1 && a > 0):
		return math.NaN()
	case u == 0 && a < 1:
		return 0
	case u == 0 && a == 1:
		return 1
	}
	return math.Inf(1)
}

// gammaQuantileEnds is for the arguments at the ends of the domain and outside of it.
func gammaQuantileEnds(u, a float64) (x, da float64) {
	switch {
	case !(u >= 0 && u <= 1 && a > 0):
		return math.NaN(), math.NaN()
	case u == 0:
		return 0, 0
	case u == 1:
		return math.Inf(1), math.Inf(1)
	}
	return math.Inf(1), 1 // a = +Inf
}

// gammaForm says how Mills' ratio is computed.
type gammaForm int

const (
	gammaUniform  gammaForm = iota // expansion around the normal distribution
	gammaPowers                    // series of P in powers of -x
	gammaSeries                    // series of P in powers of x
	gammaFraction                  // continued fraction of Q
)

// gammaPoint is a quantile x of the distribution of shape a.
type gammaPoint struct {
	form  gammaForm
	a     float64
	x, xL float64 // in two words
	mu    float64 // x/a - 1, for the expansion around the normal distribution
	// For the other forms from gammaUniformFrom on, log(x/a).
	logRatio float64
}

// gammaUniformFrom is the least a for which the expansion around the normal distribution has all digits, for
// |eta| <= gammaUniformTo and a little more.
const (
	gammaUniformFrom = 8
	gammaUniformTo   = 1
)

// newGammaPoint finds the quantile for 0 < u < 1 and finite a > 0.
func newGammaPoint(u, a float64) gammaPoint {
	p := gammaPointNear(u, a)
	p.polish(u)
	return p
}

// gammaPointNear finds it, but for the last step where there is one in two words.
func gammaPointNear(u, a float64) gammaPoint {
	p := gammaPoint{a: a}
	if a < 1 {
		if 1-u < a*(0.2194+a*(0.2323-0.0838*a)) { // about Q(a, 1)
			p.findFraction(1-u, gammaGuessFar(1-u, a))
		} else {
			p.form = gammaPowers
			base := newGammaBase(u, a)
			p.findSeries(base, base.guess(a))
		}
		return p
	}
	eta := gammaGuessEta(u, a)
	mu := gammaDeviation(eta)
	switch {
	case a >= gammaUniformFrom && math.Abs(eta) <= gammaUniformTo:
		p.findUniform(u, mu)
	case a*mu > 0.25*math.Sqrt(a):
		p.findAbout(gammaFraction, 1-u, mu)
	case eta >= -1:
		p.findAbout(gammaSeries, u, mu)
	default:
		p.form = gammaSeries
		base := newGammaBase(u, a)
		p.findSeries(base, base.guess(a))
	}
	return p
}

// slope returns dx/da at a fixed probability.
func (p *gammaPoint) slope() float64 {
	if p.x == 0 {
		return 0
	}
	switch p.form {
	case gammaUniform:
		return p.uniformSlope()
	case gammaPowers:
		return p.powersSlope()
	case gammaSeries:
		return p.seriesSlope()
	}
	return p.fractionSlope()
}

// maxGammaSteps is never reached: three are the most that were seen in a million random points.
const maxGammaSteps = 20

// step returns the step in log x that takes log P or log Q up by rise, and whether it is the last: the next one would be below
// the rounding errors, or is that of polish. Rate is the derivative, which is negative for Q, and less is a - x.
func (p *gammaPoint) step(rise, rate, less, x float64) (step float64, last bool) {
	b := less - rate
	db := -x - rate*b
	rho := rise / rate
	enough := 1e-4
	if p.isPolished() {
		enough = 0.02
	}
	return invertStep(rho, b, db), math.Abs(rho)*(math.Abs(b)+math.Sqrt(math.Abs(db))) < enough
}
