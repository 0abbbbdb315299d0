package special

import "math"

// To the right, k = Q/(x f) = 1/b_0 with the continued fraction (DLMF 8.9.2, its even part)
//
//	b_n = x + 2n + 1 - a - (n+1)(n+1-a)/b_(n+1),
//
// which is evaluated from the far end: one division a step, and the derivative in a comes along.

// gammaFractionSteps returns from which n on b_n does not count, for the x that are left to this form. Small shapes
// need most.
func gammaFractionSteps(x float64) int { return 12 + int(92/x) }

// gammaFractionAt returns b_0 by that many steps.
func gammaFractionAt(a, x float64, steps int) float64 {
	n := float64(steps)
	b := x + 2*n + 1 - a
	for ; n > 0; n-- {
		b = (x + 2*n - 1 - a) - n*(n-a)/b
	}
	return b
}

// gammaFractionSlope returns b_0 and its derivative in a.
func gammaFractionSlope(a, x float64) (b, db float64) {
	n := float64(gammaFractionSteps(x))
	b, db = x+2*n+1-a, -1
	for ; n > 0; n-- {
		inverse := n / b
		db = inverse + (n-a)*inverse*db/b - 1
		b = (x + 2*n - 1 - a) - (n-a)*inverse
	}
	return b, db
}

// findFraction finds the quantile with Q = q from a guess.
func (p *gammaPoint) findFraction(q, guess float64) {
	p.form = gammaFraction
	a := p.a
	want := math.Log(q) + Lgamma(a)
	x := guess
	for range maxGammaSteps {
		b := gammaFractionAt(a, x, gammaFractionSteps(x))
		log := a*math.Log(x) - x - math.Log(b)
		step, last := gammaStep(want-log, -b, a-x, x)
		x += x * math.Expm1(step)
		if last {
			break
		}
	}
	p.x, p.logX = x, math.Log(x)
}

// fractionSlope: dx/da = x ((log x - psi(a)) k + dk/da).
func (p *gammaPoint) fractionSlope() float64 {
	b, db := gammaFractionSlope(p.a, p.x)
	return p.x / b * ((p.logX - Digamma(p.a)) - db/b)
}
