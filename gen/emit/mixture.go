package emit

import (
	"fmt"
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/bind"
	"github.com/sngdgen/sngdgen/gen/derive"
	"github.com/sngdgen/sngdgen/gen/plan"
	"github.com/sngdgen/sngdgen/gen/program"
)

// mixture is what a problem with mixtures has besides, nil where there is none.
func (f *file) mixture() *bind.Mixture { return f.d.Problem.Mixture }

// components is the number of components of a mixture, the zero value where there is none.
func (f *file) components() expr.Dim {
	if m := f.mixture(); m != nil {
		return m.Components
	}
	return expr.Dim{}
}

// lengths are those of a value, that of the components first.
func (f *file) lengths(t expr.Type) []expr.Dim {
	dims := t.Dims[:t.Rank]
	if t.Axes.Has(expr.Components) {
		return append([]expr.Dim{f.components()}, dims...)
	}
	return dims
}

// ofComponent reports whether a parameter is one of each component.
func (f *file) ofComponent(q bind.Param) bool {
	return q.Sym.Type.Axes.Has(expr.Components) && !f.isWeights(q.Sym)
}

func (f *file) isWeights(sym *expr.Node) bool {
	return f.mixture() != nil && (sym == f.mixture().Weights || sym == f.d.Problem.Target.Params[0].Sym)
}

// paramName is the local name of a parameter. That of the weights of a mixture is pi, as in the literature: weights are
// those of the rows.
func (f *file) paramName(sym *expr.Node, name string) string {
	if f.isWeights(sym) {
		return "pi"
	}
	return f.local(name)
}

// coordName is the local name of a coordinate.
func (f *file) coordName(c derive.Coord) string {
	switch {
	case c.Free && c.Name == "weights":
		return "freePi"
	case c.Free: // no name of a spec either
		return c.Name
	}
	return f.local(c.Name)
}

// mixtureInputs are the numbers that formulas of mixtures may use: how many components there are, and which one it is.
func (f *file) mixtureInputs() []plan.Input {
	m := f.mixture()
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

// components writes a loop over the components.
//
//	for comp := range <k> { ... }
//
// or what is run for the one that the rows of a block belong to.
func (b body) loopOverComponents(l *program.Components) jen.Code {
	inner := b.stmts(l.Body)
	if l.Own {
		if b.take("comp") {
			inner = append([]jen.Code{line("comp := own")}, inner...)
		}
		return jen.Block(inner...)
	}
	return b.counted("comp", b.dim(b.components), inner)
}

// mixtureMethods writes the methods of runtime.Mixture.
func (f *file) mixtureMethods() {
	m := f.mixture()
	if m == nil {
		return
	}
	f.add("Components returns the number of components.",
		short(method("Components").Params().Int(), jen.Return(jen.Add(dimOf(m.Components)))))
	f.setComponents(m)
	f.add("Responsibilities writes the posterior probabilities of the components at z, row by row, for the "+f.rowName()+"s of the\n"+
		"data, to dst.", method("Responsibilities").Params(floats("dst", "z")).Block(f.responsibilities()...))
	f.raiseWeights(m)
}

// responsibilities are the statements of Responsibilities. Those of components that are all alike are the weights, for every
// row:
//
//	dst[comp] = <weight>, for all components
//	for i := <k>; i < len(dst); i++ { dst[i] = dst[i-<k>] }
func (f *file) responsibilities() []jen.Code {
	n := f.d.Responsibilities
	if n.Type.Axes.Has(expr.Rows) {
		k := f.surrogateKernel(false)
		k.Stores = []plan.Output{{To: program.Argument("dst"), Node: n}}
		body, _ := f.kernel(k, f.ownSource(), nil, spoil("dst")...)
		return body
	}
	first := f.weightsTo(program.Argument("dst"), n)
	stmts, _ := f.statements(f.surrogateKernel(false, first), f.ownSource(), nil, spoil("dst")...)
	k := plan.DimName(f.components())
	return f.declareDims(append(stmts, jen.For(line("i := %s", k), line("i < len(dst)"), line("i++")).Block(line("dst[i] = dst[i-%s]", k))))
}

// weightsTo writes one number for each component to memory.
func (f *file) weightsTo(memory *program.Given, n *expr.Node) plan.Output {
	t := f.mixture().Weights.Type
	return plan.Output{To: memory.Cut(program.Part{Type: t, Components: f.components()}), Node: n, Type: t}
}

func (f *file) setComponents(m *bind.Mixture) {
	name := f.d.Problem.Spec.Package
	var body []jen.Code
	last := jen.Return(jen.Nil())
	fail := func(cond *jen.Statement, format string, args ...jen.Code) jen.Code {
		return jen.If(cond).Block(jen.Return(jen.Qual("fmt", "Errorf").Call(append([]jen.Code{jen.Lit(format)}, args...)...)))
	}
	comment := "SetComponents sets the number of components, and keeps the data."
	if m.Components.Name == "" {
		comment = fmt.Sprintf("SetComponents refuses any other number than %d, which the spec gives.", m.Components.Size)
		body = []jen.Code{fail(jen.Id("k").Op("!=").Lit(m.Components.Size),
			fmt.Sprintf("%s has %d components, not %%d: its spec says so", name, m.Components.Size), jen.Id("k"))}
	} else {
		body = []jen.Code{
			fail(jen.Id("k").Op("<").Lit(1), name+" cannot have %d components", jen.Id("k")),
			jen.Id("p." + plan.DimName(m.Components)).Op("=").Id("k"),
			jen.Id("p.allocate").Call(),
		}
		if !f.dataless() {
			body = append(body, jen.If(line("p.rows.Given() == 0")).Block(jen.Return(jen.Nil())))
			if len(f.d.Problem.Constants) > 0 {
				body = append(append(body, f.seeAll()...), line("p.constants()"))
			}
			last = jen.Return(jen.Id("p.Batch").Call(jen.Nil()))
		}
	}
	f.add(comment, method("SetComponents").Params(jen.Id("k").Int()).Error().Block(append(body, last)...))
}

// raiseWeights writes the method that keeps weights off 0.
func (f *file) raiseWeights(m *bind.Mixture) {
	f.noises["weights"] = plan.DimName(m.Components)
	blocks := "p.blocks"
	if f.pinned() {
		blocks = "blocks"
	}
	body := []jen.Code{jen.Return(jen.Qual(supportModule, "RaiseMeanWeights").Call(
		jen.Id("z"), jen.Id(blocks), jen.Id("p.weights"), jen.Id("floor")))}
	if f.d.Problem.Spec.Step == bind.Natural {
		weights := f.weightsTo(program.Field("p", "weights"), m.Weights)
		stmts, _ := f.statements(f.surrogateKernel(false, weights), f.ownSource(), nil)
		body = append(stmts, jen.Return(jen.Qual(supportModule, "RaiseNaturalWeights").Call(
			jen.Id("z"), jen.Id("p.weights"), jen.Id("floor"))))
	}
	if s := &f.d.Surrogate; s.Raised != nil {
		body = append(f.raiseShared(s), body...)
	}
	f.add("RaiseWeights raises weights of components below a floor to it, at the cost of the others, and keeps the parameters of\n"+
		"the components. It reports whether z has changed.",
		method("RaiseWeights").Params(floats("z"), jen.Id("floor").Float64()).Bool().Block(f.declareDims(append(f.makeSure(), body...))...))
}

// raiseShared writes what belongs to all components where the weights are raised.
func (f *file) raiseShared(s *derive.Surrogate) []jen.Code {
	k := f.surrogateKernel(false)
	memory := f.weightsTo(program.Field("p", "weights"), s.RaisedWeights)
	k.Inputs = append(k.Inputs, plan.Input{Sym: s.RaisedWeights, Name: "raised", From: memory.To})
	at := f.coordLayout()
	for i, n := range s.Raised {
		if n != nil {
			symmetric := s.Coords[i].Sym.Facts.Structure&expr.Symmetric != 0
			k.Outputs = append(k.Outputs, at.output(program.Argument("z"), i, n, "raised"+exported(s.Coords[i].Name), symmetric))
		}
	}
	stmts, _ := f.statements(k, f.ownSource(), nil, jen.Return(jen.False()))
	return append([]jen.Code{jen.If(jen.Op("!").Qual(supportModule, "RaisedWeights").Call(jen.Id("z"), jen.Id("p.weights"), jen.Id("floor"))).Block(
		jen.Return(jen.False()))}, stmts...)
}

// own makes the values of one component of what formulas are made of: symbols without the axis of the components in the place of
// those with it, read where the variable comp says.
func (f *file) own(nodes []*expr.Node, in []plan.Input) ([]*expr.Node, []plan.Input) {
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

// groups are the statements that group the rows for a start.
//
//	p.labels = support.Grow(p.labels, len(p.w))
//	if err := support.Slices(p.labels, p.x, p.w, k); err != nil { return err }
func (f *file) groups(how string, rng jen.Code) []jen.Code {
	if f.mixture() == nil || how == bind.GroupsNone {
		return nil
	}
	k := dimOf(f.components())
	x, columns := f.grouped()
	args := []jen.Code{jen.Id("p.labels"), x, jen.Id("p.w")}
	name := "Slices"
	if how == bind.GroupsClusters {
		name, args = "Clusters", append(args, columns, k, rng)
	} else {
		args = append(args, k)
	}
	return []jen.Code{
		jen.Id("p.labels").Op("=").Qual(supportModule, "Grow").Call(jen.Id("p.labels"), jen.Len(jen.Id("p.w"))),
		jen.If(jen.Err().Op(":=").Qual(supportModule, name).Call(args...), jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Err())),
	}
}

// grouped are the rows by which a start groups, and how many columns they have: all that is observed.
func (f *file) grouped() (x, columns jen.Code) {
	observed := f.d.Problem.Target.Observed()
	if len(observed) > 1 {
		var l layout
		parts := []jen.Code{line("p.w")}
		for i, q := range observed {
			l = l.add(place{Type: coreOf(q.Sym.Type)})
			parts = append(parts, line("p.%s", f.dataColumns()[i]))
		}
		return jen.Qual(supportModule, "Held").Call(parts...).Dot("Values"), line("%s", f.inFields(lengthText(l.size())))
	}
	if t := f.rows.Sym.Type; t.Rank > 0 {
		return line("p.x"), dimOf(t.Dims[0])
	}
	return line("p.x"), jen.Lit(1)
}

// inDomain calls a start of a mixture with more and more of all rows in each group.
//
//	for _, p.blend = range [...]float64{...} { <call>; if p.Violation(z) < 0 { return nil } }
func (f *file) inDomain(call *jen.Statement, how string) []jen.Code {
	if f.mixture() == nil || how == bind.GroupsNone {
		return []jen.Code{call}
	}
	var blends []jen.Code
	for _, share := range bind.Blends(how) {
		blends = append(blends, jen.Lit(share))
	}
	return []jen.Code{jen.For(jen.List(jen.Id("_"), jen.Id("p.blend")).Op("=").Range().Index(jen.Op("...")).Float64().Values(blends...)).Block(
		call, jen.If(jen.Id("p.Violation").Call(jen.Id("z")).Op("<").Lit(0)).Block(jen.Return(jen.Nil())))}
}

// labelsField is the column with the groups of the rows.
const labelsField = "labels"

// noiseOfComponents draws numbers, or entries of vectors and matrices, for each component.
func (f *file) noiseOfComponents(sym *expr.Node, name, kind string, args []jen.Code) ([]jen.Code, plan.Input) {
	field := f.noiseOf("noises", name, f.size(program.Shape{Stacked: true, Dims: sym.Type.Dims[:sym.Type.Rank]}))
	at := layout{places: []place{{Type: sym.Type}}, components: f.components()}
	draw := jen.For(jen.Id("i").Op(":=").Range().Id("p." + field)).Block(
		jen.Id("p."+field).Index(jen.Id("i")).Op("=").Qual(module+"/random", exported(kind)).Call(args...))
	return []jen.Code{draw}, at.input(program.Field("p", field), 0, sym, name)
}

// knowsLengths refuses data of a model of which a length that the data do not have is not known.
func (f *file) knowsLengths(given ...expr.Dim) []jen.Code {
	var out []jen.Code
	for _, d := range f.dims() {
		if d == f.components() || slices.Contains(given, d) {
			continue
		}
		out = append(out, jen.If(jen.Id("p."+plan.DimName(d)).Op("==").Lit(0)).Block(jen.Return(jen.Qual("errors", "New").Call(
			jen.Lit("the data do not say how long dimension "+d.Name+" is: see Resize, or pin it in the spec")))))
	}
	return out
}

// knowsComponents refuses data of a mixture whose number of components is not known.
func (f *file) knowsComponents() []jen.Code {
	k := f.components()
	if k.Name == "" {
		return nil
	}
	return []jen.Code{jen.If(jen.Id("p." + plan.DimName(k)).Op("==").Lit(0)).Block(jen.Return(jen.Qual("fmt", "Errorf").Call(
		jen.Lit(f.d.Problem.Spec.Package + " needs its number of components before data: see SetComponents"))))}
}
