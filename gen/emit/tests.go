package emit

import "github.com/dave/jennifer/jen"

// tests are the declarations of the emitted test file: the checks themselves are in runtime/modeltest.
//
//	func TestModel(t *testing.T) { modeltest.Run(t, newModel) }
//	func BenchmarkModel(b *testing.B) { modeltest.Benchmark(b, newModel) }
func (f *file) tests() []jen.Code {
	run := "Run"
	if f.variational() != nil {
		run = "RunVariational"
	}
	check := func(name, param, typ, call string) jen.Code {
		return jen.Func().Id(name).Params(jen.Id(param).Op("*").Qual("testing", typ)).Block(
			jen.Qual(module+"/modeltest", call).Call(jen.Id(param), jen.Id("newModel")))
	}
	return []jen.Code{
		jen.Func().Id("newModel").Params().Qual(module, "Model").Block(jen.Return(jen.New(jen.Id("Model")))),
		check("TestModel", "t", "T", run),
		check("BenchmarkModel", "b", "B", "Benchmark"),
	}
}
