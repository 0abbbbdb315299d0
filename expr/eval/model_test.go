package eval_test

import (
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/eval"
)

// TestModel evaluates a function of a vector, z1^2 + 3*z2, and its gradient in every row, and where there are none.
func TestModel(t *testing.T) {
	g := expr.NewGraph()
	vector := expr.Type{Rank: 1, Dims: [2]expr.Dim{{Size: 2}}}
	rows, one := g.Sym("rows", vector.Over(expr.Rows), expr.Unknown), g.Sym("one", vector, expr.Unknown)
	env := eval.Scalars(nil)
	env.Symbols["rows"] = eval.CoreRows([]*mat.Dense{mat.NewDense(2, 1, []float64{1, 2}), mat.NewDense(2, 1, []float64{3, 4})})
	env.Symbols["one"] = eval.Core(mat.NewDense(2, 1, []float64{5, 6}))
	nodes := []*expr.Node{
		g.LogJoint(one, expr.AllTerms), g.LogJointGradient(one, expr.AllTerms), g.Sum(expr.Rows, g.LogJoint(rows, expr.AllTerms)), g.Sum(expr.Rows, g.LogJointGradient(rows, expr.AllTerms)),
	}
	if _, err := eval.All(nodes, env); err == nil {
		t.Error("a model is evaluated that is not there")
	}
	gradient := make([]float64, 2) // used again by every call
	env.LogJoint = func(_ expr.Terms, z []float64) (float64, []float64) {
		gradient[0], gradient[1] = 2*z[0], 3
		return z[0]*z[0] + 3*z[1], gradient
	}
	got, err := eval.All(nodes, env)
	if err != nil {
		t.Fatal(err)
	}
	if got[0].Scalar != 43 || got[2].Scalar != 28 {
		t.Errorf("%v and %v, want 43 and 28", got[0].Scalar, got[2].Scalar)
	}
	for i, want := range map[int][]float64{1: {10, 3}, 3: {8, 6}} {
		if !mat.Equal(got[i].Cores[0], mat.NewDense(2, 1, want)) {
			t.Errorf("gradient %v, want %v", got[i].Cores[0], want)
		}
	}
}

// TestModelOfNumber tells the value of a model of one number from its derivative, which has the same shape.
func TestModelOfNumber(t *testing.T) {
	g := expr.NewGraph()
	z := g.Sym("z", expr.Scalar, expr.Unknown)
	env := eval.Scalars(map[string]float64{"z": 3})
	env.LogJoint = func(_ expr.Terms, z []float64) (float64, []float64) { return z[0] * z[0], []float64{2 * z[0]} }
	got, err := eval.All([]*expr.Node{g.LogJoint(z, expr.AllTerms), g.LogJointGradient(z, expr.AllTerms)}, env)
	if err != nil || got[0].Scalar != 9 || got[1].Scalar != 6 {
		t.Errorf("%v, %v, want 9 and 6", got, err)
	}
}
