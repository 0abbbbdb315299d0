package expr

import (
	"math"
	"slices"
)

// Entries. The entry k of a vector x is the inner product of x and the vector that is 1 at k and 0 elsewhere, which is
// equal(range(d), k): so its adjoint, what rules know of inner products, and an index that varies over the rows need no operation of
// their own. Where lengths are known and short, code writes entries out, and 0 and 1 fold. Where the index varies over the rows, such
// an inner product is one entry that is read, and a sum of such vectors over the rows adds to one entry a row (package plan). An index
// beyond the ends names no entry: the vector is 0 then.

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

var lessOp, _ = FunctionNamed("less")

// UnitOf returns the index of a vector that is 1 there and 0 elsewhere.
func (n *Node) UnitOf() (index *Node, ok bool) {
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
	index, ok := n.UnitOf()
	if !ok {
		return 0, false
	}
	k, ok = index.IsConst()
	return k, ok && k >= 1 && k <= float64(n.Type.Dims[0].Size)
}

// certainUnit is UnitOf for an index that is known to be that of an entry: a number, or a declared index.
func (n *Node) certainUnit() (index *Node, ok bool) {
	if index, ok = n.UnitOf(); !ok {
		return nil, false
	}
	if _, constant := n.constantUnit(); constant {
		return index, true
	}
	return index, index.Facts.Index == n.Type.Dims[0] && index.Facts.Beyond == 0
}

// at is the entry of a vector that an index names, by the unit vector of that: of a sum, a product or a function that goes entry by
// entry that of the entries. Where the index varies, what does not stays a vector, of which an entry is read.
func (g *Graph) at(n, unit, index *Node) *Node {
	switch {
	case n.Type.Rank == 0:
		return n
	case n.Op == Ones:
		return g.Const(1)
	case n.Op == Iota:
		return index
	case n.Op == Table && names(index, len(n.Coefs)):
		return g.Const(n.Coefs[int(index.Const)-1])
	case n.Op == MatMul:
		return g.chained(unit, n)
	case varies(index, Rows) && !varies(n, Rows) && !shifts(n) && !isUnit(n):
		return g.entry(n, unit)
	case n.Op != opLin && n.Op != opProd && n.Op != opPow && !n.Op.Elementwise():
		return g.entry(n, unit)
	}
	args := make([]*Node, len(n.Args))
	for i, a := range n.Args {
		args[i] = g.at(a, unit, index)
	}
	return g.Entry(n, args)
}

// names reports whether an index is a number, of one of so many entries.
func names(index *Node, length int) bool {
	k, ok := index.IsConst()
	return ok && k == math.Trunc(k) && k >= 1 && k <= float64(length)
}

// isUnit reports whether a vector is 1 in one place and 0 elsewhere by the way it is written.
func isUnit(n *Node) bool {
	_, ok := n.UnitOf()
	return ok
}

// shifts reports whether a vector is another one, or a multiple of it, and numbers: of these no new vector is to be made.
func shifts(n *Node) bool {
	vectors := 0
	for _, a := range n.Args {
		if a.Type.Rank > 0 {
			vectors++
		}
	}
	return vectors == 1 && (n.Op == opLin || n.Op == opProd && slices.Max(n.Coefs) == 1 && slices.Min(n.Coefs) == 1)
}

// entry is the node of an entry.
func (g *Graph) entry(n, unit *Node) *Node {
	if older(unit, n) {
		return g.dot(unit, n)
	}
	return g.dot(n, unit)
}

// times is the product of a vector and a unit vector, of which one entry is left.
func (g *Graph) times(v, unit, index *Node) *Node { return g.Mul(g.at(v, unit, index), unit) }

// entryOf returns the vector of which an inner product is an entry: its index is a number of it, so that what is known of all entries is
// known of this.
func (n *Node) entryOf() (vector *Node, ok bool) {
	for i, a := range n.Args {
		if _, unit := a.UnitOf(); unit {
			_, certain := a.certainUnit()
			return n.Args[1-i], certain
		}
	}
	return nil, false
}

// written is UnitOf for an index that a formula may have: a number only of what has a known length.
func (n *Node) written() (index *Node, ok bool) {
	if index, ok = n.UnitOf(); ok && index.Op == opConst {
		_, ok = n.constantUnit()
	}
	return index, ok
}

// subscripted takes x[i] and A[i, j] apart, which are inner products.
func (n *Node) subscripted() (x *Node, subscripts []*Node, ok bool) {
	if n.Op != Dot {
		return nil, nil, false
	}
	for i, a := range n.Args {
		index, unit := a.written()
		if !unit {
			continue
		}
		x := n.Args[1-i]
		if x.Op == MatMul && len(x.Args) == 2 {
			if column, unit := x.Args[1].written(); unit {
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
