package special

import "math"

// The distribution function P and its complement Q of the standard gamma distribution, by the forms of its quantile (gammaquantile.go). A
// form gives one of the two, its tail, by the logarithm and by the density over the tail, which has no exponential in it; the other follows
// from log(1 - exp(l)). The derivative in the shape is minus the density times that of the quantile. Shapes below 1e-290 are taken for that.

// gammaTail is a tail at x.
type gammaTail struct {
	gammaPoint
	rate float64 // the density over the tail
	tail         // P, or Q
}

// gammaPowersTo is up to where P of small shapes is a series in powers of -x.
const gammaPowersTo = 1.1

// newGammaTail expects 0 < x < Inf and 0 < a < Inf.
func newGammaTail(x, a float64) (t gammaTail) {
	a = math.Max(a, 1e-290)
	t.a, t.x, t.mu = a, x, (x-a)/a
	switch eta := gammaEta(t.mu); {
	case a < 1 && x < gammaPowersTo:
		t.form = gammaPowers
	case a < 1:
		t.form = gammaFraction
	case a >= gammaUniformFrom && math.Abs(eta) <= gammaUniformTo:
		t.form = gammaUniform
	case a*t.mu > 0.25*math.Sqrt(a):
		t.form = gammaFraction
	default:
		t.form = gammaSeries
	}
	switch {
	case t.form == gammaUniform:
		t.setUniform()
	case t.isPolished():
		t.setNear()
	default:
		t.setFar()
	}
	t.set(t.log, t.logL)
	return t
}

// setUniform is for the expansion around the normal distribution.
func (t *gammaTail) setUniform() {
	t.upper = t.mu > 0
	side := -1.0
	if t.upper {
		side = 1
	}
	tail := t.uniformWords(side, t.mu)
	t.rate = math.Sqrt(t.a) / (tail.scaled * tail.m) / t.x
	t.log, t.logL = logTwo(tail.m, tail.mL, 0)
	t.log, t.logL = addTwo(t.log, t.logL, -halfLog2Pi, -halfLog2PiRest)
	t.log, t.logL = addTwo(t.log, t.logL, -tail.power, -tail.powerL)
	t.log, t.logL = addTwo(t.log, t.logL, -side*t.rate*t.unrounded(), 0)
}

// unrounded returns x less a (1 + mu), which rounding has taken from mu.
func (t *gammaTail) unrounded() float64 {
	less, lessL := sumTwo(t.x, -t.a)
	return math.FMA(-t.a, t.mu, less) + lessL
}

// setNear is for shapes below gammaUniformFrom.
func (t *gammaTail) setNear() {
	t.upper = t.form == gammaFraction
	chance := 1.0 // of the tail
	if t.upper {
		chance = 0
	}
	var rate float64
	t.log, t.logL, rate = t.excessWords(chance)
	t.rate = math.Abs(rate) / t.x
}

// setFar is for larger shapes, far from the middle.
func (t *gammaTail) setFar() {
	t.upper = t.form == gammaFraction
	t.logRatio = Log(t.x / t.a)
	k := 0.0
	if t.upper {
		k = 1 / gammaFractionAt(t.a, t.x, gammaFractionSteps(t.x))
	} else {
		k = gammaSeriesSum(t.a, t.x, negligible) / t.a
	}
	t.rate = 1 / k / t.x
	log, logL := logOf(t.x)
	logA, logAL := logOf(t.a)
	log, logL = addTwo(log, logL, -logA, -logAL)
	less, lessL := addTwo(t.mu, t.unrounded()/t.a, -log, -logL)
	less, lessL = scaleTwo(less, lessL, t.a)
	t.log, t.logL = logTwo(k*math.Sqrt(t.a/(2*math.Pi)), 0, 0)
	t.log, t.logL = addTwo(t.log, t.logL, -less, -lessL)
	t.log, t.logL = addTwo(t.log, t.logL, -logGammaScaled(t.a), 0)
}

// isGammaEnd reports arguments outside of the domain, or at its ends.
func isGammaEnd(x, a float64) bool {
	return !(x > 0 && x <= math.MaxFloat64 && a > 0 && a <= math.MaxFloat64)
}

// gammaEnd returns what there is at x = 0 and at infinite x, NaN outside of the domain. At infinite a all of the mass is beyond x.
func gammaEnd(x, a, left, right float64) float64 {
	switch {
	case !(x >= 0 && a > 0) || math.IsInf(x, 1) && math.IsInf(a, 1):
		return math.NaN()
	case math.IsInf(x, 1):
		return right
	}
	return left
}

// GammaLogCDF returns the logarithm of P(a, x), the distribution function of the standard gamma distribution of shape a > 0 at x >= 0; NaN
// elsewhere. 4 ulp, also in both tails.
func GammaLogCDF(x, a float64) float64 {
	if isGammaEnd(x, a) {
		return gammaEnd(x, a, math.Inf(-1), 0)
	}
	t := newGammaTail(x, a)
	p, _ := t.logs()
	return p
}

// GammaLogSF returns the logarithm of Q(a, x) = 1 - P(a, x), as GammaLogCDF.
func GammaLogSF(x, a float64) float64 {
	if isGammaEnd(x, a) {
		return gammaEnd(x, a, 0, math.Inf(-1))
	}
	t := newGammaTail(x, a)
	_, q := t.logs()
	return q
}

// GammaCDF returns P(a, x). 4 ulp, also to the left.
func GammaCDF(x, a float64) float64 {
	if isGammaEnd(x, a) {
		return gammaEnd(x, a, 0, 1)
	}
	t := newGammaTail(x, a)
	return t.cdf()
}

// GammaRatio returns the derivative of GammaLogCDF in x, the density over P. 6 ulp.
func GammaRatio(x, a float64) float64 {
	if isGammaEnd(x, a) {
		return gammaEnd(x, a, math.Inf(1), 0)
	}
	t := newGammaTail(x, a)
	p, _ := t.rates(t.rate)
	return p
}

// GammaHazard returns minus the derivative of GammaLogSF in x, the density over Q, which tends to 1 to the right. 6 ulp.
func GammaHazard(x, a float64) float64 {
	if isGammaEnd(x, a) {
		left := 0.0
		switch {
		case a == 1:
			left = 1
		case a < 1:
			left = math.Inf(1)
		}
		return gammaEnd(x, a, left, 1)
	}
	t := newGammaTail(x, a)
	_, q := t.rates(t.rate)
	return q
}

// GammaLogCDFDA returns the derivative of GammaLogCDF in the shape, which is negative. 10 ulp.
func GammaLogCDFDA(x, a float64) float64 {
	if isGammaEnd(x, a) {
		return gammaEnd(x, a, math.Inf(-1), 0)
	}
	t := newGammaTail(x, a)
	p, _ := t.rates(t.rate)
	return -p * t.slope()
}

// GammaLogSFDA returns the derivative of GammaLogSF in the shape, which is positive. 10 ulp.
func GammaLogSFDA(x, a float64) float64 {
	if isGammaEnd(x, a) {
		return gammaEnd(x, a, 0, math.Inf(1))
	}
	t := newGammaTail(x, a)
	_, q := t.rates(t.rate)
	return q * t.slope()
}
