package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// sumsOfSymmetric writes the kernels of sums of symmetric matrices: rows that get longer, as those of a lower triangle do, or stay as long.
func (t *tier) sumsOfSymmetric() {
	t.scaledSums("scaledSums", "", "", "writes s a + u (p_i x + q_i y) to r rows of dst, for rows of A, X and Y")
	t.scaledSums("sumsOfThree", "b *float64, ", "w float64, ", "writes s a + w b + u (p_i x + q_i y) to r rows of dst, for rows of A, B, X and Y")
}

// scaledSums writes one of them; the text of the arguments B and its factor is empty where it has none.
func (t *tier) scaledSums(name, ofB, factor, doc string) {
	t.start(name, "dst *float64, a *float64, "+ofB+"ld int, x *float64, ldx int, y *float64, ldy int, p *float64, q *float64, s float64, "+
		factor+"u float64, r, c, more int", doc+": c numbers of the first row, and of each further one so many more.")
	matrices := []reg.GPVirtual{t.arg("dst"), t.arg("a")}
	factors := []reg.VecVirtual{nil, t.everywhere("s")}
	if ofB != "" {
		matrices, factors = append(matrices, t.arg("b")), append(factors, t.everywhere("w"))
	}
	x, y, p, q := t.arg("x"), t.arg("y"), t.arg("p"), t.arg("q")
	ld, ldx, ldy := t.bytes("ld"), t.bytes("ldx"), t.bytes("ldy")
	ofSum := t.everywhere("u")
	t.Label("rows")
	mask := t.lastMask()
	ofX, ofY := t.vec(), t.vec()
	t.VBROADCASTSD(at(p, 0), ofX)
	t.VBROADCASTSD(at(q, 0), ofY)
	at, c := t.GP64(), t.arg("c")
	t.XORQ(at, at)
	t.overColumns(c, func(masks []reg.Register) {
		u, v := t.vec(), t.vec()
		t.load(indexed(x, at, 1), u, 0, masks)
		t.load(indexed(y, at, 1), v, 0, masks)
		var terms []reg.VecVirtual
		for _, m := range matrices[1:] {
			term := t.vec()
			t.load(indexed(m, at, 1), term, 0, masks)
			terms = append(terms, term)
		}
		t.VMULPD(u, ofX, u)
		t.VMULPD(v, ofY, v)
		t.VADDPD(v, u, u)
		t.VMULPD(u, ofSum, u)
		sum := terms[0]
		for i, term := range terms {
			t.VMULPD(term, factors[1+i], term)
			if i > 0 {
				t.VADDPD(term, sum, sum)
			}
		}
		t.VADDPD(u, sum, sum)
		t.store(sum, indexed(matrices[0], at, 1), 0, masks)
	}, mask, at)
	for _, m := range matrices {
		t.ADDQ(ld, m)
	}
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
