package emit

import (
	"fmt"

	"github.com/dave/jennifer/jen"
	"github.com/sngdgen/sngdgen/gen/methods"
)

// unconstrained writes the objective in unconstrained coordinates.
func (f *file) unconstrained() {
	if f.Shaped() {
		f.add("Unconstrained returns nil: the model is a runtime.Objective, of which unconstrained coordinates can be made.",
			short(method("Unconstrained").Params().Qual(module, "Unconstrained"), jen.Return(jen.Nil())))
		return
	}
	u := &f.d.Unconstrained
	f.add("unconstrained is the model in unconstrained coordinates of the free parameters of the target:\n\n"+f.charts(),
		jen.Type().Id("unconstrained").Id("Model"))
	f.add("Unconstrained returns the same objective in unconstrained coordinates. It shares the workspace of p.",
		method("Unconstrained").Params().Qual(module, "Unconstrained").Block(
			jen.Return(jen.Parens(jen.Op("*").Id("unconstrained")).Parens(jen.Id("p")))))
	on := func(name string) *jen.Statement {
		return jen.Func().Params(jen.Id("p").Op("*").Id("unconstrained")).Id(name)
	}
	f.add("Dim returns the number of free parameters.",
		short(on("Dim").Params().Int(), jen.Return(jen.Lit(len(u.Coords)))))

	kernel := func(name string) []jen.Code { return f.kernel(methods.UnconstrainedPrefix+name, nil) }
	f.add("Loss returns the mean negative log-likelihood at u.", on("Loss").Params(floats("u")).Float64().Block(kernel("Loss")...))
	f.add("Gradient writes the gradient at u to g and returns the loss.", on("Gradient").Params(floats("g", "u")).Float64().Block(kernel("Gradient")...))
	f.hessian(on("Hessian"))
	f.add("Theta writes the parameters of the target at u to dst.", on("Theta").Params(floats("dst", "u")).Block(kernel("Theta")...))
	f.add("FromTheta writes the coordinates of parameters of the target to u.", on("FromTheta").Params(floats("u", "theta")).Block(kernel("FromTheta")...))
}

// hessian writes the second derivatives, NaN where one of them is not available.
func (f *file) hessian(signature *jen.Statement) {
	comment := "Hessian writes the second derivatives at u to h, row by row."
	var body []jen.Code
	if f.d.Unconstrained.Hessian != nil {
		body = f.kernel(methods.UnconstrainedPrefix+"Hessian", nil)
	} else {
		comment = "Hessian writes NaN to h: a function of the objective has no second derivative here."
		if f.d.Unconstrained.TooLong {
			comment = "Hessian writes NaN to h: the second derivatives are too long to be written out."
		}
		body = []jen.Code{jen.For(jen.Id("i").Op(":=").Range().Id("h")).Block(
			jen.Id("h").Index(jen.Id("i")).Op("=").Qual("math", "NaN").Call())}
	}
	f.add(comment, signature.Params(floats("h", "u")).Block(body...))
}

// charts lists the unconstrained coordinates for a comment.
func (f *file) charts() string {
	out := ""
	for k := range f.d.Unconstrained.Free {
		out += fmt.Sprintf("\tu[%d] = %s\n", k, display(f.d.Unconstrained.Inverse[k]))
	}
	return out
}

// fisher writes the Fisher information as sums over given nodes.
func (f *file) fisher() {
	if f.Shaped() {
		return
	}
	f.information("FisherUnconstrained", "u",
		"FisherUnconstrained writes sum_i ws[i] q(xs[i]) s_i s_i', with s_i the score of the target at xs[i] in unconstrained\n"+
			"coordinates, to dst, and returns the sums of ws[i] q(xs[i]) times 1, xs[i] and xs[i]^2.")
	f.information("FisherSurrogate", "z", "FisherSurrogate is FisherUnconstrained in the coordinates z, through the map.")
}

func (f *file) information(name, at, comment string) {
	f.add(comment, method(name).Params(floats("dst", at, "xs", "ws")).
		Params(jen.List(jen.Id("mass"), jen.Id("mean"), jen.Id("square")).Float64()).Block(append(f.kernel(name, nil), jen.Return())...))
}
