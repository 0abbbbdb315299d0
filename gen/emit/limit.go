package emit

import (
	"fmt"
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/derive"
	"github.com/sngdgen/sngdgen/gen/plan"
	"github.com/sngdgen/sngdgen/gen/program"
)

// limitStage is what the objective of a limit needs of the data alone. It is computed when it is asked for first: most users
// of a model never ask, and a batch would pay for it at every step.
type limitStage struct {
	stage   *plan.DataStage
	columns []string // fields of values for every row
}

// limits writes the limits of the target.
func (f *file) limits() {
	var gradients, paths, starts []jen.Code
	for i, l := range f.d.Limits {
		stage := plan.NewDataStage(f.d.Problem.Graph)
		stage.Whole = true
		stage.Prefix = fmt.Sprintf("limit%d", i)
		e := limitEmitter{file: f, limit: l, index: i, name: stage.Prefix,
			rows: &plan.RowSource{Sym: f.rows.Sym, Fixed: stage, Constants: f.rows.Constants, Columns: f.rows.Columns}}
		f.limited = append(f.limited, limitStage{stage: stage}) // before anything asks for the types of its columns
		gradient, path := e.gradient(), e.path()
		e.prepare(&f.limited[i])
		f.decls = append(f.decls, gradient...)
		f.decls = append(f.decls, path...)
		gradients = append(gradients, jen.Case(jen.Lit(i)).Block(jen.Return(line("p.%sGradient(g, theta)", e.name))))
		paths = append(paths, jen.Case(jen.Lit(i)).Block(line("p.%sPath(dst, theta, t)", e.name)))
		starts = append(starts, jen.Case(jen.Lit(i)).Block(e.starts()...))
	}
	if len(f.limited) == 0 {
		return
	}
	other := jen.Default().Block(jen.Return(jen.Qual("math", "NaN").Call()))
	f.add("LimitGradient writes the derivative of the mean negative log-likelihood of a limit with respect to its parameters theta\n"+
		"to g, and returns the value; NaN outside the domain of the limit.",
		method("LimitGradient").Params(floats("g", "theta"), jen.Id("limit").Int()).Float64().Block(
			jen.Switch(jen.Id("limit")).Block(append(gradients, other)...)))
	f.add("LimitPath writes the parameters of the target on the way to a limit, of which theta are the parameters, to dst: as t\n"+
		"goes to infinity the target tends to the limit.",
		method("LimitPath").Params(floats("dst", "theta"), jen.Id("limit").Int(), jen.Id("t").Float64()).Block(
			jen.Switch(jen.Id("limit")).Block(append(paths, jen.Default().Block(spoil("dst")[0]))...)))
	unknown := jen.Default().Block(jen.Return(jen.Qual("fmt", "Errorf").Call(jen.Lit("there is no limit %d"), jen.Id("limit"))))
	f.add("LimitStart writes starting point i of a limit to theta. An error says that there is none.",
		method("LimitStart").Params(floats("theta"), jen.List(jen.Id("limit"), jen.Id("i")).Int(), jen.Id("rng").Op("*").Qual("math/rand/v2", "Rand")).
			Error().Block(jen.Switch(jen.Id("limit")).Block(append(starts, unknown)...), jen.Return(jen.Nil())))
}

// limitEmitter writes one limit.
type limitEmitter struct {
	*file
	limit *derive.Limit
	index int
	name  string // of its functions
	rows  *plan.RowSource
}

// layout is where the parameters of the limit lie.
func (e *limitEmitter) layout() layout {
	var l layout
	for _, q := range e.limit.Params {
		l = l.add(place{Type: q.Sym.Type})
	}
	return l
}

// kernel is a kernel in the parameters of the limit.
func (e *limitEmitter) kernel(outputs []plan.Output) *plan.Kernel {
	k := &plan.Kernel{Inputs: e.dataInputs(), Rows: e.rows, Outputs: outputs,
		Names: map[*expr.Node]string{e.rows.Sym: e.local(e.d.Problem.Target.Variable.Name)}}
	at := e.layout()
	for i, q := range e.limit.Params {
		k.Inputs = append(k.Inputs, at.input(program.Argument("theta"), i, q.Sym, e.local(q.Name)))
	}
	return k
}

// gradient writes the objective of the limit.
func (e *limitEmitter) gradient() []jen.Code {
	var names []string
	var places []*expr.Node
	for _, q := range e.limit.Params {
		names, places = append(names, q.Name), append(places, q.Sym)
	}
	outputs := append(e.layout().outputs("g", e.limit.Gradient, places, names), result(e.limit.Loss))
	k := e.kernel(outputs)
	for i, c := range e.limit.Conditions {
		k.Guards = append(k.Guards, plan.Guard{Node: c.Node, Range: c.Range, Definite: c.Definite, Index: i})
	}
	body, _ := e.file.kernel(k, ownRows, returnNaN, returnNaN(0))
	about := fmt.Sprintf("LimitGradient of %s, where %s", e.limit.Spec.Name, e.limit.Spec.Ends())
	return e.function("Gradient", about, floats("g", "theta"), jen.Float64(), []jen.Code{returnNaN(0)}, body)
}

// path writes the parameters of the target on the way to the limit.
func (e *limitEmitter) path() []jen.Code {
	var nodes []*expr.Node
	for _, d := range e.limit.Path {
		nodes = append(nodes, d.Node)
	}
	k := e.kernel(e.thetaOutputs("dst", nodes))
	k.Inputs = append(k.Inputs, plan.Input{Sym: e.limit.Scale, From: program.Argument(e.local("t"))})
	body, _ := e.file.kernel(k, ownRows, nil, spoil("dst")...)
	return e.function("Path", "LimitPath of "+e.limit.Spec.Name, jen.List(floats("dst", "theta"), jen.Id("t").Float64()), jen.Null(), spoil("dst"), body)
}

// function is a method that needs what the limit knows of the data; where that is undefined it leaves.
func (e *limitEmitter) function(name, about string, params, result jen.Code, leave, body []jen.Code) []jen.Code {
	e.nameProgram(e.name + name)
	check := jen.If(jen.Op("!").Id("p").Dot(e.name + "Data").Call()).Block(leave...)
	return []jen.Code{jen.Add(comments(e.name+name+" is "+about+"."),
		method(e.name+name).Params(params).Add(result).Block(append(append(e.makeSure(), check), body...)...))}
}

// prepare writes the data stage of the limit, computed at most once for a data set. It may be undefined.
//
//	if p.limitsKnown[<i>] == 0 { p.limitsKnown[<i>] = -1; <compute>; p.limitsKnown[<i>] = 1 }
//	return p.limitsKnown[<i>] > 0
func (e *limitEmitter) prepare(s *limitStage) {
	known := fmt.Sprintf("p.limitsKnown[%d]", e.index)
	body := []jen.Code{
		jen.If(line("%s != 0", known)).Block(jen.Return(line("%s > 0", known))),
		line("%s = -1", known),
	}
	columns := e.dataKernel()
	for _, d := range s.stage.Columns {
		rows := jen.Len(jen.Id("p.w"))
		if d.Node.Type.Rank > 0 {
			rows = rows.Op("*").Add(e.product(d.Node.Type))
		}
		body = append(body, jen.Id("p."+d.Name).Op("=").Qual(supportModule, "Grow").Call(jen.Id("p."+d.Name), rows))
		columns.Stores = append(columns.Stores, plan.Output{To: program.Field("p", d.Name), Node: e.stable(d.Node)[0]})
		s.columns = append(s.columns, d.Name)
	}
	undefined := jen.Return(jen.False())
	var stages []jen.Code
	for _, k := range []*plan.Kernel{columns, e.scalarsOf(s.stage)} {
		if len(k.Stores)+len(k.Outputs) > 0 {
			stmts, _ := e.file.kernel(k, ownRows, nil, undefined)
			stages = append(stages, jen.Block(stmts...))
		}
	}
	body = append(append(body, stages...), line("%s = 1", known), jen.Return(jen.True()))
	e.add(e.name+"Data computes what the limit "+e.limit.Spec.Name+" needs of the data, and reports whether it is defined.",
		method(e.name+"Data").Params().Bool().Block(body...))
}

// starts writes the starting points, and returns the choice among them.
func (e *limitEmitter) starts() []jen.Code {
	var cases []jen.Code
	for i := range e.limit.Starts {
		name := fmt.Sprintf("%sStart%d", e.name, i)
		e.start(name, &e.limit.Starts[i])
		cases = append(cases, jen.Case(jen.Lit(i)).Block(line("p.%s(theta)", name)))
	}
	if r := e.limit.RandomStart; r != nil {
		name := e.name + "RandomStart"
		e.start(name, r)
		cases = append(cases, jen.Default().Block(line("p.%s(theta, rng)", name)))
	} else {
		cases = append(cases, jen.Default().Block(jen.Return(jen.Qual("fmt", "Errorf").Call(
			jen.Lit(fmt.Sprintf("the limit %s has no start %%d, and none that is random", e.limit.Spec.Name)), jen.Id("i")))))
	}
	return []jen.Code{jen.Switch(jen.Id("i")).Block(cases...)}
}

// start writes one starting point of the limit.
func (e *limitEmitter) start(name string, s *derive.LimitStart) {
	in := e.dataInputs()
	params := []jen.Code{floats("theta")}
	var stmts []jen.Code
	if s == e.limit.RandomStart {
		params = append(params, jen.Id("rng").Op("*").Qual("math/rand/v2", "Rand"))
		stmts, in = e.noise(s.Noise, in)
	}
	k := &plan.Kernel{Inputs: in, Rows: e.dataRows(), Names: map[*expr.Node]string{}}
	at := e.layout()
	for _, v := range s.Values {
		k.Defs = append(k.Defs, plan.Def{Sym: v.Sym, Name: e.local(v.Name), Node: v.Node})
	}
	for i, q := range e.limit.Params {
		symmetric := q.Sym.Facts.Structure&expr.Symmetric != 0
		k.Outputs = append(k.Outputs, at.output(program.Argument("theta"), i, q.Sym, "theta"+exported(q.Name), symmetric))
	}
	body := e.later(k, ownRows, nil, spoil("theta")...)
	e.nameProgram(name)
	e.decls = append(e.decls, method(name).Params(params...).Block(append(append(e.makeSure(), stmts...), body...)...))
}

// limitFields are the fields of what the limits need of the data.
func (f *file) limitFields() []jen.Code {
	if len(f.limited) == 0 {
		return nil
	}
	var fields []jen.Code
	for _, s := range f.limited {
		for _, d := range slices.Concat(s.stage.Scalars, s.stage.Columns) {
			t := goType(d.Node.Type)
			if slices.Contains(s.columns, d.Name) {
				t = jen.Index().Float64()
			}
			fields = append(fields, jen.Id(d.Name).Add(t).Comment(display(d.Node)))
		}
	}
	return append(fields, jen.Id("limitsKnown").Index(jen.Lit(len(f.limited))).Int8().
		Comment("of the fields above, for each limit: 0 not computed, 1 computed, -1 undefined"))
}

// forgetLimits notes that what the limits need of the data is to be computed anew.
func (f *file) forgetLimits() []jen.Code {
	if len(f.limited) == 0 {
		return nil
	}
	return []jen.Code{line("clear(p.limitsKnown[:])")}
}

// limitColumns are the fields of values for every row that the limits need.
func (f *file) limitColumns() []string {
	var out []string
	for _, s := range f.limited {
		out = append(out, s.columns...)
	}
	return out
}

// scalars are the numbers of all data stages.
func (f *file) scalars() []plan.Field {
	out := f.stage.Scalars
	for _, s := range f.limited {
		out = slices.Concat(out, s.stage.Scalars)
	}
	return out
}
