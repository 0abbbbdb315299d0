package special

import "math"

// The polynomials below have coefficients in ascending order and are evaluated as even part plus x times odd part: two
// independent chains of half the length, which the processor runs side by side; those that are the most of a function are joined
// with one rounding. All coefficients and arguments in this
// package are positive, so nothing cancels; but for the series of studentseries.go, where the first terms dominate.

func poly6(c *[7]float64, x float64) float64 {
	y := x * x
	even := ((c[6]*y+c[4])*y+c[2])*y + c[0]
	odd := (c[5]*y+c[3])*y + c[1]
	return even + x*odd
}

func poly7(c *[8]float64, x float64) float64 {
	y := x * x
	even := ((c[6]*y+c[4])*y+c[2])*y + c[0]
	odd := ((c[7]*y+c[5])*y+c[3])*y + c[1]
	return math.FMA(x, odd, even)
}

// words7 is poly7 in two words, with one rounding of each term of the parts.
func words7(c *[8]float64, x float64) (hi, lo float64) {
	y := x * x
	even := math.FMA(math.FMA(math.FMA(c[6], y, c[4]), y, c[2]), y, c[0])
	odd := math.FMA(math.FMA(math.FMA(c[7], y, c[5]), y, c[3]), y, c[1])
	product := float64(x * odd)
	hi, lo = sumTwo(even, product)
	return hi, lo + math.FMA(x, odd, -product)
}

// words8 is poly8 in two words, with one rounding of each term of the parts.
func words8(c *[9]float64, x float64) (hi, lo float64) {
	y := x * x
	even := math.FMA(math.FMA(math.FMA(math.FMA(c[8], y, c[6]), y, c[4]), y, c[2]), y, c[0])
	odd := math.FMA(math.FMA(math.FMA(c[7], y, c[5]), y, c[3]), y, c[1])
	product := float64(x * odd)
	hi, lo = sumTwo(even, product)
	return hi, lo + math.FMA(x, odd, -product)
}

func poly8(c *[9]float64, x float64) float64 {
	y := x * x
	even := (((c[8]*y+c[6])*y+c[4])*y+c[2])*y + c[0]
	odd := ((c[7]*y+c[5])*y+c[3])*y + c[1]
	return math.FMA(x, odd, even)
}

func poly10(c *[11]float64, x float64) float64 {
	y := x * x
	even := ((((c[10]*y+c[8])*y+c[6])*y+c[4])*y+c[2])*y + c[0]
	odd := (((c[9]*y+c[7])*y+c[5])*y+c[3])*y + c[1]
	return even + x*odd
}

// slope returns the polynomial c at v and its divided difference (c(v) - c(u)) / (v - u), without the subtraction: the
// Horner scheme for c(v) and, on its intermediate results, a second one at u. With u = v it is the derivative.
func slope(c []float64, u, v float64) (value, diff float64) {
	for k := len(c) - 1; k >= 0; k-- {
		diff = diff*u + value
		value = value*v + c[k]
	}
	return value, diff
}

// ratioSlope is slope for the rational function p/q.
func ratioSlope(p, q []float64, u, v float64) (value, diff float64) {
	pv, dp := slope(p, u, v)
	qv, dq := slope(q, u, v)
	pu := pv - (v-u)*dp
	qu := qv - (v-u)*dq
	return pv / qv, (dp*qu - pu*dq) / (qu * qv)
}
