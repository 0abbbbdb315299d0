package derive

import (
	"slices"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/rewrite"
)

// moments takes residuals apart where that leaves sums of the data alone, which are computed once for a data set: with x
// the observation, o the origin that the family takes moments about, and r = x - mu,
//
//	dot(a, r)              = dot(a, x - o) - dot(a, mu - o)
//	sum(s*r)               = sum(s*(x - o)) - sum(s)*(mu - o)
//	sum(s*outer(r, r))     = sum(s*outer(x - o, x - o)) - ...
//	sum(dot(r, A @ r))     = inner(A, sum(outer(r, r)))
//
// About the origin, which is the mean of the data or near it, nothing is lost; about 0 the digits would cancel.
type moments struct {
	g        *expr.Graph
	x, shift *expr.Node // the observation, and x - o, of which residuals are made where the origin cancels
	origin   *expr.Node
	memo     map[*expr.Node]*expr.Node
	trace    []rewrite.Step
}

// newMoments returns nil for a problem without vectors or without the origin of a location.
func (d *deriver) newMoments() *moments {
	x, shift, origin := d.observation()
	if x == nil || x.Type.Rank != 1 {
		return nil
	}
	return &moments{g: d.g, x: x, shift: shift, origin: origin, memo: map[*expr.Node]*expr.Node{}}
}

// byMoments takes the residuals of all expressions apart, or of none: where one has to be computed for every row, the
// others take it from there.
func (d *deriver) byMoments(identities []identity, lists ...[]*expr.Node) [][]*expr.Node {
	m := d.newMoments()
	if m == nil {
		return lists
	}
	out, before := make([][]*expr.Node, len(lists)), len(d.trace)
	for i, list := range lists {
		taken := make([]*expr.Node, len(list))
		for j, n := range list {
			taken[j] = m.apart(n)
		}
		d.trace, m.trace = append(d.trace, m.trace...), nil
		out[i] = d.finish(identities, taken)
		if slices.ContainsFunc(out[i], m.residual) {
			d.trace = d.trace[:before] // nothing came of it
			return lists
		}
	}
	return out
}

// residual reports whether an expression contains the difference of an observation and something that is not constant.
func (m *moments) residual(root *expr.Node) bool {
	found := false
	expr.Walk(func(n *expr.Node) {
		if _, fixed, ok := m.centred(n); ok && !fixed.Is(0) {
			found = true
		}
	}, root)
	return found
}

// centred takes a vector apart as c*(x - o) and what does not vary over the rows, in which the origin is a part of differences alone.
func (m *moments) centred(n *expr.Node) (rows, fixed *expr.Node, ok bool) {
	if n.Op != expr.Lin || n.Type.Rank != 1 {
		return nil, nil, false
	}
	whole := m.g.Substitute(n, map[*expr.Node]*expr.Node{m.x: m.g.Add(m.origin, m.shift), m.shift: m.shift})
	i := slices.Index(whole.Args, m.shift)
	if whole.Op != expr.Lin || i < 0 {
		return nil, nil, false
	}
	rows = m.g.Scale(whole.Coefs[i], m.shift)
	fixed = m.g.Sub(whole, rows)
	cancels := fixed != m.origin && !slices.Contains(fixed.Args, m.origin) // else digits would
	return rows, fixed, cancels && !fixed.Type.Axes.Has(expr.Rows)
}

// apart rewrites an expression, operands first.
func (m *moments) apart(n *expr.Node) *expr.Node {
	if out, ok := m.memo[n]; ok {
		return out
	}
	out := n
	if n.Op == expr.Sum && n.Axis == expr.Rows {
		if t := m.sum(n.Args[0]); t != nil {
			out = t
			m.trace = append(m.trace, rewrite.Step{Rule: "Moments", Before: n, After: t})
		}
	}
	if out == n && len(n.Args) > 0 {
		args := make([]*expr.Node, len(n.Args))
		for i, a := range n.Args {
			args[i] = m.apart(a)
		}
		out = m.dot(m.g.Rebuild(n, args))
	}
	m.memo[n] = out
	return out
}

// dot takes the residual out of an inner product with what does not vary over the rows.
func (m *moments) dot(n *expr.Node) *expr.Node {
	if n.Op != expr.Dot {
		return n
	}
	for i, r := range n.Args {
		if other := n.Args[1-i]; !other.Type.Axes.Has(expr.Rows) {
			if rows, fixed, ok := m.centred(r); ok {
				return m.g.Add(m.g.Dot(other, rows), m.g.Dot(other, fixed))
			}
		}
	}
	return n
}

// sum is the sum over the rows of an expression with residuals taken apart, nil when it has none to take.
func (m *moments) sum(n *expr.Node) *expr.Node {
	g := m.g
	s, core := g.Bare(n)
	sum := func(n *expr.Node) *expr.Node { return g.Sum(expr.Rows, n) }
	if a, r, ok := m.form(core); ok && s.Is(1) {
		return g.Inner(m.apart(a), m.apart(sum(g.Outer(r, r))))
	}
	if rows, fixed, ok := m.centred(core); ok {
		s := m.apart(s)
		return g.Add(sum(g.Mul(s, rows)), g.Mul(sum(s), fixed))
	}
	if core.Op != expr.Outer {
		return nil
	}
	x, a, okX := m.centred(core.Args[0])
	y, b, okY := m.centred(core.Args[1])
	if !okX || !okY {
		return nil
	}
	s = m.apart(s)
	return g.Add(sum(g.Mul(s, g.Outer(x, y))), g.Outer(a, sum(g.Mul(s, y))), g.Outer(sum(g.Mul(s, x)), b), g.Mul(sum(s), g.Outer(a, b)))
}

// form reports whether a number is a quadratic form of a residual, r' A r with A symmetric and the same for all rows.
func (m *moments) form(n *expr.Node) (a, r *expr.Node, ok bool) {
	if n.Op != expr.Dot || n.Args[1].Op != expr.MatMul {
		return nil, nil, false
	}
	factors := n.Args[1].Args
	r = n.Args[0]
	if _, _, ok := m.centred(r); !ok && r != m.shift || factors[len(factors)-1] != r {
		return nil, nil, false
	}
	a = m.g.MatMul(factors[:len(factors)-1]...)
	return a, r, !a.Type.Axes.Has(expr.Rows) && a.Facts.Structure&expr.Symmetric != 0
}
