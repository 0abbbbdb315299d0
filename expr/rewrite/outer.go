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

// rankTwo puts the outer products with one vector in a symmetric sum together: a*outer(x, x) + b*outer(x, y) + b*outer(y, x) is
// outer(x, u) + outer(u, x) with u = a/2*x + b*y, whatever more vectors y there are. Nil where that is not cheaper.
func (w *Rewriter) rankTwo(n *expr.Node) *expr.Node {
	if n.Op != expr.Lin || n.Type.Rank != 2 {
		return nil
	}
	scales := map[[2]*expr.Node]*expr.Node{}
	for i, t := range n.Args {
		if s, core := w.G.Bare(w.G.Scale(n.Coefs[i], t)); core.Op == expr.Outer {
			scales[[2]*expr.Node{core.Args[0], core.Args[1]}] = s
		}
	}
	for _, t := range n.Args {
		_, core := w.G.Bare(t)
		if core.Op != expr.Outer || core.Args[0] != core.Args[1] {
			continue
		}
		if m := w.update(n, core.Args[0], scales); m != nil && expr.TotalCost(m) < expr.TotalCost(n) {
			return m
		}
	}
	return nil
}

// update puts the outer products with x together, nil where x is in one only.
func (w *Rewriter) update(n, x *expr.Node, scales map[[2]*expr.Node]*expr.Node) *expr.Node {
	var rest, u []*expr.Node
	for i, t := range n.Args {
		t = w.G.Scale(n.Coefs[i], t)
		s, core := w.G.Bare(t)
		switch {
		case core.Op != expr.Outer:
			rest = append(rest, t)
		case core.Args[0] == x && core.Args[1] == x:
			u = append(u, w.G.Mul(w.G.Scale(0.5, s), x))
		case core.Args[0] == x && scales[[2]*expr.Node{core.Args[1], x}] == s:
			u = append(u, w.G.Mul(s, core.Args[1]))
		case core.Args[1] == x && scales[[2]*expr.Node{x, core.Args[0]}] == s: // its transpose is
		default:
			rest = append(rest, t)
		}
	}
	if len(u) < 2 {
		return nil
	}
	sum := w.G.Add(u...)
	return w.G.Add(append(rest, w.G.Outer(x, sum), w.G.Outer(sum, x), w.G.Const(n.Const))...)
}
