package bind

import (
	"slices"
	"strings"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/runtime/types"
	"github.com/sngdgen/sngdgen/spec"
)

// Mixtures. Everything of one component is bound with one value for each component: parameters carry the axis of the
// components, and formulas broadcast over it. What makes a mixture of it is here, for any family and any distribution.

// How a start of a mixture groups the rows.
const (
	GroupsSlices   = spec.GroupsSlices
	GroupsClusters = spec.GroupsClusters
	GroupsNone     = spec.GroupsNone
)

// weightsName is the name of the weights of the components among the parameters.
const weightsName = "weights"

// Mixture is what a problem with mixtures has besides the rest.
type Mixture struct {
	Components expr.Dim   // their number
	Weights    *expr.Node // of the surrogate
	Index      *expr.Node // which component: 0, 1, ...
	// Last is 1 for the last component, else 0: its weight is not a coordinate, since the weights sum to 1.
	Last *expr.Node
	// Label is the number of the group of a row, in a start; Blend is how much of all rows, between 0 and 1, is mixed into
	// each group.
	Label, Blend *expr.Node
}

// Own is 1 for the rows of a group, or of a stratum of draws, and its component; 0 for others.
func (m *Mixture) Own(g *expr.Graph) *expr.Node {
	equal, _ := expr.FunctionNamed("equal")
	return g.Call(equal, m.Label, m.Index)
}

// mixture makes the symbols of a mixture, nil for a problem that is none.
func (b *binder) mixture(p *spec.Problem) *Mixture {
	if p.Components == nil {
		return nil
	}
	k := expr.Dim{Name: p.Components.Name, Size: p.Components.Size}
	if to, ok := b.pinned[k.Name]; ok {
		k = to
	}
	if p.Components.Name != "" {
		b.g.NameComponents(p.Components.Name)
		b.dims[p.Components.Name] = b.g.Size(expr.Components)
	}
	b.axes = expr.Components
	each := expr.Scalar.Over(expr.Components)
	return &Mixture{
		Components: k,
		Index:      b.g.Sym("mixture.index", each, expr.Facts{Range: expr.Nonnegative, Integer: true}),
		Last:       b.g.Sym("mixture.last", each, expr.Facts{Range: expr.UnitClosed, Integer: true}),
		Label:      b.g.Sym("mixture.label", expr.Scalar.Over(expr.Rows), expr.Facts{Range: expr.Nonnegative, Integer: true}),
		Blend:      b.g.Sym("mixture.blend", expr.Scalar, expr.In(expr.UnitClosed)),
	}
}

// weights declares the weights of the components: positive numbers of sum 1.
func (b *binder) weights(m *Mixture, prefix string) Param {
	kind := expr.KindOf(types.Simplex.Of(types.Unit), m.Components.String())
	kind.Doc, kind.Range.HiOpen = "positive numbers of sum 1, one for each component", false // 1 for a single one
	return Param{Name: weightsName, Kind: kind, Sym: b.g.Sym(prefix+weightsName, expr.Scalar.Over(expr.Components), kind.Facts)}
}

// mixtureModel makes a mixture model of a family: the joint distribution of component and value, an exponential family
// (So and Turner 2024, appendix on EF mixture models). Its coordinates follow from those of the family.
func (b *binder) mixtureModel(m *Mixture, f *Family) *Family {
	if f == nil {
		return nil
	}
	w := b.weights(m, "")
	m.Weights = w.Sym
	out := &Family{Name: "mixture model of " + f.Name, Doc: f.Doc, Variable: f.Variable, Params: append([]Param{w}, f.Params...),
		Where: slices.Clone(f.Where), Component: f, Mixture: m, Shared: map[*expr.Node]*expr.Node{}}
	for i, q := range out.Params {
		if i > 0 && b.shared[q.Name] {
			out.Params[i].Sym = b.g.Sym("shared."+Plain(q.Sym.Name), core(q.Sym.Type), q.Sym.Facts)
			out.Shared[q.Sym] = out.Params[i].Sym
		}
	}
	for i := range out.Where {
		out.Where[i].Node = b.g.Substitute(out.Where[i].Node, out.Shared)
	}
	return out
}

// Plain is the name of a symbol without the prefix that keeps it apart from others.
func Plain(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }

// checkShared reports names that are neither parameters of the surrogate nor auxiliary ones.
func (b *binder) checkShared(p *spec.Problem, out *Problem) {
	for _, s := range p.Shared {
		known := slices.ContainsFunc(out.Surrogate.Params, func(q Param) bool { return q.Name == s.Name && q.Name != weightsName }) ||
			slices.ContainsFunc(p.Auxiliary, func(a spec.Auxiliary) bool { return a.Name == s.Name })
		if !known {
			b.diags.Errorf(s.Span, "%s is neither a parameter of surrogate %s nor an auxiliary one", s.Name, p.Surrogate.Name)
		}
	}
}

// tie makes parameters of the target that the map makes of what the components share one value for all of them.
func (b *binder) tie(out *Problem) {
	by := map[*expr.Node]*expr.Node{}
	for i, t := range out.Map {
		q := &out.Target.Params[i]
		if t.Node == nil || out.Known(i) || t.Node.Type.Axes.Has(expr.Components) || !q.Sym.Type.Axes.Has(expr.Components) {
			continue
		}
		one := b.g.Sym(targetPrefix+"shared."+q.Name, core(q.Sym.Type), q.Sym.Facts)
		by[q.Sym] = one
		q.Sym, out.Map[i].Sym = one, one
	}
	if len(by) > 0 {
		out.Target.tie(b.g, by)
	}
}

// tie substitutes parameters of components.
func (d *Density) tie(g *expr.Graph, by map[*expr.Node]*expr.Node) {
	each := func(list ...**expr.Node) {
		for _, n := range list {
			if *n != nil {
				*n = g.Substitute(*n, by)
			}
		}
	}
	each(&d.LogPDF, &d.Finer, &d.Joint, &d.Mean, &d.Variance, &d.Entropy, &d.Penalty)
	if d.Sample != nil {
		s := Draws{Noise: slices.Clone(d.Sample.Noise), Values: slices.Clone(d.Sample.Values)}
		for i := range s.Noise {
			s.Noise[i].Args = g.SubstituteAll(s.Noise[i].Args, by)
		}
		for i := range s.Values {
			each(&s.Values[i].Node)
		}
		d.Sample = &s
	}
	if d.Component != nil {
		c := *d.Component
		c.tie(g, by)
		d.Component = &c
	}
}

// mixtureDensity makes a mixture of a density: the sum of those of the components, each times its weight.
func (b *binder) mixtureDensity(m *Mixture, d *Density) *Density {
	if d == nil {
		return nil
	}
	out := *d
	w := b.weights(m, targetPrefix)
	out.Name = "mixture of " + d.Name
	out.Params = append([]Param{w}, d.Params...)
	log, _ := expr.FunctionNamed("log")
	out.Joint = b.g.Add(b.g.Call(log, w.Sym), d.LogPDF)
	out.LogPDF = b.g.LogSumExp(expr.Components, out.Joint)
	if d.Finer != nil {
		out.Finer = b.g.LogSumExp(expr.Components, b.g.Add(b.g.Call(log, w.Sym), d.Finer))
	}
	out.Component = d
	out.Mean, out.Variance, out.Entropy, out.Expectations = nil, nil, nil, nil // those of the component
	return &out
}

// members is what a row counts for a component in a start: 1 in its own group, 0 in others, and a little in all of them
// where groups alone give no start inside the domain.
func (b *binder) members(m *Mixture) *expr.Node {
	g := b.g
	rest := g.Div(m.Blend, g.Size(expr.Components))
	return g.Add(g.Mul(g.Sub(g.Const(1), m.Blend), m.Own(g)), rest)
}

// grouped binds a start of a mixture: formulas see the group of the component.
func (b *binder) grouped(m *Mixture, s spec.Start, bind func() Start) Start {
	if m == nil {
		return bind()
	}
	groups := s.Groups
	if groups == "" {
		groups = b.usualGroups
	}
	if len(s.Noise) > 0 && s.Groups == "" {
		groups = spec.GroupsNone
	}
	outer := b.measure
	if groups != spec.GroupsNone {
		b.measure = b.members(m)
		b.g.Assume(b.count(), expr.Positive) // a group without rows has no start
	}
	out := bind()
	weights := b.g.Div(b.g.Const(1), b.g.Size(expr.Components))
	if b.measure != nil {
		weights = b.g.Div(b.g.Sum(expr.Rows, b.measure), b.g.Size(expr.Rows))
	}
	b.measure = outer
	for i, v := range out.Values { // of what components share the mean of their values
		if v.Node != nil && !v.Sym.Type.Axes.Has(expr.Components) && v.Node.Type.Axes.Has(expr.Components) {
			out.Values[i].Node = b.g.Sum(expr.Components, b.g.Mul(weights, v.Node))
		}
	}
	out.Groups = groups
	out.Values = append([]Def{{Name: weightsName, Sym: m.Weights, Node: weights, Span: s.Span}}, out.Values...)
	return out
}

// count is the number of rows that formulas see: the sum of their weights.
func (b *binder) count() *expr.Node {
	if b.measure != nil {
		return b.g.Sum(expr.Rows, b.measure)
	}
	return b.g.Size(expr.Rows)
}

// noWeights reports that a mapping sets the weights, which nobody needs to.
func (b *binder) noWeights(x spec.Binding, why string) bool {
	if x.Name != weightsName || b.axes == 0 {
		return false
	}
	b.diags.Errorf(x.NameSpan, "%s are not set here", weightsName).WithHint("%s", why)
	return true
}

// perComponent makes a metric that of a component: the Fisher information of the joint distribution has the weight of the
// component as a factor.
func (b *binder) perComponent(m *Mixture, metric *expr.Node) *expr.Node {
	switch {
	case m == nil:
		return metric
	case metric == nil:
		return m.Weights
	}
	return b.g.Mul(m.Weights, metric)
}
