package plan

import "github.com/sngdgen/sngdgen/expr"

// laws prepares, in front of a loop over the rows, the functions under roots of which an operand stays the same.
func (p *planner) laws(roots []*expr.Node, dims []expr.Dim) {
	expr.Walk(func(n *expr.Node) {
		prepared, ok := expr.Preparation(n.Op)
		if !ok || !n.Type.Axes.Has(expr.Rows) {
			return
		}
		operand := n.Args[prepared.Operand]
		key := LawKey{prepared.Type, operand}
		if operand.Type.Axes.Has(expr.Rows) || operand.Op == expr.Const || p.prog.Laws[key] != "" {
			return
		}
		slot := 0
		for other := range p.prog.Laws {
			if other.Type == key.Type {
				slot++
			}
		}
		law := &Law{Name: p.localName("law"), Type: key.Type, Slot: slot, Operand: operand, Calls: dims,
			Stacked: operand.Type.Axes.Has(expr.Components)}
		p.prog.Laws[key] = law.Name
		p.within(operand.Type.Axes, func() { p.add(Stmt{Law: law}) })
	}, roots...)
}
