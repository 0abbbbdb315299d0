package expr

import "slices"

// MatMul returns the product of matrices, of which the last may be a vector.
func (g *Graph) MatMul(args ...*Node) *Node {
	scalar := g.Const(1)
	var flat []*Node
	for _, a := range args {
		s, core := g.Bare(a)
		scalar = g.Mul(scalar, s)
		if core.Is(0) || s.Is(0) {
			return g.Zero(matMulType(args))
		}
		if core.Op == MatMul {
			flat = append(flat, core.Args...)
		} else {
			flat = append(flat, core)
		}
	}
	return g.Mul(scalar, g.chain(flat, matMulType(args)))
}

// Product is the product of matrices, the identity matrix of a side where there are none.
func (g *Graph) Product(side Dim, args []*Node) *Node {
	if len(args) == 0 {
		return g.Identity(side)
	}
	return g.MatMul(args...)
}

// Zero is the value 0 of any shape: the constant, which broadcasts.
func (g *Graph) Zero(Type) *Node { return g.Const(0) }

func matMulType(args []*Node) Type {
	t := args[0].Type
	last := args[len(args)-1].Type
	if last.Rank == 1 {
		t.Rank, t.Dims[1] = 1, Dim{}
	} else {
		t.Dims[1] = last.Dims[1]
	}
	for _, a := range args {
		t.Axes |= a.Type.Axes
	}
	return t
}

// chain makes the product of bare factors.
func (g *Graph) chain(args []*Node, t Type) *Node {
	var out []*Node
	for i, a := range args {
		if a.Op == Outer && len(args) > 1 {
			return g.aroundOuter(append(slices.Clone(out), args[i:]...), len(out))
		}
		for len(out) > 0 { // a product of two may meet the one before it
			joined := g.join(out[len(out)-1], a)
			if joined == nil {
				break
			}
			out, a = out[:len(out)-1], joined
		}
		if s, core := g.Bare(a); core != a || core.Op == MatMul { // what joined has factors of its own
			return g.Mul(s, g.MatMul(slices.Concat(out, []*Node{core}, args[i+1:])...))
		}
		if a.Op != Eye {
			out = append(out, a)
		}
	}
	switch len(out) {
	case 0:
		return g.Identity(t.Dims[0])
	case 1:
		return out[0]
	}
	if out[len(out)-1].Type.Rank == 1 {
		return g.scaledOnTheWay(out)
	}
	return g.intern(Node{Op: MatMul, Args: out, Type: matMulType(out)})
}

// scaledOnTheWay is a product with a vector: a diagonal matrix in it scales the entries of the vector that it meets.
func (g *Graph) scaledOnTheWay(args []*Node) *Node {
	for i := len(args) - 2; i >= 0; i-- {
		if args[i].Op == DiagMat {
			v := g.Mul(args[i].Args[0], g.MatMul(args[i+1:]...))
			return g.MatMul(append(slices.Clone(args[:i]), v)...)
		}
	}
	return g.intern(Node{Op: MatMul, Args: args, Type: matMulType(args)})
}

// join is the product of two neighbours where it has a simpler form: a matrix and its inverse, two diagonal matrices, a
// diagonal matrix and a vector, Cholesky factors and what they factorise. Otherwise nil.
func (g *Graph) join(a, b *Node) *Node {
	switch {
	case cancels(a, b):
		return g.Identity(a.Type.Dims[0])
	case a.Op == Eye:
		return b
	case b.Op == Eye:
		return a
	case a.Op == DiagMat && b.Op == DiagMat:
		return g.DiagonalMatrix(g.Mul(a.Args[0], b.Args[0]))
	case a.Op == DiagMat && b.Type.Rank == 1:
		return g.Mul(a.Args[0], b)
	case b.Type.Rank == 2:
		return g.joinCholesky(a, b)
	}
	return nil
}

// joinCholesky: with L the factor of A, L L' = A, inv(L') inv(L) = inv(A), and a multiple of A or of inv(A) next to a factor
// of the other leaves one factor.
func (g *Graph) joinCholesky(a, b *Node) *Node {
	switch {
	case a.Op == Chol && b.Op == Transpose && b.Args[0] == a:
		return a.Args[0]
	case a.Op == Inv && b.Op == Inv && b.Args[0].Op == Chol && a.Args[0] == g.Transpose(b.Args[0]):
		return g.Inv(b.Args[0].Args[0])
	}
	if l := CholeskyIn(b); l != nil && a.Facts.Structure&Symmetric != 0 {
		switch {
		case l == b: // inv(L L') L
			return g.leftOver(l, g.Inv(a), g.Inv(g.Transpose(l)), false)
		case b.Op == Inv && b.Args[0] == g.Transpose(l): // L L' inv(L')
			return g.leftOver(l, a, l, true)
		}
	}
	if l := CholeskyIn(a); l != nil && b.Facts.Structure&Symmetric != 0 {
		switch {
		case a.Op == Transpose: // L' inv(L L')
			return g.leftOver(l, g.Inv(b), g.Inv(l), false)
		case a.Op == Inv && a.Args[0] == l: // inv(L) L L'
			return g.leftOver(l, b, g.Transpose(l), true)
		}
	}
	return nil
}

// CholeskyIn is the Cholesky factor L in L, L', inv(L) or inv(L'); otherwise nil.
func CholeskyIn(n *Node) *Node {
	if n.Op == Inv {
		n = n.Args[0]
	}
	if n.Op == Transpose {
		n = n.Args[0]
	}
	if n.Op != Chol {
		return nil
	}
	return n
}

// leftOver is what remains of a factor and m, when L L' = s m for a number s: rest/s, or rest*s where it was inv(m) that
// cancelled. Nil for any other m.
func (g *Graph) leftOver(l, m, rest *Node, divide bool) *Node {
	sa, of := g.Bare(l.Args[0])
	sm, core := g.Bare(m)
	if core != of {
		return nil
	}
	s := g.Div(sa, sm)
	if divide {
		s = g.Div(g.Const(1), s)
	}
	return g.Mul(s, rest)
}

// cancels reports whether two neighbours are a matrix and its inverse.
func cancels(a, b *Node) bool {
	return a.Op == Inv && a.Args[0] == b && b.Type.Rank == 2 || b.Op == Inv && b.Args[0] == a
}

// aroundOuter multiplies an outer product at position i with what stands left and right of it: A (x y') B is the outer
// product of A x and B' y, and (x y') v is x times a number.
func (g *Graph) aroundOuter(args []*Node, i int) *Node {
	x, y := args[i].Args[0], args[i].Args[1]
	left := g.MatMul(append(slices.Clone(args[:i]), x)...)
	right := args[i+1:]
	if len(right) == 0 {
		return g.Outer(left, y)
	}
	if right[len(right)-1].Type.Rank == 1 {
		return g.Mul(g.Dot(y, g.MatMul(right...)), left)
	}
	transposed := make([]*Node, 0, len(right)+1)
	for j := len(right) - 1; j >= 0; j-- {
		transposed = append(transposed, g.Transpose(right[j]))
	}
	return g.Outer(left, g.MatMul(append(transposed, y)...))
}

// Transpose returns the transpose of a matrix; a scalar is its own.
func (g *Graph) Transpose(a *Node) *Node {
	if a.Type.Rank == 0 || a.Facts.Structure&Symmetric != 0 {
		return a
	}
	each := func(args []*Node) []*Node {
		out := make([]*Node, len(args))
		for i, b := range args {
			out[i] = g.Transpose(b)
		}
		return out
	}
	switch a.Op {
	case Transpose:
		return a.Args[0]
	case opLin:
		if s := a.Facts.Structure; len(a.Args) == 1 || s&LowerTriangular == 0 { // what is upper triangular is known as a transpose
			return g.Lin(a.Const, a.Coefs, each(a.Args))
		}
	case opProd:
		return g.Prod(a.Coefs, each(a.Args))
	case opSum: // unless that only moves the transpose into the sum
		t := g.Transpose(a.Args[0])
		if _, core := g.Bare(t); core.Op != Transpose {
			return g.Sum(a.Axis, t)
		}
	case Outer:
		return g.Outer(a.Args[1], a.Args[0])
	case Inv:
		return g.Inv(g.Transpose(a.Args[0]))
	case MatMul:
		t := each(a.Args)
		slices.Reverse(t)
		return g.MatMul(t...)
	}
	t := a.Type
	t.Dims[0], t.Dims[1] = t.Dims[1], t.Dims[0]
	return g.intern(Node{Op: Transpose, Args: []*Node{a}, Type: t})
}
