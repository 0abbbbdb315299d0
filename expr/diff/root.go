package diff

import (
	"strings"

	"github.com/sngdgen/sngdgen/expr"
)

// The implicit function theorem for systems F(y, p) = 0 in vectors: dy = -H^-1 dF/dp dp with H = dF/dy at the solution.
// H is symmetric, is never formed, and is known by its products H u, which forward mode gives; what solves H u = b is a
// system again, so that derivatives of roots are roots.

// LinearSystem returns the system H u = b of a shaped system of equations.
func LinearSystem(g *expr.Graph, fn *expr.Lambda) (*expr.Linear, error) {
	if fn.Linear != nil {
		return fn.Linear, nil
	}
	out := &expr.Linear{}
	var u []*expr.Node
	for _, v := range fn.Vars {
		name, _, _ := strings.Cut(v.Name, "$")
		u = append(u, g.Fresh("d"+name, v.Type, expr.Unknown))
		out.Right = append(out.Right, g.Fresh("b", v.Type, expr.Unknown))
	}
	eqs, err := Pushforward(g, fn.Eqs, fn.Vars, u)
	if err != nil {
		return nil, err
	}
	for i := range eqs {
		eqs[i] = g.Sub(eqs[i], out.Right[i])
	}
	out.Fn, out.Args = g.Lift(u, eqs, make([]*expr.Node, len(u)), nil)
	fn.Linear = out
	return out, nil
}

// solveLinear returns u with H u = b, one vector an unknown, at the solution of the equations of n.
func solveLinear(g *expr.Graph, n *expr.Node, b []*expr.Node) ([]*expr.Node, error) {
	linear, err := LinearSystem(g, n.Fn)
	if err != nil {
		return nil, err
	}
	at := solution(g, n)
	for i, r := range linear.Right {
		at[r] = b[i]
	}
	return g.Roots(linear.Fn, g.SubstituteAll(linear.Args, at)), nil
}

// solution maps the symbols of the equations of n to their values: the unknowns to the solution.
func solution(g *expr.Graph, n *expr.Node) map[*expr.Node]*expr.Node {
	at := map[*expr.Node]*expr.Node{}
	for i, y := range g.Roots(n.Fn, n.Args) {
		at[n.Fn.Vars[i]] = y
	}
	for i, p := range n.Fn.Params {
		at[p] = n.Args[i]
	}
	return at
}

// shapedPullback returns the cotangents of the operands of a root of a shaped system: -(dF/dp)' H^-1 c.
func shapedPullback(g *expr.Graph, n, c *expr.Node) ([]*expr.Node, error) {
	b := make([]*expr.Node, len(n.Fn.Vars))
	for i := range b {
		b[i] = g.Const(0)
	}
	b[n.Index] = c
	u, err := solveLinear(g, n, b)
	if err != nil {
		return nil, err
	}
	for i := range u {
		u[i] = g.Neg(u[i])
	}
	shares, err := Pullback(g, n.Fn.Eqs, u, n.Fn.Params)
	if err != nil {
		return nil, err
	}
	shares = g.SubstituteAll(shares, solution(g, n))
	for i, p := range n.Fn.Params {
		if p.Type.Rank > 0 && n.Args[i].Type.Rank == 0 { // one number for all entries
			shares[i] = g.Contract(shares[i], g.Ones(p.Type))
		}
	}
	return shares, nil
}

// shapedPush returns the tangent of a root of a shaped system; tangents of operands that do not vary are nil.
func shapedPush(g *expr.Graph, n *expr.Node, tangents []*expr.Node) (*expr.Node, error) {
	var wrt, along []*expr.Node
	for i, t := range tangents {
		if t != nil {
			wrt, along = append(wrt, n.Fn.Params[i]), append(along, g.Spread(t, n.Fn.Params[i].Type))
		}
	}
	b, err := Pushforward(g, n.Fn.Eqs, wrt, along)
	if err != nil {
		return nil, err
	}
	b = g.SubstituteAll(b, solution(g, n))
	for i := range b {
		b[i] = g.Neg(b[i])
	}
	u, err := solveLinear(g, n, b)
	if err != nil {
		return nil, err
	}
	return u[n.Index], nil
}
