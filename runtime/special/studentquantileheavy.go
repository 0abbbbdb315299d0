package special

import "math"

// For nu < 1 the quantile goes like p^(-1/nu), which multiplies the rounding errors of log p and of everything next to it by
// 1/nu. So beyond s = x^2/nu = 1 it is found from (DLMF 8.17.7, a = nu/2)
//
//	2S = z^a/(a B(a,1/2)) F(z),   F = 2F1(a, 1/2; a+1; z) = 1 + a sum of (1/2)_k/(k! (a+k)) z^k, k = 1, 2, ...
//
// as xi = -log(z), where the division by a is done on paper but for that of log 2p, which is in two words:
//
//	xi = -log(2p)/a - log(a B(a,1/2))/a + log(F)/a.
//
// Within s = 1 nothing is multiplied: F(x) - 1/2 is a times a tame function there.

// heavyTo is the nu below which this is so.
const heavyTo = 1

// isHeavy reports whether the upper quantile of nu < 1 is beyond s = 1.
func (t *tTarget) isHeavy(nu float64) bool {
	a := 0.5 * nu
	return nu < heavyTo && t.d > 0.8814*a/(1+1.526*a) // about F - 1/2 there
}

// heavyQuantile returns the upper quantile there.
func (t *tTarget) heavyQuantile(nu float64) (x, xL float64) {
	a := 0.5 * math.Max(nu, leastNu)
	hi, lo := t.logTwiceTail()
	high := -hi / a
	if high > 1e5 { // x overflows
		return math.Inf(1), 0
	}
	low := (math.FMA(-high, a, -hi)-lo)/a - betaLog(a)
	rest := 0.0 // log(F)/a
	for range 20 {
		z := math.Exp(-high) * math.Exp(-low-rest)
		log, slope := heavyLog(a, z)
		step := (log - rest) / (1 + slope)
		rest += step
		if step*step*z < 1e-17 {
			break
		}
	}
	low += rest
	high, low = addTwo(high, 0, low, 0)
	z := math.Exp(-high)
	z -= z * low
	c, cL := rootTwo(timesTwo(nu, 0, 1-z, (1-(1-z))-z))
	return scaledExp(c, cL, 0.5*high, 0.5*low)
}

// scaledExp returns c exp(hi+lo) in two words, also where the exponential alone overflows.
func scaledExp(c, cL, hi, lo float64) (x, xL float64) {
	e, eL := expWords(0.5*hi, 0.5*lo)
	x, xL = timesTwo(c, cL, e, eL)
	x, xL = timesTwo(x, xL, e, eL)
	if x > math.MaxFloat64 {
		return x, 0
	}
	return x + xL, xL - ((x + xL) - x)
}

// heavyLog returns log(F)/a and its derivative in log z.
func heavyLog(a, z float64) (log, slope float64) {
	sum, slope := heavySum(a, z)
	return math.Log1p(a*sum) / a, slope / (1 + a*sum)
}

// heavySum returns (F-1)/a and its derivative in log z, for z up to about 1/2.
func heavySum(a, z float64) (sum, slope float64) {
	term := 1.0
	for k := 1; k < len(inverseWhole); k++ {
		term *= z * (1 - 0.5*inverseWhole[k])
		part := term / (a + float64(k))
		sum += part
		slope += float64(k) * part
		if part < negligible*sum {
			break
		}
	}
	return sum, slope
}

// logTwiceTail returns log(2S) in two words.
func (t *tTarget) logTwiceTail() (hi, lo float64) {
	switch {
	case t.logExact:
		return addTwo(t.logP, 0, math.Ln2, ln2Rest)
	case t.d <= 0.25: // -log(1 + s), s = 2d/(1-2d)
		two := 2 * t.d
		rest := 1 - two
		restLow := (1 - rest) - two
		s := two / rest
		low := (math.FMA(-s, rest, two) - s*restLow) / rest
		hi, lo = log1pTwo(s, low)
		return -hi, -lo
	}
	hi, lo = logOf(t.p)
	return addTwo(hi, lo, math.Ln2, ln2Rest)
}

// betaLog returns log(a B(a,1/2))/a for 0 <= a <= 1/2.
func betaLog(a float64) float64 { return poly7(&betaLogP, a) / poly7(&betaLogQ, a) }
