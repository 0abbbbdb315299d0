package expr_test

import (
	"math"
	"slices"
	"testing"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/diff"
	"github.com/sngdgen/sngdgen/expr/eval"
	"github.com/sngdgen/sngdgen/expr/syntax"
)

// TestMultivariateGamma compares with mpmath: pi^(p(p-1)/4) prod_j Gamma(x + (1-j)/2), and its derivatives.
func TestMultivariateGamma(t *testing.T) {
	for _, c := range []struct {
		x, value, slope, curve float64
		p                      int
	}{
		{0.29999999999999999, 1.0957979948180755606, -3.5025242222001331249, 12.245364546107731301, 1},
		{1.25, 0.67737405793418229709, -1.3133144131627375777, 3.7392088021787172377, 2},
		{5.5, 11.306699197583204395, 4.506081743373080498, 0.66939044576575335967, 3},
		{20.0, 256.81744393465407546, 20.222678656629435773, 0.38999389944969525626, 7},
		{1000.5, 23617.409377840676593, 27.628019531344090895, 0.004003003170421163652, 4},
		{3.0001000000000002, 10.014841394372556531, -0.45460603392943266646, 9.0426792744693963154, 6},
	} {
		g := expr.NewGraph()
		x, d := g.Sym("x", expr.Scalar, expr.In(expr.Positive)), g.DimNode(expr.Dim{Name: "d"})
		build := func(formula string) *expr.Node {
			b := expr.Builder{G: g, Scope: expr.Scope{Names: map[string]*expr.Node{"x": x, "d": d}, What: "a test"}}
			e, errs := syntax.Parse(formula)
			n := b.Build(e)
			if n == nil {
				t.Fatal(formula, errs, b.Faults)
			}
			return n
		}
		value, slope := build("multivariate_lgamma(x, d)"), build("multivariate_digamma(x, d)")
		derived, err := diff.Gradient(g, value, []*expr.Node{x})
		if err != nil {
			t.Fatal(err)
		}
		curve, err := diff.Gradient(g, slope, []*expr.Node{x})
		if err != nil {
			t.Fatal(err)
		}
		v, err := eval.All([]*expr.Node{value, slope, derived[0], curve[0]}, eval.Scalars(map[string]float64{"x": c.x, "d": float64(c.p)}))
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range []float64{c.value, c.slope, c.slope, c.curve} {
			if got := v[i].Scalar; !(math.Abs(got-want) <= 1e-14*(1+math.Abs(want))) {
				t.Errorf("%d at %v, %d: %v, want %v", i, c.x, c.p, got, want)
			}
		}
	}
}

func TestMultivariateFaults(t *testing.T) {
	for formula, want := range map[string]string{
		"multivariate_lgamma(x)":                         "multivariate_lgamma takes 2 operands, a number and a dimension, not 1",
		"multivariate_lgamma(x, x)":                      "the second operand of multivariate_lgamma is a dimension, or a whole number",
		"multivariate_digamma(x, 1.5)":                   "the second operand of multivariate_digamma is a dimension, or a whole number",
		"integral(u, u)":                                 "an integral takes a name in an interval, a function of it, and optionally how many times as many nodes",
		"integral(u in 1:3, u)":                          "an integral goes over an interval",
		"integral(x in (0, 1), x)":                       "x is a name already",
		"integral(u in (0, 1), u, 1.5)":                  "how many times as many nodes is a whole number from 1 to 32",
		"integral(u in (0, 1), u, 1000)":                 "how many times as many nodes is a whole number from 1 to 32",
		"integral(u in (inf, 1), u)":                     `unknown name "inf" in a test`,
		"integral(u in (2, 1 - x), u)":                   "the interval is empty",
		"integral(u in (0, 1), root(w, w + exp(w) = u))": "there is no loop for the terms of this integral: it is made of sums, products, powers and functions of numbers",
		"series(k in 1:3, k)":                            "a series begins at a whole number",
		"series(k from x, k)":                            "a series begins at a whole number",
		"series(k, k)":                                   "a series takes a name from a whole number on, and a function of it",
		"sum(u in (0, 1), u)":                            "a sum goes over a range",
		"x + log(u in (0, 1))":                           "a name in a range is the first operand of sum, array, integral or series",
	} {
		g := expr.NewGraph()
		b := expr.Builder{G: g, Scope: expr.Scope{Names: map[string]*expr.Node{"x": g.Sym("x", expr.Scalar, expr.In(expr.Positive))}, What: "a test"}}
		e, errs := syntax.Parse(formula)
		if len(errs) > 0 {
			t.Fatal(formula, errs)
		}
		b.Build(e)
		if !slices.ContainsFunc(b.Faults, func(f expr.Fault) bool { return f.Msg == want }) {
			t.Errorf("%s: %v, not %q", formula, b.Faults, want)
		}
	}
}
