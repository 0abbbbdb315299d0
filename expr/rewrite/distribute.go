package rewrite

import (
	"slices"

	"github.com/sngdgen/sngdgen/expr"
)

// distribute multiplies out products that have sums as factors, in one node, where that lets enough cancel to make the
// whole cheaper; nil where it does not. It tries all sums among the factors, then only the longest of each product: the
// others may be what the terms of the longest one are divided by. Then it leaves those terms of sums of matrices together that do
// not become simpler.
func (w *Rewriter) distribute(n *expr.Node) *expr.Node {
	if n.Op != expr.Lin && n.Op != expr.Prod && !n.IsLinalg() {
		return nil
	}
	cost := expr.TotalCost(n)
	var best *expr.Node
	for _, choose := range []chooser{everySum, longestSum, whatCancels} {
		for m := w.expand(n, choose); m != nil; m = w.dividedOut(m, choose) {
			if expr.TotalCost(m) < cost {
				best, cost = m, expr.TotalCost(m)
			}
		}
	}
	if m := w.outerTerms(n); m != nil && expr.TotalCost(w.collected(m)) < cost {
		best = m
	}
	return best
}

// collected is a sum with common factors taken out, as the last pass does it.
func (w *Rewriter) collected(n *expr.Node) *expr.Node {
	for m := w.collect(n); m != nil; m = w.collect(n) {
		n = m
	}
	return n
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

// chooser tells what is multiplied out.
type chooser struct {
	factors func(product *expr.Node) func(i int) bool // which factors of a product
	simpler bool                                      // of sums of matrices only the terms that become simpler
}

var (
	everySum    = chooser{factors: everyFactor}
	longestSum  = chooser{factors: longestFactor}
	whatCancels = chooser{factors: everyFactor, simpler: true}
)

// isSum reports whether a factor is a sum to the power of 1.
func isSum(product *expr.Node, i int) bool {
	return product.Coefs[i] == 1 && product.Args[i].Op == expr.Lin
}

func everyFactor(product *expr.Node) func(int) bool {
	return func(i int) bool { return isSum(product, i) }
}

func longestFactor(product *expr.Node) func(int) bool {
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
		return w.expandProduct(w.openLinalg(n, choose), choose)
	case n.IsLinalg():
		return w.expandLinalg(n, choose)
	}
	return nil
}

// openLinalg multiplies out the products of linear algebra among the factors.
func (w *Rewriter) openLinalg(n *expr.Node, choose chooser) *expr.Node {
	args, changed := append([]*expr.Node(nil), n.Args...), false
	for i, a := range args {
		if !a.IsLinalg() || n.Coefs[i] != 1 {
			continue
		}
		if e := w.expandLinalg(a, choose); e != nil {
			args[i], changed = e, true
		}
	}
	if !changed {
		return n
	}
	return w.G.Prod(n.Coefs, args)
}

// expandLinalg multiplies out an operation that is linear in each operand.
func (w *Rewriter) expandLinalg(n *expr.Node, choose chooser) *expr.Node {
	switch n.Op {
	case expr.MatMul, expr.Dot, expr.Outer, expr.Inner, expr.Transpose, expr.Diag, expr.DiagMat, expr.LowerHalf,
		expr.Cumulative, expr.Remaining:
	default:
		return nil
	}
	var sums [][]*expr.Node
	found := false
	for _, a := range n.Args {
		// Of x'A y both vectors are multiplied out where a factor of A may cancel. Elsewhere that would take residuals of the
		// data apart, and lose their digits.
		if a.Op == expr.MatMul && n.Op == expr.Dot && w.startsWithFactor(n.Args[0]) {
			if e := w.expandLinalg(a, choose); e != nil {
				a = e
			}
		}
		found = found || a.Op == expr.Lin
		sums = append(sums, w.G.Terms(a))
	}
	choices := combinations(sums)
	if !found || choices == nil {
		return nil
	}
	var sum []*expr.Node
	for _, args := range choices {
		sum = append(sum, w.known(w.G.Rebuild(n, args)))
	}
	if choose.simpler {
		return w.together(n, sums, sum)
	}
	return w.G.Add(sum...)
}

// together is a product of matrices of which one factor is a sum, with the terms that have not become simpler in one product again.
// Nil where that is not so.
func (w *Rewriter) together(n *expr.Node, sums [][]*expr.Node, terms []*expr.Node) *expr.Node {
	at := slices.IndexFunc(sums, func(terms []*expr.Node) bool { return len(terms) > 1 })
	if n.Op != expr.MatMul || len(sums[at]) != len(terms) {
		return nil
	}
	var simpler, others []*expr.Node
	for i, t := range terms {
		if _, core := w.G.Bare(t); core.Op == expr.MatMul && len(core.Args) >= len(n.Args) {
			others = append(others, sums[at][i])
		} else {
			simpler = append(simpler, t)
		}
	}
	if len(simpler) == 0 || len(others) < 2 {
		return nil
	}
	args := slices.Clone(n.Args)
	args[at] = w.G.Add(others...)
	return w.G.Add(append(simpler, w.G.Rebuild(n, args))...)
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
	chosen := choose.factors(n)
	var exps []float64
	var rest []*expr.Node
	var sums [][]*expr.Node
	for i, a := range n.Args {
		if chosen(i) {
			sums = append(sums, w.G.Terms(a))
		} else {
			exps, rest = append(exps, n.Coefs[i]), append(rest, a)
		}
	}
	choices := combinations(sums)
	if len(sums) == 0 || choices == nil {
		return nil
	}
	terms := make([]*expr.Node, len(choices))
	for i, choice := range choices {
		e, args := slices.Clone(exps), slices.Concat(rest, choice)
		for range choice {
			e = append(e, 1)
		}
		terms[i] = w.G.Prod(e, args)
	}
	return w.G.Add(terms...)
}

// combinations are the ways to take one element of each list, nil where there are more than multiplying out may make.
func combinations(lists [][]*expr.Node) [][]*expr.Node {
	count := 1
	for _, l := range lists {
		if count *= len(l); count > maxTerms {
			return nil
		}
	}
	out := [][]*expr.Node{nil}
	for _, l := range lists {
		next := make([][]*expr.Node, 0, len(out)*len(l))
		for _, c := range out {
			for _, x := range l {
				next = append(next, append(slices.Clone(c), x))
			}
		}
		out = next
	}
	return out
}
