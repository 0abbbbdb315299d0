package special

import "math"

// shift carries the difference from r < tailFrom up to r+m >= tailFrom, for x that is no small whole number. With
// k = min(floor(x), m), f = x-k and a_j = r+j it is
//
//	sum for j < k of g(a_j)  +  the difference from r+m to r+m+f  +  sum for k <= j < m of g(a_j) - g(a_j+f)
//
// for g = log a, 1/a, -1/a^2, 2/a^3. Walking whole steps first keeps what cancels for lgamma as small as possible.
type shift struct {
	f, r, top float64 // top is r+m
	k, m      int
}

func newShift(x, r float64) shift {
	m := 3 - int(r)
	k := m
	if x < float64(m) {
		k = int(x)
	}
	return shift{f: x - float64(k), r: r, top: r + float64(m), k: k, m: m}
}

func (s *shift) lgamma() float64 {
	product := 1.0 // a_0 ... a_{k-1}
	for j := 0; j < s.k; j++ {
		product *= s.r + float64(j)
	}
	low, excess := s.products()
	base := stirlingLgamma(s.f, s.top, math.Log1p(s.f/s.top))
	if s.k == 0 {
		if ratio := excess / low; ratio <= math.MaxFloat64 {
			return base - math.Log1p(ratio)
		}
		return base + (Log(low) - Log(excess))
	}
	return base + Log(product*low/(low+excess))
}

// products returns low, the product of the a_j with j >= k, and excess, what that of the a_j + f has more, in Horner's form:
// with b = a_k these are b(b+1)... and, for three factors, f (3b^2+6b+2 + f (3b+3 + f)). There is no subtraction.
func (s *shift) products() (low, excess float64) {
	b := s.r + float64(s.k)
	f := s.f
	switch s.m - s.k {
	case 0:
		return 1, 0
	case 1:
		return b, f
	case 2:
		return b * (b + 1), f * (2*b + 1 + f)
	}
	scale := 1.0
	if b < 0x1p-600 { // their scale does not matter
		scale = 0x1p600
	}
	return scale * b * ((b+3)*b + 2), scale * f * (((3*b+6)*b + 2) + f*(3*b+(3+f)))
}

func (s *shift) digamma() float64 {
	sum := 0.0
	for j := 0; j < s.k; j++ {
		sum += 1 / (s.r + float64(j))
	}
	for j := s.k; j < s.m; j++ {
		a := s.r + float64(j)
		sum += s.f / (a + s.f) / a
	}
	return sum + stirlingDigamma(s.f, s.top, math.Log1p(s.f/s.top))
}

func (s *shift) trigamma() float64 {
	sum := 0.0
	for j := 0; j < s.k; j++ {
		i := 1 / (s.r + float64(j))
		sum += i * i
	}
	for j := s.k; j < s.m; j++ {
		sum += squaresApart(s.r+float64(j), s.f)
	}
	return stirlingTrigamma(s.f, s.top) - sum
}

func (s *shift) tetragamma() float64 {
	sum := 0.0
	for j := 0; j < s.k; j++ {
		i := 1 / (s.r + float64(j))
		sum += 2 * i * i * i
	}
	for j := s.k; j < s.m; j++ {
		sum += 2 * cubesApart(s.r+float64(j), s.f)
	}
	return sum + stirlingTetragamma(s.f, s.top)
}

// squaresApart returns 1/a^2 - 1/(a+f)^2 for a, f > 0, as f (2a + f)/p^2 with p = a(a+f), and cubesApart 1/a^3 - 1/(a+f)^3 as
// f (3p + f^2)/p^3, in two words: the rounding errors of several powers of p would count.

func squaresApart(a, f float64) float64 {
	t, tL := sumTwo(a, f)
	p, pL := timesTwo(t, tL, a, 0)
	if p < 0x1p-1000 { // a is below 2^-500 then
		return math.Inf(1)
	}
	n, nL := addTwo(t, tL, a, 0)
	n, nL = overTwo(n, nL, p, pL)
	q, qL := overTwo(f, 0, p, pL)
	n, nL = timesTwo(n, nL, q, qL)
	if n > math.MaxFloat64 {
		return n
	}
	return n + nL
}

func cubesApart(a, f float64) float64 {
	t, tL := sumTwo(a, f)
	p, pL := timesTwo(t, tL, a, 0)
	if p < 0x1p-1000 { // a is below 2^-500 then
		return math.Inf(1)
	}
	q, qL := overTwo(f, 0, p, pL)
	n, nL := timesTwo(q, qL, f, 0)
	n, nL = addTwo(n, nL, 3, 0)
	n, nL = timesTwo(n, nL, q, qL)
	n, nL = overTwo(n, nL, p, pL)
	if n > math.MaxFloat64 {
		return n
	}
	return n + nL
}
