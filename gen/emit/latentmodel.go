package emit

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/plan"
	"github.com/sngdgen/sngdgen/gen/program"
)

// The model of the latent variables is a kernel of its own, whose rows are those of the data. It is evaluated at one draw
// after the other, for the value, the gradient or both: what is not asked for is not computed.

// evaluations are the ways to ask, each with the names of its methods, of one draw and of all.
var evaluations = []struct {
	program.Evaluate
	one, all string
}{
	{program.Evaluate{Values: true, Gradients: true}, "logJoint", "logJoints"},
	{program.Evaluate{Values: true}, "logJointValue", "logJointValues"},
	{program.Evaluate{Gradients: true}, "logJointGradient", "logJointGradients"},
}

// evaluate is the call that evaluates the model at all draws.
func (f *file) evaluate(e program.Evaluate) jen.Code {
	f.evaluates[e] = true
	for _, v := range evaluations {
		if v.Evaluate == e {
			return line("p.%s()", v.all)
		}
	}
	panic("emit: an evaluation of nothing")
}

// modelMethods writes the methods that have been asked for. Their memory is their own, apart from that of the kernels that
// call them.
func (f *file) modelMethods() {
	v := f.variational()
	if v == nil || v.Model == nil {
		return
	}
	f.foldMethods()
	f.callers, f.preparedPrefix, f.ownsAll = slices.Clone(f.slots), "model", true
	f.cutting = true
	for _, e := range evaluations {
		switch {
		case !f.evaluates[e.Evaluate]:
		case f.external():
			f.allDrawsMethod(e.Evaluate, "logDensity", e.all)
		default:
			f.modelMethod(e.Evaluate, e.one)
			f.allDrawsMethod(e.Evaluate, e.one, e.all)
		}
	}
	f.callers, f.preparedPrefix, f.ownsAll = nil, "", false
	f.cutting = false
}

// modelMethod writes the method for one draw.
func (f *file) modelMethod(e program.Evaluate, name string) {
	m := f.variational().Model
	k := f.modelKernel()
	declared := method(name).Params(floats("z"))
	if e.Gradients {
		declared = method(name).Params(floats("g", "z"))
		at := f.latentLayout()
		for i, q := range m.Latent {
			k.Outputs = append(k.Outputs, at.output(program.Argument("g"), i, m.Gradient[i], "g"+exported(q.Name), false))
		}
	}
	if e.Values {
		declared = declared.Float64()
		k.Outputs = append(k.Outputs, result(m.LogJoint))
	}
	body, _ := f.kernel(k, dataSource, nil)
	value := " returns the logarithm of the joint density of the data and the latent variables z, up to a constant:\n\n\t" + display(m.LogJoint)
	doc := map[program.Evaluate]string{
		{Values: true, Gradients: true}: value + "\n\nand writes its gradient to g.",
		{Values: true}:                  value,
		{Gradients: true}:               " writes the gradient of what logJoint returns to g.",
	}[e]
	f.add(name+doc, declared.Block(body...))
}

// modelKernel is what the methods of the model have in common.
func (f *file) modelKernel() *plan.Kernel {
	m := f.d.Problem.Variational
	k := &plan.Kernel{}
	f.overData(k)
	at := f.latentLayout()
	for i, q := range m.Latent {
		k.Inputs = append(k.Inputs, at.input(program.Argument("z"), i, q.Sym, f.local(q.Name)))
	}
	return k
}

// overData makes the rows of a kernel those of the data of the model.
func (f *file) overData(k *plan.Kernel) {
	m, g := f.d.Problem.Variational, f.d.Problem.Graph
	k.Rows = &plan.RowSource{Sym: f.rows.Sym, Columns: map[*expr.Node]string{}}
	k.Inputs = append(k.Inputs, plan.Input{Sym: g.Size(expr.Rows), From: program.Field("p", "n")}, plan.Input{Sym: m.Scale, From: program.Field("p", "scale")})
	for _, d := range f.dims() {
		k.Inputs = append(k.Inputs, f.length(d))
	}
	for _, q := range m.Data {
		k.Rows.Columns[q.Sym] = f.dataField(q)
	}
	for i, s := range f.stacked() {
		k.Rows.Columns[s.Sym] = stackedField(i)
	}
}

// dataSource is where kernels over the data of the model find their rows.
var dataSource = rowSource{x: "p.w", w: "p.w", data: "p."}

// allDrawsMethod writes the method for all draws.
func (f *file) allDrawsMethod(e program.Evaluate, one, all string) {
	width := f.inFields(rowWidth(f.d.Problem.Target.Variable.Sym.Type))
	z, gradients := "p."+plan.DrawnColumn+"[at:end]", "p."+plan.GradientsColumn+"[at:end]"
	var folded []jen.Code
	drawn := z
	if f.packed() {
		if drawn = "p.unfold(" + z + ")"; e.Gradients {
			folded = []jen.Code{line("p.fold(%s)", gradients)}
			gradients = "p." + slopesField
		}
	}
	call := "p." + one + "("
	switch {
	case e.Gradients:
		call += gradients + ", "
	case f.external():
		call += "nil, "
	}
	call += drawn + ")"
	body := []jen.Code{line("at, end := i*%s, (i+1)*%s", width, width)}
	switch {
	case e.Values:
		body = append(body, line("p.%s[i] = %s", plan.ValuesColumn, call))
	case f.external(): // a step is refused where there is no value, though it asks for the gradient alone
		body = append(body, jen.If(jen.Op("!").Parens(jen.Qual("math", "Abs").Call(line("%s", call)).Op("<=").Qual("math", "MaxFloat64"))).Block(
			jen.Id("p."+plan.GradientsColumn+"[at]").Op("=").Qual("math", "NaN").Call()))
	default:
		body = append(body, line("%s", call))
	}
	body = append(body, folded...)
	if f.external() || f.dataless() { // one goroutine calls what others wrote, and what has no rows takes no time
		f.add(all+" evaluates "+one+" at every draw.", method(all).Params().Block(
			jen.For(line("i := range %s", f.allDraws())).Block(body...)))
		return
	}
	some := one + "Of"
	f.passes++
	f.add(all+" evaluates "+one+" at every draw.", method(all).Params().Block(
		line("p.%s.Each(p, %s, %s*len(p.w)*%s, (*Model).%s, (*Model).%s)", passField, f.allDraws(), f.allDraws(), width, some, helpName)))
	f.add(some+" evaluates "+one+" at draws from one to another.", method(some).Params(line("from, to int")).Block(
		jen.For(line("i := from"), line("i < to"), line("i++")).Block(body...)))
}

// latentLayout is where the latent variables lie.
func (f *file) latentLayout() layout {
	var l layout
	for _, q := range f.d.Problem.Variational.Latent {
		l = l.add(place{Type: q.Sym.Type})
	}
	return l
}
