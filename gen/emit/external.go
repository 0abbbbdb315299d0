package emit

import (
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/plan"
)

// external reports whether the log-density of the latent variables is a function in Go.
func (f *file) external() bool {
	v := f.d.Problem.Variational
	return v != nil && v.External
}

// externalData writes New and SetLogDensity in the place of what takes data.
func (f *file) externalData() {
	names, sizes := f.freeLengths()
	args := []jen.Code{jen.Id("logDensity").Add(runtimeType("LogDensity"))}
	body := []jen.Code{line("p := new(Model)")}
	of := "."
	if len(sizes) > 0 {
		if len(names) > 0 {
			args = append(args, line("%s int", strings.Join(names, ", ")))
			of = ", of the given lengths: " + strings.Join(names, ", ") + "."
		}
		body = append(body, jen.If(line("err := p.Resize([]int{%s})", strings.Join(sizes, ", ")), line("err != nil")).Block(line("return nil, err")))
	}
	set := []jen.Code{line("p.logDensity = logDensity")}
	if len(sizes) == 0 { // nothing else makes the workspace
		set = append(set, line("p.allocate()"))
	}
	f.add("New returns the model of a log-density of the latent variables, which one goroutine at a time calls unless the model is\n"+
		"cloned"+of,
		jen.Func().Id("New").Params(args...).Params(jen.Op("*").Id("Model"), jen.Error()).Block(
			append(body, line("p.SetLogDensity(logDensity)"), line("return p, nil"))...))
	f.add("SetLogDensity sets the log-density of the latent variables.", method("SetLogDensity").Params(args[0]).Block(set...))
	f.add("SetData refuses data: those of the log-density are its own.",
		method("SetData").Params(runtimeType("Data")).Error().Block(jen.Return(jen.Qual("errors", "New").Call(
			jen.Lit("the log-density of "+f.d.Problem.Spec.Package+" is a function in Go, which New takes: there are no data")))))
	f.add("Counts returns 1, 1, 1: whatever the log-density depends on counts as one row.",
		method("Counts").Params().Params(jen.List(jen.Id("rows"), jen.Id("distinct")).Int(), jen.Id("weight").Float64()).Block(
			line("return 1, 1, 1")))
}

// freeLengths are the names of the lengths that are to be given, and all lengths in terms of them: that of the target's
// variable follows from those of its parts.
func (f *file) freeLengths() (names, sizes []string) {
	var derived expr.Dim
	if f.latentDim() != nil {
		derived = f.d.Problem.Target.Variable.Sym.Type.Dims[0]
	}
	for _, d := range f.dims() {
		if d == derived {
			sizes = append(sizes, f.latentLayout().size().String())
			continue
		}
		names, sizes = append(names, plan.DimName(d)), append(sizes, plan.DimName(d))
	}
	return names, sizes
}

// cloneExternal writes Clone.
func (f *file) cloneExternal() {
	body := []jen.Code{line("clone := *p"), line("clone.allocate()")}
	for _, d := range f.variational().Noise {
		body = append(body, line("copy(clone.%s, p.%s)", noiseColumn(d), noiseColumn(d)))
	}
	f.add("Clone returns a model of the same log-density, for use by another goroutine: the function is called from both. It has the\n"+
		"same random numbers.", method("Clone").Params().Qual(module, "Model").Block(append(body, line("return &clone"))...))
}
