package special

import "math"

// leastNormal is the least normal number: those below have fewer digits.
const leastNormal = 0x1p-1022

// Log returns log(x) for x >= 0; NaN below. 1 ulp. Of normal numbers it is math.Log to the bit, by the same algorithm, of FreeBSD, without the
// call of assembly that math.Log is on some processors; of subnormal ones those make 2^-1023 (amd64, Go 1.26).
func Log(x float64) float64 {
	const least, infinite = 1 << 52, 0x7ff << 52
	b := math.Float64bits(x)
	if b-least >= infinite-least {
		return logRare(x)
	}
	// x = (1 + f) 2^k with f between sqrt(1/2)-1 and sqrt(2)-1, without a branch that nobody can predict.
	const aboveRoot = 0x3fe6a09e667f3bcd + 1 // sqrt(1/2)
	exponent := int64(b-aboveRoot) >> 52
	f, k := math.Float64frombits(b-uint64(exponent)<<52)-1, float64(exponent)
	// log(1+f) = f - f^2/2 + s (f^2/2 + R(s)) with s = f/(2+f)
	s := f / (2 + f)
	s2 := s * s
	s4 := s2 * s2
	odd := s2 * (logR1 + s4*(logR3+s4*(logR5+s4*logR7)))
	even := s4 * (logR2 + s4*(logR4+s4*logR6))
	half := 0.5 * f * f
	return k*ln2High - ((half - (s*(half+(odd+even)) + k*ln2Low)) - f)
}

// logRare is Log of what is not a normal number.
func logRare(x float64) float64 {
	if x > 0 && x < leastNormal {
		return Log(x*0x1p54) - 54*math.Ln2
	}
	return math.Log(x)
}

// log(2) in two parts, of which a whole number times the first is exact.
const (
	ln2High = 6.93147180369123816490e-01
	ln2Low  = 1.90821492927058770002e-10
)

// The coefficients of R, of powers of s^2.
const (
	logR1 = 6.666666666666735130e-01
	logR2 = 3.999999999940941908e-01
	logR3 = 2.857142874366239149e-01
	logR4 = 2.222219843214978396e-01
	logR5 = 1.818357216161805012e-01
	logR6 = 1.531383769920937332e-01
	logR7 = 1.479819860511658591e-01
)

// Exp returns exp(x) for every x. 1 ulp, 2 below -707. With k/64 the nearest to x over log 2 it is 2^(k/64), of the table of expWords, times
// 1 + expm1(r) for an |r| < 1/184: a chain of half as many operations as that of math.Exp, and no call of assembly.
func Exp(x float64) float64 {
	if !(x > -707 && x < expShiftFrom) { // also NaN
		return expRare(x)
	}
	const round = 0x1.8p52 // adding it leaves a whole number in the last bits
	shifted := x*expPerStep + round
	n, k := shifted-round, math.Float64bits(shifted)
	r := (x - float64(n*expStepHi)) - n*expStepLo
	square := r * r
	rest := r + square*((0.5+r*(1.0/6))+square*(1.0/24+(r*(1.0/120)+square*(1.0/720))))
	cell := &expCells[k&63]
	scale := math.Float64frombits(1023<<52 + k>>6<<52)
	return scale * (cell[0] + (cell[0]*rest + cell[1]))
}

// expShiftFrom is a round number below the logarithm of 2^1023.5, 709.436.
const expShiftFrom = 709

// expRare is Exp at the ends of its range. From 709.436 to 709.783 math.Exp is already infinite on some processors (amd64, Go 1.26).
func expRare(x float64) float64 {
	if x > expShiftFrom {
		return math.E * math.Exp(x-1) // exact
	}
	return math.Exp(x)
}
