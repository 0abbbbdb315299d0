package expr

import (
	"math"
	"slices"
)

// Dot returns x'y. Numbers leave it; matrices between the two vectors stand with the second; of the two ways to write
// x' A y = y' A' x the one that starts with the older vector is taken; and of the ways to write the sum of the products of
// several vectors, that of Total.
func (g *Graph) Dot(x, y *Node) *Node {
	sx, x := g.Bare(x)
	sy, y := g.Bare(y)
	scalar := g.Mul(sx, sy)
	switch {
	case scalar.Is(0) || x.Is(0) || y.Is(0):
		return g.Const(0)
	case x.Op == MatMul || y.Op == MatMul:
		return g.Mul(scalar, g.chained(x, y))
	}
	return g.Mul(scalar, g.Total(g.Mul(x, y)))
}

// chained is x'y where one of the two is a product of matrices with a vector.
func (g *Graph) chained(x, y *Node) *Node {
	x, between, y := g.ends(x, y)
	if older(y, x) || x == y && len(between) > 0 && !palindrome(between) && before(turn(g, between), between) {
		x, between, y = y, turn(g, between), x
	}
	factors := append(between, y)
	s, core := g.Bare(g.MatMul(factors...))
	if core.Op == MatMul && slices.Equal(core.Args, factors) {
		return g.Mul(s, g.dot(x, core))
	}
	return g.Mul(s, g.Dot(x, core)) // something has cancelled: other vectors may stand at the ends
}

// dot is the node of an inner product in canonical form.
func (g *Graph) dot(x, y *Node) *Node {
	return g.intern(Node{Op: Dot, Args: []*Node{x, y}, Type: Scalar.Over(x.Type.Axes | y.Type.Axes)})
}

// older orders vectors: that of ones is the first of all.
func older(a, b *Node) bool {
	if isOnes(a) != isOnes(b) {
		return isOnes(a)
	}
	return a.ID < b.ID
}

// Total returns the sum of the entries of a vector or a matrix; a number is its own. The sum of a product of vectors is
// an inner product: of a product of matrices with a vector and the rest, of a vector with itself where all exponents are
// even, of the oldest factor and the rest; where there is no such factor, of Ones and the vector.
func (g *Graph) Total(v *Node) *Node {
	switch v.Type.Rank {
	case 0:
		return v
	case 2:
		return g.Inner(g.Ones(v.Type), v)
	}
	s, core := g.Bare(v)
	if n, ok := g.number(core); ok {
		return g.Mul(s, n, g.DimNode(v.Type.Dims[0]))
	}
	return g.Mul(s, g.total(core))
}

func (g *Graph) total(v *Node) *Node {
	all := g.Ones(Vector(v.Type.Dims[0]))
	if _, ok := v.certainUnit(); ok {
		return g.Const(1)
	}
	switch {
	case v.Op == Table:
		return g.Const(totalOf(v.Coefs))
	case v.Op == opLin:
		return g.totalLin(v)
	case v.Op == opProd:
		return g.totalProd(v)
	case v.Op == MatMul:
		return g.chained(all, v)
	case v.Op == logOp && v.Args[0].Op == Diag && v.Args[0].Args[0].Op == Chol: // half the determinant
		return g.LogDet(v.Args[0].Args[0])
	}
	return g.dot(all, v)
}

// totalLin takes the numbers out of the sum over the entries of a sum.
func (g *Graph) totalLin(v *Node) *Node {
	var numbers, vectors []*Node
	for i, a := range v.Args {
		if a = g.Scale(v.Coefs[i], a); a.Type.Rank == 0 {
			numbers = append(numbers, a)
		} else {
			vectors = append(vectors, a)
		}
	}
	if v.Const == 0 && len(numbers) == 0 {
		return g.dot(g.Ones(Vector(v.Type.Dims[0])), v)
	}
	number := g.Add(append(numbers, g.Const(v.Const))...)
	return g.Add(g.Mul(number, g.DimNode(v.Type.Dims[0])), g.Total(g.Add(vectors...)))
}

// totalProd splits a product of vectors in two.
func (g *Graph) totalProd(v *Node) *Node {
	first, even := -1, true
	for i, a := range v.Args {
		if index, ok := a.certainUnit(); ok && v.Coefs[i] > 0 {
			return g.at(g.factorsBut(v, i), a, index)
		}
		even = even && math.Mod(v.Coefs[i], 2) == 0
		switch {
		case v.Coefs[i] != 1:
		case a.Op == MatMul:
			return g.chained(g.factorsBut(v, i), a)
		case first < 0:
			first = i
		}
	}
	switch {
	case even:
		h := slices.Clone(v.Coefs)
		for i := range h {
			h[i] /= 2
		}
		x := g.Prod(h, v.Args)
		if x.Op == MatMul {
			return g.chained(x, x)
		}
		return g.dot(x, x)
	case first >= 0:
		x, y := v.Args[first], g.factorsBut(v, first)
		if older(y, x) {
			x, y = y, x
		}
		return g.dot(x, y)
	}
	return g.dot(g.Ones(Vector(v.Type.Dims[0])), v)
}

// factorsBut is a product without one of its factors.
func (g *Graph) factorsBut(v *Node, i int) *Node {
	return g.Prod(slices.Delete(slices.Clone(v.Coefs), i, i+1), slices.Delete(slices.Clone(v.Args), i, i+1))
}

// ends takes the matrices off two vectors: x = A u and y = B v give u, A'B, v.
func (g *Graph) ends(x, y *Node) (u *Node, between []*Node, v *Node) {
	u, v = x, y
	if x.Op == MatMul {
		k := len(x.Args) - 1
		u, between = x.Args[k], turn(g, x.Args[:k])
	}
	if y.Op == MatMul {
		k := len(y.Args) - 1
		v, between = y.Args[k], append(between, y.Args[:k]...)
	}
	return u, between, v
}

// turn is the transpose of a product.
func turn(g *Graph, args []*Node) []*Node {
	out := make([]*Node, len(args))
	for i, a := range args {
		out[len(args)-1-i] = g.Transpose(a)
	}
	return out
}

// before orders products by the age of their factors.
func before(a, b []*Node) bool {
	for i := range a {
		if a[i].ID != b[i].ID {
			return a[i].ID < b[i].ID
		}
	}
	return false
}

// Outer returns the matrix x y'.
func (g *Graph) Outer(x, y *Node) *Node {
	sx, x := g.Bare(x)
	sy, y := g.Bare(y)
	if sx.Is(0) || sy.Is(0) || x.Is(0) || y.Is(0) {
		return g.Const(0)
	}
	if _, unit := x.UnitOf(); unit && x == y {
		return g.Mul(sx, sy, g.DiagonalMatrix(x))
	}
	t := Matrix(x.Type.Dims[0], y.Type.Dims[0]).Over(x.Type.Axes | y.Type.Axes)
	return g.Mul(sx, sy, g.intern(Node{Op: Outer, Args: []*Node{x, y}, Type: t}))
}

// Inner returns the sum of the products of the entries of two matrices, trace(a' b).
func (g *Graph) Inner(a, b *Node) *Node {
	sa, a := g.Bare(a)
	sb, b := g.Bare(b)
	scalar := g.Mul(sa, sb)
	switch {
	case scalar.Is(0) || a.Is(0) || b.Is(0):
		return g.Const(0)
	case b.Op == Outer:
		return g.Mul(scalar, g.Dot(b.Args[0], g.MatMul(a, b.Args[1])))
	case a.Op == Outer:
		return g.Mul(scalar, g.Dot(a.Args[0], g.MatMul(b, a.Args[1])))
	case a.Op == DiagMat:
		return g.Mul(scalar, g.Dot(a.Args[0], g.Diagonal(b)))
	case b.Op == DiagMat:
		return g.Mul(scalar, g.Dot(b.Args[0], g.Diagonal(a)))
	case b.Op == Eye:
		a, b = b, a
	case a.ID > b.ID && a.Op != Eye:
		a, b = b, a
	}
	if a.Op == Eye { // a trace, of what the diagonal may be known of
		if d := g.Diagonal(b); d.Op != Diag {
			return g.Mul(scalar, g.Total(d))
		}
	}
	return g.Mul(scalar, g.intern(Node{Op: Inner, Args: []*Node{a, b}, Type: Scalar.Over(a.Type.Axes | b.Type.Axes)}))
}

// Symmetrised returns (a + a')/2: the form of a gradient with respect to a symmetric matrix.
func (g *Graph) Symmetrised(a *Node) *Node {
	if a.Type.Rank != 2 {
		return a
	}
	return g.Lin(0, []float64{0.5, 0.5}, []*Node{a, g.Transpose(a)})
}

// Contract is the inner product of two values of one shape: of scalars, vectors or matrices.
func (g *Graph) Contract(a, b *Node) *Node {
	switch max(a.Type.Rank, b.Type.Rank) {
	case 0:
		return g.Mul(a, b)
	case 1:
		return g.Dot(a, b)
	}
	return g.Inner(a, b)
}
