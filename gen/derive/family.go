package derive

import (
	"fmt"
	"slices"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/diff"
	"github.com/sngdgen/sngdgen/expr/rewrite"
	"github.com/sngdgen/sngdgen/gen/bind"
)

// Family is an exponential family with its mean map derived.
type Family struct {
	Std           []*expr.Node // symbols of the standard parameters
	Natural, Mean Coords
	// Information is the derivative of the mean parameters by the natural ones, of a family given columns of the data, whose mean
	// parameters have no inverse; nil of others.
	Information [][]*expr.Node
	centring    *centring
}

// Coords is one of the two coordinate systems of a family.
type Coords struct {
	Name  string
	Syms  []*expr.Node // the coordinates
	OfStd []*expr.Node // their values in terms of the standard parameters
	Defs  []bind.Def   // the standard parameters in terms of the coordinates and of earlier standard parameters
	ToStd []*expr.Node // the standard parameters in terms of the coordinates alone, in the order of Std
	inner map[*expr.Node]*expr.Node
	joint *joint // of a mixture model
}

// known maps s(coordinates) to the symbols of s, and with it the unknowns of a generated inverse.
func (c Coords) known(g *expr.Graph, std []*expr.Node) map[*expr.Node]*expr.Node {
	by := map[*expr.Node]*expr.Node{}
	for n, v := range c.inner {
		by[n] = v
	}
	for i, n := range c.ToStd {
		if n.Op == expr.Const || n.Op == expr.Sym {
			continue
		}
		by[n] = std[i]
		if s, core := g.Bare(n); core != n && core.Op != expr.Const && core.Op != expr.Sym { // in -inv(eta2)/2 it is inv(eta2)
			by[core] = g.Div(std[i], s)
		}
	}
	return by
}

// values maps the coordinates to their values in terms of the standard parameters.
func (c Coords) values() map[*expr.Node]*expr.Node {
	by := map[*expr.Node]*expr.Node{}
	for i, sym := range c.Syms {
		by[sym] = c.OfStd[i]
	}
	return by
}

// NewFamily derives the mean map, m = grad A, and completes the inverse maps.
func NewFamily(g *expr.Graph, f *bind.Family) (*Family, error) {
	if f.Component != nil {
		return mixtureModel(g, f)
	}
	out := &Family{centring: newCentring(g, f)}
	for _, p := range f.Params {
		out.Std = append(out.Std, p.Sym)
	}
	out.Natural = Coords{Name: bind.Natural, Syms: f.Eta, OfStd: f.Natural, Defs: f.FromNatural}
	out.Natural.ToStd = compose(g, out.Std, f.FromNatural)
	mean, err := meanMap(g, f, out.centring.centred(g, out.Std, out.Natural), out.centring, out.Std)
	if err != nil {
		return nil, fmt.Errorf("mean map of %s: %w", f.Name, err)
	}
	knowMeans(g, f, mean)
	out.Mean = Coords{Name: bind.Mean, Syms: f.M, OfStd: mean, Defs: f.FromMean}
	switch {
	case f.OfColumns:
		out.Information, err = information(g, f, out)
		return out, err
	case f.FromMean != nil:
	case slices.ContainsFunc(f.Eta, func(e *expr.Node) bool { return e.Type.Rank > 1 }):
		return nil, fmt.Errorf("family %s gives no from_mean, and inverses of mean maps are generated for numbers and "+
			"vectors only, not for matrices", f.Name)
	default:
		newtonInverse(g, f, out)
	}
	out.Mean.ToStd = compose(g, out.Std, out.Mean.Defs)
	return out, nil
}

// knowMeans puts symbols that carry the ranges of the mean map in the place of the mean parameters as they were bound. The
// ranges are conditions of the domain (see conditions), so they may be relied upon.
func knowMeans(g *expr.Graph, f *bind.Family, mean []*expr.Node) {
	by := map[*expr.Node]*expr.Node{}
	for i, m := range f.M {
		known := g.Sym(Plain(m.Name), m.Type, expr.Facts{Range: mean[i].Facts.Range, Structure: m.Facts.Structure})
		by[m], f.M[i] = known, known
	}
	for _, defs := range [][]bind.Def{f.FromMean, f.NewtonStart} {
		for i := range defs {
			defs[i].Node = g.Substitute(defs[i].Node, by)
		}
	}
}

// compose inlines definitions, and returns them in the order of std.
func compose(g *expr.Graph, std []*expr.Node, defs []bind.Def) []*expr.Node {
	by := map[*expr.Node]*expr.Node{}
	for _, d := range defs {
		by[d.Sym] = g.Substitute(d.Node, by)
	}
	out := make([]*expr.Node, len(std))
	for i, s := range std {
		out[i] = by[s]
	}
	return out
}

// meanMap is grad A by pulling dA/ds back through s(eta): the derivative of the log-partition with respect to the
// natural parameters (So and Turner 2024, section 2.2).
func meanMap(g *expr.Graph, f *bind.Family, nat Coords, c *centring, std []*expr.Node) ([]*expr.Node, error) {
	std = c.std(std)
	dA, err := diff.Gradient(g, g.Substitute(logPartition(g, f), c.locations(g)), std)
	if err != nil {
		return nil, err
	}
	m, err := diff.Pullback(g, nat.ToStd, dA, nat.Syms)
	if err != nil {
		return nil, err
	}
	m = g.SubstituteAll(g.SubstituteAll(m, nat.known(g, std)), nat.values())
	m = rewrite.New(g, rewrite.Rules(rewrite.Exact, rewrite.Algebraic)).Apply(m...)
	return g.SubstituteAll(m, c.out), nil
}

// newtonInverse makes the inverse of the mean map that the spec leaves out: the natural parameters solve grad A = m, and
// are the minimum of the convex function A(eta) - eta.m, which damped Newton descends (Wainwright and Jordan 2008,
// section 3.6).
func newtonInverse(g *expr.Graph, f *bind.Family, out *Family) {
	vars := make([]*expr.Node, len(f.Eta))
	toVars := map[*expr.Node]*expr.Node{}
	for i, eta := range f.Eta {
		t := eta.Type
		t.Axes = 0 // the equations are those of one component
		vars[i] = g.Fresh(eta.Name, t, expr.Unknown)
		toVars[eta] = vars[i]
	}
	std := map[*expr.Node]*expr.Node{} // s in terms of the unknowns
	for i, s := range out.Std {
		std[s] = g.Substitute(out.Natural.ToStd[i], toVars)
	}
	merit := []*expr.Node{g.Substitute(f.LogPartition, std)}
	eqs := make([]*expr.Node, len(vars))
	for i, m := range out.Mean.OfStd {
		eqs[i] = g.Sub(g.Substitute(m, std), f.M[i])
		merit = append(merit, g.Neg(g.Contract(vars[i], f.M[i])))
	}
	fn, args := g.Lift(vars, eqs, newtonStart(g, f, out), g.Add(merit...))
	eta := g.Roots(fn, args)
	out.Mean.inner = map[*expr.Node]*expr.Node{}
	at := map[*expr.Node]*expr.Node{}
	for i, y := range eta {
		at[f.Eta[i]] = y
		out.Mean.inner[y] = out.Natural.OfStd[i]
	}
	for i, s := range out.Std {
		out.Mean.Defs = append(out.Mean.Defs, bind.Def{Sym: s, Node: g.Substitute(out.Natural.ToStd[i], at)})
	}
}

// newtonStart is the start of the unknowns: the natural parameters of the start that the spec gives, or of 1 for a
// positive parameter, 1/2 for one in (0, 1) and 0 for a real one.
func newtonStart(g *expr.Graph, f *bind.Family, out *Family) []*expr.Node {
	at := map[*expr.Node]*expr.Node{}
	for i, p := range f.Params {
		at[out.Std[i]] = g.Const(p.Kind.Type.Entry.Default)
	}
	if f.NewtonStart != nil {
		given := compose(g, out.Std, f.NewtonStart)
		for i, s := range out.Std {
			at[s] = given[i]
		}
	}
	return g.SubstituteAll(out.Natural.OfStd, at)
}
