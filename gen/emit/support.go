package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/plan"
	"github.com/sngdgen/sngdgen/gen/program"
)

// supported reports whether the target has conditions on one row.
func (f *file) supported() bool { return len(f.d.Problem.Target.Support) > 0 }

// outside writes the method that checks the conditions on one row.
func (f *file) outside() {
	if !f.supported() {
		return
	}
	t, at, by := f.d.Problem.Target, f.recordLayout(), map[*expr.Node]*expr.Node{}
	k := &plan.Kernel{Inputs: f.sizes()[1:]} // without the number of rows
	for i, q := range t.Record() {
		by[q.Sym] = f.d.Problem.Graph.Fresh(q.Name, coreOf(q.Sym.Type), q.Kind.Facts)
		k.Inputs = append(k.Inputs, at.input(program.Argument("row"), i, by[q.Sym], f.local(q.Name)))
	}
	for i, c := range t.Support {
		node := f.stable(f.d.Problem.Graph.Substitute(c.Node, by))[0]
		k.Guards = append(k.Guards, plan.Guard{Node: node, Range: c.Range, Index: i})
	}
	body, _ := f.kernel(k, rowSource{}, func(i int) jen.Code { return jen.Return(jen.Lit(i)) })
	f.nameProgram("Outside")
	f.add("Outside returns the index in Info().Support of the first condition that a row of data does not meet, or -1. The lengths of\n"+
		"dimensions must be known.",
		method("Outside").Params(floats("row")).Int().Block(append(append(f.makeSure(), body...), jen.Return(jen.Lit(-1)))...))
}

// inSupport are the statements of SetData that refuse rows outside the support. Where the data bring the length of a dimension they are
// checked by a model of that length, so that this one stays as it is when they are refused.
func (f *file) inSupport(unknown expr.Dim, length string) []jen.Code {
	if !f.supported() {
		return nil
	}
	check := func(model string) jen.Code {
		return ifError(jen.Qual(supportModule, "CheckSupport").Call(line("d"), line("%s", model)))
	}
	if unknown.Name == "" {
		return append(f.makeSure(), check("p"))
	}
	return []jen.Code{
		line("sized := *p"),
		line("sized.%s = %s", plan.DimName(unknown), length),
		line("sized.allocate()"),
		check("&sized"),
	}
}
