package special

import "math"

// For a >= gammaUniformFrom the tails are expanded around the normal distribution, uniformly in x (Temme 1979, The asymptotic
// expansion of the incomplete gamma functions, SIAM J. Math. Anal. 10, 757-766; DLMF 8.12). With x = a (1+mu),
// mu - log(1+mu) = eta^2/2, z = eta sqrt(a), phi and Phi of the normal distribution, and x f = sqrt(a) phi(z)/Gamma* (Gamma* is
// Gamma(a) divided by Stirling's approximation),
//
//	Q = Phi(-z) + phi(z) B(eta)/(Gamma* sqrt(a)),     P = Phi(z) - phi(z) B(eta)/(Gamma* sqrt(a)).
//
// That dQ/dx is -f makes B the solution of
//
//	B'/a = eta B + Gamma* - c(eta),     c(eta) = eta/mu,
//
// and so its coefficients, of which b_1 gives Gamma* = 1 + b_1/a,
//
//	b_(m-1) = c_m + (m+1)/a b_(m+1),     m = 1, 2, ...,
//
// by downward recurrence from the first one that does not count. Of the derivatives in a at fixed x that of the normal
// part leads, and the same equation takes B' out of what is left:
//
//	dx/da = (1+mu) (1 - eta Gamma*/2 - (eta^2/2 + 1/(2a) + d log Gamma*/da) B + dB/da at fixed eta).

// gammaTerms returns how many coefficients of B count.
func gammaTerms(a, eta float64) int {
	return min(11+int(17*math.Abs(eta)+200/a), len(deviationInverse)-2)
}

// gammaExpansion returns B and Gamma*.
func gammaExpansion(a, eta float64) (sum, scaled float64) {
	var above, b float64 // b_(m+1), b_m
	inverse := 1 / a
	for m := gammaTerms(a, eta); m > 0; m-- {
		above, b = b, deviationInverse[m]+float64(m+1)*inverse*above
		sum = sum*eta + b
	}
	return sum, 1 + above*inverse
}

// gammaExpansionSlope returns them with their derivatives in a at fixed eta.
func gammaExpansionSlope(a, eta float64) (sum, scaled, dsum, dscaled float64) {
	var above, b, dabove, db float64
	inverse := 1 / a
	for m := gammaTerms(a, eta); m > 0; m-- {
		weight := float64(m+1) * inverse
		dabove, db = db, weight*(dabove-above*inverse)
		above, b = b, deviationInverse[m]+weight*above
		sum = sum*eta + b
		dsum = dsum*eta + db
	}
	return sum, 1 + above*inverse, dsum, (dabove - above*inverse) * inverse
}

// gammaEta returns eta, with its relative accuracy around 0.
func gammaEta(mu float64) float64 { return math.Copysign(math.Sqrt(2*lessLog1p(mu)), mu) }

// lessLog1p returns mu - log(1+mu), with its relative accuracy around 0: with r = mu/(2+mu), the logarithm is
// 2 (r + r^3/3 + r^5/5 + ...), and mu - 2r is mu r.
func lessLog1p(mu float64) float64 {
	if math.Abs(mu) > 0.25 {
		return mu - math.Log1p(mu)
	}
	r := mu / (2 + mu)
	q := r * r
	even := (((1.0/19)*q*q+1.0/15)*q*q+1.0/11)*q*q + 1.0/7
	odd := ((1.0/17)*q*q+1.0/13)*q*q + 1.0/9
	return r * (mu - 2*q*(1.0/3+q*(1.0/5+q*(even+q*odd))))
}

// gammaSide returns -1 and u where the tail is P, 1 and 1-u where it is Q.
func gammaSide(u float64) (side, chance float64) {
	if u <= 0.5 {
		return -1, u
	}
	return 1, 1 - u
}

// findUniform finds the quantile from a guess of mu, which is so good that one step is usual.
func (p *gammaPoint) findUniform(u, mu float64) {
	p.form = gammaUniform
	side, chance := gammaSide(u)
	p.mu = mu
	for range maxGammaSteps {
		if p.stepUniform(side, chance) {
			break
		}
	}
}

func (p *gammaPoint) uniformSlope() float64 {
	a, eta := p.a, gammaEta(p.mu)
	sum, scaled, dsum, dscaled := gammaExpansionSlope(a, eta)
	rest := (0.5*(eta*eta+1/a)+dscaled/scaled)*sum - dsum
	return (1 + p.mu) * (1 - (0.5*eta*scaled + rest))
}
