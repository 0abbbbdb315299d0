package eval

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/sngdgen/sngdgen/expr"
)

// PerComponent returns a value with one value for each component.
func PerComponent(vs []Value) Value { return Value{Components: vs} }

// component is the value of one component; what does not vary over them is the same for all.
func (v Value) component(c int) Value {
	if v.Components != nil {
		return v.Components[c]
	}
	return v
}

// components is the number of components that operands vary over, -1 where none does.
func components(args []Value) int {
	for _, a := range args {
		if a.Components != nil {
			return len(a.Components)
		}
	}
	return -1
}

// overComponents computes an operation of which operands vary over the components: one component after the other, unless
// it combines them.
func (in *interpreter) overComponents(n *expr.Node, args []Value, k int) (Value, error) {
	combines := n.Axis == expr.Components
	switch {
	case combines && n.Op == expr.Sum && n.Type.Rank > 0:
		return sumOfCores(args[0].Components), nil
	case combines && n.Op == expr.Sum:
		return in.fold(n, args[0], func(x []float64) []float64 { return []float64{sum(x)} })
	case combines && n.Op == expr.LogSumExp:
		return in.fold(n, args[0], func(x []float64) []float64 { return []float64{logSumExp(x)} })
	case combines && n.Op == expr.Softmax:
		return in.fold(n, args[0], softmax)
	}
	out := make([]Value, k)
	for c := range out {
		own := make([]Value, len(args))
		for i, a := range args {
			own[i] = a.component(c)
		}
		v, err := in.apply(n, own)
		if err != nil {
			return v, err
		}
		out[c] = v
	}
	return PerComponent(out), nil
}

// fold combines the components of a number, in every row: into one number, or one for each component.
func (in *interpreter) fold(n *expr.Node, v Value, f func([]float64) []float64) (Value, error) {
	k := len(v.Components)
	rows := -1
	for _, own := range v.Components {
		if own.Cores != nil {
			return Value{}, fmt.Errorf("the interpreter does not know %v of vectors over the components", n.Op)
		}
		rows = max(rows, own.rows())
	}
	var out []Value
	x := make([]float64, k)
	for i := range max(rows, 1) {
		for c, own := range v.Components {
			x[c] = own.Scalar
			if own.Rows != nil {
				x[c] = own.Rows[i]
			}
		}
		ys := f(x)
		for len(out) < len(ys) {
			out = append(out, Value{})
		}
		for c, y := range ys {
			if rows < 0 {
				out[c].Scalar = y
			} else {
				out[c].Rows = append(out[c].Rows, y)
			}
		}
	}
	if n.Op == expr.Softmax {
		return PerComponent(out), nil
	}
	return out[0], nil
}

// sumOfCores adds the vectors or matrices of the components, in every row.
func sumOfCores(parts []Value) Value {
	out := Value{}
	rows := -1
	for _, v := range parts {
		rows = max(rows, v.rows())
	}
	for i := range max(rows, 1) {
		total := mat.DenseCopyOf(parts[0].at(i))
		for _, v := range parts[1:] {
			total.Add(total, v.at(i))
		}
		out.Cores = append(out.Cores, total)
	}
	out.PerRow = rows >= 0
	return out
}

func sum(x []float64) float64 {
	total := 0.0
	for _, v := range x {
		total += v
	}
	return total
}

func logSumExp(x []float64) float64 {
	top := slices.Max(x) // NaN where one is
	if math.IsInf(top, 0) {
		return top
	}
	total := 0.0
	for _, v := range x {
		total += math.Exp(v - top)
	}
	return top + math.Log(total)
}

func softmax(x []float64) []float64 {
	top, total := slices.Max(x), 0.0
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = math.Exp(v - top)
		total += out[i]
	}
	for i := range out {
		out[i] /= total
	}
	return out
}
