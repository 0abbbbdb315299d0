package plan

import (
	"testing"

	"github.com/sngdgen/sngdgen/expr"
)

// form is a sum over the rows that asks for A x, and cannot be one of x x'.
func form(g *expr.Graph, a, x *expr.Node) *expr.Node {
	return g.Sum(expr.Rows, g.Prod([]float64{2}, []*expr.Node{g.Dot(x, g.MatMul(a, x))}))
}

// TestInSums: a sum of outer products of draws between matrices is one of products with these, if they are there and the sum is not needed otherwise.
func TestInSums(t *testing.T) {
	d := expr.Dim{Name: "d"}
	for name, c := range map[string]struct {
		others func(g *expr.Graph, a, s, x, u *expr.Node) []*expr.Node
		data   bool // rows are those of data
		inside bool
	}{
		"there": {func(g *expr.Graph, a, s, x, u *expr.Node) []*expr.Node {
			return []*expr.Node{form(g, a, x), g.MatMul(a, s, u), g.MatMul(s, u)}
		}, false, true},
		"rows of data": {func(g *expr.Graph, a, s, x, u *expr.Node) []*expr.Node {
			return []*expr.Node{form(g, a, x)}
		}, true, false},
		"not there": {func(g *expr.Graph, a, s, x, u *expr.Node) []*expr.Node { return nil }, false, false},
		"the sum is wanted": {func(g *expr.Graph, a, s, x, u *expr.Node) []*expr.Node {
			return []*expr.Node{form(g, a, x), s}
		}, false, false},
		"its trace is wanted": {func(g *expr.Graph, a, s, x, u *expr.Node) []*expr.Node {
			return []*expr.Node{form(g, a, x), g.Inner(a, s)}
		}, false, false},
		"two matrices": {func(g *expr.Graph, a, s, x, u *expr.Node) []*expr.Node {
			return []*expr.Node{form(g, a, x), g.MatMul(a, s)}
		}, false, false},
	} {
		g := expr.NewGraph()
		x, w := g.Sym("x", expr.Vector(d).Over(expr.Rows), expr.Unknown), g.Sym("w", expr.Scalar.Over(expr.Rows), expr.Unknown)
		a, u := g.Sym("A", expr.Matrix(d, d), expr.Facts{Structure: expr.Symmetric}), g.Sym("u", expr.Vector(d), expr.Unknown)
		s := g.Sum(expr.Rows, g.Mul(w, g.Outer(x, x)))
		k := &Kernel{Graph: g, Rows: &RowSource{Sym: x}}
		if c.data {
			k.Rows.Fixed = &DataStage{}
		}
		for _, n := range append([]*expr.Node{g.MatMul(a, s, a)}, c.others(g, a, s, x, u)...) {
			k.Outputs = append(k.Outputs, Output{Node: n})
		}
		p := &planner{known: &known{k: k}}
		p.inSums()
		var after []*expr.Node
		for _, o := range p.k.Outputs {
			after = append(after, o.Node)
		}
		left := false
		expr.Walk(func(n *expr.Node) { left = left || n == s }, after...)
		if left == c.inside || (len(p.k.Defs) == 1) != c.inside {
			t.Errorf("%s: %v with the definitions %v", name, after, p.k.Defs)
		}
		if c.inside && (p.k.Defs[0].Node != g.MatMul(a, x) || after[0].Op != expr.Sum) {
			t.Errorf("%s: %v is %v, and the product %v", name, p.k.Defs[0].Sym, p.k.Defs[0].Node, after[0])
		}
	}
}
