package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// solver is the state of the kernel of triangular solves.
type solver struct {
	*tier
	x, ldx      reg.GPVirtual // the next rows of X, in bytes
	l, row, col reg.GPVirtual // the next rows of L
	row3        reg.GPVirtual
	r, done     reg.GPVirtual // the next reciprocals, and how many rows are solved
	masks       []reg.Register
}

// solution writes the kernel that solves L X = B for a few columns, as many as two vectors have, by forward substitution. Strides
// of both signs make it the one for L' X = B too.
func (t *tier) solution() {
	t.start("solve", "x *float64, ldx int, l *float64, lRow, lColumn int, r *float64, n, columns int",
		"writes inv(L) X to X, of n x columns, for the reciprocals r of the diagonal of L. There are at most two vectors of columns.")
	s := &solver{tier: t}
	s.masks = t.columnMasks(t.arg("columns"), 2)
	s.x, s.ldx, s.l, s.row, s.col, s.r = t.arg("x"), t.bytes("ldx"), t.arg("l"), t.bytes("lRow"), t.bytes("lColumn"), t.arg("r")
	s.row3, s.done = t.GP64(), t.GP64()
	t.LEAQ(indexed(s.row, s.row, 2), s.row3)
	t.XORQ(s.done, s.done)
	left := t.AllocLocal(8)
	t.MOVQ(t.arg("n"), left)
	for _, rows := range []int{4, 2, 1} {
		loop, next := t.fresh("rows"), t.fresh("fewer")
		t.Label(loop)
		t.CMPQ(left, operand.U8(rows))
		t.JL(operand.LabelRef(next))
		s.rows(rows)
		t.SUBQ(operand.U8(rows), left)
		t.JMP(operand.LabelRef(loop))
		t.Label(next)
	}
	t.end()
}

// rows solves for some rows.
func (s *solver) rows(n int) {
	sums := make([][]reg.VecVirtual, n)
	row := s.GP64()
	s.MOVQ(s.x, row)
	for i := range sums {
		for v := range 2 {
			r := s.vec()
			s.load(at(row, 8*s.lanes*v), r, v, s.masks)
			sums[i] = append(sums[i], r)
		}
		s.ADDQ(s.ldx, row)
	}
	from := s.known(sums)
	s.triangle(sums, from)
	s.MOVQ(row, s.x)
	s.LEAQ(indexed(s.l, s.row, uint8(n)), s.l)
	s.ADDQ(operand.U8(n), s.done)
	s.ADDQ(operand.U8(8*n), s.r)
}

// known takes what is known off, and returns where the triangle on the diagonal begins.
func (s *solver) known(sums [][]reg.VecVirtual) reg.GPVirtual {
	from, x, k := s.GP64(), s.arg("x"), s.GP64()
	s.MOVQ(s.l, from)
	s.MOVQ(s.done, k)
	loop, end := s.fresh("known"), s.fresh("all")
	s.TESTQ(k, k)
	s.JZ(operand.LabelRef(end))
	s.Label(loop)
	var right []reg.VecVirtual
	for v := range 2 {
		r := s.vec()
		s.load(at(x, 8*s.lanes*v), r, v, s.masks)
		right = append(right, r)
	}
	s.ADDQ(s.ldx, x)
	for i, row := range sums {
		left := s.vec()
		s.VBROADCASTSD(quarter(from, s.row, s.row3, i), left)
		for v, sum := range row {
			s.VFNMADD231PD(right[v], left, sum)
		}
	}
	s.ADDQ(s.col, from)
	s.DECQ(k)
	s.JNZ(operand.LabelRef(loop))
	s.Label(end)
	return from
}

// triangle solves for the rows among themselves.
func (s *solver) triangle(sums [][]reg.VecVirtual, from reg.GPVirtual) {
	row := s.GP64()
	s.MOVQ(s.x, row)
	for i, solved := range sums {
		reciprocal := s.vec()
		s.VBROADCASTSD(at(s.r, 8*i), reciprocal)
		for v := range solved {
			s.VMULPD(reciprocal, solved[v], solved[v])
			s.store(solved[v], at(row, 8*s.lanes*v), v, s.masks)
		}
		s.ADDQ(s.ldx, row)
		for j := i + 1; j < len(sums); j++ {
			left := s.vec()
			s.VBROADCASTSD(quarter(from, s.row, s.row3, j), left)
			for v, sum := range sums[j] {
				s.VFNMADD231PD(solved[v], left, sum)
			}
		}
		s.ADDQ(s.col, from)
	}
}
