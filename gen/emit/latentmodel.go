package emit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/derive"
	"github.com/sngdgen/sngdgen/gen/methods"
	"github.com/sngdgen/sngdgen/gen/plan"
	"github.com/sngdgen/sngdgen/gen/program"
)

// The model of the latent variables is a kernel of its own, whose rows are those of the data. It is evaluated at one draw
// after the other, for the value, the gradient or both: what is not asked for is not computed.

// evaluate is the call that evaluates the model at all draws.
func (f *file) evaluate(e program.Evaluate) jen.Code {
	if len(f.Evaluated(e.Terms)) == 1 {
		return line("p.%s()", methods.AllDraws[e.Terms])
	}
	return line("p.%s", methods.AllDraws[e.Terms]).Call(asked(e))
}

// asked is what is asked for, as a value of the runtime.
func asked(e program.Evaluate) *jen.Statement {
	name := "Both"
	switch {
	case !e.Gradients:
		name = "Values"
	case !e.Values:
		name = "Gradients"
	}
	return jen.Qual(supportModule, name)
}

// modelMethods writes the methods that have been asked for. Their memory is their own, apart from that of the kernels that
// call them.
func (f *file) modelMethods() {
	v := f.Variational()
	if v == nil || v.Model == nil {
		return
	}
	f.foldMethods()
	f.callers, f.preparedPrefix, f.ownsAll = slices.Clone(f.slots), "model", !f.Dataless()
	for terms, all := range methods.AllDraws {
		list := f.Evaluated(expr.Terms(terms))
		if len(list) == 0 {
			continue
		}
		if !f.External() {
			for _, e := range list {
				f.modelMethod(e.Evaluate, e.One)
			}
		}
		f.allDrawsMethods(list, all)
	}
	f.callers, f.preparedPrefix, f.ownsAll = nil, "", false
}

// modelMethod writes the method for one draw.
func (f *file) modelMethod(e program.Evaluate, name string) {
	m := f.Variational().Model
	declared := method(name).Params(floats("z"))
	if e.Gradients {
		declared = method(name).Params(floats("g", "z"))
	}
	if e.Values {
		declared = declared.Float64()
	}
	body := f.kernel(name, nil)
	f.add(name+evaluationDoc(m, e), declared.Block(body...))
}

// evaluationDoc says what a method for one draw does.
func evaluationDoc(m *derive.LatentModel, e program.Evaluate) string {
	value, _ := m.Of(e.Terms)
	which, whole := "the logarithm of the joint density of the data and the latent variables z, up to a constant", "logJoint"
	switch e.Terms {
	case expr.EstimatedTerms:
		which, whole = "the terms of the log joint density of the data and the latent variables z whose expectations are not known", "estimated"
	case expr.FinerTerms:
		which += ", with more nodes for integrals and more terms of series"
	}
	apart, slopes := predictorsDoc(m.Parted[e.Terms])
	switch {
	case !e.Values:
		return " writes the gradient of what " + whole + " returns to g" + slopes + "." + apart
	case e.Gradients:
		return " returns " + which + ":\n\n\t" + display(value) + "\n\nand writes its gradient to g" + slopes + "." + apart
	}
	return " returns " + which + ":\n\n\t" + display(value) + strings.Replace(apart, " ", "\n\n", 1)
}

// predictorsDoc says where linear predictors are found, and what the gradient is then.
func predictorsDoc(q *derive.Parted) (apart, slopes string) {
	if q == nil {
		return "", ""
	}
	var fields, to []string
	for i, l := range q.Predictors {
		fields = append(fields, fmt.Sprintf("%s of all rows is %s", l.Formula, methods.PredictorField(i)))
		to = append(to, methods.SlopeField(i))
	}
	return " Here " + strings.Join(fields, ", ") + ".", ", but for what the slopes by linear predictors, written to " + strings.Join(to, ", ") + ", add to it"
}

// dataSource is where kernels over the data of the model find their rows.
var dataSource = rowSource{w: "p.W", data: "p.", weighed: true}

// allDrawsMethods writes the methods that evaluate the model at all draws, as is asked where it is evaluated in several ways.
func (f *file) allDrawsMethods(list []methods.Evaluation, all string) {
	one, width := list[0].One, f.inFields(methods.RowWidth(f.d.Problem.Target.Variable.Sym.Type))
	if f.External() {
		one = "logDensity"
	}
	body := append([]jen.Code{line("at, end := i*%s, (i+1)*%s", width, width)}, f.atDraw(list)...)
	declared, before := method(all).Params(), []jen.Code(nil)
	if len(list) > 1 {
		f.evaluated = true
		declared, before = method(all).Params(jen.Id("what").Qual(supportModule, "Evaluation")), []jen.Code{line("p.%s = what", evaluatedField)}
	}
	doc := " evaluates " + one + " at every draw."
	if len(list) > 1 && !f.External() {
		doc = " evaluates " + one + " at every draw: values, gradients or both."
	}
	if f.External() || f.Dataless() { // one goroutine calls what others wrote, and what has no rows takes no time
		f.add(all+doc, declared.Block(append(before, jen.For(line("i := range %s", f.allDraws())).Block(body...))...))
		return
	}
	some := all + "Of"
	f.hasPasses = true
	each := func(count string) jen.Code {
		return line("p.%s.Each(p, %s, %s*p.W.Len()*%s, (*Model).%s, (*Model).%s)", passField, count, f.allDraws(), width, some, helpName)
	}
	linear := f.LinearPredictors(list[0].Terms)
	if linear == nil {
		f.add(all+doc, declared.Block(append(before, each(f.allDraws()))...))
		f.add(some+" is "+all+" at draws from one to another.", method(some).Params(line("from, to int")).Block(
			jen.For(line("i := from"), line("i < to"), line("i++")).Block(body...)))
		return
	}
	groups := jen.Id("p."+groupsField).Op("=").Qual(supportModule, "GroupsOf").Call(line("%s", f.allDraws()), line("p.W.Len()"), line("p.%s.Workers()", passField))
	f.add(all+doc, declared.Block(append(before, groups, each("p."+groupsField+".Count()"))...))
	f.add(some+" is "+all+" at groups of draws from one to another, with the linear predictors of a group and what their slopes add to the\n"+
		"gradient as products of matrices.", method(some).Params(line("from, to int")).Block(f.inGroups(linear, list, width, body)...))
}

// atDraw evaluates the model at draw i, whose numbers go from at to end.
func (f *file) atDraw(list []methods.Evaluation) []jen.Code {
	if len(list) == 1 {
		return f.evaluation(list[0])
	}
	var cases []jen.Code
	for _, e := range list {
		cases = append(cases, jen.Case(asked(e.Evaluate)).Block(f.evaluation(e)...))
	}
	return []jen.Code{jen.Switch(line("p.%s", evaluatedField)).Block(cases...)}
}

// evaluation is one way to evaluate the model at a draw.
func (f *file) evaluation(e methods.Evaluation) []jen.Code {
	one, z, gradients := e.One, "p."+plan.DrawnColumn+"[at:end]", "p."+plan.GradientsColumn+"[at:end]"
	if f.External() {
		one = "logDensity"
	}
	var folded []jen.Code
	if f.Packed() {
		if z = "p.unfold(" + z + ")"; e.Gradients {
			folded = []jen.Code{line("p.fold(%s)", gradients)}
			gradients = "p." + slopesField
		}
	}
	call := "p." + one + "("
	switch {
	case e.Gradients:
		call += gradients + ", "
	case f.External():
		call += "nil, "
	}
	call += z + ")"
	switch {
	case e.Values:
		call = "p." + plan.ValuesColumn + "[i] = " + call
	case f.External(): // a step is refused where there is no value, though it asks for the gradient alone
		return append([]jen.Code{jen.If(jen.Op("!").Parens(jen.Qual("math", "Abs").Call(line("%s", call)).Op("<=").Qual("math", "MaxFloat64"))).Block(
			jen.Id("p."+plan.GradientsColumn+"[at]").Op("=").Qual("math", "NaN").Call())}, folded...)
	}
	return append([]jen.Code{line("%s", call)}, folded...)
}

// inGroups writes
//
//	for group := from; group < to; group++ {
//		first, last := p.groups.Of(group)
//		p.group1.Predict(p.<data>, &p.W, p.drawn, support.Vectors{...}, first, last)
//		for i := first; i < last; i++ {
//			p.linear1, p.slope1 = p.group1.At(i)
//			<one draw>
//		}
//		if p.evaluated != support.Values {
//			p.group1.AddTo(p.jointGradients, p.<data>, &p.W)
//		}
//	}
func (f *file) inGroups(linear []methods.LinearPredictor, list []methods.Evaluation, width string, one []jen.Code) []jen.Code {
	before, after := []jen.Code{line("first, last := p.%s.Of(group)", groupsField)}, []jen.Code(nil)
	var at []jen.Code
	for i, l := range linear {
		group := "p." + groupField(i)
		f.predictors = max(f.predictors, i+1)
		vectors := []jen.Code{field("Entries", jen.Id(f.inFields(f.size(program.Shape{Dims: []expr.Dim{l.Entries}})))), field("Width", jen.Id(width))}
		if from := f.inFields(lengthText(l.From)); from != "0" {
			vectors = append([]jen.Code{field("From", jen.Id(from))}, vectors...)
		}
		before = append(before, jen.Id(group).Dot("Predict").Call(jen.Id("p."+l.Data), line("&p.W"), jen.Id("p."+plan.DrawnColumn),
			jen.Qual(supportModule, "Vectors").Values(vectors...), line("first"), line("last")))
		at = append(at, line("p.%s, p.%s = %s.At(i)", l.Predictor, l.Slope, group))
		after = append(after, line("%s.AddTo(p.%s, p.%s, &p.W)", group, plan.GradientsColumn, l.Data))
	}
	valuesOnly := func(e methods.Evaluation) bool { return !e.Gradients }
	switch {
	case !slices.ContainsFunc(list, valuesOnly):
	case len(list) == 1:
		after = nil
	default:
		after = []jen.Code{jen.If(line("p.%s", evaluatedField).Op("!=").Qual(supportModule, "Values")).Block(after...)}
	}
	body := append(before, jen.For(line("i := first"), line("i < last"), line("i++")).Block(append(at, one...)...))
	return []jen.Code{jen.For(line("group := from"), line("group < to"), line("group++")).Block(append(body, after...)...)}
}

// evaluatedField is the field with what is asked for at all draws.
const evaluatedField = "evaluated"

// groupsField is the field with the groups of draws.
const groupsField = "groups"

// groupField is the field with a linear predictor at a group of draws.
func groupField(i int) string { return fmt.Sprintf("group%d", i+1) }
