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
	// low is the product of the other a_j, low + excess that of the a_j + f, with no subtraction.
	low, excess := 1.0, 0.0
	if s.r < 0x1p-600 { // their scale does not matter
		low = 0x1p600
	}
	for j := s.k; j < s.m; j++ {
		a := s.r + float64(j)
		excess = excess*(a+s.f) + low*s.f
		low *= a
	}
	base := stirlingLgamma(s.f, s.top, math.Log1p(s.f/s.top))
	if s.k == 0 {
		if ratio := excess / low; ratio <= math.MaxFloat64 {
			return base - math.Log1p(ratio)
		}
		return base + (Log(low) - Log(excess))
	}
	return base + Log(product*low/(low+excess))
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
		a := s.r + float64(j)
		i, w := 1/a, 1/(a+s.f)
		sum += s.f * w * i * (i + w)
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
		a := s.r + float64(j)
		i, w := 1/a, 1/(a+s.f)
		sum += 2 * s.f * w * i * (w*w + w*i + i*i)
	}
	return sum + stirlingTetragamma(s.f, s.top)
}
