// Package eval is the interpreter of expression graphs: slow, obvious, and the oracle for everything below it.
package eval

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/mat"

	"github.com/sngdgen/sngdgen/expr"
)

// Value is one number or one number for each row; or one vector or matrix (Cores has one element), or one for each row; or
// one such value for each component.
type Value struct {
	Scalar float64
	Rows   []float64    // nil for a value without the axis of the rows
	Cores  []*mat.Dense // a vector has one column; nil for a scalar
	PerRow bool         // Cores has one element a row

	Components []Value // without the axis of the components; nil for a value that does not vary over them
}

// Env gives values to symbols by name. A symbol over the rows has Rows set. The symbol n is the sum of the weights.
type Env struct {
	Symbols map[string]Value
	Weights []float64 // of the rows; nil means all one
	// LogJoint is the model of a variational objective: the value and the gradient, of some terms, at the entries of the latent variable,
	// row by row where that is a matrix. The gradient is as long, and is copied. Nil where there is no model.
	LogJoint func(terms expr.Terms, z []float64) (value float64, gradient []float64)
}

// Scalars returns an environment of plain numbers.
func Scalars(m map[string]float64) *Env {
	e := &Env{Symbols: map[string]Value{}}
	for name, v := range m {
		e.Symbols[name] = Value{Scalar: v}
	}
	return e
}

// Set gives a symbol a number.
func (e *Env) Set(name string, v float64) { e.Symbols[name] = Value{Scalar: v} }

// Bind gives a data set: the rows of one symbol, and their weights.
func (e *Env) Bind(name string, rows, weights []float64) {
	total := float64(len(rows))
	if weights != nil {
		total = 0
		for _, w := range weights {
			total += w
		}
	}
	e.Weights = weights
	e.Symbols[name] = Value{Rows: rows}
	e.Set(expr.Rows.String(), total)
}

// Eval returns the value of a scalar node.
func Eval(n *expr.Node, e *Env) (float64, error) {
	v, err := All([]*expr.Node{n}, e)
	if err != nil {
		return math.NaN(), err
	}
	switch {
	case v[0].Rows != nil:
		return math.NaN(), fmt.Errorf("%v varies over the rows", n)
	case v[0].Components != nil:
		return math.NaN(), fmt.Errorf("%v varies over the components", n)
	}
	return v[0].Scalar, nil
}

// All returns the values of several nodes.
func All(nodes []*expr.Node, e *Env) ([]Value, error) {
	in := idle.Get().(*interpreter)
	defer in.rest()
	in.env = e
	out := make([]Value, len(nodes))
	for i, n := range nodes {
		v, err := in.eval(n)
		if err != nil {
			return nil, err
		}
		out[i] = v
	}
	return out, nil
}

type interpreter struct {
	env  *Env
	memo map[*expr.Node]Value
	args []Value // operands of all operations that are being computed, a stack
}

// idle are interpreters with memory that the next one may use: most evaluate the same formulas again at another point.
var idle = sync.Pool{New: func() any { return &interpreter{memo: map[*expr.Node]Value{}} }}

// rest forgets all values.
func (in *interpreter) rest() {
	in.env = nil
	clear(in.memo)
	clear(in.args[:cap(in.args)])
	in.args = in.args[:0]
	idle.Put(in)
}

func (in *interpreter) eval(n *expr.Node) (Value, error) {
	if v, ok := in.memo[n]; ok {
		return v, nil
	}
	v, err := in.compute(n)
	if err == nil {
		in.memo[n] = v
	}
	return v, err
}

func (in *interpreter) compute(n *expr.Node) (Value, error) {
	switch n.Op {
	case expr.Const:
		return Value{Scalar: n.Const}, nil
	case expr.Sym:
		v, ok := in.env.Symbols[n.Name]
		if !ok {
			return v, fmt.Errorf("symbol %q has no value", n.Name)
		}
		return v, nil
	}
	base := len(in.args)
	defer func() { in.args = in.args[:base] }()
	for _, a := range n.Args {
		v, err := in.eval(a)
		if err != nil {
			return v, err
		}
		in.args = append(in.args, v)
	}
	args := in.args[base:len(in.args):len(in.args)]
	if k := components(args); k >= 0 {
		return in.overComponents(n, args, k)
	}
	return in.apply(n, args)
}

// apply computes one operation on operands that do not vary over components.
func (in *interpreter) apply(n *expr.Node, args []Value) (Value, error) {
	if n.OfModel() {
		return in.model(n, args[0])
	}
	if n.OfScan() {
		return in.scan(n, args)
	}
	if n.Type.Rank > 0 || slices.ContainsFunc(args, func(v Value) bool { return v.Cores != nil }) || n.Op == expr.Eye {
		return in.tensor(n, args)
	}
	switch n.Op {
	case expr.Sum, expr.Max, expr.Attained:
		if n.Axis != expr.Rows || args[0].Rows == nil {
			return Value{}, fmt.Errorf("the interpreter does not know %v of %v over %v", n.Op, n.Args[0], n.Axis)
		}
		if n.Op != expr.Sum {
			return in.extreme(n, args[0].Rows), nil
		}
		return Value{Scalar: in.sum(args[0].Rows)}, nil
	}
	return each(args, func(x []float64) (float64, error) { return number(n, x) })
}

// extreme is the largest of the rows with positive weight, or 1 in the first of them where it is attained and 0 elsewhere.
func (in *interpreter) extreme(n *expr.Node, rows []float64) Value {
	largest, at := math.Inf(-1), -1
	for i, x := range rows {
		if counts := in.env.Weights == nil || in.env.Weights[i] > 0; counts && (x > largest || math.IsNaN(x)) {
			largest, at = x, i
		}
	}
	if n.Op == expr.Max {
		return Value{Scalar: largest}
	}
	out := make([]float64, len(rows))
	if at >= 0 {
		out[at] = 1
	}
	return Value{Rows: out}
}

// sum adds the rows with their weights, with compensation (Neumaier's variant of Kahan summation).
func (in *interpreter) sum(rows []float64) float64 {
	var sum, lost float64
	for i, x := range rows {
		if in.env.Weights != nil {
			x *= in.env.Weights[i]
		}
		t := sum + x
		if math.Abs(sum) >= math.Abs(x) {
			lost += (sum - t) + x
		} else {
			lost += (x - t) + sum
		}
		sum = t
	}
	return sum + lost
}

// each applies f to every row of the operands, or once when none has rows.
func each(args []Value, f func([]float64) (float64, error)) (Value, error) {
	rows := -1
	for _, a := range args {
		if a.Rows != nil {
			rows = len(a.Rows)
		}
	}
	x := make([]float64, len(args))
	at := func(i int) []float64 {
		for j, a := range args {
			x[j] = a.Scalar
			if a.Rows != nil {
				x[j] = a.Rows[i]
			}
		}
		return x
	}
	if rows < 0 {
		v, err := f(at(0))
		return Value{Scalar: v}, err
	}
	out := make([]float64, rows)
	for i := range out {
		v, err := f(at(i))
		if err != nil {
			return Value{}, err
		}
		out[i] = v
	}
	return Value{Rows: out}, nil
}

// number computes one operation on numbers.
func number(n *expr.Node, x []float64) (float64, error) {
	switch n.Op {
	case expr.Lin:
		v := n.Const
		for i, c := range n.Coefs {
			v += c * x[i]
		}
		return v, nil
	case expr.Prod:
		v := 1.0
		for i, e := range n.Coefs {
			v *= power(x[i], e)
		}
		return v, nil
	case expr.Pow:
		return math.Pow(x[0], x[1]), nil
	case expr.Root:
		y, err := Solve(n.Fn, x)
		return y[n.Index], err
	}
	if n.Op == expr.Expectation {
		return expectation(n, x)
	}
	if n.Op.Elementwise() {
		return n.Op.Eval(x), nil
	}
	return math.NaN(), fmt.Errorf("the interpreter does not know %v", n.Op)
}

// power is x^e for a constant e. Square roots are those of math.Sqrt, which differs from math.Pow at -Inf.
func power(x, e float64) float64 {
	switch e {
	case 0.5:
		return math.Sqrt(x)
	case -0.5:
		return 1 / math.Sqrt(x)
	}
	return math.Pow(x, e)
}
