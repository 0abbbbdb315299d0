package bind

import (
	"slices"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/chart"
	"github.com/sngdgen/sngdgen/expr/syntax"
	"github.com/sngdgen/sngdgen/internal/diag"
	"github.com/sngdgen/sngdgen/runtime/types"
	"github.com/sngdgen/sngdgen/spec"
)

// EstimatorPath is the estimator that holds the parameters of log q itself.
const EstimatorPath = spec.EstimatorPath

// Variational is a model of data, of whose posterior the target is an approximation: the joint density as a function of the
// latent variables. Rows of its expressions are those of the data.
type Variational struct {
	Spec *spec.VI
	// Latent are coordinates of the latent variables. Those of their entries that have a place lie one after the other in the variable
	// of the target, others are 0. Where the type of a latent variable is that of real numbers it is its own coordinate.
	Latent []Param
	Places []types.Places // of each
	// Declared are the latent variables as they are declared. Their symbols are the same, or values in terms of them.
	Declared []Param
	Reported []Quantity  // what reports show, where that is not the variable of the target as it is
	Data     []Param     // those of each row have the axis of the rows
	Support  []Condition // on one row of the data
	States   []Param     // what is carried along the rows: no formula of the model has them any more
	ByRow    bool        // whether some have
	// Scale is what the likelihood is multiplied with: the weight of all data for that of a batch.
	Scale *expr.Node
	// A factor is nil where there is none. A likelihood that is given once is that of a data set with one row.
	Factors
	// Finer are the same by rules with more nodes for their integrals and series; nil where they have none.
	Finer *Factors
	// External says that the likelihood, or the whole, is a function in Go: Likelihood is nil then.
	External   bool
	Predictive *Predictive // nil where the document does not say how data are drawn
}

// Factors are the logarithms of the two factors of a joint density.
type Factors struct{ Likelihood, Prior *expr.Node }

// modelPrefix keeps the names of the model apart from those of the distributions.
const modelPrefix = "model."

// variational binds the model of a variational objective; nil for other objectives, and after a diagnostic.
func (b *binder) variational(p *spec.Problem, out *Problem) *Variational {
	vi := p.VI
	if vi == nil {
		return nil
	}
	if given := out.Target.Given; len(given) > 0 {
		b.diags.Errorf(p.TargetRefSpan, "%s is a distribution given columns of the data, here %s", out.Target.Name, given[0].Name).
			WithHint("an approximation is one of the latent variables alone; the data of the model, and its likelihood, stand under the objective")
		return nil
	}
	if n := len(out.Target.Observed()); n > 1 {
		b.diags.Errorf(p.TargetRefSpan, "%s is a distribution of %d variables, %s", out.Target.Name, n, names(out.Target.Observed())).
			WithHint("an approximation is a distribution of one: the latent variables lie in a vector, one after the other")
		return nil
	}
	if c := out.Target.Support; len(c) > 0 {
		b.diags.Errorf(p.TargetRefSpan, "%s has a support, %s, which draws of an approximation would leave", out.Target.Name, c[0].Text)
		return nil
	}
	axes := b.axes
	b.axes = 0
	defer func() { b.axes = axes }()
	v := &Variational{Spec: vi, External: vi.External != diag.Span{}, Scale: b.g.Sym("batch.scale", expr.Scalar, expr.In(expr.Positive))}
	names := map[string]*expr.Node{expr.Rows.String(): b.g.Size(expr.Rows)}
	jacobian := b.latent(v, out.Target.Variable, names)
	b.modelData(v, names)
	if !b.ownLengths(v, out.Target) {
		return nil
	}
	for _, c := range vi.Constants {
		names[c.Name] = b.number(c.Formula, "constant "+c.Name, nil)
	}
	b.reductions = v.ByRow
	defer func() { b.reductions, b.rowwise = false, nil }()
	v.States = b.modelStates(vi, names)
	given := names
	own, finer := withFiner(b, func() *Factors {
		visible := b.let(vi.Let, "let of the model", given)
		if !b.finer {
			names = visible
			v.Support = b.support(vi.Support, "the model", v.Data, slices.Concat(symbolsOf(v.Latent), symbolsOf(v.States)), names)
		}
		return b.factors(v, jacobian, visible)
	})
	if own != nil {
		v.Factors, v.Finer = *own, finer
	}
	v.Reported = b.reported(p, v, names)
	v.Predictive = b.predictive(v, names)
	return v
}

// factors binds the factors of the joint density, with the Jacobian determinant of latent variables in the prior; nil after a diagnostic.
func (b *binder) factors(v *Variational, jacobian *expr.Node, names map[string]*expr.Node) *Factors {
	vi, along, faulty := v.Spec, b.alongRows(v, names), false
	term := func(of *spec.Formula, what string) *expr.Node {
		n := along.asScans(b.modelTerm(of, what, names), of)
		faulty = faulty || n == nil && of != nil
		return n
	}
	out := &Factors{Likelihood: term(vi.LogLikelihood, "log_likelihood"), Prior: term(vi.LogPrior, "log_prior")}
	if out.Prior == nil {
		out.Prior = jacobian
	} else if jacobian != nil {
		out.Prior = b.g.Add(out.Prior, jacobian)
	}
	if vi.LogJoint != nil {
		out.Likelihood = term(vi.LogJoint, "log_joint")
	} else if out.Likelihood != nil && v.ByRow {
		out.Likelihood = b.g.Mul(v.Scale, out.Likelihood)
	}
	if faulty {
		return nil
	}
	if out.Likelihood != nil && !v.ByRow { // the data are one row
		out.Likelihood = b.g.Sum(expr.Rows, out.Likelihood)
	}
	return out
}

// Row are the parts of a row of the data: of the target, or of the model of a posterior.
func (p *Problem) Row() []Param {
	if p.Variational != nil {
		return p.Variational.Data
	}
	return p.Target.Record()
}

// Support are the conditions on one row of the data.
func (p *Problem) Support() []Condition {
	if p.Variational != nil {
		return p.Variational.Support
	}
	return p.Target.Support
}

// Ordered reports whether the order of the rows counts.
func (v *Variational) Ordered() bool { return v != nil && len(v.States) > 0 }

// Constrained reports whether some latent variables are values in terms of their coordinates.
func (v *Variational) Constrained() bool {
	return slices.ContainsFunc(v.Declared, func(q Param) bool { return !chart.Trivial(q.Kind.Type) })
}

// Packed reports whether some coordinates have fewer numbers in the variable of the target than entries.
func (v *Variational) Packed() bool {
	return slices.ContainsFunc(v.Places, func(p types.Places) bool { return p != types.All })
}

// Whole reports whether there is one latent variable that is all of the variable of the target.
func (v *Variational) Whole(target *Density) bool {
	return len(v.Latent) == 1 && !v.Packed() && v.Latent[0].Sym.Type.SameCore(core(target.Variable.Sym.Type))
}

// ownLengths reports whether no part of the latent variables, and no data, have the length of the variable of the target by its
// name, where that is the length of all parts together.
func (b *binder) ownLengths(v *Variational, target *Density) bool {
	t := target.Variable.Sym.Type
	if t.Rank == 0 || t.Dims[0].Name == "" || v.Spec.LatentWhole || v.Whole(target) {
		return true
	}
	of := map[string]expr.Type{}
	for _, q := range slices.Concat(v.Latent, v.Data) {
		of[q.Name] = q.Sym.Type
	}
	for _, p := range slices.Concat(v.Spec.Latent, v.Spec.Data) {
		if q := of[p.Name]; slices.Contains(q.Dims[:q.Rank], t.Dims[0]) {
			b.diags.Errorf(p.TypeSpan, "%s is the length of the variable of %s, which is that of all latent variables together", t.Dims[0].Name,
				target.Name).WithHint("give the length of %s another name", p.Name)
			return false
		}
	}
	return true
}

// unifyLatent makes the dimension of a latent variable that is a vector, and the only one, that of the target's variable: it
// is all of that. One of them that has a length gives it to the other; of two names the target's is that of both.
func (b *binder) unifyLatent(p *spec.Problem) {
	if p.VI == nil || p.VI.LatentWhole || len(p.VI.Latent) != 1 {
		return
	}
	latent, whole := p.VI.Latent[0].Type.Dims, p.Record()[0].Type.Dims
	if p.VI.Latent[0].Type.Type().Form.Chart != nil || len(latent) != 1 || len(whole) != 1 {
		return
	}
	is := func(d syntax.Dim) expr.Dim {
		if to, ok := b.pinned[d.Name]; ok {
			return to
		}
		return dim(d)
	}
	switch part, all := is(latent[0]), is(whole[0]); {
	case part == all:
	case part.Name != "":
		b.pinned[part.Name] = all
	case all.Name != "":
		b.pinned[all.Name] = part
	default:
		b.diags.Errorf(p.VI.Latent[0].TypeSpan, "latent %s has %d entries, but the variable of the target has %d", p.VI.Latent[0].Name, part.Size,
			all.Size)
	}
}

// latent binds the latent variables: the variable of the target, or parts of it. It returns the logarithm of the Jacobian determinant of
// those that are values in terms of coordinates, nil where none are.
func (b *binder) latent(v *Variational, whole Param, names map[string]*expr.Node) (jacobian *expr.Node) {
	var terms []*expr.Node
	for _, p := range v.Spec.Latent {
		var q Param
		if v.Spec.LatentWhole {
			t := core(whole.Sym.Type)
			q = Param{Name: p.Name, Kind: whole.Kind, Sym: b.g.Sym(modelPrefix+p.Name, t, whole.Kind.Facts), Span: p.NameSpan}
		} else {
			q = b.param(p, modelPrefix, 0)
		}
		if v.Spec.LatentWhole || chart.Trivial(q.Kind.Type) {
			v.Latent, v.Places = append(v.Latent, q), append(v.Places, types.All)
		} else {
			coords, value, jacobian := b.charted(q, modelPrefix, func(name string) bool {
				return slices.ContainsFunc(slices.Concat(v.Spec.Latent, v.Spec.Data), func(other spec.Param) bool { return other.Name == name })
			})
			for k, c := range coords {
				v.Latent, v.Places = append(v.Latent, c), append(v.Places, q.Kind.Type.Coordinates()[k].Places)
			}
			q.Sym = value
			terms = append(terms, jacobian)
		}
		v.Declared = append(v.Declared, q)
		names[p.Name] = q.Sym
	}
	if terms == nil {
		return nil
	}
	return b.g.Add(terms...)
}

// realKind is the type of real numbers of a shape.
func realKind(t expr.Type) expr.Kind {
	var lengths []string
	for _, d := range t.Dims[:t.Rank] {
		lengths = append(lengths, d.String())
	}
	return expr.KindOf([]*types.Form{types.Number, types.Vector, types.Matrix}[t.Rank].Of(types.Real), lengths...)
}

// modelData binds the data. Those whose first dimension is n are given for each row: matrix(n, d) is a vector for each, of
// which X @ z makes a number for each.
func (b *binder) modelData(v *Variational, names map[string]*expr.Node) {
	b.rowwise = map[*expr.Node]bool{}
	for _, p := range v.Spec.Data {
		axes := expr.Axes(0)
		matrix := false
		if dims := p.Type.Dims; len(dims) > 0 && dims[0].Name == expr.Rows.String() {
			axes, v.ByRow = expr.Rows, true
			matrix = len(dims) == 2
			p.Type = ofRow(p.Type)
		}
		q := b.param(p, modelPrefix, axes)
		v.Data = append(v.Data, q)
		names[p.Name] = q.Sym
		b.rowwise[q.Sym] = matrix
	}
	if v.ByRow {
		return
	}
	for i, q := range v.Data { // one row
		s := b.g.Sym("row."+q.Sym.Name, q.Sym.Type.Over(expr.Rows), q.Kind.Facts)
		v.Data[i].Sym, names[q.Name] = s, s
	}
}

// ofRow is the type of one row of what has a first dimension n.
func ofRow(t syntax.TypeExpr) syntax.TypeExpr {
	if len(t.Dims) == 1 { // a vector of n numbers
		kind := t.Elem
		if kind == "" {
			kind = "real"
		}
		return syntax.TypeExpr{Kind: kind, Of: t.Of, Plus: t.Plus}
	}
	return syntax.TypeExpr{Kind: "vector", Elem: t.Elem, Dims: t.Dims[1:]}
}

// modelTerm binds one term of the log-density of a model: a number.
func (b *binder) modelTerm(f *spec.Formula, what string, names map[string]*expr.Node) *expr.Node {
	if f == nil {
		return nil
	}
	return b.number(f, what, names)
}
