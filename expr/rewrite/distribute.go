package rewrite

import "github.com/sngdgen/sngdgen/expr"

// distribute multiplies out products that have sums as factors, in one node, where that lets enough cancel to make the
// whole cheaper; nil where it does not. It tries all sums among the factors, then only the longest of each product: the
// others may be what the terms of the longest one are divided by.
func (w *Rewriter) distribute(n *expr.Node) *expr.Node {
	if n.Op != expr.Lin && n.Op != expr.Prod {
		return nil
	}
	cost := expr.TotalCost(n)
	var best *expr.Node
	for _, choose := range []chooser{everySum, longestSum} {
		if m := w.expand(n, choose); m != nil && expr.TotalCost(m) < cost {
			best, cost = m, expr.TotalCost(m)
		}
	}
	return best
}

// maxTerms bounds how many terms multiplying out may make.
const maxTerms = 64

// chooser tells which factors of a product are multiplied out.
type chooser func(product *expr.Node) func(i int) bool

// isSum reports whether a factor is a sum to the power of 1.
func isSum(product *expr.Node, i int) bool {
	return product.Coefs[i] == 1 && product.Args[i].Op == expr.Lin
}

func everySum(product *expr.Node) func(int) bool {
	return func(i int) bool { return isSum(product, i) }
}

func longestSum(product *expr.Node) func(int) bool {
	longest := -1
	for i := range product.Args {
		if isSum(product, i) && (longest < 0 || size(product.Args[i]) > size(product.Args[longest])) {
			longest = i
		}
	}
	return func(i int) bool { return i == longest }
}

// expand multiplies out a sum of products or a product; nil when nothing can be multiplied out, or too much would be.
func (w *Rewriter) expand(n *expr.Node, choose chooser) *expr.Node {
	if n.Op == expr.Prod {
		return w.expandProduct(n, choose(n))
	}
	terms, changed := []*expr.Node{w.G.Const(n.Const)}, false
	for i, a := range n.Args {
		if a.Op == expr.Prod {
			if e := w.expandProduct(a, choose(a)); e != nil {
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

// expandProduct multiplies the chosen sums among the factors with the rest.
func (w *Rewriter) expandProduct(n *expr.Node, chosen func(int) bool) *expr.Node {
	terms, found := []*expr.Node{w.G.Const(1)}, false
	for i, a := range n.Args {
		factor := []*expr.Node{w.G.Prod([]float64{n.Coefs[i]}, []*expr.Node{a})}
		if chosen(i) {
			found = true
			factor = summands(w.G, a)
		}
		if len(terms)*len(factor) > maxTerms {
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
		out = append(out, g.Scale(n.Coefs[i], a))
	}
	return out
}
