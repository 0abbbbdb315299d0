package emit

import (
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/methods"
	"github.com/sngdgen/sngdgen/gen/plan"
)

// withoutData writes what stands in the place of the methods that take data.
func (f *file) withoutData() {
	reason := "depends on the latent variables alone"
	if f.newWithoutData(); f.External() {
		reason = "is a function in Go, which New takes"
		f.setLogDensity()
	}
	f.add("SetData refuses data: there are none.",
		method("SetData").Params(runtimeType("Data")).Error().Block(jen.Return(jen.Qual("errors", "New").Call(
			jen.Lit("the log-density of "+f.d.Problem.Spec.Package+" "+reason+": there are no data")))))
	f.add("Counts returns 1, 1, 1: the log-density counts as that of one row.",
		method("Counts").Params().Params(jen.List(jen.Id("rows"), jen.Id("distinct")).Int(), jen.Id("weight").Float64()).Block(
			line("return 1, 1, 1")))
}

// newWithoutData writes New, which takes the lengths, after the log-density where that is a function.
func (f *file) newWithoutData() {
	names, sizes := f.freeLengths()
	doc, body := "New returns the model", []jen.Code{line("p := new(Model)")}
	var args []jen.Code
	if f.External() {
		args = append(args, f.logDensityArg())
		doc += " of a log-density of the latent variables, which one goroutine at a time calls unless the model is\ncloned"
	}
	if len(names) > 0 {
		args = append(args, line("%s int", strings.Join(names, ", ")))
		doc += ", of the given lengths: " + strings.Join(names, ", ")
	}
	if len(sizes) > 0 {
		body = append(body, jen.If(line("err := p.Resize([]int{%s})", strings.Join(sizes, ", ")), line("err != nil")).Block(line("return nil, err")))
	}
	switch {
	case f.External():
		body = append(body, line("p.SetLogDensity(logDensity)"))
	case len(sizes) == 0: // nothing else makes the workspace
		body = append(body, line("p.allocate()"))
	}
	f.add(doc+".", jen.Func().Id("New").Params(args...).Params(jen.Op("*").Id("Model"), jen.Error()).Block(append(body, line("return p, nil"))...))
}

func (f *file) logDensityArg() jen.Code {
	return jen.Id("logDensity").Add(runtimeType("LogDensity"))
}

// setLogDensity writes the method of runtime.External.
func (f *file) setLogDensity() {
	body := []jen.Code{line("p.logDensity = logDensity")}
	if len(f.Dims) == 0 { // nothing else makes the workspace
		body = append(body, line("p.allocate()"))
	}
	f.add("SetLogDensity sets the log-density of the latent variables.", method("SetLogDensity").Params(f.logDensityArg()).Block(body...))
}

// freeLengths are the names of the lengths that are to be given, and all lengths in terms of them: that of the target's
// variable follows from those of its parts.
func (f *file) freeLengths() (names, sizes []string) {
	var derived expr.Dim
	if f.latentDim() != nil {
		derived = f.d.Problem.Target.Variable.Sym.Type.Dims[0]
	}
	for _, d := range f.Dims {
		if d == derived {
			sizes = append(sizes, f.latentLen())
			continue
		}
		names, sizes = append(names, plan.DimName(d)), append(sizes, plan.DimName(d))
	}
	return names, sizes
}

// cloneWithoutData writes Clone.
func (f *file) cloneWithoutData() {
	body := slices.Concat([]jen.Code{line("clone := *p")}, f.cloneCrew(), []jen.Code{line("clone.allocate()")})
	for _, d := range f.Variational().Noise {
		body = append(body, line("copy(clone.%s, p.%s)", methods.NoiseColumn(d), methods.NoiseColumn(d)))
	}
	doc := "Clone returns a model of the same log-density, for use by another goroutine, with the same random numbers."
	if f.External() {
		doc = "Clone returns a model of the same log-density, for use by another goroutine: the function is called from both. It has the\n" +
			"same random numbers."
	}
	f.add(doc, method("Clone").Params().Qual(module, "Model").Block(append(body, line("return &clone"))...))
}
