package rewrite

import "github.com/sngdgen/sngdgen/expr"

// Distribute multiplies out products that have sums as factors, in one node, where that lets enough cancel to make the
// whole cheaper; nil where it does not. It is the one rewriting that looks at the cost of a result before deciding, so
// it cannot be a line of text.
func (w *Rewriter) distribute(n *expr.Node) *expr.Node {
	if n.Op != expr.Lin && n.Op != expr.Prod {
		return nil
	}
	m := w.expand(n, maxTerms)
	if m == nil || m == n || expr.TotalCost(m) >= expr.TotalCost(n) {
		return nil
	}
	return m
}

// maxTerms bounds how many terms multiplying out may make.
const maxTerms = 64

// expand multiplies out a sum of products or a product; nil when nothing can be multiplied out, or too much would be.
func (w *Rewriter) expand(n *expr.Node, limit int) *expr.Node {
	if n.Op == expr.Prod {
		return w.expandProduct(n, limit)
	}
	terms, changed := []*expr.Node{w.G.Const(n.Const)}, false
	for i, a := range n.Args {
		if a.Op == expr.Prod {
			if e := w.expandProduct(a, limit); e != nil {
				a, changed = e, true
			}
		}
		terms = append(terms, w.G.Scale(n.Coefs[i], a))
	}
	if !changed {
		return nil
	}
	return w.G.Add(terms...)
}

// expandProduct multiplies the sums among the factors with the rest.
func (w *Rewriter) expandProduct(n *expr.Node, limit int) *expr.Node {
	terms, found := []*expr.Node{w.G.Const(1)}, false
	for i, a := range n.Args {
		factor := []*expr.Node{w.G.Prod([]float64{n.Coefs[i]}, []*expr.Node{a})}
		if n.Coefs[i] == 1 && a.Op == expr.Lin {
			found = true
			factor = summands(w.G, a)
		}
		if len(terms)*len(factor) > limit {
			return nil
		}
		var next []*expr.Node
		for _, t := range terms {
			for _, f := range factor {
				next = append(next, w.G.Mul(t, f))
			}
		}
		terms = next
	}
	if !found {
		return nil
	}
	return w.G.Add(terms...)
}

// summands are the terms of a sum, each with its coefficient.
func summands(g *expr.Graph, n *expr.Node) []*expr.Node {
	var out []*expr.Node
	if n.Const != 0 {
		out = append(out, g.Const(n.Const))
	}
	for i, a := range n.Args {
		t := g.Scale(n.Coefs[i], a)
		if t.Op == expr.Lin && len(t.Args) > 1 { // an operand that is itself a sum cannot be: sums are flat
			panic("rewrite: nested sum")
		}
		out = append(out, t)
	}
	return out
}
