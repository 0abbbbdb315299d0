package emit

import (
	"fmt"

	"github.com/dave/jennifer/jen"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/derive"
	"github.com/sngdgen/sngdgen/gen/plan"
	"github.com/sngdgen/sngdgen/gen/program"
)

// Packages whose objective is expectation propagation are an ep.Model: each part of the log joint density that sees one linear
// predictor is a factor for every row, and is evaluated at many predictors at a time. The rows of its kernel are the predictors.

const (
	epModule = module + "/ep"
	// predictorColumn is the parameter with the predictors, factorColumn the field with the values there.
	predictorColumn = "xs"
	factorColumn    = "factorLogs"
)

// predictorRows is where the kernels of factors find their rows.
var predictorRows = rowSource{x: predictorColumn, w: predictorColumn}

// sites are nil for other objectives.
func (f *file) sites() *derive.Sites {
	if v := f.variational(); v != nil {
		return v.Sites
	}
	return nil
}

// siteMethods writes the methods of ep.Model.
func (f *file) siteMethods() {
	s := f.sites()
	if s == nil {
		return
	}
	f.noises[factorColumn] = "block"
	width := f.inFields(rowWidth(f.d.Problem.Target.Variable.Sym.Type))
	var count, vectors, logs []jen.Code
	before := ""
	for k, part := range s.Parts {
		f.factor(part, fmt.Sprintf("factor%d", k))
		f.coefficients(part, fmt.Sprintf("coefficients%d", k))
		if before != "" { // go on behind the factors of the part before
			vectors = append(vectors, line("a, w = a[%s*%s:], w[%s:]", before, width, before))
			logs = append(logs, line("i -= %s", before))
		}
		number, weight := "1", line("w[0] = 1")
		if part.ByRow {
			number, weight = "len(p.w)", line("copy(w, p.w)")
		}
		before = number
		count = append(count, line("factors += %s", number))
		vectors = append(vectors, jen.For(line("row := range %s", number)).Block(
			line("p.coefficients%d(a[row*%s:(row+1)*%s], row)", k, width, width)), weight)
		logs = append(logs, jen.If(line("i < %s", number)).Block(line("p.factor%d(xs, i)", k), line("copy(dst, p.%s)", factorColumn), jen.Return()))
	}
	f.add("FactorSizes returns the number of latent variables and that of the factors.",
		method("FactorSizes").Params().Params(jen.List(jen.Id("d"), jen.Id("factors")).Int()).Block(
			append(count, line("return %s, factors", width))...))
	f.add("Coefficients writes the coefficients of the predictors of all factors to a, and how often these count to w.",
		method("Coefficients").Params(floats("a", "w")).Block(append([]jen.Code{jen.Id("clear").Call(jen.Id("a"))}, vectors...)...))
	f.add("FactorLogs writes the logarithm of factor i at predictors xs to dst. There are at most ep.Portion of them.",
		method("FactorLogs").Params(floats("dst", predictorColumn), jen.Id("i").Int()).Block(logs...))
	f.quadratic()
	f.fromMoments()
	f.add("Power is that of expectation propagation: 1 matches moments, 0 is variational inference.",
		method("Power").Params().Float64().Block(jen.Return(number(s.Power).Statement)))
}

// ofRow are the data of one row and what does not vary, as inputs of a kernel.
func (f *file) ofRow() []plan.Input {
	g := f.d.Problem.Graph
	in := []plan.Input{{Sym: g.Size(expr.Rows), From: program.Field("p", "n")}}
	for _, d := range f.dims() {
		in = append(in, f.length(d))
	}
	for _, q := range f.dataParams() {
		from := program.Field("p", f.dataField(q)).Cut(program.Part{Type: coreOf(q.Sym.Type), Of: program.OwnRow})
		in = append(in, plan.Input{Sym: derive.OfOneRow(g, q), Name: f.local(q.Name), From: from})
	}
	return in
}

// factor writes the method that evaluates the factor of a row.
func (f *file) factor(part derive.Part, name string) {
	k := &plan.Kernel{Inputs: f.ofRow(), Rows: &plan.RowSource{Sym: f.rows.Sym, Columns: map[*expr.Node]string{part.S: predictorColumn}},
		Stores: []plan.Output{{To: program.Field("p", factorColumn), Node: part.H}}}
	body, _ := f.kernel(k, predictorRows, nil)
	f.add(fmt.Sprintf("%s evaluates the logarithm of the factor of a row at predictors xs:\n\n\t%s", name, display(part.H)),
		method(name).Params(floats(predictorColumn), jen.Id("row").Int()).Block(body...))
}

// coefficients writes the method that gives the coefficients of the predictor of a row.
func (f *file) coefficients(part derive.Part, name string) {
	k := &plan.Kernel{Inputs: f.ofRow()}
	at := f.latentLayout()
	for i, c := range part.Coefs {
		if c != nil {
			k.Outputs = append(k.Outputs, at.output(program.Argument("g"), i, c, "g"+exported(f.variational().Model.Latent[i].Name), false))
		}
	}
	body, _ := f.kernel(k, rowSource{}, nil)
	f.add(name+" writes the coefficients of the predictor of a row to g, where they are not 0.",
		method(name).Params(floats("g"), jen.Id("row").Int()).Block(body...))
}

// quadratic writes the method for what has no sites.
func (f *file) quadratic() {
	s, m := f.sites(), f.variational().Model
	k := f.modelKernel()
	at := f.latentLayout()
	for i, q := range m.Latent {
		k.Outputs = append(k.Outputs, at.output(program.Argument("g"), i, s.Gradient[i], "g"+exported(q.Name), false))
	}
	k.Outputs = append(k.Outputs, result(s.Quadratic))
	body, _ := f.kernel(k, dataSource, nil)
	f.add("Quadratic returns the part of the log joint density that is of second degree in the latent variables z:\n\n\t"+display(s.Quadratic)+
		"\n\nand writes its gradient to g.", method("Quadratic").Params(floats("g", "z")).Float64().Block(body...))
}

// fromMoments writes the point with given moments.
func (f *file) fromMoments() {
	s := f.sites()
	at := layout{}.add(place{Type: s.Mean.Type}).add(place{Type: s.Covariance.Type})
	in := []plan.Input{at.input(program.Argument("theta"), 0, s.Mean, f.local("fromMean")), at.input(program.Argument("theta"), 1, s.Covariance, f.local("fromCovariance"))}
	f.startFrom("fromMoments", &s.Moments, []jen.Code{floats("z", "theta")}, nil, in)
	f.add("FromMoments writes to z where the approximation has a mean and a covariance matrix, one after the other in theta.",
		method("FromMoments").Params(floats("z", "theta")).Error().Block(
			line("p.fromMoments(z, theta)"),
			jen.If(line("violated := p.Violation(z)"), line("violated >= 0")).Block(
				jen.Return(jen.Qual("fmt", "Errorf").Call(jen.Lit("outside the domain: %s does not hold"), line("conditions[violated].Text")))),
			jen.Return(jen.Nil())))
}
