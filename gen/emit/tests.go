package emit

import (
	"strings"

	"github.com/dave/jennifer/jen"
)

// tests are the declarations of the emitted test file: the checks themselves are in runtime/modeltest.
//
//	func TestModel(t *testing.T) { modeltest.Run(t, modeltest.New[Model]) }
//	func BenchmarkModel(b *testing.B) { modeltest.Benchmark(b, modeltest.New[Model]) }
func (f *file) tests() []jen.Code {
	run := "Run"
	if f.Variational() != nil {
		run = "RunVariational"
	}
	check := func(name, param, typ, call string) jen.Code {
		return short(jen.Func().Id(name).Params(jen.Id(param).Op("*").Qual("testing", typ)),
			jen.Qual(modeltestModule, call).Call(jen.Id(param), jen.Qual(modeltestModule, "New").Index(jen.Id("Model"))))
	}
	return []jen.Code{
		check("TestModel", "t", "T", run),
		check("BenchmarkModel", "b", "B", "Benchmark"),
		f.example(),
	}
}

// modeltestModule is the package with what emitted tests do.
const modeltestModule = module + "/modeltest"

// example shows a fit, and prints what does not depend on the last digits: the names of the parameters.
func (f *file) example() jen.Code {
	from, list, about := "New", "Estimate", "The result has a verdict, Status; err is nil where the estimate is a maximum of the likelihood."
	if f.Dataless() {
		from = "New, with what it needs"
	}
	if f.Variational() != nil {
		list, about = "Parameters", "The result has a verdict, Status, and the posterior; err is nil where the bound has converged and can be relied on."
	}
	var names []string
	for _, q := range f.d.Problem.Target.Params {
		names = append(names, q.Name)
	}
	return jen.Add(comments(wrapped("A fit. The data are made up here; with data of your own a model comes from "+from+". "+about)),
		jen.Func().Id("Example").Params().Block(
			line("p := ").Qual(modeltestModule, "MadeUp").Call(line("new(Model)")),
			line("theta, result, err := p.Fit(").Qual("context", "Background").Call().Op(", &").Qual(estimateModule, "Settings").Values(
				field("Starts", jen.Lit(1))).Op(")"),
			jen.If(line("result == nil")).Block(jen.Qual("log", "Fatal").Call(jen.Err())),
			line("_ = theta.%s", exported(f.d.Problem.Target.Params[0].Name)).Comment("an estimate, by its name"),
			jen.For(line("_, value := range result.%s", list)).Block(jen.Qual("fmt", "Print").Call(line("value.Name"), jen.Lit(" "))),
			jen.Comment("Output: "+strings.Join(names, " "))))
}
