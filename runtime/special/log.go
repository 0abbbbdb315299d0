package special

import "math"

// leastNormal is the least normal number: those below have fewer digits.
const leastNormal = 0x1p-1022

// Log returns log(x) for x >= 0; NaN below. 1 ulp, also for subnormal x, of which math.Log makes 2^-1023 on some
// processors (amd64, Go 1.26). The compiler can inline it.
func Log(x float64) (shift float64) {
	if x < leastNormal {
		x *= 0x1p54
		shift = 54 * math.Ln2
	}
	return math.Log(x) - shift
}

// expShiftFrom is a round number below the logarithm of 2^1023.5, 709.436.
const expShiftFrom = 709

// Exp returns exp(x) for every x. 2 ulp, also from 709.436 to 709.783, where math.Exp is already infinite on some
// processors (amd64, Go 1.26). The compiler can inline it.
func Exp(x float64) (y float64) {
	y = 1
	if x > expShiftFrom {
		x-- // exact
		y = math.E
	}
	y *= math.Exp(x)
	return
}
