package emit

import (
	"fmt"
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/bind"
	"github.com/sngdgen/sngdgen/gen/derive"
	"github.com/sngdgen/sngdgen/gen/plan"
	"github.com/sngdgen/sngdgen/gen/program"
)

// The bound without draws, where all expectations are known, has kernels of its own: their rows are the data.

// byQuadrature reports whether some of the expectations are integrals.
func (f *file) byQuadrature() bool {
	v := f.variational()
	return v != nil && v.Exact != nil && !v.Exact.Closed
}

// exact writes the methods of runtime.Exact.
func (f *file) exact() {
	v := f.variational()
	if v == nil || v.Exact == nil {
		return
	}
	x := v.Exact
	kernel := func(outputs []plan.Output) ([]jen.Code, Usage) {
		nodes := make([]*expr.Node, len(outputs))
		for i, o := range outputs {
			nodes[i] = o.Node
		}
		for i, n := range f.d.Problem.Graph.JoinExpectations(nodes) {
			outputs[i].Node = n
		}
		k := f.surrogateKernel(true, outputs...)
		k.Inputs = f.coordSlices()
		f.overData(k)
		return f.kernel(k, dataSource, returnNaN, returnNaN(0))
	}
	loss := result(x.Loss)
	body, cost := kernel(append(append(f.coordOutputs("v", x.Natural), f.coordOutputs("c", x.Covector)...), loss))
	f.add(fmt.Sprintf("ExactGradients is Gradients without draws: see runtime.Exact.\n\nCost: %s.", f.cost(cost)),
		method("ExactGradients").Params(floats("v", "c", "z")).Float64().Block(body...))
	body, cost = kernel([]plan.Output{loss})
	f.add(fmt.Sprintf("ExactLoss is Loss without draws: see runtime.Exact.\n\nCost: %s.", f.cost(cost)),
		method("ExactLoss").Params(floats("z")).Float64().Block(body...))
	f.nodes()
}

// stacked are the columns that the bound without draws has besides the data.
func (f *file) stacked() []derive.Stacked {
	if v := f.variational(); v != nil && v.Exact != nil {
		return v.Exact.Stacked
	}
	return nil
}

func stackedField(i int) string { return fmt.Sprintf("stacked%d", i+1) }

// pieces are what is computed for every row to be stacked, besides numbers and data as they are.
func (f *file) pieces() (out []*expr.Node) {
	for _, s := range f.stacked() {
		for _, part := range s.Parts {
			if part == nil || part.Op == expr.Const || f.dataColumn(part) > 0 || slices.Contains(out, part) {
				continue
			}
			out = append(out, part)
		}
	}
	return out
}

func pieceField(i int) string { return fmt.Sprintf("piece%d", i+1) }

// dataColumn is which column of the rows a part of the data is; 0 for what is none.
func (f *file) dataColumn(n *expr.Node) int {
	return 1 + slices.IndexFunc(f.dataParams(), func(q bind.Param) bool { return q.Sym == n })
}

// stack makes the columns that are stacked.
func (f *file) stack() []jen.Code {
	var out []jen.Code
	pieces := f.pieces()
	if len(pieces) > 0 {
		out = append(view("nil", f.givenFields()), line("p.scale = 1"))
		k := &plan.Kernel{}
		f.overData(k)
		var keep []jen.Code
		for i, n := range pieces {
			width := jen.Lit(1)
			if n.Type.Rank > 0 {
				width = jen.Id(f.inFields(f.size(program.Shape{Dims: n.Type.Dims[:1]})))
			}
			out = append(out, f.sized(pieceField(i), n.Type))
			k.Stores = append(k.Stores, plan.Output{To: program.Field("p", pieceField(i)), Node: f.stable(n)[0], Type: coreOf(n.Type)})
			keep = append(keep, line("p.rows.Keep").Call(width, jen.Id("p."+pieceField(i))))
		}
		stmts, _ := f.kernel(k, dataSource, nil)
		f.nameProgram("SetData")
		out = slices.Concat(out, []jen.Code{jen.Block(stmts...)}, keep)
	}
	width := f.inFields(rowWidth(f.d.Problem.Target.Variable.Sym.Type))
	for _, s := range f.stacked() {
		var list []jen.Code
		for _, part := range f.stackedPieces(s.Parts) {
			piece := []jen.Code{field("From", jen.Id(f.inFields(lengthText(part.From))))}
			if part.Column > 0 {
				piece = append(piece, field("Column", jen.Lit(part.Column)))
			} else {
				piece = append(piece, field("Number", number(part.Number).Statement))
			}
			list = append(list, jen.Values(piece...))
		}
		out = append(out, line("p.rows.Stack(%s, %v, ", width, s.Else).Add(jen.Index().Qual(supportModule, "Piece").Add(lines(list...))).Add(jen.Id(")")))
	}
	return out
}

// nodes writes the methods that count and set the nodes of quadrature.
func (f *file) nodes() {
	if !f.byQuadrature() {
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

// integratorName is the name of the method that computes expectations by quadrature.
func (f *file) integratorName(fn *expr.Lambda) string {
	name := "expectations"
	if i := slices.Index(f.integrators, fn); i > 0 {
		name += fmt.Sprint(i + 1)
	}
	return name
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
	for done := 0; done < len(f.integrators); done++ { // an integral may be of others
		fn := f.integrators[done]
		in, params := solverParams(fn)
		in = append(in, plan.Input{Sym: fn.Vars[0], From: program.Argument("t")})
		var at []plan.Output
		var means []string
		var add []jen.Code
		doc := ""
		for i, eq := range f.d.Problem.Graph.JoinExpectations(f.stable(fn.Eqs...)) {
			value, mean := fmt.Sprintf("value%d", i+1), fmt.Sprintf("mean%d", i+1)
			at, means = append(at, plan.Output{Name: value, Node: eq}), append(means, mean)
			add = append(add, line("%s += weight * %s", mean, value))
			doc += "\n\t" + f.equation(fn, i, params)
		}
		body, _ := f.kernel(&plan.Kernel{Inputs: in, Outputs: at}, rowSource{}, nil)
		body = append(append([]jen.Code{line("weight := p.nodeWeights[i]")}, body...), add...)
		f.add(f.integratorName(fn)+" returns the expectations, for a standard normal number t, of\n"+doc,
			method(f.integratorName(fn)).Params(scalars(params)).Params(scalars(means)).Block(
				jen.For(line("i, t := range p.nodes")).Block(body...), jen.Return(jen.List(ids(means)...))))
	}
}
