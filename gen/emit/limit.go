package emit

import (
	"fmt"
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/sngdgen/sngdgen/gen/derive"
	"github.com/sngdgen/sngdgen/gen/plan"
)

// limits writes the limits of the target.
func (f *file) limits() {
	if len(f.d.Limits) == 0 {
		return
	}
	var gradients, paths, from, starts []jen.Code
	for i, l := range f.d.Limits {
		e := limitEmitter{file: f, limit: l, index: i, name: f.Limited[i].Prefix}
		e.gradient()
		e.path()
		e.prepare(f.Limited[i])
		gradients = append(gradients, jen.Case(jen.Lit(i)).Block(jen.Return(line("p.%sGradient(g, theta)", e.name))))
		paths = append(paths, jen.Case(jen.Lit(i)).Block(line("p.%sPath(dst, theta, t)", e.name)))
		if l.From != nil {
			e.from()
			from = append(from, jen.Case(jen.Lit(i)).Block(line("p.%sFrom(dst, theta)", e.name)))
		}
		starts = append(starts, jen.Case(jen.Lit(i)).Block(e.starts()...))
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
	f.add("LimitFrom writes the parameters of a limit that theta, the parameters of the target, are near to dst, where the spec says them.",
		method("LimitFrom").Params(floats("dst", "theta"), jen.Id("limit").Int()).Block(
			jen.Switch(jen.Id("limit")).Block(append(from, jen.Default().Block(spoil("dst")[0]))...)))
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
}

// gradient writes the objective of the limit.
func (e *limitEmitter) gradient() {
	about := fmt.Sprintf("LimitGradient of %s, where %s", e.limit.Spec.Name, e.limit.Spec.Ends())
	e.function("Gradient", about, floats("g", "theta"), jen.Float64(), []jen.Code{returnNaN(0)}, e.kernel(e.name+"Gradient", returnNaN, returnNaN(0)))
}

// path writes the parameters of the target on the way to the limit.
func (e *limitEmitter) path() {
	e.function("Path", "LimitPath of "+e.limit.Spec.Name, jen.List(floats("dst", "theta"), jen.Id("t").Float64()), jen.Null(), spoil("dst"),
		e.kernel(e.name+"Path", nil, spoil("dst")...))
}

// from writes the parameters of the limit in terms of those of the target.
func (e *limitEmitter) from() {
	name := e.name + "From"
	body := append(e.makeSure(), e.kernel(name, nil, spoil("dst")...)...)
	e.add(name+" is LimitFrom of "+e.limit.Spec.Name+".", method(name).Params(floats("dst", "theta")).Block(body...))
}

// function writes a method that needs what the limit knows of the data; where that is undefined it leaves.
func (e *limitEmitter) function(name, about string, params, result jen.Code, leave, body []jen.Code) {
	check := jen.If(jen.Op("!").Id("p").Dot(e.name + "Data").Call()).Block(leave...)
	e.add(e.name+name+" is "+about+".", method(e.name+name).Params(params).Add(result).Block(append(append(e.makeSure(), check), body...)...))
}

// prepare writes the data stage of the limit, computed at most once for a data set. It may be undefined.
//
//	if p.limitsKnown[<i>] == 0 { p.limitsKnown[<i>] = -1; <compute>; p.limitsKnown[<i>] = 1 }
//	return p.limitsKnown[<i>] > 0
func (e *limitEmitter) prepare(stage *plan.DataStage) {
	known := fmt.Sprintf("p.limitsKnown[%d]", e.index)
	body := []jen.Code{
		jen.If(line("%s != 0", known)).Block(jen.Return(line("%s > 0", known))),
		line("%s = -1", known),
	}
	for _, d := range stage.Columns {
		rows := line("p.W.Len()")
		if d.Node.Type.Rank > 0 {
			rows = rows.Op("*").Add(e.product(d.Node.Type))
		}
		body = append(body, jen.If(line("p.Rows.Grow").Call(line("&p.%s", d.Name), rows).Op("!=").Nil()).Block(jen.Return(jen.False())))
	}
	if of := e.Functions[e.name+"Data"]; of != nil {
		for range of.Steps {
			body = append(body, jen.Block(e.kernel(e.name+"Data", nil, jen.Return(jen.False()))...))
		}
	}
	body = append(body, line("%s = 1", known), jen.Return(jen.True()))
	e.add(e.name+"Data computes what the limit "+e.limit.Spec.Name+" needs of the data, and reports whether it is defined.",
		method(e.name+"Data").Params().Bool().Block(body...))
}

// starts writes the starting points, and returns the choice among them.
func (e *limitEmitter) starts() []jen.Code {
	var cases []jen.Code
	for i := range e.limit.Starts {
		name := fmt.Sprintf("%sStart%d", e.name, i)
		e.start(name, false)
		cases = append(cases, jen.Case(jen.Lit(i)).Block(line("p.%s(theta)", name)))
	}
	if e.limit.RandomStart != nil {
		name := e.name + "RandomStart"
		e.start(name, true)
		cases = append(cases, jen.Default().Block(line("p.%s(theta, rng)", name)))
	} else {
		cases = append(cases, jen.Default().Block(jen.Return(jen.Qual("fmt", "Errorf").Call(
			jen.Lit(fmt.Sprintf("the limit %s has no start %%d, and none that is random", e.limit.Spec.Name)), jen.Id("i")))))
	}
	return []jen.Code{jen.Switch(jen.Id("i")).Block(cases...)}
}

// start writes one starting point of the limit.
func (e *limitEmitter) start(name string, random bool) {
	params := []jen.Code{floats("theta")}
	if random {
		params = append(params, jen.Id("rng").Op("*").Qual("math/rand/v2", "Rand"))
	}
	body := e.kernel(name, nil, spoil("theta")...)
	e.decls = append(e.decls, method(name).Params(params...).Block(slices.Concat(e.makeSure(), e.draws(name), body)...))
}

// limitFields are the fields of what the limits need of the data.
func (f *file) limitFields() []jen.Code {
	if len(f.Limited) == 0 {
		return nil
	}
	var fields []jen.Code
	for _, s := range f.Limited {
		for _, d := range s.Scalars {
			fields = append(fields, jen.Id(d.Name).Add(goType(d.Node.Type)).Comment(display(d.Node)))
		}
		for _, d := range s.Columns {
			fields = append(fields, jen.Id(d.Name).Index().Float64().Comment(display(d.Node)))
		}
	}
	return append(fields, jen.Id("limitsKnown").Index(jen.Lit(len(f.Limited))).Int8().
		Comment("of the fields above, for each limit: 0 not computed, 1 computed, -1 undefined"))
}

// forgetLimits notes that what the limits need of the data is to be computed anew.
func (f *file) forgetLimits() []jen.Code {
	if len(f.Limited) == 0 {
		return nil
	}
	return []jen.Code{line("clear(p.limitsKnown[:])")}
}
