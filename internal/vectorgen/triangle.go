package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// scaledSums writes the kernel of sums of symmetric matrices: rows that get longer, as those of a lower triangle do, or stay as long.
func (t *tier) scaledSums() {
	t.start("scaledSums", "dst *float64, a *float64, ld int, x *float64, ldx int, y *float64, ldy int, p *float64, q *float64, "+
		"s float64, u float64, r, c, more int",
		"writes s a + u (p_i x + q_i y) to r rows of dst, for rows of A, X and Y: c numbers of the first row, and of each further one so many more.")
	dst, a, x, y, p, q := t.arg("dst"), t.arg("a"), t.arg("x"), t.arg("y"), t.arg("p"), t.arg("q")
	ld, ldx, ldy := t.bytes("ld"), t.bytes("ldx"), t.bytes("ldy")
	ofA, ofSum := t.everywhere("s"), t.everywhere("u")
	t.Label("rows")
	mask := t.lastMask()
	ofX, ofY := t.vec(), t.vec()
	t.VBROADCASTSD(at(p, 0), ofX)
	t.VBROADCASTSD(at(q, 0), ofY)
	at, c := t.GP64(), t.arg("c")
	t.XORQ(at, at)
	t.overColumns(c, func(masks []reg.Register) {
		old, u, v := t.vec(), t.vec(), t.vec()
		t.load(indexed(x, at, 1), u, 0, masks)
		t.load(indexed(y, at, 1), v, 0, masks)
		t.load(indexed(a, at, 1), old, 0, masks)
		t.VMULPD(u, ofX, u)
		t.VMULPD(v, ofY, v)
		t.VADDPD(v, u, u)
		t.VMULPD(u, ofSum, u)
		t.VMULPD(old, ofA, old)
		t.VADDPD(u, old, old)
		t.store(old, indexed(dst, at, 1), 0, masks)
	}, mask, at)
	t.ADDQ(ld, dst)
	t.ADDQ(ld, a)
	t.ADDQ(ldx, x)
	t.ADDQ(ldy, y)
	t.ADDQ(operand.U8(8), p)
	t.ADDQ(operand.U8(8), q)
	columns, _ := t.Param("c").Resolve()
	t.ADDQ(t.arg("more"), columns.Addr)
	t.next("r", -1)
	t.JNZ(operand.LabelRef("rows"))
	t.end()
}
