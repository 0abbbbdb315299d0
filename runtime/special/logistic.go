package special

import "math"

// Sigmoid returns 1/(1+exp(-x)) for every x. 3 ulp, also where it underflows to the left.
func Sigmoid(x float64) float64 {
	if x >= 0 {
		return 1 / (1 + math.Exp(-x))
	}
	e := math.Exp(x)
	return e / (1 + e)
}

// Softplus returns log(1+exp(x)) for every x, the integral of Sigmoid. 3 ulp.
func Softplus(x float64) float64 {
	switch {
	case x > 40: // exp(-x) is below half an ulp of x
		return x
	case x > 0:
		return x + log1pOfUnit(math.Exp(-x))
	case x < -40:
		return math.Exp(x)
	}
	return log1pOfUnit(math.Exp(x))
}

// SoftplusSigmoid returns Softplus(x) and Sigmoid(x), its derivative, to the bit, with one exponential for both.
func SoftplusSigmoid(x float64) (softplus, sigmoid float64) {
	e := math.Exp(-math.Abs(x))
	if x >= 0 {
		if softplus = x; x <= 40 {
			softplus += log1pOfUnit(e)
		}
		return softplus, 1 / (1 + e)
	}
	if softplus = e; !(x < -40) {
		softplus = log1pOfUnit(e)
	}
	return softplus, e / (1 + e)
}

// log1pOfUnit returns log(1+e) for 0 <= e <= 1, faster than math.Log1p: the logarithm of the rounded sum, corrected for what
// rounding took from it.
func log1pOfUnit(e float64) float64 {
	u := 1 + e
	return Log(u) + (e-(u-1))/u
}

// LogSigmoid returns log(Sigmoid(x)) = -Softplus(-x) for every x. 3 ulp.
func LogSigmoid(x float64) float64 { return -Softplus(-x) }

// Logit returns log(p/(1-p)) for 0 <= p <= 1, the inverse of Sigmoid; NaN elsewhere. 3 ulp, also around its zero 1/2:
// there p/(1-p) - 1 = (2p-1)/(1-p) goes into log1p, and 2p-1 is exact.
func Logit(p float64) float64 {
	if p > 0.25 && p < 0.75 {
		return math.Log1p((2*p - 1) / (1 - p))
	}
	return Log(p / (1 - p))
}

// Log1mExp returns log(1 - exp(x)) for x <= 0, -Inf at 0; NaN elsewhere. 3 ulp in both tails (Maechler 2012, Accurately computing
// log(1 - exp(-|a|)), equation 7).
func Log1mExp(x float64) float64 {
	if x > -math.Ln2 {
		return Log(-math.Expm1(x))
	}
	return math.Log1p(-math.Exp(x))
}

// LogAddExp returns log(exp(x) + exp(y)). 3 ulp, but near its zeros, where x and y are negative: there the error is that of a change of
// x and y by an ulp.
func LogAddExp(x, y float64) float64 {
	if x == y { // also infinite
		return x + math.Ln2
	}
	return math.Max(x, y) + log1pOfUnit(math.Exp(-math.Abs(x-y)))
}
