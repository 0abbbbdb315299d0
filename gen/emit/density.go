package emit

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/bind"
	"github.com/sngdgen/sngdgen/gen/derive"
	"github.com/sngdgen/sngdgen/gen/plan"
	"github.com/sngdgen/sngdgen/gen/program"
)

// thetaInputs are the target's parameters, read from a struct Theta.
func (f *file) thetaInputs(from string) []plan.Input {
	var in []plan.Input
	for _, t := range f.d.Problem.Target.Params {
		in = append(in, plan.Input{Sym: t.Sym, Name: f.local(t.Name), From: program.Field(from, exported(t.Name))})
	}
	return in
}

// density writes the log-density and the sampler of the target.
func (f *file) density() {
	if f.shaped() {
		f.shapedSampler()
		return
	}
	g := f.d.Problem.Graph
	variable := f.d.Problem.Target.Variable
	x := g.Fresh(variable.Name, expr.Scalar, variable.Kind.Facts)
	at := map[*expr.Node]*expr.Node{variable.Sym: x}
	for _, c := range f.d.Problem.Constants {
		if at[c.Sym] = c.Default; f.d.Problem.Target.Constants[c.Sym] != nil {
			at[c.Sym] = f.d.Problem.Target.Constants[c.Sym]
		}
	}
	logPDF := f.stable(g.Substitute(f.d.LogDensity, at))[0]
	name := f.local(variable.Name)
	in := append(f.thetaInputs("theta"), plan.Input{Sym: x, From: program.Argument(name)})
	body, _ := f.kernel(&plan.Kernel{Inputs: in, Outputs: []plan.Output{result(logPDF)}}, rowSource{}, nil)
	f.add(fmt.Sprintf("LogDensity returns the log-density of %s at %s. It does not check that %s is a %s value.", f.target(), name, name, variable.Kind.Name),
		jen.Func().Id("LogDensity").Params(jen.Id(name).Float64(), jen.Id("theta").Id("Theta")).Float64().Block(body...))

	s := f.d.Problem.Target.Sample
	if s == nil {
		return
	}
	stmts, inputs := f.noise(s.Noise, f.thetaInputs("theta"))
	var defs []plan.Def
	out := plan.Output{Return: true}
	for _, v := range s.Values {
		defs = append(defs, plan.Def{Sym: v.Sym, Name: f.local(derive.Plain(v.Sym.Name)), Node: v.Node})
		if derive.Plain(v.Sym.Name) == variable.Name {
			out.Node = v.Node
		}
	}
	body, _ = f.kernel(&plan.Kernel{Inputs: inputs, Defs: defs, Outputs: []plan.Output{out}}, rowSource{}, nil)
	f.add(fmt.Sprintf("Sample returns a draw from %s.", f.target()),
		jen.Func().Id("Sample").Params(jen.Id("theta").Id("Theta"), jen.Id("rng").Op("*").Qual("math/rand/v2", "Rand")).Float64().
			Block(append(stmts, body...)...))
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

// noise writes the primitive draws, and returns the inputs with them added.
func (f *file) noise(noise []bind.Draw, in []plan.Input) ([]jen.Code, []plan.Input) {
	var stmts []jen.Code
	for _, d := range noise {
		args, made := []jen.Code{jen.Id("rng")}, Draw{Kind: d.Kind.Name}
		for i, param := range d.Kind.Params {
			if i < len(d.Args) {
				// Each parameter is an expression of what was drawn before, written out in place; an array entry by entry.
				n, entries := f.entry(d.Args[i], in)
				made.Args = append(made.Args, plan.Formula(n, append(entries, in...)))
			} else {
				made.Args = append(made.Args, program.Number(param.Default))
			}
			args = append(args, f.argument(made.Args[i], i < len(d.Args)))
		}
		name := f.local(derive.Plain(d.Sym.Name))
		t := d.Sym.Type
		made.To, made.Shape = program.Argument(name), program.Shape{Stacked: t.Axes.Has(expr.Components), Dims: t.Dims[:t.Rank]}
		if made.Shape.Stacked {
			made.To = program.Field("p", f.noiseOf("noises", name, f.size(made.Shape)))
		}
		f.draws[""] = append(f.draws[""], made)
		if d.Sym.Type.Axes.Has(expr.Components) {
			drawn, input := f.noiseOfComponents(d.Sym, name, d.Kind.Name, args)
			stmts, in = append(stmts, drawn...), append(in, input)
			continue
		}
		if t.Rank > 0 {
			stmts = append(stmts, f.noiseEntries(name, t, d.Kind.Name, args)...)
			in = append(in, plan.Input{Sym: d.Sym, From: program.Argument(name)})
			continue
		}
		stmts = append(stmts, jen.Id(name).Op(":=").Qual(module+"/random", exported(d.Kind.Name)).Call(args...))
		in = append(in, plan.Input{Sym: d.Sym, From: program.Argument(name)})
	}
	return stmts, in
}

// entry is entry i of a formula in arrays of one shape, and the entries of the inputs that it is made of.
func (f *file) entry(n *expr.Node, in []plan.Input) (*expr.Node, []plan.Input) {
	g := f.d.Problem.Graph
	if n.Type.Rank == 0 {
		return n, nil
	}
	if n.Op == expr.Ones {
		return g.Const(1), nil
	}
	for _, s := range in {
		if s.Sym == n {
			place := plan.Input{Sym: g.Fresh("entry", expr.Scalar, expr.In(n.Facts.Range)), From: s.From.Entries()}
			return place.Sym, []plan.Input{place}
		}
	}
	if n.IsLinalg() || len(n.Args) == 0 {
		panic(plan.Unsupported("a parameter of a random number that is not computed entry by entry: " + n.String()))
	}
	args, entries := make([]*expr.Node, len(n.Args)), []plan.Input(nil)
	for i, a := range n.Args {
		e, more := f.entry(a, in)
		args[i], entries = e, append(entries, more...)
	}
	return g.Entry(n, args), entries
}

// noiseEntries draws the entries of a vector or a matrix.
//
//	<name> := p.<field>
//	for i := range <name> { <name>[i] = random.<Kind>(rng, <args>) }
func (f *file) noiseEntries(name string, t expr.Type, kind string, args []jen.Code) []jen.Code {
	field := f.noiseOf("noise", name, f.size(program.Shape{Dims: t.Dims[:t.Rank]}))
	return []jen.Code{
		jen.Id(name).Op(":=").Id("p." + field),
		jen.For(jen.Id("i").Op(":=").Range().Id(name)).Block(
			jen.Id(name).Index(jen.Id("i")).Op("=").Qual(module+"/random", exported(kind)).Call(args...)),
	}
}

// noiseOf is the field for random numbers of a name and a size: a sample and a random start may call numbers of different sizes alike.
func (f *file) noiseOf(prefix, name, size string) string {
	field := noiseField(prefix, name)
	for base, k := field, 2; f.noises[field] != "" && f.noises[field] != size; k++ {
		field = fmt.Sprint(base, "_", k)
	}
	f.noises[field] = size
	return field
}

// noiseField is the field for random numbers of a name: e and E are not one.
func noiseField(prefix, name string) string {
	name = strings.TrimSuffix(name, "_")
	if exported(name) == name {
		prefix += "Of"
	}
	return prefix + exported(name)
}

// shapedSampler writes the sampler of a target with vectors or matrices, in the workspace of the model. What does not
// depend on the random numbers, a Cholesky factor say, is computed once for all draws.
func (f *file) shapedSampler() {
	s := f.d.Problem.Target.Sample
	if s == nil {
		return
	}
	if f.mixture() != nil { // what is printed tells whether a draw depends on its component
		defer func(unprinted bool) { f.unprinted = unprinted }(f.unprinted)
		f.unprinted = false
	}
	known := append(f.thetaSlices(), f.sizes()[1:]...)
	fixed := &plan.Kernel{Inputs: known}
	drawn := f.hoisted(f.drawn(s), s.Noise, fixed)
	once, _ := f.statements(fixed, rowSource{}, nil, spoil("dst")...)
	inputs := slices.Clone(known)
	for _, o := range fixed.Outputs {
		inputs = append(inputs, f.fixedInput(o))
	}
	drawn, inputs = f.own(drawn, inputs)
	inputs = append(inputs, f.givenInRow()...)
	arguments, random := f.arguments(f.ownNoise(s.Noise, known, inputs), inputs)
	for _, o := range arguments.Outputs {
		inputs = append(inputs, plan.Input{Sym: o.Place, From: o.To})
	}
	noise, inputs := f.noise(random, inputs)
	if len(arguments.Outputs) > 0 {
		before, _ := f.statements(arguments, rowSource{}, nil, spoil("dst")...)
		noise = append([]jen.Code{jen.Block(before...)}, noise...)
	}
	width := lengthText(f.recordLayout().size())
	head, draws := f.drawnRow(drawn, width)
	body, _ := f.statements(&plan.Kernel{Inputs: inputs, Outputs: draws, OfComponent: f.mixture() != nil}, rowSource{}, nil,
		spoil("dst")...)
	body = append(noise, body...)
	if m := f.mixture(); m != nil && mentioned(body)["comp"] {
		f.ownSample = true
		body = append([]jen.Code{jen.Id("comp").Op(":=").Qual(module+"/random", "Index").Call(jen.Id("rng"),
			jen.Id(given(f.thetaLayout().of(program.Argument("theta"), 0))))}, body...)
	}
	rows := jen.For(jen.Id("start").Op(":=").Lit(0), jen.Id("start").Op("<").Len(jen.Id("dst")),
		jen.Id("start").Op("+=").Id(width)).Block(append([]jen.Code{head}, body...)...)
	about := "Sample fills dst, a whole number of rows, with draws from the target with the parameters theta, in the order and\nlayout of Theta."
	if len(f.d.Problem.Target.Given) > 0 {
		about = "Sample draws " + variableNames(f.d.Problem.Target) + " in every row of dst from the target with the parameters theta, in the order and layout of\n" +
			"Theta, given what stands in the other columns of the row."
	}
	f.add(about,
		method("Sample").Params(floats("dst", "theta"), jen.Id("rng").Op("*").Qual("math/rand/v2", "Rand")).
			Block(append(f.makeSure(), f.declareDims(append(once, rows))...)...))
}

// drawnRow is where what is drawn of a row goes, and the statement in front that declares the row, where one is needed.
func (f *file) drawnRow(drawn []*expr.Node, width string) (head jen.Code, draws []plan.Output) {
	head = jen.Id("row").Op(":=").Id("dst").Index(jen.Id("start"), jen.Id(plus("start", width)))
	x := f.d.Problem.Target.Variable.Sym.Type
	switch {
	case x.Rank > 0 && !f.records():
		return head, []plan.Output{{To: program.Argument("row"), Node: drawn[0], Type: x}}
	case !f.records():
		return jen.Null(), []plan.Output{{To: program.Argument("dst").Cut(program.Part{Of: program.OwnDraw}), Node: drawn[0]}}
	}
	at := f.recordLayout()
	for i, n := range drawn {
		draws = append(draws, at.output(program.Argument("row"), i, n, "drawn"+exported(f.d.Problem.Target.Observed()[i].Name), false))
	}
	return head, draws
}

// variableNames are the names of what a density is about: "y", "y, z".
func variableNames(t *bind.Density) string {
	var names []string
	for _, q := range t.Observed() {
		names = append(names, q.Name)
	}
	return strings.Join(names, ", ")
}

// arguments computes the parameters of random numbers that are more than formulas of numbers, in memory of their own, before these
// are drawn. It returns the random numbers with symbols in their place.
func (f *file) arguments(noise []bind.Draw, inputs []plan.Input) (*plan.Kernel, []bind.Draw) {
	k, out := &plan.Kernel{Inputs: slices.Clone(inputs), OfComponent: f.mixture() != nil}, slices.Clone(noise)
	for i := range out {
		out[i].Args = slices.Clone(out[i].Args)
		for j, a := range out[i].Args {
			if !computed(a) {
				continue
			}
			name := fmt.Sprintf("argument%d", len(k.Outputs))
			place := f.d.Problem.Graph.Fresh(name, a.Type, a.Facts)
			to := program.Field("p", name)
			if f.noises[name] = f.size(program.Shape{Dims: a.Type.Dims[:a.Type.Rank]}); a.Type.Rank == 0 {
				f.noises[name], to = "1", to.Entry(0)
			}
			k.Outputs = append(k.Outputs, plan.Output{To: to, Node: a, Place: place, Type: a.Type})
			out[i].Args[j] = place
		}
	}
	return k, out
}

// computed reports whether a parameter of random numbers is no formula of numbers, entry by entry.
func computed(n *expr.Node) bool {
	if n.Type.Rank == 0 {
		return linalgInside(n)
	}
	return n.Op != expr.Ones && (n.IsLinalg() || n.Op == expr.Iota || n.Op == expr.Table || slices.ContainsFunc(n.Args, computed))
}

// recordLayout is where the parts of a row of data lie.
func (f *file) recordLayout() layout {
	var l layout
	for _, q := range f.d.Problem.Target.Record() {
		l = l.add(place{Type: coreOf(q.Sym.Type)})
	}
	return l
}

// givenInRow is what is given in the row for which the variable is drawn.
func (f *file) givenInRow() []plan.Input {
	var in []plan.Input
	at := f.recordLayout()
	for i, sym := range f.d.Problem.Target.SampleGiven {
		in = append(in, at.input(program.Argument("row"), len(f.d.Problem.Target.Observed())+i, sym, f.local(f.d.Problem.Target.Given[i].Name)))
	}
	return in
}

// fixedInput is what is computed once for all draws, read for a draw.
func (f *file) fixedInput(o plan.Output) plan.Input {
	name := ""
	if o.To.Varies() {
		name, _, _ = strings.Cut(o.Place.Name, "$")
	}
	return plan.Input{Sym: o.Place, Name: name, From: o.To}
}

// rowWidth is how many numbers a row has.
func rowWidth(t expr.Type) string {
	if t.Rank == 0 {
		return "1"
	}
	return plan.DimName(t.Dims[0])
}

// ownNoise are random numbers whose parameters are those of one component.
func (f *file) ownNoise(noise []bind.Draw, given, own []plan.Input) []bind.Draw {
	by := map[*expr.Node]*expr.Node{}
	for i, in := range given {
		by[in.Sym] = own[i].Sym
	}
	out := slices.Clone(noise)
	for i := range out {
		out[i].Args = f.d.Problem.Graph.SubstituteAll(out[i].Args, by)
	}
	return out
}

// drawn are the variables of an observation in terms of the parameters and the random numbers.
func (f *file) drawn(s *bind.Draws) []*expr.Node {
	g, by := f.d.Problem.Graph, map[*expr.Node]*expr.Node{}
	observed := f.d.Problem.Target.Observed()
	out := make([]*expr.Node, len(observed))
	for _, v := range s.Values {
		by[v.Sym] = g.Substitute(v.Node, by)
		for i, q := range observed {
			if derive.Plain(v.Sym.Name) == q.Name {
				out[i] = by[v.Sym]
			}
		}
	}
	return out
}

// hoisted puts symbols in the place of what does not depend on the random numbers, where that is worth while, and makes
// their values outputs of a kernel.
func (f *file) hoisted(nodes []*expr.Node, noise []bind.Draw, into *plan.Kernel) []*expr.Node {
	random := map[*expr.Node]bool{}
	for _, d := range noise {
		random[d.Sym] = true
	}
	for _, s := range f.d.Problem.Target.SampleGiven { // differs from draw to draw too
		random[s] = true
	}
	expr.Walk(func(n *expr.Node) {
		for _, a := range n.Args {
			random[n] = random[n] || random[a]
		}
	}, nodes...)
	by := map[*expr.Node]*expr.Node{}
	var visit func(n *expr.Node)
	visit = func(n *expr.Node) {
		switch {
		case random[n]:
			for _, a := range n.Args {
				visit(a)
			}
		case by[n] == nil && linalgInside(n):
			name := fmt.Sprintf("fixed%d", len(into.Outputs))
			by[n] = f.d.Problem.Graph.Fresh(name, n.Type, n.Facts)
			shape := program.Shape{Dims: n.Type.Dims[:n.Type.Rank], Stacked: n.Type.Axes.Has(expr.Components)}
			f.noises[name] = cmp.Or(f.size(shape), "1")
			o := plan.Output{To: program.Field("p", name), Node: n, Type: n.Type, Place: by[n]}
			switch {
			case shape.Stacked:
				at := layout{places: []place{{Type: n.Type}}, components: f.components()}
				o = at.output(o.To, 0, n, name, false)
				o.Place = by[n]
			case n.Type.Rank == 0:
				o.To = o.To.Entry(0)
			}
			into.Outputs = append(into.Outputs, o)
		}
	}
	for _, n := range nodes {
		visit(n)
	}
	return f.d.Problem.Graph.SubstituteAll(nodes, by)
}

// linalgInside reports whether linear algebra is needed to compute a value.
func linalgInside(n *expr.Node) bool {
	found := false
	expr.Walk(func(n *expr.Node) { found = found || n.IsLinalg() && n.Op != expr.Ones }, n)
	return found
}

// argument writes a parameter of a random number: a formula, or the number that it is where a spec says nothing.
func (f *file) argument(e program.Expr, formula bool) jen.Code {
	if formula {
		return printer{solver: f.solverName}.typed(e)
	}
	return printer{}.expr(e).Statement
}

// starts writes the starting points.
func (f *file) starts() {
	var cases []jen.Code
	for i := range f.d.Starts {
		f.start(fmt.Sprintf("start%d", i), &f.d.Starts[i])
		call := jen.Id("p").Dot(fmt.Sprintf("start%d", i)).Call(jen.Id("z"))
		how := f.d.Starts[i].Groups
		cases = append(cases, jen.Case(jen.Lit(i)).Block(append(f.groups(how, jen.Nil()), f.inDomain(call, how)...)...))
	}
	if r := f.d.RandomStart; r != nil {
		f.start("randomStart", r)
		call := jen.Id("p").Dot("randomStart").Call(jen.Id("z"), jen.Id("rng"))
		cases = append(cases, jen.Default().Block(append(f.groups(r.Groups, jen.Id("rng")), f.inDomain(call, r.Groups)...)...))
	} else {
		cases = append(cases, jen.Default().Block(jen.Return(jen.Qual("fmt", "Errorf").Call(
			jen.Lit("there is no start %d: the spec has "+fmt.Sprint(len(f.d.Starts))+", and none that is random"), jen.Id("i")))))
	}
	body := []jen.Code{jen.Switch(jen.Id("i")).Block(cases...)}
	if len(cases) > 1 || f.d.RandomStart != nil {
		body = append(body,
			jen.Return(jen.Qual(supportModule, "StartInside").Call(line("p"), line("z"))))
	}
	f.add(f.aboutStarts(),
		method("Start").Params(jen.Id("z").Index().Float64(), jen.Id("i").Int(), jen.Id("rng").Op("*").Qual("math/rand/v2", "Rand")).Error().Block(body...))
	f.startGroups()
}

// startGroups writes the method that makes a start of a mixture from groups that the caller knows.
func (f *file) startGroups() {
	if f.mixture() == nil || f.variational() != nil || len(f.d.Starts) == 0 {
		return
	}
	var cases, blends []jen.Code
	for i := range f.d.Starts {
		cases = append(cases, jen.Case(jen.Lit(i)).Block(jen.Id("p").Dot(fmt.Sprintf("start%d", i)).Call(jen.Id("z"))))
	}
	cases = append(cases, jen.Default().Block(jen.Return(jen.Qual("fmt", "Errorf").Call(
		jen.Lit(fmt.Sprintf("there is no start %%d from groups: there are %d", len(f.d.Starts))), jen.Id("i")))))
	for _, share := range bind.GivenBlends {
		blends = append(blends, jen.Lit(share))
	}
	f.add("StartGroups writes starting point i to z as Start does, of the groups in labels: for each of the distinct rows the number of\n"+
		"its group, from 0, as a component has it.",
		method("StartGroups").Params(jen.List(jen.Id("z"), jen.Id("labels")).Index().Float64(), jen.Id("i").Int()).Error().Block(
			jen.If(jen.Len(jen.Id("labels")).Op("!=").Len(jen.Id("p.w"))).Block(jen.Return(jen.Qual("fmt", "Errorf").Call(
				jen.Lit("%d labels of %d distinct rows"), jen.Len(jen.Id("labels")), jen.Len(jen.Id("p.w"))))),
			jen.Id("p.labels").Op("=").Append(jen.Id("p.labels").Index(jen.Empty(), jen.Lit(0)), jen.Id("labels").Op("...")),
			jen.For(jen.List(jen.Id("_"), jen.Id("p.blend")).Op("=").Range().Index(jen.Op("...")).Float64().Values(blends...)).Block(
				jen.Switch(jen.Id("i")).Block(cases...),
				jen.If(jen.Id("p.Violation").Call(jen.Id("z")).Op("<").Lit(0)).Block(jen.Return(jen.Nil()))),
			jen.Return(jen.Qual("errors", "New").Call(jen.Lit("the start from these groups is outside the domain")))))
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

// start writes one starting point: standard parameters from the data and from draws, then coordinates from those.
func (f *file) start(name string, s *derive.Start) {
	in := f.dataInputs()
	params := []jen.Code{floats("z")}
	stmts := []jen.Code{}
	if f.d.RandomStart == s {
		params = append(params, jen.Id("rng").Op("*").Qual("math/rand/v2", "Rand"))
		stmts, in = f.noise(s.Noise, in)
	}
	f.startFrom(name, s, params, stmts, in)
}

// startFrom writes one starting point in terms of inputs.
func (f *file) startFrom(name string, s *derive.Start, params, stmts []jen.Code, in []plan.Input) {
	_, names := f.surrogateDefs()
	rows := f.dataRows()
	if m := f.mixture(); m != nil {
		rows.Columns[m.Label] = labelsField
	}
	by := f.readColumns(rows, f.stage)
	var defs []plan.Def
	for _, v := range s.Values {
		defs = append(defs, plan.Def{Sym: v.Sym, Name: f.paramName(v.Sym, v.Name), Node: f.d.Problem.Graph.Substitute(v.Node, by)})
	}
	k := &plan.Kernel{Inputs: in, Defs: defs, Names: names, Outputs: f.coordOutputs("z", s.Coords), Rows: rows}
	if f.deferring {
		body := f.later(k, f.ownSource(), nil, spoil("z")...)
		f.nameProgram(name)
		f.decls = append(f.decls, method(name).Params(params...).Block(append(stmts, body...)...))
		return
	}
	body, _ := f.kernel(k, f.ownSource(), nil, spoil("z")...)
	f.nameProgram(name)
	f.decls = append(f.decls, method(name).Params(params...).Block(append(stmts, body...)...))
}
