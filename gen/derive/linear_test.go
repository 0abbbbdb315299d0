package derive_test

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/eval"
	"github.com/sngdgen/sngdgen/gen/derive"
	"github.com/sngdgen/sngdgen/spec"
)

// TestParted: with linear predictors apart the value is that of the log joint density, and the gradient with what the slopes add its gradient.
func TestParted(t *testing.T) {
	for _, c := range []struct {
		name, joint string
		predictors  int
	}{
		{"one", "sum(log_sigmoid(y*(X @ b))) - dot(b, b)/2 - a^2 - dot(e, e) - w^2", 1},
		{"an intercept", "sum(y*(a + X @ b) - exp(a + X @ b)) - dot(b, b)/2 - a^2 - dot(e, e) - w^2", 1},
		{"two of one vector", "sum(log_sigmoid(X @ b + w*(G @ b))) - dot(b, b)/2 - a^2 - dot(e, e) - w^2", 2},
		{"two of one matrix", "sum(-((y - X @ b)*exp(-(X @ e)))^2/2 - X @ e) - dot(b, b)/2 - a^2 - dot(e, e) - w^2", 2},
		{"differences", "sum(log_sigmoid(y*(X @ (b - e)))*exp(w)) - dot(b, b)/2 - a^2 - dot(e, e) - w^2", 2},
		{"fixed factors", "sum(log_sigmoid(y*(X @ (2*b - e/3)))) - dot(b, b)/2 - a^2 - dot(e, e) - w^2", 2},
		{"numbers for all entries", "sum(log_sigmoid(y*(X @ (b - a + 0.3)))) - dot(b, b)/2 - a^2 - dot(e, e) - w^2", 1},
		{"latent factors", "sum(log_sigmoid(y*(X @ (exp(w)*b - a*e)))) - dot(b, b)/2 - a^2 - dot(e, e) - w^2", 2},
		{"a vector beside", "sum(log1p((X @ b)^2 + dot(G, G)*dot(X, X))) - dot(b, e)*a - a^2 - dot(e, e) - w^2", 1},
		{"a sum over rows inside", "log1p(sum((y - X @ b)^2)) - dot(b, b)/2 - a^2 - dot(e, e) - w^2", 1},
		{"a sum alone", "sum(X @ b) - dot(b, b)/2 - a^2 - dot(e, e) - w^2", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := fmt.Sprintf("package: every\napproximation: normal\nobjective:\n  vi:\n    latent: {a: real, b: vector(p), e: vector(p), w: real}\n"+
				"    data:\n      X: matrix(n, p)\n      G: matrix(n, p)\n      y: vector(n)\n    log_joint: %s\n", c.joint)
			f, diags := spec.Parse("every.yaml", []byte(text), nil)
			if f == nil {
				t.Fatal(diags.String())
			}
			d := derived(t, f.Problems[0])
			m := d.Variational.Model
			q := m.Parted[expr.AllTerms]
			if q == nil {
				if c.predictors > 0 {
					t.Fatal("no predictors")
				}
				return
			}
			if len(q.Predictors) != c.predictors {
				t.Fatalf("%d predictors", len(q.Predictors))
			}
			checkParted(t, d, q)
		})
	}
}

func checkParted(t *testing.T, d *derive.Result, q *derive.Parted) {
	env, _, _ := partsEnv(t, d, true)
	env.Set("p", 2)
	for i, x := range [][]float64{{0.3}, {0.7, -0.6}, {-0.2, 0.9}, {-0.4}} {
		name := d.Problem.Variational.Latent[i].Sym.Name
		if env.Symbols[name] = eval.Core(mat.NewDense(len(x), 1, x)); len(x) == 1 {
			env.Set(name, x[0])
		}
	}
	m, g := d.Variational.Model, d.Problem.Graph
	by := map[*expr.Node]*expr.Node{}
	for _, l := range q.Predictors {
		by[l.S] = l.Formula
	}
	if value := q.Value; expr.Depends(value, q.Predictors[0].Formula) {
		t.Errorf("%v has a predictor in it", value)
	}
	want := append([]*expr.Node{m.LogJoint}, m.Gradient...)
	got := []*expr.Node{g.Substitute(q.Value, by)}
	for i, part := range q.Gradient {
		sum := g.Substitute(part, by)
		for k, l := range q.Predictors {
			if l.Latent == i {
				sum = g.Add(sum, g.Sum(expr.Rows, g.Mul(g.Substitute(q.Slopes[k], by), l.Data)))
			}
		}
		got = append(got, sum)
	}
	for i := range want {
		x, y := numbersOf(t, env, want[i]), numbersOf(t, env, got[i])
		for j := range x {
			if !(math.Abs(x[j]-y[j]) <= 1e-12*(1+math.Abs(x[j]))) {
				t.Errorf("%v is %v, want %v", got[i], y, x)
			}
		}
	}
}

// numbersOf are the entries of a value.
func numbersOf(t *testing.T, env *eval.Env, n *expr.Node) []float64 {
	t.Helper()
	values, err := eval.All([]*expr.Node{n}, env)
	if err != nil {
		t.Fatal(err)
	}
	if n.Type.Rank == 0 {
		return []float64{values[0].Scalar}
	}
	return values[0].Cores[0].RawMatrix().Data
}
