package diff_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/diff"
	"github.com/sngdgen/sngdgen/expr/eval"
)

// numbersAndVectors are formulas in x, of which the derivative is one node: sums over the rows of what a log-partition and its gradient have.
var numbersAndVectors = []string{
	"x", "dot(x, y)", "dot(x, x)*s", "x*dot(x, y)", "exp(x)*s + y", "B @ x", "(B @ x)*dot(y, x)", "sum(exp(dot(x, r)))", "sum(r*exp(dot(x, r)))",
	"sum(r*sigmoid(dot(x, r))*s)", "sum(r*dot(x, r)/s)", "sum(dot(x, r)^2)", "sum(softplus(dot(r, B @ x)))", "sum((B @ r)*log1p(dot(x, r)^2))",
	"sum(y*dot(r, x + y)^2)", "x/(1 + dot(x, x))", "log1p(x^2)*dot(x, B @ x)", "sum(log1p(dot(r, x*y)^2))", "2*x - sum(dot(r, exp(x/4))*r)",
}

// TestDerivative applies derivatives to random directions, and compares with forward mode, which differences have been held against.
func TestDerivative(t *testing.T) {
	for _, formula := range numbersAndVectors {
		t.Run(formula, func(t *testing.T) {
			w := newWorld(t, 3, formula)
			for _, name := range []string{"x", "s"} {
				if by := w.syms[name]; expr.Depends(w.f, by) {
					checkDerivative(t, w, by)
				}
			}
		})
	}
}

func checkDerivative(t *testing.T, w *linalgWorld, by *expr.Node) {
	t.Helper()
	direction := w.syms["y"]
	if by.Type.Rank == 0 {
		direction = w.g.Const(-0.7)
	}
	want, err := diff.Pushforward(w.g, []*expr.Node{w.f}, []*expr.Node{by}, []*expr.Node{direction})
	if err != nil {
		t.Fatal(err)
	}
	d, err := diff.Derivative(w.g, w.f, by)
	if err != nil {
		t.Fatal(err)
	}
	var got *expr.Node
	switch {
	case by.Type.Rank == 0:
		got = w.g.Mul(d, direction)
	case w.f.Type.Rank == 1:
		got = w.g.MatMul(d, direction)
	default:
		got = w.g.Dot(d, direction)
	}
	a, b := numbersOf(t, got, w), numbersOf(t, want[0], w)
	for i, v := range b {
		if x := a[i]; math.Abs(x-v) > 1e-12*(1+math.Abs(v)) || math.IsNaN(v) {
			t.Errorf("by %s, entry %d: %v, forward mode has %v", by.Name, i, x, v)
		}
	}
}

// numbersOf are the numbers of a value without axes.
func numbersOf(t *testing.T, n *expr.Node, w *linalgWorld) []float64 {
	t.Helper()
	v, err := eval.All([]*expr.Node{n}, w.env)
	if err != nil {
		t.Fatal(err)
	}
	if v[0].Cores == nil {
		return []float64{v[0].Scalar}
	}
	return v[0].Cores[0].RawMatrix().Data
}

// TestNoDerivative: what has none as a number, a vector or a matrix is an error, not a wrong answer.
func TestNoDerivative(t *testing.T) {
	for _, formula := range []string{"cumulative(x)", "outer(x, x)", "sum(outer(r, x))", "inv(A + outer(x, x)) @ y"} {
		w := newWorld(t, 3, formula)
		if d, err := diff.Derivative(w.g, w.f, w.syms["x"]); err == nil {
			t.Error(fmt.Sprint(formula, ": no error, but ", d))
		}
	}
}
