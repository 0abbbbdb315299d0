package expr

// Dot returns x'y. Matrices between the two stand with the second; of the two ways to write x' A y = y' A' x the one
// that starts with the older vector is taken.
func (g *Graph) Dot(x, y *Node) *Node {
	sx, x := g.Bare(x)
	sy, y := g.Bare(y)
	scalar := g.Mul(sx, sy)
	if scalar.Is(0) || x.Is(0) || y.Is(0) {
		return g.Const(0)
	}
	x, between, y := g.ends(x, y)
	if y.ID < x.ID || x == y && len(between) > 0 && !palindrome(between) && before(turn(g, between), between) {
		x, between, y = y, turn(g, between), x
	}
	right := g.MatMul(append(between, y)...)
	if s, core := g.Bare(right); !s.Is(1) {
		return g.Mul(scalar, s, g.Dot(x, core))
	}
	axes := x.Type.Axes | right.Type.Axes
	return g.Mul(scalar, g.intern(Node{Op: Dot, Args: []*Node{x, right}, Type: Scalar.Over(axes)}))
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
	case a.ID > b.ID:
		a, b = b, a
	}
	return g.Mul(scalar, g.intern(Node{Op: Inner, Args: []*Node{a, b}, Type: Scalar.Over(a.Type.Axes | b.Type.Axes)}))
}

// Inv returns the inverse of a matrix.
func (g *Graph) Inv(a *Node) *Node {
	s, core := g.Bare(a)
	if core != a {
		return g.Mul(g.Div(g.Const(1), s), g.Inv(core))
	}
	switch a.Op {
	case Inv:
		return a.Args[0]
	case Eye:
		return a
	}
	return g.intern(Node{Op: Inv, Args: []*Node{a}, Type: a.Type})
}

// LogDet returns the logarithm of the determinant of a positive definite matrix.
func (g *Graph) LogDet(a *Node) *Node {
	s, core := g.Bare(a)
	switch {
	case core != a && s.Positive():
		return g.Add(g.Mul(g.DimNode(a.Type.Dims[0]), g.Call(logOp, s)), g.LogDet(core))
	case a.Op == Inv:
		return g.Neg(g.LogDet(a.Args[0]))
	case a.Op == Eye:
		return g.Const(0)
	}
	return g.intern(Node{Op: LogDet, Args: []*Node{a}, Type: Scalar.Over(a.Type.Axes)})
}

var logOp = functionIndex["log"]

// Diagonal returns the diagonal of a matrix as a vector.
func (g *Graph) Diagonal(a *Node) *Node {
	s, core := g.Bare(a)
	if core != a {
		return g.Mul(s, g.Diagonal(core))
	}
	if a.Op == DiagMat {
		return a.Args[0]
	}
	return g.intern(Node{Op: Diag, Args: []*Node{a}, Type: Vector(a.Type.Dims[0]).Over(a.Type.Axes)})
}

// DiagonalMatrix returns the matrix with a vector on its diagonal.
func (g *Graph) DiagonalMatrix(v *Node) *Node {
	s, core := g.Bare(v)
	if core != v {
		return g.Mul(s, g.DiagonalMatrix(core))
	}
	return g.intern(Node{Op: DiagMat, Args: []*Node{v}, Type: Matrix(v.Type.Dims[0], v.Type.Dims[0]).Over(v.Type.Axes)})
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
