package emit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/methods"
	"github.com/sngdgen/sngdgen/gen/program"
	"github.com/sngdgen/sngdgen/gen/program/wording"
)

// shapedSolver writes the function of a system with vectors, a method, which works in memory of the model: its own, apart from that of its callers.
//
//	func (p *Model) root<Eta1>(to<Eta1>, p1 []float64) {
//		solver := solve.NewConvex(p.system<Eta1>)
//		<start>
//		for solver.Next() {
//			eta1 := solver.X
//			<merit, gradient, and the solution of the linear system>
//			solver.Step()
//		}
//		copy(to<Eta1>, solver.X)
//	}
//
// or the same with products in the place of merit and gradient.
func (f *file) shapedSolver(fn *expr.Lambda) {
	f.callers = slices.Clone(f.slots)
	defer func() { f.callers = nil }()
	solver, how := "Conjugate", "by conjugate gradients"
	if fn.Merit != nil {
		solver, how = "Convex", "by damped Newton steps on the log-partition"
	}
	at, names := methods.SystemLayout(fn)
	_, arguments := methods.SolverParams(fn)
	name := f.solverName(fn)
	field := "system" + strings.TrimPrefix(name, "root")
	f.systems[field] = "solve." + solver + "Vectors*(" + lengthText(at.Size()) + ")"
	start := jen.Id("solver").Op(":=").Qual(module+"/solve", "New"+solver).Call(jen.Id("p." + field))
	body := append([]jen.Code{start}, f.statements(name, nil)...)
	body = append(body, jen.For(jen.Id("solver.Next").Call()).Block(append(f.statements(name, nil), jen.Id("solver.Step").Call())...))
	var params, types, results []jen.Code
	doc := ""
	for i, v := range fn.Vars {
		doc += fmt.Sprintf("\t%s = 0\n", f.equation(fn, i, arguments))
		if v.Type.Rank == 0 {
			types, results = append(types, jen.Float64()), append(results, jen.Id(given(at.Of(program.Field("solver", "X"), i))))
			continue
		}
		to := wording.Behind("to", names[i])
		params = append(params, jen.Id(to).Index().Float64())
		body = append(body, jen.Copy(jen.Id(to), jen.Id(given(at.Of(program.Field("solver", "X"), i)))))
	}
	params = append(params, solverArguments(fn, arguments)...)
	if len(results) > 0 {
		body = append(body, jen.Return(results...))
	}
	f.add(fmt.Sprintf("%s solves\n\n%s\n%s; NaN when there is no solution.", name, doc, how),
		method(name).Params(params...).Params(types...).Block(f.declareDims(body)...))
}
