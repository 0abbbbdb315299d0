package emit

import "github.com/dave/jennifer/jen"

// tests are the declarations of the emitted test file: the checks themselves are in runtime/modeltest.
//
//	func newModel() runtime.Model { return new(Model) }
//	func TestModel(t *testing.T) { modeltest.Run(t, newModel) }
//	func BenchmarkModel(b *testing.B) { modeltest.Benchmark(b, newModel) }
func (f *file) tests() []jen.Code {
	run := "Run"
	if f.Variational() != nil {
		run = "RunVariational"
	}
	check := func(name, param, typ, call string) jen.Code {
		return short(jen.Func().Id(name).Params(jen.Id(param).Op("*").Qual("testing", typ)),
			jen.Qual(module+"/modeltest", call).Call(jen.Id(param), jen.Id("newModel")))
	}
	return []jen.Code{
		short(jen.Func().Id("newModel").Params().Qual(module, "Model"), jen.Return(jen.New(jen.Id("Model")))),
		check("TestModel", "t", "T", run),
		check("BenchmarkModel", "b", "B", "Benchmark"),
		f.example(),
	}
}

// example shows a fit, and prints what does not depend on the last digits: the names of the parameters.
func (f *file) example() jen.Code {
	from, list, about := "New", "Estimate", "The result has a verdict, Status; err is nil where the estimate is a maximum of the likelihood."
	if f.Dataless() {
		from = "New, with what it needs"
	}
	if f.Variational() != nil {
		list, about = "Parameters", "The result has a verdict, Status, and the posterior; err is nil where the bound has converged and can be relied on."
	}
	output := "Output:"
	for _, q := range f.d.Problem.Target.Params {
		output += "\n" + q.Name
	}
	fail := jen.Block(jen.Qual("fmt", "Println").Call(jen.Err()), jen.Return())
	return jen.Add(comments(wrapped("A fit. The data are made up here; with data of your own a model comes from "+from+". "+about)),
		jen.Func().Id("Example").Params().Block(
			line("p := new(Model)"),
			jen.If(line("err := ").Qual(module+"/modeltest", "MakeUp").Call(line("p")), line("err != nil")).Add(fail.Clone()),
			line("theta, result, err := p.Fit(").Qual("context", "Background").Call().Op(", &").Qual(estimateModule, "Settings").Values(
				field("Starts", jen.Lit(1))).Op(")"),
			jen.If(line("result == nil")).Add(fail),
			line("_ = theta.%s", exported(f.d.Problem.Target.Params[0].Name)).Comment("an estimate, by its name"),
			jen.For(line("_, value := range result.%s", list)).Block(jen.Qual("fmt", "Println").Call(line("value.Name"))),
			comments(output)))
}
