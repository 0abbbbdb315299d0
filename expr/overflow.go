package expr

import "slices"

// The nodes of a rule lie far out, where an integrand is 0 by underflow, as exp(-exp(1e9)) is, and the derivative of its exponent has
// overflowed. 0 times that is NaN, but such a node adds nothing to an integral, and nothing to its derivative.

// Chain returns the product of two factors of the chain rule: 0 where the first is 0, also where the second has overflowed at a node of a
// rule. It differs from the product only where that has no value.
func (g *Graph) Chain(a, b *Node) *Node {
	if !b.Facts.Overflows || !g.mayUnderflow(a) {
		return g.Mul(a, b)
	}
	return g.Where(g.not(g.Call(equalOp, a, g.Const(0))), g.Mul(a, b))
}

// mayUnderflow reports whether a factor may be 0 at some nodes and not at others. Weights, and numbers times them, are not.
func (g *Graph) mayUnderflow(n *Node) bool {
	if !n.Facts.OfTable {
		return false
	}
	_, core := g.Bare(n)
	return core.Op != Table
}

// ofTable reports whether the entries of a vector are functions of those of a table: of nodes, each by itself.
func ofTable(n *Node) bool {
	return n.Op == Table || n.byEntries() && slices.ContainsFunc(n.Args, func(a *Node) bool { return a.Facts.OfTable })
}

// overflows reports whether such entries may be infinite where symbols are not.
func overflows(n *Node) bool {
	if !n.byEntries() {
		return false
	}
	for i, a := range n.Args {
		switch {
		case a.Facts.Overflows:
			return true
		case !a.Facts.OfTable || n.Op == opLin:
		case n.Op == opProd:
			if e := n.Coefs[i]; e < 0 || !whole(e) {
				return true
			}
		case n.Op == opPow || !n.Op.finite():
			return true
		}
	}
	return false
}

// byEntries reports whether an entry of the value is a function of one entry of each operand.
func (n *Node) byEntries() bool {
	return n.Op == opLin || n.Op == opProd || n.Op == opPow || n.Op.Elementwise()
}
