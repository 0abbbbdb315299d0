package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// gathering writes the kernel that copies rows from anywhere.
func (t *tier) gathering() {
	t.start("gather", "dst *float64, a *float64, rows *int, r, c int",
		"writes the r rows of A that are listed, each of c numbers, to dst, one behind the other. r is not 0.")
	dst, a, rows, r, width := t.arg("dst"), t.arg("a"), t.arg("rows"), t.arg("r"), t.bytes("c")
	mask := t.lastMask()
	t.Label("rows")
	from, to, c := t.GP64(), t.GP64(), t.arg("c")
	t.MOVQ(at(rows, 0), from)
	t.IMULQ(width, from)
	t.ADDQ(a, from)
	t.MOVQ(dst, to)
	t.overColumns(c, func(masks []reg.Register) {
		x := t.vec()
		t.load(at(from, 0), x, 0, masks)
		t.store(x, at(to, 0), 0, masks)
	}, mask, from, to)
	t.ADDQ(operand.U8(8), rows)
	t.ADDQ(width, dst)
	t.DECQ(r)
	t.JNZ(operand.LabelRef("rows"))
	t.end()
}
