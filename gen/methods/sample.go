package methods

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/bind"
	"github.com/sngdgen/sngdgen/gen/derive"
	"github.com/sngdgen/sngdgen/gen/plan"
	"github.com/sngdgen/sngdgen/gen/program"
)

// logDensity is the log-density of the target, as a function.
func (f *Package) logDensity() {
	g := f.d.Problem.Graph
	variable := f.d.Problem.Target.Variable
	x := g.Fresh(variable.Name, expr.Scalar, variable.Kind.Facts)
	at := map[*expr.Node]*expr.Node{variable.Sym: x}
	for _, c := range f.d.Problem.Constants {
		if at[c.Sym] = c.Default; f.d.Problem.Target.Constants[c.Sym] != nil {
			at[c.Sym] = f.d.Problem.Target.Constants[c.Sym]
		}
	}
	in := append(f.thetaInputs("theta"), plan.Input{Sym: x, From: program.Argument(f.Local(variable.Name))})
	f.add("LogDensity", &plan.Kernel{Inputs: in, Outputs: []plan.Output{result(f.stable(g.Substitute(f.d.LogDensity, at))[0])}}, called{})
}

// sample are draws from the target.
func (f *Package) sample() {
	if f.Shaped() {
		f.sampleRows()
		return
	}
	s, variable := f.d.Problem.Target.Sample, f.d.Problem.Target.Variable
	inputs := f.noise(s.Noise, f.thetaInputs("theta"))
	var defs []plan.Def
	out := plan.Output{Return: true}
	for _, v := range s.Values {
		defs = append(defs, plan.Def{Sym: v.Sym, Name: f.Local(derive.Plain(v.Sym.Name)), Node: v.Node})
		if derive.Plain(v.Sym.Name) == variable.Name {
			out.Node = v.Node
		}
	}
	f.add("Sample", &plan.Kernel{Inputs: inputs, Defs: defs, Outputs: []plan.Output{out}}, called{})
}

// sampleRows are draws of a target with vectors or matrices: first what does not depend on the random numbers, a Cholesky factor say, which is
// computed once for all draws; then parameters of random numbers that are no formulas of numbers; then the row.
func (f *Package) sampleRows() {
	s := f.d.Problem.Target.Sample
	known := append(f.thetaSlices(), f.sizes()[1:]...)
	fixed := &plan.Kernel{Inputs: known}
	drawn := f.hoisted(f.drawn(s), s.Noise, fixed)
	first := len(f.Programs)
	f.add("Sample", fixed, called{definite: true})
	inputs := slices.Clone(known)
	for _, o := range fixed.Outputs {
		inputs = append(inputs, f.fixedInput(o))
	}
	if len(s.Next) > 0 {
		f.drawnStates(s, inputs)
	}
	of := f.Functions["Sample"]
	for i, c := range of.States {
		inputs = append(inputs, f.state(c, f.d.Problem.Target.States[i]))
	}
	drawn, inputs = f.own(drawn, inputs)
	inputs = append(inputs, f.givenInRow()...)
	arguments, random := f.arguments(f.ownNoise(s.Noise, known, inputs), inputs)
	for _, o := range arguments.Outputs {
		inputs = append(inputs, plan.Input{Sym: o.Place, From: o.To})
	}
	inputs = f.noise(random, inputs)
	if len(arguments.Outputs) > 0 {
		f.add("Sample", arguments, called{definite: true})
	}
	outputs := f.drawnRow(drawn[:len(f.d.Problem.Target.Observed())])
	for i, c := range of.States {
		outputs = append(outputs, c.output(c.Behind, drawn[len(outputs)], "behind", f.d.Problem.Target.States[i]))
	}
	f.add("Sample", &plan.Kernel{Inputs: inputs, Outputs: outputs, OfComponent: f.Mixture() != nil}, called{definite: true})
	of.Own = f.Mixture() != nil && (slices.ContainsFunc(f.Programs[first+1:], ofComponent) || slices.ContainsFunc(of.Draws, drawOfComponent))
}

// StatePlace is where a state of a sequence stands while rows are drawn: in front of a row, and behind it.
type StatePlace struct{ Front, Behind *program.Given }

// drawnStates makes room for the states of a sequence, and the program that begins a series with them.
func (f *Package) drawnStates(s *bind.Draws, inputs []plan.Input) {
	start := &plan.Kernel{Inputs: slices.Clone(inputs)}
	of := f.function("Sample")
	for i, q := range f.d.Problem.Target.States {
		shape := program.Shape{Dims: q.Sym.Type.Dims[:q.Sym.Type.Rank]}
		c := StatePlace{program.Field("p", f.noiseOf("front", q.Name, shape)), program.Field("p", f.noiseOf("behind", q.Name, shape))}
		of.States = append(of.States, c)
		start.Outputs = append(start.Outputs, c.output(c.Front, s.Start[i], "start", q))
	}
	f.add("Sample", start, called{definite: true})
	if s.Series != nil {
		k := slices.Index(f.d.Problem.Target.SampleGiven, s.Series)
		of.Series = f.RecordLayout().Of(program.Argument("row"), len(f.d.Problem.Target.Observed())+k)
	}
}

// state reads a state in front of a row.
func (f *Package) state(c StatePlace, q bind.Param) plan.Input {
	if q.Sym.Type.Rank == 0 {
		return plan.Input{Sym: q.Sym, From: c.Front.Entry(0)}
	}
	return plan.Input{Sym: q.Sym, Name: f.Local(q.Name), From: c.Front}
}

// output writes a state.
func (c StatePlace) output(to *program.Given, n *expr.Node, prefix string, q bind.Param) plan.Output {
	if q.Sym.Type.Rank == 0 {
		return plan.Output{To: to.Entry(0), Node: n}
	}
	return plan.Output{To: to, Node: n, Type: q.Sym.Type, Name: prefix + exported(q.Name)}
}

// drawnRow is where what is drawn of a row goes.
func (f *Package) drawnRow(drawn []*expr.Node) (draws []plan.Output) {
	x := f.d.Problem.Target.Variable.Sym.Type
	switch {
	case x.Rank > 0 && !f.Records():
		return []plan.Output{{To: program.Argument("row"), Node: drawn[0], Type: x}}
	case !f.Records():
		return []plan.Output{{To: program.Argument("dst").Cut(program.Part{Of: program.OwnDraw}), Node: drawn[0]}}
	}
	at := f.RecordLayout()
	for i, n := range drawn {
		draws = append(draws, at.output(program.Argument("row"), i, n, "drawn"+exported(f.d.Problem.Target.Observed()[i].Name), false))
	}
	return draws
}

// ofComponent reports whether a program reads what belongs to the component that it is for.
func ofComponent(p *program.Program) bool {
	found := false
	given := func(g *program.Given) { found = found || givenOfComponent(g) }
	program.Mentions(p.Body, func(place *program.Place) { given(place.Given) })
	program.Walk(p.Body, func(s program.Stmt) {
		if b, ok := s.(*program.Bind); ok {
			given(b.From)
		}
	})
	return found
}

func drawOfComponent(d Draw) bool {
	found := false
	for _, a := range d.Args {
		program.Operands(a, func(r program.Ref) { found = found || givenOfComponent(r.Place.Given) })
	}
	return found
}

func givenOfComponent(g *program.Given) bool {
	return g != nil && (g.Part != nil && g.Part.Of == program.OwnComponent || g.Kind == program.NumberOf || g.Kind == program.LastOf)
}

// noise has primitive random numbers drawn in front of what is planned next, and returns the inputs with them added.
func (f *Package) noise(noise []bind.Draw, in []plan.Input) []plan.Input {
	for _, d := range noise {
		made := Draw{Kind: d.Kind.Name, Said: len(d.Args), Shares: d.Kind.Shares}
		for i, param := range d.Kind.Params {
			if i < len(d.Args) {
				// Each parameter is an expression of what was drawn before, written out in place; an array entry by entry.
				n, entries := f.entry(d.Args[i], in)
				made.Args = append(made.Args, plan.Formula(n, append(entries, in...)))
			} else {
				made.Args = append(made.Args, program.Number(param.Default))
			}
		}
		name, t := f.Local(derive.Plain(d.Sym.Name)), d.Sym.Type
		made.To, made.Shape = program.Argument(name), program.Shape{Stacked: t.Axes.Has(expr.Components), Dims: t.Dims[:t.Rank]}
		input := plan.Input{Sym: d.Sym, From: made.To}
		switch {
		case made.Shape.Stacked:
			made.Field = f.noiseOf("noises", name, made.Shape)
			made.To = program.Field("p", made.Field)
			at := Layout{Places: []Place{{Type: t}}, Components: f.Components}
			input = at.input(made.To, 0, d.Sym, name)
		case t.Rank > 0:
			made.Field = f.noiseOf("noise", name, made.Shape)
		}
		f.pending, in = append(f.pending, made), append(in, input)
	}
	return in
}

// entry is entry i of a formula in arrays of one shape, and the entries of the inputs that it is made of.
func (f *Package) entry(n *expr.Node, in []plan.Input) (*expr.Node, []plan.Input) {
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

// arguments computes the parameters of random numbers that are more than formulas of numbers, in memory of their own, before these
// are drawn: of a parameter that needs other random numbers, what does not. It returns the random numbers with symbols in their place.
func (f *Package) arguments(noise []bind.Draw, inputs []plan.Input) (*plan.Kernel, []bind.Draw) {
	k, out := &plan.Kernel{Inputs: slices.Clone(inputs), OfComponent: f.Mixture() != nil}, slices.Clone(noise)
	places, drawn := map[*expr.Node]*expr.Node{}, []*expr.Node(nil)
	for i, d := range noise {
		out[i].Args = nil
		for _, a := range d.Args {
			for _, n := range apart(a, drawn) {
				if places[n] == nil {
					places[n] = f.argument(k, n)
				}
			}
			a = f.d.Problem.Graph.Substitute(a, places)
			if computed(a) {
				panic(plan.Unsupported("a parameter of a random number that needs linear algebra with other random numbers: " + a.String()))
			}
			out[i].Args = append(out[i].Args, a)
		}
		drawn = append(drawn, d.Sym)
	}
	return k, out
}

// apart are the largest parts of a parameter that are computed, and without random numbers.
func apart(n *expr.Node, random []*expr.Node) (out []*expr.Node) {
	switch {
	case !computed(n):
	case !expr.Depends(n, random...):
		return []*expr.Node{n}
	default:
		for _, a := range n.Args {
			out = append(out, apart(a, random)...)
		}
	}
	return out
}

// argument has a kernel compute a value in memory of its own, and returns a symbol for it.
func (f *Package) argument(k *plan.Kernel, n *expr.Node) *expr.Node {
	name := fmt.Sprintf("argument%d", len(k.Outputs))
	place := f.d.Problem.Graph.Fresh(name, n.Type, n.Facts)
	to := program.Field("p", name)
	if f.Noises[name] = (program.Shape{Dims: n.Type.Dims[:n.Type.Rank]}); n.Type.Rank == 0 {
		to = to.Entry(0)
	}
	k.Outputs = append(k.Outputs, plan.Output{To: to, Node: n, Place: place, Type: n.Type})
	return place
}

// givenInRow is what is given in the row for which the variable is drawn.
func (f *Package) givenInRow() []plan.Input {
	var in []plan.Input
	at := f.RecordLayout()
	for i, sym := range f.d.Problem.Target.SampleGiven {
		in = append(in, at.input(program.Argument("row"), len(f.d.Problem.Target.Observed())+i, sym, f.Local(f.d.Problem.Target.Given[i].Name)))
	}
	return in
}

// fixedInput is what is computed once for all draws, read for a draw.
func (f *Package) fixedInput(o plan.Output) plan.Input {
	name := ""
	if o.To.Varies() {
		name, _, _ = strings.Cut(o.Place.Name, "$")
	}
	return plan.Input{Sym: o.Place, Name: name, From: o.To}
}

// ownNoise are random numbers whose parameters are those of one component.
func (f *Package) ownNoise(noise []bind.Draw, given, own []plan.Input) []bind.Draw {
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

// drawn are the variables of an observation, and the states of a sequence behind it, in terms of the parameters, the random numbers and
// the states in front of it.
func (f *Package) drawn(s *bind.Draws) []*expr.Node {
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
	return append(out, g.SubstituteAll(s.Next, by)...)
}

// hoisted puts symbols in the place of what does not depend on the random numbers, where that is worth while, and makes
// their values outputs of a kernel.
func (f *Package) hoisted(nodes []*expr.Node, noise []bind.Draw, into *plan.Kernel) []*expr.Node {
	random := map[*expr.Node]bool{}
	for _, d := range noise {
		random[d.Sym] = true
	}
	for _, s := range f.d.Problem.Target.SampleGiven { // differs from draw to draw too
		random[s] = true
	}
	for _, s := range f.d.Problem.Target.States {
		random[s.Sym] = true
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
		case by[n] == nil && linalgInside(n) && expr.Find((*expr.Node).IsSym, n):
			name := fmt.Sprintf("fixed%d", len(into.Outputs))
			by[n] = f.d.Problem.Graph.Fresh(name, n.Type, n.Facts)
			shape := program.Shape{Dims: n.Type.Dims[:n.Type.Rank], Stacked: n.Type.Axes.Has(expr.Components)}
			f.Noises[name] = shape
			o := plan.Output{To: program.Field("p", name), Node: n, Type: n.Type, Place: by[n]}
			switch {
			case shape.Stacked:
				at := Layout{Places: []Place{{Type: n.Type}}, Components: f.Components}
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

// noiseOf is the field for random numbers of a name and a size: a sample and a random start may call numbers of different sizes alike.
func (f *Package) noiseOf(prefix, name string, size program.Shape) string {
	field := noiseField(prefix, name)
	for base, k := field, 2; ; k++ {
		if known, ok := f.Noises[field]; !ok || known.Equal(size) {
			break
		}
		field = fmt.Sprint(base, "_", k)
	}
	f.Noises[field] = size
	return field
}

// computed reports whether a parameter of random numbers is no formula of numbers, entry by entry.
func computed(n *expr.Node) bool {
	if n.Type.Rank == 0 {
		return linalgInside(n)
	}
	return n.Op != expr.Ones && (n.IsLinalg() || n.Op == expr.Iota || n.Op == expr.Table || slices.ContainsFunc(n.Args, computed))
}

// linalgInside reports whether linear algebra is needed to compute a value.
func linalgInside(n *expr.Node) bool {
	found := false
	expr.Walk(func(n *expr.Node) { found = found || n.IsLinalg() && n.Op != expr.Ones }, n)
	return found
}

// noiseField is the field for random numbers of a name: e and E are not one.
func noiseField(prefix, name string) string {
	name = strings.TrimSuffix(name, "_")
	if exported(name) == name {
		prefix += "Of"
	}
	return prefix + exported(name)
}
