package plan

import (
	"strconv"

	"github.com/sngdgen/sngdgen/expr"
)

// mostUnrolled is the number of entries up to which a vector or a matrix of known lengths is written out, entry by entry,
// in place of a loop: a matrix of 3 by 3.
const mostUnrolled = 9

// unrolled reports whether entries are written out. For a block of rows that are the entries of one row.
func (s Shape) unrolled() bool {
	if len(s.Dims) == 0 {
		return false
	}
	n := 1
	for _, d := range s.Dims {
		if d.Name != "" {
			return false
		}
		n *= d.Size
	}
	return n <= mostUnrolled
}

// places lists the entries of a shape that is written out, with their indices.
func (s Shape) places() []at {
	var out []at
	row := ""
	if s.Block {
		row = "i"
	}
	for i := range s.Dims[0].Size {
		if len(s.Dims) == 1 {
			out = append(out, at{i: strconv.Itoa(i), row: row})
			continue
		}
		last := s.Dims[1].Size
		if s.Lower {
			last = i + 1
		}
		for j := range last {
			out = append(out, at{i: strconv.Itoa(i), j: strconv.Itoa(j), cols: s.Dims[1]})
		}
	}
	return out
}

// index is the place of an entry in the memory of a vector or a matrix; in a block of rows, in that of the block.
func (w at) index(rank int, d expr.Dim, block bool) string {
	switch {
	case rank == 2:
		return flat(w.i, d, w.j)
	case block:
		return flat("i", d, w.i)
	}
	return w.i
}

// flat is i*d + j, computed where all are numbers.
func flat(i string, d expr.Dim, j string) string {
	row, err := strconv.Atoi(i)
	column, err2 := strconv.Atoi(j)
	if err == nil && err2 == nil && d.Name == "" {
		return strconv.Itoa(row*d.Size + column)
	}
	return i + "*" + DimName(d) + "+" + j
}

// write writes the entries of a vector or a matrix to memory, in a loop or one by one.
func (p *planner) write(name string, s Shape, entry func(at) *expr.Node) {
	e := &Each{Shape: s}
	p.finishEach(e, func() {
		if s.Block || !s.unrolled() {
			e.Writes = []Write{{To: name, Node: entry(p.at(s))}}
			return
		}
		e.Shape = Shape{}
		for _, where := range s.places() {
			index := where.index(len(s.Dims), s.Dims[len(s.Dims)-1], false)
			e.Writes = append(e.Writes, Write{To: name, Node: entry(where), At: index})
		}
	}, name)
}

// sumOut is the sum of entries that are written out.
func (p *planner) sumOut(s Shape, term func(at) *expr.Node) *expr.Node {
	var terms []*expr.Node
	for _, where := range s.places() {
		terms = append(terms, term(where))
	}
	return p.k.Graph.Add(terms...)
}

// multiplyOut writes the product of a matrix, or of its transpose, and a vector, all in memory, entry by entry.
func (p *planner) multiplyOut(name, m, x string, t expr.Type, transposed bool) {
	g := p.k.Graph
	rows, columns := t.Dims[0], t.Dims[1]
	number := func(memory, index string) *expr.Node {
		p.touched = append(p.touched, memory)
		return p.entry(g.Fresh("memory", expr.Scalar, expr.Unknown), memory+"["+index+"]")
	}
	e := &Each{}
	p.finishEach(e, func() {
		length, inner := rows.Size, columns.Size
		if transposed {
			length, inner = inner, length
		}
		for k := range length {
			i, sum := strconv.Itoa(k), g.Const(0)
			for l := range inner {
				j := strconv.Itoa(l)
				index := flat(i, columns, j)
				if transposed {
					index = flat(j, columns, i)
				}
				sum = g.Add(sum, g.Mul(number(m, index), number(x, j)))
			}
			e.Writes = append(e.Writes, Write{To: name, Node: sum, At: i})
		}
	}, name)
}
