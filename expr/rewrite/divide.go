package rewrite

import (
	"math"
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
		f := factor{base: t, exp: 1}
		if !w.mayDivide(a, b, i) {
			continue
		}
		b1 := b.Coefs[i]
		b0 := w.G.Sub(b, w.G.Scale(b1, t))
		a0, a1 := w.split(a, f)
		if w.multipliedOut(w.G.Scale(b1, a0)) == w.multipliedOut(w.G.Mul(a1, b0)) {
			return w.G.Scale(1/b1, a1)
		}
	}
	return nil
}

// mayDivide reports whether term i of b is in a, and whether a*b1 = a1*b, which follows from a0*b1 = a1*b0, holds at one
// point. Nearly all candidates fail here, before anything is multiplied out.
func (w *Rewriter) mayDivide(a, b *expr.Node, i int) bool {
	t, found := b.Args[i], false
	at := w.point.value(t)
	var a1, size float64
	for k, term := range a.Args {
		if !hasFactor(term, factor{base: t, exp: 1}) {
			continue
		}
		found = true
		v := a.Coefs[k] * w.point.value(term) / at
		a1, size = a1+v, size+math.Abs(v)
	}
	if !found {
		return false
	}
	va, sa := w.point.sum(a)
	vb, sb := w.point.sum(b)
	difference, scale := va*b.Coefs[i]-a1*vb, sa*math.Abs(b.Coefs[i])+size*sb
	return !(math.Abs(difference) > 1e-8*scale) // also where one of them has no value
}

// split takes a sum apart into the terms without a factor and those with it, from which it is removed. Terms that hold
// its base in another way are among those without.
func (w *Rewriter) split(a *expr.Node, f factor) (rest, with *expr.Node) {
	var rests, lefts []*expr.Node
	var restCoefs, leftCoefs []float64
	for i, term := range a.Args {
		if left := w.without(term, f); left != nil {
			lefts, leftCoefs = append(lefts, left), append(leftCoefs, a.Coefs[i])
		} else {
			rests, restCoefs = append(rests, term), append(restCoefs, a.Coefs[i])
		}
	}
	return w.G.Lin(a.Const, restCoefs, rests), w.G.Lin(0, leftCoefs, lefts)
}

// multipliedOut is n without products of sums.
func (w *Rewriter) multipliedOut(n *expr.Node) *expr.Node {
	if e := w.expand(n, everySum); e != nil {
		return e
	}
	return n
}
