package methods

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/diff"
	"github.com/sngdgen/sngdgen/expr/rewrite"
	"github.com/sngdgen/sngdgen/gen/bind"
	"github.com/sngdgen/sngdgen/gen/derive"
	"github.com/sngdgen/sngdgen/gen/plan"
	"github.com/sngdgen/sngdgen/gen/program"
	"github.com/sngdgen/sngdgen/gen/program/wording"
)

// Shaped reports whether the problem has vectors or matrices.
func (f *Package) Shaped() bool { return !f.d.Problem.Scalar() }

// Vectors reports whether some value of the problem, or of a component of a mixture, is a vector or a matrix.
func (f *Package) Vectors() bool {
	p := f.d.Problem
	vector := func(q bind.Param) bool { return q.Sym.Type.Rank > 0 }
	return slices.ContainsFunc(slices.Concat(p.Target.Record(), p.Target.Params, p.Surrogate.Params), vector)
}

// dims are the dimensions of the problem that have names, that of the components last.
func (f *Package) dims() []expr.Dim {
	p := f.d.Problem
	var out []expr.Dim
	for _, q := range slices.Concat(p.Target.Record(), p.Target.Params, p.Surrogate.Params, f.ModelParams()) {
		t := q.Sym.Type
		for _, d := range append(t.Dims[:t.Rank:t.Rank], q.Sym.Facts.Index) {
			if d.Name != "" && !slices.Contains(out, d) {
				out = append(out, d)
			}
		}
	}
	if k := f.Components; k.Name != "" {
		out = append(out, k)
	}
	return out
}

// Pinned reports whether there are vectors or matrices, all of known lengths: then the workspace is made when it is
// needed first, since nobody has lengths to set.
func (f *Package) Pinned() bool { return f.Shaped() && len(f.Dims) == 0 }

// Mixture is what a problem with mixtures has besides, nil where there is none.
func (f *Package) Mixture() *bind.Mixture { return f.d.Problem.Mixture }

// lengths are those of a value, that of the components first.
func (f *Package) lengths(t expr.Type) []expr.Dim {
	dims := t.Dims[:t.Rank]
	if t.Axes.Has(expr.Components) {
		return append([]expr.Dim{f.Components}, dims...)
	}
	return dims
}

// ofComponent reports whether a parameter is one of each component.
func (f *Package) ofComponent(q bind.Param) bool {
	return q.Sym.Type.Axes.Has(expr.Components) && !f.isWeights(q.Sym)
}

func (f *Package) isWeights(sym *expr.Node) bool {
	return f.Mixture() != nil && (sym == f.Mixture().Weights || sym == f.d.Problem.Target.Params[0].Sym)
}

// ParamName is the local name of a parameter. That of the weights of a mixture is pi, as in the literature: weights are
// those of the rows.
func (f *Package) ParamName(sym *expr.Node, name string) string {
	if f.isWeights(sym) {
		return "pi"
	}
	return f.Local(name)
}

// CoordName is the local name of a coordinate.
func (f *Package) CoordName(c derive.Coord) string {
	switch {
	case c.Free && c.Name == "weights":
		return "freePi"
	case c.Free: // no name of a spec either
		return c.Name
	}
	return f.Local(c.Name)
}

// mixtureInputs are the numbers that formulas of mixtures may use: how many components there are, and which one it is.
func (f *Package) mixtureInputs() []plan.Input {
	m := f.Mixture()
	if m == nil {
		return nil
	}
	return []plan.Input{
		{Sym: f.d.Problem.Graph.Size(expr.Components), From: &program.Given{Kind: program.LengthOf, Dim: m.Components}},
		{Sym: m.Index, Name: "index", From: &program.Given{Kind: program.NumberOf}},
		{Sym: m.Last, Name: "last", From: &program.Given{Kind: program.LastOf, Dim: m.Components}},
		{Sym: m.Blend, From: program.Field("p", "blend")},
	}
}

// own makes the values of one component of what formulas are made of: symbols without the axis of the components in the place of
// those with it, read where the variable comp says.
func (f *Package) own(nodes []*expr.Node, in []plan.Input) ([]*expr.Node, []plan.Input) {
	g, by := f.d.Problem.Graph, map[*expr.Node]*expr.Node{}
	out := make([]plan.Input, len(in))
	for i, input := range in {
		out[i] = input
		if !input.From.Varies() {
			continue
		}
		t := input.Sym.Type
		t.Axes &^= expr.Components
		by[input.Sym] = g.Fresh(input.Name, t, input.Sym.Facts)
		out[i] = plan.Input{Sym: by[input.Sym], Name: input.Name, From: input.From.Own()}
	}
	return g.SubstituteAll(nodes, by), out
}

// target and surrogate are the names of the two distributions.
func (f *Package) TargetName() string { return f.d.Problem.Target.Name }

func (f *Package) SurrogateName() string { return f.d.Problem.Surrogate.Name }

// Local is a local name for a value of the spec.
func (f *Package) Local(name string) string { return plan.Local(name, f.Dims) }

// defs are the standard parameters, and the names of the target's parameters.
func (f *Package) surrogateDefs() ([]plan.Def, map[*expr.Node]string) {
	var defs []plan.Def
	for _, d := range f.d.Surrogate.Defs {
		defs = append(defs, plan.Def{Sym: d.Sym, Name: f.ParamName(d.Sym, d.Name), Node: d.Node})
	}
	names := map[*expr.Node]string{}
	for _, t := range f.d.Surrogate.Theta {
		if t.Node.Op != expr.Const && t.Node.Op != expr.Sym {
			names[t.Node] = f.Local(t.Name)
		}
	}
	names[f.Rows.Sym] = f.Local(f.d.Problem.Target.Variable.Name)
	return defs, names
}

// coordInputs are the coordinates, read from z.
func (f *Package) coordInputs() []plan.Input {
	return append(f.coordSlices(), f.dataInputs()...)
}

func (f *Package) coordSlices() []plan.Input {
	var in []plan.Input
	at := f.CoordLayout()
	for i, c := range f.d.Surrogate.Coords {
		in = append(in, at.input(program.Argument("z"), i, c.Sym, f.CoordName(c)))
	}
	return in
}

// dataInputs are the numbers of the data that every kernel may use: the sum of the weights and the constants.
func (f *Package) dataInputs() []plan.Input {
	in := f.sizes()
	for _, c := range f.d.Problem.Constants {
		in = append(in, plan.Input{Sym: c.Sym, From: program.Field("p", ConstantField(c.Sym))})
	}
	return in
}

// rowCount is the sum of the weights of the rows of the objective.
func (f *Package) rowCount() *program.Given {
	if f.Variational() != nil {
		return &program.Given{Kind: program.DrawsOf, Dim: f.Components}
	}
	return program.Field("p", WeightField)
}

// sizes are the sum of the weights and the lengths of the dimensions.
func (f *Package) sizes() []plan.Input {
	in := []plan.Input{{Sym: f.d.Problem.Graph.Size(expr.Rows), From: f.rowCount()}}
	for _, d := range f.Dims {
		in = append(in, f.length(d))
	}
	return append(in, f.mixtureInputs()...)
}

// length is that of a dimension as a number, an input of kernels.
func (f *Package) length(d expr.Dim) plan.Input {
	return plan.Input{Sym: f.d.Problem.Graph.DimNode(d), From: &program.Given{Kind: program.LengthOf, Dim: d}}
}

// CoordLayout is where the coordinates lie in z, thetaLayout where the parameters of the target lie in theta.
func (f *Package) CoordLayout() Layout {
	l := Layout{Components: f.Components}
	for _, c := range f.d.Surrogate.Coords {
		l = l.Add(Place{c.Sym.Type, c.Free})
	}
	return l
}

func (f *Package) ThetaLayout() Layout {
	l := Layout{Components: f.Components}
	for _, t := range f.d.Problem.Target.Params {
		l = l.Add(Place{Type: t.Sym.Type})
	}
	return l
}

// RecordLayout is where the parts of a row of data lie.
func (f *Package) RecordLayout() Layout { return layoutOf(f.d.Problem.Target.Record()) }

func layoutOf(row []bind.Param) (l Layout) {
	for _, q := range row {
		l = l.Add(Place{Type: CoreOf(q.Sym.Type)})
	}
	return l
}

// LatentLayout is where the latent variables lie.
func (f *Package) LatentLayout() Layout {
	var l Layout
	for _, q := range f.d.Problem.Variational.Latent {
		l = l.Add(Place{Type: q.Sym.Type})
	}
	return l
}

// Variational is what a problem with a variational objective has besides, nil for others.
func (f *Package) Variational() *derive.Variational { return f.d.Variational }

// Estimated reports whether the loss is an estimate by draws: not where all expectations are known.
func (f *Package) Estimated() bool {
	found := false
	expr.Walk(func(n *expr.Node) { found = found || n.Type.Axes.Has(expr.Rows) }, f.d.Surrogate.Loss)
	return f.Variational() != nil && found
}

// DataField is the field with the rows of one part of the data.
func (f *Package) DataField(q bind.Param) string {
	for _, other := range f.DataParams() {
		if other.Name != q.Name && exported(other.Name) == q.Name {
			return wording.Behind("data", q.Name)
		}
	}
	return "data" + exported(q.Name)
}

// drawColumns are the columns of the draws: random numbers, and what the model gives.
func (f *Package) drawColumns() map[*expr.Node]string {
	out := map[*expr.Node]string{}
	for _, d := range f.Variational().Noise {
		out[d.Sym] = NoiseColumn(d)
	}
	if m := f.Mixture(); m != nil {
		out[m.Label] = LabelsField
	}
	return out
}

// DrawTypes are the types of the columns of the draws.
func (f *Package) DrawTypes() map[string]expr.Type {
	z := f.d.Problem.Target.Variable.Sym.Type
	out := map[string]expr.Type{plan.DrawnColumn: z, plan.GradientsColumn: z, plan.ValuesColumn: expr.Scalar, "ratios": expr.Scalar}
	for _, d := range f.Variational().Noise {
		out[NoiseColumn(d)] = d.Sym.Type
	}
	for i, t := range f.Kept {
		out[plan.KeptColumn(i)] = t
	}
	return out
}

func (f *Package) DataParams() []bind.Param {
	v := f.Variational()
	switch {
	case v == nil:
		return f.d.Problem.Target.Record()[1:]
	case v.Model != nil:
		return v.Model.Data
	}
	return nil
}

// ModelParams are the latent variables and the data of a model, none where there is no model.
func (f *Package) ModelParams() []bind.Param {
	if v := f.Variational(); v != nil && v.Model != nil {
		return slices.Concat(v.Model.Latent, v.Model.Data)
	}
	return nil
}

// External reports whether the log-density of the latent variables is a function in Go.
func (f *Package) External() bool {
	v := f.d.Problem.Variational
	return v != nil && v.External
}

// Dataless reports whether a variational objective has no data: its log-density is a function in Go, or depends on the latent
// variables alone.
func (f *Package) Dataless() bool { return f.Variational() != nil && len(f.DataParams()) == 0 }

// Sites are nil where the problem has none.
func (f *Package) Sites() *derive.Sites {
	if v := f.Variational(); v != nil {
		return v.Sites
	}
	return nil
}

// Predicts is how the data are drawn; nil where the spec does not say.
func (f *Package) Predicts() *bind.Predictive {
	if v := f.Variational(); v != nil {
		return v.Predictive
	}
	return nil
}

// Packed reports whether some coordinates have fewer numbers than entries.
func (f *Package) Packed() bool {
	v := f.d.Problem.Variational
	return v != nil && v.Packed()
}

// Ordered reports whether the order of the rows counts: of the target, or of the model of which it approximates the posterior.
func (f *Package) Ordered() bool {
	return f.d.Problem.Target.Ordered() || f.d.Problem.Variational.Ordered()
}

// Records reports whether rows have other columns than the numbers of one variable, or are matrices or numbers of entries, whose
// lengths they say.
func (f *Package) Records() bool { return InParts(f.d.Problem.Target) }

// Integer reports whether observations are whole numbers, of which equal ones are merged.
func (f *Package) Integer() bool { return f.d.Problem.Target.Variable.Kind.Integer }

// Supported reports whether there are conditions on one row of the data.
func (f *Package) Supported() bool { return len(f.d.Problem.Support()) > 0 }

func (f *Package) stable(nodes ...*expr.Node) []*expr.Node {
	return rewrite.New(f.d.Problem.Graph, rewrite.Rules(rewrite.Algebraic, rewrite.Stabilising)).Apply(nodes...)
}

func (f *Package) mustJacobian(fn *expr.Lambda) [][]*expr.Node {
	j, err := diff.Jacobian(f.d.Problem.Graph, fn.Eqs, fn.Vars)
	if err != nil {
		panic("emit: " + err.Error()) // the equations were differentiated before, when they were pulled back
	}
	return j
}

// weightsTo writes one number for each component to memory.
func (f *Package) weightsTo(memory *program.Given, n *expr.Node) plan.Output {
	t := f.Mixture().Weights.Type
	return plan.Output{To: memory.Cut(program.Part{Type: t, Components: f.Components}), Node: n, Type: t}
}

// thetaSlices are the target's parameters, read from a slice theta.
func (f *Package) thetaSlices() []plan.Input {
	var in []plan.Input
	at := f.ThetaLayout()
	for i, t := range f.d.Problem.Target.Params {
		in = append(in, at.input(program.Argument("theta"), i, t.Sym, f.ParamName(t.Sym, t.Name)))
	}
	return in
}

// thetaInputs are the target's parameters, read from a struct Theta.
func (f *Package) thetaInputs(from string) []plan.Input {
	var in []plan.Input
	for _, t := range f.d.Problem.Target.Params {
		in = append(in, plan.Input{Sym: t.Sym, Name: f.Local(t.Name), From: program.Field(from, exported(t.Name))})
	}
	return in
}

// ConstantField is the field of the model that holds a constant.
func ConstantField(sym *expr.Node) string { return wording.Behind("const", derive.Plain(sym.Name)) }

func CoreOf(t expr.Type) expr.Type { t.Axes = 0; return t }

// NoiseColumn is the field with a random number, or an array of them, for every draw.
func NoiseColumn(d bind.Draw) string {
	return wording.Behind("draw", derive.Plain(d.Sym.Name))
}

// VariableNames are the names of what a density is about: "y", "y, z".
func VariableNames(t *bind.Density) string {
	var names []string
	for _, q := range t.Observed() {
		names = append(names, q.Name)
	}
	return strings.Join(names, ", ")
}

// ColumnNames lists parts of the rows of data.
func ColumnNames(parts []bind.Param) string {
	var names []string
	for _, q := range parts {
		name := q.Name
		switch t := q.Sym.Type; t.Rank {
		case 1:
			name += " (" + t.Dims[0].String() + ")"
		case 2:
			name += fmt.Sprintf(" (%v x %v)", t.Dims[0], t.Dims[1])
		}
		names = append(names, name)
	}
	return strings.Join(names, ", then ")
}

// params are the parameters of a solver, under short names.
func SolverParams(fn *expr.Lambda) ([]plan.Input, []string) {
	var in []plan.Input
	var names []string
	for i, p := range fn.Params {
		name := fmt.Sprintf("p%d", i+1)
		in = append(in, plan.Input{Sym: p, From: program.Argument(name)})
		names = append(names, name)
	}
	return in, names
}

// RowWidth is how many numbers a row has.
func RowWidth(t expr.Type) string {
	if t.Rank == 0 {
		return "1"
	}
	return plan.DimName(t.Dims[0])
}

// ownSource is where the kernels of the objective find their rows: the data, or the draws.
func (f *Package) ownSource() Source {
	if f.Variational() != nil {
		return DrawRows
	}
	return OwnRows
}
