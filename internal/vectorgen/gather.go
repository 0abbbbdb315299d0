package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// rowsAhead is how many rows before it is copied a row is asked for: rows from anywhere are not in the cache, and nobody could guess which is next.
const rowsAhead = 8

// gathering writes the kernel that copies rows from anywhere.
func (t *tier) gathering() {
	t.start("gather", "dst *float64, a *float64, rows *int, r, c int",
		"writes the r rows of A that are listed, each of c numbers, to dst, one behind the other. r is not 0.")
	dst, a, rows, r, width := t.arg("dst"), t.arg("a"), t.arg("rows"), t.arg("r"), t.bytes("c")
	last := t.GP64()
	t.LEAQ(operand.Mem{Base: rows, Index: r, Scale: 8, Disp: -8}, last)
	mask := t.lastMask()
	t.Label("rows")
	from, to, soon, c := t.GP64(), t.GP64(), t.GP64(), t.arg("c")
	t.LEAQ(at(rows, 8*rowsAhead), soon)
	t.CMPQ(soon, last)
	t.CMOVQGT(last, soon)
	t.MOVQ(at(soon, 0), soon)
	t.IMULQ(width, soon)
	t.ADDQ(a, soon)
	t.PREFETCHT0(operand.Mem{Base: soon, Index: width, Scale: 1, Disp: -8})
	t.MOVQ(at(rows, 0), from)
	t.IMULQ(width, from)
	t.ADDQ(a, from)
	t.MOVQ(dst, to)
	t.copied(c, mask, from, to, soon)
	t.ADDQ(operand.U8(8), rows)
	t.ADDQ(width, dst)
	t.DECQ(r)
	t.JNZ(operand.LabelRef("rows"))
	t.end()
}

// copied copies c numbers, and asks for as many others. The last vector ends where they end, where there are so many: a store with a mask delays those
// behind it.
func (t *tier) copied(c reg.GPVirtual, mask []reg.Register, from, to, soon reg.GPVirtual) {
	move := func(masks []reg.Register) {
		x := t.vec()
		t.load(at(from, 0), x, 0, masks)
		t.store(x, at(to, 0), 0, masks)
	}
	loop, short, end := t.fresh("columns"), t.fresh("short"), t.fresh("end")
	t.SUBQ(operand.U8(t.lanes), c)
	t.JL(operand.LabelRef(short))
	t.Label(loop)
	t.PREFETCHT0(at(soon, 0))
	move(nil)
	for _, p := range []reg.GPVirtual{from, to, soon} {
		t.ADDQ(operand.U8(8*t.lanes), p)
	}
	t.SUBQ(operand.U8(t.lanes), c)
	t.JGE(operand.LabelRef(loop))
	t.CMPQ(c, operand.I8(int8(-t.lanes)))
	t.JE(operand.LabelRef(end))
	for _, p := range []reg.GPVirtual{from, to} {
		t.LEAQ(indexed(p, c, 8), p)
	}
	move(nil)
	t.JMP(operand.LabelRef(end))
	t.Label(short)
	move(mask)
	t.Label(end)
}
