package derive

import (
	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/diff"
	"github.com/sngdgen/sngdgen/gen/bind"
)

// Report is what a spec asks for of an estimate besides the parameters.
type Report struct {
	Quantities []bind.Quantity // in the symbols of the target's parameters
	Weights    []*expr.Node    // symbols, one of the shape of each quantity
	Gradient   []*expr.Node    // of the sum of the quantities, times their weights, by each parameter of the target
}

// report derives the derivatives of what is reported; nil where nothing is.
func (d *deriver) report() (*Report, error) {
	if len(d.p.Reported) == 0 {
		return nil, nil
	}
	out := &Report{Quantities: d.quantities(d.p.Reported)}
	sum := d.g.Const(0)
	for _, q := range out.Quantities {
		w := d.g.Sym("weight."+q.Name, q.Node.Type, expr.Unknown)
		term := d.g.Contract(w, q.Node)
		if term.Type.Axes.Has(expr.Components) {
			term = d.g.Sum(expr.Components, term)
		}
		out.Weights, sum = append(out.Weights, w), d.g.Add(sum, term)
	}
	var syms []*expr.Node
	for _, q := range d.p.Target.Params {
		syms = append(syms, q.Sym)
	}
	gradient, err := diff.Gradient(d.g, d.simplify(nil, sum)[0], syms)
	if err != nil {
		return nil, err
	}
	out.Gradient = d.finish(nil, gradient)
	return out, nil
}
