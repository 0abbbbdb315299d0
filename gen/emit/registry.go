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
	var cases, list []jen.Code
	for _, n := range names {
		cases = append(cases, jen.Case(jen.Lit(n)).Block(jen.Return(
			jen.Func().Params().Qual(module, "Model").Block(jen.Return(jen.New(jen.Qual(importPath+"/"+n, "Model")))), jen.True())))
		list = append(list, jen.Lit(n))
	}
	cases = append(cases, jen.Default().Block(jen.Return(jen.Nil(), jen.False())))
	jf.Comment("// Lookup returns a function that makes the model of a library problem.")
	jf.Func().Id("Lookup").Params(jen.Id("name").String()).Params(jen.Func().Params().Qual(module, "Model"), jen.Bool()).Block(
		jen.Switch(jen.Id("name")).Block(cases...))
	jf.Line()
	jf.Comment("// Names lists the library problems in alphabetical order.")
	jf.Func().Id("Names").Params().Index().String().Block(jen.Return(jen.Index().String().Values(list...)))
	var out bytes.Buffer
	err := jf.Render(&out)
	return out.Bytes(), err
}
