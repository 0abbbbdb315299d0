package emit

import (
	"fmt"
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/bind"
	"github.com/sngdgen/sngdgen/gen/methods"
	"github.com/sngdgen/sngdgen/gen/plan"
	"github.com/sngdgen/sngdgen/gen/program"
)

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
	m := f.Mixture()
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
	if f.d.Responsibilities.Type.Axes.Has(expr.Rows) {
		return f.kernel("Responsibilities", nil, spoil("dst")...)
	}
	stmts := f.statements("Responsibilities", nil, spoil("dst")...)
	k := plan.DimName(f.Components)
	return f.declareDims(append(stmts, jen.For(line("i := %s", k), line("i < len(dst)"), line("i++")).Block(line("dst[i] = dst[i-%s]", k))))
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
		if !f.Dataless() {
			body = append(body, jen.If(line("p.Rows.Given() == 0")).Block(jen.Return(jen.Nil())))
			if len(f.d.Problem.Constants) > 0 {
				body = append(body, ifError(line("p.See").Call(viewed("nil", f.DataColumns())...)), line("p.constants()"))
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
	if f.Pinned() {
		blocks = "blocks"
	}
	body := []jen.Code{jen.Return(jen.Qual(supportModule, "RaiseMeanWeights").Call(
		jen.Id("z"), jen.Id(blocks), jen.Id("p.weights"), jen.Id("floor")))}
	if f.d.Problem.Spec.Step == bind.Natural {
		body = append(f.statements("RaiseWeights", nil), jen.Return(jen.Qual(supportModule, "RaiseNaturalWeights").Call(
			jen.Id("z"), jen.Id("p.weights"), jen.Id("floor"))))
	}
	if f.d.Surrogate.Raised != nil {
		body = append(f.raiseShared(), body...)
	}
	f.add("RaiseWeights raises weights of components below a floor to it, at the cost of the others, and keeps the parameters of\n"+
		"the components. It reports whether z has changed.",
		method("RaiseWeights").Params(floats("z"), jen.Id("floor").Float64()).Bool().Block(f.declareDims(append(f.makeSure(), body...))...))
}

// raiseShared writes what belongs to all components where the weights are raised.
func (f *file) raiseShared() []jen.Code {
	return append([]jen.Code{jen.If(jen.Op("!").Qual(supportModule, "RaisedWeights").Call(jen.Id("z"), jen.Id("p.weights"), jen.Id("floor"))).Block(
		jen.Return(jen.False()))}, f.statements("RaiseWeights", nil, jen.Return(jen.False()))...)
}

// grouped are the rows by which a start groups, and how many columns they have: all that is observed.
func (f *file) grouped() (x, columns jen.Code) {
	observed := f.d.Problem.Target.Observed()
	if len(observed) > 1 {
		var l methods.Layout
		parts := []jen.Code{line("p.W")}
		for i, q := range observed {
			l = l.Add(methods.Place{Type: methods.CoreOf(q.Sym.Type)})
			parts = append(parts, line("p.%s", f.DataColumns()[i]))
		}
		return jen.Qual(supportModule, "Held").Call(parts...).Dot("Values"), line("%s", f.inFields(lengthText(l.Size())))
	}
	if t := f.Rows.Sym.Type; t.Rank > 0 {
		return line("p.x"), dimOf(t.Dims[0])
	}
	return line("p.x"), jen.Lit(1)
}

// knowsLengths refuses data of a model of which a length that the data do not have is not known.
func (f *file) knowsLengths(given ...expr.Dim) []jen.Code {
	var out []jen.Code
	for _, d := range f.Dims {
		if d == f.Components || slices.Contains(given, d) {
			continue
		}
		out = append(out, jen.If(jen.Id("p."+plan.DimName(d)).Op("==").Lit(0)).Block(jen.Return(jen.Qual("errors", "New").Call(
			jen.Lit("the data do not say how long dimension "+d.Name+" is: see Resize, or pin it in the spec")))))
	}
	return out
}

// knowsComponents refuses data of a mixture whose number of components is not known.
func (f *file) knowsComponents() []jen.Code {
	k := f.Components
	if k.Name == "" {
		return nil
	}
	return []jen.Code{jen.If(jen.Id("p." + plan.DimName(k)).Op("==").Lit(0)).Block(jen.Return(jen.Qual("fmt", "Errorf").Call(
		jen.Lit(f.d.Problem.Spec.Package + " needs its number of components before data: see SetComponents"))))}
}
