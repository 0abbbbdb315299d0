package emit

import (
	"fmt"
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/sngdgen/sngdgen/gen/methods"
	"github.com/sngdgen/sngdgen/gen/program"
)

// The bound without draws, where all expectations are known, has kernels of its own: their rows are the data.

// exact writes the methods of runtime.Exact.
func (f *file) exact() {
	v := f.Variational()
	if v == nil || v.Exact == nil {
		return
	}
	f.add(fmt.Sprintf("ExactGradients is Gradients without draws: see runtime.Exact.\n\nCost: %s.", f.cost(f.Usage("ExactGradients"))),
		method("ExactGradients").Params(floats("v", "c", "z")).Float64().Block(f.kernel("ExactGradients", returnNaN, returnNaN(0))...))
	f.add(fmt.Sprintf("ExactLoss is Loss without draws: see runtime.Exact.\n\nCost: %s.", f.cost(f.Usage("ExactLoss"))),
		method("ExactLoss").Params(floats("z")).Float64().Block(f.kernel("ExactLoss", returnNaN, returnNaN(0))...))
	f.nodes()
}

// stack makes the columns that are stacked.
func (f *file) stack() []jen.Code {
	var out []jen.Code
	pieces := f.Pieces()
	if len(pieces) > 0 {
		var keep []jen.Code
		for i, n := range pieces {
			width := jen.Lit(1)
			if n.Type.Rank > 0 {
				width = jen.Id(f.inFields(f.size(program.Shape{Dims: n.Type.Dims[:n.Type.Rank]})))
			}
			out = append(out, space("p."+methods.PieceField(i), width))
			keep = append(keep, line("p.Rows.Keep").Call(width, jen.Id("p."+methods.PieceField(i))))
		}
		out = slices.Concat(out, []jen.Code{jen.Block(f.piecesBody...)}, keep)
	}
	width := f.inFields(methods.RowWidth(f.d.Problem.Target.Variable.Sym.Type))
	for _, s := range f.Stacked() {
		var list []jen.Code
		for _, part := range f.StackedPieces(s.Parts) {
			piece := []jen.Code{field("From", jen.Id(f.inFields(lengthText(part.From))))}
			if part.Column > 0 {
				piece = append(piece, field("Column", jen.Lit(part.Column)))
			} else {
				piece = append(piece, field("Number", number(part.Number).Statement))
			}
			list = append(list, jen.Values(piece...))
		}
		out = append(out, ifError(line("p.Rows.Stack").Call(line("%s", width), line("%v", s.Else), jen.Index().Qual(supportModule, "Piece").Add(lines(list...)))))
	}
	return out
}

// nodes writes the methods that count and set the nodes of quadrature.
func (f *file) nodes() {
	if !f.ByQuadrature() {
		f.add("Nodes returns 0: all expectations are known in closed form.", short(method("Nodes").Params().Int(), line("return 0")))
		f.add("SetNodes changes nothing: there is no quadrature.", method("SetNodes").Params(jen.Id("int")).Block())
		return
	}
	f.add("Nodes returns the number of nodes of quadrature.", short(method("Nodes").Params().Int(), line("return len(p.nodes)")))
	f.add("SetNodes sets the number of nodes of quadrature.", method("SetNodes").Params(line("n int")).Block(
		line("n = max(1, min(n, ").Add(jen.Qual(module, "MostNodes")).Add(line("))")),
		line("p.nodes, p.nodeWeights = make([]float64, n), make([]float64, n)"),
		jen.Qual(module+"/special", "HermiteNodes").Call(line("p.nodes"), line("p.nodeWeights"))))
}

// integrals writes the methods that compute expectations by quadrature:
//
//	func (p *Model) expectations(p1, p2 float64) (mean1, mean2 float64) {
//		for i, t := range p.nodes {
//			weight := p.nodeWeights[i]
//			...
//			mean1 += weight * value1
//			mean2 += weight * value2
//		}
//		return mean1, mean2
//	}
func (f *file) integrals() {
	for _, fn := range f.IntegralOrder {
		name := f.Integrals[fn]
		_, params := methods.SolverParams(fn)
		var means []string
		var add []jen.Code
		doc := ""
		for i := range fn.Eqs {
			means = append(means, fmt.Sprintf("mean%d", i+1))
			add = append(add, line("mean%d += weight * value%d", i+1, i+1))
			doc += "\n\t" + f.equation(fn, i, params)
		}
		body := append(append([]jen.Code{line("weight := p.nodeWeights[i]")}, f.kernel(name, nil)...), add...)
		f.add(name+" returns the expectations, for a standard normal number t, of\n"+doc,
			method(name).Params(scalars(params)).Params(scalars(means)).Block(
				jen.For(line("i, t := range p.nodes")).Block(body...), jen.Return(jen.List(ids(means)...))))
	}
}
