package main

import (
	"fmt"
	"math"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// number is a constant in memory: once where instructions repeat it, else as often as a vector has numbers.
func (t *tier) number(x float64) operand.Mem { return t.constant(math.Float64bits(x)) }

func (t *tier) constant(bits uint64) operand.Mem {
	if m, ok := t.constants[bits]; ok {
		return m
	}
	m := t.StaticGlobal(fmt.Sprintf("c%016x%s", bits, t.title))
	t.DataAttributes(attr.RODATA | attr.NOPTR)
	copies := t.lanes
	if t.wide() {
		copies = 1
	}
	for i := range copies {
		t.AddDatum(8*i, operand.U64(bits))
	}
	t.constants[bits] = m
	return m
}

// all is a vector of one number.
func (t *tier) all(x float64) reg.VecVirtual {
	v := t.vec()
	t.VBROADCASTSD(t.number(x), v)
	return v
}

// multiplyAdd makes sum sum times x plus a number.
func (t *tier) multiplyAdd(sum, x reg.VecVirtual, plus float64) {
	if t.wide() {
		t.VFMADD213PD_BCST(t.number(plus), x, sum)
		return
	}
	t.VFMADD213PD(t.number(plus), x, sum)
}

// takeOff makes x x minus a number times n.
func (t *tier) takeOff(x, n reg.VecVirtual, a float64) {
	if t.wide() {
		t.VFNMADD231PD_BCST(t.number(a), n, x)
		return
	}
	t.VFNMADD231PD(t.number(a), n, x)
}

// times is x times a number.
func (t *tier) times(x reg.VecVirtual, a float64) reg.VecVirtual {
	out := t.vec()
	if t.wide() {
		t.VMULPD_BCST(t.number(a), x, out)
	} else {
		t.VMULPD(t.number(a), x, out)
	}
	return out
}

// plus is x plus a number.
func (t *tier) plus(x reg.VecVirtual, a float64) reg.VecVirtual {
	out := t.vec()
	if t.wide() {
		t.VADDPD_BCST(t.number(a), x, out)
	} else {
		t.VADDPD(t.number(a), x, out)
	}
	return out
}

// polynomial is that with the coefficients from the constant one on.
func (t *tier) polynomial(x reg.VecVirtual, c []float64) reg.VecVirtual {
	sum := t.all(c[len(c)-1])
	for i := len(c) - 2; i >= 0; i-- {
		t.multiplyAdd(sum, x, c[i])
	}
	return sum
}

// functions writes the kernels of functions over slices.
func (t *tier) functions() {
	t.inTurn().mapping("exp", "writes exp(x) for n numbers.", t.exp)
	t.mapping("log", "writes log(x) for n numbers.", t.log)
	t.mapping("expm1", "writes exp(x) - 1 for n numbers.", t.expm1)
	t.mapping("log1p", "writes log(1 + x) for n numbers.", t.log1p)
	t.inTurn().mapping("sigmoid", "writes 1/(1 + exp(-x)) for n numbers.", t.sigmoid)
	t.inTurn().mapping("softplus", "writes log(1 + exp(x)) for n numbers.", t.softplus)
	t.inTurn().mappingPair("softplusSigmoid", "writes log(1 + exp(x)) to dst and 1/(1 + exp(-x)) to second for n numbers.", t.softplusSigmoid)
	t.mappingPair("logNdtrRatio", "writes the logarithm of the normal distribution function to dst, and its density divided by it to second, for n numbers.", t.logNdtrRatio)
	t.mapping("logNdtr", "writes the logarithm of the normal distribution function for n numbers.", t.logNdtr)
	t.mapping("ndtrRatio", "writes the normal density divided by its distribution function for n numbers.", t.ndtrRatio)
	t.gammaDifferences()
	if !t.wide() {
		t.threeSeries() // of a vector of four numbers, also where there are wider ones
	}
	t.shares()
	t.pairwise("larger", "makes n numbers of dst those of x where these are larger. NaN stays, and comes from either.", t.larger)
	t.arithmetic()
}

// pairwise writes the kernel of a function of two numbers, of which the first is replaced.
func (t *tier) pairwise(name, doc string, f func(dst, x reg.VecVirtual) reg.VecVirtual) {
	t.start(name, "dst *float64, x *float64, n int", doc)
	mask := t.maskBehind("n")
	dst, x, n := t.arg("dst"), t.arg("x"), t.arg("n")
	t.overColumns(n, func(masks []reg.Register) {
		u, v := t.vec(), t.vec()
		t.load(at(dst, 0), u, 0, masks)
		t.load(at(x, 0), v, 0, masks)
		t.store(f(u, v), at(dst, 0), 0, masks)
	}, mask, x, dst)
	t.end()
}

// larger is the larger of two numbers. The instruction gives its last operand where one is NaN.
func (t *tier) larger(u, v reg.VecVirtual) reg.VecVirtual {
	out := t.vec()
	t.VMAXPD(v, u, out)
	if t.wide() {
		none := t.K()
		t.VCMPPD(operand.U8(3), u, u, none)
		t.VMOVAPD(u, none, out)
		return out
	}
	none := t.vec()
	t.VCMPPD(operand.U8(3), u, u, none)
	t.VBLENDVPD(none, u, out, out)
	return out
}

// mapping writes the kernel of a function of one number.
func (t *tier) mapping(name, doc string, f func(x reg.VecVirtual) reg.VecVirtual) {
	t.start(name, "dst *float64, x *float64, n int", doc)
	mask := t.maskBehind("n")
	dst, x, n := t.arg("dst"), t.arg("x"), t.arg("n")
	t.overVectors(n, func(disp int, masks []reg.Register) {
		v := t.vec()
		t.load(at(x, disp), v, 0, masks)
		t.store(f(v), at(dst, disp), 0, masks)
	}, mask, x, dst)
	t.end()
}

// mappingPair writes the kernel of two functions of one number.
func (t *tier) mappingPair(name, doc string, f func(x reg.VecVirtual) (first, second reg.VecVirtual)) {
	t.start(name, "dst *float64, second *float64, x *float64, n int", doc)
	mask := t.maskBehind("n")
	dst, second, x, n := t.arg("dst"), t.arg("second"), t.arg("x"), t.arg("n")
	t.overVectors(n, func(disp int, masks []reg.Register) {
		v := t.vec()
		t.load(at(x, disp), v, 0, masks)
		a, b := f(v)
		t.store(a, at(dst, disp), 0, masks)
		t.store(b, at(second, disp), 0, masks)
	}, mask, x, dst, second)
	t.end()
}

// shares writes the kernel of softmax: exponentials of differences, and their sums.
func (t *tier) shares() {
	t.start("expShares", "dst *float64, x *float64, top *float64, sums *float64, n int",
		"writes exp(x - top) for n numbers, 0 where that is no normal number, and adds them to sums.")
	mask := t.maskBehind("n")
	dst, x, top, sums, n := t.arg("dst"), t.arg("x"), t.arg("top"), t.arg("sums"), t.arg("n")
	t.overColumns(n, func(masks []reg.Register) {
		v, m, sum := t.vec(), t.vec(), t.vec()
		t.load(at(x, 0), v, 0, masks)
		t.load(at(top, 0), m, 0, masks)
		t.VSUBPD(m, v, v)
		e := t.normalOnly(t.exp(v), v)
		t.store(e, at(dst, 0), 0, masks)
		t.load(at(sums, 0), sum, 0, masks)
		t.VADDPD(sum, e, e)
		t.store(e, at(sums, 0), 0, masks)
	}, mask, x, dst, top, sums)
	t.end()
}

// normalOnly is e, or 0 where its logarithm x is below that of the least normal number.
func (t *tier) normalOnly(e, x reg.VecVirtual) reg.VecVirtual {
	least := t.all(-0x1.6232bdd7abcd2p9) // -1022 log(2), rounded towards 0
	out := t.vec()
	if t.wide() {
		keep := t.K()
		t.VCMPPD(operand.U8(5), least, x, keep) // not less, or NaN
		t.VMOVAPD_Z(e, keep, out)
		return out
	}
	t.VCMPPD(operand.U8(5), least, x, out)
	t.VANDPD(e, out, out)
	return out
}

// maskBehind is that of the numbers that are left behind whole vectors.
func (t *tier) maskBehind(length string) []reg.Register {
	last := t.arg(length)
	t.ANDQ(operand.I32(int32(t.lanes-1)), last)
	return t.columnMasks(last, 1)
}

// The logarithm of 2 as a double and what it lacks, and as one with 32 bits, and what that lacks.
const (
	ln2High  = 0x1.62e42fefa39efp-1
	ln2Low   = 0x1.abc9e3b39803fp-56
	ln2Short = 0x1.62e42fee00000p-1
	ln2Rest  = 0x1.a39ef35793c76p-33
)

// expRest are coefficients of (exp(r) - 1 - r - r^2/2)/r^3 for |r| <= log(2)/2, by interpolation at Chebyshev's points: off by 0.009
// units in the last place of exp(r).
var expRest = []float64{0x1.5555555555556p-3, 0x1.5555555555555p-5, 0x1.11111111109b3p-7, 0x1.6c16c16c167e1p-10,
	0x1.a01a01a7c41d5p-13, 0x1.a01a01a47b054p-16, 0x1.71de0dae63bb3p-19, 0x1.27e4e1f48534fp-22, 0x1.af38a9b0ec855p-26,
	0x1.1f66df7fca49fp-29}

// exp is the exponential: 2^n exp(r) for the whole number n next to x/log(2).
func (t *tier) exp(x reg.VecVirtual) reg.VecVirtual {
	r, n := t.reduced(x)
	t.takeOff(r, n, ln2Low)
	return t.expOf(r, n)
}

// expOf is 2^n exp(r).
func (t *tier) expOf(r, n reg.VecVirtual) reg.VecVirtual {
	square := t.vec()
	t.VMULPD(r, r, square)
	rest := t.polynomial(r, append([]float64{0.5}, expRest...))
	t.VFMADD213PD(r, square, rest)
	return t.scaled(t.plus(rest, 1), n)
}

// reduced is x less n times the upper part of log(2), without rounding, for the whole number n next to x/log(2). Where the exponential
// of x is 0 or infinite, x is one such number; NaN stays.
func (t *tier) reduced(x reg.VecVirtual) (r, n reg.VecVirtual) {
	r = t.notBelow(x)
	t.VMINPD(r, t.all(710), r)
	return r, t.powers(r)
}

// notBelow is x, or a number whose exponential is 0 where that of x is.
func (t *tier) notBelow(x reg.VecVirtual) reg.VecVirtual {
	r := t.vec()
	t.VMAXPD(x, t.all(-746), r)
	return r
}

// powers takes n times the upper part of log(2) off x, without rounding, for the whole number n next to x/log(2).
func (t *tier) powers(x reg.VecVirtual) (n reg.VecVirtual) {
	n = t.round(t.times(x, 1/math.Ln2))
	t.takeOff(x, n, ln2High)
	return n
}

// round rounds to whole numbers.
func (t *tier) round(x reg.VecVirtual) reg.VecVirtual {
	out := t.vec()
	if t.wide() {
		t.VRNDSCALEPD(operand.U8(8), x, out)
	} else {
		t.VROUNDPD(operand.U8(8), x, out)
	}
	return out
}

// scaled is x 2^n, rounded once.
func (t *tier) scaled(x, n reg.VecVirtual) reg.VecVirtual {
	out := t.vec()
	if t.wide() {
		t.VSCALEFPD(n, x, out)
		return out
	}
	whole, half := t.XMM(), t.XMM()
	t.VCVTPD2DQY(n, whole)
	t.VPSRAD(operand.U8(1), whole, half)
	t.VPSUBD(half, whole, whole)
	// The first product is exact.
	t.VMULPD(t.power(half), x, out)
	t.VMULPD(t.power(whole), out, out)
	return out
}

// power is 2^n, for AVX2.
func (t *tier) power(n reg.VecVirtual) reg.VecVirtual {
	out := t.YMM()
	t.VPMOVSXDQ(n, out)
	t.VPADDQ(t.constant(1023), out, out)
	t.VPSLLQ(operand.U8(52), out, out)
	return out
}

// logRest are coefficients of (log((1+s)/(1-s)) - 2 s)/s^3 in s^2 for |s| <= 0.2, found in the same way: off by 0.007 units in the last
// place.
var logRest = []float64{0x1.5555555555555p-1, 0x1.9999999999f18p-2, 0x1.24924923de528p-2, 0x1.c71c72df7cf9dp-3,
	0x1.745cac3874569p-3, 0x1.3b29d20b4b924p-3, 0x1.0e8c32bc710e5p-3, 0x1.169d45f561cc7p-3}

// log is the logarithm: e log(2) + log(m) for m from 3/4 to 3/2, as in FreeBSD's e_log.c: with f = m-1 and s = f/(2+f) that of m is
// f - (f^2/2 - s (f^2/2 + R)).
func (t *tier) log(x reg.VecVirtual) reg.VecVirtual {
	e, m := t.parts(x)
	y := t.logOf(e, t.plus(m, -1), t.times(e, ln2Rest))
	if !t.wide() {
		y = t.logEnds(x, y)
	}
	return y
}

// logOf is e log(2) + log(1 + f), where low is what there is to be added to the upper part of e log(2).
func (t *tier) logOf(e, f, low reg.VecVirtual) reg.VecVirtual {
	s, z, half := t.vec(), t.vec(), t.vec()
	t.VDIVPD(t.plus(f, 2), f, s)
	t.VMULPD(s, s, z)
	rest := t.polynomial(z, logRest)
	t.VMULPD(f, t.times(f, 0.5), half)
	t.VFMADD213PD(half, z, rest)
	t.VFMADD213PD(low, s, rest)
	t.VSUBPD(rest, half, half)
	y := t.all(ln2Short)
	t.VSUBPD(half, f, half)
	t.VFMADD213PD(half, e, y)
	return y
}

// parts gives e and m of x = 2^e m, for m from 3/4 to 3/2; with AVX-512 for 0, infinities and NaN what makes their logarithms come out, and
// NaN for m of negative numbers.
func (t *tier) parts(x reg.VecVirtual) (e, m reg.VecVirtual) {
	e, m = t.vec(), t.vec()
	if t.wide() {
		up := t.K()
		t.VGETEXPPD(x, e)
		t.VGETMANTPD(operand.U8(11), x, m)
		t.VCMPPD(operand.U8(1), t.all(1), m, up)
		t.VADDPD(t.all(1), e, up, e)
		return e, m
	}
	small, low, big := t.vec(), t.vec(), t.vec()
	t.VCMPPD(operand.U8(1), t.all(0x1p-1022), x, small)
	t.VBLENDVPD(small, t.times(x, 0x1p54), x, m)
	t.VANDPD(t.number(54), small, low)
	t.VPSRLQ(operand.U8(52), m, e)
	t.VORPD(t.constant(0x4330000000000000), e, e) // 2^52 plus a small whole number
	e = t.plus(e, -(0x1p52 + 1023))
	t.VSUBPD(low, e, e)
	t.VANDPD(t.constant(1<<52-1), m, m)
	t.VORPD(t.number(1), m, m)
	t.VCMPPD(operand.U8(13), t.all(1.5), m, big)
	t.VBLENDVPD(big, t.times(m, 0.5), m, m)
	t.VANDPD(t.number(1), big, big)
	t.VADDPD(big, e, e)
	return e, m
}

// logEnds puts the logarithms of 0, of negative numbers, of infinity and NaN in their places.
func (t *tier) logEnds(x, y reg.VecVirtual) reg.VecVirtual {
	zero := t.vec()
	t.VXORPD(zero, zero, zero)
	y = t.where(x, notLess, t.all(math.Inf(1)), x, y)
	y = t.where(x, less, zero, t.all(math.NaN()), y)
	return t.where(x, equal, zero, t.all(math.Inf(-1)), y)
}
