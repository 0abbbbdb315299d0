package expr_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/eval"
	"github.com/sngdgen/sngdgen/internal/exprtest"
	"github.com/sngdgen/sngdgen/runtime/types"
)

// Whatever is derived of a value is true of it, for every part of random formulas at random points. Overflow, NaN and
// values that are mostly rounding say nothing.
func TestFactsAreTrue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := exprtest.DrawWorld(t)
		n := w.Build(t, w.Tree(t, 5))
		for range 4 {
			env := w.Point(t)
			for m, balls := range exprtest.Graph(n, env) {
				checkFacts(t, m, balls, env)
			}
		}
	})
}

func checkFacts(t *rapid.T, n *expr.Node, balls []exprtest.Ball, env *eval.Env) {
	if n.Facts.Range.Empty() {
		t.Fatalf("%v lies in %v", n, n.Facts.Range)
	}
	for _, b := range balls {
		if !b.Defined() || !finite(b.R) {
			continue
		}
		r := n.Facts.Range
		switch {
		case b.V+16*b.R < r.Lo || b.V-16*b.R > r.Hi:
			t.Fatalf("%v is %v ± %.3g, not in %v, at %v", n, b.V, b.R, r, env.Symbols)
		case b.R == 0 && b.V == 0 && !r.Contains(0):
			t.Fatalf("%v is exactly 0, not in %v, at %v", n, r, env.Symbols)
		case n.Facts.Integer && math.Abs(b.V) < 1e15 && math.Abs(b.V-math.Round(b.V)) > 16*b.R:
			t.Fatalf("%v is %v, not whole, at %v", n, b.V, env.Symbols)
		}
	}
}

// A range that is computed from ranges contains what is computed from their members.
func TestRangeOfFormulas(t *testing.T) {
	for _, c := range []struct{ formula, want string }{
		{"positive + unit", "(0, +Inf)"},
		{"1 - unit", "(0, 1)"},
		{"2*unit - 3", "(-3, -1)"},
		{"count + 1", "[1, +Inf)"},
		{"count*positive", "[0, +Inf)"},
		{"unit*unit", "(0, 1)"},
		{"-unit*positive", "(-Inf, 0)"},
		{"1/positive", "(0, +Inf)"},
		{"1/(1 + count)", "(0, 1]"},
		{"real^2", "[0, +Inf)"},
		{"1/real", "(-Inf, +Inf)"},
		{"sqrt(count)", "[0, +Inf)"},
		{"exp(real)", "(0, +Inf)"},
		{"exp(count)", "[1, +Inf)"},
		{"log(unit)", "(-Inf, 0)"},
		{"log1p(count)", "[0, +Inf)"},
		{"sigmoid(positive)", "(0.5, 1)"},
		{"positive^real", "(0, +Inf)"},
		{"sum(xpositive)", "(0, +Inf)"},
		{"sum(xcount)", "[0, +Inf)"},
		{"abs(real)", "[0, +Inf)"},
		{"binary*real", "(-Inf, +Inf)"},
		{"binary - unit", "(-1, 1)"},
	} {
		w := exprtest.NewWorld()
		if got := w.Parse(t, c.formula).Facts.Range.String(); got != c.want {
			t.Errorf("%s lies in %s, want %s", c.formula, got, c.want)
		}
	}
}

func TestWholeNumbers(t *testing.T) {
	for formula, want := range map[string]bool{
		"count": true, "count*binary": true, "2*count - 3*binary + 1": true, "count^2": true, "2": true, "real": false,
		"0.5*count": false, "count + 0.5": false, "1/(1 + count)": false, "sqrt(count)": false, "count*real": false,
		"count^count": false, "exp(count)": false, "sum(xcount)": false, // rows may have broken weights
	} {
		w := exprtest.NewWorld()
		if got := w.Parse(t, formula).Facts.Integer; got != want {
			t.Errorf("%s is whole: %v, want %v", formula, got, want)
		}
	}
}

// Ends that vanish in rounding or underflow once made empty ranges, and the compiler recurse without end.
func TestTinyNumbers(t *testing.T) {
	for _, formula := range []string{
		"(1e-200*unit + 1e-200)^2", "real*(1e-200*unit + 1e-200)^2", "(1e200*unit + 1e200)^-2*real",
		"log(1 + 1e-20*unit)", "logit(1 - 1e-20*unit)", "1e-200*(1e-200*unit)", "(1 + unit)*1e-320", "real*(-1e-200*unit - 1e-200)^3",
	} {
		w := exprtest.NewWorld()
		if n := w.Parse(t, formula); n.Facts.Range.Empty() {
			t.Errorf("%s: empty range %v", formula, n.Facts.Range)
		}
	}
}

// TestKinds: every type of the table is one of expressions too, with a range that is not empty and all that is known of its form.
func TestKinds(t *testing.T) {
	for _, f := range types.Forms {
		for _, e := range types.Entries {
			if f.Entries != nil && f.Entries != e {
				continue
			}
			k := expr.KindOf(f.Of(e), "n", "d")
			if k.Doc == "" || k.Name == "" || k.Range.Empty() || k.Integer != e.Integer {
				t.Errorf("%+v", k)
			}
			if f.Rank == 2 && (k.Structure == 0) != (f.Structure&^types.RowsSumToOne == 0) { // sums are no fact of formulas
				t.Errorf("%s: structure %v of %v", k.Name, k.Structure, f.Structure)
			}
		}
	}
}
