package expr

import "slices"

// Entries. The entry k of a vector x is the inner product of x and the vector that is 1 at k and 0 elsewhere, which is
// equal(range(d), k): so its adjoint, what rules know of inner products, and an index that varies over the rows need no operation of
// their own. Where lengths are known and short, code writes entries out, and 0 and 1 fold.

// Iota is the vector 1, 2, ..., d.
var Iota = &Op{Name: "range", Arity: -1, Doc: "the vector 1, 2, ..., d of a dimension"}

// Iota returns the vector of the whole numbers from 1 to the length of a dimension.
func (g *Graph) Iota(d Dim) *Node {
	return g.intern(Node{Op: Iota, Name: d.String(), Type: Vector(d)})
}

// Unit returns the vector of a length that is 1 at an index, counted from 1, and 0 elsewhere.
func (g *Graph) Unit(d Dim, index *Node) *Node { return g.Call(equalOp, g.Iota(d), index) }

// equalOp is the function equal.
var equalOp, _ = FunctionNamed("equal")

// unitOf returns the index of a vector that is 1 there and 0 elsewhere.
func (n *Node) unitOf() (index *Node, ok bool) {
	if n.Op != equalOp || n.Type.Rank != 1 {
		return nil, false
	}
	k := slices.IndexFunc(n.Args, func(a *Node) bool { return a.Op == Iota })
	if k < 0 || n.Args[1-k].Type.Rank > 0 {
		return nil, false
	}
	return n.Args[1-k], true
}

// constantUnit is unitOf for an index that is a number within a known length.
func (n *Node) constantUnit() (k float64, ok bool) {
	index, ok := n.unitOf()
	if !ok {
		return 0, false
	}
	k, ok = index.IsConst()
	return k, ok && k >= 1 && k <= float64(n.Type.Dims[0].Size)
}

// at is the entry k of a vector, by the unit vector of that: of a sum, a product or a function that goes entry by entry that of the
// entries.
func (g *Graph) at(n, unit *Node, k float64) *Node {
	switch {
	case n.Type.Rank == 0:
		return n
	case n.Op == Ones:
		return g.Const(1)
	case n.Op == Iota:
		return g.Const(k)
	case n.Op == MatMul:
		return g.chained(unit, n)
	case n.Op != opLin && n.Op != opProd && n.Op != opPow && !n.Op.Elementwise():
		if older(unit, n) {
			return g.dot(unit, n)
		}
		return g.dot(n, unit)
	}
	args := make([]*Node, len(n.Args))
	for i, a := range n.Args {
		args[i] = g.at(a, unit, k)
	}
	return g.Entry(n, args)
}

// entryOf returns the vector of which an inner product is an entry: its index is a number of it, so that what is known of all entries is
// known of this.
func (n *Node) entryOf() (vector *Node, ok bool) {
	for i, a := range n.Args {
		if index, unit := a.unitOf(); unit {
			_, constant := index.IsConst()
			return n.Args[1-i], constant
		}
	}
	return nil, false
}

// subscripted takes x[i] and A[i, j] apart, which are inner products.
func (n *Node) subscripted() (x *Node, subscripts []*Node, ok bool) {
	if n.Op != Dot {
		return nil, nil, false
	}
	for i, a := range n.Args {
		index, unit := a.unitOf()
		if !unit {
			continue
		}
		x := n.Args[1-i]
		if x.Op == MatMul && len(x.Args) == 2 {
			if column, unit := x.Args[1].unitOf(); unit {
				return x.Args[0], []*Node{index, column}, true
			}
		}
		return x, []*Node{index}, true
	}
	return nil, nil, false
}

// entry prints x[i] or A[i, j].
func (w *notation) entry(x *Node, subscripts []*Node) string {
	text := ""
	for i, s := range subscripts {
		if i > 0 {
			text += ", "
		}
		text += w.print(s, precSum)
	}
	if w.fraction != nil {
		return "{" + w.print(x, precAtom) + "}_{" + text + "}"
	}
	return w.print(x, precAtom) + "[" + text + "]"
}
