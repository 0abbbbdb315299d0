package main

import (
	"math"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Where the numbers of vector.GammaTable lie, in bytes. Of the differences for whole numbers that of 0 is first.
const (
	stepsAt    = 8 * iota
	topAt      // r plus the steps
	inverseAt  // of it
	logTopAt   // its logarithm
	logBelowAt // of the factors below
	sumBelowAt // of their inverses
	lgammaTopAt
	digammaTopAt
	lgammasAt
	digammasAt = lgammasAt + 8*17
)

// What kernels note of numbers: a bit for each whole number, and one for numbers that they leave to others.
const (
	mostWhole = 16
	otherBit  = 32
)

// Coefficients of the asymptotic series of lgamma in 1/z times 1/z^2, and of digamma in 1/z^2 (DLMF 5.11.1, 5.11.2), for z > 16.
var (
	lgammaSeries  = []float64{1.0 / 12, -1.0 / 360, 1.0 / 1260, -1.0 / 1680, 1.0 / 1188}
	digammaSeries = []float64{1.0 / 12, -1.0 / 120, 1.0 / 252, -1.0 / 240, 1.0 / 132}
)

// gammaDifferences writes the kernels of differences of lgamma and of digamma.
func (t *tier) gammaDifferences() {
	what := "of n numbers x from r, which a table is for, and adds what they are to seen: bits of whole numbers up to 16, and one for what it does not know."
	t.gammaDifference("lgammaDiff", "dst *float64", "writes the differences of lgamma "+what, true, false)
	t.gammaDifference("digammaDiff", "dst *float64", "writes the differences of digamma "+what, false, true)
	t.gammaDifference("lgammaDigammaDiff", "dst *float64, second *float64", "writes the differences of lgamma and digamma "+what, true, true)
}

func (t *tier) gammaDifference(name, results, doc string, lgamma, digamma bool) {
	t.start(name, results+", x *float64, table *float64, seen *uint64, n int", doc)
	mask := t.maskBehind("n")
	g := &gammas{tier: t, table: t.arg("table"), seen: t.vec()}
	x, n := t.arg("x"), t.arg("n")
	pointers := []reg.GPVirtual{x, t.arg("dst")}
	if lgamma && digamma {
		pointers = append(pointers, t.arg("second"))
	}
	g.clear(g.seen)
	t.overColumns(n, func(masks []reg.Register) {
		g.x = t.vec()
		t.load(at(x, 0), g.x, 0, masks)
		g.point()
		to := 1
		if lgamma {
			t.store(g.known(g.lgamma(), lgammasAt), at(pointers[to], 0), 0, masks)
			to++
		}
		if digamma {
			t.store(g.known(g.digamma(), digammasAt), at(pointers[to], 0), 0, masks)
		}
		g.note()
	}, mask, pointers...)
	seen, old := t.arg("seen"), t.vec()
	t.VMOVUPD(at(seen, 0), old)
	t.VORPD(old, g.seen, g.seen)
	t.VMOVUPD(g.seen, at(seen, 0))
	t.end()
}

// gammas is the state of such a kernel. With f = x less the steps of the table: z = f + top, w = 1/z, and log((x+r)/top).
type gammas struct {
	*tier
	table        reg.GPVirtual
	seen         reg.VecVirtual
	x            reg.VecVirtual
	f, z, w, log reg.VecVirtual
}

func (t *tier) clear(v reg.VecVirtual) { t.VXORPD(v, v, v) }

// of is a vector of one number of the table.
func (g *gammas) of(disp int) reg.VecVirtual {
	v := g.vec()
	g.VBROADCASTSD(at(g.table, disp), v)
	return v
}

// point computes what both differences need. The logarithm is that of 1 + q, q = f/top, with what 1 + q lacks times its inverse, top w; where 1 + q is
// from 3/4 to 3/2, q itself is known.
func (g *gammas) point() {
	g.f = g.minus(g.x, g.of(stepsAt))
	g.z = g.sum(g.f, g.of(topAt))
	g.w = g.vec()
	g.VDIVPD(g.z, g.all(1), g.w)
	q := g.vec()
	g.VDIVPD(g.of(topAt), g.f, q)
	u := g.plus(q, 1)
	lack := g.minus(q, g.plus(u, -1))
	g.VMULPD(g.w, lack, lack)
	g.VMULPD(g.of(topAt), lack, lack)
	e, m := g.parts(u)
	zero := g.vec()
	g.clear(zero)
	first := g.where(e, equal, zero, q, g.plus(m, -1))
	lack = g.where(e, equal, zero, zero, lack)
	g.log = g.logOf(e, first, g.sum(g.times(e, ln2Rest), lack))
}

// lgamma is f log(top) + ((z - 1/2) log - f + the rest of the series) + the logarithm of the factors below.
func (g *gammas) lgamma() reg.VecVirtual {
	square := g.vec()
	g.VMULPD(g.w, g.w, square)
	rest := g.polynomial(square, lgammaSeries)
	g.VFMSUB213PD(g.of(lgammaTopAt), g.w, rest)
	y := g.plus(g.z, -0.5)
	g.VFMSUB213PD(g.f, g.log, y)
	g.VADDPD(rest, y, y)
	g.VFMADD231PD(g.of(logTopAt), g.f, y)
	return g.sum(y, g.of(logBelowAt))
}

// digamma is log + (f w/top/2 + the rest of the series) + the sum of the inverses of the factors below.
func (g *gammas) digamma() reg.VecVirtual {
	square := g.vec()
	g.VMULPD(g.w, g.w, square)
	rest := g.polynomial(square, digammaSeries)
	g.VFNMADD213PD(g.of(digammaTopAt), square, rest)
	half := g.vec()
	g.VMULPD(g.of(inverseAt), g.f, half)
	g.VMULPD(g.w, half, half)
	half = g.times(half, 0.5)
	g.VADDPD(rest, half, half)
	g.VADDPD(g.log, half, half)
	return g.sum(half, g.of(sumBelowAt))
}

// known is y, or what the table has for whole numbers.
func (g *gammas) known(y reg.VecVirtual, disp int) reg.VecVirtual {
	out := g.vec()
	if g.wide() {
		// The numbers for 1 to 16 fill two vectors.
		index := g.plus(g.x, 0x1p52-1)
		first := g.vec()
		g.VMOVUPD(at(g.table, disp+8), first)
		g.VPERMI2PD(at(g.table, disp+8+64), first, index)
		zero := g.vec()
		g.clear(zero)
		index = g.where(g.x, equal, zero, zero, index)
		g.VBLENDMPD(index, y, g.isWhole(), out)
		return out
	}
	mask := g.isWhole()
	g.VMOVAPD(y, out)
	g.VGATHERQPD(mask, operand.Mem{Base: g.table, Index: g.digits(), Scale: 8, Disp: disp}, out)
	return out
}

// digits are the last bits of numbers as whole numbers, enough for those of the table.
func (g *gammas) digits() reg.VecVirtual {
	index := g.plus(g.x, 0x1p52)
	last := g.vec()
	g.VBROADCASTSD(g.constant(31), last)
	g.VANDPD(last, index, index)
	return index
}

// isWhole is a mask of the whole numbers from 0 to 16.
func (g *gammas) isWhole() reg.Register {
	zero := g.vec()
	g.clear(zero)
	const notAbove, notBelow = 2, 13
	if g.wide() {
		mask := g.K()
		g.VCMPPD(operand.U8(equal), g.round(g.x), g.x, mask)
		g.VCMPPD(operand.U8(notAbove), g.all(mostWhole), g.x, mask, mask)
		g.VCMPPD(operand.U8(notBelow), zero, g.x, mask, mask)
		return mask
	}
	mask, more := g.YMM(), g.YMM()
	g.VCMPPD(operand.U8(equal), g.round(g.x), g.x, mask)
	g.VCMPPD(operand.U8(notAbove), g.all(mostWhole), g.x, more)
	g.VANDPD(more, mask, mask)
	g.VCMPPD(operand.U8(notBelow), zero, g.x, more)
	g.VANDPD(more, mask, mask)
	return mask
}

// note adds the bits of the numbers: of what is no whole number of the table the last one, unless it is larger and finite.
func (g *gammas) note() {
	const above, notAbove = 14, 2
	largest := g.all(math.MaxFloat64)
	one, other, zero := g.vec(), g.vec(), g.vec()
	g.VBROADCASTSD(g.constant(1), one)
	g.VBROADCASTSD(g.constant(1<<otherBit), other)
	g.clear(zero)
	bits := g.vec()
	g.VPSLLVQ(g.digits(), one, bits)
	if g.wide() {
		far := g.K()
		g.VCMPPD(operand.U8(above), g.all(mostWhole), g.x, far)
		g.VCMPPD(operand.U8(notAbove), largest, g.x, far, far)
		g.VBLENDMPD(bits, other, g.isWhole(), bits)
		g.VBLENDMPD(zero, bits, far, bits)
	} else {
		far, more := g.YMM(), g.YMM()
		g.VCMPPD(operand.U8(above), g.all(mostWhole), g.x, far)
		g.VCMPPD(operand.U8(notAbove), largest, g.x, more)
		g.VANDPD(more, far, far)
		g.VBLENDVPD(g.isWhole(), bits, other, bits)
		g.VBLENDVPD(far, zero, bits, bits)
	}
	g.VORPD(bits, g.seen, g.seen)
}
