package special

import "math"

// Polygamma returns the derivative of order m of Digamma at x, for a whole m >= 1 and x > 0; NaN elsewhere.
//
// It is (-1)^(m+1) m! zeta(m+1, x) (DLMF 25.11.12), the Hurwitz zeta function by the Euler-Maclaurin formula (DLMF
// 25.11.28) after moving x up past 10 + m. The orders 1 and 2 have faster functions of their own: Trigamma and
// Tetragamma.
func Polygamma(m, x float64) float64 {
	if !(m >= 1) || m != math.Trunc(m) || m > 150 || !(x > 0) {
		return math.NaN()
	}
	sign := 1.0
	if math.Mod(m, 2) == 0 {
		sign = -1
	}
	factorial, _ := math.Lgamma(m + 1)
	scale := math.Gamma(m + 1)
	if m > 20 { // Gamma is exact enough below; logarithms keep the product from overflowing early
		return sign * math.Exp(factorial+math.Log(hurwitzZeta(m+1, x)))
	}
	return sign * scale * hurwitzZeta(m+1, x)
}

// bernoulli2k are B_2/2!, B_4/4!, ...
var bernoulli2k = [...]float64{
	1.0 / 12, -1.0 / 720, 1.0 / 30240, -1.0 / 1209600, 1.0 / 47900160, -691.0 / 1307674368000,
	1.0 / 74724249600, -3617.0 / 10670622842880000, 43867.0 / 5109094217170944000,
}

// hurwitzZeta is sum over k >= 0 of (x + k)^-s for s >= 2, x > 0.
func hurwitzZeta(s, x float64) float64 {
	sum := 0.0
	for ; x < 10+s; x++ {
		sum += math.Pow(x, -s)
	}
	p := math.Pow(x, -s)
	tail := p*x/(s-1) + p/2
	rising := s * p / x
	for k, b := range bernoulli2k {
		tail += b * rising
		j := float64(2*k + 1)
		rising *= (s + j) * (s + j + 1) / (x * x)
	}
	return sum + tail
}
