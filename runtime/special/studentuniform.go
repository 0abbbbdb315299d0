package special

import "math"

// For a = nu/2 >= uniformFrom and z > 1/4, the upper tail is expanded around the normal distribution, uniformly in x.
// Substituting t = exp(-v^2) in the incomplete beta integral (DLMF 8.17.1), and taking exp(v^2/4) out of the second
// factor, which makes the rest an even function of v^2 (a symmetric form of DLMF 8.18(ii), large a and fixed b),
// gives, with A = a - 1/4,
//
//	S = 1/B(a,1/2)  integral from sqrt(xi) to infinity of  exp(-A v^2) g(v^2),   g(t) = (sinh(t/2)/(t/2))^(-1/2).
//
// With w = sqrt(2 A xi), phi and Phi of the normal distribution, h = 1/(2A) and g_m the Taylor coefficients of g, integration by
// parts leads to
//
//	S = Phi(-w) + w phi(w) hP(xi)/(1 + h p_1),   P = sum of p_(m+1) xi^m,   p_m = g_m + (2m+1) h p_(m+1),
//
// the p_m by downward recurrence from the first one that does not count. That S = 1/2 at 0 makes 1 + h p_1 the
// expansion of B(a,1/2) sqrt(A/pi). The series is asymptotic: g has the radius 2 pi, so that the terms fall until their
// number is 2 pi A, which leaves nothing to see from uniformFrom on.

// uniformFrom is the least a for which the expansion has all digits.
const uniformFrom = 10.25

// uniform is the expansion at one point: xi and a, where a may be above the point's by a whole number.
type uniform struct {
	w, wL  float64 // as above, in two words
	h      float64
	first  float64 // h p_1
	series float64 // P
	m, mL  float64 // S exp(w^2/2) sqrt(2 pi), in two words
	dfirst float64 // the derivatives of h p_1 and hP in h; not set by newUniform
	dsum   float64
}

// terms returns how many coefficients of g in xi^2 count, after the first.
func terms(h, xi float64) int {
	switch {
	case xi > 0.7 && h > 0.02:
		return 15
	case xi > 0.7:
		return 12
	case h > 0.02:
		return 10
	case xi > 0.05:
		return 9
	}
	return 6
}

// newUniform expects a >= uniformFrom.
func newUniform(p *tPoint, a float64) uniform {
	u := uniformAt(p, a)
	p1, sum := uniformSeries(u.h, p.xi)
	u.first, u.series = u.h*p1, sum
	u.finish()
	return u
}

// newUniformSlope is newUniform with the derivatives.
func newUniformSlope(p *tPoint, a float64) uniform {
	u := uniformAt(p, a)
	p1, dp1, sum, dsum := uniformSeriesSlope(u.h, p.xi)
	u.first, u.series = u.h*p1, sum
	u.dfirst, u.dsum = p1+u.h*dp1, sum+u.h*dsum
	u.finish()
	return u
}

// uniformAt sets w and h. Where xi may underflow, or a not be finite, w is x times a factor.
func uniformAt(p *tPoint, a float64) uniform {
	b := a - 0.25
	u := uniform{h: 0.5 / b}
	if p.s < 0x1p-900 || a > 0x1p900 {
		u.w = p.x * math.Sqrt((1-0.25/a)*p.flatness())
		return u
	}
	u.w, u.wL = rootTwo(timesTwo(2*b, 2*((a-b)-0.25), p.xi, p.xiL))
	return u
}

func (u *uniform) finish() {
	u.m, u.mL = millsWords(u.w, u.wL)
	u.m, u.mL = addTwo(u.m, u.mL, u.w*u.share(), 0)
}

// share is hP/(1 + h p_1).
func (u *uniform) share() float64 { return u.h * u.series / (1 + u.first) }

// flatness returns xi/s.
func (p *tPoint) flatness() float64 {
	if p.s < 0x1p-60 {
		return 1
	}
	return p.xi / p.s
}

// uniformSeries returns p_1 and P. The odd g vanish: each turn of the loop makes an even p and the odd one below.
func uniformSeries(h, xi float64) (p1, sum float64) {
	k := terms(h, xi)
	b := float64(4*k+1) * h
	for step := 4 * h; k > 0; k-- {
		even := sinhPower[k] + b*p1
		p1 = (b - 0.5*step) * even
		sum = (sum*xi+even)*xi + p1
		b -= step
	}
	return p1, sum
}

// uniformSeriesSlope also returns the derivatives in h.
func uniformSeriesSlope(h, xi float64) (p1, dp1, sum, dsum float64) {
	for k := terms(h, xi); k > 0; k-- {
		b := float64(4*k + 1)
		even := sinhPower[k] + b*h*p1
		deven := b * (p1 + h*dp1)
		b -= 2
		p1 = b * h * even
		dp1 = b * (even + h*deven)
		sum = (sum*xi+even)*xi + p1
		dsum = (dsum*xi+deven)*xi + dp1
	}
	return p1, dp1, sum, dsum
}
