package derive

import "github.com/sngdgen/sngdgen/expr"

// Penalty is the penalty of a likelihood, divided by the number of rows as the loss is: what is added to that where a fit is to
// be penalised. Gradients are sums, so it has some of its own, and a loss without it pays nothing.
type Penalty struct {
	Formula    *expr.Node // in the symbols of the target's parameters, of all rows
	Loss       *expr.Node
	Natural    []*expr.Node // as in Surrogate
	Covector   []*expr.Node
	*Objective // in the parameters of the target
}

// penalty derives the penalty of the target; that of a component is not that of a mixture, and a posterior has none.
func (d *deriver) penalty() (*Penalty, error) {
	formula := d.p.Target.Penalty
	if formula == nil || d.p.Mixture != nil || d.p.Variational != nil {
		return nil, nil
	}
	out := &Penalty{Formula: formula}
	loss := d.g.Div(formula, d.g.Size(expr.Rows))
	through := d.simplify(nil, d.g.Substitute(d.g.Substitute(loss, d.byMap()), d.fam.centring.locations(d.g)))[0]
	var err error
	if out.Loss, out.Covector, out.Natural, err = d.gradients(through, nil); err != nil {
		return nil, err
	}
	out.Objective, err = d.objectiveIn(loss, d.p.Target.Params)
	return out, err
}
