package derive

import (
	"errors"
	"slices"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/diff"
)

// errNoLiteral is that of a composition that cannot be written down.
var errNoLiteral = errors.New("the standard parameters are no function of the dual coordinates in closed form")

// LiteralGradient is the gradient of the literal composition f(g(s(dual))) by the dual coordinates and the auxiliary
// parameters, in the symbols Dual, as automatic differentiation gives it: no rule has touched it.
func (r *Result) LiteralGradient() ([]*expr.Node, error) {
	if r.Surrogate.LiteralDual == nil {
		return nil, errNoLiteral
	}
	wrt := slices.Clone(r.Surrogate.Dual)
	for _, a := range r.Problem.Auxiliary {
		wrt = append(wrt, a.Sym)
	}
	return diff.Gradient(r.Problem.Graph, r.Surrogate.LiteralDual, wrt)
}

// AsWritten returns a copy whose natural gradient is the literal one: the dual coordinates are computed from the standard
// parameters, and those from them again. It is what the rules are measured against.
func (r *Result) AsWritten() (*Result, error) {
	grad, err := r.LiteralGradient()
	if err != nil {
		return nil, err
	}
	out := *r
	s := &out.Surrogate
	s.Defs, s.Natural, s.Covector = slices.Clone(s.Defs), slices.Clone(s.Natural), slices.Clone(s.Covector)
	g, by := r.Problem.Graph, map[*expr.Node]*expr.Node{}
	for i, sym := range s.Dual {
		node := s.DualOf[i]
		if f := g.Neg(node).Facts; f.Structure&expr.PositiveDefinite != 0 { // factors are those of positive definite matrices
			node = g.Neg(node)
			negative := g.Sym(sym.Name+"-", sym.Type, f)
			by[sym] = g.Neg(negative)
			sym = negative
		}
		s.Defs = append(s.Defs, Def{Name: Plain(s.Dual[i].Name), Sym: sym, Node: node})
	}
	grad = g.SubstituteAll(grad, by)
	for i, c := range s.Coords {
		if c.Auxiliary {
			s.Covector[i] = grad[i]
		} else {
			s.Natural[i] = grad[i]
		}
	}
	return &out, nil
}
