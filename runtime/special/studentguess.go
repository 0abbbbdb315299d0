package special

import "math"

// First guesses of the upper quantile.

// normalGuessFrom is the least nu for which the guess starts from the quantile of the normal distribution.
const normalGuessFrom = 3

func (t *tTarget) guess(nu float64) float64 {
	a := 0.5 * nu
	if t.d < 0.1 {
		if x, ok := centralGuess(t.d, a); ok {
			return x
		}
	}
	if -t.logP > 2.3*a {
		if xi, ok := tailGuess(t.logP, a); ok {
			return fromXi(xi, nu)
		}
	}
	if nu < normalGuessFrom {
		return fromXi(t.heavyGuess(a), nu)
	}
	return t.normalGuess(nu)
}

// fromXi returns x for xi = log(1 + x^2/nu).
func fromXi(xi, nu float64) float64 {
	if xi > 60 {
		return math.Sqrt(nu) * math.Exp(0.5*xi)
	}
	return math.Sqrt(nu * math.Expm1(xi))
}

// centralGuess inverts F - 1/2 = c (x - (1+1/nu) x^3/6 + ...).
func centralGuess(d, a float64) (x float64, ok bool) {
	q := d / tConstant(a)
	i := 0.5 / a
	square := q * q
	return q * (1 + square*(1+i)/6*(1+square*(7+i)/20)), square*(1+i) < 0.1
}

// tailGuess returns xi from the first two terms of the series for small z, if z is small there.
func tailGuess(logP, a float64) (xi float64, ok bool) {
	power := Log(tConstant(a)/math.Sqrt(2*a)) - logP
	z := math.Exp(-power / a)
	return (power + z*(0.5*a/(a+1))) / a, z < 0.1
}

// heavyGuess returns xi by a rational function of l = log(1/(2p))/a, which is right in the slope at l = 0 and in both
// terms l - offset at infinity, and where that is possible also in the curvature at 0.
func (t *tTarget) heavyGuess(a float64) float64 {
	l := -math.Log1p(-2*t.d) / a
	b := 2 * tConstant(a) * math.Sqrt(2/a)
	offset := Log(2/b) / a
	alpha := math.Max(0, (1-a*b*b)/(b*b-offset))
	return l * l * (1 + alpha*l) / (b*b + l*(1+alpha*offset+alpha*l))
}

// normalGuess takes the first terms of the expansion around the normal distribution, with g(xi) = 1 - xi^2/(48 + xi^2).
func (t *tTarget) normalGuess(nu float64) float64 {
	w := normalQuantile(t.logP)
	h := 1 / (nu - 0.5)
	xi := w * w * h
	rate := NdtrRatio(-w)
	share := -h * (xi + 3*h) / (48 + xi*xi)
	w += Log(math.Max(0.1, 1+w*rate*share)) / rate
	xi = w * w * h
	if xi < 1e-10 { // also where nu is infinite
		return w * (1 + 0.25/nu)
	}
	return fromXi(xi, nu)
}

// normalQuantile returns the w with log Phi(-w) = logP, for logP <= log(1/2), to about 1e-9: Hastings' approximation
// (M. Abramowitz, I. Stegun, Handbook of Mathematical Functions, 26.2.23) and a step.
func normalQuantile(logP float64) float64 {
	v := math.Sqrt(-2 * logP)
	w := v - (2.515517+v*(0.802853+v*0.010328))/(1+v*(1.432788+v*(0.189269+v*0.001308)))
	rate := NdtrRatio(-w)
	b := rate - w
	return w + invertStep((LogNdtr(-w)-logP)/rate, b, rate*b-1)
}
