package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// tested is how many numbers a round of the kernel takes that looks for those that are not finite.
const tested = 32

// finiteness writes the kernel that tells whether numbers are finite: 0 times them is 0 or NaN, and a sum in which a NaN is one too.
func (t *tier) finiteness() {
	t.start("timesZero", "dst *float64, x *float64, n int", "writes sums of 0 times the n numbers of x to 8 numbers: NaN where some are not finite.")
	x, n, dst := t.arg("x"), t.arg("n"), t.arg("dst")
	last := t.GP64()
	t.MOVQ(n, last)
	t.ANDQ(operand.I32(int32(t.lanes-1)), last)
	mask := t.columnMasks(last, 1)
	zero := t.vec()
	t.VXORPD(zero, zero, zero)
	sums := make([]reg.VecVirtual, tested/t.lanes)
	for i := range sums {
		sums[i] = t.vec()
		t.VXORPD(sums[i], sums[i], sums[i])
	}
	t.Label("rounds")
	t.CMPQ(n, operand.U8(tested))
	t.JL(operand.LabelRef("fewer"))
	for i, sum := range sums {
		t.VFMADD231PD(at(x, 8*t.lanes*i), zero, sum)
	}
	t.ADDQ(operand.I32(8*tested), x)
	t.SUBQ(operand.U8(tested), n)
	t.JMP(operand.LabelRef("rounds"))
	t.Label("fewer")
	t.overColumns(n, func(masks []reg.Register) {
		v := t.vec()
		t.load(at(x, 0), v, 0, masks)
		t.VFMADD231PD(v, zero, sums[0])
	}, mask, x)
	kept := together / t.lanes
	for i := kept; i < len(sums); i++ {
		t.VADDPD(sums[i], sums[i%kept], sums[i%kept])
	}
	for i := range kept {
		t.VMOVUPD(sums[i], at(dst, 8*t.lanes*i))
	}
	t.end()
}
