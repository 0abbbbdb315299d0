package special

import "math"

// Sin returns the sine of x, in radians, for every x; NaN at infinity. 2 ulp as long as |x| is at most 2^20, also next to multiples of
// pi; beyond, 2^-50 absolutely.
func Sin(x float64) float64 {
	sin, cos, quarter := sinCosOfRest(x)
	switch quarter {
	case 0:
		return sin
	case 1:
		return cos
	case 2:
		return -sin
	}
	return -cos
}

// Cos returns the cosine of x, as Sin.
func Cos(x float64) float64 {
	sin, cos, quarter := sinCosOfRest(x)
	switch quarter {
	case 0:
		return cos
	case 1:
		return -sin
	case 2:
		return -cos
	}
	return sin
}

// Tan returns the tangent of x, in radians, for every x; NaN at infinity. 3 ulp as long as |x| is at most 2^20, also next to its zeros and
// poles.
func Tan(x float64) float64 {
	sin, cos, quarter := sinCosOfRest(x)
	if quarter&1 == 1 {
		return -cos / sin
	}
	return sin / cos
}

// maxAngle is up to where whole multiples of the parts of pi/2 are exact.
const maxAngle = 1 << 20

// Parts of pi/2 of 33 bits each, and the rest.
const (
	quarterTurn1 = 0x1.921fb544p+0
	quarterTurn2 = 0x1.0b4611a6p-34
	quarterTurn3 = 0x1.3198a2ep-69
	quarterTurn4 = 0x1.b839a252049c1p-104
)

// sinCosOfRest returns sine and cosine of the rest of x beside the nearest multiple of pi/2, which is given modulo 4. The method is that
// of Cody and Waite (1980, Software Manual for the Elementary Functions): the products are exact, and the rest is in two words.
func sinCosOfRest(x float64) (sin, cos float64, quarter int) {
	if !(math.Abs(x) <= maxAngle) {
		sin, cos = math.Sincos(x)
		return sin, cos, 0
	}
	n := math.RoundToEven(x * (2 / math.Pi))
	if n == 0 {
		sin, cos = math.Sincos(x)
		return sin, cos, 0
	}
	first, firstL := sumTwo(x-float64(n*quarterTurn1), float64(-n*quarterTurn2))
	second, secondL := sumTwo(first, float64(-n*quarterTurn3))
	rest := (firstL + secondL) - float64(n*quarterTurn4)
	r := second + rest
	rL := rest - (r - second)
	s, c := math.Sincos(r)
	return s + rL*c, c - rL*s, int(n) & 3
}
