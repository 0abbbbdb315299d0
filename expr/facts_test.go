package expr_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/eval"
	"github.com/sngdgen/sngdgen/expr/internal/exprtest"
)

// Whatever is derived of a value is true of it, for every part of random formulas at random points. Overflow, NaN and
// values that are mostly rounding say nothing.
func TestFactsAreTrue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := exprtest.DrawWorld(t)
		n := w.Build(t, w.Tree(t, 5))
		for range 4 {
			env := w.Point(t)
			c := factChecker{env: env, balls: map[*expr.Node][]exprtest.Ball{}}
			expr.Walk(func(m *expr.Node) { c.check(t, m) }, n)
		}
	})
}

// factChecker computes all nodes with bounds of their errors.
type factChecker struct {
	env   *eval.Env
	balls map[*expr.Node][]exprtest.Ball
}

func (c *factChecker) check(t *rapid.T, n *expr.Node) {
	c.balls[n] = c.ball(t, n)
	if n.Facts.Range.Empty() {
		t.Fatalf("%v lies in %v", n, n.Facts.Range)
	}
	for _, b := range c.balls[n] {
		if !b.Defined() || !finite(b.R) {
			continue
		}
		if r := n.Facts.Range; b.V+16*b.R < r.Lo || b.V-16*b.R > r.Hi {
			t.Fatalf("%v is %v ± %.3g, not in %v, at %v", n, b.V, b.R, r, c.env.Symbols)
		}
		if r := n.Facts.Range; b.R == 0 && b.V == 0 && !r.Contains(0) {
			t.Fatalf("%v is exactly 0, not in %v, at %v", n, r, c.env.Symbols)
		}
		if n.Facts.Integer && math.Abs(b.V) < 1e15 && math.Abs(b.V-math.Round(b.V)) > 16*b.R {
			t.Fatalf("%v is %v, not whole, at %v", n, b.V, c.env.Symbols)
		}
	}
}

// ball computes a node from the balls of its operands, as the naive evaluator computes formulas.
func (c *factChecker) ball(t *rapid.T, n *expr.Node) []exprtest.Ball {
	args := make([][]exprtest.Ball, len(n.Args))
	for i, a := range n.Args {
		args[i] = c.balls[a]
	}
	if n.Op.Elementwise() {
		return exprtest.Function(n.Op, args)
	}
	naive := exprtest.Naive{Env: c.env}
	switch n.Op {
	case expr.Const:
		return []exprtest.Ball{exprtest.Leaf(n.Const)}
	case expr.Sym:
		return naive.Symbol(n.Name)
	case expr.Lin:
		sum := []exprtest.Ball{exprtest.Leaf(n.Const)}
		for i, coef := range n.Coefs {
			term := exprtest.Binary('*', []exprtest.Ball{exprtest.Leaf(coef)}, args[i])
			sum = exprtest.Binary('+', sum, term)
		}
		return sum
	case expr.Prod:
		prod := []exprtest.Ball{{V: 1}}
		for i, e := range n.Coefs {
			prod = exprtest.Binary('*', prod, exprtest.Binary('^', args[i], []exprtest.Ball{{V: e}}))
		}
		return prod
	case expr.Pow:
		return exprtest.Binary('^', args[0], args[1])
	case expr.Sum:
		return []exprtest.Ball{naive.Sum(args[0])}
	}
	t.Fatalf("the test does not know %v", n.Op)
	return nil
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

func TestKinds(t *testing.T) {
	for _, k := range expr.Kinds {
		if got, ok := expr.KindNamed(k.Name); !ok || got != k || k.Doc == "" || k.Range.Empty() {
			t.Errorf("%+v", k)
		}
	}
	if _, ok := expr.KindNamed("complex"); ok {
		t.Error("there is a kind complex")
	}
}
