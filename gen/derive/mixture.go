package derive

import (
	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/bind"
)

// Mixture models (So and Turner 2024, appendix on EF mixture models). With weights w, of sum 1, natural parameters eta and
// log-partition A of the components, the joint distribution of component and value is a minimal exponential family with
//
//	natural parameters  rho = log(w) - A(eta) - (log(w) - A(eta) of the last component), and eta
//	mean parameters     w, and w*m, with m the mean parameters of the components
//
// for every component, of rho and w all but the last. In formulas these have a last entry too, which is 0: last is 1 for the
// last component, and 0 for the others.

// joint is one coordinate system of a mixture model.
type joint struct {
	mixture   *bind.Mixture
	component Coords       // of the components
	means     []*expr.Node // the mean parameters of the components, in terms of the standard ones
	tie       *tie         // nil where the components share no parameters
}

// mixtureModel derives the coordinates of a mixture model from those of its components.
func mixtureModel(g *expr.Graph, f *bind.Family) (*Family, error) {
	c, err := NewFamily(g, f.Component)
	if err != nil {
		return nil, err
	}
	if len(f.Shared) > 0 {
		return tied(g, f, c)
	}
	m := f.Mixture
	each := expr.Scalar.Over(expr.Components)
	out := &Family{Std: append([]*expr.Node{m.Weights}, c.Std...), centring: c.centring}

	rho := g.Sym("joint.rho", each, expr.Unknown)
	height := g.Sub(call(g, "log", m.Weights), f.Component.LogPartition)
	weights := func(logPartition *expr.Node) *expr.Node { return g.Softmax(expr.Components, g.Add(rho, logPartition)) }
	composed := composition(c.Std, c.Natural.ToStd)
	out.Natural = Coords{
		Name:  bind.Natural,
		Syms:  append([]*expr.Node{rho}, c.Natural.Syms...),
		OfStd: append([]*expr.Node{g.Sub(height, ofLast(g, m, height))}, c.Natural.OfStd...),
		Defs:  append(append([]bind.Def{}, c.Natural.Defs...), bind.Def{Sym: m.Weights, Node: weights(f.Component.LogPartition)}),
		ToStd: append([]*expr.Node{weights(g.Substitute(f.Component.LogPartition, composed))}, c.Natural.ToStd...),
		joint: &joint{m, c.Natural, c.Mean.OfStd, nil},
	}

	w := g.Sym("joint.w", each, expr.In(expr.UnitClosed))
	all := g.Add(w, g.Mul(m.Last, g.Sub(g.Const(1), g.Sum(expr.Components, w))))
	out.Mean = Coords{Name: bind.Mean, Syms: []*expr.Node{w}, OfStd: []*expr.Node{m.Weights},
		Defs:  []bind.Def{{Sym: m.Weights, Node: all}},
		ToStd: []*expr.Node{all}, joint: &joint{m, c.Mean, c.Mean.OfStd, nil}}
	own, through := map[*expr.Node]*expr.Node{}, map[*expr.Node]*expr.Node{}
	for i, sym := range c.Mean.Syms {
		facts := expr.Facts{Range: signOf(sym.Facts.Range), Structure: sym.Facts.Structure & expr.Symmetric}
		s := g.Sym("joint."+sym.Name, sym.Type, facts)
		out.Mean.Syms = append(out.Mean.Syms, s)
		out.Mean.OfStd = append(out.Mean.OfStd, g.Mul(m.Weights, c.Mean.OfStd[i]))
		own[sym], through[sym] = g.Div(s, m.Weights), g.Div(s, all)
	}
	for _, d := range c.Mean.Defs {
		out.Mean.Defs = append(out.Mean.Defs, bind.Def{Sym: d.Sym, Node: g.Substitute(d.Node, own)})
	}
	out.Mean.ToStd = append(out.Mean.ToStd, g.SubstituteAll(c.Mean.ToStd, through)...)
	return out, nil
}

// composition maps symbols to what they are computed from.
func composition(syms, nodes []*expr.Node) map[*expr.Node]*expr.Node {
	by := map[*expr.Node]*expr.Node{}
	for i, s := range syms {
		by[s] = nodes[i]
	}
	return by
}

// ofLast is the value of the last component.
func ofLast(g *expr.Graph, m *bind.Mixture, n *expr.Node) *expr.Node {
	return g.Sum(expr.Components, g.Mul(m.Last, n))
}

// signOf is what a positive multiple of a number in a range lies in.
func signOf(r expr.Range) expr.Range {
	for _, s := range []expr.Range{expr.Positive, expr.Nonnegative, expr.Negative, expr.Nonpositive} {
		if r.Within(s) {
			return s
		}
	}
	return expr.Real
}

// trips are the coordinates of the components, in terms of the standard parameters and of the coordinates of the joint
// distribution.
func (j *joint) trips(g *expr.Graph, c Coords) (ofStd, syms []*expr.Node) {
	for i, n := range j.component.OfStd {
		s := c.Syms[i+1]
		if c.Name == bind.Mean && !j.isShared(i) {
			s = g.Div(s, j.mixture.Weights)
		}
		ofStd, syms = append(ofStd, n), append(syms, s)
	}
	return ofStd, syms
}

// pullback pulls cotangents of the standard parameters back to the coordinates, given those of the components' standard
// parameters, of which those of shared ones are given too, pulled back to the components' own coordinates. Through the mean parameters, what belongs to the weights is in
// terms of symbols for the others, so that these are computed once: see contracted.
func (j *joint) pullback(g *expr.Graph, c Coords, cw *expr.Node, shared, own []*expr.Node) []*expr.Node {
	w := j.mixture.Weights
	if c.Name == bind.Natural { // w is the softmax of rho + A(eta), and dA/deta = m
		dRho := g.Mul(w, g.Sub(cw, g.Sum(expr.Components, g.Mul(w, cw))))
		out := []*expr.Node{dRho}
		for i, o := range own {
			more := g.Mul(dRho, j.means[i])
			if j.isShared(i) {
				more = g.Sum(expr.Components, more)
			}
			out = append(out, g.Add(o, more))
		}
		return out
	}
	out := []*expr.Node{nil}
	for i, o := range own { // m is the coordinate divided by w
		if j.isShared(i) {
			out = append(out, o)
			continue
		}
		cw = g.Sub(cw, g.Contract(j.cotangent(g, c, i+1), j.means[i]))
		out = append(out, g.Div(o, w))
	}
	cw = g.Add(cw, j.ofWeights(g, shared))
	out[0] = g.Sub(cw, ofLast(g, j.mixture, cw)) // the last weight is 1 - the sum of the others
	return out
}

// cotangent is the symbol of what is pulled back to a coordinate.
func (j *joint) cotangent(g *expr.Graph, c Coords, i int) *expr.Node {
	sym := c.Syms[i]
	return g.Sym("cotangent."+sym.Name, sym.Type, expr.Facts{Range: expr.Real, Structure: sym.Facts.Structure & expr.Symmetric})
}

// contracted writes what belongs to the weights in terms of what belongs to the other coordinates.
func (c Coords) contracted(g *expr.Graph, cot []*expr.Node) []*expr.Node {
	if c.joint == nil || c.Name == bind.Natural {
		return cot
	}
	by := map[*expr.Node]*expr.Node{}
	for i := 1; i < len(c.Syms); i++ {
		by[c.joint.cotangent(g, c, i)] = cot[i]
	}
	return append([]*expr.Node{g.Substitute(cot[0], by)}, cot[1:]...)
}

// responsibilities are the posterior probabilities of the components for every row, in the standard and auxiliary
// parameters.
func (d *deriver) responsibilities() *expr.Node {
	joint := d.simplify(nil, d.p.Target.Joint)[0]
	if d.elbo != nil { // of draws
		joint = d.g.Substitute(joint, map[*expr.Node]*expr.Node{d.p.Target.Variable.Sym: d.elbo.drawn})
	}
	joint = d.inDifferences(d.g.Substitute(joint, d.byMap()))
	stepped, _ := d.coordinates()
	return d.finish(roundTrips(d.g, d.centred(stepped)), []*expr.Node{d.g.Softmax(expr.Components, joint)})[0]
}

func call(g *expr.Graph, name string, args ...*expr.Node) *expr.Node {
	op, ok := expr.FunctionNamed(name)
	if !ok {
		panic("derive: no function " + name)
	}
	return g.Call(op, args...)
}
