package expr

import "slices"

// leastLifted is what a value has to cost, in flops, to be computed once for all rows of a scan and not in each of them.
const leastLifted = 4

// Lifted returns what a scan gives each row in a form that computes less along the rows: a value that depends on the parameters alone becomes
// a parameter itself, and terms of the number of a row that depend on the data alone, as factorials of counts, are added outside of the scan,
// where they are computed once for all steps.
func (g *Graph) Lifted(n *Node) *Node {
	fn, outer := n.Fn, n.scanOutside()
	var inner, outside []*Node
	for _, t := range g.Terms(fn.Eqs[0]) {
		if Depends(t, slices.Concat(fn.Vars, fn.Params)...) {
			inner = append(inner, t)
		} else {
			outside = append(outside, t)
		}
	}
	if len(inner) == 0 {
		return n
	}
	lifted := &Lambda{Series: fn.Series, Start: fn.Start, Vars: fn.Vars, Rows: fn.Rows}
	eqs, by := append([]*Node{g.Add(inner...)}, fn.Eqs[1:]...), map[*Node]*Node{}
	shared := fn.invariants(eqs)
	for _, m := range shared {
		by[m] = g.Fresh("shared", m.Type, m.Facts)
	}
	lifted.Eqs = g.SubstituteAll(eqs, by)
	var args []*Node
	all := slices.Concat(lifted.Eqs, fn.Start)
	for i, p := range fn.Params {
		if slices.ContainsFunc(all, func(m *Node) bool { return Depends(m, p) }) {
			lifted.Params, args = append(lifted.Params, p), append(args, n.ScanParams()[i])
		}
	}
	for _, m := range shared {
		lifted.Params, args = append(lifted.Params, by[m]), append(args, g.Substitute(m, outer))
	}
	terms := []*Node{g.Scan(lifted, append(args, n.ScanRows()...))}
	for _, t := range outside {
		terms = append(terms, g.Substitute(t, outer))
	}
	return g.Add(terms...)
}

// invariants are the largest values of formulas that depend on the parameters of a scan alone, and cost something.
func (fn *Lambda) invariants(eqs []*Node) (out []*Node) {
	seen, changing := map[*Node]bool{}, slices.Concat(fn.Vars, fn.Rows)
	var visit func(m *Node)
	visit = func(m *Node) {
		if seen[m] {
			return
		}
		seen[m] = true
		switch {
		case Depends(m, changing...):
			for _, a := range m.Args {
				visit(a)
			}
		case m.IsSym() || !Depends(m, fn.Params...) || m.Type.Axes != 0:
		default:
			cost := 0.0
			Walk(func(x *Node) { cost += x.Cost() }, m)
			if cost >= leastLifted {
				out = append(out, m)
			}
		}
	}
	for _, e := range eqs {
		visit(e)
	}
	return out
}

// scanOutside is what the parameters and the parts of a row of a scan stand for outside of it.
func (n *Node) scanOutside() map[*Node]*Node {
	at := map[*Node]*Node{}
	for i, p := range n.Fn.Params {
		at[p] = n.ScanParams()[i]
	}
	for i, r := range n.Fn.Rows {
		at[r] = n.ScanRows()[i]
	}
	return at
}
