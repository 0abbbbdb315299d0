package eval

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/sngdgen/sngdgen/expr"
)

// Core returns a value that is a vector (one column) or a matrix.
func Core(m *mat.Dense) Value { return Value{Cores: []*mat.Dense{m}} }

// CoreRows returns a value that is a vector or a matrix for each row.
func CoreRows(ms []*mat.Dense) Value { return Value{Cores: ms, PerRow: true} }

// rows is the number of rows a value varies over, -1 for a value that does not.
func (v Value) rows() int {
	switch {
	case v.Rows != nil:
		return len(v.Rows)
	case v.PerRow:
		return len(v.Cores)
	}
	return -1
}

// at is the value in one row as a matrix: a scalar has one entry, a vector one column.
func (v Value) at(i int) *mat.Dense {
	switch {
	case v.PerRow:
		return v.Cores[i]
	case v.Cores != nil:
		return v.Cores[0]
	case v.Rows != nil:
		return mat.NewDense(1, 1, []float64{v.Rows[i]})
	}
	return mat.NewDense(1, 1, []float64{v.Scalar})
}

// tensor computes an operation with vectors or matrices among its operands or as its value, row by row.
func (in *interpreter) tensor(n *expr.Node, args []Value) (Value, error) {
	rows := -1
	for _, a := range args {
		rows = max(rows, a.rows())
	}
	if n.Op == expr.Sum {
		return in.sumCores(args[0])
	}
	count := max(rows, 1)
	out := make([]*mat.Dense, count)
	x := make([]*mat.Dense, len(args))
	for i := range out {
		for j, a := range args {
			x[j] = a.at(i)
		}
		m, err := in.linalg(n, x)
		if err != nil {
			return Value{}, err
		}
		out[i] = m
	}
	return pack(n.Type, out, rows >= 0), nil
}

// pack turns results into a value of a type.
func pack(t expr.Type, ms []*mat.Dense, perRow bool) Value {
	if t.Rank > 0 {
		return Value{Cores: ms, PerRow: perRow}
	}
	if !perRow {
		return Value{Scalar: ms[0].At(0, 0)}
	}
	v := Value{Rows: make([]float64, len(ms))}
	for i, m := range ms {
		v.Rows[i] = m.At(0, 0)
	}
	return v
}

// sumCores adds vectors or matrices over the rows, with their weights.
func (in *interpreter) sumCores(v Value) (Value, error) {
	if len(v.Cores) == 0 {
		return Value{}, fmt.Errorf("the sum of no rows has no shape")
	}
	r, c := v.Cores[0].Dims()
	total := mat.NewDense(r, c, nil)
	for i, m := range v.Cores {
		w := 1.0
		if in.env.Weights != nil {
			w = in.env.Weights[i]
		}
		floats.AddScaled(total.RawMatrix().Data, w, m.RawMatrix().Data)
	}
	return Core(total), nil
}

// linalg computes one operation on matrices.
func (in *interpreter) linalg(n *expr.Node, x []*mat.Dense) (*mat.Dense, error) {
	out := new(mat.Dense)
	switch n.Op {
	case expr.MatMul:
		out.CloneFrom(x[0])
		for _, b := range x[1:] {
			next := new(mat.Dense)
			next.Mul(out, b)
			out = next
		}
	case expr.Transpose:
		out.CloneFrom(x[0].T())
	case expr.Dot:
		out.Mul(x[0].T(), x[1])
	case expr.Outer:
		out.Mul(x[0], x[1].T())
	case expr.Inner:
		var p mat.Dense
		p.MulElem(x[0], x[1])
		return mat.NewDense(1, 1, []float64{mat.Sum(&p)}), nil
	case expr.Inv:
		if err := out.Inverse(x[0]); err != nil {
			r, c := x[0].Dims()
			out = mat.NewDense(r, c, nil)
			out.Apply(func(int, int, float64) float64 { return math.NaN() }, out)
		}
	case expr.LogDet:
		det, sign := mat.LogDet(x[0])
		if sign <= 0 {
			det = math.NaN()
		}
		return mat.NewDense(1, 1, []float64{det}), nil
	case expr.Diag:
		r, _ := x[0].Dims()
		out = mat.NewDense(r, 1, nil)
		for i := range r {
			out.Set(i, 0, x[0].At(i, i))
		}
	case expr.DiagMat:
		r, _ := x[0].Dims()
		out = mat.NewDense(r, r, nil)
		for i := range r {
			out.Set(i, i, x[0].At(i, 0))
		}
	case expr.Table:
		return mat.NewDense(len(n.Coefs), 1, slices.Clone(n.Coefs)), nil
	case expr.Eye, expr.Ones, expr.Iota:
		return in.ofDimension(n)
	case expr.Chol:
		return cholesky(x[0]), nil
	case expr.LowerHalf:
		return lowerHalf(x[0]), nil
	case expr.EntryLogSumExp:
		return mat.NewDense(1, 1, []float64{floats.LogSumExp(x[0].RawMatrix().Data)}), nil
	case expr.Cumulative, expr.Remaining:
		return accumulated(x[0], n.Op == expr.Remaining), nil
	case expr.Root:
		if n.Fn.Shaped() {
			return in.root(n, x)
		}
		return elementwise(n, x)
	default:
		return elementwise(n, x)
	}
	return out, nil
}

// accumulated are the sums of the entries of a vector up to each, or from each on.
func accumulated(x *mat.Dense, fromEnd bool) *mat.Dense {
	d, _ := x.Dims()
	out, sum := mat.NewDense(d, 1, nil), 0.0
	for i := range d {
		if fromEnd {
			i = d - 1 - i
		}
		sum += x.At(i, 0)
		out.Set(i, 0, sum)
	}
	return out
}

// cholesky is the lower factor, NaN where the matrix is not positive definite; its upper triangle is not looked at.
func cholesky(a *mat.Dense) *mat.Dense {
	d, _ := a.Dims()
	l := mat.NewDense(d, d, nil)
	for j := range d {
		for i := j; i < d; i++ {
			v := a.At(i, j)
			for k := range j {
				v -= l.At(i, k) * l.At(j, k)
			}
			if i == j {
				l.Set(i, i, math.Sqrt(v))
			} else {
				l.Set(i, j, v/l.At(j, j))
			}
		}
	}
	return l
}

// lowerHalf is the lower triangle with half of the diagonal.
func lowerHalf(a *mat.Dense) *mat.Dense {
	d, _ := a.Dims()
	out := mat.NewDense(d, d, nil)
	for i := range d {
		for j := range i {
			out.Set(i, j, a.At(i, j))
		}
		out.Set(i, i, a.At(i, i)/2)
	}
	return out
}

// ofDimension is the identity matrix or the vector of ones of a dimension, whose length is the value of its symbol.
func (in *interpreter) ofDimension(n *expr.Node) (*mat.Dense, error) {
	d := n.Type.Dims[0]
	size := d.Size
	if d.Name != "" {
		v, ok := in.env.Symbols[d.Name]
		if !ok {
			return nil, fmt.Errorf("dimension %q has no value", d.Name)
		}
		size = int(v.Scalar)
	}
	switch n.Op {
	case expr.Ones:
		out := mat.NewDense(size, 1, nil)
		out.Apply(func(int, int, float64) float64 { return 1 }, out)
		return out, nil
	case expr.Iota:
		out := mat.NewDense(size, 1, nil)
		out.Apply(func(i, _ int, _ float64) float64 { return float64(i + 1) }, out)
		return out, nil
	}
	out := mat.NewDense(size, size, nil)
	for i := range size {
		out.Set(i, i, 1)
	}
	return out, nil
}

// elementwise applies a sum, a product or a function to every entry; scalars are the same for all.
func elementwise(n *expr.Node, x []*mat.Dense) (*mat.Dense, error) {
	r, c := 1, 1
	for j, m := range x {
		if n.Args[j].Type.Rank > 0 {
			r, c = m.Dims()
		}
	}
	out := mat.NewDense(r, c, nil)
	entry := make([]float64, len(x))
	for i := range r {
		for k := range c {
			for j, m := range x {
				entry[j] = m.At(0, 0)
				if n.Args[j].Type.Rank > 0 {
					entry[j] = m.At(i, k)
				}
			}
			v, err := number(n, entry)
			if err != nil {
				return nil, err
			}
			out.Set(i, k, v)
		}
	}
	return out, nil
}
