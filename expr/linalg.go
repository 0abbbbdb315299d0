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

// Vector is the type of a column.
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
