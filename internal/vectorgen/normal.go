package main

import (
	"math"

	"github.com/mmcloughlin/avo/reg"
)

// tailShift is k of the variable 1/(t+k) in which the tail of the normal distribution is a polynomial.
const tailShift = 5

// tailRest are coefficients in q = 1 - 2k/(t+k), which goes from -1 to 1, of (t+k) exp(t^2/2) Phi(-t) for all t >= 0, by interpolation at
// Chebyshev's points: off by 0.2 units in the last place.
var tailRest = []float64{
	0x1.89d3abe1f95aep-1, -0x1.54ad03f27ca19p-1, 0x1.fb31653876f89p-2, -0x1.410ed5f8758d4p-2, 0x1.51f6329f01ba0p-3,
	-0x1.1b1c254ca7b40p-4, 0x1.54b4d4f48bf3fp-6, -0x1.88590e916f3c3p-9, -0x1.a250377aaec7fp-11, 0x1.1daf19f8887a9p-11,
	-0x1.f214921df50b8p-15, -0x1.a16fc7d385410p-15, 0x1.17df1355db688p-16, 0x1.0b0cceb69c16ep-18, -0x1.73e1b901846e3p-19,
	-0x1.6620b712fb8efp-22, 0x1.d498e06b752c4p-22, 0x1.4b3a7dd63ad7ep-25, -0x1.2ec02989fa8b3p-24, -0x1.dc6ca46b46f2fp-28,
	0x1.84b35ab131230p-27, 0x1.5c99b106bb2cfp-30, -0x1.ad4223edde281p-30, -0x1.23866b1263775p-33, 0x1.1c765d2dcba2fp-33,
}

// logNdtrRatio is the logarithm of the distribution function of the standard normal distribution, and its density divided by it. With
// E = exp(t^2/2) Phi(-t) for t = |x|, left of 0 they are log E - x^2/2 and 1/(sqrt(2 pi) E), and right of it those of 1 - exp(-t^2/2) E.
func (t *tier) logNdtrRatio(x reg.VecVirtual) (log, ratio reg.VecVirtual) {
	n := t.normalAt(x)
	log = n.logOfTail(x, n.tail, n.u, n.right)
	ratio = n.ratio(x)
	return n.log(x, log), ratio
}

// logNdtr is the logarithm alone, and ndtrRatio the ratio.
func (t *tier) logNdtr(x reg.VecVirtual) reg.VecVirtual {
	n := t.normalAt(x)
	return n.log(x, n.logOfTail(x, n.tail, n.u, n.right))
}

func (t *tier) ndtrRatio(x reg.VecVirtual) reg.VecVirtual { return t.normalAt(x).ratio(x) }

// normalTail is what both need: E = w top, with what that lacks, u = exp(-t^2/2) E, and right = 1 - u.
type normalTail struct {
	*tier
	distance, top, tail, power, u, right reg.VecVirtual
}

func (t *tier) normalAt(x reg.VecVirtual) *normalTail {
	size := t.vec()
	t.VANDPD(t.all(math.Float64frombits(1<<63-1)), x, size)
	distance := t.plus(size, tailShift)
	w, top, lack := t.tailOf(size)
	tail := t.vec()
	t.VMULPD(w, top, tail)
	t.VMULPD(w, lack, lack)
	more := t.vec()
	t.VMOVAPD(tail, more)
	t.VFMSUB231PD(w, top, more)
	t.VADDPD(more, lack, lack)
	power := t.bell(size)
	u := t.vec()
	t.VMULPD(power, lack, u)
	t.VFMADD231PD(power, tail, u)
	t.VADDPD(lack, tail, tail)
	return &normalTail{t, distance, top, tail, power, u, t.minus(t.all(1), u)}
}

// ratio takes one division for both sides.
func (t *normalTail) ratio(x reg.VecVirtual) reg.VecVirtual {
	zero := t.vec()
	t.VXORPD(zero, zero, zero)
	ratio := t.times(t.where(x, less, zero, t.distance, t.power), 0x1.9884533d43651p-2) // 1/sqrt(2 pi)
	t.VDIVPD(t.where(x, less, zero, t.top, t.right), ratio, ratio)
	return ratio
}

// log is the logarithm, of that of the tail.
func (t *normalTail) log(x, log reg.VecVirtual) reg.VecVirtual {
	zero := t.vec()
	t.VXORPD(zero, zero, zero)
	left := t.times(x, -0.5)
	t.VFMADD213PD(log, x, left)
	log = t.where(x, less, zero, left, log)
	if !t.wide() {
		log = t.where(x, unordered, x, x, log)
	}
	return log
}

// slope is about the derivative of that polynomial.
var slope = []float64{-0.67, 0.96, -0.93, 0.81, -0.37}

// tailOf is 1/(t+k), rounded, and the polynomial in q with what it lacks: E changes as much as q does.
func (t *tier) tailOf(size reg.VecVirtual) (w, top, lack reg.VecVirtual) {
	w, q, low := t.fraction(size)
	inner := t.polynomial(q, tailRest[1:])
	top = t.all(tailRest[0])
	t.VFMADD231PD(inner, q, top)
	lack = t.minus(t.all(tailRest[0]), top)
	t.VFMADD231PD(inner, q, lack)
	t.VFMADD231PD(t.polynomial(q, slope), low, lack)
	return w, top, lack
}

// fraction is w = 1/(t+k), and q = 1 - 2kw with what it lacks.
func (t *tier) fraction(size reg.VecVirtual) (w, q, low reg.VecVirtual) {
	least := t.vec()
	t.VMINPD(size, t.all(1e300), least) // NaN stays
	below := t.plus(least, tailShift)
	back := t.minus(below, least)
	lack := t.sum(t.minus(least, t.minus(below, back)), t.minus(t.all(tailShift), back))
	w = t.vec()
	t.VDIVPD(below, t.all(1), w)
	r := t.all(1)
	t.VFNMADD231PD(below, w, r)
	t.VFNMADD231PD(lack, w, r) // 1 - w (t+k)
	more := t.vec()
	t.VMULPD(w, r, more)
	first := t.all(1)
	t.takeOff(first, w, 2*tailShift)
	rest := t.minus(t.all(1), first)
	t.takeOff(rest, w, 2*tailShift)
	t.takeOff(rest, more, 2*tailShift)
	q = t.sum(first, rest)
	return t.sum(w, more), q, t.minus(rest, t.minus(q, first))
}

// bell is exp(-t^2/2) for t >= 0, with what the square lacks.
func (t *tier) bell(size reg.VecVirtual) reg.VecVirtual {
	square, lack, least := t.vec(), t.vec(), t.vec()
	t.VMINPD(size, t.all(40), least) // beyond it is 0; NaN stays
	t.VMULPD(least, least, square)
	t.VMOVAPD(square, lack)
	t.VFMSUB231PD(least, least, lack)
	r, n := t.reduced(t.times(square, -0.5))
	t.takeOff(r, n, ln2Low)
	t.takeOff(r, lack, 0.5)
	return t.expOf(r, n)
}

// logOfTail is the logarithm of E where x is negative, and elsewhere that of 1 - u, rounded to right.
func (t *tier) logOfTail(x, tail, u, right reg.VecVirtual) reg.VecVirtual {
	zero := t.vec()
	t.VXORPD(zero, zero, zero)
	e, m := t.parts(t.where(x, less, zero, tail, right))
	f := t.where(e, equal, zero, t.minus(zero, u), t.plus(m, -1))
	// What 1 - u has lost, over it: of it a few digits are enough, as u is not above 1/2.
	lack, over := t.minus(t.minus(t.all(1), right), u), t.plus(u, 1)
	t.VFMADD213PD(t.all(1), u, over)
	t.VMULPD(over, lack, lack)
	lack = t.where(x, less, zero, zero, t.where(e, equal, zero, zero, lack))
	return t.logOf(e, f, t.sum(t.times(e, ln2Rest), lack))
}
