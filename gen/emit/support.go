package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/plan"
)

// outside writes the method that checks the conditions on one row.
func (f *file) outside() {
	if !f.Supported() {
		return
	}
	body := f.kernel("Outside", func(i int) jen.Code { return jen.Return(jen.Lit(i)) })
	f.add("Outside returns the index in Info().Support of the first condition that a row of data does not meet, or -1. The lengths of\n"+
		"dimensions must be known.",
		method("Outside").Params(floats("row")).Int().Block(append(append(f.makeSure(), body...), jen.Return(jen.Lit(-1)))...))
}

// inSupport are the statements of SetData that refuse rows outside the support. Where the data bring the length of a dimension they are
// checked by a model of that length, so that this one stays as it is when they are refused.
func (f *file) inSupport(unknown expr.Dim, length string) []jen.Code {
	if !f.Supported() {
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
