package emit

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/bind"
	"github.com/sngdgen/sngdgen/gen/methods"
	"github.com/sngdgen/sngdgen/gen/plan"
	"github.com/sngdgen/sngdgen/gen/program"
)

// Packages with a variational objective have two kinds of rows: the draws, of which the objective is a mean, and the data,
// which the model of the latent variables sees (see derive.LatentModel). Kernels of the first kind call the second.

// drawRows is where kernels over the draws find their rows.
var drawRows = rowSource{x: "p.drawWeights", w: "p.drawWeights", data: "p."}

// allDraws is how many draws there are: of a mixture so many of each component.
func (f *file) allDraws() string { return drawsOf(f.Components) }

// drawFields are the arrays with one entry for every draw, with their lengths.
func (f *file) drawFields() {
	for name, t := range f.DrawTypes() {
		size := f.allDraws()
		if t.Rank > 0 {
			size += "*" + f.size(program.Shape{Dims: t.Dims[:t.Rank]})
		}
		f.noises[name] = size
	}
	f.noises["drawWeights"] = f.allDraws()
	if f.Mixture() != nil {
		f.noises[methods.LabelsField] = f.allDraws()
	}
}

// line is a statement that needs no import.
func line(format string, args ...any) *jen.Statement { return jen.Id(fmt.Sprintf(format, args...)) }

// drawMethods writes the methods of runtime.Variational.
func (f *file) drawMethods() {
	v := f.Variational()
	if v == nil {
		return
	}
	f.drawFields()
	f.add("Draws returns the number of draws of an evaluation"+f.eachAlike()+".",
		short(method("Draws").Params().Int(), line("return %s", f.allDraws())))
	set := "s"
	if f.Mixture() != nil {
		k := strings.TrimPrefix(f.allDraws(), "p.draws*")
		set = fmt.Sprintf("(s + %s - 1) / max(%s, 1)", k, k)
	}
	f.add("SetDraws sets the number of draws, and draws with a fixed seed.",
		method("SetDraws").Params(jen.Id("s").Int()).Error().Block(
			jen.If(line("s < 1")).Block(jen.Return(jen.Qual("fmt", "Errorf").Call(jen.Lit("%d draws are none"), jen.Id("s")))),
			line("p.draws = %s", set), line("p.allocate()"), line("return nil")))
	var draw []jen.Code
	for _, d := range v.Noise {
		draw = append(draw, f.drawNoise(d)...)
	}
	f.add("Draw makes new random numbers for all draws.",
		method("Draw").Params(jen.Id("rng").Op("*").Qual("math/rand/v2", "Rand")).Block(draw...))
	f.noiseArrays()
	store := func(name, to string, indefinite []jen.Code) []jen.Code {
		body := f.allocateDraws(name, indefinite) // which comes first
		body = append(body, f.kernel(name, nil, indefinite...)...)
		body = append(body, jen.Copy(jen.Id("dst"), jen.Id("p."+to)))
		if f.Mixture() != nil {
			body = append(body, line("p.label()"))
		}
		return body
	}
	f.labels()
	f.add("Latents writes the latent variables of every draw at z, row by row, to dst.",
		method("Latents").Params(floats("dst", "z")).Block(store("Latents", plan.DrawnColumn, spoil("dst"))...))
	ratios := func(name, doc string) {
		f.add(name+" writes "+doc, method(name).Params(floats("dst", "z")).Block(
			slices.Concat(one(line("p.LogDensities(dst, z)")), f.kernel(name, nil), one(jen.Copy(jen.Id("dst"), jen.Id("p.ratios"))))...))
	}
	ratios("Weights", "the logarithm of the joint density of data and latent variables, less that of the target, at every\n"+
		"draw to dst: the evidence lower bound is its mean.")
	if f.RefinedPosterior() {
		ratios("FinerWeights", "what Weights writes, with more nodes for integrals and more terms of series, to dst.")
	}
	f.add("LogDensities writes the log-density of the target at every draw to dst.",
		method("LogDensities").Params(floats("dst", "z")).Block(store("LogDensities", "ratios", slices.Concat(spoil("p.ratios")[:1], spoil("dst")))...))
}

// eachAlike says how the draws of a mixture are shared out.
func (f *file) eachAlike() string {
	if f.Mixture() == nil {
		return ""
	}
	return ", as many of every component"
}

// noiseArrays writes the method that shows the random numbers of the draws, so that they may be matched.
func (f *file) noiseArrays() {
	var arrays []jen.Code
	for _, d := range f.Variational().Noise {
		length := jen.Lit(1)
		if t := d.Sym.Type; t.Rank > 0 {
			length = jen.Id(f.inFields(f.size(program.Shape{Dims: t.Dims[:t.Rank]})))
		}
		fields := []jen.Code{field("Values", jen.Id("p."+methods.NoiseColumn(d))), field("Length", length)}
		if d.Kind.Quantile {
			fields = append(fields, field("Quantile", jen.Func().Params(jen.Id("u").Float64()).Float64().Block(
				jen.Return(jen.Qual(module+"/random", exported(d.Kind.Name)+"Quantile").Call(noiseArgs(jen.Id("u"), d)...)))))
		}
		if plain := len(d.Args) == 0; plain && d.Kind.Symmetric {
			fields = append(fields, field("Symmetric", jen.True()))
		}
		if plain := len(d.Args) == 0; plain && d.Kind.Spherical {
			fields = append(fields, field("Spherical", jen.True()))
		}
		arrays = append(arrays, jen.Values(fields...))
	}
	array := jen.Index().Add(runtimeType("Noise"))
	f.add("Noise returns the random numbers that the draws are made of: not copies.",
		method("Noise").Params().Add(array.Clone()).Block(jen.Return(array.Clone().Add(lines(arrays...)))))
}

// noiseArgs are the operands of a function of package random, the first of which is given.
func noiseArgs(first jen.Code, d bind.Draw) []jen.Code {
	args := []jen.Code{first}
	for i, param := range d.Kind.Params {
		v := param.Default
		if i < len(d.Args) {
			v, _ = d.Args[i].IsConst()
		}
		args = append(args, number(v).Statement)
	}
	return args
}

// drawNoise fills the random numbers of all draws. Antithetic draws come in pairs, of which the second has the opposite
// numbers where these are symmetric, and the same others.
func (f *file) drawNoise(d bind.Draw) []jen.Code {
	args := noiseArgs(jen.Id("rng"), d)
	field := "p." + methods.NoiseColumn(d)
	out := []jen.Code{jen.For(jen.Id("i").Op(":=").Range().Id(field)).Block(
		jen.Id(field).Index(jen.Id("i")).Op("=").Qual(module+"/random", exported(d.Kind.Name)).Call(args...))}
	if !f.d.Problem.Variational.Spec.Antithetic {
		return out
	}
	sign := ""
	if d.Kind.Symmetric && len(d.Args) == 0 {
		sign = "-"
	}
	return append(out, jen.For(line("half, i := len(%s)/(%s)*(%s/2), 0", field, f.allDraws(), f.allDraws()), line("i < half"), line("i++")).Block(
		line("%s[half+i] = %s%s[i]", field, sign, field)))
}

// variationalModel writes the type, its construction and its data.
func (f *file) variationalModel() {
	f.modelMethods()
	f.predictive()
	f.reported()
	f.siteMethods()
	if len(f.Pieces()) > 0 {
		f.piecesBody = f.kernel("SetData", nil)
	}
	solvers := f.solverFuncs() // the last to have a say on the workspace
	f.typeTheta()
	f.typeVariational()
	f.info()
	f.add("block is the number of rows that are taken at a time.", jen.Const().Id("block").Op("=").Lit(256))
	if f.Dataless() {
		f.withoutData()
		f.resize()
		f.cloneWithoutData()
	} else {
		f.variationalData()
		f.resize()
		f.clone()
	}
	f.fit()
	f.decls = append(f.decls, solvers...)
	f.integrals()
}

func (f *file) typeVariational() {
	fields := append(f.modelDataFields(), jen.Id("draws").Int().Comment("of an evaluation"))
	if f.ByQuadrature() {
		fields = append(fields, jen.List(jen.Id("nodes"), jen.Id("nodeWeights")).Index().Float64().Comment("of quadrature"))
	}
	for _, d := range f.Dims {
		fields = append(fields, jen.Id(plan.DimName(d)).Int().Comment("dimension"))
	}
	f.add("Model is the problem with its data: a runtime.Model. It is not safe for concurrent use; see Clone.",
		jen.Type().Id("Model").Struct(slices.Concat(fields, f.memoryFields(), f.helperFields())...))
	f.helpers()
	is := func(name string) jen.Code { return jen.Qual(module, name) }
	interfaces := []jen.Code{is("Variational"), is("Dual"), is("Objective")}
	if f.Variational().Exact != nil {
		interfaces = append(interfaces, is("Exact"))
	}
	if f.Sites() != nil {
		interfaces = append(interfaces, jen.Qual(epModule, "Model"))
	}
	if f.RefinedPosterior() {
		interfaces = append(interfaces, is("RefinedVariational"))
	}
	switch {
	case f.External():
		interfaces = append(interfaces, is("External"))
	case !f.Dataless():
		interfaces = append(interfaces, is("Batcher"))
	}
	if len(f.Variational().Reported) > 0 {
		interfaces = append(interfaces, is("Reporter"))
	}
	if f.Predicts() != nil {
		interfaces = append(interfaces, is("Predictor"))
	}
	if f.Supported() {
		interfaces = append(interfaces, is("Supported"))
	}
	f.implements(interfaces)
}

// modelDataFields are the fields with the data, or with the function that stands for them.
func (f *file) modelDataFields() []jen.Code {
	switch {
	case f.External():
		return []jen.Code{jen.Id("logDensity").Add(runtimeType("LogDensity")).Comment("of the latent variables")}
	case f.Dataless() && f.Variational().Model != nil:
		return []jen.Code{f.embeddedData().Comment("the one row of a model without data")}
	case f.Dataless():
		return nil
	}
	fields := []jen.Code{f.embeddedData()}
	for _, q := range f.DataParams() {
		fields = append(fields, jen.Id(f.DataField(q)).Index().Float64().Comment(q.Name+", row by row"))
	}
	for i := range f.Pieces() {
		fields = append(fields, jen.Id(methods.PieceField(i)).Index().Float64().Comment("computed once, row by row"))
	}
	for i := range f.Stacked() {
		fields = append(fields, jen.Id(methods.StackedField(i)).Index().Float64().Comment("coefficients of all latent variables, row by row"))
	}
	for _, name := range slices.Sorted(maps.Keys(f.PredictiveTypes())) {
		fields = append(fields, jen.Id(name).Index().Float64().Comment("of every row, for Predict"))
	}
	return fields
}

// variationalData writes New, SetData, Batch and Counts.
func (f *file) variationalData() {
	f.add("New returns the model of a data set: a row for each observation, of which the columns are "+methods.ColumnNames(f.DataParams())+".",
		jen.Func().Id("New").Params(jen.Id("data").Add(runtimeType("Data"))).Params(jen.Op("*").Id("Model"), jen.Error()).Block(
			line("return ").Qual(supportModule, "Filled").Call(line("new(Model)"), line("data"))))
	f.setVariationalData()
	f.scaledBatch()
}

// setVariationalData splits the columns of the data.
func (f *file) setVariationalData() {
	split := f.split(f.DataParams())
	given := append(split.levels(), split.unknown)
	if f.latentDim() != nil {
		given = append(given, f.d.Problem.Target.Variable.Sym.Type.Dims[0])
	}
	body := slices.Concat(f.checkUndivided(), f.knowsComponents(), f.knowsLengths(given...), split.length, split.rows,
		f.inSupport(split.unknown, "length"))
	if split.unknown.Name != "" {
		body = append(body, line("p.%s = length", plan.DimName(split.unknown)))
	}
	body = append(body, split.count...)
	body = append(body, f.latentDim()...)
	body = append(body, line("p.allocate()"), line("p.Keep").Call(viewed("rows", f.GivenFields())...))
	if stacked := f.stack(); len(stacked) > 0 {
		body = append(append(body, stacked...), line("return p.Batch(nil)"))
	} else {
		body = append(body, line("return nil"))
	}
	f.add("SetData validates the data and takes them.", method("SetData").Params(jen.Id("d").Add(runtimeType("Data"))).Error().Block(body...))
}

// columnSplit takes the rows of a data set d apart.
type columnSplit struct {
	unknown expr.Dim   // the one dimension that is no number: it follows from how many columns there are
	length  []jen.Code // computes it, where there is one
	rows    []jen.Code // makes the columns
	// numbered are the dimensions of which the data have numbers of entries: the columns, the weights being the first, by dimension.
	numbered map[expr.Dim][]int
	count    []jen.Code // finds how long these are, where nobody has said it
}

// levels are the dimensions of which the data have numbers of entries, in the order of their names.
func (s columnSplit) levels() []expr.Dim {
	return slices.SortedFunc(maps.Keys(s.numbered), func(a, b expr.Dim) int { return strings.Compare(a.Name, b.Name) })
}

// split takes rows apart that consist of parts.
func (f *file) split(parts []bind.Param) columnSplit {
	w := methods.WidthsOf(parts)
	out := columnSplit{unknown: w.Unknown, numbered: map[expr.Dim][]int{}}
	for k, q := range parts {
		if of := q.Sym.Facts.Index; of.Name != "" {
			out.numbered[of] = append(out.numbered[of], k+1)
		}
	}
	refuse := jen.Return(jen.Qual("fmt", "Errorf").Call(jen.Lit("%d columns are not "+methods.ColumnNames(parts)), jen.Id("d.Columns")))
	if w.Unknown.Name != "" {
		out.length = []jen.Code{
			line("length := ").Qual(supportModule, "Side").Call(line("d.Columns"), jen.Lit(w.Fixed), jen.Lit(w.Times), jen.Lit(w.Squares)),
			jen.If(line("length == 0")).Block(refuse)}
	}
	delete(out.numbered, out.unknown)
	for _, d := range out.levels() {
		name := "p." + plan.DimName(d)
		var set []jen.Code
		for _, k := range out.numbered[d] {
			levels := line("rows.Levels(%d)", k)
			if beyond := parts[k-1].Sym.Facts.Beyond; beyond > 0 {
				levels = line("rows.Levels(%d)-%d", k, beyond)
			}
			set = append(set, line("%s = ", name).Max(line("%s", name), levels))
		}
		set = append([]jen.Code{line("%s = 1", name)}, set...)
		out.count = append(out.count, jen.If(line("%s == 0", name)).Block(set...))
	}
	var columns []jen.Code
	for _, q := range parts {
		width := widthText(q.Sym.Type)
		part := []jen.Code{field("Name", jen.Lit(q.Name)), field("Type", typeOf(q.Kind.Type)), field("Width", jen.Id(width))}
		switch of := q.Sym.Facts.Index; {
		case of == (expr.Dim{}):
		case of == out.unknown:
			part = append(part, field("Levels", jen.Id("length")))
		default:
			part = append(part, field("Levels", dimOf(of)))
		}
		if beyond := q.Sym.Facts.Beyond; beyond > 0 {
			part = append(part, field("Beyond", jen.Lit(beyond)))
		}
		columns = append(columns, jen.Values(part...))
	}
	take := "Split"
	if f.Merged {
		take = "SplitMerged"
	}
	out.rows = []jen.Code{
		line("rows, err := ").Qual(supportModule, take).Call(line("d"), jen.Index().Qual(supportModule, "Part").Add(lines(columns...))),
		jen.If(line("err != nil")).Block(line("return err"))}
	return out
}

// latentDim sets the length of the target's variable where it is that of several latent variables together.
func (f *file) latentDim() []jen.Code {
	z := f.d.Problem.Target.Variable.Sym.Type
	m := f.Variational().Model
	if m == nil || z.Rank == 0 || z.Dims[0].Name == "" || f.d.Problem.Variational.Whole(f.d.Problem.Target) {
		return nil
	}
	return []jen.Code{line("p.%s = %s", plan.DimName(z.Dims[0]), f.inFields(f.latentLen()))}
}

// labels writes the method that gives every component of a mixture the same number of draws.
func (f *file) labels() {
	if f.Mixture() == nil {
		return
	}
	f.add("label gives every component the same number of draws.", method("label").Params().Block(
		jen.For(line("i := range p.%s", methods.LabelsField)).Block(line("p.%s[i] = float64(i / p.draws)", methods.LabelsField))))
}

// allocateDraws gives the components of a mixture draws in the proportion of their weights, so that all draws count alike.
func (f *file) allocateDraws(name string, indefinite []jen.Code) []jen.Code {
	m := f.Mixture()
	if m == nil {
		return nil
	}
	f.noises["weights"] = plan.DimName(m.Components)
	stmts := f.statements(name, nil, indefinite...)
	return []jen.Code{jen.Block(f.declareDims(stmts)...), jen.Qual(supportModule, "Stratify").Call(jen.Id("p."+methods.LabelsField), jen.Id("p.weights"))}
}

// objectiveName is what the loss is.
func (f *file) objectiveName() string {
	if f.Variational() != nil {
		return "the negative evidence lower bound, estimated by draws,"
	}
	return "the mean negative log-likelihood"
}
