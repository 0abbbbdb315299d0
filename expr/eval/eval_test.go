package eval_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/sngdgen/sngdgen/internal/testseed"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/eval"
	"github.com/sngdgen/sngdgen/expr/syntax"
	"github.com/sngdgen/sngdgen/internal/exprtest"
)

func near(got, want, tol float64) bool {
	return got == want || math.Abs(got-want) <= tol*math.Abs(want)
}

// equations in a, with their solutions for a value p in (0, 4]. Unknown is what is known of a.
var equations = []struct {
	equation string
	unknown  expr.Range
	want     func(p float64) float64
}{
	{"a = p", expr.Real, func(p float64) float64 { return p }},
	{"2*a + p = 0", expr.Real, func(p float64) float64 { return -p / 2 }},
	{"a^2 = p", expr.Positive, math.Sqrt},
	{"a^3 = -p", expr.Real, func(p float64) float64 { return -math.Cbrt(p) }},
	{"log(a) = p", expr.Positive, math.Exp},
	{"log(a) = -100*p", expr.Positive, func(p float64) float64 { return math.Exp(-100 * p) }},
	{"exp(a) = p", expr.Real, math.Log},
	{"1/a = p", expr.Positive, func(p float64) float64 { return 1 / p }},
	{"logit(a) = p", expr.Unit, func(p float64) float64 { return 1 / (1 + math.Exp(-p)) }},
	{"a/(1 - a) = p", expr.Unit, func(p float64) float64 { return p / (1 + p) }},
	{"a*exp(a) = p*exp(p)", expr.Positive, func(p float64) float64 { return p }},
	{"log(a) - digamma(a) = log(p) - digamma(p)", expr.Positive, func(p float64) float64 { return p }},
	{"exp(-a) = 2", expr.Positive, func(float64) float64 { return math.NaN() }}, // no solution
	{"a^2 = -p", expr.Real, func(float64) float64 { return math.NaN() }},
	{"1/(a - p) = 0", expr.Real, func(float64) float64 { return math.NaN() }}, // a change of sign at a pole
	{"1/(a - p) = 0.01", expr.Real, func(p float64) float64 { return 100 + p }},
}

func TestScalarRoots(t *testing.T) {
	for _, c := range equations {
		t.Run(c.equation, rapid.MakeCheck(func(t *rapid.T) {
			g := expr.NewGraph()
			p := float64(rapid.IntRange(1, 400).Draw(t, "p")) / 100
			names := map[string]*expr.Node{"p": g.Sym("p", expr.Scalar, expr.In(expr.Positive))}
			b := expr.Builder{G: g, Scope: expr.Scope{Names: names, Unknown: expr.In(c.unknown)}}
			e, errs := syntax.Parse("root(a, " + c.equation + ")")
			if len(errs) > 0 {
				t.Fatal(errs)
			}
			got, err := eval.Eval(b.Build(e), eval.Scalars(map[string]float64{"p": p}))
			if want := c.want(p); err != nil || !near(got, want, 1e-12) && !(math.IsNaN(got) && math.IsNaN(want)) {
				t.Fatalf("p = %v: %v, %v, want %v", p, got, err, want)
			}
		}))
	}
}

// solve solves equations given as formulas in the unknowns a, b, ... and the parameters p, q.
func solve(t exprtest.TB, unknowns []expr.Range, formulas []string, params ...float64) []float64 {
	t.Helper()
	g := expr.NewGraph()
	names := map[string]*expr.Node{}
	var vars, eqs, ps []*expr.Node
	for i, r := range unknowns {
		name := string(rune('a' + i))
		names[name] = g.Fresh(name, expr.Scalar, expr.In(r))
		vars = append(vars, names[name])
	}
	for i := range params {
		name := string(rune('p' + i))
		names[name] = g.Sym(name, expr.Scalar, expr.Unknown)
		ps = append(ps, names[name])
	}
	for _, formula := range formulas {
		e, errs := syntax.Parse(formula)
		if len(errs) > 0 {
			t.Fatalf("%s: %v", formula, errs)
		}
		b := expr.Builder{G: g, Scope: expr.Scope{Names: names}}
		eqs = append(eqs, b.Build(e))
	}
	y, err := eval.Solve(&expr.Lambda{Vars: vars, Params: ps, Eqs: eqs}, params)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return y
}

func TestSystems(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := float64(rapid.IntRange(-300, 300).Draw(t, "p")) / 100
		q := float64(rapid.IntRange(1, 300).Draw(t, "q")) / 100
		for _, c := range []struct {
			unknowns []expr.Range
			eqs      []string
			want     []float64
		}{
			{[]expr.Range{expr.Real, expr.Real}, []string{"a + b - p", "a - b - q"}, []float64{(p + q) / 2, (p - q) / 2}},
			{[]expr.Range{expr.Positive, expr.Real}, []string{"log(a) - p", "b*a - q*a"}, []float64{math.Exp(p), q}},
			{[]expr.Range{expr.Unit, expr.Positive}, []string{"logit(a) - p", "log(b) - log(q)"}, []float64{1 / (1 + math.Exp(-p)), q}},
			{[]expr.Range{expr.Real, expr.Positive}, []string{"a - p", "a^2 + b - p^2 - q"}, []float64{p, q}},
		} {
			got := solve(t, c.unknowns, c.eqs, p, q)
			for i, want := range c.want {
				if !(math.Abs(got[i]-want) <= 1e-7*max(1, math.Abs(want))) {
					t.Fatalf("%v: %v, want %v", c.eqs, got, c.want)
				}
			}
		}
	})
}

func TestNoSolution(t *testing.T) {
	got := solve(t, []expr.Range{expr.Real, expr.Real}, []string{"a^2 + b^2 + 1", "a - b"})
	if !slices.ContainsFunc(got, math.IsNaN) {
		t.Errorf("%v", got)
	}
}

func TestWeights(t *testing.T) {
	w := exprtest.NewWorld()
	for _, c := range []struct {
		formula string
		weights []float64
		want    float64
	}{
		{"sum(xreal)", nil, 7}, {"mean(xreal)", nil, 7.0 / 3}, {"n", nil, 3}, {"sum(xreal)", []float64{2, 0, 0.5}, 4},
		{"n", []float64{2, 0, 0.5}, 2.5}, {"mean(xreal)", []float64{2, 0, 0.5}, 1.6}, {"var(xreal)", []float64{1, 1, 0}, 0.25},
		{"sd(xreal)", []float64{1, 1, 0}, 0.5}, {"sum(2*xreal - 1)", []float64{1, 0, 1}, 8},
	} {
		env := eval.Scalars(nil)
		env.Bind("xreal", []float64{1, 2, 4}, c.weights)
		if got, err := eval.Eval(w.Parse(t, c.formula), env); err != nil || !near(got, c.want, 1e-15) {
			t.Errorf("%s with weights %v: %v, %v, want %v", c.formula, c.weights, got, err, c.want)
		}
	}
}

// Sums are compensated: the small term is not lost.
func TestSumsAreCompensated(t *testing.T) {
	w := exprtest.NewWorld()
	env := eval.Scalars(nil)
	env.Bind("xreal", []float64{1e16, 1, -1e16}, nil)
	if got, err := eval.Eval(w.Parse(t, "sum(xreal)"), env); err != nil || got != 1 {
		t.Errorf("%v, %v", got, err)
	}
}

func TestErrors(t *testing.T) {
	w := exprtest.NewWorld()
	draws := w.G.Sym("z", expr.Scalar.Over(expr.Draws), expr.Unknown)
	env := eval.Scalars(map[string]float64{"z": 1})
	env.Bind("xreal", []float64{1, 2}, nil)
	for want, n := range map[string]*expr.Node{
		"has no value":      w.Parse(t, "exp(real) + 1"),
		"varies over":       w.Parse(t, "xreal + 1"),
		"does not know":     w.G.Sum(expr.Draws, draws),
		`"xcount" has no v`: w.Parse(t, "sum(xreal*xcount)"),
	} {
		if v, err := eval.Eval(n, env); err == nil || !strings.Contains(err.Error(), want) || !math.IsNaN(v) {
			t.Errorf("%v: %v, %v, want %s", n, v, err, want)
		}
	}
}
