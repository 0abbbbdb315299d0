package exprtest

import (
	"pgregory.net/rapid"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/syntax"
)

// Tree draws a formula without faults, nested at most depth operations deep.
func (w *World) Tree(t *rapid.T, depth int) syntax.Expr {
	if depth == 0 || rapid.IntRange(0, 5).Draw(t, "stop") == 0 {
		return w.leaf(t)
	}
	x := w.Tree(t, depth-1)
	e := w.operation(t, x, depth)
	b := w.Builder()
	if b.Build(e) == nil { // outside a domain, or a sum of what does not vary
		return x
	}
	return e
}

// Scalar draws a formula without faults of a value that varies over no axis.
func (w *World) Scalar(t *rapid.T, depth int) syntax.Expr {
	e := w.Tree(t, depth)
	if w.Build(t, e).Type.Axes.Has(expr.Components) {
		e = syntax.Fn("logsumexp", e)
	}
	if w.Build(t, e).Type.Axes.Has(expr.Rows) {
		return syntax.Fn(rapid.SampledFrom(reductions).Draw(t, "reduce"), e)
	}
	return e
}

var (
	numbers    = []float64{1, 2, 0, 0.5, 3, 0.25, 4}
	exponents  = []float64{2, -1, 0.5, -0.5, 3, -2, 1.5, 0, 1}
	reductions = []string{"sum", "mean"}
	unaries    = []string{"sqrt", "sum", "mean", "var", "sd", "logsumexp", "softmax"}
)

func (w *World) leaf(t *rapid.T) syntax.Expr {
	if rapid.IntRange(0, 3).Draw(t, "leaf") == 0 {
		return Num(rapid.SampledFrom(numbers).Draw(t, "number"))
	}
	return syntax.Var(rapid.SampledFrom(w.Order).Draw(t, "name"))
}

// Num is the tree of a number: negative ones are written with a sign.
func Num(v float64) syntax.Expr {
	if v < 0 {
		return syntax.Neg(syntax.Num(-v))
	}
	return syntax.Num(v)
}

func (w *World) operation(t *rapid.T, x syntax.Expr, depth int) syntax.Expr {
	other := func() syntax.Expr {
		if rapid.IntRange(0, 4).Draw(t, "same") == 0 {
			return x // equal operands merge and cancel
		}
		return w.Tree(t, depth-1)
	}
	switch rapid.IntRange(0, 9).Draw(t, "operation") {
	case 0:
		return syntax.Neg(x)
	case 1, 2:
		return syntax.Bin(rapid.SampledFrom([]byte("+-")).Draw(t, "op"), x, other())
	case 3, 4:
		return syntax.Bin(rapid.SampledFrom([]byte("*/")).Draw(t, "op"), x, other())
	case 5:
		return syntax.Bin('^', x, Num(rapid.SampledFrom(exponents).Draw(t, "exponent")))
	case 6:
		return syntax.Bin('^', x, other())
	case 7:
		return syntax.Fn(rapid.SampledFrom(unaries).Draw(t, "function"), x)
	}
	op := rapid.SampledFrom(expr.Functions).Draw(t, "function")
	args := []syntax.Expr{x}
	for len(args) < op.Arity {
		args = append(args, other())
	}
	if k := op.ConstantOperand; k > 0 {
		args[k-1] = syntax.Num(float64(rapid.IntRange(1, 3).Draw(t, "constant")))
	}
	return syntax.Fn(op.Name, args...)
}

// Reciprocals returns the formula with x/y written as x*(1/y), as the graph has it: what a division by zero leaves
// undefined is then the part 1/y.
func Reciprocals(e syntax.Expr) syntax.Expr {
	switch e := e.(type) {
	case *syntax.Unary:
		return &syntax.Unary{Op: e.Op, X: Reciprocals(e.X)}
	case *syntax.Binary:
		x, y := Reciprocals(e.X), Reciprocals(e.Y)
		if one, ok := x.(*syntax.Number); e.Op != '/' || ok && one.Value == 1 {
			return syntax.Bin(e.Op, x, y)
		}
		return syntax.Bin('*', x, syntax.Bin('/', syntax.Num(1), y))
	case *syntax.Call:
		args := make([]syntax.Expr, len(e.Args))
		for i, a := range e.Args {
			args[i] = Reciprocals(a)
		}
		return syntax.Fn(e.Fun, args...)
	}
	return e
}

// Replace returns the formula with every tree equal to old replaced.
func Replace(in, old, by syntax.Expr) syntax.Expr {
	if syntax.Equal(in, old) {
		return by
	}
	switch e := in.(type) {
	case *syntax.Unary:
		return &syntax.Unary{Op: e.Op, X: Replace(e.X, old, by)}
	case *syntax.Binary:
		return syntax.Bin(e.Op, Replace(e.X, old, by), Replace(e.Y, old, by))
	case *syntax.Call:
		args := make([]syntax.Expr, len(e.Args))
		for i, a := range e.Args {
			args[i] = Replace(a, old, by)
		}
		return syntax.Fn(e.Fun, args...)
	}
	return in
}
