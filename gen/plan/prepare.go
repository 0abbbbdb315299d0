package plan

import (
	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/program"
)

// prepare prepares, in front of a loop over the rows, the functions under roots of which an operand stays the same.
func (p *planner) prepare(roots []*expr.Node, dims []expr.Dim) {
	if !p.may(choicePrepare) {
		return
	}
	expr.Walk(func(n *expr.Node) {
		prepared, ok := expr.Preparation(n.Op)
		if !ok || !n.Type.Axes.Has(expr.Rows) {
			return
		}
		operand := n.Args[prepared.Operand]
		key := preparedKey{prepared.Type, operand}
		if _, made := p.prepared[key]; made || operand.Type.Axes.Has(expr.Rows) || operand.Op == expr.Const {
			return
		}
		slot := 0
		for other := range p.prepared {
			if other.typ == key.typ {
				slot++
			}
		}
		made := &program.Prepare{To: p.number("prepared"), Type: key.typ, Slot: slot, Calls: dims,
			Stacked: operand.Type.Axes.Has(expr.Components)}
		p.prepared[key] = preparation{made.To, len(p.prepared)}
		p.later(&made.Operand, operand)
		p.in(operand.Type.Axes).add(made)
	}, roots...)
}
