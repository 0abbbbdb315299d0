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
		name := p.localName("law")
		p.prog.Laws[key] = name
		p.prog.Stmts = append(p.prog.Stmts, Stmt{Law: &Law{Name: name, Type: key.Type, Slot: slot, Operand: operand, Calls: dims}})
	}, roots...)
}
