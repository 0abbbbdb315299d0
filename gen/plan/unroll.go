package plan

import (
	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/program"
)

// mostUnrolled is the number of entries up to which a vector or a matrix of known lengths is written out, entry by entry,
// in place of a loop: a matrix of 3 by 3.
const mostUnrolled = 9

// unrolled reports whether entries are written out. For a block of rows that are the entries of one row.
func (p *planner) unrolled(s program.Shape) bool {
	if len(s.Dims) == 0 || !p.may(choiceUnroll) {
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

// literal reports whether the entries of a vector are numbers that are known, and written out where they are needed.
func (p *planner) literal(n *expr.Node) bool {
	if n.Type.Rank != 1 || !p.unrolled(program.ShapeOf(n.Type)) {
		return false
	}
	known, ofEntries := true, false
	expr.Walk(func(m *expr.Node) {
		known = known && (len(m.Args) > 0 || m.Op == expr.Const || m.Op == expr.Iota || m.Op == expr.Table)
		ofEntries = ofEntries || m.Op == expr.Iota || m.Op == expr.Table
	}, n)
	return known && ofEntries
}

// entriesOf lists the entries of a shape that is written out, with their indices.
func entriesOf(s program.Shape) []at {
	var out []at
	row := program.Index{}
	if s.Block {
		row = overI
	}
	for i := range s.Dims[0].Size {
		if len(s.Dims) == 1 {
			out = append(out, at{i: program.At(i), row: row})
			continue
		}
		last := s.Dims[1].Size
		if s.Lower {
			last = i + 1
		}
		for j := range last {
			out = append(out, at{i: program.At(i), j: program.At(j)})
		}
	}
	return out
}

// write writes the entries of a vector or a matrix to memory, in a loop or one by one.
func (p *planner) write(to *program.Place, s program.Shape, entry func(at) *expr.Node) {
	e, places := newEach(s), []at{p.at(s)}
	p.finishEach(e, func() {
		if !s.Block && p.unrolled(s) {
			e.Shape, places = program.Shape{}, entriesOf(s)
		}
		for _, where := range places {
			e.write(entry(where), program.Write{To: program.Ref{Place: to, At: where.entry(len(s.Dims), s.Block)}})
		}
	})
}

// sumOut is the sum of entries that are written out.
func (p *planner) sumOut(s program.Shape, term func(at) *expr.Node) *expr.Node {
	var terms []*expr.Node
	for _, where := range entriesOf(s) {
		terms = append(terms, term(where))
	}
	return p.k.Graph.Add(terms...)
}

// multiplyOut writes the product of a matrix, or of its transpose, and a vector, all in memory, entry by entry.
func (p *planner) multiplyOut(to, m, x *program.Place, t expr.Type, transposed bool) {
	g := p.k.Graph
	number := func(memory *program.Place, at ...program.Index) *expr.Node {
		return p.entry(g.Fresh("memory", expr.Scalar, expr.Computed), program.Ref{Place: memory, At: at})
	}
	e := newEach(program.Shape{})
	p.finishEach(e, func() {
		length, inner := t.Dims[0].Size, t.Dims[1].Size
		if transposed {
			length, inner = inner, length
		}
		for k := range length {
			sum := g.Const(0)
			for l := range inner {
				row, column := program.At(k), program.At(l)
				if transposed {
					row, column = column, row
				}
				sum = g.Add(sum, g.Mul(number(m, row, column), number(x, program.At(l))))
			}
			e.write(sum, program.Write{To: program.Ref{Place: to, At: []program.Index{program.At(k)}}})
		}
	})
}
