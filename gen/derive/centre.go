package derive

import (
	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/rewrite"
	"github.com/sngdgen/sngdgen/gen/bind"
)

// centring keeps differences such as mu - origin, of a standard parameter and a constant of the family, in one piece while
// expressions are rewritten. Multiplied out, as in outer(mu, mu) - outer(mu, origin) - ..., they would lose all the digits
// that the constant is there to keep.
type centring struct {
	params, symbols []*expr.Node              // the parameters, and the symbols of their differences to the constants
	in, out         map[*expr.Node]*expr.Node // from differences to symbols, and back
}

// newCentring finds the differences of a family: where a parameter is a constant plus something, as in
// mu: origin + Sigma @ eta1.
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
	s := g.Sym("centred."+param.Name, param.Type, expr.Unknown)
	difference := g.Sub(param, constant)
	c.params, c.symbols = append(c.params, param), append(c.symbols, s)
	c.in[difference], c.in[g.Neg(difference)] = s, g.Neg(s)
	c.out[s] = difference
}

// cotangents adds the cotangents of the differences, which follow those of the parameters std, to the cotangents of the
// parameters that they are taken of. What follows those of the differences stays.
func (c *centring) cotangents(g *expr.Graph, std, cot []*expr.Node) []*expr.Node {
	out := append([]*expr.Node(nil), cot[:len(std)]...)
	for k, p := range c.params {
		for i, s := range std {
			if s == p {
				out[i] = g.Add(out[i], cot[len(std)+k])
			}
		}
	}
	return append(out, cot[len(std)+len(c.params):]...)
}

// steps are the steps of the rules so far, with the differences written out.
func (d *deriver) steps() []rewrite.Step {
	out := make([]rewrite.Step, len(d.trace))
	for i, s := range d.trace {
		both := d.g.SubstituteAll([]*expr.Node{s.Before, s.After}, d.fam.centring.out)
		out[i] = rewrite.Step{Rule: s.Rule, Before: both[0], After: both[1]}
	}
	return out
}

// centred are coordinates with their values in terms of the differences.
func (c *centring) centred(g *expr.Graph, coords Coords) Coords {
	coords.OfStd = g.SubstituteAll(coords.OfStd, c.in)
	if coords.joint != nil {
		j := *coords.joint
		j.component, j.means = c.centred(g, j.component), g.SubstituteAll(j.means, c.in)
		coords.joint = &j
	}
	return coords
}
