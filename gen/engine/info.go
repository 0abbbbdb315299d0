package engine

import (
	"slices"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/bind"
	"github.com/sngdgen/sngdgen/gen/derive"
	"github.com/sngdgen/sngdgen/gen/emit"
	"github.com/sngdgen/sngdgen/runtime"
)

// infoOf describes the problem as generated packages do.
func infoOf(d *derive.Result, pkg *emit.Package, source string) *runtime.Info {
	p := d.Problem
	info := &runtime.Info{Name: p.Spec.Package, Target: p.Target.Name, Surrogate: p.Surrogate.Name, Coordinates: p.Spec.Step,
		Objective: p.Spec.Objective, Source: source, Deterministic: true, Variable: parameter(p, p.Target.Variable),
		Starts: len(d.Starts), RandomStart: d.RandomStart != nil, Hessian: d.Unconstrained.Hessian != nil,
		Mixture: p.Mixture != nil, Components: pkg.Components.Name}
	for i, t := range p.Target.Params {
		q := parameter(p, t)
		q.Known = p.Known(i)
		info.Parameters = append(info.Parameters, q)
	}
	info.Beside, info.Given = columns(p, p.Target.Beside), columns(p, p.Target.Given)
	for _, l := range d.Limits {
		limit := runtime.Limit{Name: l.Spec.Name, Starts: len(l.Starts), RandomStart: l.RandomStart != nil}
		for _, e := range l.Spec.When {
			limit.When = append(limit.When, runtime.LimitEnd{Parameter: e.Name, To: e.Value})
		}
		for _, q := range l.Params {
			limit.Parameters = append(limit.Parameters, parameter(p, q))
		}
		info.Limits = append(info.Limits, limit)
	}
	if d.Penalty != nil {
		info.Penalty = d.Penalty.Formula.String()
	}
	if !p.Scalar() {
		info.Dims = []string{}
		for _, dim := range pkg.Dims {
			info.Dims = append(info.Dims, dim.Name)
		}
	}
	return info
}

// columns are parts of the rows of the data.
func columns(p *bind.Problem, list []bind.Param) []runtime.Parameter {
	var out []runtime.Parameter
	for _, q := range list {
		column := parameter(p, q)
		column.Rows = q.Sym.Type.Axes.Has(expr.Rows)
		out = append(out, column)
	}
	return out
}

func parameter(p *bind.Problem, q bind.Param) runtime.Parameter {
	t := q.Sym.Type
	out := runtime.Parameter{Name: q.Name, Type: q.Kind.Type}
	dims := slices.Clone(t.Dims[:t.Rank])
	if m := p.Mixture; m != nil && t.Axes.Has(expr.Components) {
		dims = append([]expr.Dim{m.Components}, dims...)
		out.Components = q.Sym != m.Weights && q.Sym != p.Target.Params[0].Sym
	}
	for _, d := range dims {
		if d.Name != "" {
			out.Shape = append(out.Shape, runtime.Dim{Name: d.Name})
		} else {
			out.Shape = append(out.Shape, runtime.Dim{Size: d.Size})
		}
	}
	return out
}

// blocksOf describes the coordinates, for the lengths that are known.
func (m *model) blocksOf() []runtime.Block {
	var out []runtime.Block
	for i, c := range m.d.Surrogate.Coords {
		at := m.pkg.Coordinates[i]
		b := runtime.Block{Name: c.Name, Offset: m.length(at.Offset), Len: m.length(at.Len), Auxiliary: c.Auxiliary}
		if at.Copies {
			b.Copies = m.components()
		}
		if c.Sym.Type.Rank == 2 {
			b.Symmetric = c.Sym.Facts.Structure&expr.Symmetric != 0
			b.Lower = !b.Symmetric && c.Sym.Facts.Structure&expr.LowerTriangular != 0
			b.Strict = b.Lower && c.Sym.Facts.Structure&expr.ZeroDiagonal != 0
		}
		out = append(out, b)
	}
	return out
}
