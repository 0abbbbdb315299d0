package special

import "math"

// Sign returns -1, 0 or 1 as x is negative, zero or positive, and NaN for NaN.
func Sign(x float64) float64 {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	}
	return x
}

// Where returns x where c is not 0, and 0 elsewhere, whatever x is.
func Where(c, x float64) float64 {
	var all uint64
	if math.Float64bits(c)<<1 != 0 { // without a branch, which in rows of either kind is not foreseen half of the time
		all = math.MaxUint64
	}
	return math.Float64frombits(math.Float64bits(x) & all)
}

// Less returns 1 where x < y and 0 elsewhere: the indicator that the derivatives of min and max are made of.
func Less(x, y float64) float64 {
	if x < y {
		return 1
	}
	return 0
}

// Equal returns 1 where x and y are equal and 0 elsewhere.
func Equal(x, y float64) float64 {
	if x == y {
		return 1
	}
	return 0
}

// Difference returns x - y. As a function it is one operation to the generator, which multiplies nothing out.
func Difference(x, y float64) float64 { return x - y }
