package expr_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/internal/exprtest"
)

// What Brief prints, read with its definitions in their order, are the expressions.
func TestBriefReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := exprtest.DrawWorld(t)
		shared := w.Build(t, w.Tree(t, 4))
		nodes := []*expr.Node{shared}
		for range 2 {
			n := w.Build(t, w.Tree(t, 4))
			nodes = append(nodes, n, w.G.Mul(shared, n))
		}
		known := map[*expr.Node]string{}
		if rapid.Bool().Draw(t, "known") && len(shared.Args) > 0 {
			known[shared.Args[0]] = "given"
			w.Names["given"] = shared.Args[0]
		}
		texts, where := expr.Brief(nodes, known)
		for _, d := range where {
			if w.Names[d.Name] != nil {
				t.Fatalf("the name %s is taken", d.Name)
			}
			w.Names[d.Name] = w.Parse(t, d.Text)
		}
		for i, n := range nodes {
			if again := w.Parse(t, texts[i]); again != n {
				t.Fatalf("%v is printed as %s with %v, and read as %v", n, texts[i], where, again)
			}
		}
	})
}

// What occurs once and is short keeps its place; what occurs twice and is long gets a name.
func TestBriefNames(t *testing.T) {
	w := exprtest.NewWorld()
	nodes := []*expr.Node{w.Parse(t, "exp(real*unit + positive*log(positive) + 7)/2"), w.Parse(t, "exp(real*unit + positive*log(positive) + 7)^3 + real")}
	texts, where := expr.Brief(nodes, nil)
	if want := []string{"0.5*a1", "real + a1^3"}; !slices.Equal(texts, want) {
		t.Errorf("%q, want %q", texts, want)
	}
	if want := []expr.Definition{{Name: "a1", Text: "exp(real*unit + positive*log(positive) + 7)"}}; !slices.Equal(where, want) {
		t.Errorf("%v, want %v", where, want)
	}
}
