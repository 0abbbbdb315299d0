package expr

import "slices"

// Expectations returns the means, over a standard normal number, of the functions fn.Eqs of the one variable fn.Vars, one node
// each: what quadrature computes. The operands are the values of the parameters of fn, in their order, numbers or vectors: the
// latter are gone through entry by entry. Lift makes fn of functions in which other values stand.
func (g *Graph) Expectations(fn *Lambda, args []*Node) []*Node {
	out := make([]*Node, len(fn.Eqs))
	for i := range out {
		out[i] = g.expectation(fn, args, i)
	}
	return out
}

func (g *Graph) expectation(fn *Lambda, args []*Node, index int) *Node {
	return g.intern(Node{Op: opExpectation, Args: slices.Clone(args), Fn: fn, Index: index, Type: mustBroadcast(opExpectation, args)})
}

// JoinExpectations makes one Lambda of those that expectations in the same parameters have, as derivatives of one another do: what
// is computed at one point of quadrature is then computed once for all of them. Those of the entries of vectors, which are computed in
// loops of their own, each have one of their own.
func (g *Graph) JoinExpectations(nodes []*Node) []*Node {
	type group struct {
		args []*Node
		fn   *Lambda
	}
	var groups []group
	var found []*Node        // in the order of the walk, in which the new ones are made: their numbers decide the order of terms
	place := map[*Node]int{} // of an expectation: its group
	index := map[*Node]int{}
	Walk(func(n *Node) {
		if n.Op != opExpectation {
			return
		}
		at := slices.IndexFunc(groups, func(o group) bool {
			return (n.Type.Rank == 0 || o.fn.Eqs[0] == n.Fn.Eqs[n.Index]) && slices.Equal(o.args, n.Args) && slices.Equal(o.fn.Params, n.Fn.Params) && slices.Equal(o.fn.Vars, n.Fn.Vars)
		})
		if at < 0 {
			at = len(groups)
			groups = append(groups, group{n.Args, &Lambda{Vars: n.Fn.Vars, Params: n.Fn.Params}})
		}
		fn, eq := groups[at].fn, n.Fn.Eqs[n.Index]
		if !slices.Contains(fn.Eqs, eq) {
			fn.Eqs = append(fn.Eqs, eq)
		}
		found = append(found, n)
		place[n], index[n] = at, slices.Index(fn.Eqs, eq)
	}, nodes...)
	by := map[*Node]*Node{}
	for _, n := range found {
		by[n] = g.expectation(groups[place[n]].fn, n.Args, index[n])
	}
	return g.SubstituteAll(nodes, by)
}
