package emit

import (
	"bytes"

	"github.com/dave/jennifer/jen"
)

// Registry writes a file that lists packages by name, for programs that choose one at run time.
//
//	func Lookup(name string) (func() runtime.Model, bool)
//	func Names() []string
func Registry(pkg, importPath, source string, names []string) ([]byte, error) {
	jf := jen.NewFile(pkg)
	jf.HeaderComment(Header(source))
	jf.PackageComment("// Package " + pkg + " lists the generated packages of the library.")
	jf.ImportName(module, "runtime")
	var models, list []jen.Code
	for _, n := range names {
		models = append(models, jen.Lit(n).Op(":").Func().Params().Qual(module, "Model").Op("{").Return(jen.New(jen.Qual(importPath+"/"+n, "Model"))).Op("}"))
		list = append(list, jen.Lit(n))
	}
	jf.Comment("// models make those of the library problems.")
	jf.Var().Id("models").Op("=").Map(jen.String()).Func().Params().Qual(module, "Model").Add(lines(models...))
	jf.Line()
	jf.Comment("// Lookup returns a function that makes the model of a library problem.")
	jf.Func().Id("Lookup").Params(jen.Id("name").String()).Params(jen.Func().Params().Qual(module, "Model"), jen.Bool()).Block(
		line("model, ok := models[name]"), line("return model, ok"))
	jf.Line()
	jf.Comment("// Names lists the library problems in alphabetical order.")
	jf.Func().Id("Names").Params().Index().String().Block(jen.Return(jen.Index().String().Values(list...)))
	var out bytes.Buffer
	err := jf.Render(&out)
	return out.Bytes(), err
}
