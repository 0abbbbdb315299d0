package oracle_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/diff"
	"github.com/sngdgen/sngdgen/expr/eval"
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
	eachFamily(t, func(t *testing.T, name string, rng *rand.Rand) {
		d := derived(t, bySelf(t, name, bind.Mean))
		s := &d.Surrogate
		literal, err := diff.Gradient(d.Problem.Graph, s.LiteralDual, s.Dual)
		if err != nil {
			t.Fatal(err)
		}
		worst := 0.0
		for range points {
			x := data(d.Problem.Target.Variable.Kind.Name, 50, rng)
			env := environment(t, d, x)
			estimate := values(t, env, means(d, statistics(d)))
			for _, p := range d.Problem.Surrogate.Params {
				env.Set(p.Sym.Name, inside(p.Kind, rng))
			}
			z, dual := values(t, env, s.SteppedOf), values(t, env, s.DualOf)
			for i, c := range s.Coords {
				env.Set(c.Sym.Name, z[i])
			}
			set(env, s.Dual, dual)
			define(t, env, s.Defs)
			v, w := values(t, env, s.Natural), values(t, env, literal)
			for i := range z {
				scale := max(math.Abs(z[i]), math.Abs(estimate[i]))
				if got := z[i] - v[i]; !near(got, estimate[i], scale, 1e-10) {
					t.Errorf("from %v: m%d = %v, the data's mean is %v", z, i+1, got, estimate[i])
				}
				e := math.Abs(z[i]-w[i]-estimate[i]) / scale
				if worst = max(worst, e); !(e <= 1e-10) {
					t.Errorf("from %v, not rewritten: m%d = %v, the data's mean is %v", z, i+1, z[i]-w[i], estimate[i])
				}
			}
		}
		t.Logf("unrewritten: largest relative error %.1e", worst)
	})
}

// TestNaturalGradientIsDifference looks at the same proposition as the rewriter sees it: the derived natural gradient
// is m - E[t(x)], node for node. Nothing of the log-partition, and no special function but those that the statistics
// themselves have, survives.
func TestNaturalGradientIsDifference(t *testing.T) {
	eachFamily(t, func(t *testing.T, name string, _ *rand.Rand) {
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

// divergence is KL(q_eta || q_eta*) = (eta - eta*) . m(eta) - A(eta) + A(eta*), with the standard parameters of both
// distributions as symbols.
type divergence struct {
	family  *bind.Family
	coords  *derive.Family
	star    []*expr.Node // standard parameters of q_eta*
	eta     []*expr.Node // in the standard parameters
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
	k := &divergence{family: f, coords: coords, eta: coords.Natural.OfStd}
	by := map[*expr.Node]*expr.Node{}
	for _, s := range coords.Std {
		star := g.Sym(s.Name+"*", s.Type, s.Facts)
		by[s], k.star = star, append(k.star, star)
	}
	k.etaStar = g.SubstituteAll(k.eta, by)
	terms := []*expr.Node{g.Neg(f.LogPartition), g.Substitute(f.LogPartition, by)}
	for i, eta := range k.eta {
		terms = append(terms, g.Mul(g.Sub(eta, k.etaStar[i]), coords.Mean.OfStd[i]))
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

// TestOneStepInNaturalParameters is proposition 2: on f(eta) = KL(q_eta || q_eta*), eta - v with v = df/dm is eta*. The
// gradient is taken in the standard parameters and pulled back through s(m). Errors are relative to the larger of eta
// and eta*, between which the step is a difference.
func TestOneStepInNaturalParameters(t *testing.T) {
	eachFamily(t, func(t *testing.T, name string, rng *rand.Rand) {
		k := newDivergence(t, name)
		worst := 0.0
		for range points {
			env := eval.Scalars(nil)
			for i, p := range k.family.Params {
				env.Set(p.Sym.Name, inside(p.Kind, rng))
				env.Set(k.star[i].Name, inside(p.Kind, rng))
			}
			set(env, k.coords.Mean.Syms, values(t, env, k.coords.Mean.OfStd))
			eta, want, v := values(t, env, k.eta), values(t, env, k.etaStar), values(t, env, k.v)
			scale := max(largest(eta), largest(want))
			for i := range eta {
				e := math.Abs(eta[i]-v[i]-want[i]) / scale
				if worst = max(worst, e); !(e <= 1e-10) {
					t.Errorf("from %v: eta%d = %v, want %v (error %.1e of %v)", eta, i+1, eta[i]-v[i], want[i], e, scale)
				}
			}
		}
		t.Logf("largest relative error %.1e", worst)
	})
}
