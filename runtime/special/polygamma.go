package special

import "math"

// Polygamma returns the derivative of order m of Digamma at x, for a whole m >= 1 and x > 0; NaN elsewhere. 2 ulp. The time
// it takes grows with m where x is below 10 + m. The orders 1 and 2 have faster functions of their own: Trigamma and
// Tetragamma.
//
// It is (-1)^(m+1) m! zeta(m+1, x) (DLMF 25.11.12), the Hurwitz zeta function by the Euler-Maclaurin formula (DLMF
// 25.11.28) after moving x up past 10 + m. Powers and factorials are exponentials of logarithms in two words: their exponents
// are as large as m log x.
func Polygamma(m, x float64) float64 {
	if !(m >= 1) || m != math.Trunc(m) || m > maxOrder || !(x > 0) {
		return math.NaN()
	}
	sign := 1.0
	if math.Mod(m, 2) == 0 {
		sign = -1
	}
	if math.IsInf(x, 1) {
		return 0 * sign
	}
	hi, lo := logFactorial(m)
	logHi, logLo := logOf(x)
	if x >= eulerFrom+m {
		powerHi, powerLo := scaleTwo(logHi, logLo, -m)
		return sign * timesExp(zetaTail(m, x), 0, hi, lo, powerHi, powerLo)
	}
	powerHi, powerLo := scaleTwo(logHi, logLo, -m-1)
	sum, sumLo := zetaSum(m, x, logHi, logLo)
	return sign * timesExp(sum, sumLo, hi, lo, powerHi, powerLo)
}

// timesExp returns c exp(a + b), of numbers in two words.
func timesExp(c, cLo, a, aLo, b, bLo float64) float64 {
	hi, lo := expWords(addTwo(a, aLo, b, bLo))
	product := float64(c * hi)
	switch {
	case product > math.MaxFloat64:
		return product
	case product < leastNormal: // the rest of the product is no number
		return product + (c*lo + cLo*hi)
	}
	return product + (math.FMA(c, hi, -product) + (c*lo + cLo*hi))
}

const (
	maxOrder  = 1e6 // of which the sum has as many terms at the most
	eulerFrom = 11  // less m, where the Euler-Maclaurin formula begins
)

// zetaSum returns x^s zeta(s, x) for s = m+1 in two words: the first terms, and from x = 11 + m on the tail.
func zetaSum(m, x, logHi, logLo float64) (sum, low float64) {
	sum = 1
	for k := 1.0; ; k++ {
		t := x + k
		back := t - x
		rest := (x - (t - back)) + (k - back)
		hi, lo := logTwo(t, rest, 0)
		hi, lo = addTwo(logHi, logLo, -hi, -lo)
		hi, lo = scaleTwo(hi, lo, m+1)
		term, termLo := expWords(hi, lo)
		if t >= eulerFrom+m {
			term *= t * zetaTail(m, t)
			return addTwo(sum, low, term, 0)
		}
		if term*(1+t) < negligible { // all others add less
			return sum, low
		}
		sum, hi = sumTwo(sum, term)
		low += hi + termLo
	}
}

// bernoulli2k are B_2/2!, B_4/4!, ...
var bernoulli2k = [...]float64{
	1.0 / 12, -1.0 / 720, 1.0 / 30240, -1.0 / 1209600, 1.0 / 47900160, -691.0 / 1307674368000,
	1.0 / 74724249600, -3617.0 / 10670622842880000, 43867.0 / 5109094217170944000,
}

// zetaTail returns x^m zeta(m+1, x) for x >= 11 + m.
func zetaTail(m, x float64) float64 {
	i := 1 / x
	tail := 0.0
	rising := (m + 1) * i
	for k, b := range bernoulli2k {
		tail += b * rising
		j := float64(2*k + 2)
		rising *= (m + j) * i * ((m + j + 1) * i)
	}
	return 1/m + i*(0.5+tail)
}

// logOf returns log(x) in two words for every finite x > 0.
func logOf(x float64) (hi, lo float64) {
	switch {
	case x < leastNormal:
		return logTwo(x*0x1p54, 0, -54)
	case x > 0x1p1000:
		return logTwo(x*0x1p-54, 0, 54)
	}
	return logTwo(x, 0, 0)
}

// logFactorial returns log(m!) in two words, for m >= 1.
func logFactorial(m float64) (hi, lo float64) {
	if m <= 22 { // exact
		product := 1.0
		for k := 2.0; k <= m; k++ {
			product *= k
		}
		return logTwo(product, 0, 0)
	}
	hi, lo = logTwo(m, 0, 0)
	hi, lo = scaleTwo(hi, lo, m+0.5)
	hi, lo = addTwo(hi, lo, -m, 0)
	u := 1 / (m * m)
	rest := (1.0/12 - u*(1.0/360-u*(1.0/1260-u*(1.0/1680-u*(1.0/1188))))) / m
	return addTwo(hi, lo, halfLog2Pi, halfLog2PiRest+rest)
}

// halfLog2PiRest is log(2 pi)/2 less its float64.
const halfLog2PiRest = -3.8782941580672415822e-17
