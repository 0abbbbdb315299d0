package rewrite

import (
	"cmp"
	"math"
	"slices"

	"github.com/sngdgen/sngdgen/expr"
)

// collect takes a factor that several terms of a sum share out of them, where that is cheaper: a*x + b*x => (a + b)*x.
// The best factor by cost is taken; rewriting the result takes the next. Nil when nothing is gained.
func (w *Rewriter) collect(n *expr.Node) *expr.Node {
	if n.Op != expr.Lin || len(n.Args) < 2 {
		return nil
	}
	var best *expr.Node
	cost := expr.TotalCost(n)
	for _, f := range promising(n, sharedFactors(n)) {
		if m := w.takeOut(n, f); expr.TotalCost(m) < cost {
			best, cost = m, expr.TotalCost(m)
		}
	}
	return best
}

// factor is a base with the power of it that is taken out.
type factor struct {
	base *expr.Node
	exp  float64
}

// maxTried bounds how many factors of terms are looked at to find the one that is best taken out.
const maxTried = 4096

// promising are the shared factors of a sum, in their order: all of them where the sum is short, otherwise those that save
// most as far as that shows without taking them out.
func promising(n *expr.Node, shared []factor) []factor {
	size := 0
	for _, a := range n.Args {
		size += len(bases(a))
	}
	count := max(maxTried/size, 1)
	if len(shared) <= count {
		return shared
	}
	saved := savings(n, shared)
	order := make([]int, len(shared))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(saved[j], saved[i]) })
	order = order[:count]
	slices.Sort(order)
	out := make([]factor, count)
	for i, k := range order {
		out[i] = shared[k]
	}
	return out
}

// savings are the flops that taking a factor out saves in the terms that have it.
func savings(n *expr.Node, shared []factor) []float64 {
	out := make([]float64, len(shared))
	at := map[factorKey][]int{}
	for i, f := range shared {
		k := factorKey{f.base, f.exp < 0}
		at[k] = append(at[k], i)
		out[i] = -expr.ProductCost([]float64{f.exp, 1})
	}
	for _, a := range n.Args {
		exps := exponents(a)
		for k, b := range bases(a) {
			for _, i := range at[factorKey{b, exps[k] < 0}] {
				left := slices.Clone(exps)
				if left[k] -= shared[i].exp; left[k] == 0 {
					left = slices.Delete(left, k, k+1)
				}
				out[i] += expr.ProductCost(exps) - expr.ProductCost(left)
			}
		}
	}
	return out
}

// factorKey tells powers of a base that multiply from those that divide.
type factorKey struct {
	base     *expr.Node
	negative bool
}

// sharedFactors lists the powers that two or more terms have in common, in the order of the terms.
func sharedFactors(n *expr.Node) []factor {
	least := map[factorKey]float64{}
	count := map[factorKey]int{}
	var order []factorKey
	for _, a := range n.Args {
		exps := exponents(a)
		for i, b := range bases(a) {
			e := exps[i]
			k := factorKey{b, e < 0}
			if count[k]++; count[k] == 1 {
				order = append(order, k)
				least[k] = e
			}
			if math.Abs(e) < math.Abs(least[k]) {
				least[k] = e
			}
		}
	}
	var out []factor
	for _, k := range order {
		if count[k] > 1 && k.base.Op != expr.Const {
			out = append(out, factor{k.base, least[k]})
		}
	}
	return out
}

// bases are the factors of a term, without their exponents.
func bases(a *expr.Node) []*expr.Node {
	if a.Op == expr.Prod {
		return a.Args
	}
	return []*expr.Node{a}
}

func exponents(a *expr.Node) []float64 {
	if a.Op == expr.Prod {
		return a.Coefs
	}
	return []float64{1}
}

// takeOut rewrites a sum with one factor taken out of every term that has it.
func (w *Rewriter) takeOut(n *expr.Node, f factor) *expr.Node {
	outside, inside := w.split(n, f)
	return w.G.Add(outside, w.G.Prod([]float64{f.exp, 1}, []*expr.Node{f.base, inside}))
}

// without is a term with the factor taken out, nil when it does not have it.
func (w *Rewriter) without(a *expr.Node, f factor) *expr.Node {
	i := indexFactor(a, f)
	if i < 0 {
		return nil
	}
	exps := slices.Clone(exponents(a))
	exps[i] -= f.exp
	return w.G.Prod(exps, bases(a))
}

func hasFactor(a *expr.Node, f factor) bool { return indexFactor(a, f) >= 0 }

// indexFactor is the place of a factor among those of a term, -1 when it is not there.
func indexFactor(a *expr.Node, f factor) int {
	exps := exponents(a)
	for i, b := range bases(a) {
		if b == f.base && exps[i]*f.exp > 0 && math.Abs(exps[i]) >= math.Abs(f.exp) {
			return i
		}
	}
	return -1
}
