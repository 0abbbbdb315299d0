package special

import "math"

// A power z^a with a large exponent a log(z) passes the rounding error of the logarithm on, multiplied by a: a tail
// probability of 1e-300 computed from a logarithm in one word has lost three digits. So the logarithm comes in two
// words, an unevaluated sum hi + lo with |lo| below an ulp of hi, exact to 2^-64.

// log1pTwo returns log(1 + s + low) in two words, for s >= 0 and |low| below an ulp of s.
func log1pTwo(s, low float64) (hi, lo float64) {
	if s < 0x1p-40 { // below, low would be lost beside rest
		rest := low - 0.5*s*s
		hi = s + rest
		return hi, rest - (hi - s)
	}
	t := 1 + s
	var rest float64
	if s < 1 {
		rest = s - (t - 1)
	} else {
		rest = 1 - (t - s)
	}
	return logTwo(t, rest+low, 0)
}

// logTwo returns log(t + low) + k log(2) in two words, for a normal t > 0 and |low| up to an ulp of t. If the result is
// near 0, then t must not be below 1.
//
// With m the mantissa of t and c a short inverse of the middle of its cell it is log(1+r) - log(c) + k log(2), where
// r = mc - 1 is below 1/64 and known exactly (the method of the pow function of several C libraries).
func logTwo(t, low float64, k int) (hi, lo float64) {
	const start = 0x3fe6000000000000 // 0.6875, where the cells begin
	bits := math.Float64bits(t)
	offset := bits - start
	shift := int(int64(offset) >> 52)
	cell := &logCells[offset>>46&63]
	m := math.Float64frombits(bits - uint64(shift)<<52)
	low *= math.Float64frombits(uint64(1023-shift) << 52)

	p := m * cell[0]
	e := math.FMA(m, cell[0], -p) + low*cell[0]
	r := (p - 1) + e
	e -= r - (p - 1)

	square := r * r
	squareLow := math.FMA(r, r, -square) + 2*r*e
	n := float64(k + shift)
	base := n*ln2Hi + cell[1] // exact
	sum := base + r
	hi = sum - 0.5*square
	lo = ((sum - hi) - 0.5*square) + ((base - sum) + r)
	lo += (e - 0.5*squareLow) + (n*ln2Lo + cell[2]) + r*square*logRest(r)
	top := hi + lo
	return top, lo - (top - hi)
}

// logRest is (log(1+r) - r + r^2/2)/r^3 for |r| < 1/64.
func logRest(r float64) float64 {
	s := r * r
	even := (((1.0/11)*s+1.0/9)*s+1.0/7)*s + 1.0/5
	odd := ((1.0/10)*s+1.0/8)*s + 1.0/6
	return (1.0/3 - r/4) + s*(even-r*odd)
}
