package rewrite

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/diff"
	"github.com/sngdgen/sngdgen/internal/exprtest"
)

// Rewriting formulas of linear algebra and their gradients keeps values and shapes, and again changes nothing.
func TestRewritingLinalg(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := exprtest.NewLinalgWorld()
		before := w.Build(t, w.Tensor(t, rapid.IntRange(0, 2).Draw(t, "rank"), 4))
		if before.Type.Rank == 0 && rapid.Bool().Draw(t, "gradient") {
			if before.Type.Axes != 0 {
				before = w.G.Sum(expr.Rows, before)
			}
			x := w.Names[rapid.SampledFrom([]string{"A", "x", "s"}).Draw(t, "variable")]
			gradient, err := diff.Gradient(w.G, before, []*expr.Node{x})
			if err != nil {
				return // not in the table
			}
			before = gradient[0]
		}
		collect := rapid.Bool().Draw(t, "collect")
		apply := func(n *expr.Node) (*expr.Node, *Rewriter) {
			rw := New(w.G, all())
			rw.Collect = collect
			return rw.Apply(n)[0], rw
		}
		after, first := apply(before)
		if before.Type.Rank != after.Type.Rank && !after.Is(0) {
			t.Fatalf("%v has become %v, a %v, by %s", before, after, after.Type, trace(first))
		}
		exprtest.SameValue(t, trace(first), before, after, exprtest.LinalgPoint(t))
		if again, second := apply(after); again != after {
			t.Fatalf("%v becomes %v by %s, after %s", after, again, trace(second), trace(first))
		}
	})
}
