package expr_test

import (
	"testing"

	"github.com/sngdgen/sngdgen/expr"
)

// TestKnownNodes asks for sums and products that are in the graph already, as nearly all are that a derivation asks for: nothing is allocated.
func TestKnownNodes(t *testing.T) {
	g := expr.NewGraph()
	x, y, s := g.Sym("x", expr.Vector(expr.Dim{Name: "d"}), expr.Unknown), g.Sym("y", expr.Scalar, expr.Unknown), g.Sym("s", expr.Scalar, expr.In(expr.Positive))
	for name, build := range map[string]func(){
		"a number":           func() { g.Const(3) },
		"a sum":              func() { g.Add(y, s, g.Const(1)) },
		"a difference":       func() { g.Sub(s, y) },
		"a sum of vectors":   func() { g.Add(g.Scale(2, x), x) },
		"a product":          func() { g.Mul(y, s, g.Const(-2)) },
		"a product of sums":  func() { g.Mul(g.Add(y, s), g.Sub(y, s), s) },
		"a fractional power": func() { g.Prod([]float64{0.5, -1}, []*expr.Node{s, y}) },
	} {
		if n := testing.AllocsPerRun(10, build); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}
