package check

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/bind"
	"github.com/sngdgen/sngdgen/gen/derive"
	"github.com/sngdgen/sngdgen/internal/diag"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/spec"
)

func derived(t *testing.T, name string) *derive.Result {
	t.Helper()
	b, diags := bind.Bind(spec.Library().Problem(name))
	if diags.HasErrors() {
		t.Fatal(diags.String())
	}
	d, err := derive.Derive(b)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestFindsWrongDerivatives spoils what is derived, one expression after the other: each must be noticed. The factor is
// small, so that this shows how sharp the comparison is. It is about the comparison: the problems that are compiled in have all kinds of
// expressions.
func TestFindsWrongDerivatives(t *testing.T) {
	const factor = 1 + 1e-4
	for _, name := range both() {
		if !slices.Contains(spec.Library().Compiled(), name) {
			continue
		}
		d := derived(t, name)
		for what, list := range derivedExpressions(d) {
			for i, right := range list {
				*right.place = d.Problem.Graph.Scale(factor, right.node)
				if !findsWrongDerivative(d) {
					t.Errorf("%s: did not notice a wrong %s [%d]", name, what, i)
				}
				*right.place = right.node
			}
		}
	}
}

// findsWrongDerivative compares what is derived with differences, as Check does. With kinks a difference is a warning.
func findsWrongDerivative(d *derive.Result) bool {
	c := newChecker(d)
	for _, lengths := range c.rounds() {
		c.at(lengths)
		c.derivatives()
		differs := func(d *diag.Diagnostic) bool { return strings.Contains(d.Message, "differences of") }
		if c.diags.HasErrors() || slices.ContainsFunc(c.diags.All(), differs) {
			return true
		}
	}
	return false
}

// expression is something derived, and where it stands.
type expression struct {
	place **expr.Node
	node  *expr.Node
}

// derivedExpressions are what is compared with differences.
func derivedExpressions(d *derive.Result) map[string][]expression {
	list := func(nodes []*expr.Node) []expression {
		var out []expression
		for i := range nodes {
			out = append(out, expression{&nodes[i], nodes[i]})
		}
		return out
	}
	out := map[string][]expression{
		"natural gradient": list(d.Surrogate.Natural),
		"gradient":         list(d.Surrogate.Covector),
		"loss":             {{&d.Surrogate.Loss, d.Surrogate.Loss}},
	}
	if u := &d.Unconstrained; len(u.Coords) > 0 {
		out["gradient in unconstrained coordinates"] = list(u.Gradient)
		if u.Hessian != nil {
			out["first row of the matrix of second ones"] = list(u.Hessian[0])
		}
	}
	if d.Responsibilities != nil {
		out["probabilities of the components"] = []expression{{&d.Responsibilities, d.Responsibilities}}
	}
	if o := d.Objective; o != nil {
		out["gradient in the parameters of the target"] = list(o.Gradient)
		out["loss in the parameters of the target"] = []expression{{&o.Loss, o.Loss}}
	}
	if v := d.Variational; v != nil && v.Model != nil {
		out["gradient of the log joint density"] = list(v.Model.Gradient)
		out["log joint density"] = []expression{{&v.Model.LogJoint, v.Model.LogJoint}}
		if m := v.Model; m.Estimated != nil {
			out["gradient of the estimated terms"] = list(m.EstimatedGradient)
			out["estimated terms"] = []expression{{&m.Estimated, m.Estimated}}
		}
	}
	return out
}

// both are the problems of the library whose objectives are looked at.
func both() []string {
	return slices.Concat(spec.Library().ProblemsOf(spec.ObjectiveMLE), spec.Library().ProblemsOf(spec.ObjectiveVI))
}

// mixtures are the problems of the library that are mixtures.
func mixtures(t *testing.T) []string {
	var out []string
	for _, name := range spec.Library().ProblemsOf(spec.ObjectiveMLE) {
		if spec.Library().Problem(name).Components != nil {
			out = append(out, name)
		}
	}
	if len(out) == 0 {
		t.Fatal("no mixtures")
	}
	return out
}

// TestFindsWrongComponents spoils what is derived for one component only. The problems that are stepped in natural
// parameters differ in names only: both gradients are compared in each.
func TestFindsWrongComponents(t *testing.T) {
	const off = 1e-4
	for _, name := range mixtures(t) {
		d := derived(t, name)
		if d.Problem.Spec.Step == bind.Natural {
			continue
		}
		g, last := d.Problem.Graph, d.Problem.Mixture.Last
		for what, list := range derivedExpressions(d) {
			for i, right := range list {
				if !right.node.Type.Axes.Has(expr.Components) { // the loss
					continue
				}
				parts := map[string]*expr.Node{"the last": last, "another": g.Sub(g.Const(1), last)}
				if what == "gradient" || what == "natural gradient" {
					if d.Surrogate.Coords[i].Free { // of the last component it is no coordinate
						delete(parts, "the last")
					}
				}
				for which, part := range parts {
					*right.place = g.Mul(right.node, g.Add(g.Const(1), g.Scale(off, part)))
					if !findsWrongDerivative(d) {
						t.Errorf("%s: did not notice a wrong %s [%d] of %s component", name, what, i, which)
					}
				}
				*right.place = right.node
			}
		}
	}
}

// TestFindsWrongCoordinates spoils the coordinates of mixture models.
func TestFindsWrongCoordinates(t *testing.T) {
	const factor = 1 + 1e-4
	for _, name := range mixtures(t) {
		d := derived(t, name)
		c := newChecker(d)
		c.at(c.rounds()[1])
		if !c.joint() {
			t.Errorf("%s: %s", name, c.diags.String())
		}
		for _, test := range []struct {
			what  string
			nodes []*expr.Node
			finds func() bool
		}{
			{"natural parameter", d.Family.Natural.OfStd, func() bool { return !c.jointTrip(d.Family.Natural) }},
			{"way back from natural parameters", d.Family.Natural.ToStd, func() bool { return !c.jointTrip(d.Family.Natural) }},
			{"mean parameter", d.Family.Mean.OfStd, func() bool { return !c.jointMeans() && !c.jointTrip(d.Family.Mean) }},
			{"way back from mean parameters", d.Family.Mean.ToStd, func() bool { return !c.jointTrip(d.Family.Mean) }},
		} {
			for i, right := range test.nodes {
				test.nodes[i] = d.Problem.Graph.Scale(factor, right)
				if !test.finds() {
					t.Errorf("%s: did not notice a wrong %s [%d]", name, test.what, i)
				}
				test.nodes[i] = right
			}
		}
	}
}

// TestProvesCoordinates does not prove what is wrong.
func TestProvesCoordinates(t *testing.T) {
	d := derived(t, "gammamix")
	c := newChecker(d)
	for _, m := range []derive.Coords{d.Family.Natural, d.Family.Mean} {
		if !c.proved(m, c.aboutWeights()) {
			t.Errorf("the %s parameters are not proved", m.Name)
		}
		if c.proved(m, nil) {
			t.Errorf("the %s parameters are proved without a word on the sum of the weights", m.Name)
		}
		for i, right := range m.OfStd {
			m.OfStd[i] = d.Problem.Graph.Add(right, d.Problem.Mixture.Index)
			if c.proved(m, c.aboutWeights()) {
				t.Errorf("the %s parameters are proved although [%d] is wrong", m.Name, i)
			}
			m.OfStd[i] = right
		}
	}
}

// TestMixtureMass finds the fault of a mixture whose components are right.
func TestMixtureMass(t *testing.T) {
	for _, name := range []string{"negbinmix", "normalmix"} {
		d := derived(t, name)
		g, w := d.Problem.Graph, d.Problem.Target.Params[0].Sym
		square := g.Sum(expr.Components, g.Mul(w, w)) // 1 where there is one component
		d.Problem.Target.LogPDF = g.Add(d.Problem.Target.LogPDF, g.Scale(0.01, g.Sub(g.Const(1), square)))
		c := newChecker(d)
		c.families()
		if text := c.diags.String(); !strings.Contains(text, d.Problem.Target.Name+" is not a density") || strings.Contains(text, "distribution ") {
			t.Errorf("%s: %s", name, text)
		}
	}
}

// TestGroups forms groups of which none is empty, or says that this is impossible.
func TestGroups(t *testing.T) {
	rng := runtime.Stream(1, "groups")
	for range 2000 {
		n, k, values := 1+rng.IntN(12), 1+rng.IntN(4), 1+rng.IntN(6)
		x, points := make([]float64, n), make([][]float64, n)
		distinct := map[float64]bool{}
		for i := range x {
			x[i] = float64(rng.IntN(values))
			distinct[x[i]] = true
			points[i] = []float64{x[i], -x[i]}
		}
		slices, ok := sliced(x, k)
		clusters, sure := clustered(rng, points, k)
		if want := len(distinct) >= k; ok != want || sure != want {
			t.Fatalf("%d groups of %v: %v, %v", k, x, ok, sure)
		}
		for _, labels := range [][]float64{slices, clusters} {
			seen, of := map[float64]bool{}, map[float64]float64{}
			for i, g := range labels {
				seen[g] = true
				if other, again := of[x[i]]; again && other != g {
					t.Fatalf("%v is in two groups of %v: %v", x[i], x, labels)
				}
				of[x[i]] = g
			}
			if ok && len(seen) != k {
				t.Fatalf("%d groups of %v: %v", k, x, labels)
			}
		}
	}
	if labels, _ := sliced([]float64{5, 1, 2, 3, 4, 6}, 3); !reflect.DeepEqual(labels, []float64{2, 0, 0, 1, 1, 2}) {
		t.Error(labels)
	}
}

// TestMass compares totals with what is known.
func TestMass(t *testing.T) {
	for _, test := range []struct {
		name string
		log  func(x float64) float64
		r    expr.Range
		want float64 // 0 when it must not converge
	}{
		{"normal", func(x float64) float64 { return -x * x / 2 }, expr.Real, math.Sqrt(2 * math.Pi)},
		{"narrow", func(x float64) float64 { return -math.Pow((x-5)/1e-4, 2) / 2 }, expr.Real, 1e-4 * math.Sqrt(2*math.Pi)},
		{"far", func(x float64) float64 { return -math.Pow(x-1e5, 2) / 2 }, expr.Real, math.Sqrt(2 * math.Pi)},
		{"two peaks", func(x float64) float64 {
			return math.Log(math.Exp(-math.Pow(x+10, 2)/2) + math.Exp(-math.Pow(x-20, 2)/2))
		}, expr.Real, 2 * math.Sqrt(2*math.Pi)},
		{"Cauchy", func(x float64) float64 { return -math.Log1p(x * x) }, expr.Real, math.Pi},
		{"tail 1.2", func(x float64) float64 { return -1.2 * math.Log1p(x) }, expr.Positive, 5},
		{"tail 1.01", func(x float64) float64 { return -1.01 * math.Log1p(x) }, expr.Positive, 0},
		{"tail 1", func(x float64) float64 { return -math.Log1p(x) }, expr.Positive, 0},
		{"steep at 0", func(x float64) float64 { return -0.8*math.Log(x) - x }, expr.Positive, math.Gamma(0.2)},
		{"arcsine", func(x float64) float64 { return -(math.Log(x) + math.Log1p(-x)) / 2 }, expr.Unit, math.Pi},
		{"huge", func(x float64) float64 { return 1000 - x }, expr.Positive, math.Inf(1)},
		{"nothing", func(float64) float64 { return math.Inf(-1) }, expr.Positive, 0},
		{"undefined", func(float64) float64 { return math.NaN() }, expr.Positive, 0},
	} {
		got, ok := integral(vectorise(test.log), chartOf(test.r))
		if want := test.want != 0; ok != want || ok && math.Abs(got/test.want-1) > 1e-5 && got != test.want {
			t.Errorf("%s: got %v, %v, want %v", test.name, got, ok, test.want)
		}
	}
}

func TestSeries(t *testing.T) {
	for _, test := range []struct {
		name string
		log  func(x float64) float64
		want float64
	}{
		{"geometric", func(x float64) float64 { return x * math.Log(0.9) }, 10},
		{"slow", func(x float64) float64 { return x * math.Log(0.999) }, 1000},
		{"late", func(x float64) float64 { return -math.Pow(x-3000, 2) / 2 }, math.Sqrt(2 * math.Pi)},
		{"zeta(2)", func(x float64) float64 { return -2 * math.Log(x+1) }, 0},
		{"harmonic", func(x float64) float64 { return -math.Log(x + 1) }, 0},
		{"constant", func(float64) float64 { return 0 }, 0},
	} {
		got, ok := series(vectorise(test.log), 0)
		if want := test.want != 0; ok != want || ok && math.Abs(got/test.want-1) > 1e-5 {
			t.Errorf("%s: got %v, %v, want %v", test.name, got, ok, test.want)
		}
	}
}

func vectorise(f func(float64) float64) logFunc {
	return func(xs []float64) ([]float64, bool) {
		out := make([]float64, len(xs))
		for i, x := range xs {
			out[i] = f(x)
		}
		return out, true
	}
}

// TestEverythingIsLookedAt makes sure that the library passes because it is right, not because nothing converged.
func TestEverythingIsLookedAt(t *testing.T) {
	for _, name := range both() {
		d := derived(t, name)
		c := newChecker(d)
		for _, lengths := range c.rounds() {
			c.at(lengths)
			rng := c.stream("test")
			want, most := 0, 0
			for _, entries := range c.entriesOfEach(symbols(c.free)) {
				want += 2 * min(len(entries), mostDifferences)
			}
			for try := 0; try < 3 && most < want; try++ { // a difference may not converge where the objective is steep
				p, ok := c.inside(rng, d.Surrogate.Conditions, 0.7)
				if !ok {
					t.Fatal(name, "no point")
				}
				n, sound := c.gradientsAt(p, c.objectiveEnv(rng, p))
				if most = max(most, n); !sound {
					t.Errorf("%s at %v: not sound", name, lengths)
				}
			}
			if most != want {
				t.Errorf("%s at %v: %d of %d derivatives", name, lengths, most, want)
			}
		}
	}
}

// TestSamplers finds a function for each kind of random number, which draws what the table says.
func TestSamplers(t *testing.T) {
	rng := runtime.Stream(1, "samplers")
	for _, k := range spec.NoiseKinds() {
		if samplers[k.Name] == nil {
			t.Errorf("no sampler for %s", k.Name)
			continue
		}
		for range 1000 {
			x := primitive(rng, &k, nil)
			if !(x >= k.Lo && x < k.Hi) || k.Integer && x != math.Trunc(x) {
				t.Fatalf("%s draws %v", k.Name, x)
			}
		}
	}
	if len(samplers) != len(spec.NoiseKinds()) {
		t.Errorf("%d samplers for %d kinds", len(samplers), len(spec.NoiseKinds()))
	}
}
