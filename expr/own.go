package expr

// WithoutOwn writes out functions of one's own that have a value: what has been differentiated by a given formula is then computed as any
// other value is. Functions in Go stay, and so does what is inside of equations and integrals.
func (g *Graph) WithoutOwn(n *Node) *Node {
	if n == nil || !Find(hasValue, n) {
		return n
	}
	return g.withoutOwn(n, map[*Node]*Node{})
}

func hasValue(n *Node) bool { return n.Op.Own != nil && n.Op.Own.Value != nil }

func (g *Graph) withoutOwn(n *Node, known map[*Node]*Node) *Node {
	if out, ok := known[n]; ok {
		return out
	}
	args := make([]*Node, len(n.Args))
	for i, a := range n.Args {
		args[i] = g.withoutOwn(a, known)
	}
	out := n
	switch own := n.Op.Own; {
	case own != nil && own.Value != nil:
		out = g.withoutOwn(g.Spread(own.Value(args), n.Type), known)
	case len(args) > 0:
		out = g.Rebuild(n, args)
	}
	known[n] = out
	return out
}
