package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// mostSparse is how many columns kernels of sparse products have at most: all sums are in registers of both tiers.
const mostSparse = 24

// sparseProducts writes the kernels of products with a matrix of which the entries that are not 0 are listed row by row. A sum is one chain in the
// order of the list, as in products of panels, to which a term that is 0 adds nothing: they have the same bits.
func (t *tier) sparseProducts() {
	for columns := 4; columns <= mostSparse; columns += 4 {
		t.sparse(columns)
	}
}

func (t *tier) sparse(columns int) {
	t.start(fmt.Sprintf("sparse%d", columns), "dst *float64, x *float64, column *int, starts *int, b *float64, r int, more int",
		fmt.Sprintf("writes the sums of A B, for A of r rows and B of %d columns, to dst; or goes on with those that are there. Entries x of row i of A are "+
			"those from starts[i] to starts[i+1]. Rows of B and dst are whole lines of memory apart. r is not 0.", columns))
	dst, x, column, starts, b, r := t.arg("dst"), t.arg("x"), t.arg("column"), t.arg("starts"), t.arg("b"), t.arg("r")
	stride := uint64((columns + 7) / 8 * 64)
	k, end := t.GP64(), t.GP64()
	t.MOVQ(at(starts, 0), k)
	t.Label("rows")
	t.ADDQ(operand.U8(8), starts)
	t.MOVQ(at(starts, 0), end)
	sums := t.sparseSums(columns)
	for _, sum := range sums {
		t.VXORPD(sum, sum, sum)
	}
	more := t.arg("more")
	t.TESTQ(more, more)
	t.JZ(operand.LabelRef("begin"))
	for v, sum := range sums {
		t.VMOVUPD(at(dst, 8*t.lanes*v), sum)
	}
	t.Label("begin")
	t.CMPQ(k, end)
	t.JGE(operand.LabelRef("store"))
	t.Label("entries")
	row, value := t.GP64(), t.vec()
	t.IMUL3Q(operand.I32(int32(stride)), indexed(column, k, 8), row)
	t.VBROADCASTSD(indexed(x, k, 8), value)
	for v, sum := range sums {
		from, times := indexed(b, row, 1), reg.VecVirtual(value)
		from.Disp = 8 * t.lanes * v
		if sum.Size() < value.Size() {
			times = value.AsY().(reg.VecVirtual)
		}
		t.VFMADD231PD(from, times, sum)
	}
	t.INCQ(k)
	t.CMPQ(k, end)
	t.JL(operand.LabelRef("entries"))
	t.Label("store")
	for v, sum := range sums {
		t.VMOVUPD(sum, at(dst, 8*t.lanes*v))
	}
	t.ADDQ(operand.I32(int32(stride)), dst)
	t.DECQ(r)
	t.JNZ(operand.LabelRef("rows"))
	t.end()
}

// sparseSums are registers for so many numbers, the last of which may be a half.
func (t *tier) sparseSums(columns int) (sums []reg.VecVirtual) {
	for ; columns >= t.lanes; columns -= t.lanes {
		sums = append(sums, t.vec())
	}
	if columns > 0 {
		sums = append(sums, t.YMM())
	}
	return sums
}
