package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// abreast is how many rows of a block stand side by side where they are solved for.
const abreast = 16

// squares writes the kernel of squared norms of the columns of sixteen numbers a row. Squares are added up in the order of dots, which gives
// the same bits for the same numbers one behind the other.
func (t *tier) squares() {
	t.start("squares", "dst *float64, x *float64, n int",
		"writes the squared norms of the columns of n x 16 numbers to dst. n is not 0.")
	vectors := 1
	if t.wide() {
		vectors = 2
	}
	for first := 0; first < abreast; first += vectors * t.lanes {
		t.squaresOf(first, vectors)
	}
	t.end()
}

// squaresOf does the columns of some vectors, from the first one on.
func (t *tier) squaresOf(first, vectors int) {
	x, n, dst := t.arg("x"), t.arg("n"), t.arg("dst")
	sums := make([][together]reg.VecVirtual, vectors)
	for v := range sums {
		for i := range sums[v] {
			r := t.vec()
			t.VXORPD(r, r, r)
			sums[v][i] = r
		}
	}
	row := func(i int) {
		for v := range sums {
			r := t.vec()
			t.VMOVUPD(at(x, 8*(abreast*i+first+t.lanes*v)), r)
			t.VFMADD231PD(r, r, sums[v][i])
		}
	}
	loop, rest, end := t.fresh("rows"), t.fresh("rest"), t.fresh("end")
	t.SUBQ(operand.U8(together), n)
	t.JL(operand.LabelRef(rest))
	t.Label(loop)
	for i := range together {
		row(i)
	}
	t.ADDQ(operand.I32(8*abreast*together), x)
	t.SUBQ(operand.U8(together), n)
	t.JGE(operand.LabelRef(loop))
	t.Label(rest)
	for i := range together - 1 {
		t.CMPQ(n, operand.I8(int8(i-together)))
		t.JE(operand.LabelRef(end))
		row(i)
	}
	t.Label(end)
	for v, s := range sums {
		t.addedUp(s[:])
		t.VMOVUPD(s[0], at(dst, 8*(first+t.lanes*v)))
	}
}
