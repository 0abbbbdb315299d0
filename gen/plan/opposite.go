package plan

import (
	"cmp"
	"maps"
	"slices"

	"github.com/sngdgen/sngdgen/expr"
)

// opposite makes products with a sum of vectors the negatives of products with its negative, where both occur: of x - mu and mu - x,
// which gradients have from different terms, only the older one is multiplied with matrices and vectors.
func (p *planner) opposite() {
	o := opposites{g: p.k.Graph, older: older(p.k.Graph, p.definedRoots()), memo: map[*expr.Node]*expr.Node{}}
	if len(o.older) > 0 {
		p.everywhere(o.in)
	}
}

// everywhere puts what a function returns in place of all formulas.
func (p *planner) everywhere(rewritten func(*expr.Node) *expr.Node) {
	k := *p.k
	k.Defs, k.Guards, k.Outputs, k.Stores = slices.Clone(k.Defs), slices.Clone(k.Guards), slices.Clone(k.Outputs), slices.Clone(k.Stores)
	for i := range k.Defs {
		k.Defs[i].Node = rewritten(k.Defs[i].Node)
	}
	for i := range k.Guards {
		k.Guards[i].Node = rewritten(k.Guards[i].Node)
	}
	for i := range k.Outputs {
		k.Outputs[i].Node = rewritten(k.Outputs[i].Node)
	}
	for i := range k.Stores {
		k.Stores[i].Node = rewritten(k.Stores[i].Node)
	}
	k.Names = renamed(k.Names, rewritten)
	p.k = &k
}

// renamed are the names of what takes the place of nodes: that of the oldest where several are one.
func renamed(names map[*expr.Node]string, rewritten func(*expr.Node) *expr.Node) map[*expr.Node]string {
	nodes := slices.SortedFunc(maps.Keys(names), func(a, b *expr.Node) int { return cmp.Compare(a.ID, b.ID) })
	out := map[*expr.Node]string{}
	for _, n := range nodes {
		if m := rewritten(n); out[m] == "" {
			out[m] = names[n]
		}
	}
	return out
}

type opposites struct {
	g     *expr.Graph
	older map[*expr.Node]*expr.Node // of a sum its negative
	memo  map[*expr.Node]*expr.Node
}

// older finds the sums of vectors that are multiplied with something, and whose negatives are too.
func older(g *expr.Graph, roots []*expr.Node) map[*expr.Node]*expr.Node {
	multiplied := map[*expr.Node]bool{}
	var sums []*expr.Node // the same, in the order of the walk: negatives are made
	expr.Walk(func(n *expr.Node) {
		if !bilinear(n) {
			return
		}
		for _, a := range n.Args {
			if a.Op == expr.Lin && a.Type.Rank == 1 && len(a.Args) > 1 && !multiplied[a] {
				multiplied[a] = true
				sums = append(sums, a)
			}
		}
	}, roots...)
	out := map[*expr.Node]*expr.Node{}
	for _, a := range sums {
		if negative := g.Neg(a); multiplied[negative] && negative.ID < a.ID {
			out[a] = negative
		}
	}
	return out
}

// bilinear reports whether a node changes its sign with an operand.
func bilinear(n *expr.Node) bool {
	return n.Op == expr.MatMul || n.Op == expr.Dot || n.Op == expr.Outer
}

func (o *opposites) in(n *expr.Node) *expr.Node {
	if m, ok := o.memo[n]; ok || len(n.Args) == 0 {
		if ok {
			return m
		}
		return n
	}
	args, sign := make([]*expr.Node, len(n.Args)), 1.0
	for i, a := range n.Args {
		if negative := o.older[a]; negative != nil && bilinear(n) {
			a, sign = negative, -sign
		}
		args[i] = o.in(a)
	}
	m := n
	if !slices.Equal(args, n.Args) {
		m = o.g.Scale(sign, o.g.Rebuild(n, args))
	}
	o.memo[n] = m
	return m
}
