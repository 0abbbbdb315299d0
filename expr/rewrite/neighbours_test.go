package rewrite

import (
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/eval"
	"github.com/sngdgen/sngdgen/internal/exprtest"
)

// known is a world in which M is inv(A) and y is M @ x, with the rules that say so.
func known(w *exprtest.World) *Rewriter {
	a, x, y := w.Names["A"], w.Names["x"], w.Names["y"]
	r := w.G.Sym("M", a.Type, exprtest.FactsOf("spd"))
	w.Names["M"] = r
	rw := New(w.G, all())
	rw.AddIdentity("inverse", w.G.Inv(a), r)
	rw.AddNeighbours("inverse", a, r, w.G.Identity(a.Type.Dims[0]))
	rw.AddNeighbours("product", r, x, y)
	rw.AddNeighbours("product", a, y, x)
	return rw
}

// knownPoint is a point where this holds.
func knownPoint(t *rapid.T) *eval.Env {
	env := exprtest.LinalgPoint(t)
	var r, y mat.Dense
	if err := r.Inverse(env.Symbols["A"].Cores[0]); err != nil {
		t.Skip("singular")
	}
	y.Mul(&r, env.Symbols["x"].Cores[0])
	env.Symbols["M"], env.Symbols["y"] = eval.Core(&r), eval.Core(&y)
	return env
}

// Rules for neighbours keep values, whatever stands around them, and again change nothing.
func TestNeighbours(t *testing.T) {
	applied := 0
	rapid.Check(t, func(t *rapid.T) {
		w := exprtest.NewLinalgWorld()
		before := w.Build(t, w.Tensor(t, rapid.IntRange(0, 2).Draw(t, "rank"), 6))
		rw := known(w)
		rw.Collect = rapid.Bool().Draw(t, "collect")
		after := rw.Apply(before)[0]
		for _, s := range rw.Trace {
			if s.Rule == "product" {
				applied++
			}
		}
		exprtest.SameValue(t, trace(rw), before, after, knownPoint(t))
		again := known(w)
		again.Collect = rw.Collect
		if m := again.Apply(after)[0]; m != after {
			t.Fatalf("%v becomes %v by %s, after %s", after, m, trace(again), trace(rw))
		}
	})
	if applied == 0 {
		t.Error("no rule was applied")
	}
}

// What follows from them is found inside of products, inner products, traces and sums.
func TestNeighboursAreFound(t *testing.T) {
	for before, after := range map[string]string{
		"A @ M":                         "eye(d)",
		"M @ A":                         "eye(d)",
		"B @ M @ A @ L":                 "B @ L",
		"inv(A) @ x":                    "y",
		"B @ inv(A) @ x":                "B @ y",
		"A @ y":                         "x",
		"dot(x, M @ p)":                 "dot(y, p)",
		"quad(M, x)":                    "dot(x, y)",
		"A @ (M @ B @ M + L + D) @ A":   "B + A @ (L + D) @ A",
		"tr(A @ M)":                     "d",
		"A @ (M + M @ B @ M) @ A":       "A + B",
		"M @ (B + outer(x, p)) - M @ B": "outer(y, p)",
		"A @ (M @ B @ M + L + D) @ A - A @ (L + D) @ A": "B",
	} {
		w := exprtest.NewLinalgWorld()
		rw := known(w)
		if got, want := rw.Apply(w.Parse(t, before))[0], w.Parse(t, after); got != want {
			t.Errorf("%s is %v, not %v", before, got, want)
		}
	}
}

// Products in sums that begin and end alike become one product of a sum, but for one and its transpose, which is had for nothing.
func TestAround(t *testing.T) {
	for before, after := range map[string]string{
		"A @ B @ R + A @ L @ R":              "A @ (B + L) @ R",
		"A @ B @ R - 2*A @ R + L":            "A @ (B - 2*eye(d)) @ R + L",
		"A @ B @ A + A @ B' @ A":             "A @ B @ A + A @ B' @ A",
		"L @ B @ R + A @ B @ R":              "L @ B @ R + A @ B @ R",
		"A @ B @ A + A @ B' @ A + A @ D @ A": "A @ (B + B' + D) @ A",
	} {
		w := exprtest.NewLinalgWorld()
		rw := New(w.G, all())
		rw.Collect = true
		if got, want := rw.Apply(w.Parse(t, before))[0], w.Parse(t, after); got != want {
			t.Errorf("%s is %v, not %v (%v)", before, got, want, expr.TotalCost(got))
		}
	}
}

// Outer products with one vector are one update of rank two; where sums of them cancel, little is left.
func TestOuterProducts(t *testing.T) {
	for _, c := range []struct {
		before, after string
		collect       bool
	}{
		{"B + 2*outer(x, x) - s*outer(x, y) - s*outer(y, x)", "B + outer(x, x - s*y) + outer(x - s*y, x)", true},
		{"B + 2*outer(x, x) - s*outer(x, y) - t*outer(y, x)", "B + 2*outer(x, x) - s*outer(x, y) - t*outer(y, x)", true},
		{"B + outer(x, y) + outer(y, x)", "B + outer(x, y) + outer(y, x)", true},
		{"B - outer(x, x)/s - outer(x, (y - x)/s) + outer(p, y)", "B - outer(x, y)/s + outer(p, y)", false},
	} {
		w := exprtest.NewLinalgWorld()
		rw := New(w.G, all())
		rw.Collect = c.collect
		if got, want := rw.Apply(w.Parse(t, c.before))[0], w.Parse(t, c.after); got != want {
			t.Errorf("%s is %v, not %v", c.before, got, want)
		}
	}
}
