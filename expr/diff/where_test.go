package diff_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/diff"
	"github.com/sngdgen/sngdgen/expr/eval"
	"github.com/sngdgen/sngdgen/expr/syntax"
	"github.com/sngdgen/sngdgen/internal/exprtest"
)

// branches are values and derivatives that are not finite somewhere: of a row u and a parameter p, at u = 0, below it or far out.
var branches = []string{
	"log(u)", "1/u", "u^1.5", "sqrt(u)*p", "p*log(p*u) - u/p", "exp(exp(u))", "lgamma(u + p)", "(u - 3)^2/(2*p) + log(p)", "log(u)*log(u)",
	"exp(p*u)/u", "log1p(-u/p)", "where(u > 1, log(u - 1), p)", "where(1/u > p, exp(1/u), u)", "log_ndtr(p/u)", "u^p", "(log(u) + u*p)^2", "p/(exp(u) - 1)",
}

// TestWhere holds where(c, f, h), with its first and second derivatives, to those of f in rows where the condition holds and to those of h
// elsewhere, whatever the other one is there.
func TestWhere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f, h := rapid.SampledFrom(branches).Draw(t, "f"), rapid.SampledFrom(branches).Draw(t, "h")
		condition := rapid.SampledFrom([]string{"u > v", "v <= u", "c", "c*(v < 1)", "1 - c", "p*v > 1"}).Draw(t, "condition")
		around := rapid.SampledFrom([]string{"%", "p*%", "% + log(p)", "-%/(1 + exp(-p))", "(%)*(p - u)"}).Draw(t, "around")
		replace := func(x string) string {
			out := ""
			for _, r := range around {
				if r == '%' {
					out += "(" + x + ")"
				} else {
					out += string(r)
				}
			}
			return out
		}
		c := values(t, condition, replace("0*p"))
		fs, hs, got := values(t, condition, replace(f)), values(t, condition, replace(h)), values(t, condition, replace("where("+condition+", "+f+", "+h+")"))
		env := drawn(t)
		for i := range exprtest.Rows {
			holds := c[0](env, i, true)
			for k := range got {
				want := hs[k](env, i, false)
				if holds != 0 {
					want = fs[k](env, i, false)
				}
				if math.IsNaN(want) || math.IsInf(want, 0) || math.Abs(want) > 1e100 {
					continue
				}
				if v := got[k](env, i, false); !(math.Abs(v-want) <= 1e-9*(1+math.Abs(want))) {
					t.Fatalf("where(%s, %s, %s) in %q, derivative %d, row %d: %v, want %v at %v", condition, f, h, around, k, i, v, want, env.Symbols)
				}
			}
		}
	})
}

// value is a number of a row, or of its condition.
type value func(env *eval.Env, row int, condition bool) float64

// values are a formula, its derivatives in u and in p, in reverse mode and in forward mode, and second derivatives.
func values(t *rapid.T, condition, formula string) []value {
	g := expr.NewGraph()
	row := expr.Scalar.Over(expr.Rows)
	u, p := g.Sym("u", row, expr.Unknown), g.Sym("p", expr.Scalar, expr.In(expr.Positive))
	names := map[string]*expr.Node{"u": u, "p": p, "v": g.Sym("v", row, expr.Unknown),
		"c": g.Sym("c", row, expr.Facts{Range: expr.UnitClosed, Integer: true})}
	build := func(text string) *expr.Node {
		e, errs := syntax.Parse(text)
		if len(errs) > 0 {
			t.Fatalf("%s: %v", text, errs)
		}
		b := expr.Builder{G: g, Scope: expr.Scope{Names: names, What: "a test"}}
		n := b.Build(e)
		if n == nil {
			t.Fatalf("%s: %v", text, b.Faults)
		}
		return n
	}
	n := build(formula)
	nodes := []*expr.Node{n}
	own := g.Sym("own", row, expr.In(expr.Positive)) // p of every row, as derivatives in p are sums over the rows
	inRows := g.Substitute(n, map[*expr.Node]*expr.Node{p: own})
	for _, x := range []*expr.Node{u, own} {
		first := reverse(t, g, g.Sum(expr.Rows, inRows), x)
		again := reverse(t, g, g.Sum(expr.Rows, first), x)
		pushed, err := diff.Pushforward(g, []*expr.Node{inRows}, []*expr.Node{x}, []*expr.Node{g.Const(1)})
		if err != nil {
			t.Fatalf("%v", err)
		}
		nodes = append(nodes, first, again, pushed[0])
	}
	holds := g.Where(build("0*u + ("+condition+")"), g.Const(1))
	of := func(n *expr.Node, env *eval.Env, i int) float64 {
		all, err := eval.All([]*expr.Node{n}, env)
		if err != nil {
			t.Fatalf("%v", err)
		}
		if all[0].Rows == nil {
			return all[0].Scalar
		}
		return all[0].Rows[i]
	}
	var out []value
	for _, n := range nodes {
		out = append(out, func(env *eval.Env, i int, condition bool) float64 {
			if condition {
				return of(holds, env, i)
			}
			return of(n, env, i)
		})
	}
	return out
}

// drawn are values of the symbols.
func drawn(t *rapid.T) *eval.Env {
	env := eval.Scalars(nil)
	p := rapid.SampledFrom([]float64{0.3, 1, 2.5}).Draw(t, "p")
	env.Set("p", p)
	env.Set(expr.Rows.String(), exprtest.Rows)
	us, vs, cs, owns := make([]float64, exprtest.Rows), make([]float64, exprtest.Rows), make([]float64, exprtest.Rows), make([]float64, exprtest.Rows)
	for i := range us {
		us[i] = rapid.SampledFrom([]float64{0, -1, 1, 0.5, 2, -30, 90, 8, 3}).Draw(t, "u")
		vs[i] = rapid.SampledFrom([]float64{-2, 0, 0.7, 3}).Draw(t, "v")
		cs[i], owns[i] = float64(rapid.IntRange(0, 1).Draw(t, "c")), p
	}
	env.Weights = []float64{1, 1, 1}
	for name, x := range map[string][]float64{"u": us, "v": vs, "c": cs, "own": owns} {
		env.Symbols[name] = eval.Value{Rows: x}
	}
	return env
}
