package main

import (
	"math"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// What comparisons ask for.
const (
	equal     = 0
	less      = 1
	unordered = 3 // one of them is NaN
	notLess   = 5 // or NaN
)

// where is x where a comparison of u and v holds, and y elsewhere.
func (t *tier) where(u reg.VecVirtual, what uint8, v, x, y reg.VecVirtual) reg.VecVirtual {
	out := t.vec()
	if t.wide() {
		mask := t.K()
		t.VCMPPD(operand.U8(what), v, u, mask)
		t.VBLENDMPD(x, y, mask, out)
		return out
	}
	mask := t.vec()
	t.VCMPPD(operand.U8(what), v, u, mask)
	t.VBLENDVPD(mask, x, y, out)
	return out
}

// minus is x - y.
func (t *tier) minus(x, y reg.VecVirtual) reg.VecVirtual {
	out := t.vec()
	t.VSUBPD(y, x, out)
	return out
}

// sum is x + y.
func (t *tier) sum(x, y reg.VecVirtual) reg.VecVirtual {
	out := t.vec()
	t.VADDPD(y, x, out)
	return out
}

// expm1 is 2^n - 1 + 2^n (r + r^2/2 + ...), with what r and the sums lack.
func (t *tier) expm1(x reg.VecVirtual) reg.VecVirtual {
	high, n := t.reduced(x)
	low := t.times(n, ln2Low)
	r := t.minus(high, low)
	lack := t.minus(t.minus(high, r), low)
	square := t.vec()
	t.VMULPD(r, r, square)
	rest := t.polynomial(r, append([]float64{0.5}, expRest...))
	t.VFMADD213PD(lack, square, rest)
	p := t.sum(r, rest)
	lack = t.sum(t.minus(r, p), rest)
	// Half of the power, since 2^1024 is none; the largest n is 1024.
	half := t.plus(n, -1)
	power := t.scaled(t.all(1), half)
	t.VMULPD(power, p, p)
	t.VMULPD(power, lack, lack)
	ones := t.plus(power, -0.5)
	y := t.sum(ones, p)
	back := t.minus(y, ones)
	t.VADDPD(t.sum(t.minus(ones, t.minus(y, back)), t.minus(p, back)), lack, lack)
	t.VADDPD(lack, y, y)
	y = t.times(y, 2)
	y = t.where(x, notLess, t.all(709.8), t.sum(x, t.all(math.Inf(1))), y)
	tiny := t.vec()
	t.VANDPD(t.all(math.Float64frombits(1<<63-1)), x, tiny)
	return t.where(tiny, less, t.all(0x1p-54), x, y)
}

// log1p is log(u) for u = 1 + x, and what u lacks, divided by it; where u is from 3/4 to 3/2, x itself is known.
func (t *tier) log1p(x reg.VecVirtual) reg.VecVirtual {
	u := t.plus(x, 1)
	e, m := t.parts(u)
	back := t.plus(u, -1)
	lack := t.sum(t.minus(t.all(1), t.minus(u, back)), t.minus(x, back))
	t.VDIVPD(u, lack, lack)
	zero := t.vec()
	t.VXORPD(zero, zero, zero)
	f := t.where(e, equal, zero, x, t.plus(m, -1))
	lack = t.where(e, equal, zero, zero, lack)
	y := t.logOf(e, f, t.sum(t.times(e, ln2Rest), lack))
	y = t.logEnds(u, y)
	return t.where(x, equal, zero, x, y)
}

// below is exp(-|x|), which nothing makes infinite: 2^n exp(r), as exp has it, by a shorter way.
func (t *tier) below(x reg.VecVirtual) reg.VecVirtual {
	v := t.vec()
	t.VORPD(t.all(math.Copysign(0, -1)), x, v)
	r := t.notBelow(v)
	n, shifted := t.whole(t.times(r, 1/math.Ln2))
	t.takeOff(r, n, ln2High)
	t.takeOff(r, n, ln2Low)
	square := t.vec()
	t.VMULPD(r, r, square)
	rest := t.halves(r, square, append([]float64{0.5}, expRest...))
	t.VFMADD213PD(r, square, rest)
	return t.small(t.plus(rest, 1), n, shifted)
}

// shift is what takes the whole part of a small number to the last bits of a sum.
const shift = 0x1.8p52

// whole is the whole number n next to x, and with AVX2, which has no instruction for x 2^n, a vector with n in its last bits, on top of zeros.
func (t *tier) whole(x reg.VecVirtual) (n, shifted reg.VecVirtual) {
	if t.wide() {
		return t.round(x), nil
	}
	shifted = t.plus(x, shift)
	return t.plus(shifted, -shift), shifted
}

// small is x 2^n for n from -1076 to 0, rounded once: with AVX2 the first of two products, by 2^(n+64), is exact.
func (t *tier) small(x, n, shifted reg.VecVirtual) reg.VecVirtual {
	if t.wide() {
		return t.scaled(x, n)
	}
	power := t.vec()
	t.VPSLLQ(operand.U8(52), shifted, power)
	t.VPADDQ(t.constant((1023+64)<<52), power, power)
	t.VMULPD(power, x, power)
	return t.times(power, 0x1p-64)
}

// halves is a polynomial as that in the square of the even powers, and x times that of the odd ones: two chains, half as long as one, since
// processors wait for chains of so many instructions.
func (t *tier) halves(x, square reg.VecVirtual, c []float64) reg.VecVirtual {
	var parts [2][]float64
	for i, a := range c {
		parts[i%2] = append(parts[i%2], a)
	}
	even, odd := t.polynomial(square, parts[0]), t.polynomial(square, parts[1])
	t.VFMADD213PD(even, x, odd)
	return odd
}

// odds are e = exp(-|x|), and the shares 1/(1 + e) and e/(1 + e): what softplus and sigmoid are made of, with one division.
type odds struct{ e, one, rest reg.VecVirtual }

func (t *tier) odds(x reg.VecVirtual) odds {
	o := odds{t.below(x), t.all(1), t.vec()}
	t.VDIVPD(t.plus(o.e, 1), o.one, o.one)
	t.VMULPD(o.e, o.one, o.rest)
	return o
}

// sigmoid is e/(1 + e) for negative x, and 1/(1 + e) for others.
func (t *tier) sigmoid(x reg.VecVirtual) reg.VecVirtual { return t.sigmoidOf(x, t.odds(x)) }

func (t *tier) sigmoidOf(x reg.VecVirtual, o odds) reg.VecVirtual {
	if !t.wide() { // the instruction looks at signs alone, and of 0 both are 1/2
		out := t.vec()
		t.VBLENDVPD(x, o.rest, o.one, out)
		return out
	}
	zero := t.vec()
	t.VXORPD(zero, zero, zero)
	return t.where(x, less, zero, o.rest, o.one)
}

// softplus is max(x, 0) + log(1 + e).
func (t *tier) softplus(x reg.VecVirtual) reg.VecVirtual { return t.softplusOf(x, t.odds(x)) }

func (t *tier) softplusOf(x reg.VecVirtual, o odds) reg.VecVirtual {
	rest := t.log1pOdds(o)
	zero, out := t.vec(), t.vec()
	t.VXORPD(zero, zero, zero)
	t.VMAXPD(x, zero, out)
	return t.sum(out, rest)
}

// oddsRest are coefficients of (1 - L/sinh(L))/(2 w) in w = 2 (cosh(L) - 1), for w up to 1/2: off by 0.02 units in the last place of L.
var oddsRest = []float64{0x1.5555555555555p-4, -0x1.1111111111091p-6, 0x1.d41d41d409465p-9, -0x1.a01a01965072ep-11, 0x1.7a462d8eea1d3p-13,
	-0x1.5d2cbb9e74e47p-15, 0x1.45dd3babcc041p-17, -0x1.3236c4f085e6fp-19, 0x1.1d78c2a84dd5bp-21, -0x1.e89a2922bc2f5p-24, 0x1.198df2f7c649fp-26}

// log1pOdds is L = log(1 + e). With v = e/(1 + e), e and -v are exp(L) - 1 and exp(-L) - 1: so e + v is 2 sinh(L), and w = e v = e - v is
// 2 (cosh(L) - 1). Hence L is e - w/2 less what (e + v)/2 has more than L, which is w (e + v) times an even function of L.
func (t *tier) log1pOdds(o odds) reg.VecVirtual {
	w := t.vec()
	t.VMULPD(o.e, o.rest, w)
	rest := t.polynomial(w, oddsRest)
	t.multiplyAdd(rest, t.sum(o.e, o.rest), 0.5)
	t.VFNMADD213PD(o.e, w, rest) // e less w times that
	return rest
}

// softplusSigmoid are both, with one exponential.
func (t *tier) softplusSigmoid(x reg.VecVirtual) (softplus, sigmoid reg.VecVirtual) {
	o := t.odds(x)
	sigmoid = t.sigmoidOf(x, o) // first, as it leaves more registers to the other one
	return t.softplusOf(x, o), sigmoid
}
