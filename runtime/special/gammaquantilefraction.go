package special

import "math"

// To the right, k = Q/(x f) = 1/b_0 with the continued fraction (DLMF 8.9.2, its even part)
//
//	b_n = x + 2n + 1 - a - (n+1)(n+1-a)/b_(n+1),
//
// which is evaluated from the far end: one division a step, and the derivative in a comes along.

// gammaFractionSteps returns from which n on b_n may be what it tends to, n + sqrt(n x) + (x - a)/2 + 1/4, for the x that are
// left to this form. Small shapes need most.
func gammaFractionSteps(x float64) int { return 12 + int(66/x) }

func gammaFractionTail(a, x, n float64) float64 { return n + math.Sqrt(n*x) + 0.5*(x-a) + 0.25 }

// gammaRoughSteps is for the approximations that polish starts from: b_0 to 1e-5.
func gammaRoughSteps(x float64) int { return 5 + int(13/x) }

// fractionSteps returns one of them.
func (p *gammaPoint) fractionSteps(x float64) int {
	if p.isPolished() {
		return gammaRoughSteps(x)
	}
	return gammaFractionSteps(x)
}

// gammaFractionAt returns b_0 by that many steps.
func gammaFractionAt(a, x float64, steps int) float64 {
	n := float64(steps)
	b := gammaFractionTail(a, x, n)
	for ; n > 0; n-- {
		b = (x + 2*n - 1 - a) - n*(n-a)/b
	}
	return b
}

// gammaFractionSlope returns b_0 and its derivative in a.
func gammaFractionSlope(a, x float64) (b, db float64) {
	n := float64(gammaFractionSteps(x))
	b, db = gammaFractionTail(a, x, n), -0.5
	for ; n > 0; n-- {
		inverse := n / b
		db = inverse + (n-a)*inverse*db/b - 1
		b = (x + 2*n - 1 - a) - (n-a)*inverse
	}
	return b, db
}

// findFraction finds the quantile with Q = q for a < 1 from a guess. Gamma(a) goes as 1/a with q, so that no digits cancel.
func (p *gammaPoint) findFraction(q, guess float64) {
	p.form = gammaFraction
	a := p.a
	want := Log(q/a) + lgammaAbove(a)
	x := guess
	for range maxGammaSteps {
		b := gammaFractionAt(a, x, p.fractionSteps(x))
		step, last := p.step((want+x)+(Log(b)-a*Log(x)), -b, a-x, x)
		x += x * math.Expm1(step)
		if last {
			break
		}
	}
	p.x = x
}

// fractionSlope: dx/da = x ((log x - psi(a)) k + dk/da).
func (p *gammaPoint) fractionSlope() float64 {
	b, db := gammaFractionSlope(p.a, p.x)
	t, tL := p.digammaLessLog()
	return p.x / b * (((1/p.a - t) - tL) - db/b)
}
