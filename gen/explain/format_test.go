package explain

import (
	"strings"
	"testing"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/rewrite"
)

// TestBroken breaks lines where formulas are least nested: before a + between terms, after a comma rather than inside
// an operand, before a factor where there is nothing else.
func TestBroken(t *testing.T) {
	long := func(s string) string { return s + strings.Repeat("x", 40) }
	for _, c := range []struct{ formula, first string }{
		{long("a*(b + c) + ") + " + " + long("d"), long("a*(b + c) + ")},
		{"f(" + long("a + ") + ", " + long("b") + ")", "f(" + long("a + ") + ","},
		{"(" + long("a") + " + b)*" + long("c"), "(" + long("a") + " + b)"},
	} {
		got := broken(c.formula, width-60)
		first, rest, _ := strings.Cut(got, "\n")
		if first != c.first {
			t.Errorf("%s breaks after %q, want %q", c.formula, first, c.first)
		}
		if strings.Join(strings.Fields(first+rest), "") != strings.Join(strings.Fields(c.formula), "") {
			t.Errorf("%s became %s", c.formula, got)
		}
	}
}

// TestFilled puts formulas with an @ of their own in the places of @.
func TestFilled(t *testing.T) {
	got := filled("from @ to @", []side{{text: "A @ B"}, {text: "C"}}, func(m side) string { return m.text })
	if got != "from A @ B to C" {
		t.Error(got)
	}
	if got := filled("a@b", nil, nil); got != "a@b" {
		t.Error(got)
	}
}

// TestRemarks says of a step which inverses it removed, how often, and that it stands for its twin.
func TestRemarks(t *testing.T) {
	g := expr.NewGraph()
	d := expr.Dim{Name: "d"}
	spd := expr.Facts{Range: expr.Real, Structure: expr.PositiveDefinite | expr.Symmetric}
	a, b := g.Sym("A", expr.Matrix(d, d), spd), g.Sym("B", expr.Matrix(d, d), expr.Unknown)
	sum := g.Add(g.Inv(a), g.MatMul(g.Inv(a), b, g.Inv(a)))
	e := &explainer{g: g, f: &textFormat{}}
	e.remarks(shownStep{twin: true}, g.MatMul(a, sum), g.Add(g.Identity(d), g.MatMul(b, g.Inv(a))))
	want := "    (removes A @ inv(A) = I, 2 times)\n    (and likewise for the transposes)\n"
	if got := e.f.String(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	e.f = &textFormat{}
	e.remarks(shownStep{}, g.Inv(a), b)
	if got := e.f.String(); got != "    (inv(A) is not needed any more)\n" {
		t.Errorf("got %q", got)
	}
}

// TestTwins: of a step and the same on the transposes one is shown; a step that is its own transpose has no twin.
func TestTwins(t *testing.T) {
	g := expr.NewGraph()
	d := expr.Dim{Name: "d"}
	a, b := g.Sym("A", expr.Matrix(d, d), expr.Unknown), g.Sym("B", expr.Matrix(d, d), expr.Unknown)
	step := rewrite.Step{Rule: "R", Before: g.MatMul(a, b), After: a}
	own := rewrite.Step{Rule: "R", Before: g.MatMul(a, g.Transpose(a)), After: g.Identity(d)}
	e := &explainer{g: g}
	got := e.withoutTwins([]rewrite.Step{step, own, e.transposed(step), step, own})
	if len(got) != 2 || got[0] != (shownStep{step, true}) || got[1] != (shownStep{own, false}) {
		t.Errorf("got %v", got)
	}
}

// TestSurvivingSteps: of moments that come to nothing there is no step; where they are used there are.
func TestSurvivingSteps(t *testing.T) {
	library(t, func(t *testing.T, e *explainer) {
		s := &e.d.Surrogate
		final := seen{}
		final.add(append(append([]*expr.Node{s.Loss}, s.Natural...), s.Covector...)...)
		leading := e.leading()
		for _, c := range e.p.ConstantSyms() {
			for _, step := range leading {
				if !final[c] && expr.Depends(step.After, c) {
					t.Errorf("%v is not used, and there is %s: %v => %v", c, step.Rule, step.Before, step.After)
				}
			}
		}
	})
}
