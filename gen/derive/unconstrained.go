package derive

import (
	"errors"
	"fmt"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/diff"
	"github.com/sngdgen/sngdgen/runtime/types"
)

// Unconstrained is the objective in unconstrained coordinates of the target's free parameters: the identity for real
// ones, log for positive ones, logit for those in (0, 1). Those that the map sets to what nothing steps are known,
// and no coordinates.
type Unconstrained struct {
	Coords   []*expr.Node // symbols u1, ...
	Free     []int        // which parameters of the target they belong to
	Theta    []Def        // all parameters of the target in terms of the coordinates
	Inverse  []*expr.Node // the coordinates in terms of the symbols of the target's parameters
	Loss     *expr.Node
	Gradient []*expr.Node
	Hessian  [][]*expr.Node // nil where a second derivative is not available, or where they are too long
	TooLong  bool           // the second derivatives
	LogPDF   *expr.Node     // of one row
}

func (d *deriver) unconstrained() (Unconstrained, error) {
	var u Unconstrained
	known := map[*expr.Node]*expr.Node{}
	for i, t := range d.p.Map {
		if d.p.Known(i) {
			known[t.Sym] = t.Node
			u.Theta = append(u.Theta, Def{Name: Plain(t.Sym.Name), Sym: t.Sym, Node: t.Node})
			continue
		}
		sym := d.g.Sym(fmt.Sprintf("free.u%d", len(u.Coords)+1), expr.Scalar, expr.Unknown)
		node, inverse, err := d.chart(d.p.Target.Params[i].Kind, sym, t.Sym)
		if err != nil {
			return u, fmt.Errorf("parameter %s: %w", Plain(t.Sym.Name), err)
		}
		u.Coords, u.Free = append(u.Coords, sym), append(u.Free, i)
		u.Theta = append(u.Theta, Def{Name: Plain(t.Sym.Name), Sym: t.Sym, Node: node})
		u.Inverse = append(u.Inverse, inverse)
	}
	u.LogPDF = d.simplify(nil, d.g.Substitute(d.logPDF(), known))[0]
	u.Loss = d.meanNLL(d.located(u.LogPDF))
	return u, d.unconstrainedDerivatives(&u)
}

// chart is a parameter as a function of its unconstrained coordinate, and the inverse: formulas of the table of types.
func (d *deriver) chart(kind expr.Kind, u, theta *expr.Node) (node, inverse *expr.Node, err error) {
	link := kind.Type.Entry.Link
	if link == nil || kind.Type.Form != types.Number {
		return nil, nil, fmt.Errorf("no unconstrained coordinate is known for type %s", kind.Name)
	}
	const what = "an unconstrained coordinate"
	return d.written(link.Formula, what, map[string]*expr.Node{"u": u}), d.written(link.Inverse, what, map[string]*expr.Node{"x": theta}), nil
}

func (d *deriver) call(name string, args ...*expr.Node) *expr.Node { return call(d.g, name, args...) }

// unconstrainedDerivatives differentiates with the parameters as symbols, df/du = df/dtheta dtheta/du, so that
// dtheta/du is written in terms of theta, and repeats that for the second derivatives.
func (d *deriver) unconstrainedDerivatives(u *Unconstrained) error {
	slope, err := d.slopes(u)
	if err != nil {
		return err
	}
	theta := make([]*expr.Node, len(u.Free))
	for k, i := range u.Free {
		theta[k] = u.Theta[i].Sym
	}
	by := func(f *expr.Node) ([]*expr.Node, error) {
		g, err := diff.Gradient(d.g, f, theta)
		for k := range g {
			g[k] = d.g.Mul(g[k], slope[k])
		}
		return g, err
	}
	gradient, err := by(u.Loss)
	if err != nil {
		return err
	}
	gradient = d.simplify(nil, gradient...)
	u.Gradient = d.stabilise(gradient...)
	u.Loss = d.stabilise(u.Loss)[0]
	for _, f := range gradient {
		row, err := by(f)
		if u.TooLong = expr.Size(row...) > maxSecond; u.TooLong || errors.Is(err, diff.ErrMissing) {
			u.Hessian = nil
			return nil
		}
		if err != nil {
			return err
		}
		u.Hessian = append(u.Hessian, d.stabilise(d.simplify(nil, row...)...))
	}
	return nil
}

// maxSecond is the size up to which a row of second derivatives is written out. Those of a product of n factors have n^3
// factors; differences of gradients take a few times n^2. The longest row of the library has a hundredth.
const maxSecond = 20000

// slopes are dtheta/du in terms of theta.
func (d *deriver) slopes(u *Unconstrained) ([]*expr.Node, error) {
	out := make([]*expr.Node, len(u.Free))
	for k, i := range u.Free {
		s, err := diff.Gradient(d.g, u.Theta[i].Node, []*expr.Node{u.Coords[k]})
		if err != nil {
			return nil, err
		}
		back := map[*expr.Node]*expr.Node{u.Coords[k]: u.Inverse[k]}
		out[k] = d.simplify(nil, d.g.Substitute(s[0], back))[0]
	}
	return out, nil
}
