package oracle_test

import (
	"fmt"
	"testing"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/diff"
	"github.com/sngdgen/sngdgen/expr/rewrite"
	"github.com/sngdgen/sngdgen/gen/bind"
	"github.com/sngdgen/sngdgen/gen/derive"
	"github.com/sngdgen/sngdgen/spec"
)

const points = 20

// statistics returns the sufficient statistics of the target as nodes in its variable.
func statistics(d *derive.Result) []*expr.Node {
	s := d.Problem.Surrogate
	by := map[*expr.Node]*expr.Node{s.Variable.Sym: d.Problem.Target.Variable.Sym}
	return d.Problem.Graph.SubstituteAll(s.Statistics, by)
}

// means returns the means of nodes over the rows.
func means(d *derive.Result, nodes []*expr.Node) []*expr.Node {
	g := d.Problem.Graph
	out := make([]*expr.Node, len(nodes))
	for i, n := range nodes {
		out[i] = g.Div(g.Sum(expr.Rows, n), g.Size(expr.Rows))
	}
	return out
}

// TestOneStepInMeanParameters is proposition 1 of the paper's appendix on natural gradients of exponential families:
// where a family is fitted by itself, m - v is the maximum likelihood estimate, the mean of the statistics, from
// anywhere. v is the derived natural gradient; and, in a second way to it, the gradient of the loss in natural
// parameters as the spec has it, composed and not rewritten.
func TestOneStepInMeanParameters(t *testing.T) {
	eachFamily(t, func(t *testing.T, name string) {
		d := derived(t, bySelf(t, name, bind.Mean))
		s := &d.Surrogate
		literal, err := diff.Gradient(d.Problem.Graph, s.LiteralDual, s.Dual)
		if err != nil {
			t.Fatal(err)
		}
		estimates := means(d, statistics(d))
		worst := 0.0
		eachPlace(t, d.Problem.Surrogate, func(t *testing.T, p place) {
			p.data(d.Problem, 50)
			p.set(d.Problem.Surrogate.Params)
			for i, c := range s.Coords {
				give(p.env, c.Sym, p.at(s.SteppedOf[i]))
				give(p.env, s.Dual[i], p.at(s.DualOf[i]))
			}
			define(t, p.env, s.Defs)
			for i, c := range s.Coords {
				z, want := p.at(c.Sym), p.at(estimates[i])
				scale := largest(z)
				agree(t, fmt.Sprintf("one step in m%d", i+1), moved(z, p.at(s.Natural[i]), -1), want, scale, 1e-10)
				got := moved(z, p.at(literal[i]), -1)
				agree(t, fmt.Sprintf("one step in m%d, not rewritten", i+1), got, want, scale, 1e-10)
				if size := max(scale, largest(want)); size > 0 { // the mean of the logarithm of the number 1 is 0
					worst = max(worst, largest(moved(got, want, -1))/size)
				}
			}
		})
		t.Logf("unrewritten: largest relative error %.1e", worst)
	})
}

// TestNaturalGradientIsDifference looks at the same proposition as the rewriter sees it: the derived natural gradient
// is m - E[t(x)], node for node. Nothing of the log-partition, and no special function but those that the statistics
// themselves have, survives.
func TestNaturalGradientIsDifference(t *testing.T) {
	eachFamily(t, func(t *testing.T, name string) {
		d := derived(t, bySelf(t, name, bind.Mean))
		g, s := d.Problem.Graph, &d.Surrogate
		aliases := map[*expr.Node]*expr.Node{} // standard parameters that are mean parameters by another name
		for _, def := range s.Defs {
			if def.Node.IsSym() {
				aliases[def.Sym] = def.Node
			}
		}
		stats := rewrite.New(g, rewrite.Rules(rewrite.Algebraic, rewrite.Stabilising)).Apply(statistics(d)...)
		for i, mean := range means(d, stats) {
			if got, want := g.Substitute(s.Natural[i], aliases), g.Sub(s.Coords[i].Sym, mean); got != want {
				t.Errorf("v%d = %v, want %v", i+1, got, want)
			}
		}
		structural := map[*expr.Op]bool{expr.Const: true, expr.Sym: true, expr.Lin: true, expr.Prod: true, expr.Sum: true}
		ofData := map[*expr.Node]bool{}
		expr.Walk(func(n *expr.Node) { ofData[n] = true }, stats...)
		expr.Walk(func(n *expr.Node) {
			if !structural[n.Op] && !ofData[n] {
				t.Errorf("%v is in the natural gradient %v", n, s.Natural)
			}
		}, s.Natural...)
	})
}

// divergence is KL(q_eta || q_eta*) = <eta - eta*, m(eta)> - A(eta) + A(eta*), with the standard parameters of both
// distributions as symbols.
type divergence struct {
	family  *bind.Family
	coords  *derive.Family
	star    map[*expr.Node]*expr.Node // standard parameters of q_eta*, by those of q_eta
	etaStar []*expr.Node
	v       []*expr.Node // the gradient with respect to the mean parameters
}

func newDivergence(t *testing.T, name string) *divergence {
	t.Helper()
	g, f, diags := bind.BindFamily(spec.Library().Family(name))
	if diags.HasErrors() {
		t.Fatal(diags.String())
	}
	coords, err := derive.NewFamily(g, f)
	if err != nil {
		t.Fatal(err)
	}
	k := &divergence{family: f, coords: coords, star: map[*expr.Node]*expr.Node{}}
	for _, s := range coords.Std {
		k.star[s] = g.Sym(s.Name+"*", s.Type, s.Facts)
	}
	k.etaStar = g.SubstituteAll(coords.Natural.OfStd, k.star)
	terms := []*expr.Node{g.Neg(f.LogPartition), g.Substitute(f.LogPartition, k.star)}
	for i, eta := range coords.Natural.OfStd {
		terms = append(terms, innerProduct(g, g.Sub(eta, k.etaStar[i]), coords.Mean.OfStd[i]))
	}
	cot, err := diff.Gradient(g, g.Add(terms...), coords.Std)
	if err != nil {
		t.Fatal(err)
	}
	if k.v, err = diff.Pullback(g, coords.Mean.ToStd, cot, coords.Mean.Syms); err != nil {
		t.Fatal(err)
	}
	return k
}

// innerProduct is that of numbers, vectors or matrices.
func innerProduct(g *expr.Graph, x, y *expr.Node) *expr.Node {
	switch x.Type.Rank {
	case 1:
		return g.Dot(x, y)
	case 2:
		return g.Inner(x, y)
	}
	return g.Mul(x, y)
}

// TestOneStepInNaturalParameters is proposition 2: on f(eta) = KL(q_eta || q_eta*), eta - v with v = df/dm is eta*. The
// gradient is taken in the standard parameters and pulled back through s(m). Errors are relative to the larger of eta
// and eta*, between which the step is a difference.
func TestOneStepInNaturalParameters(t *testing.T) {
	eachFamily(t, func(t *testing.T, name string) {
		k := newDivergence(t, name)
		worst := 0.0
		eachPlace(t, k.family, func(t *testing.T, p place) {
			p.set(k.family.Params)
			for std, star := range k.star {
				p.env.Symbols[star.Name] = p.env.Symbols[std.Name]
			}
			p.set(k.family.Params)
			for i, m := range k.coords.Mean.Syms {
				give(p.env, m, p.at(k.coords.Mean.OfStd[i]))
			}
			eta, want, v := p.at(k.coords.Natural.OfStd...), p.at(k.etaStar...), p.at(k.v...)
			got, scale := moved(eta, v, -1), largest(eta)
			agree(t, "one step in eta", got, want, scale, 1e-10)
			worst = max(worst, largest(moved(got, want, -1))/max(scale, largest(want)))
		})
		t.Logf("largest relative error %.1e", worst)
	})
}
