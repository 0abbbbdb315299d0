package exprtest

import (
	"math"
	"slices"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/eval"
	"github.com/sngdgen/sngdgen/expr/syntax"
)

// Ball is a number with a bound on its error, to first order. Any other way to compute the number may differ by a small
// multiple of the bound, since the operands are taken to be rounded.
type Ball struct{ V, R float64 }

// eps is the relative error of an operand and of an operation.
const eps = 0x1p-50

// Known reports whether the error is so small that the number says something.
func (b Ball) Known() bool { return b.R <= 1e-3*math.Abs(b.V) || b.R < 1e-9 }

// Defined reports whether the number is finite.
func (b Ball) Defined() bool { return finite(b.V) }

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// moderate reports whether products and powers of a few such numbers neither overflow nor underflow.
func moderate(v float64) bool {
	a := math.Abs(v)
	return v == 0 || a > 1e-40 && a < 1e40
}

// Leaf is the ball of an operand.
func Leaf(v float64) Ball {
	if !moderate(v) {
		return Ball{v, math.Inf(1)}
	}
	return Ball{v, eps * math.Abs(v)}
}

// Apply is the ball of f on balls: the error is what f makes of the errors, at the corners of the box they span.
// A result that is not finite has no error where all corners agree that there is none.
func Apply(f func([]float64) float64, args ...Ball) Ball {
	x := make([]float64, len(args))
	for i, a := range args {
		x[i] = a.V
	}
	v := f(x)
	r := 0.0
	for corner := range 1 << (2 * len(args)) {
		for i, a := range args {
			x[i] = a.V + [4]float64{-1, 0, 1, 0}[corner>>(2*i)&3]*a.R
			if math.IsInf(a.R, 0) {
				return Ball{v, math.Inf(1)}
			}
		}
		switch y := f(x); {
		case finite(v) != finite(y):
			r = math.Inf(1)
		case finite(v):
			r = max(r, math.Abs(y-v))
		}
	}
	if finite(v) {
		r += eps * math.Abs(v)
		if !moderate(v) {
			r = math.Inf(1)
		}
	}
	return Ball{v, r}
}

// Naive evaluates trees directly, without the graph.
type Naive struct {
	Env *eval.Env
	// Undefined are the smallest trees met that have no finite value although their operands have one.
	Undefined []Part
	// Unsure says that overflow or rounding may be what made a part undefined.
	Unsure bool
}

// Part is a part of a formula with its values, in one of the layouts of Grid.
type Part struct {
	Expr   syntax.Expr
	Values []Ball
}

// Value returns the values as the interpreter takes them.
func (p Part) Value() eval.Value {
	numbers := make([]float64, len(p.Values))
	for i, b := range p.Values {
		numbers[i] = b.V
	}
	return Unflat(numbers)
}

// Eval returns the balls of a formula, in one of the layouts of Grid.
func (nv *Naive) Eval(e syntax.Expr) []Ball {
	var args [][]Ball
	for _, a := range operands(e) {
		args = append(args, nv.Eval(a))
	}
	out := nv.combine(e, args)
	if anyUndefined(out) && !anyUndefined(args...) {
		nv.Undefined = append(nv.Undefined, Part{e, out})
	}
	for _, b := range out {
		nv.Unsure = nv.Unsure || !b.Defined() && !finite(b.R)
	}
	return out
}

func anyUndefined(lists ...[]Ball) bool {
	for _, list := range lists {
		for _, b := range list {
			if !b.Defined() {
				return true
			}
		}
	}
	return false
}

func operands(e syntax.Expr) []syntax.Expr {
	switch e := e.(type) {
	case *syntax.Unary:
		return []syntax.Expr{e.X}
	case *syntax.Binary:
		return []syntax.Expr{e.X, e.Y}
	case *syntax.Call:
		return e.Args
	}
	return nil
}

func (nv *Naive) combine(e syntax.Expr, args [][]Ball) []Ball {
	switch e := e.(type) {
	case *syntax.Number:
		return []Ball{Leaf(e.Value)}
	case *syntax.Name:
		return nv.Symbol(e.Name)
	case *syntax.Unary:
		return each(func(x []float64) float64 { return -x[0] }, args, nil)
	case *syntax.Binary:
		return Binary(e.Op, args...)
	case *syntax.Call:
		if reduce := nv.reduction(e.Fun); reduce != nil {
			return overRows(reduce, args[0])
		}
		if combine := combinations[e.Fun]; combine != nil {
			return combine(args[0])
		}
		if e.Fun == "sqrt" {
			return each(func(x []float64) float64 { return math.Sqrt(x[0]) }, args, nil)
		}
		if op, ok := expr.FunctionNamed(e.Fun); ok {
			return Function(op, args)
		}
	}
	panic("exprtest: cannot evaluate " + syntax.Format(e))
}

// Binary applies one of + - * / ^ .
func Binary(op byte, args ...[]Ball) []Ball { return each(binaries[op], args, unsure[op]) }

// Function applies a function of the table. A value rounded to an end that it never reaches says nothing.
func Function(op *expr.Op, args [][]Ball) []Ball {
	return each(op.Eval, args, func(x []Ball, v float64) bool {
		inside := true
		for i, b := range x {
			inside = inside && op.Domain[i].Contains(b.V)
		}
		return finite(v) && !op.Range.Contains(v) || inside && overflows(x, v)
	})
}

// unsure says when rounding, underflow or overflow decides what a result is.
var unsure = map[byte]func(x []Ball, result float64) bool{
	'+': overflows,
	'-': overflows,
	'*': func(x []Ball, v float64) bool { return v == 0 && x[0].V != 0 && x[1].V != 0 || overflows(x, v) },
	'/': func(x []Ball, v float64) bool { return v == 0 && x[0].V != 0 || x[1].V != 0 && overflows(x, v) },
	'^': func(x []Ball, v float64) bool {
		return x[0].V != 0 && (v == 0 || overflows(x, v)) || math.IsNaN(v) && nearlyWhole(x[1])
	},
}

// overflows reports whether an infinite result comes from finite operands.
func overflows(x []Ball, v float64) bool {
	return math.IsInf(v, 0) && !slices.ContainsFunc(x, func(b Ball) bool { return !b.Defined() })
}

// nearlyWhole reports whether rounding decides if a number is whole: a negative base has whole powers only.
func nearlyWhole(b Ball) bool {
	return math.Abs(b.V-math.Round(b.V)) <= 16*b.R && b.V != math.Round(b.V)
}

var binaries = map[byte]func([]float64) float64{
	'+': func(x []float64) float64 { return x[0] + x[1] },
	'-': func(x []float64) float64 { return x[0] - x[1] },
	'*': func(x []float64) float64 { return x[0] * x[1] },
	'/': func(x []float64) float64 { return x[0] / x[1] },
	'^': func(x []float64) float64 { return power(x[0], x[1]) },
}

// power is math.Pow, but a broken power of minus infinity is undefined, as its square root is.
func power(x, y float64) float64 {
	if x < 0 && y != math.Trunc(y) {
		return math.NaN()
	}
	return math.Pow(x, y)
}

// Symbol returns the values of a symbol.
func (nv *Naive) Symbol(name string) []Ball {
	values := Flat(nv.Env.Symbols[name])
	out := make([]Ball, len(values))
	for i, x := range values {
		out[i] = Leaf(x)
	}
	return out
}

// each applies f in each row, for each component. Where unsure, when it is given, is true nothing is known of the result.
func each(f func([]float64) float64, args [][]Ball, unsure func(x []Ball, result float64) bool) []Ball {
	args = common(args)
	size := 1
	if len(args) > 0 {
		size = len(args[0])
	}
	out := make([]Ball, size)
	for i := range out {
		row := make([]Ball, len(args))
		for j, a := range args {
			row[j] = a[i]
		}
		out[i] = Apply(f, row...)
		if unsure != nil && unsure(row, out[i].V) {
			out[i].R = math.Inf(1)
		}
	}
	return out
}

// reduction is what a function does with the rows, nil when it is applied to each.
func (nv *Naive) reduction(name string) func([]Ball) Ball {
	switch name {
	case "sum":
		return nv.Sum
	case "mean":
		return nv.mean
	case "var":
		return nv.variance
	case "sd":
		return func(x []Ball) Ball {
			return Apply(func(v []float64) float64 { return math.Sqrt(v[0]) }, nv.variance(x))
		}
	}
	return nil
}

// Sum adds the rows with their weights.
func (nv *Naive) Sum(x []Ball) Ball {
	s := Ball{}
	for i, b := range x {
		w := nv.Env.Weights[i]
		s = Ball{s.V + w*b.V, s.R + w*b.R + eps*math.Abs(w*b.V)}
		if w == 0 && !finite(b.R) {
			s.R = math.Inf(1)
		}
	}
	return s
}

func (nv *Naive) mean(x []Ball) Ball {
	return Apply(binaries['/'], nv.Sum(x), Leaf(nv.Env.Symbols[expr.Rows.String()].Scalar))
}

func (nv *Naive) variance(x []Ball) Ball {
	m := nv.mean(x)
	squares := make([]Ball, Rows)
	for i, b := range x {
		squares[i] = Apply(func(v []float64) float64 { return (v[0] - v[1]) * (v[0] - v[1]) }, b, m)
	}
	return nv.mean(squares)
}

// Close reports whether a number computed in another way agrees with the ball.
func (b Ball) Close(v float64) bool {
	return math.Abs(v-b.V) <= 16*b.R+1e-13*math.Abs(b.V)
}
