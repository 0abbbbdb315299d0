package expr

// Diagonal returns the diagonal of a matrix as a vector.
func (g *Graph) Diagonal(a *Node) *Node {
	s, core := g.Bare(a)
	switch {
	case s.Is(0) || core.Is(0) || a.Facts.Structure&ZeroDiagonal != 0:
		return g.Const(0)
	case core != a:
		return g.Mul(s, g.Diagonal(core))
	case a.Op == DiagMat:
		return a.Args[0]
	case a.Facts.Structure&UnitDiagonal != 0:
		return g.Ones(Vector(a.Type.Dims[0]))
	case a.Op == Outer:
		return g.Mul(a.Args[0], a.Args[1])
	case a.Op == Transpose:
		return g.Diagonal(a.Args[0])
	case a.Op == LowerHalf:
		return g.Scale(0.5, g.Diagonal(a.Args[0]))
	case a.Op == Inv && triangular(a.Args[0]):
		return g.Prod([]float64{-1}, []*Node{g.Diagonal(a.Args[0])})
	case a.Op == opLin || a.Op == opProd: // entry by entry
		return g.rebuild(a, g.diagonals(a.Args))
	case a.Op == MatMul:
		return g.diagonalOfProduct(a)
	}
	return g.diag(a)
}

// diag is the node of a diagonal in canonical form.
func (g *Graph) diag(a *Node) *Node {
	return g.intern(Node{Op: Diag, Args: []*Node{a}, Type: Vector(a.Type.Dims[0]).Over(a.Type.Axes)})
}

func (g *Graph) diagonals(args []*Node) []*Node {
	out := make([]*Node, len(args))
	for i, a := range args {
		if out[i] = a; a.Type.Rank == 2 {
			out[i] = g.Diagonal(a)
		}
	}
	return out
}

// diagonalOfProduct takes diagonal matrices off both ends. A product and its transpose have one diagonal: the one with
// the older factors in front is taken.
func (g *Graph) diagonalOfProduct(a *Node) *Node {
	args, k := a.Args, len(a.Args)-1
	switch {
	case args[0].Op == DiagMat:
		return g.Mul(args[0].Args[0], g.Diagonal(g.MatMul(args[1:]...)))
	case args[k].Op == DiagMat:
		return g.Mul(args[k].Args[0], g.Diagonal(g.MatMul(args[:k]...)))
	}
	if t := turn(g, args); before(t, args) {
		if b := g.MatMul(t...); b.Op == MatMul {
			return g.diag(b)
		}
	}
	return g.diag(a)
}

// DiagonalMatrix returns the matrix with a vector on its diagonal.
func (g *Graph) DiagonalMatrix(v *Node) *Node {
	s, core := g.Bare(v)
	t := Matrix(v.Type.Dims[0], v.Type.Dims[0])
	switch {
	case s.Is(0) || core.Is(0):
		return g.Const(0)
	case core.Op == Ones:
		return g.Mul(s, g.Identity(v.Type.Dims[0]))
	case core != v:
		return g.Mul(s, g.DiagonalMatrix(core))
	}
	return g.intern(Node{Op: DiagMat, Args: []*Node{v}, Type: t.Over(v.Type.Axes)})
}
