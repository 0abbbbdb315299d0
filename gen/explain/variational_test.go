package explain

import (
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/eval"
	"github.com/sngdgen/sngdgen/spec"
)

// variationals derives every problem of the library with a variational objective, with the names that are written.
func variationals(t *testing.T, f func(t *testing.T, e *explainer)) {
	for _, name := range spec.Library().ProblemsOf(spec.ObjectiveVI) {
		t.Run(name, func(t *testing.T) {
			e := explainerOf(t, name)
			e.d = withNoiseNames(e.d)
			e.steps = e.d.Trace
			f(t, e)
		})
	}
}

// TestNoiseNames finds the random numbers under names of their own, which nothing else has, in everything that is written.
func TestNoiseNames(t *testing.T) {
	variationals(t, func(t *testing.T, e *explainer) {
		taken := append(e.modelNames(), "n")
		for name := range e.names() {
			taken = append(taken, name)
		}
		for _, w := range e.d.Variational.Noise {
			if name := w.Sym.String(); slices.Contains(taken, name) {
				t.Errorf("random number %s", name)
			}
		}
		s := &e.d.Surrogate
		all := slices.Concat(s.Natural, s.Covector, []*expr.Node{s.Literal, s.LiteralDual, s.Loss, e.d.Variational.Drawn})
		for _, step := range e.steps {
			all = append(all, step.Before, step.After)
		}
		expr.Walk(func(n *expr.Node) {
			if n.IsSym() && strings.HasPrefix(n.Name, "draw.") {
				t.Errorf("symbol %s", n.Name)
			}
		}, all...)
	})
}

// TestModelHasNoRowOfOne writes data that are given once under their names, not as rows.
func TestModelHasNoRowOfOne(t *testing.T) {
	variationals(t, func(t *testing.T, e *explainer) {
		for _, q := range e.modelTerms() {
			expr.Walk(func(n *expr.Node) {
				if n.Type.Axes.Has(expr.Rows) && !e.p.Variational.ByRow || n == e.p.Variational.Scale {
					t.Errorf("%v in %v", n, q.node)
				}
			}, q.node)
		}
	})
}

// TestExpectedPrior compares what is written as the expectation of a prior -z'z/2 with that of a normal distribution.
func TestExpectedPrior(t *testing.T) {
	e := explainerOf(t, "logistic")
	env := eval.Scalars(map[string]float64{"d": 2})
	for _, q := range e.p.Surrogate.Params {
		m := mat.NewDense(2, 1, []float64{1, -3})
		if q.Sym.Type.Rank == 2 {
			m = mat.NewDense(2, 2, []float64{2, 0.5, 0.5, 4})
		}
		env.Symbols[q.Sym.Name] = eval.Core(m)
	}
	for _, def := range e.p.Map {
		env.Symbols[def.Sym.Name] = env.Symbols[def.Node.Name]
	}
	prior := e.expectedPrior()
	if prior == nil {
		t.Fatal("no expectation")
	}
	if got, err := eval.Eval(prior, env); err != nil || got != -(1+9+2+4)/2.0 {
		t.Errorf("%v is %v, %v, want -8", prior, got, err)
	}
}
