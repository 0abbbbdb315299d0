package expr

// Inv returns the inverse of a matrix. That of a product is taken apart where at most one factor is dear to invert, so
// that one factorisation serves a matrix and its scaled copies: inv(D A D) = inv(D) inv(A) inv(D).
func (g *Graph) Inv(a *Node) *Node {
	s, core := g.Bare(a)
	if core != a {
		return g.Mul(g.Div(g.Const(1), s), g.Inv(core))
	}
	switch {
	case a.Op == Inv:
		return a.Args[0]
	case a.Op == Eye:
		return a
	case a.Op == DiagMat:
		return g.DiagonalMatrix(g.Prod([]float64{-1}, a.Args))
	case a.Op == MatMul && cheaplyInverted(a.Args):
		out := make([]*Node, len(a.Args))
		for i, b := range a.Args {
			out[len(out)-1-i] = g.Inv(b)
		}
		return g.MatMul(out...)
	}
	return g.intern(Node{Op: Inv, Args: []*Node{a}, Type: a.Type})
}

// cheaplyInverted reports whether all factors are square and all but one of them diagonal, triangular or inverses.
func cheaplyInverted(args []*Node) bool {
	dear := 0
	for _, a := range args {
		switch {
		case a.Type.Dims[0] != a.Type.Dims[1]:
			return false
		case a.Op != Inv && !triangular(a):
			dear++
		}
	}
	return dear <= 1
}

// triangular reports whether a matrix or its transpose is lower triangular.
func triangular(a *Node) bool {
	if a.Op == Transpose {
		a = a.Args[0]
	}
	return a.Facts.Structure&LowerTriangular != 0
}

// LogDet returns the logarithm of the determinant of a positive definite matrix. That of a product is taken apart where
// all factors have positive determinants.
func (g *Graph) LogDet(a *Node) *Node {
	s, core := g.Bare(a)
	switch {
	case core != a && s.Positive():
		return g.Add(g.Mul(g.DimNode(a.Type.Dims[0]), g.Call(logOp, s)), g.LogDet(core))
	case a.Op == Inv:
		return g.Neg(g.LogDet(a.Args[0]))
	case a.Op == Transpose:
		return g.LogDet(a.Args[0])
	case a.Op == Eye:
		return g.Const(0)
	case a.Op == Chol:
		return g.Scale(0.5, g.LogDet(a.Args[0]))
	case a.Op == DiagMat:
		return g.totalLog(a.Args[0])
	case a.Op == MatMul && regularFactors(a.Args):
		terms := make([]*Node, len(a.Args))
		for i, b := range a.Args {
			terms[i] = g.LogDet(b)
		}
		return g.Add(terms...)
	case triangular(a) && regular(a):
		return g.totalLog(g.Diagonal(a))
	}
	return g.intern(Node{Op: LogDet, Args: []*Node{a}, Type: Scalar.Over(a.Type.Axes)})
}

var logOp = functionIndex["log"]

// regularFactors reports whether all factors are square matrices with positive determinants.
func regularFactors(args []*Node) bool {
	for _, a := range args {
		if a.Type.Dims[0] != a.Type.Dims[1] || !regular(a) {
			return false
		}
	}
	return true
}

// totalLog is the sum of the logarithms of the entries; the logarithm of a product of positive factors is taken apart.
func (g *Graph) totalLog(v *Node) *Node {
	if v.Op != opProd || !v.Positive() || !allPositive(v.Args) {
		return g.Total(g.Spread(g.Call(logOp, v), v.Type))
	}
	terms := make([]*Node, len(v.Args))
	for i, a := range v.Args {
		if a.Type.Rank == 0 {
			a = g.Mul(g.DimNode(v.Type.Dims[0]), g.Call(logOp, a))
		} else {
			a = g.totalLog(a)
		}
		terms[i] = g.Scale(v.Coefs[i], a)
	}
	return g.Add(terms...)
}

func allPositive(args []*Node) bool {
	for _, a := range args {
		if !a.Positive() {
			return false
		}
	}
	return true
}

// Cholesky returns the lower factor L of a positive definite matrix, L L' = A, with a positive diagonal. It is unique,
// so that L is the factor of L L', and D L that of D A D for a positive diagonal D.
func (g *Graph) Cholesky(a *Node) *Node {
	s, core := g.Bare(a)
	if core != a && s.Positive() {
		return g.Mul(g.Prod([]float64{0.5}, []*Node{s}), g.Cholesky(core))
	}
	switch {
	case a.Op == Eye:
		return a
	case a.Op == DiagMat:
		return g.DiagonalMatrix(g.Prod([]float64{0.5}, a.Args))
	case a.Op == MatMul:
		if l := g.choleskyOfProduct(a.Args); l != nil {
			return l
		}
	}
	return g.intern(Node{Op: Chol, Args: []*Node{a}, Type: a.Type})
}

// choleskyOfProduct finds the factor of a product L A L', nil where none is known.
func (g *Graph) choleskyOfProduct(args []*Node) *Node {
	l, k := args[0], len(args)-1
	if s := l.Facts.Structure; s&LowerTriangular == 0 || s&PositiveDiagonal == 0 || !transposed(l, args[k]) {
		return nil
	}
	switch {
	case k == 1:
		return l
	case !palindrome(args):
		return nil
	}
	return g.MatMul(l, g.Cholesky(g.MatMul(args[1:k]...)))
}

// LowerHalf returns the lower triangle of a matrix with half of its diagonal: with it the differential of a Cholesky
// factor L of A is L lower_half(inv(L) dA inv(L)').
func (g *Graph) LowerHalf(a *Node) *Node {
	s, core := g.Bare(a)
	switch {
	case core.Is(0) || s.Is(0):
		return g.Const(0)
	case core != a:
		return g.Mul(s, g.LowerHalf(core))
	case a.Facts.Structure&Diagonal != 0:
		return g.Scale(0.5, a)
	}
	return g.intern(Node{Op: LowerHalf, Args: []*Node{a}, Type: a.Type})
}

// Lower returns the lower triangle of a matrix, its diagonal included.
func (g *Graph) Lower(a *Node) *Node {
	if a.Facts.Structure&LowerTriangular != 0 || a.Is(0) {
		return a
	}
	return g.Lin(0, []float64{1, 0.5}, []*Node{g.LowerHalf(a), g.DiagonalMatrix(g.Diagonal(a))})
}
