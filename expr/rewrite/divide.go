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
			f := factor{base: divisor, exp: -1}
			if may := w.mayDivide(divisor, n, f); !slices.ContainsFunc(indices(divisor), may) {
				continue
			}
			rest, over := w.split(n, f)
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
	may := w.mayDivide(b, a, factor{})
	for i, t := range b.Args {
		if !may(i) {
			continue
		}
		b1 := b.Coefs[i]
		b0 := w.G.Sub(b, w.G.Scale(b1, t))
		a0, a1 := w.split(a, factor{base: t, exp: 1})
		if w.multipliedOut(w.G.Scale(b1, a0)) == w.multipliedOut(w.G.Mul(a1, b0)) {
			return w.G.Scale(1/b1, a1)
		}
	}
	return nil
}

// mayDivide tells for which terms t of b the sum a may be a multiple of b: where t is in a, and a*b1 = a1*b, which
// follows from a0*b1 = a1*b0, holds at one point. Nearly all candidates fail here, before anything is multiplied out. What
// a is are the terms of a sum that hold the factor f, without it; with the zero factor it is the sum itself.
func (w *Rewriter) mayDivide(b, sum *expr.Node, f factor) func(term int) bool {
	a := numerator{probe: w.probe, with: make(map[*expr.Node]*tally, len(b.Args))}
	for _, t := range b.Args {
		a.with[t] = &tally{}
	}
	if f.base == nil {
		a.whole.add(sum.Const)
	}
	for i, term := range sum.Args {
		if f.base == nil || hasFactor(term, f) {
			a.add(sum.Coefs[i], term, f)
		}
	}
	divisor := w.probe.sum(b)
	return func(i int) bool {
		a1, at := a.with[b.Args[i]], w.probe.value(b.Args[i]) // a1 here is a1*t
		b1 := tally{value: b.Coefs[i] * at, size: math.Abs(b.Coefs[i] * at)}
		return a1.count > 0 && !differ(a.whole.times(b1), a1.times(divisor))
	}
}

// numerator is a sum at the point of a probe, and of it the terms with each of some factors.
type numerator struct {
	probe probe
	whole tally
	with  map[*expr.Node]*tally
}

// add adds a term without the factor f, which it holds. A sum that is left is added term by term.
func (a *numerator) add(coef float64, term *expr.Node, f factor) {
	bs, exps := bases(term), exponents(term)
	value := coef * a.probe.value(term)
	if f.base != nil {
		value /= math.Pow(a.probe.value(f.base), f.exp)
		exps = slices.Clone(exps)
		exps[indexFactor(term, f)] -= f.exp
	}
	if sum := onlySum(bs, exps); sum != nil {
		a.whole.add(coef * sum.Const)
		for i, t := range sum.Args {
			a.add(coef*sum.Coefs[i], t, factor{})
		}
		return
	}
	a.whole.add(value)
	for i, b := range bs {
		if t := a.with[b]; t != nil && exps[i] >= 1 {
			t.add(value)
		}
	}
}

// onlySum is the sum that a product of powers is, nil where it is none.
func onlySum(bs []*expr.Node, exps []float64) *expr.Node {
	var sum *expr.Node
	for i, b := range bs {
		switch {
		case exps[i] == 0:
		case exps[i] == 1 && b.Op == expr.Lin && sum == nil:
			sum = b
		default:
			return nil
		}
	}
	return sum
}

// indices are the places of the operands of a node.
func indices(n *expr.Node) []int {
	out := make([]int, len(n.Args))
	for i := range out {
		out[i] = i
	}
	return out
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
