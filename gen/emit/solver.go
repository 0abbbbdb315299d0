package emit

import (
	"fmt"
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/methods"
)

// solverFuncs returns a function for every system of equations that the other functions, or these, solve.
func (f *file) solverFuncs() []jen.Code {
	before := f.decls
	f.decls = nil
	for _, fn := range f.SolverOrder {
		switch {
		case len(fn.Rows) > 0:
			f.scanFunc(fn)
		case fn.OfNumber():
			f.scalarSolver(fn)
		case fn.Shaped():
			f.shapedSolver(fn)
		default:
			f.systemSolver(fn)
		}
	}
	out := f.decls
	f.decls = before
	return out
}

// scalars is a parameter list of float64.
func scalars(names []string) *jen.Statement {
	if len(names) == 0 {
		return jen.Null()
	}
	ids := make([]jen.Code, len(names))
	for i, n := range names {
		ids[i] = jen.Id(n)
	}
	return jen.List(ids...).Float64()
}

// scalarSolver writes
//
//	func root<A>(p1 float64) float64 {
//		solver := solve.NewScalar(<start>, <lo>, <hi>)
//		for solver.Next() {
//			a := solver.X
//			solver.Step(<f>, <df/da>)
//		}
//		return solver.X
//	}
//
// or a method, where the equation has vectors: these are computed in memory of its own, apart from that of its callers.
func (f *file) scalarSolver(fn *expr.Lambda) {
	if fn.Shaped() {
		f.callers = slices.Clone(f.slots)
		defer func() { f.callers = nil }()
	}
	r, name := fn.Vars[0].Facts.Range, f.solverName(fn)
	_, params := methods.SolverParams(fn)
	start := jen.Qual("math", "NaN").Call()
	var head []jen.Code
	if fn.Start[0] != nil {
		head, start = f.statements(name, nil), jen.Id("start")
	}
	loop := f.statements(name, nil)
	step := append(loop, jen.Id("solver").Dot("Step").Call(jen.Id("value"), jen.Id("slope")))
	body := append(head,
		jen.Id("solver").Op(":=").Qual(module+"/solve", "NewScalar").Call(start, number(r.Lo).Statement, number(r.Hi).Statement),
		jen.For(jen.Id("solver").Dot("Next").Call()).Block(step...),
		jen.Return(jen.Id("solver").Dot("X")))
	body = f.declareDims(body)
	function := jen.Func().Id(f.solverName(fn)).Params(scalars(params))
	if fn.Shaped() {
		function = method(f.solverName(fn)).Params(solverArguments(fn, params)...)
	}
	f.add(fmt.Sprintf("%s returns the root of\n\n\t%s = 0\n\nNaN when there is none.", f.solverName(fn), f.equation(fn, 0, params)),
		function.Float64().Block(body...))
}

// solverArguments are the parameters of a method that solves equations.
func solverArguments(fn *expr.Lambda, names []string) []jen.Code {
	var out []jen.Code
	for i, p := range fn.Params {
		if p.Type.Rank > 0 {
			out = append(out, jen.Id(names[i]).Index().Float64())
		} else {
			out = append(out, jen.Id(names[i]).Float64())
		}
	}
	return out
}

// equation prints an equation with the names that the parameters have in the code.
func (f *file) equation(fn *expr.Lambda, i int, params []string) string {
	g := f.d.Problem.Graph
	by := map[*expr.Node]*expr.Node{}
	for k, p := range fn.Params {
		name := params[k]
		if p.Type.Rank > 0 {
			name += "$" + p.Type.String() // what follows $ is not printed
		}
		by[p] = g.Sym(name, p.Type, p.Facts)
	}
	return display(g.Substitute(fn.Eqs[i], by))
}

// systemSolver writes the same for several unknowns, with the function whose gradient the equations are.
func (f *file) systemSolver(fn *expr.Lambda) {
	n := len(fn.Vars)
	_, params := methods.SolverParams(fn)
	doc := ""
	for i := range fn.Vars {
		doc += fmt.Sprintf("\t%s = 0\n", f.equation(fn, i, params))
	}
	head, loop := f.kernel(f.solverName(fn), nil), f.kernel(f.solverName(fn), nil)
	body := []jen.Code{jen.Id("solver").Op(":=").Qual(module+"/solve", "NewSystem").Call(jen.Lit(n))}
	body = append(body, head...)
	body = append(body, jen.For(jen.Id("solver").Dot("Next").Call()).Block(append(loop, jen.Id("solver").Dot("Step").Call())...))
	var results []jen.Code
	for i := range n {
		results = append(results, jen.Id("solver").Dot("X").Index(jen.Lit(i)))
	}
	body = append(body, jen.Return(results...))
	var types []jen.Code
	for range n {
		types = append(types, jen.Float64())
	}
	f.add(fmt.Sprintf("%s returns the solution of\n\n%s\nby Newton's method on the log-partition; NaN when there is none.", f.solverName(fn), doc),
		jen.Func().Id(f.solverName(fn)).Params(scalars(params)).Params(types...).Block(body...))
}
