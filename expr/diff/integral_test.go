package diff_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/diff"
	"github.com/sngdgen/sngdgen/expr/eval"
	"github.com/sngdgen/sngdgen/expr/syntax"
)

// closedForms are integrals and series of s in (0.2, 3), t in (-1.5, 1.5), and what they are.
var closedForms = []struct{ formula, is string }{
	{"integral(u in (0, 1), u^s*(1 - u)^(s + 1))", "exp(lgamma(s + 1) + lgamma(s + 2) - lgamma(2*s + 3))"},
	{"integral(u in (0, 1), u^(s/10 - 0.5))", "1/(s/10 + 0.5)"},
	{"integral(u in (0, 1), log(u)*u^s)", "-1/(s + 1)^2"},
	{"integral(u in (t, t + s), exp(-u))", "exp(-t) - exp(-t - s)"},
	{"integral(u in (0, t), exp(-u^2*s))", "sqrt(pi/s)/2*erf(sqrt(s)*t)"},
	{"integral(u in (0, s), 1/(1 + u^2))", "atan(s)"},
	{"integral(u in (0, s), integral(v in (0, u), cos(v*t)))", "(1 - cos(s*t))/t^2"},
	{"integral(u in (0, inf), u^s*exp(-u))", "exp(lgamma(s + 1))"},
	{"integral(u in (0, inf), exp(-u^2/(2*s^2)))", "s*sqrt(pi/2)"},
	{"integral(u in (0, inf), 1/(1 + u^2/s))", "sqrt(s)*pi/2"},
	{"integral(u in (t, inf), exp(-u^2/2)/sqrt(2*pi))", "ndtr(-t)"},
	{"integral(u in (-inf, t), exp(u*s))", "exp(s*t)/s"},
	{"integral(u in (-inf, inf), exp(-u^2/2 + u*t))", "sqrt(2*pi)*exp(t^2/2)"},
	{"integral(u in (-inf, inf), 1/((1 + s)^2 + (u - t/3)^2))", "pi/(1 + s)"},
	{"integral(u in (-inf, inf), ndtr(s*u + t)*exp(-u^2/2)/sqrt(2*pi))", "ndtr(t/sqrt(1 + s^2))"},
	// Far out these are 0 by underflow, where derivatives of their exponents are infinite.
	{"integral(u in (-inf, inf), exp(s*u - exp(u)), 8)", "exp(lgamma(s))"},
	{"integral(u in (-inf, inf), exp(s*(u - t) - exp(u - t)), 8)", "exp(lgamma(s))"},
	{"integral(u in (-inf, inf), exp(u + t - s*(exp(u + t) + exp(-u - t))/2), 8)", "2*exp(log_bessel_k(s, 1))"},
	{"integral(u in (-inf, inf), exp(u*s - s*exp(u))*(u + t), 8)", "exp(lgamma(s))*s^(-s)*(digamma(s) - log(s) + t)"},
	{"integral(u in (0, inf), exp(u - s*exp(u)), 8)", "exp(-s)/s"},
	{"integral(u in (-inf, t), exp(s*u - exp(-u)), 16)", "integral(v in (0, 1), exp(t*s)*v^(s - 1)*exp(-exp(-t)/v), 8)"},
	{"integral(u in (0, 400), exp(u - exp(s*u)*s), 32)", "integral(u in (0, 2), exp(u - exp(s*u)*s), 8) + integral(u in (2, 400), exp(u - exp(s*u)*s), 32)"},
	{"series(k from 0, exp(-k*s))", "-1/expm1(-s)"},
	{"series(k from 1, exp(k*log(s) - lgamma(k + 1)))", "expm1(s)"},
	{"series(k from 1, t*k*exp(-s*k))", "t*exp(-s)/expm1(-s)^2"},
}

func TestIntegralsOfClosedForm(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, c := range closedForms {
		g := expr.NewGraph()
		s, x := g.Sym("s", expr.Scalar, expr.In(expr.Positive)), g.Sym("t", expr.Scalar, expr.Unknown)
		build := func(formula string) *expr.Node {
			b := expr.Builder{G: g, Scope: expr.Scope{Names: map[string]*expr.Node{"s": s, "t": x}, What: "a test"}}
			e, errs := syntax.Parse(formula)
			if len(errs) > 0 {
				t.Fatalf("%s: %v", formula, errs)
			}
			n := b.Build(e)
			if n == nil {
				t.Fatalf("%s: %v", formula, b.Faults)
			}
			return n
		}
		nodes := []*expr.Node{build(c.formula), build(c.is)}
		for _, n := range nodes[:2:2] {
			slopes, err := diff.Gradient(g, n, []*expr.Node{s, x})
			if err != nil {
				t.Fatalf("%s: %v", c.formula, err)
			}
			nodes = append(nodes, slopes...)
		}
		for _, slope := range nodes[2:] {
			second, err := diff.Pushforward(g, []*expr.Node{slope}, []*expr.Node{s, x}, []*expr.Node{g.Const(1), g.Const(0.5)})
			if err != nil {
				t.Fatalf("%s: %v", c.formula, err)
			}
			nodes = append(nodes, second...)
		}
		worst := 0.0
		for range 50 {
			env := eval.Scalars(map[string]float64{"s": 0.2 + 2.8*rng.Float64(), "t": -1.5 + 3*rng.Float64()})
			v, err := eval.All(nodes, env)
			if err != nil {
				t.Fatalf("%s: %v", c.formula, err)
			}
			for _, pair := range [][2]int{{0, 1}, {2, 4}, {3, 5}, {6, 8}, {7, 9}} {
				got, want := v[pair[0]].Scalar, v[pair[1]].Scalar
				limit := 1e-8
				if pair[0] > 3 {
					limit = 1e-7
				}
				e := math.Abs(got-want) / (math.Abs(want) + math.Abs(v[1].Scalar))
				if !(e <= limit) {
					t.Errorf("%s, of %d: %v, want %v at %v", c.formula, pair, got, want, env.Symbols)
				}
				worst = max(worst, e)
			}
		}
		t.Logf("%-66s %.1e", c.formula, worst)
	}
}
