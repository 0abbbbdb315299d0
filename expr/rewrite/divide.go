package rewrite

import (
	"slices"

	"github.com/sngdgen/sngdgen/expr"
)

// divide cancels a sum that divides another one, or terms of a sum together, without a remainder: (s - t*s)/(1 - t) is s.
// The divisor must be known not to be 0. Nil when nothing is divided.
func (w *Rewriter) divide(n *expr.Node) *expr.Node {
	switch n.Op {
	case expr.Prod:
		return w.divideProduct(n)
	case expr.Lin:
		return w.divideTerms(n)
	}
	return nil
}

// isDivisor reports whether a factor divides by a sum that is not 0.
func isDivisor(product *expr.Node, i int) bool {
	return product.Coefs[i] == -1 && product.Args[i].Op == expr.Lin && product.Args[i].Nonzero()
}

func (w *Rewriter) divideProduct(n *expr.Node) *expr.Node {
	for i, divisor := range n.Args {
		if !isDivisor(n, i) {
			continue
		}
		for j := range n.Args {
			if !isSum(n, j) {
				continue
			}
			if q := w.quotient(n.Args[j], divisor); q != nil {
				args, exps := slices.Clone(n.Args), slices.Clone(n.Coefs)
				args[j], exps[i] = q, 0
				return w.G.Spread(w.G.Prod(exps, args), n.Type)
			}
		}
	}
	return nil
}

// divideTerms divides the terms that have a divisor in common.
func (w *Rewriter) divideTerms(n *expr.Node) *expr.Node {
	tried := map[*expr.Node]bool{}
	for _, term := range n.Args {
		if term.Op != expr.Prod {
			continue
		}
		for i, divisor := range term.Args {
			if !isDivisor(term, i) || tried[divisor] {
				continue
			}
			tried[divisor] = true
			rest, over := w.split(n, factor{base: divisor, exp: -1})
			if over.Op != expr.Lin {
				continue
			}
			if q := w.quotient(over, divisor); q != nil {
				return w.G.Spread(w.G.Add(rest, q), n.Type)
			}
		}
	}
	return nil
}

// quotient is a/b, where both are polynomials of degree 1 in a term t of b, and nil where that leaves a remainder: with
// a = a0 + a1*t and b = b0 + b1*t it is a1/b1, if a0*b1 = a1*b0.
func (w *Rewriter) quotient(a, b *expr.Node) *expr.Node {
	for i, t := range b.Args {
		b1 := b.Coefs[i]
		b0 := w.G.Sub(b, w.G.Scale(b1, t))
		a0, a1 := w.split(a, factor{base: t, exp: 1})
		if a1.Is(0) {
			continue
		}
		if w.multipliedOut(w.G.Scale(b1, a0)) == w.multipliedOut(w.G.Mul(a1, b0)) {
			return w.G.Scale(1/b1, a1)
		}
	}
	return nil
}

// split takes a sum apart into the terms without a factor and those with it, from which it is removed. Terms that hold
// its base in another way are among those without.
func (w *Rewriter) split(a *expr.Node, f factor) (rest, with *expr.Node) {
	rest, with = w.G.Const(a.Const), w.G.Const(0)
	for i, term := range a.Args {
		if left := w.without(term, f); left != nil {
			with = w.G.Add(with, w.G.Scale(a.Coefs[i], left))
		} else {
			rest = w.G.Add(rest, w.G.Scale(a.Coefs[i], term))
		}
	}
	return rest, with
}

// multipliedOut is n without products of sums.
func (w *Rewriter) multipliedOut(n *expr.Node) *expr.Node {
	if e := w.expand(n, everySum); e != nil {
		return e
	}
	return n
}
