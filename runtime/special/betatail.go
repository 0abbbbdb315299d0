package special

import "math"

// The distribution function of the beta distribution and its complement. In u = log(x/(1-x)) the density of a beta variable is proportional to
// x^p (1-x)^q, which is log-concave for all shapes. So a tail is D M, with D = y^p z^q/B(p, q) at y and z = 1 - y, and Mills' ratio
//
//	M = int_0^inf exp(-phi(t)) dt,  phi(t) = d t + (p+q) r(t),  r(t) = log(1 + y (exp(-t) - 1)) + y t,  d = p z - q y,
//
// in which nothing cancels on the smaller side of the mean, where d is positive. The density over the tail is 1/(M y z), and derivatives in the
// shapes are integrals of the same kind: -log(1 + z (exp(t) - 1)) and log(1 + y (exp(-t) - 1)) weighted by the integrand. The integrals are sums by
// the rule of Takahasi and Mori in t = s exp(v - exp(-v)). Shapes below 1e-290 are taken for that, those above 1e150 for that.
//
// Below p = 1 the first part of M = (1 + (p+q) y M(p+1, q))/p is what is large.

// betaTail is a tail at x: the left one, or the right one with the shapes and the two parts of the interval exchanged.
type betaTail struct {
	p, q   float64
	y, yL  float64 // on the side of the tail
	z, zL  float64 // the rest of the interval
	n, nL  float64 // p + q
	d, dL  float64
	mills  float64 // M
	first  float64 // d log M/dp, less -1/p below p = 1
	second float64 // d log M/dq
	tail
}

const (
	leastShape = 1e-290
	mostShape  = 1e150
	betaWords  = 30 // below, logarithms of gamma functions come in two words
	betaSmall  = 8  // below, a shape is small beside one that is not
)

// newBetaTail expects 0 < x < 1 and positive shapes.
func newBetaTail(x, a, b float64) betaTail {
	a, b = math.Min(math.Max(a, leastShape), mostShape), math.Min(math.Max(b, leastShape), mostShape)
	w, wL := sumTwo(1, -x)
	t := betaTail{p: a, q: b, y: x, z: w, zL: wL}
	other := betaTail{p: b, q: a, y: w, yL: wL, z: x, tail: tail{upper: true}}
	t.setLine()
	other.setLine()
	if t.d < 0 {
		t, other = other, t
	}
	t.find()
	if t.value > 0.9 && !t.isPower() { // a skewed distribution, most of which is on this side of the mean
		if other.find(); other.value < t.value {
			return other
		}
	}
	return t
}

// isPower reports a tail that is y^p/(p B(p, q)).
func (t *betaTail) isPower() bool { return t.p < 1 && t.y*(t.q+1) < 1e-18 }

// setLine sets n and d.
func (t *betaTail) setLine() {
	t.n, t.nL = sumTwo(t.p, t.q)
	hi, lo := timesTwo(t.z, t.zL, t.p, 0)
	less, lessL := timesTwo(t.y, t.yL, -t.q, 0)
	t.d, t.dL = addTwo(hi, lo, less, lessL)
}

func (t *betaTail) find() {
	t.integrate()
	log, logL := t.density()
	hi, lo := logOf(t.mills)
	log, logL = addTwo(log, logL, hi, lo)
	if t.isPower() && log > -1 { // with its relative accuracy, also where it is nearly 1
		log, logL = t.p*Log(t.y)+LgammaDiff(t.p, t.q)-lgammaAbove(t.p), 0
	}
	t.set(log, logL)
}

// integrate sets M and its derivatives.
func (t *betaTail) integrate() {
	d, n := t.d+t.dL, t.n
	if t.p < 1 {
		d, n = d+t.z, t.n+1
	}
	scale := math.Min(1, 1/(math.Abs(d)+math.Sqrt(n*t.y*t.z)))
	step := 0.08
	if far := Log(t.y / t.z); far > 3 { // there the integrand falls, with poles at a distance of pi and large values at half of that
		if r, _, _ := t.growth(far / 2); d*far/2+n*r < 40 {
			step = 0.25 / far
		}
	}
	var sum, of1, of2, largest float64
	for k := math.Floor(-3.7 / step); ; k++ {
		v := k * step
		e := math.Exp(-v)
		at := scale * math.Exp(v-e)
		r, g1, g2 := t.growth(at)
		term := at * (1 + e) * math.Exp(-(d*at + n*r))
		sum, of1, of2 = sum+term, of1+term*g1, of2+term*g2
		largest = math.Max(largest, term)
		if v > 0 && (term <= 1e-19*largest || v > 60) {
			break
		}
	}
	m := step * sum
	t.mills, t.first, t.second = m, -of1/sum, of2/sum
	if t.p < 1 {
		whole := 1 + t.n*t.y*m
		t.mills = whole / t.p
		t.first = t.y * m * (1 + t.n*t.first) / whole
		t.second = t.y * m * (1 + t.n*t.second) / whole
	}
}

// growth returns r(t), log(1 + z (exp(t) - 1)) and -log(1 + y (exp(-t) - 1)), each with its relative accuracy.
func (t *betaTail) growth(at float64) (r, g1, g2 float64) {
	y, z := t.y, t.z
	if z < y {
		up := math.Expm1(at)
		switch {
		case at > 700:
			g1 = at + Log(z)
			r = g1 - z*at
		case at > 1:
			g1 = math.Log1p(z * up)
			r = g1 - z*at
		default:
			g1 = math.Log1p(z * up)
			r = z*expm1Rest(at) - lessLog1p(z*up)
		}
		if g2 = at - g1; at < 1 {
			g2 = -math.Log1p(y * math.Expm1(-at))
		}
		return r, g1, g2
	}
	down := math.Expm1(-at)
	g2 = -math.Log1p(y * down)
	if r = y*at - g2; at <= 1 {
		r = y*expm1Rest(-at) - lessLog1p(y*down)
	}
	if g1 = at - g2; at < 1 {
		g1 = math.Log1p(z * math.Expm1(at))
	}
	return r, g1, g2
}

// expm1Rest is exp(x) - 1 - x for |x| <= 1.
func expm1Rest(x float64) float64 {
	sum := 1.0
	for k := 19.0; k > 2; k-- {
		sum = 1 + sum*x/k
	}
	return 0.5 * x * x * sum
}

// density sets the logarithm to that of D.
func (t *betaTail) density() (hi, lo float64) {
	switch {
	case t.n < betaWords:
		return t.words()
	case t.p < betaSmall:
		return betaBeside(t.p, t.q, t.y, t.yL, t.z, t.zL)
	case t.q < betaSmall:
		return betaBeside(t.q, t.p, t.z, t.zL, t.y, t.yL)
	}
	return t.deviance()
}

// logPart returns c log(y + yL).
func logPart(c, y, yL float64) (hi, lo float64) {
	switch {
	case y < leastNormal:
		hi, lo = logOf(y)
	case y > 0.5: // there is no digit to lose next to 1
		less, lessL := sumTwo(y, -1)
		hi, lo = log1pWords(less, lessL+yL)
	default:
		hi, lo = logTwo(y, yL, 0)
	}
	return scaleTwo(hi, lo, c)
}

// words is for small shapes: log D is p log y + q log z + log(p q/n) + lgamma(1 + n) - lgamma(1 + p) - lgamma(1 + q).
func (t *betaTail) words() (hi, lo float64) {
	hi, lo = logPart(t.p, t.y, t.yL)
	more, moreL := logPart(t.q, t.z, t.zL)
	hi, lo = addTwo(hi, lo, more, moreL)
	for i, a := range [3]float64{t.p, t.q, t.n} {
		sign := -1.0
		if i == 2 {
			sign = 1
		}
		below, belowL, product, productL := gammaWords(a)
		log, logL := logTwo(product, productL, 0)
		hi, lo = addTwo(hi, lo, sign*below, sign*belowL)
		hi, lo = addTwo(hi, lo, sign*log, sign*logL)
	}
	hi, lo = addTwo(hi, lo, t.nL*Digamma(1+t.n), 0)
	small, large := math.Min(t.p, t.q), math.Max(t.p, t.q)
	log, logL := logOf(small)
	hi, lo = addTwo(hi, lo, log, logL)
	log, logL = log1pWords(small/large, math.FMA(-small/large, large, small)/large)
	return addTwo(hi, lo, -log, -logL)
}

// betaBeside is log D for a small shape beside a large one: of lgamma(p + q) - lgamma(q), p log q is split off.
func betaBeside(p, q, y, yL, z, zL float64) (hi, lo float64) {
	hi, lo = logPart(q, z, zL)
	log, logL := logPart(p, y, yL)
	more, moreL := logOf(q)
	more, moreL = scaleTwo(more, moreL, p)
	log, logL = addTwo(log, logL, more, moreL)
	hi, lo = addTwo(hi, lo, log, logL)
	below, belowL, product, productL := gammaWords(p)
	hi, lo = addTwo(hi, lo, -below, -belowL)
	log, logL = logTwo(product, productL, 0)
	hi, lo = addTwo(hi, lo, -log, -logL)
	log, logL = logOf(p)
	hi, lo = addTwo(hi, lo, log, logL)
	ratio, ratioL := overTwo(p, 0, q, 0)
	log, logL = log1pTwo(ratio, ratioL)
	log, logL = scaleTwo(log, logL, p+q-0.5)
	log, logL = addTwo(log, logL, -p, 0)
	hi, lo = addTwo(hi, lo, log, logL)
	w, i := 1/(p+q), 1/q
	return addTwo(hi, lo, w*lgRest(w*w)-i*lgRest(i*i), 0)
}

// deviance is for large shapes, by Stirling's series: with n y = p - d and n z = q + d it is p log(1 - d/p) + q log(1 + d/q).
func (t *betaTail) deviance() (hi, lo float64) {
	down, downL := overTwo(-t.d, -t.dL, t.p, 0)
	up, upL := overTwo(t.d, t.dL, t.q, 0)
	if math.Abs(down) < 0.25 && math.Abs(up) < 0.25 {
		hi = -(t.p*lessLog1p(down+downL) + t.q*lessLog1p(up+upL))
	} else {
		hi, lo = logShare(down, downL, t.n, t.y, t.yL, t.p)
		more, moreL := logShare(up, upL, t.n, t.z, t.zL, t.q)
		hi, lo = addTwo(hi, lo, more, moreL)
	}
	log, logL := logTwo(math.Sqrt(t.p/t.n)*math.Sqrt(t.q), 0, 0)
	hi, lo = addTwo(hi, lo, log, logL)
	hi, lo = addTwo(hi, lo, -halfLog2Pi, -halfLog2PiRest)
	return addTwo(hi, lo, logGammaScaled(t.n)-logGammaScaled(t.p)-logGammaScaled(t.q), 0)
}

// logShare returns c log(1 + h), where 1 + h is n y/c.
func logShare(h, hL, n, y, yL, c float64) (hi, lo float64) {
	if h > -0.9 {
		hi, lo = log1pWords(h, hL)
		return scaleTwo(hi, lo, c)
	}
	share, shareL := timesTwo(y, yL, n/c, math.FMA(-n/c, c, n)/c)
	if share < leastNormal {
		return logPart(c, share, 0)
	}
	return logPart(c, share, shareL)
}

// rate is the density over the tail.
func (t *betaTail) rate() float64 { return 1 / (t.mills * t.y) / t.z }

// slopes returns the derivatives of the logarithm of the tail in p and q.
func (t *betaTail) slopes() (dp, dq float64) {
	if t.p < 1 { // the pole of digamma at 0 is that of M
		dp = Log(t.y) + digammaBetween(1+t.p, t.q-1, t.n) + t.first
		return dp, logPlus(t.z, t.zL) + DigammaDiff(t.p, t.q) + t.second
	}
	n := DigammaLog(t.n)
	dp = t.logOfShare(t.p, t.y, t.yL, -t.d-t.dL) + (n - DigammaLog(t.p)) + t.first
	return dp, t.logOfShare(t.q, t.z, t.zL, t.d+t.dL) + (n - DigammaLog(t.q)) + t.second
}

// digammaBetween returns psi(a + more) - psi(a), of which the sum is given too.
func digammaBetween(a, more, sum float64) float64 {
	if more < 0 {
		return -DigammaDiff(-more, sum)
	}
	return DigammaDiff(more, a)
}

// logPlus returns log(y + yL) where y may be nearly 1.
func logPlus(y, yL float64) float64 {
	if y > 0.5 {
		return math.Log1p((y - 1) + yL)
	}
	return Log(y) + yL/y
}

// logOfShare returns log(n y/c), where n y - c is less.
func (t *betaTail) logOfShare(c, y, yL, less float64) float64 {
	if h := less / c; math.Abs(h) < 0.5 {
		return math.Log1p(h)
	}
	return logPlus(y, yL) + Log(t.n) - Log(c)
}

// shapes returns the derivatives of the logarithms of the distribution function and of its complement in a and b.
func (t *betaTail) shapes() (belowA, belowB, aboveA, aboveB float64) {
	dp, dq := t.slopes()
	k := -t.odds()
	if t.upper {
		return k * dq, k * dp, dq, dp
	}
	return dp, dq, k * dp, k * dq
}

// isBetaEnd reports arguments outside of the domain, or at its ends.
func isBetaEnd(x, a, b float64) bool { return !(x > 0 && x < 1 && a > 0 && b > 0) }

// betaEnd returns what there is at x = 0 and at 1, NaN outside of the domain.
func betaEnd(x, a, b, left, right float64) float64 {
	switch {
	case !(x >= 0 && x <= 1 && a > 0 && b > 0):
		return math.NaN()
	case x > 0:
		return right
	}
	return left
}

// BetaLogCDF returns the logarithm of I_x(a, b), the distribution function of the beta distribution of shapes a > 0 and b > 0 at 0 <= x <= 1; NaN
// elsewhere. 8 ulp, also in both tails; densities over tails have 10,
// derivatives in the shapes 12.
func BetaLogCDF(x, a, b float64) float64 {
	if isBetaEnd(x, a, b) {
		return betaEnd(x, a, b, math.Inf(-1), 0)
	}
	t := newBetaTail(x, a, b)
	below, _ := t.logs()
	return below
}

// BetaLogSF returns the logarithm of 1 - I_x(a, b), as BetaLogCDF.
func BetaLogSF(x, a, b float64) float64 {
	if isBetaEnd(x, a, b) {
		return betaEnd(x, a, b, 0, math.Inf(-1))
	}
	t := newBetaTail(x, a, b)
	_, above := t.logs()
	return above
}

// BetaCDF returns I_x(a, b).
func BetaCDF(x, a, b float64) float64 {
	if isBetaEnd(x, a, b) {
		return betaEnd(x, a, b, 0, 1)
	}
	t := newBetaTail(x, a, b)
	return t.cdf()
}

// BetaRatio returns the derivative of BetaLogCDF in x, the density over the distribution function.
func BetaRatio(x, a, b float64) float64 {
	if isBetaEnd(x, a, b) {
		return betaEnd(x, a, b, math.Inf(1), betaDensityAtEnd(b, a))
	}
	t := newBetaTail(x, a, b)
	below, _ := t.rates(t.rate())
	return below
}

// BetaHazard returns minus the derivative of BetaLogSF in x, the density over the complement.
func BetaHazard(x, a, b float64) float64 {
	if isBetaEnd(x, a, b) {
		return betaEnd(x, a, b, betaDensityAtEnd(a, b), math.Inf(1))
	}
	t := newBetaTail(x, a, b)
	_, above := t.rates(t.rate())
	return above
}

// betaDensityAtEnd is the density at the end that the first shape is of.
func betaDensityAtEnd(own, other float64) float64 {
	switch {
	case own < 1:
		return math.Inf(1)
	case own > 1:
		return 0
	}
	return other
}

// BetaLogCDFDA returns the derivative of BetaLogCDF in the first shape, which is negative.
func BetaLogCDFDA(x, a, b float64) float64 {
	if isBetaEnd(x, a, b) {
		return betaEnd(x, a, b, math.Inf(-1), 0)
	}
	t := newBetaTail(x, a, b)
	v, _, _, _ := t.shapes()
	return v
}

// BetaLogCDFDB returns that in the second shape, which is positive.
func BetaLogCDFDB(x, a, b float64) float64 {
	if isBetaEnd(x, a, b) {
		return betaEnd(x, a, b, DigammaDiff(a, b), 0)
	}
	t := newBetaTail(x, a, b)
	_, v, _, _ := t.shapes()
	return v
}

// BetaLogSFDA returns the derivative of BetaLogSF in the first shape, which is positive.
func BetaLogSFDA(x, a, b float64) float64 {
	if isBetaEnd(x, a, b) {
		return betaEnd(x, a, b, 0, DigammaDiff(b, a))
	}
	t := newBetaTail(x, a, b)
	_, _, v, _ := t.shapes()
	return v
}

// BetaLogSFDB returns that in the second shape, which is negative.
func BetaLogSFDB(x, a, b float64) float64 {
	if isBetaEnd(x, a, b) {
		return betaEnd(x, a, b, 0, math.Inf(-1))
	}
	t := newBetaTail(x, a, b)
	_, _, _, v := t.shapes()
	return v
}
