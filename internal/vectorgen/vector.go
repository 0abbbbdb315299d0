package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// together is how many rows are taken together by products with vectors.
const together = 8

// strides are the multiples of a stride that go into addresses of eight rows.
type strides struct{ one, three, five, seven reg.GPVirtual }

func (t *tier) strides(one reg.GPVirtual) strides {
	s := strides{one, t.GP64(), t.GP64(), t.GP64()}
	t.LEAQ(indexed(one, one, 2), s.three)
	t.LEAQ(indexed(one, one, 4), s.five)
	t.LEAQ(indexed(s.three, one, 4), s.seven)
	return s
}

// row is the memory of row i of eight.
func (s strides) row(base reg.Register, i int) operand.Mem {
	switch i {
	case 0:
		return at(base, 0)
	case 1, 2, 4:
		return indexed(base, s.one, uint8(i))
	case 3:
		return indexed(base, s.three, 1)
	case 5:
		return indexed(base, s.five, 1)
	case 6:
		return indexed(base, s.three, 2)
	default:
		return indexed(base, s.seven, 1)
	}
}

// combination writes the kernel of products of a transpose and a vector: sums of rows. The products of eight rows are added up
// before they are added to the result, which otherwise would wait for every one of them.
func (t *tier) combination() {
	t.start("combine", "dst *float64, a *float64, lda int, w *float64, r, c int",
		"adds the sum of w_i times row i of A, of r x c, to dst.")
	a, w, r, lda := t.arg("a"), t.arg("w"), t.arg("r"), t.strides(t.bytes("lda"))
	mask := t.lastMask()
	for _, rows := range []int{together, 1} {
		loop, next := t.fresh("rows"), t.fresh("fewer")
		t.Label(loop)
		t.CMPQ(r, operand.U8(rows))
		t.JL(operand.LabelRef(next))
		var weights []reg.VecVirtual
		for i := range rows {
			v := t.vec()
			t.VBROADCASTSD(at(w, 8*i), v)
			weights = append(weights, v)
		}
		t.combineRows(a, lda, weights, mask)
		t.ADDQ(operand.U8(8*rows), w)
		t.LEAQ(indexed(a, lda.one, uint8(rows)), a)
		t.SUBQ(operand.U8(rows), r)
		t.JMP(operand.LabelRef(loop))
		t.Label(next)
	}
	t.end()
}

// lastMask is that of the columns that are left behind whole vectors.
func (t *tier) lastMask() []reg.Register {
	last := t.arg("c")
	t.ANDQ(operand.I32(int32(t.lanes-1)), last)
	return t.columnMasks(last, 1)
}

// combineRows adds some rows times their weights to dst.
func (t *tier) combineRows(a reg.Register, lda strides, weights []reg.VecVirtual, mask []reg.Register) {
	from, dst, c := t.GP64(), t.arg("dst"), t.arg("c")
	t.MOVQ(a, from)
	t.overColumns(c, func(masks []reg.Register) {
		sum, old := t.vec(), t.vec()
		for i, w := range weights {
			x := t.vec()
			t.load(lda.row(from, i), x, 0, masks)
			if i == 0 {
				t.VMULPD(x, w, sum)
			} else {
				t.VFMADD231PD(x, w, sum)
			}
		}
		t.load(at(dst, 0), old, 0, masks)
		t.VADDPD(old, sum, sum)
		t.store(sum, at(dst, 0), 0, masks)
	}, mask, from, dst)
}

// scaledRows writes the kernel that adds rows, each times a number of its own, to the rows of a matrix: of one row again and again it is an outer
// product. Products are rounded before they are added, as in loops.
func (t *tier) scaledRows() {
	t.start("scaledRows", "dst *float64, a *float64, lda int, s *float64, r, c int",
		"adds s_i times row i of A, of r x c, to row i of dst, whose rows are contiguous.")
	dst, a, s, r := t.arg("dst"), t.arg("a"), t.arg("s"), t.arg("r")
	lda, ldd := t.bytes("lda"), t.bytes("c")
	mask := t.lastMask()
	t.Label("rows")
	scale := t.vec()
	t.VBROADCASTSD(at(s, 0), scale)
	from, to, c := t.GP64(), t.GP64(), t.arg("c")
	t.MOVQ(a, from)
	t.MOVQ(dst, to)
	t.overColumns(c, func(masks []reg.Register) {
		x, old := t.vec(), t.vec()
		t.load(at(from, 0), x, 0, masks)
		t.load(at(to, 0), old, 0, masks)
		t.VMULPD(x, scale, x)
		t.VADDPD(old, x, x)
		t.store(x, at(to, 0), 0, masks)
	}, mask, from, to)
	t.ADDQ(operand.U8(8), s)
	t.ADDQ(lda, a)
	t.ADDQ(ldd, dst)
	t.DECQ(r)
	t.JNZ(operand.LabelRef("rows"))
	t.end()
}

// overColumns does something for every vector of c columns, with a mask for the last one where it is not whole. The pointers
// move on.
func (t *tier) overColumns(c reg.GPVirtual, do func(masks []reg.Register), last []reg.Register, pointers ...reg.GPVirtual) {
	loop, rest, end := t.fresh("columns"), t.fresh("rest"), t.fresh("end")
	t.SUBQ(operand.U8(t.lanes), c)
	t.JL(operand.LabelRef(rest))
	t.Label(loop)
	do(nil)
	for _, p := range pointers {
		t.ADDQ(operand.U8(8*t.lanes), p)
	}
	t.SUBQ(operand.U8(t.lanes), c)
	t.JGE(operand.LabelRef(loop))
	t.Label(rest)
	t.CMPQ(c, operand.I8(int8(-t.lanes)))
	t.JE(operand.LabelRef(end))
	do(last)
	t.Label(end)
}

// dotProducts writes the kernels of inner products of rows: with one vector, or with the rows of another block.
func (t *tier) dotProducts() {
	t.dots("dots", "x *float64, ", "writes the inner products of eight rows of A, each of c numbers, with x to eight numbers of dst.", false)
	t.dots("rowDots", "x *float64, ldx int, ", "writes the inner products of eight rows of A with eight of X, each of c numbers, to eight numbers of dst.", true)
}

// dots writes a kernel for eight rows. There are eight sums for each of them, whatever the vectors are, so that all tiers add up
// in the same order.
func (t *tier) dots(name, x, doc string, own bool) {
	t.start(name, "dst *float64, a *float64, lda int, "+x+"groups, c int", doc+" It goes on with the next eight rows, as often as groups says.")
	d := &dots{tier: t, a: t.arg("a"), x: t.arg("x"), lda: t.strides(t.bytes("lda"))}
	if own {
		d.ldx = t.strides(t.bytes("ldx"))
	}
	last := t.arg("c")
	t.ANDQ(operand.I32(together-1), last)
	d.masks = t.columnMasks(last, together/t.lanes)
	t.Label("groups")
	d.group(func(sums reg.VecVirtual, disp int) { t.VMOVUPD(sums, at(t.arg("dst"), disp)) })
	t.next("dst", 64)
	t.next("groups", -1)
	t.JNZ(operand.LabelRef("groups"))
	t.end()
}

// group does eight rows, and hands on the sums of as many as a vector has numbers, with where they belong, in bytes.
func (d *dots) group(store func(sums reg.VecVirtual, disp int)) {
	if d.wide() {
		store(d.eight(), 0)
		return
	}
	for _, disp := range []int{0, 32} {
		store(d.four(), disp)
	}
}

// next adds a number to an argument, where it is kept.
func (t *tier) next(name string, by int32) {
	p, _ := t.Param(name).Resolve()
	t.ADDQ(operand.I32(by), p.Addr)
}

// dots is the state of a kernel of inner products.
type dots struct {
	*tier
	a, x     reg.GPVirtual
	lda, ldx strides // the latter nil where all rows are multiplied by the same vector
	masks    []reg.Register
	columns  *columnSums // of the same rows, or nil
}

// sums gives the sums of some rows, of each as many vectors as eight numbers have, and moves on to the next rows.
func (d *dots) sums(rows int) [][]reg.VecVirtual {
	sums := make([][]reg.VecVirtual, rows)
	for i := range sums {
		for range together / d.lanes {
			v := d.vec()
			d.VXORPD(v, v, v)
			sums[i] = append(sums[i], v)
		}
	}
	from, x, c := d.GP64(), d.GP64(), d.arg("c")
	d.MOVQ(d.a, from)
	d.MOVQ(d.x, x)
	d.columns.begin(d, rows)
	loop, rest, end := d.fresh("columns"), d.fresh("rest"), d.fresh("end")
	d.SUBQ(operand.U8(together), c)
	d.JL(operand.LabelRef(rest))
	d.Label(loop)
	d.add(sums, from, x, nil)
	d.ADDQ(operand.U8(8*together), from)
	d.ADDQ(operand.U8(8*together), x)
	d.columns.next(d)
	d.SUBQ(operand.U8(together), c)
	d.JGE(operand.LabelRef(loop))
	d.Label(rest)
	if d.masks != nil {
		d.CMPQ(c, operand.I8(-together))
		d.JE(operand.LabelRef(end))
		d.add(sums, from, x, d.masks)
	}
	d.Label(end)
	d.LEAQ(indexed(d.a, d.lda.one, uint8(rows)), d.a)
	if d.ldx.one != nil {
		d.LEAQ(indexed(d.x, d.ldx.one, uint8(rows)), d.x)
	}
	return sums
}

// add adds the products of eight columns.
func (d *dots) add(sums [][]reg.VecVirtual, from, x reg.Register, masks []reg.Register) {
	for v := range sums[0] {
		var right reg.VecVirtual
		d.columns.load(d, v)
		for i := range sums {
			if i == 0 || d.ldx.one != nil {
				place := at(x, 0)
				if d.ldx.one != nil {
					place = d.ldx.row(x, i)
				}
				place.Disp = 8 * d.lanes * v
				right = d.vec()
				d.load(place, right, v, masks)
			}
			left, place := d.vec(), d.lda.row(from, i)
			place.Disp = 8 * d.lanes * v
			d.load(place, left, v, masks)
			d.VFMADD231PD(right, left, sums[i][v])
			d.columns.add(d, i, left)
		}
		d.columns.store(d, v)
	}
}

// four does four rows of AVX2.
func (d *dots) four() reg.VecVirtual {
	sums := d.sums(4)
	for _, s := range sums {
		d.VADDPD(s[1], s[0], s[0])
	}
	lower, upper := d.pairs(sums[0][0], sums[1][0]), d.pairs(sums[2][0], sums[3][0])
	first, second := d.vec(), d.vec()
	d.VPERM2F128(operand.U8(0x20), upper, lower, first)
	d.VPERM2F128(operand.U8(0x31), upper, lower, second)
	d.VADDPD(second, first, first)
	return first
}

// eight does eight rows of AVX-512.
func (d *dots) eight() reg.VecVirtual {
	sums := d.sums(8)
	var folded []reg.VecVirtual // of two rows each: the lower halves plus the upper ones
	for _, p := range [][2]int{{0, 2}, {1, 3}, {4, 6}, {5, 7}} {
		folded = append(folded, d.halves(0x44, 0xee, sums[p[0]][0], sums[p[1]][0]))
	}
	return d.halves(0x88, 0xdd, d.pairs(folded[0], folded[1]), d.pairs(folded[2], folded[3]))
}

// halves adds one choice of the quarters of two vectors to another.
func (d *dots) halves(one, other uint8, x, y reg.VecVirtual) reg.VecVirtual {
	a, b := d.vec(), d.vec()
	d.VSHUFF64X2(operand.U8(one), y, x, a)
	d.VSHUFF64X2(operand.U8(other), y, x, b)
	d.VADDPD(b, a, a)
	return a
}

// pairs adds the even numbers of two vectors to the odd ones.
func (d *dots) pairs(x, y reg.VecVirtual) reg.VecVirtual {
	a, b := d.vec(), d.vec()
	d.VUNPCKLPD(y, x, a)
	d.VUNPCKHPD(y, x, b)
	d.VADDPD(b, a, a)
	return a
}
