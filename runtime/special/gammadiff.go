package special

import "math"

// The differences f(x+r) - f(r) of the gamma family, for x >= 0 and r > 0. Subtracting two calls loses everything once
// x is small beside r: at x = 3, r = 1e16 no digit of the difference is left. Here it is formed without subtraction:
//
//   - whole x <= maxRising: the recurrence, a finite product or sum (gammarising.go);
//   - r >= tailFrom: Stirling's series with the differences taken term by term on paper (gammastirling.go);
//   - else r is moved up to there by at most three steps of the recurrence (gammashift.go).
//
// All of them are exactly 0 at x = 0, and NaN for x < 0, r < 0 or NaN.

// maxRising bounds the counts for which the finite form is used: up to there it is the faster one.
const maxRising = 16

// count returns x as an int if it is a whole number in 0..maxRising, else -1.
func count(x float64) int {
	if x <= maxRising && x >= 0 {
		if n := int(x); float64(n) == x {
			return n
		}
	}
	return -1
}

// LgammaDiff returns lgamma(x+r) - lgamma(r), the logarithm of the rising factorial r(r+1)...(r+x-1) for whole x.
//
// 4 ulp for r >= 3, and for whole x up to 16, where at the floats next to a root the error is 4 ulp of 2^-50. For other
// x and r < 3 there is a curve, through (x, r) = (0, 1.46...), on which the function is 0. Near it the function is
// ill-conditioned: rounded operands x and r change the result f by |x df/dx| + |r df/dr| times their relative error, which is
// more than |f|. The error is 6 ulp of the larger of the two, that is 6 times the condition number.
func LgammaDiff(x, r float64) float64 {
	if n := count(x); n >= 0 && r >= 0 {
		return logRising(n, r)
	}
	if !inside(x, r) {
		return lgammaDiffEdge(x, r)
	}
	if r >= tailFrom {
		return stirlingLgamma(x, r, math.Log1p(x/r))
	}
	s := newShift(x, r)
	return s.lgamma()
}

// DigammaDiff returns psi(x+r) - psi(r), the sum of 1/(r+j) over j < x for whole x. It is never negative. 4 ulp.
func DigammaDiff(x, r float64) float64 {
	if n := count(x); n >= 0 && r >= 0 {
		return sumRising(n, r)
	}
	if !inside(x, r) {
		return digammaDiffEdge(x, r)
	}
	if r >= tailFrom {
		return stirlingDigamma(x, r, math.Log1p(x/r))
	}
	s := newShift(x, r)
	return s.digamma()
}

// LgammaDigammaDiff returns LgammaDiff(x, r) and DigammaDiff(x, r) at little more than the price of one.
func LgammaDigammaDiff(x, r float64) (l, d float64) {
	if n := count(x); n >= 0 && r >= 0 {
		return logSumRising(n, r)
	}
	if !inside(x, r) {
		return lgammaDiffEdge(x, r), digammaDiffEdge(x, r)
	}
	if r >= tailFrom {
		log1p := math.Log1p(x / r)
		return stirlingLgamma(x, r, log1p), stirlingDigamma(x, r, log1p)
	}
	s := newShift(x, r)
	return s.lgamma(), s.digamma()
}

// TrigammaDiff returns psi'(x+r) - psi'(r), minus the sum of 1/(r+j)^2 over j < x for whole x. It is never positive.
// 4 ulp.
func TrigammaDiff(x, r float64) float64 {
	if !inside(x, r) {
		return upperEdge(x, r, -Trigamma(r))
	}
	if r >= tailFrom {
		return stirlingTrigamma(x, r)
	}
	if n := count(x); n >= 0 {
		return -sumSquares(n, r)
	}
	s := newShift(x, r)
	return s.trigamma()
}

// TetragammaDiff returns psi^(2)(x+r) - psi^(2)(r), twice the sum of 1/(r+j)^3 over j < x for whole x. It is never
// negative. 4 ulp.
func TetragammaDiff(x, r float64) float64 {
	if !inside(x, r) {
		return upperEdge(x, r, -Tetragamma(r))
	}
	if r >= tailFrom {
		return stirlingTetragamma(x, r)
	}
	if n := count(x); n >= 0 {
		return 2 * sumCubes(n, r)
	}
	s := newShift(x, r)
	return s.tetragamma()
}

// inside reports whether x and r are proper arguments: 0 < x < Inf, 0 <= r < Inf.
func inside(x, r float64) bool {
	return x > 0 && r >= 0 && x <= math.MaxFloat64 && r <= math.MaxFloat64
}

// The edges are x = 0, where every difference is 0, x = Inf, where f(x+r) is Inf or 0, and r = Inf.

func lgammaDiffEdge(x, r float64) float64 { return upperEdge(x, r, math.Inf(1)) + growth(x, r) }

func digammaDiffEdge(x, r float64) float64 { return upperEdge(x, r, math.Inf(1)) }

// growth is what LgammaDiff has and the others have not at r = Inf: it grows without bound.
func growth(x, r float64) float64 {
	if x > 0 && math.IsInf(r, 1) {
		return math.Inf(1)
	}
	return 0
}

// upperEdge returns the difference at the edges, given its limit for x = Inf; NaN outside the domain.
func upperEdge(x, r, limit float64) float64 {
	switch {
	case !(x >= 0 && r >= 0) || math.IsInf(x, 1) && math.IsInf(r, 1):
		return math.NaN()
	case math.IsInf(x, 1):
		return limit
	}
	return 0
}
