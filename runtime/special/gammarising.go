package special

import "math"

// powerFrom is from where the factors r, ..., r+n-1 count as n equal ones, r + (n-1)/2: what that neglects is of the
// relative size (n/r)^2/12, below 1e-18.
const powerFrom = 1e10

// hugeBase is from where r+j is r, and x log r and x/r are exact enough: the next terms are below 1e-17 of them.
const hugeBase = 1e18

// rising returns the product of r, r+1, ..., r+n-1 and the numerator of the sum of their inverses over it.
//
// The factors are paired from the two ends, because (r+j)(r+n-1-j) = r(r+n-1) + j(n-1-j): with s = r(r+n-1), which does
// not depend on j, the pairs are s, s+(n-2), s+2(n-3), ..., and the two inverses of a pair add up to (2r+n-1)/(s+...).
// That halves the chain of dependent multiplications.
func rising(n int, r float64) (product, numerator float64) {
	last := float64(n - 1)
	s := r * (r + last)
	product, numerator = 1, 0
	for j := 0; j < n/2; j++ {
		a := s + float64(j*(n-1-j))
		numerator = numerator*a + product
		product *= a
	}
	numerator *= 2*r + last
	if n&1 == 1 {
		middle := r + 0.5*last
		numerator = numerator*middle + product
		product *= middle
	}
	return product, numerator
}

// logRising returns the logarithm of r(r+1)...(r+n-1).
func logRising(n int, r float64) float64 {
	if n <= 1 || r > powerFrom {
		return logPower(n, r)
	}
	last := float64(n - 1)
	s := r * (r + last)
	product := 1.0
	for j := 0; j < n/2; j++ {
		product *= s + float64(j*(n-1-j))
	}
	if n&1 == 1 {
		product *= r + 0.5*last
	}
	return logProduct(product, n, r)
}

// sumRising returns 1/r + 1/(r+1) + ... + 1/(r+n-1). The first term, which may be much the largest, is added by itself.
func sumRising(n int, r float64) float64 {
	if n <= 1 || r > powerFrom {
		return quotient(n, r)
	}
	product, numerator := rising(n-1, r+1)
	return 1/r + numerator/product
}

func logSumRising(n int, r float64) (l, d float64) {
	if n <= 1 || r > powerFrom {
		return logPower(n, r), quotient(n, r)
	}
	product, numerator := rising(n-1, r+1)
	return logProduct(r*product, n, r), 1/r + numerator/product
}

// logPower is n log(r + (n-1)/2), and 0 for n = 0 also where the logarithm is infinite.
func logPower(n int, r float64) float64 {
	if n == 0 {
		return 0
	}
	return float64(n) * Log(r+0.5*float64(n-1))
}

// quotient is n/(r + (n-1)/2).
func quotient(n int, r float64) float64 {
	if n == 0 {
		return 0
	}
	return float64(n) / (r + 0.5*float64(n-1))
}

// logProduct returns the logarithm of product = r(r+1)...(r+n-1). Where that is near 1, the rounding errors of the
// product are not small beside its logarithm, and it is formed again in two words.
func logProduct(product float64, n int, r float64) float64 {
	const near = 6
	if product > near || product < 1.0/near {
		return Log(product)
	}
	high, low := risingTwoWords(n, r)
	sum := float64(high + low)
	return Log(sum) + (low-float64(sum-high))/sum
}

// risingTwoWords returns r(r+1)...(r+n-1) as a sum high+low of relative error about n 2^-104: exact sums (Knuth's
// TwoSum) and products (by fused multiply-add). The conversions forbid the compiler to fuse what must be rounded.
func risingTwoWords(n int, r float64) (high, low float64) {
	high = r
	for k := 1; k < n; k++ {
		j := float64(k)
		a := float64(r + j)
		back := float64(a - r)
		rest := float64(r-float64(a-back)) + float64(j-back)
		p := float64(high * a)
		low = low*a + high*rest + math.FMA(high, a, -p)
		high = p
	}
	return high, low
}

// sumSquares returns 1/r^2 + ... + 1/(r+n-1)^2 for r < tailFrom, by one division.
func sumSquares(n int, r float64) float64 {
	i := 1 / r
	product, numerator := 1.0, 0.0
	for j := 1; j < n; j++ {
		a := r + float64(j)
		a *= a
		numerator = numerator*a + product
		product *= a
	}
	return i*i + numerator/product
}

// sumCubes returns 1/r^3 + ... + 1/(r+n-1)^3 for r < tailFrom, by one division.
func sumCubes(n int, r float64) float64 {
	i := 1 / r
	product, numerator := 1.0, 0.0
	for j := 1; j < n; j++ {
		a := r + float64(j)
		a *= a * a
		numerator = numerator*a + product
		product *= a
	}
	return i*i*i + numerator/product
}
