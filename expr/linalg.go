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
	Chol      = &Op{Name: "chol", Arity: -1, Doc: "lower Cholesky factor of a positive definite matrix: chol(A) @ chol(A)' is A"}
	LowerHalf = &Op{Name: "lower_half", Arity: -1, Doc: "lower triangle of a matrix, with half of its diagonal"}
)

var linalgOps = []*Op{MatMul, Transpose, Dot, Outer, Inner, Inv, LogDet, Diag, DiagMat, Eye, Ones, Iota, Table, Chol, LowerHalf, Cumulative, Remaining, EntryLogSumExp}

// Linalg lists the operations of linear algebra. They have a type rule, a value, adjoints in both modes, a print form
// and code.
func Linalg() []*Op { return slices.Clone(linalgOps) }

// IsLinalg reports whether a node is an operation of linear algebra.
func (n *Node) IsLinalg() bool { return slices.Contains(linalgOps, n.Op) }

// Vector is the type of a column.
func Vector(d Dim) Type { return Type{Rank: 1, Dims: [2]Dim{d}} }

// Matrix is the type of a matrix with r rows and c columns.
func Matrix(r, c Dim) Type { return Type{Rank: 2, Dims: [2]Dim{r, c}} }

// DimNode is the length of a dimension as a number.
func (g *Graph) DimNode(d Dim) *Node {
	if d.Name == "" {
		return g.Const(float64(d.Size))
	}
	return g.Sym(d.Name, Scalar, dimFacts)
}

// dimFacts is what is known of a length.
var dimFacts = Facts{Range: Positive, Integer: true}

// DimOf returns the dimension whose length a node is: a name of one, or a whole number.
func (g *Graph) DimOf(n *Node) (d Dim, ok bool) {
	if v, pinned := n.IsConst(); pinned {
		return Dim{Size: int(v)}, v >= 1 && v == math.Trunc(v) && v <= math.MaxInt32
	}
	d = Dim{Name: n.Name}
	return d, n.IsSym() && n.Facts == dimFacts && g.DimNode(d) == n
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

// Terms are what a sum adds up: the value itself where it is no sum.
func (g *Graph) Terms(n *Node) []*Node {
	if n.Op != opLin {
		return []*Node{n}
	}
	var out []*Node
	if n.Const != 0 {
		out = append(out, g.Const(n.Const))
	}
	for i, a := range n.Args {
		out = append(out, g.Scale(n.Coefs[i], a))
	}
	return out
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
	case Chol:
		return g.Cholesky(args[0])
	case LowerHalf:
		return g.LowerHalf(args[0])
	case Cumulative, Remaining:
		return g.accumulated(n.Op, args[0])
	case EntryLogSumExp:
		return g.LogSumExpOf(args[0], n.Args[0].Type.Dims[0])
	}
	panic(fmt.Sprintf("expr: cannot rebuild %v", n.Op))
}
