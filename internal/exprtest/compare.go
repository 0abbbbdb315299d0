package exprtest

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/eval"
)

// Entries are the entries of a value in one row, a number in the shape of another value: 0 has every shape.
func Entries(v eval.Value, row int, shape *mat.Dense) *mat.Dense {
	switch {
	case v.PerRow:
		return v.Cores[row]
	case v.Cores != nil:
		return v.Cores[0]
	}
	x := v.Scalar
	if v.Rows != nil {
		x = v.Rows[row]
	}
	out := mat.DenseCopyOf(shape)
	out.Apply(func(int, int, float64) float64 { return x }, shape)
	return out
}

// Within compares two values to the digits that a small perturbation leaves of the wanted one; where that is not finite,
// or most of its digits are lost, there is nothing to compare.
func Within(got, want, moved *mat.Dense) bool {
	size := mat.Norm(want, math.Inf(1))
	var change mat.Dense
	change.Sub(moved, want)
	doubt := mat.Norm(&change, math.Inf(1))
	if !(doubt < 1e-4*size || size == 0) || size > 1e12 {
		return true
	}
	var err mat.Dense
	err.Sub(got, want)
	return mat.Norm(&err, math.Inf(1)) <= doubt+1e-9*(1+size)
}

// SameValue asserts that two nodes of the world of linear algebra have the same value at a point, in every row.
func SameValue(t TB, what string, before, after *expr.Node, env *eval.Env) {
	t.Helper()
	values, err := eval.All([]*expr.Node{before, after}, env)
	if err != nil {
		t.Fatalf("%v", err)
	}
	moved, err := eval.All([]*expr.Node{before}, Perturbed(env))
	if err != nil {
		t.Fatalf("%v", err)
	}
	shape := mat.NewDense(1, 1, nil)
	for row := range env.Weights {
		want := Entries(values[0], row, shape)
		if got := Entries(values[1], row, want); !Within(got, want, Entries(moved[0], row, want)) {
			t.Fatalf("%s: %v is\n%v, but %v is\n%v", what, before, mat.Formatted(want), after, mat.Formatted(got))
		}
	}
}
