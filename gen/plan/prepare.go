package plan

import "github.com/sngdgen/sngdgen/expr"

// prepare prepares, in front of a loop over the rows, the functions under roots of which an operand stays the same.
func (p *planner) prepare(roots []*expr.Node, dims []expr.Dim) {
	expr.Walk(func(n *expr.Node) {
		prepared, ok := expr.Preparation(n.Op)
		if !ok || !n.Type.Axes.Has(expr.Rows) {
			return
		}
		operand := n.Args[prepared.Operand]
		key := PreparedKey{prepared.Type, operand}
		if operand.Type.Axes.Has(expr.Rows) || operand.Op == expr.Const || p.prog.Prepared[key] != "" {
			return
		}
		slot := 0
		for other := range p.prog.Prepared {
			if other.Type == key.Type {
				slot++
			}
		}
		made := &Preparation{Name: p.localName("prepared"), Type: key.Type, Slot: slot, Operand: operand, Calls: dims,
			Stacked: operand.Type.Axes.Has(expr.Components)}
		p.prog.Prepared[key] = made.Name
		p.within(operand.Type.Axes, func() { p.add(Stmt{Preparation: made}) })
	}, roots...)
}
