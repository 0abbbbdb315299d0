package plan

import (
	"math"

	"github.com/sngdgen/sngdgen/expr"
)

// decides is what a node costs where this decides how it is computed.
func (p *planner) decides(n *expr.Node, flops float64) float64 {
	if p.k.Costs == nil {
		return flops
	}
	return flops * p.k.Costs(n)
}

// count counts the users of every node under roots that the program computes itself, to decide what is worth a name.
func (p *planner) count(roots []*expr.Node) map[*expr.Node]int {
	uses := map[*expr.Node]int{}
	seen := map[*expr.Node]bool{}
	var rec func(*expr.Node)
	rec = func(n *expr.Node) {
		uses[n]++
		if seen[n] || p.fixed(n) {
			return
		}
		seen[n] = true
		p.countOperands(n, rec)
	}
	for _, r := range roots {
		rec(r)
	}
	return uses
}

// countOperands counts a factor that is written out several times, as x*x for x^2, as often.
func (p *planner) countOperands(n *expr.Node, rec func(*expr.Node)) {
	for i, a := range p.operands(n) {
		rec(a)
		if n.Op == expr.Prod && Repeats(n.Coefs[i]) > 1 {
			rec(a)
		}
	}
}

// Repeats is how often a power with a constant exponent mentions its base: small whole powers are products, and half
// powers have a square root.
func Repeats(e float64) int {
	switch e = math.Abs(e); {
	case e == math.Trunc(e) && e <= maxProduct:
		return int(e)
	case e == math.Trunc(e)+0.5 && e < maxProduct:
		return int(e) + 1
	}
	return 1
}

// maxProduct is the largest whole power that is written as a product.
const maxProduct = 4

// writeOut notes that a node is written out, down to what has a name, and returns what that costs.
func (p *planner) writeOut(n *expr.Node) float64 {
	return n.Cost() + p.writeOperands(n)
}

// writeOperands is writeOut for the operands of a node.
func (p *planner) writeOperands(n *expr.Node) (cost float64) {
	for _, a := range p.operands(n) {
		if p.named[a] == nil {
			p.written[a] = true
			cost += p.writeOut(a)
		}
	}
	return cost
}

func (p *planner) charge(n *expr.Node) {
	if p.named[n] == nil {
		*p.once() += p.writeOut(n)
	}
}

// once and perRow are the counts to which what is planned belongs, outside the loops over rows and in them.
func (p *planner) once() *float64 {
	if p.mem.here {
		return p.perRow()
	}
	if p.mem.inside {
		return &p.prog.Cost.PerComponent
	}
	return &p.prog.Cost.Once
}

func (p *planner) perRow() *float64 {
	if p.mem.inside {
		return &p.prog.Cost.PerRowAndComponent
	}
	return &p.prog.Cost.PerRow
}

// rowCost is the cost of writing out a row expression.
func (p *planner) rowCost(n *expr.Node, in named) float64 {
	if !n.Type.Axes.Has(expr.Rows) || in[n] != nil {
		return 0
	}
	cost := n.Cost()
	for _, a := range p.operands(n) {
		cost += p.rowCost(a, in)
	}
	return cost
}
