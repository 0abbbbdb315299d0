package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// transposition writes the kernel for transposes: squares of as many rows as a vector has numbers.
func (t *tier) transposition() {
	t.start("transpose", "dst *float64, ldd int, src *float64, lds, r, c int",
		"writes the transpose of r x c numbers, both whole numbers of vectors and not 0.")
	dst, src, ldd, lds, r := t.arg("dst"), t.arg("src"), t.bytes("ldd"), t.bytes("lds"), t.arg("r")
	ldd3, lds3 := t.GP64(), t.GP64()
	t.LEAQ(indexed(ldd, ldd, 2), ldd3)
	t.LEAQ(indexed(lds, lds, 2), lds3)
	t.Label("rows")
	from, to, c := t.GP64(), t.GP64(), t.arg("c")
	t.MOVQ(src, from)
	t.MOVQ(dst, to)
	t.Label("columns")
	for i, v := range t.transposed(t.loadSquare(from, lds, lds3)) {
		if i == 4 {
			t.LEAQ(indexed(to, ldd, 4), to)
		}
		t.VMOVUPD(v, quarter(to, ldd, ldd3, i%4))
	}
	t.LEAQ(indexed(to, ldd, 4), to)
	t.ADDQ(operand.U8(8*t.lanes), from)
	t.SUBQ(operand.U8(t.lanes), c)
	t.JNZ(operand.LabelRef("columns"))
	t.LEAQ(indexed(src, lds, uint8(t.lanes)), src)
	t.ADDQ(operand.U8(8*t.lanes), dst)
	t.SUBQ(operand.U8(t.lanes), r)
	t.JNZ(operand.LabelRef("rows"))
	t.end()
}

// quarter is the memory i steps behind the base, for i below 4.
func quarter(base, step, step3 reg.Register, i int) operand.Mem {
	switch i {
	case 0:
		return at(base, 0)
	case 3:
		return indexed(base, step3, 1)
	default:
		return indexed(base, step, uint8(i))
	}
}

// loadSquare loads as many rows as a vector has numbers; with a mask the columns that there are.
func (t *tier) loadSquare(from, lds, lds3 reg.Register, mask ...reg.Register) []reg.VecVirtual {
	var rows []reg.VecVirtual
	base := from
	for i := range t.lanes {
		if i == 4 {
			next := t.GP64()
			t.LEAQ(indexed(from, lds, 4), next)
			base = next
		}
		v := t.vec()
		t.load(quarter(base, lds, lds3, i%4), v, 0, mask)
		rows = append(rows, v)
	}
	return rows
}

// transposed is the transpose of a square in registers.
func (t *tier) transposed(rows []reg.VecVirtual) []reg.VecVirtual {
	out := make([]reg.VecVirtual, len(rows))
	for i := range out {
		out[i] = t.vec()
	}
	t.transposedTo(out, rows)
	return out
}

// transposedTo is transposed in registers that there are.
func (t *tier) transposedTo(out, rows []reg.VecVirtual) {
	pairs := make([]reg.VecVirtual, len(rows)) // 2i: even columns of rows 2i and 2i+1 in turn, 2i+1: odd ones
	for i := 0; i < len(rows); i += 2 {
		pairs[i], pairs[i+1] = t.vec(), t.vec()
		t.VUNPCKLPD(rows[i+1], rows[i], pairs[i])
		t.VUNPCKHPD(rows[i+1], rows[i], pairs[i+1])
	}
	if !t.wide() {
		for odd := range 2 {
			t.VPERM2F128(operand.U8(0x20), pairs[2+odd], pairs[odd], out[odd])
			t.VPERM2F128(operand.U8(0x31), pairs[2+odd], pairs[odd], out[2+odd])
		}
		return
	}
	for column := range 4 { // columns c and c+4 come from the same quarters
		order := operand.U8(0x88)
		if column >= 2 {
			order = operand.U8(0xdd)
		}
		odd := column % 2
		upper, lower := t.vec(), t.vec()
		t.VSHUFF64X2(order, pairs[2+odd], pairs[odd], upper)
		t.VSHUFF64X2(order, pairs[6+odd], pairs[4+odd], lower)
		t.VSHUFF64X2(operand.U8(0x88), lower, upper, out[column])
		t.VSHUFF64X2(operand.U8(0xdd), lower, upper, out[column+4])
	}
}
