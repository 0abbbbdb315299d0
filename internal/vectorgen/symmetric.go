package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// leftOfDiagonal writes the kernel of products of a symmetric matrix and a vector: the numbers left of the diagonal are read once, for the inner products of
// their rows and for the columns that they stand for. Their columns are whole eights, as AVX2 has no registers left for masks.
func (t *tier) leftOfDiagonal() {
	t.start("leftOfDiagonal", "y *float64, a *float64, lda int, x *float64, c int",
		"adds what eight rows of a symmetric A have left of the diagonal, c numbers each, to the product y of A and x: x_(c+i) times row i to the first c "+
			"numbers, the inner products of the rows with x to the eight behind them. c is a multiple of 8, and not 0.")
	d := &dots{tier: t, a: t.arg("a"), x: t.arg("x"), lda: t.strides(t.bytes("lda")), columns: &columnSums{}}
	d.columns.factors = t.GP64()
	t.LEAQ(operand.Mem{Base: d.x, Index: t.arg("c"), Scale: 8}, d.columns.factors)
	d.group(func(sums reg.VecVirtual, disp int) {
		behind, old := at(d.columns.y, disp), t.vec()
		t.VMOVUPD(behind, old)
		t.VADDPD(old, sums, sums)
		t.VMOVUPD(sums, behind)
	})
	t.end()
}

// columnSums are sums of rows, each times a factor of its own, added to y in the order of the rows: so they have the same bits however many rows are taken
// together. A nil one is none.
type columnSums struct {
	factors, y reg.GPVirtual // of the rows that are next, and of the columns
	of         []reg.VecVirtual
	sum        reg.VecVirtual
}

// begin takes some rows.
func (s *columnSums) begin(d *dots, rows int) {
	if s == nil {
		return
	}
	s.y, s.of = d.arg("y"), nil
	for i := range rows {
		v := d.vec()
		d.VBROADCASTSD(at(s.factors, 8*i), v)
		s.of = append(s.of, v)
	}
	d.ADDQ(operand.U8(8*rows), s.factors)
}

// load begins with a vector of columns, of those of eight.
func (s *columnSums) load(d *dots, v int) {
	if s != nil {
		s.sum = d.vec()
		d.VMOVUPD(at(s.y, 8*d.lanes*v), s.sum)
	}
}

func (s *columnSums) add(d *dots, row int, x reg.VecVirtual) {
	if s != nil {
		d.VFMADD231PD(x, s.of[row], s.sum)
	}
}

func (s *columnSums) store(d *dots, v int) {
	if s != nil {
		d.VMOVUPD(s.sum, at(s.y, 8*d.lanes*v))
	}
}

// next moves on to the next eight columns.
func (s *columnSums) next(d *dots) {
	if s != nil {
		d.ADDQ(operand.U8(8*together), s.y)
	}
}
