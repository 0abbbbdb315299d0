package emit

import (
	"fmt"

	"github.com/dave/jennifer/jen"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/derive"
	"github.com/sngdgen/sngdgen/gen/plan"
	"github.com/sngdgen/sngdgen/gen/program"
)

// unconstrainedPrefix stands in front of the names of the functions in unconstrained coordinates.
const unconstrainedPrefix = "unconstrained."

// unconstrainedKernel is a kernel in the unconstrained coordinates.
func (f *file) unconstrainedKernel(outputs ...plan.Output) *plan.Kernel {
	u := &f.d.Unconstrained
	k := &plan.Kernel{Outputs: outputs, Rows: f.rows, Names: map[*expr.Node]string{f.rows.Sym: f.local(f.d.Problem.Target.Variable.Name)}}
	k.Inputs = f.unconstrainedInputs()
	for _, t := range u.Theta {
		k.Defs = append(k.Defs, plan.Def{Sym: t.Sym, Name: f.local(t.Name), Node: t.Node})
	}
	return k
}

func (f *file) unconstrainedInputs() []plan.Input {
	var in []plan.Input
	for i, c := range f.d.Unconstrained.Coords {
		in = append(in, plan.Input{Sym: c, Name: derive.Plain(c.Name), From: program.Argument("u").Entry(i)})
	}
	return append(in, f.dataInputs()...)
}

// unconstrained writes the objective in unconstrained coordinates.
func (f *file) unconstrained() {
	if f.shaped() {
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

	body, _ := f.kernel(f.unconstrainedKernel(result(u.Loss)), f.ownSource(), nil)
	f.nameProgram(unconstrainedPrefix + "Loss")
	f.add("Loss returns the mean negative log-likelihood at u.", on("Loss").Params(floats("u")).Float64().Block(body...))

	body, _ = f.kernel(f.unconstrainedKernel(append(outputsTo("g", u.Gradient), result(u.Loss))...), f.ownSource(), nil)
	f.nameProgram(unconstrainedPrefix + "Gradient")
	f.add("Gradient writes the gradient at u to g and returns the loss.", on("Gradient").Params(floats("g", "u")).Float64().Block(body...))

	f.hessian(on("Hessian"))

	var theta []*expr.Node
	for _, t := range u.Theta {
		theta = append(theta, t.Node)
	}
	body, _ = f.kernel(f.unconstrainedKernel(outputsTo("dst", theta)...), f.ownSource(), nil)
	f.nameProgram(unconstrainedPrefix + "Theta")
	f.add("Theta writes the parameters of the target at u to dst.", on("Theta").Params(floats("dst", "u")).Block(body...))

	var in []plan.Input
	for i, t := range u.Theta {
		in = append(in, plan.Input{Sym: t.Sym, Name: f.local(t.Name), From: program.Argument("theta").Entry(i)})
	}
	body, _ = f.kernel(&plan.Kernel{Inputs: in, Outputs: outputsTo("u", u.Inverse)}, rowSource{}, nil)
	f.nameProgram(unconstrainedPrefix + "FromTheta")
	f.add("FromTheta writes the coordinates of parameters of the target to u.", on("FromTheta").Params(floats("u", "theta")).Block(body...))
}

// hessian writes the second derivatives, NaN where one of them is not available.
func (f *file) hessian(signature *jen.Statement) {
	comment := "Hessian writes the second derivatives at u to h, row by row."
	var body []jen.Code
	if second := f.d.Unconstrained.Hessian; second != nil {
		body, _ = f.kernel(f.unconstrainedKernel(square("h", second)...), f.ownSource(), nil)
	} else {
		comment = "Hessian writes NaN to h: a function of the objective has no second derivative here."
		if f.d.Unconstrained.TooLong {
			comment = "Hessian writes NaN to h: the second derivatives are too long to be written out."
		}
		body = []jen.Code{jen.For(jen.Id("i").Op(":=").Range().Id("h")).Block(
			jen.Id("h").Index(jen.Id("i")).Op("=").Qual("math", "NaN").Call())}
	}
	f.nameProgram(unconstrainedPrefix + "Hessian")
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

// square lists the entries of a symmetric matrix of which each row gives all columns or those up to the diagonal.
func square(name string, rows [][]*expr.Node) []plan.Output {
	var out []plan.Output
	n := len(rows)
	for i := range n {
		for j := range n {
			a, b := max(i, j), min(i, j) // the lower triangle
			out = append(out, plan.Output{To: program.Argument(name).Entry(i*n + j), Node: rows[a][b]})
		}
	}
	return out
}

// fisher writes the Fisher information as sums over given nodes.
func (f *file) fisher() {
	if f.shaped() {
		return
	}
	f.information("FisherUnconstrained", "u",
		"FisherUnconstrained writes sum_i ws[i] q(xs[i]) s_i s_i', with s_i the score of the target at xs[i] in unconstrained\n"+
			"coordinates, to dst, and returns the sums of ws[i] q(xs[i]) times 1, xs[i] and xs[i]^2.",
		&f.d.Fisher.Unconstrained, f.unconstrainedKernel())
	f.information("FisherSurrogate", "z", "FisherSurrogate is FisherUnconstrained in the coordinates z, through the map.",
		&f.d.Fisher.Surrogate, f.surrogateKernel(false))
}

func (f *file) information(name, at, comment string, in *derive.Information, k *plan.Kernel) {
	k.Rows = &plan.RowSource{Sym: f.rows.Sym} // the nodes, not the data
	k.Outputs = append(square("dst", in.Matrix),
		plan.Output{To: program.Argument("mass"), Node: in.Mass}, plan.Output{To: program.Argument("mean"), Node: in.First}, plan.Output{To: program.Argument("square"), Node: in.Second})
	body, _ := f.kernel(k, givenRows, nil)
	f.add(comment, method(name).Params(floats("dst", at, "xs", "ws")).
		Params(jen.List(jen.Id("mass"), jen.Id("mean"), jen.Id("square")).Float64()).Block(append(body, jen.Return())...))
}
