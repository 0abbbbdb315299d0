package plan

import (
	"fmt"
	"slices"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/program"
)

// What a pass over the draws computes in front of a call of the model, and one behind it needs again, is kept in columns where it takes long: special
// functions, and products of matrices with the vectors of all draws.

// Kept are the columns for that: their types, those of all kernels of a package, which share them.
type Kept []expr.Type

// KeptColumn is the field of a column.
func KeptColumn(i int) string { return fmt.Sprintf("kept%d", i) }

// worthKeeping is the cost of a function from on which its value is kept.
const worthKeeping = 100

// keepAt finds what a pass of a level is to keep, and gives it columns.
func (p *planner) keepAt(roots []*expr.Node, level int) []Output {
	if p.k.Kept == nil || !p.may(choiceKeep) {
		return nil
	}
	computed := map[*expr.Node]bool{}
	p.walk(func(n *expr.Node) {
		if reduces(n) && p.level[n] == level+1 || n.OfModel() && p.level[n] == level+1 {
			p.walk(func(m *expr.Node) { computed[m] = true }, p.operands(n)...)
		}
	}, roots...)
	var again, out []*expr.Node
	p.neededBehind(roots, level, func(n *expr.Node) bool {
		if n.Type.Axes != expr.Rows || !p.takesLong(n) {
			return false
		}
		again = append(again, n)
		return true
	})
	for _, n := range again {
		if computed[n] || slices.ContainsFunc(again, func(m *expr.Node) bool { return computed[m] && together(n, m) }) {
			out = append(out, n)
		}
	}
	return p.keep(out)
}

// neededBehind visits what passes behind those of a level compute of what does not wait for them; what is taken is not looked into.
func (p *planner) neededBehind(roots []*expr.Node, level int, take func(*expr.Node) bool) {
	seen := map[*expr.Node]bool{}
	var rec func(*expr.Node)
	rec = func(n *expr.Node) {
		if seen[n] || p.level[n] <= level && (!n.Type.Axes.Has(expr.Rows) || p.k.Rows.Columns[n] != "") {
			return
		}
		seen[n] = true
		if p.level[n] <= level && take(n) {
			return
		}
		if p.level[n] == level+1 && (reduces(n) || n.OfModel()) { // of passes of the level itself
			return
		}
		for i, a := range p.operands(n) {
			if n.Op != expr.Dot || a.Op != expr.MatMul || n.Args[1-i].Type.Axes.Has(expr.Rows) { // else its matrices are multiplied with the other vector
				rec(a)
			}
		}
	}
	for _, r := range roots {
		rec(r)
	}
}

// takesLong reports whether a value is worth being kept.
func (p *planner) takesLong(n *expr.Node) bool {
	return n.Type.Rank == 1 && n.Op == expr.MatMul || n.Type.Rank == 0 && n.Op.Elementwise() && p.decides(n, n.Op.Cost) >= worthKeeping
}

// together reports whether two functions of the same operands are computed together.
func together(n, m *expr.Node) bool {
	_, _, ok := expr.JointOf(n, []*expr.Node{n, m}, func(*expr.Node) bool { return true })
	return ok
}

// keep gives columns to values of draws.
func (p *planner) keep(nodes []*expr.Node) []Output {
	var out []Output
	for _, n := range nodes {
		free := func(i int) bool {
			return !slices.ContainsFunc(out, func(o Output) bool { return o.To.Name == KeptColumn(i) })
		}
		at := -1
		for i, t := range *p.k.Kept {
			if at < 0 && t == n.Type && free(i) {
				at = i
			}
		}
		if at < 0 {
			at = len(*p.k.Kept)
			*p.k.Kept = append(*p.k.Kept, n.Type)
		}
		p.kept[n] = KeptColumn(at)
		out = append(out, Output{To: program.Field("p", KeptColumn(at)), Node: n})
	}
	return out
}
