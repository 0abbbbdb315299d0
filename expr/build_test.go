package expr_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/diff"
	"github.com/sngdgen/sngdgen/expr/eval"
	"github.com/sngdgen/sngdgen/expr/syntax"
	"github.com/sngdgen/sngdgen/internal/exprtest"
)

// samples has a formula for each structural operation: an operation without one is missing in this list, and one that
// some package does not know fails below.
var samples = map[*expr.Op]string{
	expr.Const: "2",
	expr.Sym:   "real",
	expr.Lin:   "2*real + unit - 1",
	expr.Prod:  "real*unit/positive",
	expr.Pow:   "positive^real",
	expr.Sum:   "sum(xreal)",
	expr.Root:  "root(a, log(a) + a = real)",
}

func TestEveryStructuralOperationIsHandled(t *testing.T) {
	for _, op := range expr.Structural() {
		t.Run(op.Name, func(t *testing.T) {
			w := exprtest.NewWorld()
			if samples[op] == "" {
				t.Fatal("no sample")
			}
			n := w.Parse(t, samples[op])
			if n.Op != op || op.Elementwise() || op.Doc == "" {
				t.Fatalf("%v is %v", n, n.Op)
			}
			if n.String() == "" || n.LaTeX() == "" {
				t.Error("not printed")
			}
			env := eval.Scalars(map[string]float64{"real": 1, "unit": 0.5, "positive": 2, "n": 3})
			env.Bind("xreal", []float64{1, 2, 4}, nil)
			if v := values(t, n, env); !allFinite(v) {
				t.Errorf("value %v", v)
			}
			if n.Cost() < 0 || len(n.Args) > 0 && n.Cost() == 0 {
				t.Errorf("cost %v", n.Cost())
			}
			wrt := []*expr.Node{w.Names["real"], w.Names["unit"], w.Names["positive"]}
			if _, err := diff.Gradient(w.G, n, wrt); err != nil {
				t.Error(err)
			}
			if _, err := diff.Pushforward(w.G, []*expr.Node{n}, wrt, wrt); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestFaults(t *testing.T) {
	for formula, want := range map[string]string{
		"nosuch":                               `unknown name "nosuch"`,
		"nosuch(real)":                         "unknown function",
		"exp(real, real)":                      "takes 1 operand, not 2",
		"lgamma_diff(real)":                    "takes 2 operands, not 1",
		"1/0":                                  "division by zero",
		"real/(unit - unit)":                   "division by zero",
		"0^(-1)":                               "not a finite number",
		"(-1)^0.5":                             "not a finite number",
		"1e308*10":                             "not a finite number",
		"real*1e308*1e308":                     "not a finite number",
		"(1e200*real)^2":                       "not a finite number",
		"sqrt(-1)":                             "square root of a negative number",
		"log(-1)":                              "log is defined on",
		"log(0)":                               "log is defined on",
		"logit(2 + count)":                     "logit is defined on",
		"polygamma(real, positive)":            "operand 1 of polygamma must be a number",
		"polygamma(0, positive)":               "polygamma is defined on",
		"sum(real)":                            "needs a value that varies over the rows",
		"mean(2)":                              "needs a value that varies over the rows",
		"sum(xreal; 1)":                        "takes no parameters",
		"real @ unit":                          "needs matrices and vectors",
		"normal.logpdf(real; 0, 1)":            "cannot be used",
		"root(a)":                              "root takes an unknown",
		"root(a + 1, a = 0)":                   "name of the unknown",
		"root(a, a)":                           "is an equation",
		"where(real)":                          "where takes a condition",
		"where(real < 1, real, 2, 3)":          "where takes a condition",
		"where(nosuch < 1, real)":              "unknown name",
		"root(a, a < 1)":                       "is an equation",
		"root(a, real = 1)":                    "does not depend on a",
		"root(a, nosuch = a)":                  "unknown name",
		"root(a, a = 1, nosuch)":               "unknown name",
		"root(a, sum(log(a + xpositive)) = 1)": "sum over the rows",
		"logsumexp(real)":                      "logsumexp needs a number for each component of a mixture",
		"logsumexp(xreal)":                     "logsumexp needs a number for each component of a mixture",
		"softmax(2)":                           "softmax needs a number for each component of a mixture",
		"softmax(logsumexp(kreal))":            "softmax needs a number for each component of a mixture",
		"softmax(kreal, kunit)":                "takes 1 operand, not 2",
		"logsumexp(nosuch)":                    "unknown name",
		"sum(kreal)":                           "sum needs a value that varies over the rows",
		"mean(softmax(kreal))":                 "mean needs a value that varies over the rows",
		"max(real)":                            "max needs a value that varies over the rows",
		"min(kreal)":                           "min needs a value that varies over the rows",
		"max(nosuch)":                          "unknown name",
	} {
		e, errs := syntax.Parse(formula)
		if len(errs) > 0 {
			t.Errorf("%s: %v", formula, errs)
			continue
		}
		b := exprtest.NewWorld().Builder()
		if n := b.Build(e); n != nil || len(b.Faults) == 0 {
			t.Errorf("%s: no fault, but %v", formula, n)
			continue
		}
		f := b.Faults[0]
		if !strings.Contains(f.Msg, want) {
			t.Errorf("%s: %q, want %q", formula, f.Msg, want)
		}
		if f.Start < 0 || f.End <= f.Start || f.End > len(formula) {
			t.Errorf("%s: the fault is at %d to %d", formula, f.Start, f.End)
		}
	}
}

func TestReductionsNeedData(t *testing.T) {
	w := exprtest.NewWorld()
	b := w.Builder()
	b.Scope.Reductions = false
	if n := b.Build(syntax.Fn("sum", syntax.Var("xreal"))); n != nil || len(b.Faults) != 1 {
		t.Errorf("%v, %v", n, b.Faults)
	}
}

// The largest row of a group is unknown: what a row counts for it says nothing of whether it belongs to it.
func TestExtremesOfGroups(t *testing.T) {
	for _, name := range []string{"max", "min"} {
		w := exprtest.NewWorld()
		b := w.Builder()
		b.Scope.Measure = w.Names["xunit"]
		e := syntax.Fn(name, syntax.Var("xreal"))
		if n := b.Build(e); n != nil || len(b.Faults) != 1 || b.Faults[0].Hint == "" || !strings.Contains(b.Faults[0].Msg, "group") {
			t.Errorf("%s: %v, %v", name, n, b.Faults)
		}
		b.Scope.Reductions, b.Faults = false, nil
		if n := b.Build(e); n != nil || len(b.Faults) != 1 || !strings.Contains(b.Faults[0].Msg, "cannot be used in a test") {
			t.Errorf("%s without the data: %v, %v", name, n, b.Faults)
		}
		b.Scope.Reductions, b.Scope.Measure, b.Faults = true, nil, nil
		if n := b.Build(syntax.Fn(name, syntax.Var("real"), syntax.Var("unit"))); n == nil || n.Type != expr.Scalar {
			t.Errorf("%s of two numbers: %v, %v", name, n, b.Faults)
		}
	}
}

// Summaries of the rows of a group count each row as much as the measure says.
func TestSummariesOfGroups(t *testing.T) {
	w := exprtest.NewWorld()
	env := eval.Scalars(nil)
	env.Bind("xreal", []float64{1, 2, 4}, []float64{1, 2, 1})
	env.Symbols["xunit"] = eval.Value{Rows: []float64{0, 0.5, 1}} // what rows count: 0, 1 and 1
	for formula, want := range map[string]float64{"sum(xreal)": 6, "mean(xreal)": 3, "var(xreal)": 1, "sd(2*xreal)": 2} {
		e, _ := syntax.Parse(formula)
		b := w.Builder()
		b.Scope.Measure = w.Names["xunit"]
		if v := values(t, b.Build(e), env); v[0] != want {
			t.Errorf("%s is %v, want %v", formula, v, want)
		}
	}
}

func TestLift(t *testing.T) {
	w := exprtest.NewWorld()
	n := w.Parse(t, "root(a, digamma(a) - log(a) = mean(log(xpositive)) - log(mean(xpositive)), 1/positive)")
	if len(n.Fn.Params) != len(n.Args) || len(n.Fn.Params) != 2 {
		t.Fatalf("parameters %v, values %v", n.Fn.Params, n.Args)
	}
	free := slices.Concat(n.Fn.Vars, n.Fn.Params)
	expr.Walk(func(m *expr.Node) {
		if m.IsSym() && !slices.Contains(free, m) {
			t.Errorf("the equation has the free symbol %v", m)
		}
	}, append(n.Fn.Eqs, n.Fn.Start...)...)
}

// FuzzBuild: a formula gives a node or faults, never a panic and never a number that is not finite.
func FuzzBuild(f *testing.F) {
	for _, formula := range samples {
		f.Add(formula)
	}
	for _, op := range expr.Functions {
		f.Add(op.Name + "(" + strings.Join([]string{"2", "real", "positive"}[:op.Arity], ", ") + ")")
	}
	for _, formula := range []string{
		"integral(u in (0, inf), exp(-u*positive))", "series(k from 0, unit^k)", "(1e-200*unit + 1e-200)^2", "real^0.5*real^0.5", "(real - unit)^-3*(unit - real)", "root(a, sum(a*xreal) = 1)",
		"sd(xreal)/var(xreal)", "0^real", "(-1)^real", "1e308*10", "root(a, root(b, b = a) = 1)", "-(2*real)'", "1e-320^-1*real",
	} {
		f.Add(formula)
	}
	f.Fuzz(func(t *testing.T, formula string) {
		e, errs := syntax.Parse(formula)
		if len(errs) > 0 {
			return
		}
		w := exprtest.NewWorld()
		b := w.Builder()
		n := b.Build(e)
		if n == nil {
			if len(b.Faults) == 0 {
				t.Fatal("neither a node nor a fault")
			}
			return
		}
		_, _ = n.String(), n.LaTeX()
		expr.Walk(func(m *expr.Node) {
			if m.Facts.Range.Empty() {
				t.Errorf("%v lies in %v", m, m.Facts.Range)
			}
			for _, c := range append([]float64{m.Const}, m.Coefs...) {
				if !finite(c) {
					t.Errorf("%v has the number %v", m, c)
				}
			}
		}, n)
	})
}
