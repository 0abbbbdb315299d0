package emit

import (
	"fmt"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/sngdgen/sngdgen/gen/bind"
	"github.com/sngdgen/sngdgen/gen/methods"
	"github.com/sngdgen/sngdgen/gen/program"
)

// density writes the log-density and the sampler of the target.
func (f *file) density() {
	if f.Shaped() {
		f.shapedSampler()
		return
	}
	variable := f.d.Problem.Target.Variable
	name := f.Local(variable.Name)
	f.add(fmt.Sprintf("LogDensity returns the log-density of %s at %s. It does not check that %s is a %s value.", f.TargetName(), name, name, variable.Kind.Name),
		jen.Func().Id("LogDensity").Params(jen.Id(name).Float64(), jen.Id("theta").Id("Theta")).Float64().Block(f.kernel("LogDensity", nil)...))
	if f.Functions["Sample"] == nil {
		return
	}
	f.add(fmt.Sprintf("Sample returns a draw from %s.", f.TargetName()),
		jen.Func().Id("Sample").Params(jen.Id("theta").Id("Theta"), jen.Id("rng").Op("*").Qual("math/rand/v2", "Rand")).Float64().
			Block(append(f.draws("Sample"), f.kernel("Sample", nil)...)...))
	f.sampler()
}

// sampler writes the method by which callers that know only the interface draw data.
func (f *file) sampler() {
	var fields []jen.Code
	for i, t := range f.d.Problem.Target.Params {
		fields = append(fields, jen.Id(exported(t.Name)).Op(":").Id("theta").Index(jen.Lit(i)))
	}
	f.add("Sample fills dst with draws from the target with the parameters theta, in the order of Info().Parameters.",
		method("Sample").Params(floats("dst", "theta"), jen.Id("rng").Op("*").Qual("math/rand/v2", "Rand")).Block(
			jen.For(jen.Id("i").Op(":=").Range().Id("dst")).Block(
				jen.Id("dst").Index(jen.Id("i")).Op("=").Add(jen.Id("Sample").Call(jen.Id("Theta").Values(fields...), jen.Id("rng"))))))
}

// draws writes the primitive random numbers of a function.
func (f *file) draws(name string) (out []jen.Code) {
	for _, d := range f.Functions[name].Draws {
		out = append(out, f.draw(d)...)
	}
	return out
}

// draw draws a number, or the entries of a vector or a matrix, in memory of the model; of a mixture for all components.
//
//	<name> := random.<Kind>(rng, <args>)
//	<name> := random.Fill(p.<field>, rng, random.<Kind>, <args>) // of two parameters that are the same for all entries
//	<name> := p.<field>
//	for i := range <name> { <name>[i] = random.<Kind>(rng, <args>) }
func (f *file) draw(d methods.Draw) []jen.Code {
	args := []jen.Code{jen.Id("rng")}
	for i, a := range d.Args {
		args = append(args, f.argument(a, i < d.Said))
	}
	name := given(d.To)
	if d.Shares && d.Field != "" {
		args = append(args, jen.Id(name).Index(jen.Empty(), jen.Id("i")).Op("..."))
	}
	draw := jen.Qual(module+"/random", exported(d.Kind))
	if d.Field != "" && !d.Shares && len(d.Args) == 2 && !mentioned(args[1:])["i"] {
		fill := jen.Qual(module+"/random", "Fill").Call(jen.Id("p."+d.Field), jen.Id("rng"), draw, args[1], args[2])
		if d.Shape.Stacked {
			return one(fill)
		}
		return one(jen.Id(name).Op(":=").Add(fill))
	}
	value := draw.Call(args...)
	entries := jen.For(jen.Id("i").Op(":=").Range().Id(name)).Block(jen.Id(name).Index(jen.Id("i")).Op("=").Add(value))
	switch {
	case d.Shape.Stacked:
		entries = jen.For(jen.Id("i").Op(":=").Range().Id("p." + d.Field)).Block(jen.Id("p." + d.Field).Index(jen.Id("i")).Op("=").Add(value))
		return one(entries)
	case d.Field != "":
		return []jen.Code{jen.Id(name).Op(":=").Id("p." + d.Field), entries}
	}
	return one(jen.Id(name).Op(":=").Add(value))
}

// shapedSampler writes the sampler of a target with vectors or matrices, in the workspace of the model. What does not
// depend on the random numbers, a Cholesky factor say, is computed once for all draws.
func (f *file) shapedSampler() {
	sample := f.Functions["Sample"]
	if sample == nil {
		return
	}
	once := f.statements("Sample", nil, spoil("dst")...)
	var begin, body []jen.Code
	others := len(sample.Steps) - 2
	if len(sample.States) > 0 {
		begin = f.statements("Sample", nil, spoil("dst")...)
		others--
	}
	if others > 0 { // the parameters of random numbers
		body = one(jen.Block(f.statements("Sample", nil, spoil("dst")...)...))
	}
	body = append(body, f.draws("Sample")...)
	body = append(body, f.statements("Sample", nil, spoil("dst")...)...)
	if sample.Own {
		body = append([]jen.Code{jen.Id("comp").Op(":=").Qual(module+"/random", "Index").Call(jen.Id("rng"),
			jen.Id(given(f.ThetaLayout().Of(program.Argument("theta"), 0))))}, body...)
	}
	width := lengthText(f.RecordLayout().Size())
	body = f.drawStates(sample, begin, body, width)
	if f.Records() || f.d.Problem.Target.Variable.Sym.Type.Rank > 0 {
		body = append(one(jen.Id("row").Op(":=").Id("dst").Index(jen.Id("start"), jen.Id(plus("start", width)))), body...)
	}
	rows := jen.For(jen.Id("start").Op(":=").Lit(0), jen.Id("start").Op("<").Len(jen.Id("dst")),
		jen.Id("start").Op("+=").Id(width)).Block(body...)
	about := "Sample fills dst, a whole number of rows, with draws from the target with the parameters theta, in the order and\nlayout of Theta."
	if len(f.d.Problem.Target.Given) > 0 {
		about = "Sample draws " + methods.VariableNames(f.d.Problem.Target) + " in every row of dst from the target with the parameters theta, in the order and layout of\n" +
			"Theta, given what stands in the other columns of the row."
	}
	f.add(about,
		method("Sample").Params(floats("dst", "theta"), jen.Id("rng").Op("*").Qual("math/rand/v2", "Rand")).
			Block(append(f.makeSure(), f.declareDims(append(once, rows))...)...))
}

// drawStates writes the body of a draw of a row of a sequence: where a series begins its states are made, and behind the row they go on.
//
//	if start == 0 || <series of the row> != <series of the row in front> { ... }
//	...
//	copy(p.<front>, p.<behind>)
func (f *file) drawStates(sample *methods.Function, begin, body []jen.Code, width string) []jen.Code {
	if len(sample.States) == 0 {
		return body
	}
	first := jen.Id("start").Op("==").Lit(0)
	if sample.Series != nil {
		series := given(sample.Series)
		first.Op("||").Id(series).Op("!=").Id(strings.Replace(series, "row[", "dst[start-"+factor(width)+"+", 1))
	}
	out := append(one(jen.If(first).Block(begin...)), body...)
	for _, c := range sample.States {
		out = append(out, jen.Copy(jen.Id(given(c.Front)), jen.Id(given(c.Behind))))
	}
	return out
}

// argument writes a parameter of a random number: a formula, or the number that it is where a spec says nothing.
func (f *file) argument(e program.Expr, formula bool) jen.Code {
	if formula {
		return printer{solver: f.solverName}.typed(e)
	}
	return printer{}.expr(e).Statement
}

// starts writes the starting points, a list of them, and what chooses one.
//
//	var starts = []support.Start[*Model]{
//		{From: (*Model).start0, By: grouping.Clusters},
//		{Draw: (*Model).randomStart},
//	}
func (f *file) starts() {
	var list []jen.Code
	for i := range f.d.Starts {
		name := fmt.Sprintf("start%d", i)
		f.start(name, false, "z")
		list = append(list, f.startingPoint("From", name, f.d.Starts[i].Groups))
	}
	if r := f.d.RandomStart; r != nil {
		f.start("randomStart", true, "z")
		list = append(list, f.startingPoint("Draw", "randomStart", r.Groups))
	}
	f.add("starts are the starting points.", jen.Var().Id("starts").Op("=").Index().Qual(supportModule, "Start").Index(jen.Op("*").Id("Model")).Add(lines(list...)))
	call := jen.Qual(supportModule, "StartAt").Call(line("p, starts, z, i, rng"))
	if f.startsFromGroups() {
		call = jen.Qual(supportModule, "StartMixture").Call(line("p, p.grouped(), starts, z, i, rng"))
	}
	f.add(f.aboutStarts(), short(method("Start").Params(jen.Id("z").Index().Float64(), jen.Id("i").Int(), jen.Id("rng").Op("*").Qual("math/rand/v2", "Rand")).Error(),
		jen.Return(call)))
	f.startGroups()
}

// startsFromGroups says whether starts are made of groups of the rows.
func (f *file) startsFromGroups() bool { return f.Mixture() != nil && f.Variational() == nil }

// groupings are the constants of package grouping for the ways to make groups.
var groupings = map[string]string{bind.GroupsSlices: "Slices", bind.GroupsClusters: "Clusters"}

// startingPoint is an element of the list of starting points.
func (f *file) startingPoint(how, name, groups string) jen.Code {
	fields := []jen.Code{field(how, line("(*Model).%s", name))}
	if by := groupings[groups]; by != "" && f.startsFromGroups() {
		fields = append(fields, field("By", jen.Qual(module+"/grouping", by)))
	}
	return jen.Values(fields...)
}

// startGroups writes the method that makes a start of a mixture from groups that the caller knows.
func (f *file) startGroups() {
	if !f.startsFromGroups() {
		return
	}
	x, columns := f.grouped()
	f.add("grouped is what starts need to know of the rows.", method("grouped").Params().Qual(supportModule, "Grouped").Block(append(f.have(f.DataColumns()...),
		jen.Return(jen.Qual(supportModule, "Grouped").Values(field("X", x), field("Weights", line("&p.W")), field("Columns", columns),
			field("Components", dimOf(f.Components)), field("Labels", line("&p.labels")), field("Blend", line("&p.blend")))))...))
	if len(f.d.Starts) == 0 {
		return
	}
	f.add("StartGroups writes starting point i to z as Start does, of the groups in labels: for each of the distinct rows the number of\n"+
		"its group, from 0, as a component has it.",
		method("StartGroups").Params(jen.List(jen.Id("z"), jen.Id("labels")).Index().Float64(), jen.Id("i").Int()).Error().Block(
			jen.Return(jen.Qual(supportModule, "StartFrom").Call(line("p, p.grouped(), starts, z, labels, i")))))
}

func (f *file) aboutStarts() string {
	last := len(f.d.Starts) - 1
	switch {
	case f.d.RandomStart == nil && last == 0:
		return "Start writes the starting point to z. There is one, i = 0; rng may be nil."
	case f.d.RandomStart == nil:
		return fmt.Sprintf("Start writes starting point i = 0, ..., %d to z; rng may be nil.", last)
	case last == 0:
		return "Start writes starting point i to z. The first, i = 0, is computed from the data, and rng may be nil; others are random."
	}
	return fmt.Sprintf("Start writes starting point i to z. Those up to i = %d are computed from the data, and rng may be nil; others are random.", last)
}

// start writes one starting point, by random numbers or not, with its arguments.
func (f *file) start(name string, random bool, arguments ...string) {
	params := []jen.Code{floats(arguments...)}
	if random {
		params = append(params, jen.Id("rng").Op("*").Qual("math/rand/v2", "Rand"))
	}
	body := append(f.draws(name), f.kernel(name, nil, spoil("z")...)...)
	f.decls = append(f.decls, method(name).Params(params...).Block(body...))
}
