package special

import "math"

// A product with an exponential has its error, and that of the exponent times the exponent. So the exponential of two words
// comes in two words: with k/64 the nearest to the exponent over log 2, it is 2^(k/64), of a table, times 1 + expm1(r) for an
// |r| < 1/184.

// expWords returns exp(high + low), for |low| below 1e-3, as an unevaluated sum hi + lo of relative error 2^-59, lo below an ulp
// of hi; as long as it is a normal number, and with the digits of a float64 beyond.
func expWords(high, low float64) (hi, lo float64) {
	if !(high > -707 && high < 709) { // also NaN
		e := Exp(high)
		if e == 0 || e > math.MaxFloat64 {
			return e, 0
		}
		return e, e * low
	}
	const round = 0x1.8p52 // adding it leaves a whole number in the last bits
	n := float64(high*expPerStep+round) - round
	k := int(n)
	top := high - float64(n*expStepHi) // exact
	step := float64(n * expStepLo)
	r := float64(top - step)
	low += (top - r) - step
	square := r * r
	rest := low*(1+r) + square*((0.5+r*(1.0/6))+square*((1.0/24+r*(1.0/120))+square*(1.0/720)))
	cell := &expCells[k&63]
	scale := math.Float64frombits(uint64(1023+k>>6) << 52)
	first := math.FMA(cell[0], r, cell[0])
	rest = math.FMA(cell[0], r, cell[0]-first) + (cell[0]*rest + cell[1])
	hi = first + rest
	return scale * hi, scale * (rest - (hi - first))
}
