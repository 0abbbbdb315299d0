package special

import "math"

// Numbers in two words, an unevaluated sum hi + lo with |lo| at most about an ulp of hi. The conversions forbid the compiler
// to fuse what must be rounded.

// addTwo returns a + b.
func addTwo(aHi, aLo, bHi, bLo float64) (hi, lo float64) {
	sum := aHi + bHi
	back := sum - aHi
	rest := (aHi - (sum - back)) + (bHi - back) + (aLo + bLo)
	hi = sum + rest
	return hi, rest - (hi - sum)
}

// sumTwo returns a + b of two numbers, exactly unless it overflows.
func sumTwo(a, b float64) (hi, lo float64) {
	hi = float64(a + b)
	if hi > math.MaxFloat64 {
		return hi, 0
	}
	back := float64(hi - a)
	return hi, float64(a-float64(hi-back)) + float64(b-back)
}

// scaleTwo returns (hi + lo) c.
func scaleTwo(hi, lo, c float64) (float64, float64) {
	p := float64(hi * c)
	return p, math.FMA(hi, c, -p) + lo*c
}

// timesTwo returns a b.
func timesTwo(aHi, aLo, bHi, bLo float64) (hi, lo float64) {
	hi = float64(aHi * bHi)
	return hi, math.FMA(aHi, bHi, -hi) + (aHi*bLo + aLo*bHi)
}

// overTwo returns a/b.
func overTwo(aHi, aLo, bHi, bLo float64) (hi, lo float64) {
	inverse := 1 / bHi
	hi = float64(aHi * inverse)
	return hi, (math.FMA(-hi, bHi, aHi) + (aLo - hi*bLo)) * inverse
}

// rootTwo returns the square root of hi + lo > 0.
func rootTwo(hi, lo float64) (root, rest float64) {
	root = math.Sqrt(hi)
	return root, 0.5 * (math.FMA(-root, root, hi) + lo) / root
}

// over returns a/(hi + lo).
func over(a, hi, lo float64) float64 {
	q, rest := overTwo(a, 0, hi, lo)
	return q + rest
}

// overLeast returns (hi + lo)/d, where d may be one of the least numbers.
func overLeast(hi, lo, d float64) float64 {
	q := hi / d
	if q > math.MaxFloat64 {
		return q
	}
	return q + (math.FMA(-q, d, hi)+lo)/d
}
