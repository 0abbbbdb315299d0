package emit

import (
	"fmt"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/derive"
	"github.com/sngdgen/sngdgen/gen/plan"
)

// display prints an expression for a comment.
func display(n *expr.Node) string { return n.String() }

// packageDoc explains the package: model, map, coordinates, cost.
func (f *file) packageDoc() []string {
	p := f.d.Problem
	doc := []string{fmt.Sprintf("Package %s fits %s by maximum likelihood with natural gradients of a surrogate, %s.",
		p.Spec.Package, f.target(), f.surrogateOf())}
	if p.Spec.Doc != "" {
		doc = append(doc, "", upperFirst(p.Spec.Doc)+".")
	}
	doc = append(doc, "", "Model (theta):", "", "\tlog q("+p.Target.Variable.Name+") = "+display(p.Target.LogPDF))
	for _, t := range p.Target.Params {
		doc = append(doc, fmt.Sprintf("\t%s: %s", t.Name, t.Kind.Name))
	}
	doc = append(doc, "", fmt.Sprintf("Surrogate %s: steps are taken in its %s parameters", f.surrogateOf(), p.Spec.Step), "")
	for i, c := range f.d.Surrogate.Coords {
		if c.Auxiliary {
			doc = append(doc, fmt.Sprintf("\tz[%d] = %s (auxiliary)", i, c.Name))
			continue
		}
		doc = append(doc, fmt.Sprintf("\tz[%d] = %s = %s", i, c.Name, display(f.d.Surrogate.SteppedOf[i])))
	}
	doc = append(doc, "", "from which its standard parameters are", "")
	for _, d := range f.d.Surrogate.Defs {
		doc = append(doc, fmt.Sprintf("\t%s = %s", d.Name, display(d.Node)))
	}
	doc = append(doc, "", "Map g, from the surrogate to the target:", "")
	for _, t := range p.Map {
		doc = append(doc, fmt.Sprintf("\t%s = %s", derive.Plain(t.Sym.Name), display(t.Node)))
	}
	doc = append(doc, "", "Cost of one natural gradient: "+f.cost(f.step)+".",
		"Cost of both gradients and the loss: "+f.cost(f.full)+".", "Nothing is allocated after New.")
	return doc
}

func upperFirst(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// model writes the type, its construction and its description.
func (f *file) model() {
	f.typeTheta()
	f.typeModel()
	f.info()
	f.add("block is the number of rows that are summed at a time.", jen.Const().Id("block").Op("=").Lit(256))
	f.construct()
	f.setData()
	f.add("Counts returns the number of rows, of distinct rows and the sum of the weights.",
		method("Counts").Params().Params(jen.List(jen.Id("rows"), jen.Id("distinct")).Int(), jen.Id("weight").Float64()).Block(
			jen.Return(jen.Id("p").Dot("rows"), jen.Len(jen.Id("p").Dot("x")), jen.Id("p").Dot("n"))))
	f.add("Sizes returns nil: there are no dimensions.",
		method("Sizes").Params().Index().Int().Block(jen.Return(jen.Nil())))
	f.add("Resize refuses: there are no dimensions to set.",
		method("Resize").Params(jen.Index().Int()).Error().Block(
			jen.Return(jen.Qual("fmt", "Errorf").Call(jen.Lit(f.d.Problem.Spec.Package+" has no dimensions")))))
	f.add("Clone returns a model on the same data, which are shared, for use by another goroutine.",
		method("Clone").Params().Qual(module, "Model").Block(
			jen.Id("clone").Op(":=").Op("*").Id("p"), jen.Return(jen.Op("&").Id("clone"))))
	f.fit()
}

func (f *file) typeTheta() {
	var fields []jen.Code
	for _, t := range f.d.Problem.Target.Params {
		fields = append(fields, jen.Id(exported(t.Name)).Float64().Comment(t.Kind.Name))
	}
	f.add(fmt.Sprintf("Theta are the parameters of %s.", f.target()), jen.Type().Id("Theta").Struct(fields...))
}

func (f *file) typeModel() {
	x := f.d.Problem.Target.Variable
	fields := []jen.Code{
		jen.Id("x").Index().Float64().Comment(f.rowName() + "s of " + x.Name),
		jen.Id("w").Index().Float64().Comment("their weights"),
		jen.Id("rows").Int().Comment("number of rows given"),
		jen.Id("n").Float64().Comment("sum of the weights"),
	}
	for _, c := range f.d.Problem.Constants {
		fields = append(fields, jen.Id(constantField(c.Sym)).Float64().Comment(display(c.Sym)+" = "+display(c.Node)))
	}
	for _, d := range f.stage.Scalars {
		fields = append(fields, jen.Id(d.Name).Float64().Comment(display(d.Node)))
	}
	for _, d := range f.stage.Columns {
		fields = append(fields, jen.Id(d.Name).Index().Float64().Comment(display(d.Node)))
	}
	f.add("Model is the problem with its data: a runtime.Model. It is not safe for concurrent use; see Clone.",
		jen.Type().Id("Model").Struct(fields...))
	f.decls = append(f.decls, jen.Var().Defs(
		jen.Id("_").Qual(module, "Model").Op("=").Parens(jen.Op("*").Id("Model")).Parens(jen.Nil()),
		jen.Id("_").Qual(module, "Dual").Op("=").Parens(jen.Op("*").Id("Model")).Parens(jen.Nil()),
		jen.Id("_").Qual(module, "Informed").Op("=").Parens(jen.Op("*").Id("Model")).Parens(jen.Nil()),
	))
}

func (f *file) info() {
	p := f.d.Problem
	var params []jen.Code
	for i, t := range p.Target.Params {
		list := []jen.Code{field("Name", jen.Lit(t.Name)), field("Type", jen.Lit(t.Kind.Name))}
		if p.Map[i].Node.Op == expr.Const {
			list = append(list, field("Known", jen.True()))
		}
		params = append(params, jen.Values(list...))
	}
	x := p.Target.Variable
	f.decls = append(f.decls, jen.Var().Defs(
		jen.Id("info").Op("=").Add(runtimeType("Info")).Add(lines(
			field("Name", jen.Lit(p.Spec.Package)),
			field("Target", jen.Lit(f.target())),
			field("Surrogate", jen.Lit(f.surrogateOf())),
			field("Coordinates", jen.Lit(p.Spec.Step)),
			field("Objective", jen.Lit("mle")),
			field("Source", jen.Lit(f.source)),
			field("Deterministic", jen.True()),
			field("Variable", runtimeType("Parameter").Values(field("Name", jen.Lit(x.Name)), field("Type", jen.Lit(x.Kind.Name)))),
			field("Parameters", jen.Index().Add(runtimeType("Parameter"), lines(params...))),
			field("Starts", jen.Lit(len(f.d.Starts))),
			field("RandomStart", jen.Lit(f.d.RandomStart != nil)),
			field("Hessian", jen.Lit(f.d.Unconstrained.Hessian != nil)),
		)),
		jen.Id("blocks").Op("=").Index().Add(runtimeType("Block"), lines(f.blocks()...)),
		jen.Id("conditions").Op("=").Index().Add(runtimeType("Condition"), lines(f.conditions()...)),
	))
	f.add("Info describes the problem.", method("Info").Params().Op("*").Add(runtimeType("Info")).Block(jen.Return(jen.Op("&").Id("info"))))
	f.add("Blocks describes the coordinates.", method("Blocks").Params().Index().Add(runtimeType("Block")).Block(jen.Return(jen.Id("blocks"))))
	f.add("Conditions describes the domain.", method("Conditions").Params().Index().Add(runtimeType("Condition")).Block(jen.Return(jen.Id("conditions"))))
}

// field is an element of a composite literal.
func field(name string, value jen.Code) *jen.Statement { return jen.Id(name).Op(":").Add(value) }

// lines is the braces of a composite literal with one element a line.
func lines(list ...jen.Code) *jen.Statement {
	return jen.Custom(jen.Options{Open: "{", Close: "}", Separator: ",", Multi: true}, list...)
}

func (f *file) blocks() []jen.Code {
	var out []jen.Code
	for i, c := range f.d.Surrogate.Coords {
		list := []jen.Code{field("Name", jen.Lit(c.Name)), field("Offset", jen.Lit(i)), field("Len", jen.Lit(1))}
		if c.Auxiliary {
			list = append(list, field("Auxiliary", jen.True()))
		}
		out = append(out, jen.Values(list...))
	}
	return out
}

func (f *file) conditions() []jen.Code {
	var out []jen.Code
	for _, c := range f.d.Surrogate.Conditions {
		out = append(out, jen.Values(field("Block", jen.Lit(c.Block)), field("Text", jen.Lit(c.Text))))
	}
	return out
}

func (f *file) construct() {
	f.add("New returns the model of the observations x.",
		jen.Func().Id("New").Params(floats("x")).Params(jen.Op("*").Id("Model"), jen.Error()).Block(
			jen.Return(jen.Id("NewWeighted").Call(jen.Id("x"), jen.Nil()))))
	f.add("NewWeighted returns the model of the observations x with frequency weights, one each; nil weights are all one.",
		jen.Func().Id("NewWeighted").Params(floats("x", "weights")).Params(jen.Op("*").Id("Model"), jen.Error()).Block(
			jen.Id("p").Op(":=").New(jen.Id("Model")),
			jen.If(jen.Err().Op(":=").Id("p").Dot("SetData").Call(runtimeType("Data").Values(
				field("Values", jen.Id("x")), field("Weights", jen.Id("weights")))), jen.Err().Op("!=").Nil()).Block(
				jen.Return(jen.Nil(), jen.Err())),
			jen.Return(jen.Id("p"), jen.Nil())))
}

// setData writes SetData and prepare, the data stage.
func (f *file) setData() {
	x := f.d.Problem.Target.Variable
	take := jen.List(jen.Id("p").Dot("x"), jen.Id("p").Dot("w")).Op("=").Qual(module, "Weighted").Call(jen.Id("d").Dot("Values"), jen.Id("d").Dot("Weights"))
	comment := "SetData validates the data and computes what depends on them alone."
	if f.integer() {
		take = jen.List(jen.Id("p").Dot("x"), jen.Id("p").Dot("w")).Op("=").Qual(module, "Merge").Call(jen.Id("d").Dot("Values"), jen.Id("d").Dot("Weights"))
		comment += " Equal rows are merged."
	}
	f.add(comment, method("SetData").Params(jen.Id("d").Add(runtimeType("Data"))).Error().Block(
		jen.If(jen.Err().Op(":=").Qual(module, "CheckData").Call(jen.Id("d"), jen.Lit(1), jen.Lit(x.Kind.Name), jen.Lit(x.Name)), jen.Err().Op("!=").Nil()).Block(
			jen.Return(jen.Err())),
		jen.Id("p").Dot("rows").Op("=").Len(jen.Id("d").Dot("Values")),
		take,
		jen.Id("p").Dot("n").Op("=").Lit(0),
		jen.For(jen.List(jen.Id("_"), jen.Id("weight")).Op(":=").Range().Id("p").Dot("w")).Block(jen.Id("p").Dot("n").Op("+=").Id("weight")),
		jen.Id("p").Dot("prepare").Call(),
		jen.Return(jen.Nil())))
	k := &plan.Kernel{Inputs: f.dataInputs(), Rows: &plan.RowSource{Sym: f.rows.Sym},
		Names: map[*expr.Node]string{f.rows.Sym: safe(x.Name)}}
	stmts := f.constants()
	for _, d := range f.stage.Columns {
		stmts = append(stmts, jen.Id("p").Dot(d.Name).Op("=").Make(jen.Index().Float64(), jen.Len(jen.Id("p").Dot("x"))))
		k.Stores = append(k.Stores, plan.Output{To: d.Name, Node: f.stable(d.Node)[0]})
	}
	for _, d := range f.stage.Scalars {
		k.Outputs = append(k.Outputs, plan.Output{To: "p." + d.Name, Node: f.stable(d.Node)[0]})
	}
	body, _ := f.kernel(k, ownRows, nil)
	f.add("prepare computes the data stage.", method("prepare").Params().Block(append(stmts, body...)...))
}

// constants computes the constants of the families, before anything that uses them.
func (f *file) constants() []jen.Code {
	k := &plan.Kernel{Inputs: f.dataInputs()[:1], Rows: &plan.RowSource{Sym: f.rows.Sym}}
	for _, c := range f.d.Problem.Constants {
		k.Outputs = append(k.Outputs, plan.Output{To: "p." + constantField(c.Sym), Node: f.stable(c.Node)[0]})
	}
	body, _ := f.kernel(k, ownRows, nil)
	if len(body) == 0 {
		return nil
	}
	return []jen.Code{jen.Block(body...)} // a scope of its own: its sums have names that the next kernel may use too
}

// fit writes the one call most users need.
func (f *file) fit() {
	var fields []jen.Code
	for i, t := range f.d.Problem.Target.Params {
		fields = append(fields, jen.Id(exported(t.Name)).Op(":").Id("theta").Index(jen.Lit(i)))
	}
	dim, dimTheta := len(f.d.Surrogate.Coords), len(f.d.Problem.Target.Params)
	f.add("ThetaAt returns the parameters of the target at z.",
		method("ThetaAt").Params(floats("z")).Id("Theta").Block(
			jen.Var().Id("theta").Index(jen.Lit(dimTheta)).Float64(),
			jen.Id("p").Dot("Theta").Call(jen.Id("theta").Index(jen.Empty(), jen.Empty()), jen.Id("z")),
			jen.Return(jen.Id("Theta").Values(fields...))))
	f.add("Fit maximises the likelihood from the first start. Settings may be nil: natural L-BFGS to full precision.",
		method("Fit").Params(jen.Id("ctx").Qual("context", "Context"), jen.Id("s").Op("*").Add(runtimeType("Settings"))).
			Params(jen.Id("Theta"), jen.Op("*").Add(runtimeType("Result")), jen.Error()).Block(
			jen.Id("z").Op(":=").Make(jen.Index().Float64(), jen.Lit(dim)),
			jen.If(jen.Err().Op(":=").Id("p").Dot("Start").Call(jen.Id("z"), jen.Lit(0), jen.Nil()), jen.Err().Op("!=").Nil()).Block(
				jen.Return(jen.Id("Theta").Values(), jen.Nil(), jen.Err())),
			jen.Var().Id("settings").Add(runtimeType("Settings")),
			jen.If(jen.Id("s").Op("!=").Nil()).Block(jen.Id("settings").Op("=").Op("*").Id("s")),
			jen.If(jen.Id("settings").Dot("Method").Op("==").Nil()).Block(
				jen.Id("settings").Dot("Method").Op("=").Add(runtimeType("NaturalLBFGS")).Values()),
			jen.List(jen.Id("result"), jen.Err()).Op(":=").Qual(module, "Minimize").Call(jen.Id("ctx"), jen.Id("p"), jen.Id("z"), jen.Op("&").Id("settings")),
			jen.If(jen.Id("result").Op("==").Nil()).Block(jen.Return(jen.Id("Theta").Values(), jen.Nil(), jen.Err())),
			jen.Return(jen.Id("p").Dot("ThetaAt").Call(jen.Id("result").Dot("Z")), jen.Id("result"), jen.Err())))
}
