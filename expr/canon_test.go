package expr_test

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/sngdgen/sngdgen/internal/testseed"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/eval"
	"github.com/sngdgen/sngdgen/expr/syntax"
	"github.com/sngdgen/sngdgen/internal/exprtest"
)

// values evaluates a node: one number, or one for each row or component (see exprtest.Grid).
func values(t exprtest.TB, n *expr.Node, env *eval.Env) []float64 {
	t.Helper()
	v, err := eval.All([]*expr.Node{n}, env)
	if err != nil {
		t.Fatalf("%v: %v", n, err)
	}
	return exprtest.Flat(v[0])
}

// The canonical form of a formula has the value of the formula.
//
// Where the formula is defined (every part of it finite, and well conditioned), so is the canonical form, and both
// agree up to rounding. Where a part of the formula is undefined (not finite although its operands are) and makes the
// whole undefined, the canonical form has an undefined part too, unless it would be defined for any such part: the
// documented cancellations x - x, 0*x, x^0, 1^x, x/x where x cannot be 0, and a division by an infinite part.
func TestCanonicalFormKeepsTheValue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := exprtest.DrawWorld(t)
		e := w.Tree(t, 5)
		n := w.Build(t, e)
		e = exprtest.Reciprocals(e)
		for range 4 {
			env := w.Point(t)
			naive := exprtest.Naive{Env: env}
			want, got := exprtest.Grid(naive.Eval(e)), exprtest.Grid(values(t, n, env))
			for i, b := range want {
				v := got[i]
				switch {
				case len(naive.Undefined) == 0 && finite(b.R) && !b.Close(v):
					t.Fatalf("%s = %v: got %v, want %v ± %.3g at %v", syntax.Format(e), n, v, b.V, b.R, env.Symbols)
				case len(naive.Undefined) > 0 && !naive.Unsure && !b.Defined() && defined(t, n, env) && matters(t, w, e, naive.Undefined, env):
					t.Fatalf("%s = %v: got %v where %s is undefined at %v", syntax.Format(e), n, v, syntax.Format(naive.Undefined[0].Expr), env.Symbols)
				}
			}
		}
	})
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// defined reports whether all parts of a node are finite.
func defined(t exprtest.TB, n *expr.Node, env *eval.Env) bool {
	ok := true
	expr.Walk(func(m *expr.Node) {
		ok = ok && allFinite(values(t, m, env))
	}, n)
	return ok
}

// matters reports whether the canonical form of e stays undefined when the undefined parts are symbols of their own with
// those undefined values.
func matters(t exprtest.TB, w *exprtest.World, e syntax.Expr, parts []exprtest.Part, env *eval.Env) bool {
	b := w.Builder()
	symbols := maps.Clone(env.Symbols)
	for i, part := range parts {
		node := w.Build(t, part.Expr)
		name := fmt.Sprint("part", i)
		symbol := w.G.Fresh(name, node.Type, node.Facts)
		b.Scope.Names[name], symbols[symbol.Name] = symbol, part.Value()
		e = exprtest.Replace(e, part.Expr, syntax.Var(name))
	}
	n := b.Build(e)
	if n == nil {
		return false
	}
	return !allFinite(values(t, n, &eval.Env{Symbols: symbols, Weights: env.Weights}))
}

func allFinite(list []float64) bool {
	return !slices.ContainsFunc(list, func(v float64) bool { return !finite(v) })
}

func TestEqualFormulasAreOneNode(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := exprtest.DrawWorld(t)
		e := w.Tree(t, 5)
		n := w.Build(t, e)
		if again := w.Build(t, e); again != n {
			t.Fatalf("%s: built twice, %v and %v", syntax.Format(e), n, again)
		}
		if rebuilt := w.G.Substitute(n, map[*expr.Node]*expr.Node{w.Names["real"]: w.Names["real"]}); rebuilt != n {
			t.Fatalf("%s: substituting nothing gives %v", n, rebuilt)
		}
		swapped := swap(t, e)
		m := w.Build(t, swapped)
		if exact(n) && exact(m) && m != n {
			t.Fatalf("%s is %v, but %s is %v", syntax.Format(e), n, syntax.Format(swapped), m)
		}
	})
}

// swap exchanges operands of some sums and products.
func swap(t *rapid.T, e syntax.Expr) syntax.Expr {
	switch e := e.(type) {
	case *syntax.Unary:
		return syntax.Neg(swap(t, e.X))
	case *syntax.Binary:
		x, y := swap(t, e.X), swap(t, e.Y)
		if (e.Op == '+' || e.Op == '*') && rapid.Bool().Draw(t, "swap") {
			x, y = y, x
		}
		return syntax.Bin(e.Op, x, y)
	case *syntax.Call:
		args := make([]syntax.Expr, len(e.Args))
		for i, a := range e.Args {
			args[i] = swap(t, a)
		}
		return syntax.Fn(e.Fun, args...)
	}
	return e
}

// exact reports whether no number in the node was rounded: all are multiples of 2^-20.
func exact(n *expr.Node) bool {
	ok := true
	expr.Walk(func(m *expr.Node) {
		for _, c := range append([]float64{m.Const}, m.Coefs...) {
			ok = ok && c*(1<<20) == math.Trunc(c*(1<<20)) && math.Abs(c) < 1<<20
		}
	}, n)
	return ok
}

// A product is the same node in whatever order, and in whatever groups, its factors are multiplied.
func TestOrderAndGroupsOfOperandsDoNotMatter(t *testing.T) {
	for _, c := range []struct {
		what    string
		op      byte
		operand func(t *rapid.T, w *exprtest.World) *expr.Node
		combine func(g *expr.Graph, a, b *expr.Node) *expr.Node
	}{
		{"product", '*', randomPower, func(g *expr.Graph, a, b *expr.Node) *expr.Node { return g.Mul(a, b) }},
		{"sum", '+', randomTerm, func(g *expr.Graph, a, b *expr.Node) *expr.Node { return g.Add(a, b) }},
	} {
		t.Run(c.what, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				w := exprtest.DrawWorld(t)
				var nodes []*expr.Node
				for range rapid.IntRange(2, 5).Draw(t, "operands") {
					nodes = append(nodes, c.operand(t, w))
				}
				first := group(t, w, nodes, c.combine)
				second := group(t, w, rapid.Permutation(nodes).Draw(t, "order"), c.combine)
				if first != second {
					t.Fatalf("%v: %v and %v", nodes, first, second)
				}
			})
		})
	}
}

func randomPower(t *rapid.T, w *exprtest.World) *expr.Node {
	base := w.Names[rapid.SampledFrom(w.Order[:6]).Draw(t, "base")]
	e := rapid.SampledFrom([]float64{1, -1, 2, 0.5, -0.5, -2, 3}).Draw(t, "exponent")
	return w.G.Prod([]float64{e}, []*expr.Node{base})
}

func randomTerm(t *rapid.T, w *exprtest.World) *expr.Node {
	c := float64(rapid.IntRange(-4, 4).Draw(t, "coefficient")) / 2
	return w.G.Lin(float64(rapid.IntRange(-2, 2).Draw(t, "constant")), []float64{c},
		[]*expr.Node{w.Names[rapid.SampledFrom(w.Order[:6]).Draw(t, "name")]})
}

// group combines nodes two at a time, in random groups.
func group(t *rapid.T, w *exprtest.World, nodes []*expr.Node, combine func(g *expr.Graph, a, b *expr.Node) *expr.Node) *expr.Node {
	nodes = slices.Clone(nodes)
	for len(nodes) > 1 {
		i := rapid.IntRange(0, len(nodes)-2).Draw(t, "group")
		nodes[i] = combine(w.G, nodes[i], nodes[i+1])
		nodes = slices.Delete(nodes, i+1, i+2)
	}
	return nodes[0]
}

// The type of a value does not depend on what was cancelled on the way to it.
func TestCancelledAxesLeaveTheType(t *testing.T) {
	for _, formula := range []string{"xreal - xreal + 2*real", "xpositive/xpositive*real^2"} {
		w := exprtest.NewWorld()
		n := w.Parse(t, formula)
		if n.Type.Axes != 0 {
			t.Errorf("%s = %v varies over %v", formula, n, n.Type.Axes)
		}
	}
}

func TestCanonicalForms(t *testing.T) {
	for formula, want := range map[string]string{
		"real - real":                        "0",
		"0*log(real)":                        "0",
		"real^0":                             "1",
		"positive/positive":                  "1",
		"2*(positive - unit) + 3*unit":       "unit + 2*positive",
		"sqrt(positive)*sqrt(positive)":      "positive",
		"sqrt(positive^2)":                   "positive",
		"(positive*unit)^0.5/sqrt(positive)": "sqrt(unit)",
		"(unit - positive)^2":                "(positive - unit)^2",
		"(positive - 1)/(1 - positive)*unit": "-unit*(positive - 1)/(positive - 1)",
		"1^real":                             "1",
		"sum(3*xreal - real)":                "3*sum(xreal) - real*n",
		"sum(real*xreal^2)":                  "real*sum(xreal^2)",
		"exp(0) + log(1)":                    "1",
	} {
		w := exprtest.NewWorld()
		got := w.Parse(t, formula)
		if b := w.Parse(t, want); got != b && got.String() != want {
			t.Errorf("%s is %v, want %s", formula, got, b)
		}
	}
}

// What could hide a division by zero or a root of a negative number is kept.
func TestUndefinedStaysUndefined(t *testing.T) {
	for formula, at := range map[string]float64{
		"real/real":             0,
		"real^2/real":           0,
		"real/real^2*real":      0,
		"count/count":           0,
		"sqrt(real)*sqrt(real)": -1,
		"sqrt(real)^2":          -1,
		"sqrt(real)/sqrt(real)": -1,
		"1/(real*real)*real":    0,
		"0*(1/real) + 1/real":   0,
	} {
		w := exprtest.NewWorld()
		env := eval.Scalars(map[string]float64{"real": at, "count": at})
		if v := values(t, w.Parse(t, formula), env); finite(v[0]) {
			t.Errorf("%s = %v is %v at %v", formula, w.Parse(t, formula), v[0], at)
		}
	}
}
