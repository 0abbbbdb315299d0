package expr

import "slices"

// varies reports whether a value depends on the axis.
func varies(n *Node, axis Axes) bool { return n.Type.Axes.Has(axis) }

// sumLinear moves a sum over an axis into a product of linear algebra as far as factors vary; nil when all do. A number
// that varies goes along with what varies of the product.
func (g *Graph) sumLinear(axis Axes, x *Node) *Node {
	scalar, core := g.Const(1), x
	if x.Op == opProd {
		scalar, core = g.Bare(x)
	}
	switch core.Op {
	case MatMul:
		return g.sumMatMul(axis, scalar, core)
	case Outer:
		return g.sumOuter(axis, scalar, core)
	case opProd:
		return g.sumEntrywise(axis, scalar, core)
	case DiagMat, Transpose, LowerHalf, Cumulative, Remaining:
		return g.Rebuild(core, []*Node{g.Sum(axis, g.Mul(scalar, core.Args[0]))})
	}
	if core != x {
		return nil
	}
	switch x.Op {
	case Dot, Inner:
		return g.sumBilinear(axis, x)
	case Diag:
		return g.Diagonal(g.Sum(axis, x.Args[0]))
	}
	return nil
}

// sumBilinear sums a product of two, one of which does not vary, or of which vectors that do not vary can be taken.
func (g *Graph) sumBilinear(axis Axes, x *Node) *Node {
	a, b := x.Args[0], x.Args[1]
	switch {
	case !varies(a, axis):
		return g.Rebuild(x, []*Node{a, g.Sum(axis, b)})
	case !varies(b, axis):
		return g.Rebuild(x, []*Node{g.Sum(axis, a), b})
	case x.Op == Inner:
		return nil
	}
	fa, va := g.fixedFactors(axis, a)
	fb, vb := g.fixedFactors(axis, b)
	if fa == nil && fb == nil || a == b {
		return nil
	}
	return g.Dot(orOnes(g, fa, a), g.Mul(orOnes(g, fb, b), g.Sum(axis, g.Mul(va, vb))))
}

// fixedFactors takes the vectors that do not vary off a product of vectors; fixed is nil when there are none.
func (g *Graph) fixedFactors(axis Axes, v *Node) (fixed, rest *Node) {
	if v.Op != opProd {
		return nil, v
	}
	if fixed, rest = g.split(axis, v); fixed == nil || fixed.Type.Rank == 0 {
		return nil, v
	}
	return fixed, g.Spread(rest, v.Type)
}

func orOnes(g *Graph, v, like *Node) *Node {
	if v == nil {
		return g.Ones(like.Type)
	}
	return v
}

// sumOuter takes what does not vary out of the sum of outer products: a vector, or factors of the entries of vectors,
// (u*x)(v*y)' = diag(u) x y' diag(v).
func (g *Graph) sumOuter(axis Axes, scalar, x *Node) *Node {
	a, b := x.Args[0], x.Args[1]
	switch {
	case !varies(a, axis):
		return g.Outer(a, g.Sum(axis, g.Mul(scalar, b)))
	case !varies(b, axis):
		return g.Outer(g.Sum(axis, g.Mul(scalar, a)), b)
	}
	fa, va := g.fixedFactors(axis, a)
	fb, vb := g.fixedFactors(axis, b)
	if fa == nil && fb == nil {
		return nil
	}
	inside := g.Sum(axis, g.Mul(scalar, g.Outer(va, vb)))
	return g.MatMul(g.DiagonalMatrix(orOnes(g, fa, a)), inside, g.DiagonalMatrix(orOnes(g, fb, b)))
}

// sumEntrywise takes matrices that do not vary out of the sum of entrywise products with vectors: the sum of y * (A x) is
// the diagonal of A times the sum of x y'.
func (g *Graph) sumEntrywise(axis Axes, scalar, x *Node) *Node {
	for i, a := range x.Args {
		if index, ok := a.certainUnit(); ok && varies(index, axis) && len(x.Args) > 1 {
			return g.Sum(axis, g.Mul(scalar, g.times(g.factorsBut(x, i), a, index)))
		}
		if a.Op != MatMul || x.Coefs[i] != 1 || a.Type.Rank != 1 || len(x.Args) == 1 {
			continue
		}
		lo := 0
		for lo < len(a.Args)-1 && !varies(a.Args[lo], axis) {
			lo++
		}
		if lo == 0 {
			continue
		}
		inside := g.Sum(axis, g.Mul(scalar, g.Outer(g.MatMul(a.Args[lo:]...), g.factorsBut(x, i))))
		return g.Diagonal(g.MatMul(append(slices.Clone(a.Args[:lo]), inside)...))
	}
	return nil
}

// sumMatMul takes the factors at the ends of a product that do not vary out of the sum of a number times the product.
func (g *Graph) sumMatMul(axis Axes, scalar, x *Node) *Node {
	lo, hi := 0, len(x.Args)
	for lo < hi-1 && !varies(x.Args[lo], axis) {
		lo++
	}
	for hi > lo+1 && !varies(x.Args[hi-1], axis) && x.Args[hi-1].Type.Rank == 2 {
		hi--
	}
	if hi == len(x.Args) && lo == 0 {
		return nil
	}
	inside := g.Sum(axis, g.Mul(scalar, g.MatMul(x.Args[lo:hi]...)))
	return g.MatMul(slices.Concat(x.Args[:lo], []*Node{inside}, x.Args[hi:])...)
}
