package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// threeSeries writes the kernel of three power series, each number with coefficients of its own: the three coefficients of a power lie together, so that
// a vector of four is what comes of one number. Even and odd powers are added up apart.
func (t *tier) threeSeries() {
	t.start("series", "first *float64, second *float64, third *float64, x *float64, cells *int32, table *float64, size int, order int, n int",
		"writes the values of three series of n numbers less the middles of their cells. Cells have size bytes, and begin with 3 times order coefficients and the middle.")
	const step = 3 * 8
	x, cells, n := t.arg("x"), t.arg("cells"), t.arg("n")
	to := []reg.GPVirtual{t.arg("first"), t.arg("second"), t.arg("third")}
	table, size, last := t.arg("table"), t.arg("size"), t.arg("order")
	t.IMUL3Q(operand.U8(step), last, last) // the middle is there
	t.Label("numbers")
	cell, end := t.GP64(), t.GP64()
	t.MOVLQSX(at(cells, 0), cell)
	t.IMULQ(size, cell)
	t.ADDQ(table, cell)
	t.LEAQ(indexed(cell, last, 1), end)
	d, square := t.YMM(), t.YMM()
	low := d.AsX()
	t.VMOVSD(at(x, 0), low)
	t.VSUBSD(at(end, 0), low, low)
	t.VBROADCASTSD(low, d)
	t.VMULPD(d, d, square)
	even, odd := t.YMM(), t.YMM()
	t.VMOVUPD(at(end, -2*step), even)
	t.VMOVUPD(at(end, -step), odd)
	t.Label("powers")
	t.SUBQ(operand.U8(2*step), end)
	t.CMPQ(end, cell)
	t.JE(operand.LabelRef("sums"))
	t.VFMADD213PD(at(end, -2*step), square, even)
	t.VFMADD213PD(at(end, -step), square, odd)
	t.JMP(operand.LabelRef("powers"))
	t.Label("sums")
	t.VFMADD231PD(d, odd, even)
	third := t.XMM()
	t.VEXTRACTF128(operand.U8(1), even, third)
	t.VMOVSD(even.AsX(), at(to[0], 0))
	t.VMOVHPD(even.AsX(), at(to[1], 0))
	t.VMOVSD(third, at(to[2], 0))
	for _, p := range append(to, x) {
		t.ADDQ(operand.U8(8), p)
	}
	t.ADDQ(operand.U8(4), cells)
	t.DECQ(n)
	t.JNZ(operand.LabelRef("numbers"))
	t.end()
}
