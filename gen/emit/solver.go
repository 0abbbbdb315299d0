package emit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/diff"
	"github.com/sngdgen/sngdgen/expr/rewrite"
	"github.com/sngdgen/sngdgen/gen/plan"
	"github.com/sngdgen/sngdgen/gen/program"
)

// solverFuncs returns a function for every system of equations that the other functions, or these, solve.
func (f *file) solverFuncs() []jen.Code {
	before := f.decls
	f.decls = nil
	for i := 0; i < len(f.solvers); i++ { // solvers add solvers
		switch fn := f.solvers[i]; {
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

// params are the parameters of a solver, under short names.
func solverParams(fn *expr.Lambda) ([]plan.Input, []string) {
	var in []plan.Input
	var names []string
	for i, p := range fn.Params {
		name := fmt.Sprintf("p%d", i+1)
		in = append(in, plan.Input{Sym: p, From: program.Argument(name)})
		names = append(names, name)
	}
	return in, names
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

func (f *file) stable(nodes ...*expr.Node) []*expr.Node {
	return rewrite.New(f.d.Problem.Graph, rewrite.Rules(rewrite.Algebraic, rewrite.Stabilising)).Apply(nodes...)
}

func (f *file) mustJacobian(fn *expr.Lambda) [][]*expr.Node {
	j, err := diff.Jacobian(f.d.Problem.Graph, fn.Eqs, fn.Vars)
	if err != nil {
		panic("emit: " + err.Error()) // the equations were differentiated before, when they were pulled back
	}
	return j
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
	v := fn.Vars[0]
	name, _, _ := strings.Cut(v.Name, "$")
	in, params := solverParams(fn)
	eq := f.stable(fn.Eqs[0], f.mustJacobian(fn)[0][0])
	start, r := jen.Qual("math", "NaN").Call(), v.Facts.Range
	var head []jen.Code
	if fn.Start[0] != nil {
		head, _ = f.statements(&plan.Kernel{Inputs: in, Outputs: []plan.Output{{Name: "start", Node: f.stable(fn.Start[0])[0]}}}, rowSource{}, nil)
		start = jen.Id("start")
	}
	loop, _ := f.statements(&plan.Kernel{
		Inputs:  append(in, plan.Input{Sym: v, Name: f.local(name), From: program.Field("solver", "X")}),
		Outputs: []plan.Output{{Name: "value", Node: eq[0]}, {Name: "slope", Node: eq[1]}},
	}, rowSource{}, nil)
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
	in, params := solverParams(fn)
	var starts, at []plan.Output
	var vars []plan.Input
	doc := ""
	for i, v := range fn.Vars {
		name, _, _ := strings.Cut(v.Name, "$")
		vars = append(vars, plan.Input{Sym: v, Name: f.local(name), From: program.Field("solver", "X").Entry(i)})
		starts = append(starts, plan.Output{To: program.Field("solver", "X").Entry(i), Node: f.stable(fn.Start[i])[0]})
		doc += fmt.Sprintf("\t%s = 0\n", f.equation(fn, i, params))
	}
	jac := f.mustJacobian(fn)
	at = append(at, plan.Output{To: program.Field("solver", "Merit"), Node: f.stable(fn.Merit)[0]})
	for i, eq := range f.stable(fn.Eqs...) {
		at = append(at, plan.Output{To: program.Field("solver", "F").Entry(i), Node: eq})
	}
	for i := range jac {
		for j, e := range f.stable(jac[i]...) {
			at = append(at, plan.Output{To: program.Field("solver", "J").Entry(i, j), Node: e})
		}
	}
	head, _ := f.kernel(&plan.Kernel{Inputs: in, Outputs: starts}, rowSource{}, nil)
	loop, _ := f.kernel(&plan.Kernel{Inputs: append(in, vars...), Outputs: at}, rowSource{}, nil)
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
