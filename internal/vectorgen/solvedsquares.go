package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// solvedSquares writes the kernel of squared norms of solutions with few numbers: those of as many rows as a vector has numbers stay in registers, from
// rows to squares. Operations are those of solve and squares, in their order, so that bits are the same.
func (t *tier) solvedSquares() {
	t.start("solvedSquares", "dst *float64, x *float64, l *float64, r, d int",
		"writes the squared norms of inv(L) x to dst, for the r rows x of X, whole vectors of them and not 0, of d numbers, at most as many as two "+
			"vectors have. Rows of L are 16 numbers apart, with reciprocals on the diagonal.")
	dst, x, l, r, d := t.arg("dst"), t.arg("x"), t.arg("l"), t.arg("r"), t.arg("d")
	ldx, ldx3 := t.bytes("d"), t.GP64()
	t.LEAQ(indexed(ldx, ldx, 2), ldx3)
	masks := t.columnMasks(d, 2)
	t.Label("rows")
	var solution []reg.VecVirtual
	for range 2 * t.lanes {
		solution = append(solution, t.vec())
	}
	first, second := solution[:t.lanes], solution[t.lanes:]
	t.transposedTo(first, t.loadSquare(x, ldx, ldx3, masks[0]))
	for _, v := range second {
		t.VXORPD(v, v, v)
	}
	t.CMPQ(d, operand.U8(t.lanes))
	t.JLE(operand.LabelRef("solve"))
	behind := t.GP64()
	t.LEAQ(at(x, 8*t.lanes), behind)
	t.transposedTo(second, t.loadSquare(behind, ldx, ldx3, masks[1]))
	t.Label("solve")
	for i, v := range solution {
		if i > 0 {
			t.CMPQ(d, operand.U8(i))
			t.JLE(operand.LabelRef("squares"))
		}
		for j, known := range solution[:i] {
			t.takeOffNumber(v, known, at(l, 8*(abreast*i+j)))
		}
		t.timesNumber(v, at(l, 8*(abreast*i+i)))
	}
	t.Label("squares")
	sums := solution[:together]
	for _, v := range sums {
		t.VMULPD(v, v, v)
	}
	for i, v := range solution[together:] {
		if i == 0 {
			t.CMPQ(d, operand.U8(together))
			t.JLE(operand.LabelRef("sums"))
		}
		t.VFMADD231PD(v, v, sums[i])
	}
	t.Label("sums")
	t.addedUp(sums)
	t.VMOVUPD(sums[0], at(dst, 0))
	t.ADDQ(operand.U8(8*t.lanes), dst)
	t.LEAQ(indexed(x, ldx, uint8(t.lanes)), x)
	t.SUBQ(operand.U8(t.lanes), r)
	t.JNZ(operand.LabelRef("rows"))
	t.end()
}

// takeOffNumber makes v v minus a number in memory times x.
func (t *tier) takeOffNumber(v, x reg.VecVirtual, a operand.Mem) {
	if t.wide() {
		t.VFNMADD231PD_BCST(a, x, v)
		return
	}
	number := t.vec()
	t.VBROADCASTSD(a, number)
	t.VFNMADD231PD(x, number, v)
}

// timesNumber makes v v times a number in memory.
func (t *tier) timesNumber(v reg.VecVirtual, a operand.Mem) {
	if t.wide() {
		t.VMULPD_BCST(a, v, v)
		return
	}
	number := t.vec()
	t.VBROADCASTSD(a, number)
	t.VMULPD(number, v, v)
}

// addedUp adds eight sums up in the first of them, in the order of inner products.
func (t *tier) addedUp(s []reg.VecVirtual) {
	for _, pair := range [][2]int{{0, 4}, {1, 5}, {2, 6}, {3, 7}, {0, 1}, {2, 3}, {0, 2}} {
		t.VADDPD(s[pair[1]], s[pair[0]], s[pair[0]])
	}
}
