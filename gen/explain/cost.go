package explain

import (
	"fmt"
	"slices"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/methods"
	"github.com/sngdgen/sngdgen/gen/plan"
)

// cost writes what one step costs, next to what the composition as written would cost.
func (e *explainer) cost() {
	s := e.summary()
	e.f.heading("Cost")
	if e.vectors() {
		e.budget(s)
		return
	}
	e.f.text("Flops, counted as the planner does: 1 for an addition or a multiplication, 4 for a division, 6 for a " +
		"square root, 10 for exp and log, more for special functions, 150 for the solution of an equation.")
	head := []string{"", "once", "per row"}
	if e.p.Mixture != nil {
		head = append(head, "per component", "per row and component")
	}
	rows := [][]string{
		head,
		e.costRow("natural gradient, generated code", s.Usage("NaturalGradient").Cost),
		e.costRow("both gradients and the loss, generated code", s.Usage("Gradients").Cost),
		e.costRow("natural gradient, distinct operations", e.derivedCost()),
	}
	literal, ok := e.literalCost()
	if ok {
		rows = append(rows, e.costRow("composition as written, distinct operations", literal))
	}
	e.f.table(rows)
	if ok {
		e.f.text("The last line is the natural gradient without rules: dual parameters from the stepped ones, then reverse "+
			"mode through @. It and the line above it count every distinct operation once, those on the data alone too.",
			side{"f(g(s(dual)))", `f(g(s(\text{dual})))`})
	}
	e.dataStage(s.DataStage.Scalars, s.DataStage.Columns)
}

// budget writes what grows with the cube of a dimension, or with its square for each row.
func (e *explainer) budget(s *methods.Package) {
	of := ""
	if e.p.Mixture != nil {
		of = ", all of it for each component"
	}
	if e.p.Variational != nil {
		e.budgetOfDraws(s)
		return
	}
	e.f.text("What grows with the cube of a dimension, or with its square for each row" + of + ". Everything else is of " +
		"the order of the data and of the coordinates.")
	list := budgets(s)
	literal, err := e.d.AsWritten()
	if err == nil {
		list = append(list, [2]string{"natural gradient as written", budgeted(methods.Objective(literal).Usage("NaturalGradient"))})
	}
	e.f.items(list)
	if err == nil {
		e.f.text("The last line is the natural gradient without rules: dual parameters from the stepped ones, then "+
			"reverse mode through @, and the same code for it. The difference is what the rules save.",
			side{"f(g(s(dual)))", `f(g(s(\text{dual})))`})
	}
	e.dataStage(s.DataStage.Scalars, s.DataStage.Columns)
}

// budgets are those of the pieces of code that steps are made of.
func budgets(s *methods.Package) [][2]string {
	return [][2]string{
		{"natural gradient", budgeted(s.Usage("NaturalGradient"))},
		{"both gradients and the loss", budgeted(s.Usage("Gradients"))},
		{"loss", budgeted(s.Usage("Loss"))},
		{"domain", budgeted(s.Usage("Violation"))},
	}
}

// budgeted is the budget of a piece of code in words.
func budgeted(u methods.Usage) string {
	if u.Budget == (plan.Budget{}) {
		return "nothing"
	}
	return u.Budget.Once() + "; over the rows: " + u.Budget.OverRows()
}

func (e *explainer) costRow(what string, c plan.Cost) []string {
	numbers := []float64{c.Once, c.PerRow}
	if e.p.Mixture != nil {
		numbers = append(numbers, c.PerComponent, c.PerRowAndComponent)
	}
	row := []string{what}
	for _, x := range numbers {
		row = append(row, fmt.Sprintf("%.0f", x))
	}
	return row
}

// derivedCost counts the operations of the natural gradient as it is derived.
func (e *explainer) derivedCost() plan.Cost {
	s := &e.d.Surrogate
	nodes := slices.Clone(s.Natural)
	for _, d := range s.Defs {
		nodes = append(nodes, d.Node)
	}
	return flops(nodes...)
}

// literalCost counts the operations of the composition as written.
func (e *explainer) literalCost() (c plan.Cost, ok bool) {
	nodes, ok := e.literalGradient()
	return flops(nodes...), ok
}

// literalGradient is the composition as written and differentiated: what a user of automatic differentiation would run.
func (e *explainer) literalGradient() (nodes []*expr.Node, ok bool) {
	grad, err := e.d.LiteralGradient()
	if err != nil {
		return nil, false
	}
	stepped, _ := e.stepped()
	nodes = slices.Concat(grad, e.d.Surrogate.DualOf)
	for _, d := range stepped.Defs {
		nodes = append(nodes, d.Node)
	}
	return nodes, true
}

// flops counts distinct operations: those on one row or on one component, with the sums over them, and the others.
func flops(nodes ...*expr.Node) plan.Cost {
	var c plan.Cost
	expr.Walk(func(n *expr.Node) {
		axes := n.Type.Axes | n.Axis
		switch rows, components := axes.Has(expr.Rows), axes.Has(expr.Components); {
		case rows && components:
			c.PerRowAndComponent += n.Cost()
		case rows:
			c.PerRow += n.Cost()
		case components:
			c.PerComponent += n.Cost()
		default:
			c.Once += n.Cost()
		}
	}, nodes...)
	return c
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
