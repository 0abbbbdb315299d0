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

// dataless reports whether a variational objective has no data: its log-density is a function in Go, or depends on the latent
// variables alone.
func (f *file) dataless() bool { return f.variational() != nil && len(f.dataParams()) == 0 }

// withoutData writes New, with SetLogDensity for a function in Go, in the place of what takes data.
func (f *file) withoutData() {
	names, sizes := f.freeLengths()
	var args, set []jen.Code
	body := []jen.Code{line("p := new(Model)")}
	doc, reason := "New returns the model", "depends on the latent variables alone"
	if f.external() {
		args = append(args, jen.Id("logDensity").Add(runtimeType("LogDensity")))
		doc += " of a log-density of the latent variables, which one goroutine at a time calls unless the model is\ncloned"
		reason = "is a function in Go, which New takes"
	}
	if len(sizes) > 0 {
		if len(names) > 0 {
			args = append(args, line("%s int", strings.Join(names, ", ")))
			doc += ", of the given lengths: " + strings.Join(names, ", ")
		}
		body = append(body, jen.If(line("err := p.Resize([]int{%s})", strings.Join(sizes, ", ")), line("err != nil")).Block(line("return nil, err")))
	}
	if f.external() {
		set = append(set, line("p.logDensity = logDensity"))
		body = append(body, line("p.SetLogDensity(logDensity)"))
	}
	if len(sizes) == 0 { // nothing else makes the workspace
		if f.external() {
			set = append(set, line("p.allocate()"))
		} else {
			body = append(body, line("p.allocate()"))
		}
	}
	f.add(doc+".", jen.Func().Id("New").Params(args...).Params(jen.Op("*").Id("Model"), jen.Error()).Block(append(body, line("return p, nil"))...))
	if f.external() {
		f.add("SetLogDensity sets the log-density of the latent variables.", method("SetLogDensity").Params(args[0]).Block(set...))
	}
	f.add("SetData refuses data: there are none.",
		method("SetData").Params(runtimeType("Data")).Error().Block(jen.Return(jen.Qual("errors", "New").Call(
			jen.Lit("the log-density of "+f.d.Problem.Spec.Package+" "+reason+": there are no data")))))
	f.add("Counts returns 1, 1, 1: the log-density counts as that of one row.",
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

// cloneWithoutData writes Clone.
func (f *file) cloneWithoutData() {
	body := []jen.Code{line("clone := *p"), line("clone.allocate()")}
	for _, d := range f.variational().Noise {
		body = append(body, line("copy(clone.%s, p.%s)", noiseColumn(d), noiseColumn(d)))
	}
	doc := "Clone returns a model of the same log-density, for use by another goroutine, with the same random numbers."
	if f.external() {
		doc = "Clone returns a model of the same log-density, for use by another goroutine: the function is called from both. It has the\n" +
			"same random numbers."
	}
	f.add(doc, method("Clone").Params().Qual(module, "Model").Block(append(body, line("return &clone"))...))
}
