package plan

import (
	"slices"

	"github.com/sngdgen/sngdgen/expr"
)

// shapedRoot reports whether a node is an unknown of a system with vectors.
func shapedRoot(n *expr.Node) bool { return n.Op == expr.Root && n.Fn.Shaped() }

// solveShaped computes all unknowns of a system with vectors: those that are vectors into memory.
func (p *planner) solveShaped(n *expr.Node, hint string) {
	if n.Type.Axes.Has(expr.Rows) {
		panic(Unsupported("a system of equations in vectors for every row: " + n.String()))
	}
	s := &Solve{Root: n}
	var uses []string
	for i, a := range n.Args {
		arg := Arg{Node: a}
		if t := n.Fn.Params[i].Type; t.Rank > 0 {
			arg = Arg{Text: p.operand(a, t)}
			uses = append(uses, arg.Text)
		} else {
			p.need(a)
			p.charge(a)
		}
		s.Args = append(s.Args, arg)
	}
	for _, m := range p.k.Graph.Roots(n.Fn, n.Args) {
		name := "_"
		switch {
		case m.Type.Rank > 0:
			if name = p.destination(m); name == "" || slices.Contains(s.Names, name) {
				name = p.newBuffer(hint, shapeOf(m.Type))
			}
			uses = append(uses, name)
			p.named[m] = name
		case p.current[m] > 0:
			name = p.localName(p.hints[m])
			p.named[m] = name
		}
		s.Names = append(s.Names, name)
	}
	p.emit(Stmt{Solve: s}, uses...)
}

// operand is the memory of a vector of a type; a number is written to all entries.
func (p *planner) operand(n *expr.Node, t expr.Type) string {
	if n.Type.Rank > 0 {
		p.need(n)
		return p.buffer(n)
	}
	p.need(n)
	name := p.newBuffer("", shapeOf(t))
	p.fillPart(name, n, shapeOf(t))
	return name
}
