package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// powers is how many coefficients a series has: special.order.
const powers = 14

// threeSeries writes the kernel of three power series, each number with coefficients of its own: the three coefficients of a power lie together, with a fourth
// number that is none, so that a vector of four is what comes of one number, and lies in one line of the cache. Even and odd powers are added up apart.
func (t *tier) threeSeries() {
	t.start("series", "first *float64, second *float64, third *float64, x *float64, cells *int32, table *float64, size int, n int",
		"writes the values of three series of n numbers less the middles of their cells. Cells have size bytes, and begin with 14 times 3 coefficients and another number, of which the first is the middle.")
	const step = 4 * 8
	x, cells, n := t.arg("x"), t.arg("cells"), t.arg("n")
	to := []reg.GPVirtual{t.arg("first"), t.arg("second"), t.arg("third")}
	table, size := t.arg("table"), t.arg("size")
	t.Label("numbers")
	cell := t.GP64()
	t.MOVLQSX(at(cells, 0), cell)
	t.IMULQ(size, cell)
	t.ADDQ(table, cell)
	d, square := t.YMM(), t.YMM()
	low := d.AsX()
	t.VMOVSD(at(x, 0), low)
	t.VSUBSD(at(cell, 3*8), low, low)
	t.VBROADCASTSD(low, d)
	t.VMULPD(d, d, square)
	even, odd := t.YMM(), t.YMM()
	t.VMOVUPD(at(cell, (powers-2)*step), even)
	t.VMOVUPD(at(cell, (powers-1)*step), odd)
	for p := powers - 4; p >= 0; p -= 2 {
		t.VFMADD213PD(at(cell, p*step), square, even)
		t.VFMADD213PD(at(cell, (p+1)*step), square, odd)
	}
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
