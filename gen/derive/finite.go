package derive

import (
	"math"

	"github.com/sngdgen/sngdgen/expr"
)

// NonFinite returns an expression among the results with an infinite or undefined constant in it, nil when there is
// none: what a division by zero in a spec leads to.
func (r *Result) NonFinite() *expr.Node {
	roots := append([]*expr.Node{r.Surrogate.Loss, r.LogDensity}, r.Surrogate.Natural...)
	if r.Unconstrained.Loss != nil {
		roots = append(roots, r.Unconstrained.Loss)
	}
	roots = append(append(roots, r.Surrogate.Covector...), r.Unconstrained.Gradient...)
	if p := r.Penalty; p != nil {
		roots = append(append(roots, p.Loss), p.Natural...)
	}
	for _, l := range r.Limits {
		roots = append(append(roots, l.Loss), l.Gradient...)
	}
	for _, d := range append(append([]Def{}, r.Surrogate.Defs...), r.Surrogate.Theta...) {
		roots = append(roots, d.Node)
	}
	var bad *expr.Node
	expr.Walk(func(n *expr.Node) {
		finite := !math.IsNaN(n.Const) && !math.IsInf(n.Const, 0)
		for _, c := range n.Coefs {
			finite = finite && !math.IsNaN(c) && !math.IsInf(c, 0)
		}
		if !finite && bad == nil {
			bad = n
		}
	}, roots...)
	return bad
}
