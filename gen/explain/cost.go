package explain

import (
	"fmt"
	"slices"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/diff"
	"github.com/sngdgen/sngdgen/gen/plan"
)

// cost writes what one step costs, next to what the composition as written would cost.
func (e *explainer) cost() {
	if !e.d.Problem.Scalar() { // no code is generated yet
		return
	}
	s := e.summary()
	e.f.heading("Cost")
	e.f.text("Flops, counted as the planner does: 1 for an addition or a multiplication, 4 for a division, 6 for a square root, 10 " +
		"for exp and log, more for special functions, 150 for the solution of an equation.")
	rows := [][3]string{
		{"", "once", "per row"},
		costRow("natural gradient, generated code", s.Step.Once, s.Step.PerRow),
		costRow("both gradients and the loss, generated code", s.Full.Once, s.Full.PerRow),
	}
	once, perRow := e.derivedCost()
	rows = append(rows, costRow("natural gradient, distinct operations", once, perRow))
	once, perRow, ok := e.literalCost()
	if ok {
		rows = append(rows, costRow("composition as written, distinct operations", once, perRow))
	}
	e.f.table(rows)
	if ok {
		e.f.text("The last line is the natural gradient without rules: dual parameters from the stepped ones, then reverse mode "+
			"through @. It and the line above it count every distinct operation once, those on the data alone too.",
			side{"f(g(s(dual)))", `f(g(s(\text{dual})))`})
	}
	e.dataStage(s.Data, s.Columns)
}

func costRow(what string, once, perRow float64) [3]string {
	return [3]string{what, fmt.Sprintf("%.0f", once), fmt.Sprintf("%.0f", perRow)}
}

// derivedCost counts the operations of the natural gradient as it is derived.
func (e *explainer) derivedCost() (once, perRow float64) {
	s := &e.d.Surrogate
	nodes := slices.Clone(s.Natural)
	for _, d := range s.Defs {
		nodes = append(nodes, d.Node)
	}
	return flops(nodes...)
}

// literalCost counts the operations of the composition as written and differentiated: what a user of automatic
// differentiation would run.
func (e *explainer) literalCost() (once, perRow float64, ok bool) {
	s := &e.d.Surrogate
	wrt := slices.Clone(s.Dual)
	for _, a := range e.p.Auxiliary {
		wrt = append(wrt, a.Sym)
	}
	grad, err := diff.Gradient(e.g, s.LiteralDual, wrt)
	if err != nil {
		return 0, 0, false
	}
	stepped, _ := e.stepped()
	nodes := slices.Concat(grad, s.DualOf)
	for _, d := range stepped.Defs {
		nodes = append(nodes, d.Node)
	}
	once, perRow = flops(nodes...)
	return once, perRow, true
}

// flops counts distinct operations: those on one row, with the sums over rows, and the others.
func flops(nodes ...*expr.Node) (once, perRow float64) {
	expr.Walk(func(n *expr.Node) {
		if n.Op == expr.Sum || n.Type.Axes.Has(expr.Rows) {
			perRow += n.Cost()
		} else {
			once += n.Cost()
		}
	}, nodes...)
	return once, perRow
}

// dataStage lists what is computed once for a data set.
func (e *explainer) dataStage(scalars, columns []plan.Field) {
	if len(scalars)+len(columns) == 0 {
		return
	}
	e.f.text("Computed once for a data set, not at every step:")
	var list []equation
	for _, f := range scalars {
		list = append(list, equation{node: f.Node})
	}
	for _, f := range columns {
		list = append(list, equation{node: f.Node, note: "for every row"})
	}
	e.equations(list)
}
