package plan

import (
	"github.com/sngdgen/sngdgen/expr"
)

// stage is when a node can be computed.
type stage int

const (
	constant  stage = iota // at generation
	data                   // once for a data set
	parameter              // at every call
)

// classify finds the stage of every node, and its level: how many loops must have run before.
func (p *planner) classify(roots []*expr.Node) {
	p.walk(func(n *expr.Node) {
		s, l := p.leafStage(n), 0
		for _, a := range p.operands(n) {
			s, l = max(s, p.stage[a]), max(l, p.level[a])
		}
		if n.Op == expr.Attained {
			p.attained[p.largest(n)] = nil
		}
		if n.OfModel() || reduces(n) && s == parameter || combines(n) && !n.Type.Axes.Has(expr.Rows) {
			l++
		}
		if n.Op == expr.Series {
			s = parameter
		}
		p.stage[n], p.level[n] = s, l
	}, roots...)
}

func (p *planner) leafStage(n *expr.Node) stage {
	if n.Op != expr.Sym || p.def[n] != nil {
		return constant
	}
	rows := p.k.Rows
	if rows != nil && rows.Fixed != nil && rows.given(n) {
		return data
	}
	return parameter
}

func (p *planner) maxLevel(roots []*expr.Node) int {
	level := 0
	for _, r := range roots {
		level = max(level, p.level[r])
	}
	return level
}

// fixed reports whether a node is kept in the data stage. A multiple of a matrix is not: it would be one more to read. The
// difference of an observation to a constant always is where both are vectors: kernels take it as it is.
func (p *planner) fixed(n *expr.Node) bool {
	if p.k.Rows == nil || p.k.Rows.Fixed == nil || p.stage[n] != data || n.Op == expr.Sym && p.def[n] == nil {
		return false
	}
	if _, core := p.k.Graph.Bare(n); n.Type.Rank == 2 && core != n {
		return false
	}
	if isChosen(n) { // never made
		return false
	}
	if !p.k.Rows.Fixed.Whole && n.Type.Axes.Has(expr.Rows) && ofMeasure(p.value(n)) { // another one for a batch
		return false
	}
	if !n.Type.Axes.Has(expr.Rows) || n.Type.Rank > 0 && n.Op == expr.Difference {
		return true
	}
	return p.decides(p.value(n), expr.TotalCost(p.value(n))) > cheapColumn*n.Type.Entries()
}

// isData reports whether a value depends on the data alone.
func (p *planner) isData(n *expr.Node) bool {
	return p.k.Rows != nil && p.k.Rows.Fixed != nil && p.stage[n] == data && n.Op != expr.Sym
}

// cheapColumn is the cost up to which a value of the data alone is recomputed in a loop rather than read from memory.
const cheapColumn = 4

// operands are what a node is computed from: a defined symbol from its definition, and the row where a value is the largest
// from the largest value, with which it is found.
func (p *planner) operands(n *expr.Node) []*expr.Node {
	if d, ok := p.def[n]; ok {
		return []*expr.Node{d}
	}
	if n.Op == expr.Attained {
		return []*expr.Node{p.largest(n)}
	}
	if n.Op == expr.Series { // columns are read as they are
		return n.ScanParams()
	}
	return n.Args
}

// largest is the largest of the values that n looks for.
func (p *planner) largest(n *expr.Node) *expr.Node { return p.k.Graph.Max(n.Axis, n.Args[0]) }

// value is what a symbol stands for, or the node itself.
func (p *planner) value(n *expr.Node) *expr.Node {
	if d, ok := p.def[n]; ok {
		return d
	}
	return n
}

// valueOperands are what must be at hand before a node is assigned. The definition of a symbol is assigned under the
// name of the symbol, so what counts are the operands of the definition.
func (p *planner) valueOperands(n *expr.Node) []*expr.Node {
	if d, ok := p.def[n]; ok && p.def[d] == nil && !p.fixed(d) && p.named[d] == nil {
		return p.operands(d)
	}
	return p.operands(n)
}

// walk visits every node under roots once, operands first.
func (p *planner) walk(visit func(*expr.Node), roots ...*expr.Node) {
	seen := map[*expr.Node]bool{}
	var rec func(*expr.Node)
	rec = func(n *expr.Node) {
		if seen[n] {
			return
		}
		seen[n] = true
		for _, a := range p.operands(n) {
			rec(a)
		}
		visit(n)
	}
	for _, r := range roots {
		rec(r)
	}
}
