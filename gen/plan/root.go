package plan

import (
	"slices"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/program"
)

// shapedRoot reports whether a node is an unknown of a system with vectors.
func shapedRoot(n *expr.Node) bool { return n.Op == expr.Root && n.Fn.Shaped() }

// solveShaped computes all unknowns of a system with vectors: those that are vectors into memory.
func (p *planner) solveShaped(n *expr.Node, hint string) {
	if n.Type.Axes.Has(expr.Rows) {
		panic(Unsupported("a system of equations in vectors for every row: " + n.String()))
	}
	s := &program.Solve{Op: n.Op, Fn: n.Fn, Args: make([]program.Operand, len(n.Args))}
	for i, a := range n.Args {
		if t := n.Fn.Params[i].Type; t.Rank > 0 {
			s.Args[i].Place = p.operand(a, t)
		} else {
			p.need(a)
			p.charge(a)
			p.later(&s.Args[i].Value, a)
		}
	}
	for _, m := range p.k.Graph.Roots(n.Fn, n.Args) {
		var place *program.Place
		switch {
		case m.Type.Rank > 0:
			if place = p.destination(m); place == nil || slices.Contains(s.To, place) {
				place = p.newBuffer(hint, program.ShapeOf(m.Type))
			}
			p.refer(m, place)
		case p.current[m] > 0:
			place = p.number(p.hintOf(m))
			p.refer(m, place)
		}
		s.To = append(s.To, place)
	}
	p.add(s)
}

// operand is the memory of a vector of a type; a number is written to all entries.
func (p *planner) operand(n *expr.Node, t expr.Type) *program.Place {
	p.need(n)
	if n.Type.Rank > 0 {
		return p.buffer(n)
	}
	place := p.newBuffer("", program.ShapeOf(t))
	p.fillPart(place, n, program.ShapeOf(t))
	return place
}
