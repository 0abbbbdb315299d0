package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// abreast is how many rows of a block stand side by side where they are solved for.
const abreast = 16

// squares writes the kernel of squared norms of the columns of sixteen numbers a row. Even and odd rows are added up apart.
func (t *tier) squares() {
	t.start("squares", "dst *float64, x *float64, n int",
		"writes the squared norms of the columns of n x 16 numbers to dst. n is not 0.")
	x, n := t.arg("x"), t.arg("n")
	vectors := abreast / t.lanes
	sums := make([][2]reg.VecVirtual, vectors)
	for v := range sums {
		for odd := range sums[v] {
			r := t.vec()
			t.VXORPD(r, r, r)
			sums[v][odd] = r
		}
	}
	row := func(odd int) {
		for v := range sums {
			r := t.vec()
			t.VMOVUPD(at(x, 8*(abreast*odd+t.lanes*v)), r)
			t.VFMADD231PD(r, r, sums[v][odd])
		}
	}
	t.SUBQ(operand.U8(2), n)
	t.JL(operand.LabelRef("last"))
	t.Label("rows")
	row(0)
	row(1)
	t.ADDQ(operand.I32(2*8*abreast), x)
	t.SUBQ(operand.U8(2), n)
	t.JGE(operand.LabelRef("rows"))
	t.Label("last")
	t.CMPQ(n, operand.I8(-2))
	t.JE(operand.LabelRef("even"))
	row(0)
	t.Label("even")
	dst := t.arg("dst")
	for v, s := range sums {
		t.VADDPD(s[0], s[1], s[0])
		t.VMOVUPD(s[0], at(dst, 8*t.lanes*v))
	}
	t.end()
}
