package rewrite

import (
	"slices"

	"github.com/sngdgen/sngdgen/expr"
)

// sandwich takes an inverse out of a sum on both sides: P - P @ A @ P with P = inv(S) is P @ (S - A) @ P, which needs no
// inverse in memory, and near an optimum, where A is nearly S, loses no digits. Nil where no term is such a product.
func (w *Rewriter) sandwich(n *expr.Node) *expr.Node {
	if n.Op != expr.Lin || n.Type.Rank != 2 || n.Const != 0 {
		return nil
	}
	for _, term := range n.Args {
		_, core := w.G.Bare(term)
		if core.Op != expr.MatMul || len(core.Args) < 3 {
			continue
		}
		p := core.Args[0]
		if p.Op != expr.Inv || core.Args[len(core.Args)-1] != p {
			continue
		}
		inside, outside := w.between(n, p)
		if len(inside) < 2 {
			continue
		}
		return w.G.Add(append(outside, w.G.MatMul(p, w.G.Add(inside...), p))...)
	}
	return w.around(n)
}

// around takes what terms of a sum of products begin and end with out of them, where that is cheaper: P @ A @ Q + P @ Q is
// P @ (A + I) @ Q. The rest of the sum stays. Nil where nothing is gained.
func (w *Rewriter) around(n *expr.Node) *expr.Node {
	tried := map[[2]*expr.Node]bool{}
	for _, term := range n.Args {
		_, core := w.G.Bare(term)
		if core.Op != expr.MatMul {
			continue
		}
		first, last := core.Args[0], core.Args[len(core.Args)-1]
		if tried[[2]*expr.Node{first, last}] {
			continue
		}
		tried[[2]*expr.Node{first, last}] = true
		var inside, outside, products []*expr.Node
		for i, term := range n.Args {
			s, core := w.G.Bare(w.G.Scale(n.Coefs[i], term))
			if core.Op == expr.MatMul && core.Args[0] == first && core.Args[len(core.Args)-1] == last {
				if !slices.Contains(products, w.G.Transpose(core)) { // which costs nothing
					products = append(products, core)
				}
				inside = append(inside, w.G.Mul(s, w.G.Product(first.Type.Dims[1], core.Args[1:len(core.Args)-1])))
			} else {
				outside = append(outside, w.G.Scale(n.Coefs[i], term))
			}
		}
		if len(products) < 2 {
			continue
		}
		m := w.G.Add(append(outside, w.G.MatMul(first, w.G.Add(inside...), last))...)
		if expr.TotalCost(m) < expr.TotalCost(n) {
			return m
		}
	}
	return nil
}

// between lists what the terms of a sum have between the factors p, and the terms that are not such products.
func (w *Rewriter) between(n, p *expr.Node) (inside, outside []*expr.Node) {
	for i, term := range n.Args {
		s, core := w.G.Bare(w.G.Scale(n.Coefs[i], term))
		switch {
		case core == p:
			inside = append(inside, w.G.Mul(s, p.Args[0]))
		case core.Op == expr.MatMul && len(core.Args) >= 3 && core.Args[0] == p && core.Args[len(core.Args)-1] == p:
			inside = append(inside, w.G.Mul(s, w.G.MatMul(slices.Clone(core.Args[1:len(core.Args)-1])...)))
		default:
			outside = append(outside, w.G.Scale(n.Coefs[i], term))
		}
	}
	return inside, outside
}
