package bind

import (
	"slices"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/internal/diag"
	"github.com/sngdgen/sngdgen/spec"
)

// Quantity is what a report shows under a name, in terms of the parameters of the target, or of the latent variables and the data.
type Quantity struct {
	Name string
	Kind expr.Kind
	Node *expr.Node
	Span diag.Span
}

// reportOf binds what a problem reports, in terms of names. Quantities may use each other. What else is printed under a name is taken.
func (b *binder) reportOf(p *spec.Problem, names map[string]*expr.Node, taken []Param) []Quantity {
	var out []Quantity
	for _, d := range b.defs(p.Report, "report", names, nil) {
		if at := slices.IndexFunc(taken, func(q Param) bool { return q.Name == d.Name }); at >= 0 {
			b.diags.Errorf(d.Span, "%q is printed already", d.Name).WithHint("give the quantity a name of its own")
			continue
		}
		if d.Node == nil {
			continue
		}
		out = append(out, Quantity{Name: d.Name, Kind: realKind(d.Node.Type), Node: d.Node, Span: d.Span})
	}
	// in the order of the document, not of evaluation
	slices.SortStableFunc(out, func(x, y Quantity) int { return place(p.Report, x.Name) - place(p.Report, y.Name) })
	return out
}

func place(list []spec.Binding, name string) int {
	return slices.IndexFunc(list, func(x spec.Binding) bool { return x.Name == name })
}

// reported binds what is reported of a posterior: the latent variables as they are declared, and further quantities.
func (b *binder) reported(p *spec.Problem, v *Variational, names map[string]*expr.Node) []Quantity {
	further := b.reportOf(p, names, v.Declared)
	if len(further) == 0 && !v.Constrained() {
		return nil
	}
	var out []Quantity
	for _, q := range v.Declared {
		out = append(out, Quantity{Name: q.Name, Kind: q.Kind, Node: q.Sym, Span: q.Span})
	}
	for _, q := range further {
		if q.Node.Type.Axes.Has(expr.Rows) { // data that are given once are one row
			q.Node = b.g.Sum(expr.Rows, q.Node)
		}
		out = append(out, q)
	}
	return out
}

// quantities binds what is reported of an estimate.
func (b *binder) quantities(p *spec.Problem, out *Problem) []Quantity {
	if p.VI != nil {
		return nil
	}
	names := nameMap(out.Target.Params)
	names[expr.Rows.String()] = b.g.Size(expr.Rows)
	return b.reportOf(p, names, out.Target.Params)
}
