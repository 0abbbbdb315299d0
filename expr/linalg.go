package expr

import (
	"fmt"
	"math"
	"slices"
)

// Linear algebra. Vectors are columns. Each operation has one spelling: solve(A, b) is inv(A) @ b, the quadratic form
// of A at x is dot(x, A @ x), the trace of A @ B is inner(A', B). Products of matrices are flat; scalars, identities and
// a matrix next to its inverse leave them, and outer products take in what stands beside them, so that an outer product
// is never multiplied with a matrix.

// The operations of linear algebra.
var (
	MatMul    = &Op{Name: "matmul", Arity: -1, Doc: "product of matrices, the last factor possibly a vector"}
	Transpose = &Op{Name: "transpose", Arity: -1, Doc: "transpose of a matrix"}
	Dot       = &Op{Name: "dot", Arity: -1, Doc: "inner product of two vectors"}
	Outer     = &Op{Name: "outer", Arity: -1, Doc: "the matrix x y' of two vectors"}
	Inner     = &Op{Name: "inner", Arity: -1, Doc: "sum of the products of the entries of two matrices"}
	Inv       = &Op{Name: "inv", Arity: -1, Doc: "inverse of a matrix"}
	LogDet    = &Op{Name: "logdet", Arity: -1, Doc: "logarithm of the determinant of a positive definite matrix"}
	Diag      = &Op{Name: "diag", Arity: -1, Doc: "diagonal of a matrix, as a vector"}
	DiagMat   = &Op{Name: "diagmat", Arity: -1, Doc: "diagonal matrix of a vector"}
	Eye       = &Op{Name: "eye", Arity: -1, Doc: "identity matrix"}
)

var linalgOps = []*Op{MatMul, Transpose, Dot, Outer, Inner, Inv, LogDet, Diag, DiagMat, Eye}

// Linalg lists the operations of linear algebra. They have a type rule, a value, adjoints in both modes and a print form;
// code is not emitted for them yet.
func Linalg() []*Op { return slices.Clone(linalgOps) }

// IsLinalg reports whether a node is an operation of linear algebra.
func (n *Node) IsLinalg() bool { return slices.Contains(linalgOps, n.Op) }

func init() {
	for _, op := range linalgOps {
		op.factRule = func(n *Node) (Range, bool) { return Real, false }
	}
	Eye.factRule = func(*Node) (Range, bool) { return UnitClosed, true }
	Dot.factRule = func(n *Node) (Range, bool) {
		if n.Args[0] == n.Args[1] {
			return Nonnegative, false
		}
		return Real, false
	}
}

// structureOf is what is known of a matrix from the way it is computed.
func structureOf(n *Node) Structure {
	if n.Type.Rank != 2 {
		return 0
	}
	switch n.Op {
	case Eye:
		return Symmetric | PositiveDefinite | LowerTriangular | Diagonal | UnitDiagonal
	case DiagMat:
		s := Symmetric | LowerTriangular | Diagonal
		if n.Args[0].Positive() {
			s |= PositiveDefinite
		}
		return s
	case Inv:
		return n.Args[0].Facts.Structure &^ UnitDiagonal
	case Outer:
		if n.Args[0] == n.Args[1] {
			return Symmetric
		}
	case MatMul:
		if palindrome(n.Args) {
			return Symmetric
		}
	case opSum:
		return n.Args[0].Facts.Structure & Symmetric
	case opLin:
		return linStructure(n)
	case opProd:
		return prodStructure(n)
	}
	return 0
}

// linStructure: sums of symmetric matrices are symmetric, positive sums of positive definite ones are positive definite.
func linStructure(n *Node) Structure {
	s := Symmetric | PositiveDefinite | LowerTriangular | Diagonal
	for i, a := range n.Args {
		t := a.Facts.Structure
		if n.Coefs[i] < 0 {
			t &^= PositiveDefinite
		}
		s &= t
	}
	return s
}

// prodStructure: a scalar keeps the shape of a matrix, a positive one its definiteness too.
func prodStructure(n *Node) Structure {
	matrix, positive := (*Node)(nil), true
	for i, a := range n.Args {
		switch {
		case a.Type.Rank == 0:
			positive = positive && a.Facts.Range.power(n.Coefs[i]).Within(Positive)
		case matrix != nil || n.Coefs[i] != 1:
			return 0
		default:
			matrix = a
		}
	}
	s := matrix.Facts.Structure &^ UnitDiagonal
	if !positive {
		s &^= PositiveDefinite
	}
	return s
}

// palindrome reports whether a product is its own transpose.
func palindrome(args []*Node) bool {
	for i, j := 0, len(args)-1; i <= j; i, j = i+1, j-1 {
		if !transposed(args[i], args[j]) {
			return false
		}
	}
	return true
}

// transposed reports whether a is the transpose of b.
func transposed(a, b *Node) bool {
	switch {
	case a == b:
		return a.Facts.Structure&Symmetric != 0
	case a.Op == Transpose:
		return a.Args[0] == b
	case b.Op == Transpose:
		return b.Args[0] == a
	}
	return false
}

// nonsingular reports whether a matrix is known to have an inverse.
func nonsingular(n *Node) bool {
	return n.Facts.Structure&PositiveDefinite != 0 || n.Op == Inv
}

// Vector and Matrix are the types of a column and of a matrix.
func Vector(d Dim) Type { return Type{Rank: 1, Dims: [2]Dim{d}} }

// Matrix is the type of a matrix with r rows and c columns.
func Matrix(r, c Dim) Type { return Type{Rank: 2, Dims: [2]Dim{r, c}} }

// DimNode is the length of a dimension as a number.
func (g *Graph) DimNode(d Dim) *Node {
	if d.Name == "" {
		return g.Const(float64(d.Size))
	}
	return g.Sym(d.Name, Scalar, Facts{Range: Positive, Integer: true})
}

// Identity returns the identity matrix.
func (g *Graph) Identity(d Dim) *Node {
	return g.intern(Node{Op: Eye, Name: d.String(), Type: Matrix(d, d)})
}

// Bare separates the scalars of a value from the vector or matrix they multiply: value = scalar * core.
func (g *Graph) Bare(n *Node) (scalar, core *Node) {
	switch n.Op {
	case opLin:
		if len(n.Args) == 1 && n.Const == 0 {
			s, c := g.Bare(n.Args[0])
			return g.Scale(n.Coefs[0], s), c
		}
	case opProd:
		return g.bareProd(n)
	}
	return g.Const(1), n
}

func (g *Graph) bareProd(n *Node) (scalar, core *Node) {
	var scalars, cores []*Node
	var sExps, cExps []float64
	for i, a := range n.Args {
		if a.Type.Rank == 0 {
			scalars, sExps = append(scalars, a), append(sExps, n.Coefs[i])
		} else {
			cores, cExps = append(cores, a), append(cExps, n.Coefs[i])
		}
	}
	if len(cores) == 0 {
		return n, g.Const(1)
	}
	return g.Prod(sExps, scalars), g.Prod(cExps, cores)
}

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

// sumLinear moves a sum over an axis into a product of linear algebra as far as factors vary; nil when all do.
func (g *Graph) sumLinear(axis Axes, x *Node) *Node {
	fixed := func(n *Node) bool { return !n.Type.Axes.Has(axis) }
	switch x.Op {
	case opProd: // a number that varies goes along with what varies of the product
		if s, core := g.Bare(x); core.Op == MatMul {
			return g.sumMatMul(axis, s, core)
		}
	case MatMul:
		return g.sumMatMul(axis, g.Const(1), x)
	case Dot, Outer, Inner:
		a, b := x.Args[0], x.Args[1]
		if !fixed(a) && !fixed(b) {
			return nil
		}
		if fixed(a) {
			b = g.Sum(axis, b)
		} else {
			a = g.Sum(axis, a)
		}
		return g.Rebuild(x, []*Node{a, b})
	case Diag, DiagMat, Transpose:
		return g.Rebuild(x, []*Node{g.Sum(axis, x.Args[0])})
	}
	return nil
}

// sumMatMul takes the factors at the ends of a product that do not vary out of the sum of a number times the product.
func (g *Graph) sumMatMul(axis Axes, scalar, x *Node) *Node {
	fixed := func(n *Node) bool { return !n.Type.Axes.Has(axis) }
	lo, hi := 0, len(x.Args)
	for lo < hi-1 && fixed(x.Args[lo]) {
		lo++
	}
	for hi > lo+1 && fixed(x.Args[hi-1]) && x.Args[hi-1].Type.Rank == 2 {
		hi--
	}
	if hi == len(x.Args) && lo == 0 {
		return nil
	}
	inside := g.Sum(axis, g.Mul(scalar, g.MatMul(x.Args[lo:hi]...)))
	return g.MatMul(slices.Concat(x.Args[:lo], []*Node{inside}, x.Args[hi:])...)
}

// rebuildLinalg is Rebuild for the operations of linear algebra.
func (g *Graph) rebuildLinalg(n *Node, args []*Node) *Node {
	switch n.Op {
	case MatMul:
		return g.MatMul(args...)
	case Transpose:
		return g.Transpose(args[0])
	case Dot:
		return g.Dot(args[0], args[1])
	case Outer:
		return g.Outer(args[0], args[1])
	case Inner:
		return g.Inner(args[0], args[1])
	case Inv:
		return g.Inv(args[0])
	case LogDet:
		return g.LogDet(args[0])
	case Diag:
		return g.Diagonal(args[0])
	case DiagMat:
		return g.DiagonalMatrix(args[0])
	}
	panic(fmt.Sprintf("expr: cannot rebuild %v", n.Op))
}

// typicalDim is the length that the cost model takes a symbolic dimension to have.
const typicalDim = 32

// size is the length of a dimension as the cost model takes it.
func (d Dim) size() float64 {
	if d.Name != "" {
		return typicalDim
	}
	return float64(d.Size)
}

// entries is the number of entries of a value.
func (t Type) entries() float64 {
	n := 1.0
	for i := range t.Rank {
		n *= t.Dims[i].size()
	}
	return n
}

// linalgCost is the cost in flops; inverses and determinants go through a Cholesky factorisation.
func linalgCost(n *Node) float64 {
	in := 1.0
	if len(n.Args) > 0 {
		in = n.Args[0].Type.entries()
	}
	switch n.Op {
	case MatMul:
		cost := 0.0
		last := n.Args[len(n.Args)-1].Type
		columns := 1.0
		if last.Rank == 2 {
			columns = last.Dims[1].size()
		}
		for _, a := range n.Args[:len(n.Args)-1] {
			cost += 2 * a.Type.entries() * columns
		}
		return cost
	case Dot, Inner:
		return 2 * in
	case Outer:
		return n.Type.entries()
	case Inv:
		return math.Pow(n.Type.Dims[0].size(), 3)
	case LogDet:
		return math.Pow(n.Args[0].Type.Dims[0].size(), 3) / 3
	}
	return 0
}
