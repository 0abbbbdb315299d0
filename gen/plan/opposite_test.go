package plan

import (
	"testing"

	"github.com/sngdgen/sngdgen/expr"
)

// TestOpposite: products with both signs of a difference become products with one.
func TestOpposite(t *testing.T) {
	g := expr.NewGraph()
	d := expr.Dim{Name: "d"}
	x, mu := g.Sym("x", expr.Vector(d).Over(expr.Rows), expr.Unknown), g.Sym("mu", expr.Vector(d), expr.Unknown)
	a := g.Sym("A", expr.Matrix(d, d), expr.Unknown)
	one, other := g.Sub(x, mu), g.Sub(mu, x)
	products := func(roots ...*expr.Node) (n int) {
		expr.Walk(func(m *expr.Node) {
			if m.Op == expr.MatMul {
				n++
			}
		}, roots...)
		return n
	}
	roots := []*expr.Node{g.Dot(one, g.MatMul(a, one)), g.MatMul(a, other), g.Outer(other, one), g.Dot(mu, one)}
	if n := products(roots...); n != 2 {
		t.Fatalf("%d products at first", n)
	}
	k := &Kernel{Graph: g}
	for _, r := range roots {
		k.Outputs = append(k.Outputs, Output{Node: r})
	}
	p := &planner{known: &known{k: k}}
	p.opposite()
	var after []*expr.Node
	for _, o := range p.k.Outputs {
		after = append(after, o.Node)
	}
	if n := products(after...); n != 1 {
		t.Errorf("%d products: %v", n, after)
	}
	of := one
	if other.ID < one.ID {
		of = other
	}
	if want := g.Scale(-1, g.Outer(of, of)); after[2] != want {
		t.Errorf("%v, not %v", after[2], want)
	}
	if after[3] != g.Dot(mu, one) && after[3] != g.Scale(-1, g.Dot(mu, other)) {
		t.Errorf("%v", after[3])
	}
}
