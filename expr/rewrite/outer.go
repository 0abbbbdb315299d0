package rewrite

import (
	"github.com/sngdgen/sngdgen/expr"
)

// outerTerms multiplies out the outer products of sums of vectors in a sum of matrices, at any depth: terms of one may cancel with
// terms that are hidden in another. Nil where there is nothing to multiply out, or too much.
func (w *Rewriter) outerTerms(n *expr.Node) *expr.Node {
	if n.Op != expr.Lin || n.Type.Rank != 2 {
		return nil
	}
	terms := w.ofMatrix(n)
	if len(terms) <= len(n.Args) || len(terms) > maxTerms {
		return nil
	}
	return w.G.Add(terms...)
}

// ofMatrix are the terms of a multiple of a sum of matrices.
func (w *Rewriter) ofMatrix(n *expr.Node) []*expr.Node {
	s, core := w.G.Bare(n)
	var out []*expr.Node
	switch {
	case sumOf(core, 2):
		for i, a := range core.Args {
			for _, t := range w.ofMatrix(w.G.Scale(core.Coefs[i], a)) {
				out = append(out, w.G.Mul(s, t))
			}
		}
	case core.Op == expr.Outer:
		xs, ys := w.ofVector(core.Args[0]), w.ofVector(core.Args[1])
		if len(xs)*len(ys) > maxTerms {
			return []*expr.Node{n}
		}
		for _, x := range xs {
			for _, y := range ys {
				out = append(out, w.G.Mul(s, w.G.Outer(x, y)))
			}
		}
	default:
		return []*expr.Node{n}
	}
	return out
}

// ofVector are the terms of a multiple of a sum of vectors.
func (w *Rewriter) ofVector(v *expr.Node) []*expr.Node {
	s, core := w.G.Bare(v)
	if !sumOf(core, 1) {
		return []*expr.Node{v}
	}
	var out []*expr.Node
	for i, a := range core.Args {
		for _, t := range w.ofVector(w.G.Scale(core.Coefs[i], a)) {
			out = append(out, w.G.Mul(s, t))
		}
	}
	return out
}

// sumOf reports whether a node is a sum of vectors, or of matrices, and of nothing else.
func sumOf(n *expr.Node, rank int) bool {
	if n.Op != expr.Lin || n.Const != 0 {
		return false
	}
	for _, a := range n.Args {
		if a.Type.Rank != rank {
			return false
		}
	}
	return true
}
