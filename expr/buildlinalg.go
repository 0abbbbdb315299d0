package expr

import (
	"fmt"
	"slices"

	"github.com/sngdgen/sngdgen/expr/syntax"
)

// LinalgFunction is a function of linear algebra of the language.
type LinalgFunction struct {
	Name, Doc string
	// Shapes has a letter for each operand: v a vector, s a square matrix, * a vector or a matrix.
	Shapes string
	build  func(g *Graph, a []*Node) *Node
}

// LinalgFunctions lists the functions of linear algebra; eye and ones, which take a dimension, are apart.
var LinalgFunctions = []LinalgFunction{
	{"dot", "inner product of two vectors", "vv", func(g *Graph, a []*Node) *Node { return g.Dot(a[0], a[1]) }},
	{"outer", "the matrix x y'", "vv", func(g *Graph, a []*Node) *Node { return g.Outer(a[0], a[1]) }},
	{"inv", "inverse of a matrix", "s", func(g *Graph, a []*Node) *Node { return g.Inv(a[0]) }},
	{"solve", "solve(A, b) is inv(A) @ b", "s*", func(g *Graph, a []*Node) *Node { return g.MatMul(g.Inv(a[0]), a[1]) }},
	{"logdet", "logarithm of the determinant of a positive definite matrix", "s", func(g *Graph, a []*Node) *Node { return g.LogDet(a[0]) }},
	{"quad", "quad(A, x) is x' A x", "sv", func(g *Graph, a []*Node) *Node { return g.Dot(a[1], g.MatMul(a[0], a[1])) }},
	{"tr", "trace of a matrix", "s", func(g *Graph, a []*Node) *Node { return g.Inner(g.Identity(a[0].Type.Dims[0]), a[0]) }},
	{"diag", "diagonal of a matrix, or the diagonal matrix of a vector", "*", diagonalOf},
	{"total", "sum of the entries of a vector or a matrix", "*", func(g *Graph, a []*Node) *Node { return g.Total(a[0]) }},
	{"chol", "lower Cholesky factor of a positive definite matrix", "s", func(g *Graph, a []*Node) *Node { return g.Cholesky(a[0]) }},
	{"lower_half", "lower triangle of a matrix, with half of its diagonal", "s", func(g *Graph, a []*Node) *Node { return g.LowerHalf(a[0]) }},
	{"cumulative", "the sums of the entries of a vector up to each", "v", func(g *Graph, a []*Node) *Node { return g.CumulativeSum(a[0]) }},
	{"remaining", "the sums of the entries of a vector from each on", "v", func(g *Graph, a []*Node) *Node { return g.RemainingSum(a[0]) }},
	{"logsumexp", "logarithm of the sum of the exponentials of the entries of a vector; of numbers that the components of a mixture have, over these", "v",
		func(g *Graph, a []*Node) *Node { return g.LogSumExpOf(a[0], a[0].Type.Dims[0]) }},
	{"corr", "correlation matrix of a covariance matrix", "s", correlationOf},
}

func linalgNamed(name string) (LinalgFunction, bool) {
	for _, f := range LinalgFunctions {
		if f.Name == name {
			return f, true
		}
	}
	return LinalgFunction{}, false
}

// diagonalOf is the diagonal of a matrix, or the matrix with a vector on its diagonal.
func diagonalOf(g *Graph, a []*Node) *Node {
	if a[0].Type.Rank == 1 {
		return g.DiagonalMatrix(a[0])
	}
	return g.Diagonal(a[0])
}

// correlationOf is the correlation matrix of a covariance matrix (So and Turner 2024, appendix on experiment details).
func correlationOf(g *Graph, a []*Node) *Node {
	scale := g.DiagonalMatrix(g.Prod([]float64{-0.5}, []*Node{g.Diagonal(a[0])}))
	return g.MatMul(scale, a[0], scale)
}

// linalgCall builds a call of a function of linear algebra; ok is false for other functions.
func (b *Builder) linalgCall(e *syntax.Call) (n *Node, ok bool) {
	switch e.Fun {
	case "eye":
		return b.ofDimension(e, b.G.Identity), true
	case "ones":
		return b.ofDimension(e, func(d Dim) *Node { return b.G.Ones(Vector(d)) }), true
	case "range":
		return b.ofDimension(e, b.G.Iota), true
	}
	f, ok := linalgNamed(e.Fun)
	if !ok {
		return nil, false
	}
	if len(e.Args) != len(f.Shapes) {
		return b.Fail(e, "", "%s takes %s, not %d", e.Fun, Plural(len(f.Shapes), "operand"), len(e.Args)), true
	}
	args := make([]*Node, len(e.Args))
	for i, a := range e.Args {
		args[i] = b.Build(a)
	}
	if slices.Contains(args, nil) {
		return nil, true
	}
	if of := surface[e.Fun]; of != nil && args[0].Type.Rank == 0 { // over the components
		return of(b, e, args[0]), true
	}
	for i, a := range args {
		if want := unfit(f.Shapes[i], a.Type); want != "" {
			return b.Fail(e.Args[i], "", "operand %d of %s must be %s, this is a %v", i+1, e.Fun, want, a.Type), true
		}
	}
	if len(args) == 2 && !fits(e.Fun, args[0].Type, args[1].Type) {
		return b.Fail(e, "", "%s: shapes differ: %v and %v", e.Fun, args[0].Type, args[1].Type), true
	}
	return f.build(b.G, args), true
}

// unfit says what a type should be, when it is not.
func unfit(shape byte, t Type) string {
	switch {
	case shape == 'v' && t.Rank != 1:
		return "a vector"
	case shape == 's' && (t.Rank != 2 || t.Dims[0] != t.Dims[1]):
		return "a square matrix"
	case shape == '*' && t.Rank == 0:
		return "a vector or a matrix"
	}
	return ""
}

// fits reports whether the lengths of two operands agree; outer products take any.
func fits(fun string, a, b Type) bool {
	return fun == "outer" || a.Dims[a.Rank-1] == b.Dims[0]
}

// ofDimension builds eye(d) or ones(d).
func (b *Builder) ofDimension(e *syntax.Call, make func(Dim) *Node) *Node {
	if len(e.Args) != 1 {
		return b.Fail(e, "", "%s takes 1 operand, not %d", e.Fun, len(e.Args))
	}
	switch d := e.Args[0].(type) {
	case *syntax.Name:
		if n, ok := b.Scope.Names[d.Name]; ok {
			if own, ok := b.G.DimOf(n); ok { // which may have another name here
				return make(own)
			}
		}
	case *syntax.Number:
		if d.Value >= 1 && d.Value == float64(int(d.Value)) {
			return make(Dim{Size: int(d.Value)})
		}
	}
	return b.Fail(e.Args[0], "", "%s takes a dimension: its name, or a whole number", e.Fun)
}

// product builds x @ y.
func (b *Builder) product(e *syntax.Binary, x, y *Node) *Node {
	switch {
	case x.Type.Rank == 0 || y.Type.Rank == 0:
		return b.Fail(e, "use * for numbers", "the product @ needs matrices and vectors, here it has a %v and a %v", x.Type, y.Type)
	case x.Type.Rank == 1 && b.Scope.Rowwise[x] && y.Type.Rank == 1 && x.Type.Dims[0] == y.Type.Dims[0]:
		return b.G.Dot(x, y)
	case x.Type.Rank == 1:
		return b.Fail(e, "write dot(x, y) for the inner product and outer(x, y) for the outer one", "a vector cannot stand left of @")
	case x.Type.Dims[1] != y.Type.Dims[0]:
		return b.Fail(e, "", "shapes do not fit: %v @ %v", x.Type, y.Type)
	}
	return b.G.MatMul(x, y)
}

// arithmetic says why two shapes cannot be combined by an operator, "" when they can. Sums, products, quotients and
// powers go entry by entry, and a number counts for every entry of a vector. For matrices A + 1, A * B
// and A^-1 are refused: readers would take them for A + eye(d), A @ B and inv(A).
func arithmetic(op byte, x, y Type) (why, hint string) {
	switch {
	case op == '@' || x.Rank < 2 && y.Rank < 2:
		return "", ""
	case op == '/' && y.Rank == 2:
		return fmt.Sprintf("the right side of / is a %v", y), "write solve(A, b) or inv(A)"
	case op == '*' && x.Rank == 2 && y.Rank == 2:
		return fmt.Sprintf("* does not take two matrices: %v * %v", x, y), "write A @ B for the product of matrices"
	case op == '^':
		return fmt.Sprintf("^ does not take matrices: %v ^ %v", x, y), "write A @ A or inv(A)"
	case (op == '+' || op == '-') && !x.SameCore(y):
		return fmt.Sprintf("shapes differ: %v %c %v", x, op, y), "write eye(d) for the identity matrix"
	}
	return "", ""
}
