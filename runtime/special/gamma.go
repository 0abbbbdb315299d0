package special

import "math"

// The functions lgamma, psi, psi', psi^(2) have one plan. From tailFrom on they are the leading terms of the asymptotic
// series (DLMF 5.11.1, 5.11.2 and its derivatives) plus a rational function of 1/x^2 in place of the divergent rest.
// Between 1 and tailFrom they are a rational function of x-1. Below 1 one step of the recurrence (DLMF 5.5.1, 5.5.2,
// 5.15.5) leads there.
const tailFrom = 3

// The rests of the four series, as functions of u = 1/z^2; what they are is said at their coefficients.

func lgRest(u float64) float64 { return poly6(&lgTailP, u) / poly6(&lgTailQ, u) }

func psiRest(u float64) float64 { return poly6(&psiTailP, u) / poly6(&psiTailQ, u) }

func psi1Rest(u float64) float64 { return poly6(&psi1TailP, u) / poly6(&psi1TailQ, u) }

func psi2Rest(u float64) float64 { return poly7(&psi2TailP, u) / poly7(&psi2TailQ, u) }

// halfLog2Pi1 is (log(2 pi) - 1)/2.
const halfLog2Pi1 = 0.418938533204672741780329736405617640

// Lgamma returns log(Gamma(x)) for x > 0; +Inf at 0, NaN below.
//
// 4 ulp, also around its zeros 1 and 2, which the approximation there splits off as factors. (math.Lgamma of Go 1.26 is
// up to 370 ulp off between 1.1916 and 1.2186: it uses the expansion around the minimum from Ymin-0.27 = 1.1916 on,
// which is too far out; the comment beside it says 1.2316. The same happens one below.)
func Lgamma(x float64) float64 {
	switch {
	case x >= tailFrom:
		i := 1 / x
		return (x-0.5)*(Log(x)-1) + (halfLog2Pi1 + i*lgRest(i*i))
	case x >= 1:
		return lgammaMid(x - 1)
	case x >= 0:
		return lgammaMid(x) - Log(x)
	}
	return math.NaN()
}

// lgammaMid is lgamma(1+z) for 0 <= z <= 2.
func lgammaMid(z float64) float64 {
	roots := z * (z - 1)
	rest := math.FMA(z, z-1, -roots)
	ratio := poly8(&lgMidP, z) / poly8(&lgMidQ, z)
	return math.FMA(roots, ratio, rest*ratio)
}

// Digamma returns psi(x), the derivative of Lgamma, for x > 0; -Inf at 0, NaN below.
//
// 4 ulp, also around the root 1.4616..., which the approximation there splits off as a factor.
func Digamma(x float64) float64 {
	switch {
	case x >= tailFrom:
		return Log(x) + digammaLogTail(x)
	case x >= 1:
		return digammaRoot(x - 1)
	case x >= 0:
		return digammaRoot(x) - 1/x
	}
	return math.NaN()
}

// digammaRoot is psi(1+z) for 0 <= z <= 2. The root needs two words: near it, z - psiRootHi is exact.
func digammaRoot(z float64) float64 {
	return (z - psiRootHi - psiRootLo) * (poly7(&psiRootP, z) / poly7(&psiRootQ, z))
}

func digammaLogTail(x float64) float64 {
	i := 1 / x
	u := i * i
	return -(0.5*i + u*psiRest(u))
}

// DigammaLog returns psi(x) - log(x) for x > 0, which is negative and tends to -1/(2x); -Inf at 0, NaN below. 3 ulp.
func DigammaLog(x float64) float64 {
	switch {
	case x >= tailFrom:
		return digammaLogTail(x)
	case x >= 1:
		z := x - 1
		n, nL := words8(&psiLogMidP, z)
		d, dL := words8(&psiLogMidQ, z)
		d, dL = timesTwo(x, 0, d, dL)
		n, nL = overTwo(n, nL, d, dL)
		return -(n + nL)
	case x > 0:
		return digammaRoot(x) - Log(x) - 1/x
	case x == 0:
		return math.Inf(-1)
	}
	return math.NaN()
}

// Trigamma returns psi'(x) for x > 0; +Inf at 0, NaN below. 3 ulp.
func Trigamma(x float64) float64 {
	switch {
	case x >= tailFrom:
		i := 1 / x
		return i + trigammaInvTail(i)
	case x >= 1:
		return trigammaMid(x, x-1)
	case x >= 0:
		i := 1 / x
		return i*i + trigammaMid(1+x, x)
	}
	return math.NaN()
}

// trigammaMid is psi'(x) for x = 1+z, 1 <= x <= 3: 1/x + p/(x^2 q), over one denominator.
func trigammaMid(x, z float64) float64 {
	q := x * poly7(&psi1MidQ, z)
	return (q + poly7(&psi1MidP, z)) / (x * q)
}

// trigammaInvTail is psi'(x) - 1/x for x = 1/i >= tailFrom.
func trigammaInvTail(i float64) float64 {
	u := i * i
	return u * (0.5 + i*psi1Rest(u))
}

// TrigammaInv returns psi'(x) - 1/x for x > 0, which is positive and tends to 1/(2x^2); +Inf at 0, NaN below. 4 ulp.
func TrigammaInv(x float64) float64 {
	switch {
	case x >= tailFrom:
		return trigammaInvTail(1 / x)
	case x >= 1:
		z := x - 1
		hi, lo := square(x)
		hi, lo = timesTwo(hi, lo, poly7(&psi1MidQ, z), 0)
		return over(poly7(&psi1MidP, z), hi, lo)
	case x >= 0:
		i := 1 / x
		return i*(i*(1-x)) + trigammaMid(1+x, x) // 1/x^2 - 1/x without a difference of infinities
	}
	return math.NaN()
}

// Tetragamma returns psi^(2)(x) for x > 0, which is negative; -Inf at 0, NaN below. 4 ulp.
func Tetragamma(x float64) float64 {
	switch {
	case x >= tailFrom:
		i := 1 / x
		return -i*i + tetragammaInv2Tail(i)
	case x >= 1:
		return tetragammaMid(x, x-1)
	case x >= 0:
		i := 1 / x
		return tetragammaMid(1+x, x) - 2*i*i*i
	}
	return math.NaN()
}

// tetragammaMid is psi^(2)(x) for x = 1+z, 1 <= x <= 3: -1/x^2 - p/(x^3 q), over one denominator.
func tetragammaMid(x, z float64) float64 {
	q := x * poly7(&psi2MidQ, z)
	return -(q + poly7(&psi2MidP, z)) / (x * x * q)
}

// tetragammaInv2Tail is psi^(2)(x) + 1/x^2 for x = 1/i >= tailFrom.
func tetragammaInv2Tail(i float64) float64 {
	u := i * i
	return -u * i * (1 + i*psi2Rest(u))
}

// TetragammaInv2 returns psi^(2)(x) + 1/x^2 for x > 0, which is negative and tends to -1/x^3; -Inf at 0, NaN below.
// 4 ulp.
func TetragammaInv2(x float64) float64 {
	switch {
	case x > 0x1p500:
		return tetragammaInv2Tail(1 / x)
	case x >= tailFrom: // what rounding took from the inverse counts three times
		i := 1 / x
		u := i * i
		return -u * i * (1 + (i*psi2Rest(u) + 3*math.FMA(-x, i, 1)))
	case x >= 1:
		z := x - 1
		hi, lo := square(x)
		hi, lo = timesTwo(hi, lo, x, 0)
		hi, lo = timesTwo(hi, lo, poly7(&psi2MidQ, z), 0)
		return -over(poly7(&psi2MidP, z), hi, lo)
	case x >= 0:
		i := 1 / x
		pole := i * i * (i * (2 - x)) // 2/x^3 - 1/x^2, both terms in one
		if pole > math.MaxFloat64 {
			return -pole
		}
		return tetragammaMid(1+x, x) - pole*(3*math.FMA(-x, i, 1)) - pole
	}
	return math.NaN()
}
