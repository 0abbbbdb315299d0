package main

import (
	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// tables writes the constants: for vectors whose masks are vectors, twelve numbers with all bits and twelve without.
func (t *tier) tables() {
	if t.wide() {
		return
	}
	t.steps = t.StaticGlobal("steps" + t.title)
	t.DataAttributes(attr.RODATA | attr.NOPTR)
	for i := range 24 {
		bits := operand.U64(0)
		if i < 12 {
			bits = ^operand.U64(0)
		}
		t.AddDatum(8*i, bits)
	}
}

// columnMasks are those of the first n columns.
func (t *tier) columnMasks(n reg.Register, vectors int) []reg.Register {
	var masks []reg.Register
	if !t.wide() {
		base := t.stepBase(n)
		for v := range vectors {
			mask := t.YMM()
			t.VMOVUPD(at(base, 8*t.lanes*v), mask)
			masks = append(masks, mask)
		}
		return masks
	}
	bits := t.GP64()
	t.MOVQ(operand.I64(-1), bits)
	t.BZHIQ(n, bits, bits)
	for v := range vectors {
		if v > 0 {
			t.SHRQ(operand.U8(8), bits)
		}
		mask := t.K()
		t.KMOVB(bits.As32(), mask)
		masks = append(masks, mask)
	}
	return masks
}

// stepBase is the place in the table from which on n numbers have all bits.
func (t *tier) stepBase(n reg.Register) reg.Register {
	base, by := t.GP64(), t.GP64()
	t.LEAQ(t.steps, base)
	t.MOVQ(n, by)
	t.NEGQ(by)
	t.LEAQ(operand.Mem{Base: base, Index: by, Scale: 8, Disp: 96}, base)
	return base
}

// triangleMasks are those of the first of n columns, at most count.
func (p *panel) triangleMasks(count, n reg.Register) []reg.Register {
	least := p.GP64()
	p.MOVQ(count, least)
	p.CMPQ(least, n)
	p.CMOVQGT(n, least)
	return p.columnMasks(least, p.vectors)
}
