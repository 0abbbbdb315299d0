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

// LinalgFunctions lists the functions of linear algebra; eye, which takes a dimension, is apart.
var LinalgFunctions = []LinalgFunction{
	{"dot", "inner product of two vectors", "vv", func(g *Graph, a []*Node) *Node { return g.Dot(a[0], a[1]) }},
	{"outer", "the matrix x y'", "vv", func(g *Graph, a []*Node) *Node { return g.Outer(a[0], a[1]) }},
	{"inv", "inverse of a matrix", "s", func(g *Graph, a []*Node) *Node { return g.Inv(a[0]) }},
	{"solve", "solve(A, b) is inv(A) @ b", "s*", func(g *Graph, a []*Node) *Node { return g.MatMul(g.Inv(a[0]), a[1]) }},
	{"logdet", "logarithm of the determinant of a positive definite matrix", "s", func(g *Graph, a []*Node) *Node { return g.LogDet(a[0]) }},
	{"quad", "quad(A, x) is x' A x", "sv", func(g *Graph, a []*Node) *Node { return g.Dot(a[1], g.MatMul(a[0], a[1])) }},
	{"tr", "trace of a matrix", "s", func(g *Graph, a []*Node) *Node { return g.Inner(g.Identity(a[0].Type.Dims[0]), a[0]) }},
	{"diag", "diagonal of a matrix, or the diagonal matrix of a vector", "*", diagonalOf},
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
	if e.Fun == "eye" {
		return b.eye(e), true
	}
	f, ok := linalgNamed(e.Fun)
	if !ok {
		return nil, false
	}
	if len(e.Args) != len(f.Shapes) {
		return b.Fail(e, "", "%s takes %s, not %d", e.Fun, plural(len(f.Shapes), "operand"), len(e.Args)), true
	}
	args := make([]*Node, len(e.Args))
	for i, a := range e.Args {
		args[i] = b.Build(a)
	}
	if slices.Contains(args, nil) {
		return nil, true
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

func (b *Builder) eye(e *syntax.Call) *Node {
	if len(e.Args) != 1 {
		return b.Fail(e, "", "eye takes 1 operand, not %d", len(e.Args))
	}
	switch d := e.Args[0].(type) {
	case *syntax.Name:
		if _, ok := b.Scope.Names[d.Name]; ok {
			return b.G.Identity(Dim{Name: d.Name})
		}
	case *syntax.Number:
		if d.Value >= 1 && d.Value == float64(int(d.Value)) {
			return b.G.Identity(Dim{Size: int(d.Value)})
		}
	}
	return b.Fail(e.Args[0], "", "eye takes a dimension: its name, or a whole number")
}

// product builds x @ y.
func (b *Builder) product(e *syntax.Binary, x, y *Node) *Node {
	switch {
	case x.Type.Rank == 0 || y.Type.Rank == 0:
		return b.Fail(e, "use * for numbers", "the product @ needs matrices and vectors, here it has a %v and a %v", x.Type, y.Type)
	case x.Type.Rank == 1:
		return b.Fail(e, "write dot(x, y) for the inner product and outer(x, y) for the outer one", "a vector cannot stand left of @")
	case x.Type.Dims[1] != y.Type.Dims[0]:
		return b.Fail(e, "", "shapes do not fit: %v @ %v", x.Type, y.Type)
	}
	return b.G.MatMul(x, y)
}

// arithmetic says why two shapes cannot be combined by an operator, "" when they can.
func arithmetic(op byte, x, y Type) string {
	switch {
	case op == '@' || x.Rank == 0 && y.Rank == 0:
		return ""
	case op == '/' && y.Rank > 0, op == '^' && y.Rank > 0:
		return fmt.Sprintf("the right side of %c must be a number, this is a %v", op, y)
	case (op == '+' || op == '-') && !x.SameCore(y):
		return fmt.Sprintf("shapes differ: %v %c %v", x, op, y)
	}
	return ""
}
