package rewrite

import (
	"strings"
	"testing"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/syntax"
	"github.com/sngdgen/sngdgen/internal/exprtest"
)

// A rule does not fire where a condition is not met: for each condition, the left side with an operand of which nothing
// is known.
func TestConditionsAreAskedFor(t *testing.T) {
	for _, r := range all() {
		for _, c := range r.Conditions {
			w := exprtest.NewWorld()
			names := map[string]*expr.Node{}
			for _, name := range variables(r.RHS) {
				names[name] = w.G.Sym(name, expr.Scalar, expr.In(r.knownRange(name)))
			}
			names[c.Var] = w.G.Sym("unknown", expr.Scalar, expr.Unknown)
			left, _, _ := sides(t, w.G, r, names)
			if left == nil {
				continue
			}
			mustNotFire(t, w, r, left)
			mustNotFire(t, w, r, w.G.Add(w.G.Scale(2, left), w.Names["unit"]))
			mustNotFire(t, w, r, w.G.Mul(left, w.Names["unit"]))
		}
	}
}

// A name that is twice in a pattern stands for one value: the left side with one of the two renamed is not matched.
func TestRepeatedNamesAreEqual(t *testing.T) {
	tried := 0
	for _, r := range all() {
		text, _, _ := strings.Cut(r.Text, " => ")
		e, errs := syntax.Parse(text)
		if len(errs) > 0 {
			t.Fatal(errs)
		}
		count := map[string]int{}
		syntax.Walk(e, func(x syntax.Expr) bool {
			if n, ok := x.(*syntax.Name); ok {
				if count[n.Name]++; count[n.Name] == 2 {
					n.Name = "other"
				}
			}
			return true
		})
		if !hasName(e, "other") {
			continue
		}
		tried++
		w := exprtest.NewWorld()
		b := w.Builder()
		for name := range count {
			b.Scope.Names[name] = w.G.Sym(name, expr.Scalar, expr.In(r.knownRange(name).Intersect(expr.Positive)))
		}
		b.Scope.Names["other"] = w.G.Sym("other", expr.Scalar, expr.In(expr.Positive))
		if n := b.Build(e); n != nil {
			mustNotFire(t, w, r, n)
		}
	}
	if tried == 0 {
		t.Error("no rule has a name twice")
	}
}

func hasName(e syntax.Expr, name string) bool {
	found := false
	syntax.Walk(e, func(x syntax.Expr) bool {
		n, ok := x.(*syntax.Name)
		found = found || ok && n.Name == name
		return true
	})
	return found
}

func mustNotFire(t *testing.T, w *exprtest.World, r *Rule, n *expr.Node) {
	t.Helper()
	rw := New(w.G, []*Rule{r})
	if got := rw.Apply(n)[0]; fired(rw) > 0 {
		t.Errorf("%s: %v becomes %v", r.Name, n, got)
	}
}
