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

// unitRest are coefficients like logRest, for s up to 1/3: off by 0.02 units in the last place of log(1 + f).
var unitRest = []float64{0x1.5555555555555p-1, 0x1.9999999999944p-2, 0x1.2492492499d46p-2, 0x1.c71c71bedea97p-3, 0x1.745d19937b1fcp-3,
	0x1.3b13515f6f9efp-3, 0x1.111abdc8abe16p-3, 0x1.e0a2d581ab68fp-4, 0x1.bc37f0140c19ep-4, 0x1.32e0d25c9c761p-4, 0x1.401d3e65cdc48p-3}

// log1pUnit is log(1 + f) for f from 0 to 1, or NaN: as logOf has it, without a power of 2 to take off.
func (t *tier) log1pUnit(f reg.VecVirtual) reg.VecVirtual {
	s, z, half := t.vec(), t.vec(), t.vec()
	t.VDIVPD(t.plus(f, 2), f, s)
	t.VMULPD(s, s, z)
	rest := t.polynomial(z, unitRest)
	t.VMULPD(f, t.times(f, 0.5), half)
	t.VFMADD213PD(half, z, rest)
	t.VFNMADD213PD(half, s, rest) // half less s times that
	return t.minus(f, rest)
}

// below is exp(-|x|).
func (t *tier) below(x reg.VecVirtual) reg.VecVirtual {
	v := t.vec()
	t.VORPD(t.all(math.Copysign(0, -1)), x, v)
	return t.exp(v)
}

// sigmoid is exp(-|x|)/(1 + exp(-|x|)) for negative x, and 1/(1 + exp(-|x|)) for others.
func (t *tier) sigmoid(x reg.VecVirtual) reg.VecVirtual { return t.sigmoidOf(x, t.below(x)) }

// sigmoidOf is that, of x and exp(-|x|).
func (t *tier) sigmoidOf(x, e reg.VecVirtual) reg.VecVirtual {
	zero := t.vec()
	t.VXORPD(zero, zero, zero)
	top := t.where(x, less, zero, e, t.all(1))
	t.VDIVPD(t.plus(e, 1), top, top)
	return top
}

// softplus is max(x, 0) + log(1 + exp(-|x|)).
func (t *tier) softplus(x reg.VecVirtual) reg.VecVirtual { return t.softplusOf(x, t.below(x)) }

// softplusOf is that, of x and exp(-|x|).
func (t *tier) softplusOf(x, e reg.VecVirtual) reg.VecVirtual {
	rest := t.log1pUnit(e)
	zero, out := t.vec(), t.vec()
	t.VXORPD(zero, zero, zero)
	t.VMAXPD(x, zero, out)
	t.VADDPD(rest, out, out)
	return out
}

// softplusSigmoid are both, with one exponential.
func (t *tier) softplusSigmoid(x reg.VecVirtual) (softplus, sigmoid reg.VecVirtual) {
	e := t.below(x)
	sigmoid = t.sigmoidOf(x, e)
	return t.softplusOf(x, e), sigmoid
}
