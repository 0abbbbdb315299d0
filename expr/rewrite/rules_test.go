package rewrite

import (
	"fmt"
	"maps"
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

// operands draws an operand for every name of the pattern of a rule: a symbol with just the facts that the conditions
// ask for, or a random formula that meets them.
func operands(t *rapid.T, w *exprtest.World, r *Rule, formulas bool) map[string]*expr.Node {
	out := map[string]*expr.Node{}
	expr.Walk(func(p *expr.Node) {
		if !p.IsSym() || isSize(p) {
			return
		}
		known := r.knownRange(p.Name)
		out[p.Name] = w.G.Fresh(p.Name, expr.Scalar, expr.In(known))
		if !meets(r, bindings{p.Name: out[p.Name]}, p.Name) { // number(x), nonzero(x)
			out[p.Name] = w.G.Const(1.5)
		}
		if !formulas {
			return
		}
		for range 10 {
			n := w.Build(t, w.Tree(t, 2))
			if _, folded := n.IsConst(); !folded && meets(r, bindings{p.Name: n}, p.Name) { // folding loses digits
				out[p.Name] = n
				return
			}
		}
	}, r.LHS)
	return out
}

func meets(r *Rule, b bindings, name string) bool {
	for _, c := range r.Conditions {
		if c.Var == name && !conditions[c.Name](b[name]) {
			return false
		}
	}
	return true
}

// sides builds both sides of a rule with operands.
func sides(t exprtest.TB, g *expr.Graph, r *Rule, operands map[string]*expr.Node) (left, right *expr.Node, ok bool) {
	names := maps.Clone(operands)
	names[expr.Rows.String()] = g.Size(expr.Rows)
	text, _, _ := strings.Cut(r.Text, " => ")
	e, errs := syntax.Parse(text)
	if len(errs) > 0 {
		t.Fatalf("%s: %v", text, errs)
	}
	b := expr.Builder{G: g, Scope: expr.Scope{Names: names, What: "a rule"}}
	left, right = b.Build(e), b.Build(r.RHS)
	return left, right, left != nil && right != nil // a random operand may lie outside a domain
}

// point draws values, for the fresh symbols of operands too.
func point(t *rapid.T, w *exprtest.World, nodes ...*expr.Node) *eval.Env {
	env := w.Point(t)
	expr.Walk(func(n *expr.Node) {
		if _, ok := env.Symbols[n.Name]; n.IsSym() && !ok {
			env.Set(n.Name, exprtest.DrawIn(t, n.Name, n.Facts))
		}
	}, nodes...)
	return env
}

// agree compares two nodes where the first is defined in all its parts, up to rounding errors of both.
func agree(t *rapid.T, what string, before, after *expr.Node, env *eval.Env) {
	t.Helper()
	all := exprtest.Graph(before, env)
	for _, balls := range all {
		if !certain(balls) || !allDefined(balls) {
			return
		}
	}
	want, got := exprtest.Grid(all[before]), exprtest.Grid(exprtest.Nodes(after, env))
	for i, b := range want {
		v := got[i]
		if !(math.Abs(v.V-b.V) <= 64*(b.R+v.R)+1e-12*math.Abs(b.V)) {
			t.Fatalf("%s: %v is %v ± %.2g, but %v is %v at %v", what, before, b.V, b.R, after, v.V, where(env, before, after))
		}
	}
}

// where says which values the symbols of formulas have, not those of all that were drawn.
func where(env *eval.Env, nodes ...*expr.Node) map[string]any {
	out := map[string]any{}
	expr.Walk(func(n *expr.Node) {
		switch v := env.Symbols[n.Name]; {
		case !n.IsSym():
		case v.Rows == nil && v.Cores == nil && v.Components == nil:
			out[n.Name] = v.Scalar
		default:
			out[n.Name] = v
		}
	}, nodes...)
	return out
}

// certain reports whether overflow or rounding does not decide if the values are defined.
func certain(balls []exprtest.Ball) bool {
	return !slices.ContainsFunc(balls, func(b exprtest.Ball) bool { return math.IsInf(b.R, 0) })
}

func allDefined(balls []exprtest.Ball) bool {
	return !slices.ContainsFunc(balls, func(b exprtest.Ball) bool { return !b.Defined() })
}

// undefinedStays checks that the second node has no value where the first certainly has none.
func undefinedStays(t *rapid.T, what string, before, after *expr.Node, env *eval.Env) {
	t.Helper()
	for _, balls := range exprtest.Graph(before, env) {
		if !certain(balls) {
			return
		}
	}
	for _, balls := range exprtest.Graph(after, env) {
		if !certain(balls) || !allDefined(balls) {
			return
		}
	}
	if was := exprtest.Nodes(before, env); !allDefined(was) {
		t.Fatalf("%s: %v is undefined (%v), but %v is defined at %v", what, before, was, after, where(env, before, after))
	}
}

func TestBothSidesAreEqual(t *testing.T) {
	for _, r := range all() {
		for _, formulas := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/formulas=%v", r.Name, formulas), rapid.MakeCheck(func(t *rapid.T) {
				w := exprtest.NewWorld()
				left, right, ok := sides(t, w.G, r, operands(t, w, r, formulas))
				if !ok {
					return
				}
				env := point(t, w, left, right)
				agree(t, r.Name, left, right, env)
				undefinedStays(t, r.Name, left, right, env)
			}))
		}
	}
}

// A rule fires on its own left side: alone, as a term or a factor of something larger, and at a scale.
func TestEveryRuleFires(t *testing.T) {
	for _, r := range all() {
		t.Run(r.Name, func(t *testing.T) {
			for _, c := range embeddings(r.LHS) {
				w := exprtest.NewWorld()
				names := map[string]*expr.Node{}
				for _, name := range variables(r.RHS) {
					names[name] = w.G.Sym(name, expr.Scalar, expr.In(r.knownRange(name)))
					if !meets(r, bindings{name: names[name]}, name) { // number(x)
						names[name] = w.G.Const(1.5)
					}
				}
				left, right, ok := sides(t, w.G, r, names)
				if !ok {
					t.Fatal("the sides cannot be built")
				}
				rw := New(w.G, []*Rule{r})
				in := c.embed(w, left)
				got := rw.Apply(in)[0]
				if fired(rw) == 0 || got != New(w.G, nil).Apply(c.embed(w, right))[0] {
					t.Errorf("%s: %v becomes %v", c.what, in, got)
				}
				if again := New(w.G, []*Rule{r}); again.Apply(got)[0] != got {
					t.Errorf("%s: not idempotent: %v becomes %v", c.what, got, again.Apply(got)[0])
				}
			}
		})
	}
}

// TestEveryRuleIsReached: among all rules one still fires on its left side, which no other takes away from it.
func TestEveryRuleIsReached(t *testing.T) {
	for _, r := range all() {
		w := exprtest.NewWorld()
		names := map[string]*expr.Node{}
		for _, name := range variables(r.RHS) {
			names[name] = w.G.Sym(name, expr.Scalar, expr.In(r.knownRange(name)))
			if !meets(r, bindings{name: names[name]}, name) { // number(x)
				names[name] = w.G.Const(1.5)
			}
		}
		left, _, ok := sides(t, w.G, r, names)
		if !ok {
			t.Fatalf("%s: the sides cannot be built", r.Name)
		}
		rw := New(w.G, all())
		got := rw.Apply(left)[0]
		var by []string
		for _, s := range rw.Trace {
			by = append(by, s.Rule)
		}
		if !slices.Contains(by, r.Name) {
			t.Errorf("%s does not fire among the other rules: %v makes %v of %v", r.Name, by, got, left)
		}
	}
}

func fired(w *Rewriter) int {
	count := 0
	for _, s := range w.Trace {
		if s.Rule != "Distribute" && s.Rule != "Collect" {
			count++
		}
	}
	return count
}

type embedding struct {
	what  string
	embed func(w *exprtest.World, n *expr.Node) *expr.Node
}

// embeddings are the surroundings in which a pattern must be found.
func embeddings(pattern *expr.Node) []embedding {
	out := []embedding{
		{"alone", func(_ *exprtest.World, n *expr.Node) *expr.Node { return n }},
		{"argument", func(w *exprtest.World, n *expr.Node) *expr.Node { return w.G.Call(function("atan"), n) }},
		{"term", func(w *exprtest.World, n *expr.Node) *expr.Node { return w.G.Add(n, w.Names["unit"]) }},
	}
	switch pattern.Op {
	case expr.Lin:
		out = append(out, embedding{"term at a scale", func(w *exprtest.World, n *expr.Node) *expr.Node {
			return w.G.Add(w.G.Scale(-3, n), w.Names["unit"], w.G.Scale(2, w.Names["positive"]))
		}})
	default:
		out = append(out, embedding{"factor", func(w *exprtest.World, n *expr.Node) *expr.Node {
			return w.G.Mul(n, w.Names["unit"], w.G.Prod([]float64{-1}, []*expr.Node{w.Names["positive"]}))
		}})
	}
	return out
}

func function(name string) *expr.Op {
	op, ok := expr.FunctionNamed(name)
	if !ok {
		panic(name)
	}
	return op
}

// subset draws some of the rules.
func subset(t *rapid.T) []*Rule {
	var rules []*Rule
	for _, r := range all() {
		if rapid.IntRange(0, 2).Draw(t, r.Name) > 0 {
			rules = append(rules, r)
		}
	}
	return rules
}

// interesting draws a formula in which the patterns of rules are likely: the left side of one with random operands,
// combined with a random formula.
func interesting(t *rapid.T, w *exprtest.World) *expr.Node {
	r := rapid.SampledFrom(all()).Draw(t, "rule")
	n := w.Build(t, w.Tree(t, 4))
	left, _, ok := sides(t, w.G, r, operands(t, w, r, true))
	if !ok {
		return n
	}
	switch rapid.IntRange(0, 3).Draw(t, "combine") {
	case 0:
		return w.G.Mul(left, n)
	case 1:
		return w.G.Sub(n, w.G.Scale(2, left))
	case 2:
		return w.G.Mul(w.G.Add(left, n), w.G.Add(w.Names["real"], w.Names["unit"], left))
	}
	return left
}

// Whatever rules are switched off, the numbers are the same; rewriting ends, and again changes nothing.
func TestRewritingKeepsTheValue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := exprtest.NewWorld()
		before := interesting(t, w)
		rules := subset(t)
		rw := New(w.G, rules)
		rw.Collect = rapid.Bool().Draw(t, "collect")
		after := rw.Apply(before)[0]
		if len(rw.Trace) > 500 || rw.fuel == 0 {
			t.Fatalf("%v: %d steps", before, len(rw.Trace))
		}
		for range 3 {
			agree(t, trace(rw), before, after, point(t, w, before, after))
		}
		for _, s := range rw.Trace {
			if s.Before.Type != s.After.Type && s.After.Op != expr.Const && s.Before.Type.Axes&^s.After.Type.Axes == 0 {
				t.Fatalf("%s: %v has type %v, %v has %v", s.Rule, s.Before, s.Before.Type, s.After, s.After.Type)
			}
		}
	})
}

func TestRewritingIsIdempotent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := exprtest.NewWorld()
		rules := subset(t)
		collect := rapid.Bool().Draw(t, "collect")
		apply := func(n *expr.Node) (*expr.Node, *Rewriter) {
			rw := New(w.G, rules)
			rw.Collect = collect
			return rw.Apply(n)[0], rw
		}
		once, first := apply(interesting(t, w))
		if twice, second := apply(once); twice != once {
			t.Fatalf("%v becomes %v by %s, after %s", once, twice, trace(second), trace(first))
		}
	})
}

func trace(w *Rewriter) string {
	var names []string
	for _, s := range w.Trace {
		names = append(names, s.Rule)
	}
	return strings.Join(names, ", ")
}

// An identity replaces its left side wherever it stands, and nothing else.
func TestIdentity(t *testing.T) {
	for _, c := range []struct{ before, after, in, want string }{
		{"log(positive) + unit", "real", "3*log(positive) + 3*unit + count", "3*real + count"},
		{"log(positive) + unit", "real", "log(positive) - unit", "log(positive) - unit"},
		{"log(positive)*unit", "real", "log(positive)*unit*count", "real*count"},
		{"exp(real)", "positive", "log(1 + exp(real))", "log(1 + positive)"},
		{"log(positive) + unit", "real", "log(count + 1) + unit", "log(count + 1) + unit"},
		{"root(a, log(a) = real) + unit", "count", "root(a, a + log(a) = real) + unit", "root(a, a + log(a) = real) + unit"},
	} {
		w := exprtest.NewWorld()
		rw := New(w.G, nil)
		rw.AddIdentity("known", w.Parse(t, c.before), w.Parse(t, c.after))
		in := w.Parse(t, c.in)
		got := rw.Apply(in)[0]
		if changed := c.in != c.want; changed && got != w.Parse(t, c.want) || !changed && got != in {
			t.Errorf("%s => %s: %s becomes %v, want %s", c.before, c.after, c.in, got, c.want)
		}
	}
}

// Two roots of one system have the same operands and differ in which unknown they are.
func TestIdentityTellsRootsApart(t *testing.T) {
	g := expr.NewGraph()
	p := g.Sym("p", expr.Scalar, expr.Unknown)
	a, b := g.Fresh("a", expr.Scalar, expr.Unknown), g.Fresh("b", expr.Scalar, expr.Unknown)
	fn, args := g.Lift([]*expr.Node{a, b}, []*expr.Node{g.Add(a, b, p), g.Sub(a, b)}, make([]*expr.Node, 2), nil)
	roots := g.Roots(fn, args)
	rw := New(g, nil)
	rw.AddIdentity("known", g.Add(roots[0], g.Call(function("exp"), p)), p)
	if in := g.Add(roots[1], g.Call(function("exp"), p)); rw.Apply(in)[0] != in {
		t.Errorf("%v becomes %v", in, rw.Apply(in)[0])
	}
}

func TestClasses(t *testing.T) {
	if n := len(Rules(Exact)) + len(Rules(Algebraic)) + len(Rules(Stabilising)); n != len(all()) || len(Rules()) != 0 {
		t.Errorf("%d of %d rules are of some class", n, len(all()))
	}
}

func TestLoad(t *testing.T) {
	for text, want := range map[string]string{
		"class: exact\n[A] exp(log(x)) => x if positive(x)\n# comment\n\n[B] log(exp(x)) => x": "",
		"class: exact\n[A] log(exp(x)) => x\n[A] exp(log(x)) => x":                             "line 3: rule A is there twice",
		"class: exact\n[A] exp(log(x)) => x if prime(x)":                                       "line 2: rule A: unknown condition",
		"class: exact\n[A] exp(log(x)) => x if positive":                                       "unknown condition",
		"class: exact\n[A] exp(log(x)) => x if positive(x":                                     "unknown condition",
		"class: exact\n[A] exp(log(x)) => x if positive(y)":                                    `condition on "y", which is not in the pattern`,
		"class: exact\n[A] exp(x) => exp(x) + 1":                                               "does not lower the cost",
		"class: exact\n[A] exp(x) => exp(x)":                                                   "does not lower the cost",
		"class: exact\n[A normalises] exp(x) => 1 + expm1(x)":                                  "",
		"class: stabilising\n[A] exp(x) => 1 + expm1(x)":                                       "",
		"class: magic\n[A] log(exp(x)) => x":                                                   `unknown class "magic"`,
		"[A] log(exp(x)) => x":                                                                 `unknown class ""`,
		"class: exact\nlog(exp(x)) => x":                                                       "not a rule",
		"class: exact\n[A] log(exp(x))":                                                        "not a rule",
		"class: exact\n[A] log(exp(x) => x":                                                    "never closed",
		"class: exact\n[A] log(exp(x)) => x +":                                                 "expected a number",
		"class: exact\n[A] log(exp(x)) => y":                                                   "unknown name",
		"class: exact\n[A] nosuch(x) => x":                                                     "unknown function",
		"class: exact\n[A] log(exp(x)) => nosuch(x)":                                           "unknown function",
		"class: exact\n[A] log(-1)*x => x":                                                     "log is defined on",
		"class: exact\n[A] sum(x) => x*n":                                                      "sum",
		"class: stabilising\n[A] x => 2*x":                                                     "nothing to match",
		"class: stabilising\n[A normalises] 1 + 1 => 2":                                        "nothing to match",
		"class: exact\n[A] log(exp(x)) => x*w":                                                 `unknown name "w"`,
		"class: exact\n[A] root(a, log(a) = x) => exp(x)":                                      "a root cannot be matched",
	} {
		rules, err := Load(text)
		switch {
		case want == "" && (err != nil || len(rules) == 0):
			t.Errorf("%s: %v", text, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// FuzzLoad: rules load or give an error, never a panic, and what loads can be applied without end to nothing.
func FuzzLoad(f *testing.F) {
	f.Add(rulesText)
	for _, r := range all() {
		f.Add("class: stabilising\n[" + r.Name + "] " + r.Text)
	}
	f.Add("class: exact\n[A] root(a, log(a) = x) => exp(x)")
	f.Add("class: exact\n[A] 0*x => x if number(x), unit(x)")
	f.Fuzz(func(t *testing.T, text string) {
		rules, err := Load(text)
		if err != nil {
			return
		}
		w := exprtest.NewWorld()
		rw := New(w.G, rules)
		rw.fuel = 100
		rw.Apply(w.Parse(t, "log(1 + exp(real))*positive^2 - sqrt(1 + real^2)/unit"))
	})
}
