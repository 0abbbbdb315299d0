package derive

import (
	"cmp"
	"maps"
	"slices"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/rewrite"
	"github.com/sngdgen/sngdgen/gen/bind"
)

// centring writes what is derived in differences to a constant of the family, where that is the origin of a location: with
// mu: origin + Sigma @ eta1 in the spec, mu - origin is a symbol s of its own, and the observation x is origin + (x - origin).
// Then x - mu is (x - origin) - s: the origin cancels in symbols, and what is left are the differences of the data, computed
// once, and numbers of their size. Otherwise as many digits would be lost as mean and standard deviation lie apart, in
// (m1 + origin) - origin as in sum(x) - n*mu.
type centring struct {
	params, symbols, origins []*expr.Node              // parameters, the symbols of their differences, the constants
	in, out                  map[*expr.Node]*expr.Node // from differences to symbols, and back
}

// newCentring finds the locations of a family: parameters that are a constant plus something.
func newCentring(g *expr.Graph, f *bind.Family) *centring {
	c := &centring{in: map[*expr.Node]*expr.Node{}, out: map[*expr.Node]*expr.Node{}}
	coordinate := map[*expr.Node]bool{}
	for i := range f.Eta {
		coordinate[f.Eta[i]] = true
	}
	for _, p := range f.Params {
		coordinate[p.Sym] = true
	}
	for _, d := range f.FromNatural {
		if d.Node.Op != expr.Lin {
			continue
		}
		for i, a := range d.Node.Args {
			if a.Op == expr.Sym && !coordinate[a] && d.Node.Coefs[i] == 1 && a.Type.SameCore(d.Sym.Type) {
				c.add(g, d.Sym, a)
				break
			}
		}
	}
	return c
}

func (c *centring) add(g *expr.Graph, param, constant *expr.Node) {
	s := g.Sym("centred."+param.Name+"Centred", param.Type, expr.Unknown)
	difference := g.Sub(param, constant)
	c.params, c.symbols, c.origins = append(c.params, param), append(c.symbols, s), append(c.origins, constant)
	c.in[difference], c.in[g.Neg(difference)] = s, g.Neg(s)
	c.out[s] = difference
}

// std are the symbols of standard parameters, those of differences in the place of locations.
func (c *centring) std(params []*expr.Node) []*expr.Node {
	out := slices.Clone(params)
	for i, p := range out {
		if k := slices.Index(c.params, p); k >= 0 {
			out[i] = c.symbols[k]
		}
	}
	return out
}

// locations maps the locations to origins plus differences.
func (c *centring) locations(g *expr.Graph) map[*expr.Node]*expr.Node {
	by := map[*expr.Node]*expr.Node{}
	for k, p := range c.params {
		by[p] = g.Add(c.origins[k], c.symbols[k])
	}
	return by
}

// centred are coordinates in terms of the differences, and the differences in terms of coordinates.
func (c *centring) centred(g *expr.Graph, params []*expr.Node, coords Coords) Coords {
	by := c.locations(g)
	coords.OfStd = g.SubstituteAll(coords.OfStd, by)
	coords.ToStd = slices.Clone(coords.ToStd)
	for i, p := range params[len(params)-len(coords.ToStd):] { // of one component, the weights stand before them
		if k := slices.Index(c.params, p); k >= 0 {
			coords.ToStd[i] = g.Sub(coords.ToStd[i], c.origins[k])
		}
	}
	if coords.joint != nil {
		j := *coords.joint
		j.component, j.means = c.centred(g, params, j.component), g.SubstituteAll(j.means, by)
		coords.joint = &j
	}
	return coords
}

// centred are coordinates of the family of the problem.
func (d *deriver) centred(c Coords) Coords { return d.fam.centring.centred(d.g, d.fam.Std, c) }

// defined are the definitions that compute a standard parameter: of a location first its difference, where that is not a
// coordinate itself.
func (d *deriver) defined(identities []identity, def bind.Def) []Def {
	identities = definitions(identities)
	own := Def{Name: Plain(def.Sym.Name), Sym: def.Sym, Node: d.finish(identities, []*expr.Node{def.Node})[0]}
	c := d.fam.centring
	k := slices.Index(c.params, def.Sym)
	if k < 0 || d.exact(identities, c.symbols[k:k+1])[0] != c.symbols[k] {
		return []Def{own}
	}
	difference := d.finish(identities, []*expr.Node{d.g.Sub(def.Node, c.origins[k])})[0]
	own.Node = d.g.Add(c.origins[k], c.symbols[k])
	return []Def{{Name: Plain(c.symbols[k].Name), Sym: c.symbols[k], Node: difference}, own}
}

// inDifferences writes a formula of one row, in the parameters of the surrogate, in differences to the origins. The
// observation becomes one where the origin then cancels, and is left as it is in other formulas, such as log(x).
func (d *deriver) inDifferences(n *expr.Node) *expr.Node {
	n = d.g.Substitute(n, d.fam.centring.locations(d.g))
	if out := d.cancelled(n); out != nil {
		return out
	}
	return n
}

// cancelled is a formula with the observation as a difference, nil where the origin does not cancel.
func (d *deriver) cancelled(n *expr.Node) *expr.Node {
	x, difference, origin := d.observation()
	if x == nil {
		return nil
	}
	s, before := d.g.Sym("centred."+x.Name, x.Type, expr.Unknown), len(d.trace)
	out := d.g.Substitute(n, map[*expr.Node]*expr.Node{x: d.g.Add(origin, s)})
	out = d.simplify(nil, out)[0] // cancels what is not inside of a product
	out = d.simplify(nil, d.takenOut(out, origin, map[*expr.Node]*expr.Node{}))[0]
	if expr.Depends(out, origin) {
		d.trace = d.trace[:before] // nothing came of it
		return nil
	}
	by := map[*expr.Node]*expr.Node{s: difference}
	for i, step := range d.trace[before:] {
		d.trace[before+i].Before, d.trace[before+i].After = d.g.Substitute(step.Before, by), d.g.Substitute(step.After, by)
	}
	return d.g.Substitute(out, by)
}

// startValues are the definitions that compute the values of a start. Those that move with the data are locations too,
// whatever they are called: their differences come first.
func (d *deriver) startValues(values []bind.Def) []Def {
	var out []Def
	locations := d.fam.centring.locations(d.g)
	for _, v := range values {
		own := Def{Name: Plain(v.Sym.Name), Sym: v.Sym}
		node := d.g.Substitute(v.Node, locations)
		s, origin, difference := d.startDifference(v.Sym, node)
		if difference != nil {
			out = append(out, Def{Name: Plain(s.Name), Sym: s, Node: d.stabilise(d.simplify(nil, difference)...)[0]})
			own.Node = d.g.Add(origin, s)
			locations[v.Sym] = own.Node
		} else {
			own.Node = d.stabilise(d.simplify(nil, cmp.Or(d.cancelled(node), node))...)[0]
		}
		out = append(out, own)
	}
	return out
}

// startDifference is a value of a start as the difference to an origin, and the symbol of that; nil where it is no location.
func (d *deriver) startDifference(v, node *expr.Node) (s, origin, difference *expr.Node) {
	c := d.fam.centring
	if k := slices.Index(c.params, v); k >= 0 {
		return c.symbols[k], c.origins[k], d.inDifferences(d.g.Sub(node, c.origins[k]))
	}
	_, _, origin = d.observation()
	if origin == nil || !origin.Type.SameCore(v.Type) || d.cancelled(node) != nil {
		return nil, nil, nil
	}
	s = d.g.Sym("centred."+Plain(v.Name)+"Centred", v.Type, expr.Unknown)
	return s, origin, d.cancelled(d.g.Sub(node, origin))
}

// takenOut takes the origin out of sums over the rows where it is a term of a factor: sum(w*(origin + s)) is
// sum(w)*origin + sum(w*s).
func (d *deriver) takenOut(n, origin *expr.Node, memo map[*expr.Node]*expr.Node) *expr.Node {
	if len(n.Args) == 0 {
		return n
	}
	if out, ok := memo[n]; ok {
		return out
	}
	args := make([]*expr.Node, len(n.Args))
	for i, a := range n.Args {
		args[i] = d.takenOut(a, origin, memo)
	}
	out := d.g.Rebuild(n, args)
	if out.Op == expr.Sum && out.Axis == expr.Rows && out.Args[0].Op == expr.Prod {
		out = d.outOfProduct(out, origin)
	}
	memo[n] = out
	return out
}

// outOfProduct takes the origin out of a sum of products.
func (d *deriver) outOfProduct(sum, origin *expr.Node) *expr.Node {
	g, product := d.g, sum.Args[0]
	for i, a := range product.Args {
		k := slices.Index(a.Args, origin)
		if a.Op != expr.Lin || k < 0 || product.Coefs[i] != 1 {
			continue
		}
		w := g.Prod(slices.Delete(slices.Clone(product.Coefs), i, i+1), slices.Delete(slices.Clone(product.Args), i, i+1))
		part := g.Scale(a.Coefs[k], origin)
		return g.Add(g.Mul(g.Sum(expr.Rows, w), part), g.Sum(expr.Rows, g.Mul(w, g.Sub(a, part))))
	}
	return sum
}

// observation is the variable of the target that has a location, as the difference to the origin of that; nil where there is none.
// Of several variables of the shape of a location it is the one that the origin is computed from, the first where that is more
// than one of them.
func (d *deriver) observation() (x, difference, origin *expr.Node) {
	for _, o := range d.fam.centring.origins {
		for _, q := range d.p.Target.Observed() {
			if !o.Type.SameCore(q.Sym.Type) {
				continue
			}
			if origin == nil || d.from(o, q.Sym) && !d.from(o, x) {
				x, origin = q.Sym, o
			}
		}
		if origin != nil {
			return x, d.g.Call(expr.Difference, x, origin), origin
		}
	}
	return nil, nil, nil
}

// from reports whether a constant is computed from a variable.
func (d *deriver) from(constant, x *expr.Node) bool {
	return slices.ContainsFunc(d.p.Constants, func(c bind.Constant) bool {
		return c.Sym == constant && c.Node != nil && expr.Depends(c.Node, x)
	})
}

// located writes a formula of one row in the parameters of the target in differences to the origins: those of the parameters
// that the map sets to an origin plus something, computed from the parameters.
func (d *deriver) located(n *expr.Node) *expr.Node {
	in, out, c := map[*expr.Node]*expr.Node{}, map[*expr.Node]*expr.Node{}, d.fam.centring
	by := c.locations(d.g)
	for _, t := range d.p.Map {
		node := d.g.Substitute(t.Node, by)
		for _, o := range c.origins {
			if i := slices.Index(node.Args, o); node.Op == expr.Lin && i >= 0 && node.Coefs[i] == 1 {
				s := d.g.Sym("centred."+Plain(t.Sym.Name)+"Centred", t.Sym.Type, expr.Unknown)
				in[t.Sym], out[s] = d.g.Add(o, s), d.g.Call(expr.Difference, t.Sym, o)
				break
			}
		}
	}
	if len(in) == 0 {
		return n
	}
	return d.g.Substitute(d.inDifferences(d.g.Substitute(n, in)), out)
}

// Centred are the differences of locations to their origins, which expressions are written in, in terms of the standard
// parameters. A model computes them first, from the coordinates (see Surrogate.Defs), and locations from them.
func (f *Family) Centred() []Def {
	c := f.centring
	out := make([]Def, len(c.symbols))
	for k, s := range c.symbols {
		out[k] = Def{Name: Plain(s.Name), Sym: s, Node: c.out[s]}
	}
	return out
}

// steps are the steps of the rules so far, with the differences written out that are not computed by themselves.
func (d *deriver) steps(defs []Def) []rewrite.Step {
	by := maps.Clone(d.fam.centring.out)
	for _, def := range defs {
		delete(by, def.Sym)
	}
	out := make([]rewrite.Step, len(d.trace))
	for i, s := range d.trace {
		both := d.g.SubstituteAll([]*expr.Node{s.Before, s.After}, by)
		out[i] = rewrite.Step{Rule: s.Rule, Before: both[0], After: both[1]}
	}
	return out
}
