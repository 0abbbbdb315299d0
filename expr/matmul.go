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
		switch {
		case a.Op == Eye:
			continue
		case a.Op == Outer && len(args) > 1:
			return g.aroundOuter(append(slices.Clone(out), args[i:]...), len(out))
		case len(out) > 0 && cancels(out[len(out)-1], a):
			out = out[:len(out)-1]
			continue
		}
		out = append(out, a)
	}
	switch len(out) {
	case 0:
		return g.Identity(t.Dims[0])
	case 1:
		return out[0]
	}
	return g.intern(Node{Op: MatMul, Args: out, Type: matMulType(out)})
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
	turned := make([]*Node, 0, len(right)+1)
	for j := len(right) - 1; j >= 0; j-- {
		turned = append(turned, g.Transpose(right[j]))
	}
	return g.Outer(left, g.MatMul(append(turned, y)...))
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
		return g.Lin(a.Const, a.Coefs, each(a.Args))
	case opProd:
		return g.Prod(a.Coefs, each(a.Args))
	case opSum:
		return g.Sum(a.Axis, g.Transpose(a.Args[0]))
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
