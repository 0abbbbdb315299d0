package plan

import (
	"testing"

	"github.com/sngdgen/sngdgen/expr"
)

// TestGroup: the part of a sum that can be computed earlier has a name, in which its first term is positive, and the sum is what it was.
func TestGroup(t *testing.T) {
	for _, first := range []float64{2, -2} {
		g := expr.NewGraph()
		number := func(name string) *expr.Node { return g.Sym(name, expr.Scalar, expr.Unknown) }
		x, y, z, named := number("x"), number("y"), number("z"), number("named")
		sum := g.Lin(3, []float64{1, first, 5}, []*expr.Node{x, y, z})
		var part *expr.Node
		grouped := (&regrouper{g: g}).group(sum, func(n *expr.Node) bool { return n != x }, func(n *expr.Node) *expr.Node { part = n; return named })
		if part == nil || !(part.Coefs[0] > 0) {
			t.Fatalf("%v: the part %v", sum, part)
		}
		if back := g.Substitute(grouped, map[*expr.Node]*expr.Node{named: part}); back != sum || grouped == sum {
			t.Errorf("%v is %v, with %v in it %v", sum, grouped, part, back)
		}
	}
}
