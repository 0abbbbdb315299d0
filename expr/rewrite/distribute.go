package rewrite

import (
	"slices"

	"github.com/sngdgen/sngdgen/expr"
)

// distribute multiplies out products that have sums as factors, in one node, where that lets enough cancel to make the
// whole cheaper; nil where it does not. It tries all sums among the factors, then only the longest of each product: the
// others may be what the terms of the longest one are divided by.
func (w *Rewriter) distribute(n *expr.Node) *expr.Node {
	if n.Op != expr.Lin && n.Op != expr.Prod && !n.IsLinalg() {
		return nil
	}
	cost := expr.TotalCost(n)
	var best *expr.Node
	for _, choose := range []chooser{everySum, longestSum} {
		for m := w.expand(n, choose); m != nil; m = w.dividedOut(m, choose) {
			if expr.TotalCost(m) < cost {
				best, cost = m, expr.TotalCost(m)
			}
		}
	}
	return best
}

// dividedOut cancels a divisor, and multiplies out what that leaves; nil when there is none.
func (w *Rewriter) dividedOut(n *expr.Node, choose chooser) *expr.Node {
	m := w.divide(n)
	if m == nil {
		return nil
	}
	if e := w.expand(m, choose); e != nil {
		return e
	}
	return m
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
	if n.Op != expr.Lin {
		return w.expandTerm(n, choose)
	}
	terms, changed := []*expr.Node{w.G.Const(n.Const)}, false
	for i, a := range n.Args {
		if e := w.expandTerm(a, choose); e != nil {
			a, changed = e, true
		}
		terms = append(terms, w.G.Scale(n.Coefs[i], a))
	}
	if !changed {
		return nil
	}
	return w.G.Add(terms...)
}

// expandTerm multiplies out one term; nil when there is nothing to multiply out.
func (w *Rewriter) expandTerm(n *expr.Node, choose chooser) *expr.Node {
	switch {
	case n.Op == expr.Prod:
		return w.expandProduct(w.openLinalg(n), choose)
	case n.IsLinalg():
		return w.expandLinalg(n)
	}
	return nil
}

// openLinalg multiplies out the products of linear algebra among the factors.
func (w *Rewriter) openLinalg(n *expr.Node) *expr.Node {
	args, changed := append([]*expr.Node(nil), n.Args...), false
	for i, a := range args {
		if !a.IsLinalg() || n.Coefs[i] != 1 {
			continue
		}
		if e := w.expandLinalg(a); e != nil {
			args[i], changed = e, true
		}
	}
	if !changed {
		return n
	}
	return w.G.Prod(n.Coefs, args)
}

// expandLinalg multiplies out an operation that is linear in each operand.
func (w *Rewriter) expandLinalg(n *expr.Node) *expr.Node {
	switch n.Op {
	case expr.MatMul, expr.Dot, expr.Outer, expr.Inner, expr.Transpose, expr.Diag, expr.DiagMat, expr.LowerHalf:
	default:
		return nil
	}
	choices, found := [][]*expr.Node{nil}, false
	for _, a := range n.Args {
		// Of x'A y both vectors are multiplied out where a factor of A may cancel. Elsewhere that would take residuals of the
		// data apart, and lose their digits.
		if a.Op == expr.MatMul && n.Op == expr.Dot && w.startsWithFactor(n.Args[0]) {
			if e := w.expandLinalg(a); e != nil {
				a = e
			}
		}
		terms := w.G.Terms(a)
		found = found || a.Op == expr.Lin
		if len(choices)*len(terms) > maxTerms {
			return nil
		}
		var next [][]*expr.Node
		for _, c := range choices {
			for _, t := range terms {
				next = append(next, append(append([]*expr.Node(nil), c...), t))
			}
		}
		choices = next
	}
	if !found {
		return nil
	}
	var sum []*expr.Node
	for _, args := range choices {
		sum = append(sum, w.G.Rebuild(n, args))
	}
	return w.G.Add(sum...)
}

// startsWithFactor reports whether a term of a vector starts with a Cholesky factor, which may cancel with what is factorised.
func (w *Rewriter) startsWithFactor(v *expr.Node) bool {
	return slices.ContainsFunc(w.G.Terms(v), func(t *expr.Node) bool {
		_, core := w.G.Bare(t)
		return core.Op == expr.MatMul && expr.CholeskyIn(core.Args[0]) != nil
	})
}

// expandProduct multiplies the chosen sums among the factors with the rest.
func (w *Rewriter) expandProduct(n *expr.Node, choose chooser) *expr.Node {
	if n.Op != expr.Prod { // what was a product has become a sum on the way
		return n
	}
	chosen := choose(n)
	terms, found := []*expr.Node{w.G.Const(1)}, false
	for i, a := range n.Args {
		factor := []*expr.Node{w.G.Prod([]float64{n.Coefs[i]}, []*expr.Node{a})}
		if chosen(i) {
			found = true
			factor = w.G.Terms(a)
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
