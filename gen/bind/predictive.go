package bind

import (
	"slices"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/syntax"
	"github.com/sngdgen/sngdgen/spec"
)

// Predictive says how data are drawn, given the latent variables: from them the posterior predictive distribution is.
type Predictive struct {
	Noise []Draw  // numbers of every row, the parameters of which are numbers or of the shape of the number
	Data  []Param // that are drawn
	// Values are what is drawn, as functions of the random numbers, the latent variables and the other data.
	Values []*expr.Node
}

// Whole reports whether some of what is drawn is whole numbers.
func (p *Predictive) Whole() bool {
	return slices.ContainsFunc(p.Data, func(q Param) bool { return q.Kind.Integer })
}

const predictiveWhat = "sample of the data"

// predictive binds how data are drawn; nil where the document does not say so, and after a diagnostic. What is drawn has no value
// in the formulas but the one that it is given there.
func (b *binder) predictive(v *Variational, names map[string]*expr.Node) *Predictive {
	s := v.Spec.Sample
	if s == nil {
		return nil
	}
	names = copyNames(names)
	out := &Predictive{}
	for _, q := range v.Data {
		if slices.ContainsFunc(s.Values, func(d spec.Binding) bool { return d.Name == q.Name }) {
			out.Data = append(out.Data, q)
			delete(names, q.Name)
		}
	}
	b.inLet = true // values may vary over the rows
	defer func() { b.inLet = false }()
	for _, d := range s.Noise {
		draw, ok := b.rowNoise(v, d, names)
		if !ok {
			return nil
		}
		names[d.Name] = draw.Sym
		out.Noise = append(out.Noise, draw)
	}
	defs := map[string]*expr.Node{}
	for _, d := range b.defs(s.Values, predictiveWhat, names, nil) {
		defs[d.Name] = d.Node
	}
	for i, q := range out.Data {
		n := defs[q.Name]
		f := s.Values[slices.IndexFunc(s.Values, func(d spec.Binding) bool { return d.Name == q.Name })].Formula
		if n == nil || b.shaped(n, q.Sym.Type, f, q.Name) == nil || !b.blind(n, out.Data, f) {
			return nil
		}
		out.Values = append(out.Values, b.g.Spread(n, out.Data[i].Sym.Type))
	}
	return out
}

// rowNoise binds a random number of every row, or an array of them.
func (b *binder) rowNoise(v *Variational, d spec.Draw, names map[string]*expr.Node) (draw Draw, ok bool) {
	if draw.Kind = spec.Noise(d.Kind); draw.Kind.Shares {
		b.sharing(d)
		return draw, false
	}
	t, each := expr.Scalar, !v.ByRow // the data are one row
	if shape := d.Shape; shape.Kind != "" {
		if len(shape.Dims) > 0 && shape.Dims[0].Name == expr.Rows.String() {
			each, shape = true, ofRow(shape)
		}
		if d.Shape = shape; shape.Kind != "real" {
			t = b.noiseType(d)
		}
	}
	for _, a := range d.Args {
		n := b.build(a, predictiveWhat, names, expr.Unknown)
		if n == nil {
			return draw, false
		}
		switch each = each || n.Type.Axes.Has(expr.Rows); {
		case n.Type.Rank == 0:
		case d.Shape.Kind == "" && t.Rank == 0:
			t = core(n.Type)
		default:
			if n = b.shaped(n, t, a, "a parameter of this random number"); n == nil {
				return draw, false
			}
		}
		draw.Args = append(draw.Args, n)
	}
	if !each {
		b.diags.Errorf(d.Span, "this is one random number for all rows").
			WithHint("%s makes one for each row; what all rows share is a latent variable", perRow(d))
		return draw, false
	}
	for i, n := range draw.Args {
		if _, number := n.IsConst(); !number {
			draw.Args[i] = b.g.Spread(n, t)
		}
	}
	draw.Sym = b.g.Sym("predictive."+d.Name, t.Over(expr.Rows), noiseFacts(draw.Kind, draw.Args))
	return draw, true
}

// perRow is how a random number for each row is written.
func perRow(d spec.Draw) string {
	shape := syntax.TypeExpr{Kind: "vector", Dims: []syntax.Dim{{Name: expr.Rows.String()}}}
	if d.Shape.Kind == "vector" {
		shape = syntax.TypeExpr{Kind: "matrix", Dims: append(shape.Dims, d.Shape.Dims...)}
	}
	return d.Kind + " " + shape.String()
}

// blind reports whether what is drawn does not depend on what was observed of it, and says so if it does: through a let.
func (b *binder) blind(n *expr.Node, data []Param, f *spec.Formula) bool {
	for _, q := range data {
		if expr.Depends(n, q.Sym) {
			b.diags.Errorf(f.Whole(), "this depends on %s as it was observed", q.Name).
				WithHint("a definition under let uses %s: write out here what of it does not", q.Name)
			return false
		}
	}
	return true
}
