package plan

import (
	"slices"

	"github.com/sngdgen/sngdgen/expr"
)

// inline writes out definitions of matrices that are not worth their memory: sums of matrices at hand and of outer
// products, used by their entries and in products with vectors alone. Then (S - m m') x is S x - m (m'x), and what would
// be written and read again is not.
func (p *planner) inline() {
	k := *p.k
	k.Outputs, k.Defs = slices.Clone(k.Outputs), slices.Clone(k.Defs)
	p.k = &k
	for i := len(k.Defs) - 1; i >= 0; i-- {
		d := k.Defs[i]
		if !updated(d.Node) || p.wantedInMemory(d.Sym) {
			continue
		}
		by := map[*expr.Node]*expr.Node{d.Sym: d.Node}
		for _, n := range p.productsWith(d.Sym) {
			by[n] = p.multiplied(d.Node, n.Args[1])
		}
		for j := range k.Outputs {
			k.Outputs[j].Node = k.Graph.Substitute(k.Outputs[j].Node, by)
		}
		for j := range k.Defs {
			k.Defs[j].Node = k.Graph.Substitute(k.Defs[j].Node, by)
		}
		k.Defs = slices.Delete(k.Defs, i, i+1)
	}
}

// updated reports whether a matrix is a sum of matrices that have memory and of outer products of vectors that have.
func updated(n *expr.Node) bool {
	if n.Type.Rank != 2 || n.Op != expr.Lin || n.Const != 0 {
		return false
	}
	for _, a := range n.Args {
		if !a.IsSym() && !(a.Op == expr.Outer && a.Args[0].IsSym() && a.Args[1].IsSym()) {
			return false
		}
	}
	return true
}

// wantedInMemory reports whether a matrix is used in other ways than by its entries and in products with vectors.
func (p *planner) wantedInMemory(sym *expr.Node) bool {
	for _, g := range p.k.Guards {
		if expr.Depends(g.Node, sym) {
			return true
		}
	}
	found := false
	p.users(sym, func(n *expr.Node) {
		found = found || n.Type.Axes.Has(expr.Rows) || n.Op != expr.Lin && n.Op != expr.Prod && !productOf(n, sym)
	})
	return found
}

// productsWith lists the products of a matrix with a vector.
func (p *planner) productsWith(sym *expr.Node) []*expr.Node {
	var out []*expr.Node
	p.users(sym, func(n *expr.Node) {
		if productOf(n, sym) {
			out = append(out, n)
		}
	})
	return out
}

// users visits the nodes that have a symbol among their operands.
func (p *planner) users(sym *expr.Node, visit func(*expr.Node)) {
	roots := p.roots()
	for _, d := range p.k.Defs {
		roots = append(roots, d.Node)
	}
	expr.Walk(func(n *expr.Node) {
		if slices.Contains(n.Args, sym) {
			visit(n)
		}
	}, roots...)
}

func productOf(n, sym *expr.Node) bool {
	return n.Op == expr.MatMul && n.Type.Rank == 1 && len(n.Args) == 2 && n.Args[0] == sym
}

// multiplied is the product of a sum of matrices with a vector, term by term.
func (p *planner) multiplied(sum, x *expr.Node) *expr.Node {
	g, terms := p.k.Graph, make([]*expr.Node, len(sum.Args))
	for i, a := range sum.Args {
		terms[i] = g.MatMul(a, x)
	}
	return g.Lin(0, sum.Coefs, terms)
}
