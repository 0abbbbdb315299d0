package derive

import (
	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/diff"
	"github.com/sngdgen/sngdgen/gen/bind"
	"github.com/sngdgen/sngdgen/runtime/types"
)

// Objective is the loss as a function of the parameters of the target, without the surrogate: for methods that work in
// other coordinates.
type Objective struct {
	Loss       *expr.Node
	Gradient   []*expr.Node // with respect to each parameter; symmetric for symmetric matrices
	Conditions []Condition
}

func (d *deriver) objective() (*Objective, error) {
	return d.objectiveIn(d.objectiveOf(nil), d.p.Target.Params)
}

// objectiveIn is a loss with its derivatives with respect to parameters, which have their declared types.
func (d *deriver) objectiveIn(loss *expr.Node, params []bind.Param) (*Objective, error) {
	loss = d.simplify(nil, loss)[0]
	var syms []*expr.Node
	out := &Objective{}
	for _, q := range params {
		syms = append(syms, q.Sym)
		out.Conditions = append(out.Conditions, d.declared(q.Sym, q.Kind, q.Name)...)
	}
	gradient, err := diff.Gradient(d.g, loss, syms)
	if err != nil {
		return nil, err
	}
	lists := d.byMoments(nil, d.finish(nil, gradient), d.finish(nil, []*expr.Node{loss}))
	out.Gradient, out.Loss = lists[0], lists[1][0]
	return out, nil
}

// declared are the conditions that a value is of its declared type.
func (d *deriver) declared(n *expr.Node, k expr.Kind, name string) []Condition {
	r := k.Range
	if form := k.Type.Form; form != nil && (form.Has(types.SumsToOne) || form.Has(types.RowsSumToOne)) {
		r.HiOpen = false // one of them is 1 by rounding where the others are small
	}
	c := Condition{Node: n, Range: r, Block: name, Text: rangeText(name, r)}
	switch {
	case k.Structure&expr.PositiveDefinite != 0:
		// The entries of a correlation matrix are then in (-1, 1) outside the diagonal, which is 1 but for rounding.
		c.Definite, c.Range, c.Text = true, expr.Real, name+" positive definite"
	case k.Structure&expr.PositiveDiagonal != 0:
		diagonal := Condition{Node: d.g.Diagonal(n), Range: expr.Positive, Block: name, Text: "diagonal of " + name + " > 0"}
		return []Condition{c, diagonal}
	}
	return []Condition{c}
}

// finer is the objective of a likelihood by finer rules for integrals and series, nil where there are none.
func (d *deriver) finer() *expr.Node {
	logPDF := d.p.Target.Finer
	if logPDF == nil || d.elbo != nil {
		return nil
	}
	return d.stabilise(d.simplify(nil, d.meanNLL(d.located(d.simplify(nil, logPDF)[0])))...)[0]
}
