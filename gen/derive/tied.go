package derive

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/bind"
)

// Tied mixture models. Where components have in common what fixes the natural parameters b, their own being a_j, the joint
// distribution of component and value is an exponential family with
//
//	natural parameters  rho, a_j for every component, and b
//	mean parameters     w, w_j E_j[t_a] for every component, and sum_j w_j E_j[t_b]
//
// The inverse map keeps that of the components for what is their own. What they share is F(m_a, m_b) for each of them; where F is
// linear in m_b with the same slope for all, the mean of F over the components is F of sum_j w_j m_b, as for normal ones with one
// covariance: sum_j w_j (m_b - mu_j mu_j') = M - sum_j w_j mu_j mu_j'.

// tie is what a joint distribution of components that share parameters has besides.
type tie struct {
	blocks []bool       // which coordinates of a component belong to all
	params []int        // which standard parameters of a component, among all of them
	each   []*expr.Node // of these: what varies over the components of F, in terms of the coordinates
}

// tied derives the coordinates of a mixture model whose components share parameters from those of a component.
func tied(g *expr.Graph, f *bind.Family, c *Family) (*Family, error) {
	m, t := f.Mixture, &tie{}
	out := &Family{Std: []*expr.Node{m.Weights}, centring: c.centring}
	for i, s := range c.Std {
		one, shared := f.Shared[s]
		if shared {
			t.params = append(t.params, i)
			s = one
		}
		out.Std = append(out.Std, s)
	}
	natural := g.SubstituteAll(c.Natural.OfStd, f.Shared)
	by := map[*expr.Node]*expr.Node{}
	for s, one := range f.Shared {
		by[s] = one
	}
	etas := slices.Clone(c.Natural.Syms)
	for i, n := range natural {
		t.blocks = append(t.blocks, !n.Type.Axes.Has(expr.Components))
		if t.blocks[i] {
			eta := c.Natural.Syms[i]
			etas[i] = g.Sym("tied."+eta.Name, coreType(eta.Type), eta.Facts)
			by[eta] = etas[i]
		}
	}
	if err := t.fit(f, c); err != nil {
		return nil, err
	}
	component := Coords{Name: bind.Natural, Syms: etas, OfStd: natural, Defs: substituteDefs(g, c.Natural.Defs, f.Shared, by),
		ToStd: g.SubstituteAll(c.Natural.ToStd, by)}
	for _, i := range t.params {
		if component.ToStd[i].Type.Axes.Has(expr.Components) {
			return nil, t.unfit(f, c)
		}
	}
	t.naturalCoords(g, f, c, out, component)
	return out, t.meanCoords(g, f, c, out)
}

func coreType(t expr.Type) expr.Type { t.Axes = 0; return t }

// fit checks that the shared parameters fix natural ones of as many numbers by themselves.
func (t *tie) fit(f *bind.Family, c *Family) error {
	var params, blocks []string
	for _, i := range t.params {
		params = append(params, coreType(c.Std[i].Type).String())
	}
	for i, shared := range t.blocks {
		if shared {
			blocks = append(blocks, coreType(c.Natural.Syms[i].Type).String())
		}
	}
	slices.Sort(params)
	slices.Sort(blocks)
	if !slices.Equal(params, blocks) {
		return t.unfit(f, c)
	}
	return nil
}

// unfit says that parameters cannot be shared.
func (t *tie) unfit(f *bind.Family, c *Family) error {
	var names, fixed []string
	for _, i := range t.params {
		names = append(names, Plain(c.Std[i].Name))
	}
	for i, shared := range t.blocks {
		if shared {
			fixed = append(fixed, Plain(c.Natural.Syms[i].Name))
		}
	}
	what := "none"
	if len(fixed) > 0 {
		what = strings.Join(fixed, ", ")
	}
	return fmt.Errorf("%s of %s cannot be shared: a mixture with it is an exponential family where shared parameters fix whole natural "+
		"parameters, and no other ones, by themselves; the natural parameters without others are here: %s", strings.Join(names, ", "),
		f.Component.Name, what)
}

// naturalCoords sets the natural parameters.
func (t *tie) naturalCoords(g *expr.Graph, f *bind.Family, c, out *Family, component Coords) {
	m, each := f.Mixture, expr.Scalar.Over(expr.Components)
	logPartition := g.Substitute(f.Component.LogPartition, f.Shared)
	rho := g.Sym("joint.rho", each, expr.Unknown)
	height := g.Sub(call(g, "log", m.Weights), logPartition)
	weights := func(a *expr.Node) *expr.Node { return g.Softmax(expr.Components, g.Add(rho, a)) }
	composed := composition(out.Std[1:], component.ToStd)
	out.Natural = Coords{
		Name:  bind.Natural,
		Syms:  append([]*expr.Node{rho}, component.Syms...),
		OfStd: append([]*expr.Node{g.Sub(height, ofLast(g, m, height))}, component.OfStd...),
		Defs:  append(slices.Clone(component.Defs), bind.Def{Sym: m.Weights, Node: weights(logPartition)}),
		ToStd: append([]*expr.Node{weights(g.Substitute(logPartition, composed))}, component.ToStd...),
		joint: &joint{m, component, g.SubstituteAll(c.Mean.OfStd, f.Shared), t},
	}
}

// meanCoords sets the mean parameters.
func (t *tie) meanCoords(g *expr.Graph, f *bind.Family, c, out *Family) error {
	m := f.Mixture
	w := g.Sym("joint.w", expr.Scalar.Over(expr.Components), expr.In(expr.UnitClosed))
	all := g.Add(w, g.Mul(m.Last, g.Sub(g.Const(1), g.Sum(expr.Components, w))))
	means := g.SubstituteAll(c.Mean.OfStd, f.Shared)
	average := func(weights, n *expr.Node) *expr.Node { return g.Sum(expr.Components, g.Mul(weights, n)) }
	own, through, inner := map[*expr.Node]*expr.Node{}, map[*expr.Node]*expr.Node{}, map[*expr.Node]*expr.Node{}
	syms, joints, ofComponent, ofJoint := slices.Clone(c.Mean.Syms), []*expr.Node{w}, slices.Clone(means), []*expr.Node{m.Weights}
	for i, sym := range c.Mean.Syms {
		facts := expr.Facts{Range: signOf(sym.Facts.Range), Structure: sym.Facts.Structure & expr.Symmetric}
		if t.blocks[i] {
			s := g.Sym("tied."+sym.Name, coreType(sym.Type), facts)
			own[sym], through[sym], inner[sym], syms[i] = s, s, s, s
			ofComponent[i] = average(m.Weights, means[i])
			joints, ofJoint = append(joints, s), append(ofJoint, ofComponent[i])
			continue
		}
		s := g.Sym("joint."+sym.Name, sym.Type, facts)
		own[sym], through[sym] = g.Div(s, m.Weights), g.Div(s, all)
		joints, ofJoint = append(joints, s), append(ofJoint, g.Mul(m.Weights, means[i]))
	}
	toStd, shared := slices.Clone(c.Mean.ToStd), map[*expr.Node]bool{}
	for _, s := range t.params {
		if !t.linear(g, c, c.Mean.ToStd[s]) {
			return t.unclosed(f, c, s)
		}
		shared[c.Std[s]] = true
		each := g.Substitute(c.Mean.ToStd[s], inner)
		toStd[s] = average(m.Weights, each)
		t.each = append(t.each, varying(g, each))
	}
	for i, n := range c.Mean.ToStd {
		if !slices.Contains(t.params, i) && t.dependsOnShared(c, n) {
			return t.unclosed(f, c, i)
		}
	}
	component := Coords{Name: bind.Mean, Syms: syms, OfStd: ofComponent, ToStd: g.SubstituteAll(toStd, inner)}
	out.Mean = Coords{Name: bind.Mean, Syms: joints, OfStd: ofJoint, Defs: []bind.Def{{Sym: m.Weights, Node: all}}, ToStd: []*expr.Node{all},
		joint: &joint{m, component, means, t}}
	for i, n := range c.Mean.ToStd {
		n = g.Substitute(n, through)
		if slices.Contains(t.params, i) {
			n = average(all, n)
		}
		out.Mean.ToStd = append(out.Mean.ToStd, n)
	}
	for _, d := range c.Mean.Defs {
		n := g.Substitute(g.Substitute(d.Node, own), f.Shared)
		if shared[d.Sym] {
			n = average(m.Weights, n)
		}
		out.Mean.Defs = append(out.Mean.Defs, bind.Def{Sym: orSame(f.Shared, d.Sym), Node: n})
	}
	return nil
}

// dependsOnShared reports whether a formula of a component needs a mean parameter that belongs to all.
func (t *tie) dependsOnShared(c *Family, n *expr.Node) bool {
	for i, shared := range t.blocks {
		if shared && expr.Depends(n, c.Mean.Syms[i]) {
			return true
		}
	}
	return false
}

// linear reports whether a standard parameter is linear in the mean parameters that belong to all, with a slope that is a number.
func (t *tie) linear(g *expr.Graph, c *Family, n *expr.Node) bool {
	for _, term := range g.Terms(n) {
		if !t.dependsOnShared(c, term) {
			continue
		}
		if slope, core := g.Bare(term); core.Op != expr.Sym || expr.Depends(slope, c.Mean.Syms...) {
			return false
		}
	}
	return true
}

func (t *tie) unclosed(f *bind.Family, c *Family, param int) error {
	return fmt.Errorf("a mixture of %s that shares %s has no inverse of its mean map in closed form: %s would have to follow from the mean "+
		"parameters of one component, linear in those that belong to all", f.Component.Name, Plain(c.Std[t.params[0]].Name), Plain(c.Std[param].Name))
}

// varying is the sum of the terms that vary over the components.
func varying(g *expr.Graph, n *expr.Node) *expr.Node {
	out := g.Const(0)
	for _, term := range g.Terms(n) {
		if term.Type.Axes.Has(expr.Components) {
			out = g.Add(out, term)
		}
	}
	return out
}

func orSame(by map[*expr.Node]*expr.Node, n *expr.Node) *expr.Node {
	if to := by[n]; to != nil {
		return to
	}
	return n
}

// substituteDefs puts symbols in the place of others in definitions, and of what is defined.
func substituteDefs(g *expr.Graph, defs []bind.Def, names, by map[*expr.Node]*expr.Node) []bind.Def {
	out := slices.Clone(defs)
	for i, d := range defs {
		out[i].Sym, out[i].Node = orSame(names, d.Sym), g.Substitute(d.Node, by)
	}
	return out
}

// isShared reports whether coordinate i of a component belongs to all.
func (j *joint) isShared(i int) bool { return j.tie != nil && j.tie.blocks[i] }

// ofWeights is what the weights of the components make of cotangents of standard parameters through the means of shared ones: what of
// these is the same for all components is the last weight's too, and cancels.
func (j *joint) ofWeights(g *expr.Graph, cot []*expr.Node) *expr.Node {
	sum := g.Const(0)
	if j.tie == nil {
		return sum
	}
	by := map[*expr.Node]*expr.Node{}
	for i, sym := range j.component.Syms {
		by[sym] = j.means[i]
	}
	for k, i := range j.tie.params {
		sum = g.Add(sum, g.Contract(cot[i], g.Substitute(j.tie.each[k], by)))
	}
	return sum
}
