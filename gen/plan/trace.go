package plan

import (
	"slices"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/program"
)

// traces writes tr(inv(A) S) in terms of the trace of inv(A) T, where inv(A) T inv(A) is computed too and T is a sum of multiples of S,
// of A and of outer products: on the way to the product with two inverses there is the one with one, whose diagonal costs nothing. Of A
// the trace is known, of outer products it is an inner product with a solve.
func (p *planner) traces() {
	by := map[*expr.Node]*expr.Node{}
	roots := p.definedRoots()
	expr.Walk(func(n *expr.Node) {
		if n.Op != expr.MatMul || len(n.Args) != 3 || n.Args[0] != n.Args[2] || n.Args[0].Op != expr.Inv || n.Type.Axes != 0 {
			return
		}
		half := p.k.Graph.MatMul(n.Args[1], n.Args[2])
		expr.Walk(func(trace *expr.Node) {
			if inverse, s := solvedTrace(trace); inverse == n.Args[0] && by[trace] == nil {
				if v := p.byHalf(inverse, half, s); v != nil {
					by[trace] = v
				}
			}
		}, roots...)
	}, roots...)
	if len(by) == 0 {
		return
	}
	k := *p.k
	k.Outputs, k.Defs = slices.Clone(k.Outputs), slices.Clone(k.Defs)
	for i := range k.Outputs {
		k.Outputs[i].Node = k.Graph.Substitute(k.Outputs[i].Node, by)
	}
	for i := range k.Defs {
		k.Defs[i].Node = k.Graph.Substitute(k.Defs[i].Node, by)
	}
	p.k = &k
}

// solvedTrace is inv(A) and S where a node is tr(inv(A) S), nil for others.
func solvedTrace(n *expr.Node) (inverse, s *expr.Node) {
	if n.Op != expr.Inner {
		return nil, nil
	}
	for i, a := range n.Args {
		other := n.Args[1-i]
		switch {
		case a.Op == expr.Inv && other.Op != expr.Eye:
			return a, other
		case other.Op == expr.Eye && a.Op == expr.MatMul && len(a.Args) == 2 && a.Args[0].Op == expr.Inv:
			return a.Args[0], a.Args[1]
		}
	}
	return nil, nil
}

// definedRoots are the roots and the definitions.
func (p *planner) definedRoots() []*expr.Node {
	roots := p.roots()
	for _, d := range p.k.Defs {
		roots = append(roots, d.Node)
	}
	return roots
}

// byHalf is tr(inv(A) S) by the trace of T inv(A), given with inv(A); nil where T is not made of S as that asks for.
func (p *planner) byHalf(inverse, half, s *expr.Node) *expr.Node {
	g := p.k.Graph
	rest, factor := []*expr.Node{g.Inner(g.Identity(half.Type.Dims[0]), half)}, g.Const(0)
	for _, t := range p.summands(half.Args[0]) {
		scale, core := g.Bare(t)
		switch {
		case core == s:
			factor = g.Add(factor, scale)
		case core == inverse.Args[0]:
			rest = append(rest, g.Neg(g.Mul(scale, g.DimNode(core.Type.Dims[0]))))
		case core.Op == expr.Outer:
			for _, y := range p.summands(core.Args[0]) {
				for _, x := range p.summands(core.Args[1]) {
					rest = append(rest, g.Neg(g.Mul(scale, g.Dot(x, g.MatMul(inverse, y)))))
				}
			}
		default:
			return nil
		}
	}
	if factor.Is(0) || !factor.Nonzero() {
		return nil
	}
	terms := make([]*expr.Node, len(rest))
	for i, t := range rest {
		terms[i] = g.Div(t, factor)
	}
	return g.Add(terms...)
}

// summands are the terms of a multiple of a sum of vectors or matrices, at any depth.
func (p *planner) summands(n *expr.Node) []*expr.Node {
	g := p.k.Graph
	s, core := g.Bare(n)
	if core.Op != expr.Lin || core.Const != 0 || slices.ContainsFunc(core.Args, func(a *expr.Node) bool { return a.Type.Rank != n.Type.Rank }) {
		return []*expr.Node{n}
	}
	var out []*expr.Node
	for i, a := range core.Args {
		for _, t := range p.summands(g.Scale(core.Coefs[i], a)) {
			out = append(out, g.Mul(s, t))
		}
	}
	return out
}

// traceOfHalf adds up the diagonal of T inv(A), which is there on the way to inv(A) T inv(A); nil for what is on no such way.
func (p *planner) traceOfHalf(half *expr.Node, hint string) *program.Place {
	if half.Op != expr.MatMul || len(half.Args) != 2 || half.Args[1].Op != expr.Inv {
		return nil
	}
	product := p.k.Graph.MatMul(half.Args[1], half.Args[0], half.Args[1])
	if p.uses[product] == 0 {
		return nil
	}
	p.buffer(product)
	place := p.partials[half]
	if place == nil || place.Shape.Number() {
		return place
	}
	return p.totalOf(hint, program.Shape{Dims: half.Type.Dims[:1]}, func(where at) *expr.Node {
		return p.entry(p.k.Graph.Fresh("memory", half.Type, expr.Computed), program.Ref{Place: place, At: []program.Index{where.i, where.i}})
	})
}
