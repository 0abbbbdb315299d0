package emit

import (
	"fmt"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/sngdgen/sngdgen/gen/derive"
	"github.com/sngdgen/sngdgen/gen/methods"
)

// Packages of posteriors that expectation propagation has sites for are an ep.Model: each part of the log joint density that sees a few
// linear predictors is a factor for every row, and is evaluated at many predictors at a time. The rows of its kernel are the predictors.

const (
	epModule = module + "/ep"
)

// predictorRows is where the kernels of factors find their rows.
var predictorRows = rowSource{x: "xs", w: "xs"}

// siteMethods writes the methods of ep.Model.
func (f *file) siteMethods() {
	s := f.Sites()
	if s == nil {
		return
	}
	f.noises[methods.FactorColumn] = "block"
	width := f.inFields(methods.RowWidth(f.d.Problem.Target.Variable.Sym.Type))
	var count, sees, vectors, logs []jen.Code
	if len(s.Parts) > 0 {
		logs = append(logs, line("n := len(dst)"))
	}
	before, rows := "", ""
	for k := range s.Parts {
		part, names, seen := &s.Parts[k], s.Parts[k].Names(k), len(s.Parts[k].S)
		f.factor(part, names)
		if before != "" { // go on behind the factors of the part before
			vectors = append(vectors, line("a, w = a[%s*%s:], w[%s:]", rows, width, before))
			sees, logs = append(sees, line("i -= %s", before)), append(logs, line("i -= %s", before))
		}
		number, weight := "1", line("w[0] = 1")
		if part.ByRow {
			number, weight = "p.W.Len()", line("p.W.Copy(w)")
		}
		before, rows = number, number
		if seen > 1 {
			rows = fmt.Sprintf("%d*%s", seen, number)
		}
		count = append(count, line("factors += %s", number), line("predictors += %s", rows))
		var of []jen.Code
		for j, name := range names.Coefficients {
			f.coefficients(name)
			at := "row"
			if seen > 1 {
				at = fmt.Sprintf("(%d*row+%d)", seen, j)
			}
			of = append(of, line("p.%s(a[%s*%s:][:%s], row)", name, at, width, width))
		}
		vectors = append(vectors, jen.For(line("row := range %s", number)).Block(of...), weight)
		sees = append(sees, jen.If(line("i < %s", number)).Block(jen.Return(jen.Lit(seen))))
		call := "p." + names.Factor + "(xs[:n]"
		for j := 1; j < seen; j++ {
			call += fmt.Sprintf(", xs[%d*n:][:n]", j)
		}
		logs = append(logs, jen.If(line("i < %s", number)).Block(line("%s, i)", call), line("copy(dst, p.%s)", methods.FactorColumn), jen.Return()))
	}
	f.add("FactorSizes returns the number of latent variables, that of the factors and that of their predictors.",
		method("FactorSizes").Params().Params(jen.List(jen.Id("d"), jen.Id("factors"), jen.Id("predictors")).Int()).Block(
			append(count, line("return %s, factors, predictors", width))...))
	f.add("Predictors returns how many predictors factor i sees.",
		method("Predictors").Params(jen.Id("i").Int()).Int().Block(append(sees, jen.Return(jen.Lit(0)))...))
	f.add("Coefficients writes the coefficients of the predictors of all factors to a, and how often the factors count to w.",
		method("Coefficients").Params(floats("a", "w")).Block(append([]jen.Code{jen.Id("clear").Call(jen.Id("a"))}, vectors...)...))
	f.add("FactorLogs writes the logarithm of factor i at predictors xs to dst, of which there are at most ep.Portion: first predictors "+
		"at all points, then second ones.", method("FactorLogs").Params(floats("dst", "xs"), jen.Id("i").Int()).Block(logs...))
	f.quadratic()
	f.fromMoments()
	f.add("Power is that of expectation propagation: 1 matches moments, 0 is variational inference.",
		short(method("Power").Params().Float64(), jen.Return(number(s.Power).Statement)))
}

// factor writes the method that evaluates the factor of a row.
func (f *file) factor(part *derive.Part, names derive.PartNames) {
	f.add(fmt.Sprintf("%s evaluates the logarithm of the factor of a row at predictors %s:\n\n\t%s", names.Factor,
		strings.Join(names.Predictors, ", "), display(part.H)),
		method(names.Factor).Params(floats(names.Predictors...), jen.Id("row").Int()).Block(f.kernel(names.Factor, nil)...))
}

// coefficients writes the method that gives the coefficients of a predictor of a row.
func (f *file) coefficients(name string) {
	f.add(name+" writes the coefficients of the predictor of a row to g, where they are not 0.",
		method(name).Params(floats("g"), jen.Id("row").Int()).Block(f.kernel(name, nil)...))
}

// quadratic writes the method for what has no sites.
func (f *file) quadratic() {
	f.add("Quadratic returns the part of the log joint density that is of second degree in the latent variables z:\n\n\t"+display(f.Sites().Quadratic)+
		"\n\nand writes its gradient to g.", method("Quadratic").Params(floats("g", "z")).Float64().Block(f.kernel("Quadratic", nil)...))
}

// fromMoments writes the point with given moments.
func (f *file) fromMoments() {
	f.start("fromMoments", false, "z", "theta")
	f.add("FromMoments writes to z where the approximation has a mean and a covariance matrix, one after the other in theta.",
		method("FromMoments").Params(floats("z", "theta")).Error().Block(
			line("p.fromMoments(z, theta)"),
			jen.Return(jen.Qual(supportModule, "Inside").Call(line("p"), line("z")))))
}
