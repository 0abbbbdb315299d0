package exprtest

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/eval"
	"github.com/sngdgen/sngdgen/expr/syntax"
)

// Tensor is a number, a vector (of one column) or a matrix.
type Tensor struct {
	Rank int
	M    *mat.Dense
}

func scalarTensor(v float64) Tensor { return Tensor{0, mat.NewDense(1, 1, []float64{v})} }

// Tensors evaluates trees with vectors and matrices in the most naive way, row by row, without the graph.
type Tensors struct {
	Env   *eval.Env
	Ranks map[string]int // of the symbols
}

// Eval returns the value of a formula in one row of the data.
func (v *Tensors) Eval(e syntax.Expr, row int) Tensor {
	switch e := e.(type) {
	case *syntax.Number:
		return scalarTensor(e.Value)
	case *syntax.Name:
		return v.symbol(e.Name, row)
	case *syntax.Unary:
		return v.unary(e, row)
	case *syntax.Binary:
		x, y := v.Eval(e.X, row), v.Eval(e.Y, row)
		if e.Op == '@' {
			out := new(mat.Dense)
			out.Mul(x.M, y.M)
			return Tensor{y.Rank, out}
		}
		return entrywise(binaries[e.Op], x, y)
	case *syntax.Call:
		return v.call(e, row)
	}
	panic(fmt.Sprintf("exprtest: cannot evaluate %T", e))
}

func (v *Tensors) symbol(name string, row int) Tensor {
	value := v.Env.Symbols[name]
	switch {
	case value.PerRow:
		return Tensor{v.Ranks[name], value.Cores[row]}
	case value.Cores != nil:
		return Tensor{v.Ranks[name], value.Cores[0]}
	case value.Rows != nil:
		return scalarTensor(value.Rows[row])
	}
	return scalarTensor(value.Scalar)
}

func (v *Tensors) unary(e *syntax.Unary, row int) Tensor {
	x := v.Eval(e.X, row)
	if e.Op == '\'' {
		return Tensor{x.Rank, mat.DenseCopyOf(x.M.T())}
	}
	return entrywise(func(x []float64) float64 { return -x[0] }, x)
}

func (v *Tensors) call(e *syntax.Call, row int) Tensor {
	switch e.Fun {
	case "eye", "ones", "range":
		return v.ofDimension(e.Fun)
	case "sum":
		return v.sum(e.Args[0])
	}
	args := make([]Tensor, len(e.Args))
	for i, a := range e.Args {
		args[i] = v.Eval(a, row)
	}
	switch op, ok := expr.FunctionNamed(e.Fun); {
	case ok:
		return entrywise(op.Eval, args...)
	case e.Fun == "sqrt":
		return entrywise(func(x []float64) float64 { return math.Sqrt(x[0]) }, args...)
	}
	return linear(e.Fun, args)
}

func (v *Tensors) ofDimension(fun string) Tensor {
	d := int(v.Env.Symbols["d"].Scalar)
	switch fun {
	case "ones":
		out := mat.NewDense(d, 1, nil)
		out.Apply(func(int, int, float64) float64 { return 1 }, out)
		return Tensor{1, out}
	case "range":
		out := mat.NewDense(d, 1, nil)
		out.Apply(func(i, _ int, _ float64) float64 { return float64(i + 1) }, out)
		return Tensor{1, out}
	}
	return Tensor{2, identity(d)}
}

func identity(d int) *mat.Dense {
	out := mat.NewDense(d, d, nil)
	for i := range d {
		out.Set(i, i, 1)
	}
	return out
}

// sum adds the rows with their weights.
func (v *Tensors) sum(e syntax.Expr) Tensor {
	var total *mat.Dense
	rank := 0
	for i, w := range v.Env.Weights {
		x := v.Eval(e, i)
		rank = x.Rank
		part := new(mat.Dense)
		part.Scale(w, x.M)
		if total == nil {
			total = part
		} else {
			total.Add(total, part)
		}
	}
	return Tensor{rank, total}
}

// entrywise applies a function to every entry; numbers are the same for all.
func entrywise(f func([]float64) float64, args ...Tensor) Tensor {
	shape := args[0]
	for _, a := range args {
		if a.Rank > shape.Rank {
			shape = a
		}
	}
	r, c := shape.M.Dims()
	out := mat.NewDense(r, c, nil)
	x := make([]float64, len(args))
	out.Apply(func(i, j int, _ float64) float64 {
		for k, a := range args {
			x[k] = a.M.At(0, 0)
			if a.Rank > 0 {
				x[k] = a.M.At(i, j)
			}
		}
		return f(x)
	}, out)
	return Tensor{shape.Rank, out}
}

// linear computes a function of linear algebra as its definition reads.
func linear(fun string, x []Tensor) Tensor {
	out := new(mat.Dense)
	switch fun {
	case "dot":
		return scalarTensor(mat.Dot(x[0].M.ColView(0), x[1].M.ColView(0)))
	case "quad":
		return scalarTensor(mat.Inner(x[1].M.ColView(0), x[0].M, x[1].M.ColView(0)))
	case "outer":
		out.Mul(x[0].M, x[1].M.T())
		return Tensor{2, out}
	case "inv":
		return Tensor{2, inverse(x[0].M)}
	case "solve":
		out.Mul(inverse(x[0].M), x[1].M)
		return Tensor{x[1].Rank, out}
	case "logdet":
		return scalarTensor(math.Log(mat.Det(x[0].M)))
	case "tr":
		return scalarTensor(mat.Trace(x[0].M))
	case "total":
		return scalarTensor(mat.Sum(x[0].M))
	case "logsumexp":
		return scalarTensor(logOfExponentials(x[0].M))
	case "diag":
		return diagonal(x[0])
	case "corr":
		return Tensor{2, correlation(x[0].M)}
	case "chol":
		return Tensor{2, cholesky(x[0].M)}
	case "lower_half":
		return Tensor{2, lowerHalf(x[0].M)}
	case "cumulative", "remaining":
		return triangular(fun == "cumulative", x[0])
	}
	panic("exprtest: no function " + fun)
}

// logOfExponentials adds up in the order of the entries, behind the largest.
func logOfExponentials(x *mat.Dense) float64 {
	largest, sum := mat.Max(x), 0.0
	for _, v := range x.RawMatrix().Data {
		sum += math.Exp(v - largest)
	}
	return largest + math.Log(sum)
}

// triangular is the product of the lower triangular matrix of ones, or of its transpose, and a vector.
func triangular(lower bool, x Tensor) Tensor {
	d, _ := x.M.Dims()
	m := mat.NewDense(d, d, nil)
	m.Apply(func(i, j int, _ float64) float64 {
		if (j <= i) == lower || i == j {
			return 1
		}
		return 0
	}, m)
	out := new(mat.Dense)
	out.Mul(m, x.M)
	return Tensor{1, out}
}

// filled is a matrix of one value.
func filled(d int, value float64) *mat.Dense {
	out := mat.NewDense(d, d, nil)
	out.Apply(func(int, int, float64) float64 { return value }, out)
	return out
}

func inverse(a *mat.Dense) *mat.Dense {
	out := new(mat.Dense)
	if out.Inverse(a) != nil {
		d, _ := a.Dims()
		return filled(d, math.NaN())
	}
	return out
}

func diagonal(x Tensor) Tensor {
	d, _ := x.M.Dims()
	if x.Rank == 1 {
		out := mat.NewDense(d, d, nil)
		for i := range d {
			out.Set(i, i, x.M.At(i, 0))
		}
		return Tensor{2, out}
	}
	out := mat.NewDense(d, 1, nil)
	for i := range d {
		out.Set(i, 0, x.M.At(i, i))
	}
	return Tensor{1, out}
}

func correlation(a *mat.Dense) *mat.Dense {
	out := mat.DenseCopyOf(a)
	out.Apply(func(i, j int, v float64) float64 { return v / math.Sqrt(a.At(i, i)*a.At(j, j)) }, a)
	return out
}

func cholesky(a *mat.Dense) *mat.Dense {
	d, _ := a.Dims()
	sym := mat.NewSymDense(d, nil)
	for i := range d {
		for j := range i + 1 {
			sym.SetSym(i, j, a.At(i, j))
		}
	}
	var c mat.Cholesky
	if !c.Factorize(sym) {
		return filled(d, math.NaN())
	}
	l := new(mat.TriDense)
	c.LTo(l)
	return mat.DenseCopyOf(l)
}

func lowerHalf(a *mat.Dense) *mat.Dense {
	out := mat.DenseCopyOf(a)
	out.Apply(func(i, j int, v float64) float64 {
		switch {
		case i < j:
			return 0
		case i == j:
			return v / 2
		}
		return v
	}, a)
	return out
}
