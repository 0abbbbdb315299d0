package emit

import (
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dave/jennifer/jen"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/derive"
	"github.com/sngdgen/sngdgen/gen/methods"
	"github.com/sngdgen/sngdgen/gen/plan"
	"github.com/sngdgen/sngdgen/gen/program"
	"github.com/sngdgen/sngdgen/runtime/types"
)

// display prints an expression for a comment.
func display(n *expr.Node) string { return n.String() }

// packageDoc explains the package: model, map, coordinates, cost.
func (f *file) packageDoc() []string {
	p := f.d.Problem
	how := "by maximum likelihood"
	if f.Variational() != nil {
		how = "to a posterior"
	}
	doc := []string{fmt.Sprintf("Package %s fits %s %s with natural gradients of a surrogate, %s.",
		p.Spec.Package, f.TargetName(), how, f.SurrogateName())}
	if p.Spec.Doc != "" {
		doc = append(doc, "", prose(p.Spec.Doc))
	}
	doc = append(doc, "", "Model (theta):", "", "\tlog q("+methods.VariableNames(p.Target)+") = "+display(p.Target.LogPDF))
	for _, t := range p.Target.Params {
		doc = append(doc, fmt.Sprintf("\t%s: %s", t.Name, t.Kind.Name))
	}
	doc = append(doc, "", fmt.Sprintf("Surrogate %s: steps are taken in its %s parameters", f.SurrogateName(), p.Spec.Step), "")
	for i, c := range f.d.Surrogate.Coords {
		at := given(f.CoordLayout().Of(program.Argument("z"), i))
		if c.Auxiliary {
			doc = append(doc, fmt.Sprintf("\t%s = %s (auxiliary)", at, c.Name))
			continue
		}
		doc = append(doc, fmt.Sprintf("\t%s = %s = %s", at, c.Sym.Name[strings.LastIndexByte(c.Sym.Name, '.')+1:], display(f.d.Surrogate.SteppedOf[i])))
	}
	if f.Mixture() != nil {
		doc = append(doc, "", "of every component, the first of all but the last: its own is 0, and last is 1 for it, 0 for the others; sum_k, softmax",
			"and logsumexp go over the components")
	}
	doc = append(doc, "", "from which its standard parameters are", "")
	for _, d := range f.d.Surrogate.Defs {
		doc = append(doc, fmt.Sprintf("\t%s = %s", d.Name, display(d.Node)))
	}
	doc = append(doc, "", "Map g, from the surrogate to the target:", "")
	for _, t := range p.Map {
		doc = append(doc, fmt.Sprintf("\t%s = %s", derive.Plain(t.Sym.Name), display(t.Node)))
	}
	doc = append(doc, "", "Cost of one natural gradient: "+f.cost(f.Usage("NaturalGradient"))+".", "",
		"Cost of both gradients and the loss: "+f.cost(f.Usage("Gradients"))+".")
	for _, n := range f.Usage("NaturalGradient").Inverted {
		doc = append(doc, "", "A natural gradient uses entries of the inverse of "+display(n)+", for which it is made.")
	}
	return append(doc, "", "Nothing is allocated after New.")
}

// prose makes a sentence of a doc. What does not begin with a letter or a digit is introduced, so that it is no directive of
// the go command, such as a build constraint.
func prose(doc string) string {
	first, size := utf8.DecodeRuneInString(doc)
	if !unicode.IsLetter(first) && !unicode.IsDigit(first) {
		return "The spec says: " + doc + "."
	}
	return string(unicode.ToUpper(first)) + doc[size:] + "."
}

// model writes the type, its construction and its description.
func (f *file) model() {
	f.columnsBody, f.prepareBody = f.columnStage(), f.kernel("prepare", nil)
	if len(f.d.Problem.Constants) > 0 {
		f.constantsBody = f.kernel("constants", nil)
	}
	solvers := f.solverFuncs() // the last to have a say on the workspace
	f.typeTheta()
	f.typeModel()
	f.info()
	f.add("block is the number of rows that are summed at a time.", jen.Const().Id("block").Op("=").Lit(256))
	f.construct()
	f.setData()
	f.batch()
	f.add("Observations returns the distinct rows, or those of the batch, and their weights, which are not to be modified.",
		brief(method("Observations").Params().Add(runtimeType("Data")), append(f.have(f.DataColumns()...),
			jen.Return(jen.Qual(supportModule, "Held").Call(f.heldColumns()...)))...))
	f.resize()
	f.clone()
	f.fit()
	f.decls = append(f.decls, solvers...)
}

// heldColumns are the weights and the columns of the data.
func (f *file) heldColumns() []jen.Code {
	out := []jen.Code{line("p.W")}
	for _, name := range f.DataColumns() {
		out = append(out, line("p.%s", name))
	}
	return out
}

func (f *file) typeTheta() {
	var fields []jen.Code
	for _, t := range f.d.Problem.Target.Params {
		fields = append(fields, jen.Id(exported(t.Name)).Add(goType(t.Sym.Type)).Comment(t.Kind.Name))
	}
	f.add(fmt.Sprintf("Theta are the parameters of %s.", f.TargetName()), jen.Type().Id("Theta").Struct(fields...))
}

// goType is the Go type of a value.
func goType(t expr.Type) *jen.Statement {
	if t.Rank > 0 || t.Axes.Has(expr.Components) {
		return jen.Index().Float64()
	}
	return jen.Float64()
}

func (f *file) typeModel() {
	f.add("Model is the problem with its data: a runtime.Model. It is not safe for concurrent use; see Clone.",
		jen.Type().Id("Model").Struct(slices.Concat(f.rowFields(), f.dataFields(), f.limitFields(), f.memoryFields(), f.helperFields())...))
	f.helpers()
	is := func(name string) jen.Code { return jen.Qual(module, name) }
	list := []jen.Code{is("Model"), is("Dual"), is("Batcher")}
	if f.Mixture() != nil {
		list = append(list, is("Mixture"))
	}
	if f.Shaped() {
		list = append(list, is("Objective"))
	} else {
		list = append(list, is("Informed"))
	}
	if f.d.Problem.Target.Sample != nil {
		list = append(list, is("Sampler"))
	}
	if f.Supported() {
		list = append(list, is("Supported"))
	}
	if len(f.Limited) > 0 {
		list = append(list, is("Limiting"))
	}
	f.implements(list)
}

// implements has the compiler check which interfaces a model has.
//
//	func _(p *Model) (<interfaces>) { return p, p }
func (f *file) implements(list []jen.Code) {
	values := make([]jen.Code, len(list))
	for i := range values {
		values[i] = jen.Id("p")
	}
	f.decls = append(f.decls, jen.Add(comments("A model is all of these."),
		short(jen.Func().Id("_").Params(jen.Id("p").Op("*").Id("Model")).Params(list...), jen.Return(values...))))
}

// rowFields are the fields of the rows and of their lengths.
func (f *file) rowFields() []jen.Code {
	x := f.d.Problem.Target.Variable
	what := f.rowName() + "s of " + x.Name
	if x.Sym.Type.Rank > 0 {
		what += ", one after the other"
	}
	fields := []jen.Code{
		f.embeddedData(),
		jen.Id("x").Index().Float64().Comment(what + ": those of a batch, or all"),
	}
	for _, q := range f.d.Problem.Target.Record()[1:] {
		fields = append(fields, jen.Id(f.DataField(q)).Index().Float64().Comment(q.Name+" of the same rows"))
	}
	for _, d := range f.Dims {
		fields = append(fields, jen.Id(plan.DimName(d)).Int().Comment("dimension"))
	}
	return fields
}

// dataFields are the fields of what depends on the data alone.
func (f *file) dataFields() []jen.Code {
	var fields []jen.Code
	for _, c := range f.d.Problem.Constants {
		fields = append(fields, jen.Id(methods.ConstantField(c.Sym)).Add(goType(c.Sym.Type)).Comment(display(c.Sym)+" = "+display(c.Node)))
	}
	for _, d := range f.DataStage.Scalars {
		what := display(d.Node)
		if slices.Contains(f.Lower, d.Name) {
			what = "lower triangle of " + what
		}
		fields = append(fields, jen.Id(d.Name).Add(goType(d.Node.Type)).Comment(what))
	}
	for _, d := range f.DataStage.Columns {
		fields = append(fields, jen.Id(d.Name).Index().Float64().Comment(display(d.Node)))
	}
	return fields
}

// memoryFields are the fields of the workspace.
func (f *file) memoryFields() []jen.Code {
	var fields []jen.Code
	for _, s := range f.slots {
		var names []string
		for slot := range s.Count {
			if name := f.slotName(s.Shape, slot); f.owned[name] == "" {
				names = append(names, name)
			}
		}
		fields = append(fields, arrayFields(names, "workspace: "+f.size(s.Shape))...)
	}
	bySize := map[string][]string{}
	for _, name := range slices.Sorted(maps.Keys(f.noises)) {
		if f.owned[name] == "" {
			bySize[f.noises[name]] = append(bySize[f.noises[name]], name)
		}
	}
	for _, size := range slices.Sorted(maps.Keys(bySize)) {
		fields = append(fields, arrayFields(bySize[size], "for draws: "+size)...)
	}
	if f.evaluated {
		fields = append(fields, jen.Id(evaluatedField).Qual(supportModule, "Evaluation").Comment("at all draws"))
	}
	if f.predictors > 0 {
		fields = append(fields, jen.Id(groupsField).Qual(supportModule, "Groups").Comment("of draws"))
	}
	for i := range f.predictors {
		fields = append(fields, jen.List(jen.Id(methods.PredictorField(i)), jen.Id(methods.SlopeField(i))).Index().Float64().Comment("of all rows at a draw"))
	}
	for _, name := range slices.Sorted(maps.Keys(f.systems)) {
		fields = append(fields, jen.Id(name).Index().Float64().Comment("of a solver"))
	}
	if f.Variational() == nil {
		fields = append(fields, f.scanDeclarations()...)
	}
	for _, name := range slices.Sorted(maps.Keys(f.preparedTypes)) {
		if !f.helps() {
			fields = append(fields, f.preparedDeclaration(name))
		}
	}
	if f.Mixture() != nil {
		if f.Variational() == nil {
			fields = append(fields, jen.Id("labels").Index().Float64().Comment("of the groups of the rows, for starts"))
		}
		fields = append(fields, jen.Id("blend").Float64().Comment("how much of all rows is mixed into each group"))
	}
	switch {
	case f.Pinned():
		fields = append(fields, jen.Id("allocated").Bool().Comment("the workspace is there"))
	case f.Shaped():
		fields = append(fields, jen.Id("blocks").Index().Add(runtimeType("Block")))
	}
	return fields
}

func (f *file) info() {
	defs := []jen.Code{jen.Id("info").Op("=").Add(literal(reflect.ValueOf(*f.Info)))}
	blocks := "p.blocks"
	if !f.Shaped() || f.Pinned() {
		defs = append(defs, jen.Id("blocks").Op("=").Index().Add(runtimeType("Block"), lines(f.blocks()...)))
		blocks = "blocks"
	}
	f.decls = append(f.decls, jen.Var().Defs(append(defs, jen.Id("conditions").Op("=").Index().Add(runtimeType("Condition"),
		lines(f.conditions()...)))...))
	f.add("Info describes the problem.", short(method("Info").Params().Op("*").Add(runtimeType("Info")), jen.Return(jen.Op("&").Id("info"))))
	f.add("Blocks describes the coordinates.", short(method("Blocks").Params().Index().Add(runtimeType("Block")), jen.Return(jen.Id(blocks))))
	f.add("Conditions describes the domain.", short(method("Conditions").Params().Index().Add(runtimeType("Condition")), jen.Return(jen.Id("conditions"))))
}

// conditions prints the conditions, one a line.
func (f *file) conditions() []jen.Code {
	var out []jen.Code
	for _, c := range f.Conditions {
		out = append(out, braces(reflect.ValueOf(c)))
	}
	return out
}

// field is an element of a composite literal.
func field(name string, value jen.Code) *jen.Statement { return jen.Id(name).Op(":").Add(value) }

// lines is the braces of a composite literal with one element a line.
func lines(list ...jen.Code) *jen.Statement {
	return jen.Custom(jen.Options{Open: "{", Close: "}", Separator: ",", Multi: true}, list...)
}

func (f *file) construct() {
	if f.Records() {
		f.constructRecords()
		return
	}
	x := f.d.Problem.Target.Variable
	about, args, data := "the observations x", []string{"x"}, []jen.Code{field("Values", jen.Id("x"))}
	var numbers []jen.Code
	if t := x.Sym.Type; t.Rank > 0 {
		about = "observations, x row by row with the given number of columns"
		numbers = append(numbers, jen.Id("columns"))
		data = append(data, field("Columns", jen.Id("columns")))
	}
	if f.Components.Name != "" {
		about += ", with a number of components"
		numbers = append(numbers, jen.Id("components"))
	}
	params := func(names ...string) []jen.Code {
		if len(numbers) == 0 {
			return []jen.Code{floats(names...)}
		}
		out := []jen.Code{floats(names[0]), jen.List(numbers...).Int()}
		if len(names) > 1 {
			out = append(out, floats(names[1:]...))
		}
		return out
	}
	call := append([]jen.Code{jen.Id("x")}, numbers...)
	f.add("New returns the model of "+about+".",
		jen.Func().Id("New").Params(params(args...)...).Params(jen.Op("*").Id("Model"), jen.Error()).Block(
			jen.Return(jen.Id("NewWeighted").Call(append(call, jen.Nil())...))))
	f.add("NewWeighted returns the model of "+about+", with frequency weights, one each; nil weights are all one.",
		jen.Func().Id("NewWeighted").Params(params(append(args, "weights")...)...).Params(jen.Op("*").Id("Model"), jen.Error()).Block(
			f.newWith(runtimeType("Data").Values(append(data, field("Weights", jen.Id("weights")))...))))
}

// constructRecords writes New for data of several parts.
func (f *file) constructRecords() {
	params := []jen.Code{jen.Id("data").Add(runtimeType("Data"))}
	about := "New returns the model of a data set: a row for each observation, of which the columns are " + methods.ColumnNames(f.d.Problem.Target.Record())
	if f.Components.Name != "" {
		params, about = append(params, jen.Id("components").Int()), about+", with a number of components"
	}
	f.add(about+".", jen.Func().Id("New").Params(params...).Params(jen.Op("*").Id("Model"), jen.Error()).Block(
		f.newWith(line("data"))))
}

// newWith returns a new model that takes data.
//
//	return support.Filled(new(Model), <data>)
//	return support.FilledMixture(new(Model), <data>, components)
func (f *file) newWith(data jen.Code) jen.Code {
	name, args := "Filled", []jen.Code{line("new(Model)"), data}
	if f.Components.Name != "" {
		name, args = "FilledMixture", append(args, line("components"))
	}
	return jen.Return(jen.Qual(supportModule, name).Call(args...))
}

// takeRecords checks and keeps the rows of data of several parts.
func (f *file) takeRecords() []jen.Code {
	split := f.split(f.d.Problem.Target.Record())
	var unpacked []jen.Code
	if methods.Packed(f.d.Problem.Target) {
		x := f.d.Problem.Target.Variable
		unpacked = []jen.Code{line("d, err := ").Qual(supportModule, "Unpacked").Call(line("d"), typeOf(x.Kind.Type), jen.Lit(x.Name)),
			jen.If(line("err != nil")).Block(line("return err"))}
	}
	body := slices.Concat(f.knowsComponents(), f.knowsLengths(append(split.levels(), split.unknown)...), unpacked, split.length, split.rows,
		f.inSupport(split.unknown, "length"))
	var changes []string
	var set []jen.Code
	if split.unknown.Name != "" {
		changes = append(changes, "length != p."+plan.DimName(split.unknown))
		set = append(set, line("p.%s = length", plan.DimName(split.unknown)))
	}
	for _, d := range split.levels() {
		changes = append(changes, "p."+plan.DimName(d)+" == 0")
	}
	if len(changes) > 0 {
		body = append(body, jen.If(line("%s", strings.Join(changes, " || "))).Block(append(append(set, split.count...), line("p.allocate()"))...))
	}
	return append(append(body, f.makeSure()...), line("p.Keep").Call(viewed("rows", f.DataColumns())...))
}

// setData writes SetData and prepare, the data stage.
func (f *file) setData() {
	comment := "SetData validates the data and computes what depends on them alone."
	if f.Merged {
		comment += " Equal rows are merged."
	}
	take := f.takeRows
	if f.Records() {
		take = f.takeRecords
	}
	body := slices.Concat(f.checkUndivided(), take())
	if len(f.d.Problem.Constants) > 0 {
		body = append(body, line("p.constants()"))
	}
	body = append(slices.Concat(body, f.callColumns(), f.scanMemory()), line("p.prepare()"), line("return nil"))
	f.add(comment, method("SetData").Params(jen.Id("d").Add(runtimeType("Data"))).Error().Block(body...))
	if len(f.d.Problem.Constants) > 0 {
		f.add("constants computes the constants of the families.", method("constants").Params().Block(f.constantsBody...))
	}
	if len(f.DataStage.Columns) > 0 {
		f.add("columns computes what depends on the data alone, for every row.", method("columns").Params().Error().Block(append(f.columnsBody, line("return nil"))...))
	}
	f.add("prepare computes the data stage.", method("prepare").Params().Block(slices.Concat(f.forgetLimits(), f.prepareBody)...))
}

// takeRows checks and keeps the rows of data that are values of the variable.
func (f *file) takeRows() []jen.Code {
	x := f.d.Problem.Target.Variable
	columns := jen.Code(jen.Lit(1))
	var resize []jen.Code
	var unknown expr.Dim
	if t := x.Sym.Type; t.Rank > 0 {
		columns = jen.Lit(t.Dims[0].Size)
		if t.Dims[0].Name != "" {
			columns, unknown = jen.Id("columns"), t.Dims[0]
			resize = f.resizeTo(t.Dims[0])
		}
	}
	var check []jen.Code
	if f.Supported() { // what is refused leaves the model as it is
		check = append(one(ifError(jen.Qual(supportModule, "CheckData").Call(jen.Id("d"), columns, line("info.Variable.Type"), line("info.Variable.Name")))),
			f.inSupport(unknown, "columns")...)
	}
	if len(resize) > 0 {
		check = append(one(jen.Id("columns").Op(":=").Max(jen.Id("d.Columns"), jen.Lit(1))), check...)
	}
	body := slices.Concat(f.knowsComponents(), f.knowsLengths(x.Sym.Type.Dims[:x.Sym.Type.Rank]...), check)
	take := "Take"
	if f.Merged {
		take = "TakeMerged"
	}
	args := append([]jen.Code{jen.Id("d"), columns, line("&info.Variable")}, viewed("", f.DataColumns())[1:]...)
	return slices.Concat(body, one(ifError(line("p.%s", take).Call(args...))), resize, f.makeSure())
}

// resizeTo makes the workspace for data with that many columns.
func (f *file) resizeTo(d expr.Dim) []jen.Code {
	set := []jen.Code{jen.Id("p." + plan.DimName(d)).Op("=").Id("columns"), jen.Id("p.allocate").Call()}
	return []jen.Code{jen.If(jen.Id("columns").Op("!=").Id("p." + plan.DimName(d))).Block(set...)}
}

// callColumns calls columns, where there are any.
func (f *file) callColumns() []jen.Code {
	if len(f.DataStage.Columns) == 0 {
		return nil
	}
	return []jen.Code{ifError(line("p.columns()"))}
}

// space makes memory for numbers of every row, so many each.
func space(field string, width jen.Code) jen.Code {
	return ifError(line("p.Rows.Space").Call(line("&%s", field), width))
}

// columnStage computes the columns of the data stage, from which a batch takes its rows.
func (f *file) columnStage() []jen.Code {
	var grow, keep []jen.Code
	for _, d := range f.DataStage.Columns {
		width := jen.Code(jen.Lit(1))
		if d.Node.Type.Rank > 0 {
			width = f.product(d.Node.Type)
		}
		grow = append(grow, space("p."+d.Name, width))
		keep = append(keep, line("p.Rows.Keep").Call(width, jen.Id("p."+d.Name)))
	}
	return slices.Concat(grow, f.kernel("columns", nil), keep, f.later())
}

// thetaFields are the fields of a Theta, cut out of a slice.
func (f *file) thetaFields() []jen.Code {
	var fields []jen.Code
	for i, t := range f.d.Problem.Target.Params {
		fields = append(fields, jen.Id(exported(t.Name)).Op(":").Id(given(f.ThetaLayout().Of(program.Argument("theta"), i))))
	}
	return fields
}

// inFields is a length in terms of the fields of the model.
func (f *file) inFields(text string) string {
	for _, d := range f.Dims {
		text = regexp.MustCompile(`\b`+plan.DimName(d)+`\b`).ReplaceAllString(text, "p."+plan.DimName(d))
	}
	return text
}

// fit writes the one call most users need.
func (f *file) fit() {
	f.add("ThetaAt returns the parameters of the target at z.",
		short(method("ThetaAt").Params(floats("z")).Id("Theta"), line("return p.ThetaOf(").Qual(supportModule, "ThetaAt").Call(line("p"), line("z")).Op(")")))
	f.add("ThetaOf gives names to the entries of theta, in the order of Info().Parameters; vectors and matrices share its memory.",
		method("ThetaOf").Params(floats("theta")).Id("Theta").Block(f.declareDims([]jen.Code{
			jen.Return(jen.Id("Theta").Values(f.thetaFields()...))})...))
	estimator, report, doc := "FitAs", "Report", `Fit maximises the likelihood: from all starts, choosing among the ends of the runs. The error is nil if what was found is a
maximum, and an *estimate.Unfinished if not, when there is a report all the same. Settings may be nil.`
	if f.Variational() != nil {
		estimator, report, doc = "ApproximateAs", "Approximation", `Fit approximates the posterior, from all starts, and evaluates the bound. The error is nil if the bound has converged, and an *estimate.Unfinished if not, when there
is an approximation all the same. Settings may be nil.`
	}
	f.add(doc, method("Fit").Params(jen.Id("ctx").Qual("context", "Context"), jen.Id("s").Op("*").Qual(estimateModule, "Settings")).
		Params(jen.Id("Theta"), jen.Op("*").Qual(estimateModule, report), jen.Error()).Block(
		jen.Return(jen.Qual(estimateModule, estimator).Call(line("ctx"), line("p"), line("s"), line("p.ThetaOf")))))
}

// typeOf is a type of the table of types.
func typeOf(t types.Type) jen.Code {
	return jen.Qual(typesModule, t.Form.Go).Dot("Of").Call(entryOf(t.Entry))
}

// entryOf is an entry of the table of types.
func entryOf(e *types.Entry) *jen.Statement {
	switch {
	case e.Of != nil:
		return entryOf(e.Of).Dot("With").CallFunc(func(g *jen.Group) {
			for _, x := range e.Atoms {
				g.Add(number(x).Statement)
			}
		})
	case e.Bounded():
		return jen.Qual(typesModule, "Between").Call(number(e.Lo).Statement, number(e.Hi).Statement)
	}
	return jen.Qual(typesModule, exported(e.Name))
}
