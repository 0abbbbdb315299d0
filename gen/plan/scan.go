package plan

import (
	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/program"
)

// scan computes the sum of a scan along the rows, and its derivatives where one of them is needed: those that are numbers under
// names, others into memory. It is no pass over the rows as the others are, since what a row has depends on those in front of it.
func (p *planner) scan(n *expr.Node, hint string) {
	s := &program.Solve{Op: n.Op, Fn: n.Fn, Args: make([]program.Operand, len(n.Args))}
	params := len(n.ScanParams())
	for i, a := range n.Args {
		switch {
		case i >= params:
			s.Args[i].Place = p.wholeColumn(a)
		case n.Fn.Params[i].Type.Rank > 0:
			s.Args[i].Place = p.operand(a, n.Fn.Params[i].Type)
		default:
			p.need(a)
			p.charge(a)
			p.later(&s.Args[i].Value, a)
		}
	}
	results := p.k.Graph.SeriesAll(n)
	if !p.anyNeeded(results[1:]) {
		results = results[:1]
	}
	for i, m := range results {
		var place *program.Place
		switch {
		case m.Type.Rank > 0:
			place = p.newBuffer(hint, program.ShapeOf(m.Type))
			p.refer(m, place)
		case p.uses[m] > 0:
			name := p.hintOf(m)
			if i == 0 {
				name = "total"
			}
			place = p.number(name)
			p.refer(m, place)
		}
		s.To = append(s.To, place)
	}
	p.add(s)
}

// anyNeeded reports whether the program uses one of several values.
func (p *planner) anyNeeded(list []*expr.Node) bool {
	for _, n := range list {
		if p.uses[n] > 0 {
			return true
		}
	}
	return false
}

// wholeColumn is a column of the data, from the first row to the last.
func (p *planner) wholeColumn(n *expr.Node) *program.Place {
	shape := program.ShapeOf(n.Type.Over(expr.Rows))
	rows := p.k.Rows
	switch {
	case rows == nil || rows.WithoutSeries:
		panic(Unsupported("a scan of rows that are not those of the data: " + n.String()))
	case n == rows.Sym:
		return fieldPlace("x", shape)
	case rows.Columns[n] != "":
		return fieldPlace(rows.Columns[n], shape)
	case rows.Fixed != nil && p.ofData(n):
		return fieldPlace(rows.Fixed.field(n), shape)
	}
	panic(Unsupported("a scan of what is no column of the data: " + n.String()))
}

// ofData reports whether a value depends on the data alone.
func (p *planner) ofData(n *expr.Node) bool {
	return !expr.Find(func(m *expr.Node) bool { return m.IsSym() && !p.k.Rows.given(m) }, n)
}
