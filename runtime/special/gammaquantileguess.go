package special

import "math"

// gammaGuessEta returns eta of the quantile by the inverse of the expansion around the normal distribution (Temme 1992,
// Asymptotic inversion of incomplete gamma functions, Math. Comp. 58, 755-764):
//
//	eta = e + eps_1(e)/a + eps_2(e)/a^2 + ...,   e = NormalQuantile(u)/sqrt(a),   eps_1(e) = log(e/mu(e))/e.
func gammaGuessEta(u, a float64) float64 {
	e := NormalQuantile(u) / math.Sqrt(a)
	i := 1 / a
	if math.Abs(e) < gammaGuessNear {
		eps2 := -7.0/405 + e*(-7.0/2592+e*(533.0/204120-e*(1579.0/2099520)))
		eps3 := 449.0/102060 + e*(-63149.0/20995200+e*(29233.0/36741600))
		return e + i*(poly10(&deviationLog, e)+i*(eps2+i*eps3))
	}
	return e + i*Log(e/gammaDeviation(e))/e
}

// gammaGuessNear is where the power series of the guesses end; their radius is 2 sqrt(pi).
const gammaGuessNear = 1.3

// gammaDeviation returns the mu with mu - log(1+mu) = eta^2/2, to a few digits; but far to the left, where 1+mu is
// small, it is only -1 to a few digits.
func gammaDeviation(eta float64) float64 {
	if math.Abs(eta) < gammaGuessNear {
		return eta * poly10(&deviation, eta)
	}
	h := 0.5 * eta * eta
	if eta < 0 { // lambda = exp(-1-h+lambda)
		l := math.Exp(-1 - h)
		return l*(1+l*(1+1.5*l)) - 1
	}
	mu := h + math.Log1p(h+math.Sqrt2*eta)
	for range 2 {
		mu -= (mu - math.Log1p(mu) - h) * (1 + mu) / mu
	}
	return mu
}

// guess returns the quantile in powers of x0, the inverse of x0 = x H^(1/a).
func (b gammaBase) guess(a float64) float64 {
	x := b.x
	c := 1 / (a + 1)
	c3 := 0.5 * (3*a + 5) * c * c / (a + 2)
	c4 := (31 + a*(33+8*a)) * c * c * c / (3 * (a + 2) * (a + 3))
	c5 := (2888 + a*(5661+a*(3971+a*(1179+125*a)))) * c * c * c * c / (24 * (a + 2) * (a + 2) * (a + 3) * (a + 4))
	return x * (1 + x*(c+x*(c3+x*(c4+x*c5))))
}

// gammaGuessFar returns the x with Q = q for a < 1, where it is above 2 or so: Newton's steps with the beginning of the
// continued fraction.
func gammaGuessFar(q, a float64) float64 {
	y := -Log(q) - Lgamma(a)
	x := y
	for range 2 {
		b := gammaFractionAt(a, x, 4)
		x -= (x - a*Log(x) + Log(b) - y) * x / b
	}
	return x
}
