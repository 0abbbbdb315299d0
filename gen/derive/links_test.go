package derive_test

import (
	"math"
	"testing"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/diff"
	"github.com/sngdgen/sngdgen/expr/eval"
	"github.com/sngdgen/sngdgen/expr/syntax"
	"github.com/sngdgen/sngdgen/runtime/types"
)

// TestLinkFormulas: the formulas of every link say what its functions compute, and the log-Jacobian is the logarithm of the derivative.
func TestLinkFormulas(t *testing.T) {
	for _, link := range []*types.Link{types.Identity, types.Log, types.Logit, types.Atanh} {
		g := expr.NewGraph()
		u := g.Sym("u", expr.Scalar, expr.Unknown)
		build := func(formula string, names map[string]*expr.Node) *expr.Node {
			tree, errs := syntax.Parse(formula)
			if len(errs) > 0 {
				t.Fatal(errs)
			}
			b := expr.Builder{G: g, Scope: expr.Scope{Names: names, What: "a link"}}
			n := b.Build(tree)
			if n == nil {
				t.Fatalf("%s: %v", formula, b.Faults)
			}
			return n
		}
		x := build(link.Formula, map[string]*expr.Node{"u": u})
		back := build(link.Inverse, map[string]*expr.Node{"x": x})
		jacobian := build(link.LogJacobian, map[string]*expr.Node{"u": u})
		slope, err := diff.Gradient(g, x, []*expr.Node{u})
		if err != nil {
			t.Fatal(err)
		}
		for at := -3.0; at <= 3; at += 0.7 {
			value := func(n *expr.Node) float64 {
				v, err := eval.Eval(n, eval.Scalars(map[string]float64{"u": at}))
				if err != nil {
					t.Fatal(err)
				}
				return v
			}
			for what, pair := range map[string][2]float64{
				"value":        {value(x), link.Value(at)},
				"inverse":      {value(back), at},
				"slope":        {value(slope[0]), link.Slope(at, link.Value(at))},
				"log-Jacobian": {value(jacobian), math.Log(value(slope[0]))},
			} {
				if math.Abs(pair[0]-pair[1]) > 1e-12*(1+math.Abs(pair[1])) {
					t.Errorf("%s at %v: %s is %v, want %v", link.Formula, at, what, pair[0], pair[1])
				}
			}
		}
	}
}
