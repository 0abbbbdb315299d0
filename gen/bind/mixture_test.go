package bind_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/bind"
	"github.com/sngdgen/sngdgen/spec"
)

// bound binds the first problem of a text.
func bound(t *testing.T, text string) *bind.Problem {
	t.Helper()
	f, diags := spec.Parse("mixture.yaml", []byte(text), nil)
	if f == nil {
		t.Fatal(diags.String())
	}
	p, diags := bind.Bind(f.Problems[0])
	if p == nil {
		t.Fatal(diags.String())
	}
	return p
}

const scalarMixture = `
package: p
target: {mixture: student_t, components: %[1]s}
surrogate: {mixture: normal, components: %[1]s}
auxiliary: {lognu: {type: real, metric: sigma2/2}}
map: {mu: mu, sigma: sqrt(sigma2), nu: exp(lognu)}
start:
  - {mu: mean(x), sigma2: var(x), lognu: 1}
  - {mu: mean(x) + sd(x), sigma2: var(x), lognu: 1, groups: clusters}
random_start: {noise: {e: normal}, mu: mean(x) + e*sd(x), sigma2: var(x), lognu: e}
objective: mle
`

const vectorMixture = `
package: p
target: {mixture: multivariate_normal, components: GROUPS}
surrogate: {mixture: multivariate_normal, components: GROUPS}
map: {mu: mu, Sigma: Sigma}
start: {mu: mean(x), Sigma: "mean(outer(x - mu, x - mu))"}
objective: mle
`

// Everything of one component varies over the components, and formulas broadcast: only the density of a row does not.
func TestMixture(t *testing.T) {
	for components, want := range map[string]expr.Dim{"k": {Name: "k"}, "3": {Size: 3}} {
		p := bound(t, fmt.Sprintf(scalarMixture, components))
		m := p.Mixture
		if m == nil || m.Components != want || p.Scalar() {
			t.Fatalf("components %+v", m)
		}
		each := expr.Scalar.Over(expr.Components)
		for _, list := range [][]bind.Param{p.Target.Params, p.Surrogate.Params} {
			if w := list[0]; w.Name != "weights" || w.Kind.Name != "simplex("+components+")" || w.Kind.Doc == "" {
				t.Errorf("the first parameter is %+v", w)
			}
			for _, q := range list {
				if q.Sym.Type != each {
					t.Errorf("%s is of type %v", q.Name, q.Sym.Type)
				}
			}
		}
		if m.Weights != p.Surrogate.Params[0].Sym || p.Map[0].Node != m.Weights || p.Map[0].Sym != p.Target.Params[0].Sym {
			t.Errorf("the weights of the target are %v", p.Map[0].Node)
		}
		for i, def := range p.Map {
			if def.Sym != p.Target.Params[i].Sym || def.Node.Type != each {
				t.Errorf("%v is mapped to %v of type %v", def.Sym, def.Node, def.Node.Type)
			}
		}
		row := expr.Scalar.Over(expr.Rows)
		if p.Target.LogPDF.Type != row || p.Target.Joint.Type != row.Over(expr.Components) {
			t.Errorf("densities of types %v and %v", p.Target.LogPDF.Type, p.Target.Joint.Type)
		}
		if p.Target.LogPDF != p.Graph.LogSumExp(expr.Components, p.Target.Joint) {
			t.Errorf("the density is %v", p.Target.LogPDF)
		}
		if p.Target.Mean != nil || p.Target.Variance != nil {
			t.Error("the moments of one component are those of the mixture")
		}
		a := p.Auxiliary[0]
		if a.Sym.Type != each || p.Graph.Div(a.Metric, m.Weights) != p.Graph.Scale(0.5, p.Surrogate.Params[2].Sym) {
			t.Errorf("auxiliary %v of metric %v", a.Sym.Type, a.Metric)
		}
		c := p.Surrogate.Component
		if len(c.Params) != 2 || c.Mixture != nil || c.LogPartition.Type != each || p.Surrogate.Mixture != m {
			t.Errorf("component %+v", c)
		}
	}
}

// A metric sees the parameters of the target through the map, and those of the surrogate under its own names.
func TestMetricOfTarget(t *testing.T) {
	text := strings.Replace(fmt.Sprintf(scalarMixture, "k"), "metric: sigma2/2", "metric: nu*sigma/mu", 1)
	p := bound(t, text)
	by := map[string]*expr.Node{}
	for i, d := range p.Map {
		by[p.Target.Params[i].Name] = d.Node
	}
	g := p.Graph
	want := g.Mul(p.Mixture.Weights, g.Mul(by["nu"], g.Div(by["sigma"], by["mu"])))
	if got := p.Auxiliary[0].Metric; got != want {
		t.Errorf("%v, want %v", got, want)
	}
}

// A start of a component is that of its group: slices of numbers, clusters of vectors, unless it says otherwise or draws.
func TestGroups(t *testing.T) {
	p := bound(t, fmt.Sprintf(scalarMixture, "k"))
	other := bound(t, strings.ReplaceAll(fmt.Sprintf(scalarMixture, "k"), "lognu: e}", "lognu: e, groups: slices}"))
	if got := other.RandomStart.Groups; got != bind.GroupsSlices {
		t.Errorf("groups: %s of a random start", got)
	}
	var got []string
	for _, s := range append(slices.Clone(p.Starts), *p.RandomStart) {
		got = append(got, s.Groups)
		weights := s.Values[0]
		if weights.Name != "weights" || weights.Sym != p.Mixture.Weights {
			t.Errorf("the first value of a start is %+v", weights)
		}
		names := map[string]int{}
		for _, v := range s.Values {
			names[v.Name]++
			grouped := expr.Depends(v.Node, p.Mixture.Label)
			data, none := expr.Depends(v.Node, p.Target.Variable.Sym), s.Groups == bind.GroupsNone
			if none && grouped || !none && data && !grouped {
				t.Errorf("groups: %s: %s is %v", s.Groups, v.Name, v.Node)
			}
			if v.Node.Type.Axes.Has(expr.Rows) {
				t.Errorf("%s varies over the rows", v.Name)
			}
		}
		if len(names) != len(s.Values) {
			t.Errorf("values %v", names)
		}
		even := p.Graph.Div(p.Graph.Const(1), p.Graph.Size(expr.Components))
		if (weights.Node == even) != (s.Groups == bind.GroupsNone) {
			t.Errorf("groups: %s: the weights are %v", s.Groups, weights.Node)
		}
	}
	if want := []string{bind.GroupsSlices, bind.GroupsClusters, bind.GroupsNone}; !slices.Equal(got, want) {
		t.Errorf("groups %v, want %v", got, want)
	}
	q := bound(t, strings.ReplaceAll(vectorMixture, "GROUPS", "k"))
	if q.Starts[0].Groups != bind.GroupsClusters {
		t.Errorf("groups %v of vectors", q.Starts[0].Groups)
	}
	for _, c := range q.Constants { // one for all components: that of a start of all rows
		if c.Node == nil || c.Node.Type.Axes != 0 || expr.Depends(c.Node, q.Mixture.Label) {
			t.Errorf("constant %v is %v", c.Sym, c.Node)
		}
	}
	if len(q.Constants) == 0 {
		t.Error("no constant")
	}
}

// The number of components is a name in formulas; the index of the axis and the mark of its last component are no names.
func TestComponentNames(t *testing.T) {
	p := bound(t, strings.ReplaceAll(fmt.Sprintf(scalarMixture, "m"), "sqrt(sigma2)", "sqrt(sigma2/m)"))
	if !expr.Depends(p.Map[2].Node, p.Graph.Size(expr.Components)) {
		t.Errorf("sigma is %v", p.Map[2].Node)
	}
	for _, name := range []string{"index", "last", "label", "blend", "mixture.index", "k"} {
		text := strings.ReplaceAll(fmt.Sprintf(scalarMixture, "m"), "sqrt(sigma2)", "sqrt(sigma2 + "+name+"^2)")
		f, diags := spec.Parse("mixture.yaml", []byte(text), nil)
		if f == nil {
			continue // not a name
		}
		if q, _ := bind.Bind(f.Problems[0]); q != nil {
			t.Errorf("%s is a name: %v", name, diags.String())
		}
	}
}
