package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// products writes the kernels of products: panels of one to three vectors.
func (t *tier) products() {
	for vectors := 1; vectors <= 3; vectors++ {
		for _, weighted := range []bool{false, true} {
			t.panel(vectors, weighted)
		}
	}
}

// panel is the state of one kernel of products.
type panel struct {
	*tier
	vectors  int
	weighted bool
	masked   bool // there may be fewer columns than the vectors have
	name     string

	a, c, lower      reg.GPVirtual  // where the next rows begin, and how many columns of the first of them are stored
	aRow, a3, a5, a7 reg.GPVirtual  // strides in bytes
	m, skip          operand.Mem    // how many rows there are left, and how many of the next ones are not stored
	masks            []reg.Register // of the vectors
}

const panelSignature = "c *float64, ldc int, a *float64, aRow, aColumn int, b *float64, ldb int, %sm, k, n int, alpha float64, lower int, overwrite int"

// panel writes the kernel that adds alpha A B to m rows of C, for n columns, at most those of its vectors.
func (t *tier) panel(vectors int, weighted bool) {
	p := &panel{tier: t, vectors: vectors, weighted: weighted, masked: t.wide() || vectors < 3}
	p.name = fmt.Sprintf("mul%d", vectors)
	weights, doc := "", "adds alpha A B to C, for A of m x k with any strides, and B of k x n with contiguous rows."
	if weighted {
		p.name, weights = p.name+"W", "w *float64, "
		doc = "adds alpha A diag(w) B to C, for A of m x k with any strides, and B of k x n with contiguous rows."
	}
	t.start(p.name, fmt.Sprintf(panelSignature, weights), doc)
	p.setup()
	p.strips()
	t.end()
}

// setup loads what does not change from strip to strip.
func (p *panel) setup() {
	p.a, p.c, p.lower, p.aRow = p.arg("a"), p.arg("c"), p.arg("lower"), p.bytes("aRow")
	p.m, p.skip = p.AllocLocal(8), p.AllocLocal(8)
	p.MOVQ(p.arg("m"), p.m)
	p.a3 = p.GP64()
	p.LEAQ(indexed(p.aRow, p.aRow, 2), p.a3)
	if p.rows == 8 {
		p.a5, p.a7 = p.GP64(), p.GP64()
		p.LEAQ(indexed(p.aRow, p.aRow, 4), p.a5)
		p.LEAQ(indexed(p.a3, p.aRow, 4), p.a7)
	}
	if p.masked {
		n := p.arg("n")
		p.masks = p.columnMasks(n, p.vectors)
	}
}

// strips takes blocks of as many rows as registers allow. The last block of all begins early where there are rows before it:
// what it finds for them is not stored. Two rows take no longer than one, which waits for its sums.
func (p *panel) strips() {
	sizes := []int{4, 2}
	if p.rows == 8 {
		sizes = []int{8, 4, 2}
	}
	for _, rows := range sizes {
		loop, next, run := p.fresh("strip"), p.fresh("rest"), p.fresh("run")
		p.Label(loop)
		p.MOVQ(operand.U32(0), p.skip)
		m := p.GP64()
		p.MOVQ(p.m, m)
		p.CMPQ(m, operand.U8(rows))
		p.JGE(operand.LabelRef(run))
		p.TESTQ(m, m)
		p.JZ(operand.LabelRef("done"))
		if rows == 8 {
			p.CMPQ(m, operand.U8(4)) // four are enough
			p.JLE(operand.LabelRef(next))
		}
		if rows == 2 { // of those before a last one there are none but these
			p.JMP(operand.LabelRef(next))
		} else {
			total := p.arg("m")
			p.CMPQ(total, operand.U8(rows))
			p.JL(operand.LabelRef(next))
			p.back(rows)
		}
		p.Label(run)
		p.block(rows)
		p.SUBQ(operand.U8(rows), p.m)
		p.JMP(operand.LabelRef(loop))
		p.Label(next)
	}
	loop := p.fresh("single")
	p.Label(loop)
	p.MOVQ(operand.U32(0), p.skip)
	p.CMPQ(p.m, operand.U8(0))
	p.JE(operand.LabelRef("done"))
	p.block(1)
	p.DECQ(p.m)
	p.JMP(operand.LabelRef(loop))
	p.Label("done")
}

// back moves the last block to where it is whole.
func (p *panel) back(rows int) {
	skip, by := p.GP64(), p.GP64()
	p.MOVQ(operand.U32(rows), skip)
	p.SUBQ(p.m, skip)
	p.MOVQ(operand.U32(rows), p.m)
	p.MOVQ(skip, p.skip)
	p.SUBQ(skip, p.lower)
	p.MOVQ(skip, by)
	p.IMULQ(p.aRow, by)
	p.SUBQ(by, p.a)
	ldc := p.bytes("ldc")
	p.IMULQ(ldc, skip)
	p.SUBQ(skip, p.c)
}

// block does some rows: the loop over k, then what becomes of the sums.
func (p *panel) block(rows int) {
	sums := make([][]reg.VecVirtual, rows)
	for i := range sums {
		for range p.vectors {
			v := p.vec()
			p.VXORPD(v, v, v)
			sums[i] = append(sums[i], v)
		}
	}
	p.ahead(rows)
	p.accumulate(sums)
	p.finish(sums)
	p.LEAQ(indexed(p.a, p.aRow, uint8(rows)), p.a)
	p.ADDQ(operand.U8(rows), p.lower)
}

// ahead asks for what will be needed of C, where there is time for it to come.
func (p *panel) ahead(rows int) {
	const worth = 64
	soon := p.fresh("soon")
	p.CMPQ(p.arg("k"), operand.U8(worth))
	p.JLE(operand.LabelRef(soon))
	row, ldc := p.GP64(), p.bytes("ldc")
	p.MOVQ(p.c, row)
	for i := range rows {
		for byte := 0; byte < 8*p.lanes*p.vectors; byte += 64 {
			p.PREFETCHT0(at(row, byte))
		}
		p.PREFETCHT0(at(row, 8*p.lanes*p.vectors-8))
		if i < rows-1 {
			p.ADDQ(ldc, row)
		}
	}
	p.Label(soon)
}

// accumulate is the loop over k.
func (p *panel) accumulate(sums [][]reg.VecVirtual) {
	from, b, k := p.GP64(), p.arg("b"), p.arg("k")
	ldb, aColumn := p.bytes("ldb"), p.bytes("aColumn")
	p.MOVQ(p.a, from)
	var w reg.GPVirtual
	if p.weighted {
		w = p.arg("w")
	}
	loop := p.fresh("k")
	p.Label(loop)
	var right []reg.VecVirtual
	for v := range p.vectors {
		r := p.vec()
		p.load(at(b, 8*p.lanes*v), r, v, p.masks)
		right = append(right, r)
	}
	if p.weighted {
		weight := p.vec()
		p.VBROADCASTSD(at(w, 0), weight)
		for _, r := range right {
			p.VMULPD(weight, r, r)
		}
		p.ADDQ(operand.U8(8), w)
	}
	if len(sums) == 8 && p.vectors == 3 {
		p.nextPanel(b)
	}
	p.ADDQ(ldb, b)
	for i, row := range sums {
		left := p.vec()
		p.VBROADCASTSD(p.element(from, i), left)
		for v, sum := range row {
			p.VFMADD231PD(right[v], left, sum)
		}
	}
	p.ADDQ(aColumn, from)
	p.DECQ(k)
	p.JNZ(operand.LabelRef(loop))
}

// nextPanel asks for the row of B behind that of this panel: no pattern of addresses tells the processor that it will be needed, as panels are
// columns of a large matrix. There is time for it in blocks of many rows alone.
func (p *panel) nextPanel(b reg.Register) {
	width := 8 * p.lanes * p.vectors
	for byte := 0; byte < width; byte += 64 {
		p.PREFETCHT1(at(b, width+byte))
	}
}

// element is that of row i of a block that begins at from.
func (p *panel) element(from reg.Register, i int) operand.Mem {
	switch i {
	case 0:
		return at(from, 0)
	case 1, 2, 4:
		return indexed(from, p.aRow, uint8(i))
	case 3:
		return indexed(from, p.a3, 1)
	case 5:
		return indexed(from, p.a5, 1)
	case 6:
		return indexed(from, p.a3, 2)
	default:
		return indexed(from, p.a7, 1)
	}
}

// load loads a vector of a row; with masks the columns that there are.
func (t *tier) load(from operand.Mem, to reg.VecVirtual, v int, masks []reg.Register) {
	switch {
	case masks == nil:
		t.VMOVUPD(from, to)
	case t.wide():
		t.VMOVUPD_Z(from, masks[v], to)
	default:
		t.VMASKMOVPD(from, masks[v], to)
	}
}

// store stores a vector of a row; with masks the columns that there are.
func (t *tier) store(from reg.VecVirtual, to operand.Mem, v int, masks []reg.Register) {
	switch {
	case masks == nil:
		t.VMOVUPD(from, to)
	case t.wide():
		t.VMOVUPD(from, masks[v], to)
	default:
		t.VMASKMOVPD(from, masks[v], to)
	}
}

// finish adds the sums to C. All of it is loaded before any of it is stored: a store with a mask delays loads of the numbers
// around it.
func (p *panel) finish(sums [][]reg.VecVirtual) {
	over := p.arg("overwrite")
	stores := p.fresh("stores")
	p.TESTQ(over, over)
	p.JNZ(operand.LabelRef(stores))
	p.addTo(sums)
	p.Label(stores)
	whole, end := p.fresh("whole"), p.fresh("end")
	n := p.arg("n")
	count := p.GP64()
	p.MOVQ(p.lower, count)
	p.CMPQ(count, n)
	p.JGE(operand.LabelRef(whole))
	p.eachRow(sums, func(i int, row reg.Register) {
		masks := p.triangleMasks(count, n)
		for v, sum := range sums[i] {
			p.store(sum, at(row, 8*p.lanes*v), v, masks)
		}
	}, func() { p.INCQ(count) })
	p.JMP(operand.LabelRef(end))
	p.Label(whole)
	p.eachRow(sums, func(i int, row reg.Register) {
		for v, sum := range sums[i] {
			p.store(sum, at(row, 8*p.lanes*v), v, p.masks)
		}
	}, nil)
	p.Label(end)
	by := p.GP64()
	p.IMUL3Q(operand.U8(len(sums)), p.bytes("ldc"), by)
	p.ADDQ(by, p.c)
}

// addTo replaces the sums by alpha times them plus C.
func (p *panel) addTo(sums [][]reg.VecVirtual) {
	alpha := p.vec()
	from, _ := p.Param("alpha").Resolve()
	p.VBROADCASTSD(from.Addr, alpha)
	row, ldc := p.GP64(), p.bytes("ldc")
	p.MOVQ(p.c, row)
	for _, sum := range sums {
		for v, s := range sum {
			old := p.vec()
			p.load(at(row, 8*p.lanes*v), old, v, p.masks)
			p.VFMADD213PD(old, alpha, s)
		}
		p.ADDQ(ldc, row)
	}
}

// eachRow goes through the rows that are to be stored, and does after even for those that are not.
func (p *panel) eachRow(sums [][]reg.VecVirtual, do func(i int, row reg.Register), after func()) {
	row, ldc := p.GP64(), p.bytes("ldc")
	p.MOVQ(p.c, row)
	for i := range sums {
		next := p.fresh("row")
		if i < len(sums)-1 { // the last one is never skipped
			p.CMPQ(p.skip, operand.U8(i))
			p.JG(operand.LabelRef(next))
		}
		do(i, row)
		p.Label(next)
		if i < len(sums)-1 {
			if after != nil {
				after()
			}
			p.ADDQ(ldc, row)
		}
	}
}
