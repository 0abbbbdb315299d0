package emit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/diff"
	"github.com/sngdgen/sngdgen/gen/plan"
	"github.com/sngdgen/sngdgen/gen/program"
)

// system is a function under construction that solves equations in vectors. It is a method: it works in memory of the
// model.
type system struct {
	*file
	fn     *expr.Lambda
	at     layout   // of the unknowns
	names  []string // of the unknowns
	in     []plan.Input
	params []string
}

// shapedSolver writes the function of a system with vectors. Its memory is its own, apart from that of its callers.
func (f *file) shapedSolver(fn *expr.Lambda) {
	s := system{file: f, fn: fn}
	s.in, s.params = solverParams(fn)
	for _, v := range fn.Vars {
		name, _, _ := strings.Cut(v.Name, "$")
		s.names, s.at = append(s.names, name), s.at.add(place{Type: v.Type})
	}
	f.callers = slices.Clone(f.slots)
	if fn.Merit != nil {
		s.convex()
	} else {
		s.linear()
	}
	f.callers = nil
}

// convex writes
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
func (s system) convex() {
	g, eqs := s.d.Problem.Graph, s.stable(s.fn.Eqs...)
	linear := s.mustLinear()
	right := map[*expr.Node]*expr.Node{}
	for i, b := range linear.Right {
		right[b] = eqs[i]
	}
	directions := g.Roots(linear.Fn, s.stable(g.SubstituteAll(linear.Args, right)...))
	out := []plan.Output{{To: program.Field("solver", "Merit"), Node: s.stable(s.fn.Merit)[0]}}
	out = append(append(out, s.outputs("F", "gradient", eqs)...), s.outputs("D", "direction", directions)...)
	starts := s.outputs("X", "start", s.stable(s.fn.Start...))
	s.write("Convex", "by damped Newton steps on the log-partition", starts,
		plan.Kernel{Inputs: s.unknowns("X"), Outputs: out})
}

// linear writes the same with products in the place of merit and gradient.
func (s system) linear() {
	g := s.d.Problem.Graph
	zero := map[*expr.Node]*expr.Node{}
	for _, v := range s.fn.Vars {
		zero[v] = g.Const(0)
	}
	var right []*expr.Node
	for _, eq := range g.SubstituteAll(s.fn.Eqs, zero) {
		right = append(right, g.Neg(eq))
	}
	products, err := diff.Pushforward(g, s.fn.Eqs, s.fn.Vars, s.fn.Vars)
	if err != nil {
		panic("emit: " + err.Error()) // the equations are linear: a derivative made them
	}
	products = s.stable(products...)
	given := s.outputs("R", "right", s.stable(right...))
	given = append(given, s.outputs("D", "diagonal", s.diagonal(products))...)
	s.write("Conjugate", "by conjugate gradients", given,
		plan.Kernel{Inputs: s.unknowns("P"), Outputs: s.outputs("Q", "product", products)})
}

// diagonal is what an entry of the unknowns contributes to its own product other than through sums over the entries.
func (s system) diagonal(products []*expr.Node) []*expr.Node {
	g, out := s.d.Problem.Graph, make([]*expr.Node, len(products))
	for i, h := range products {
		by := map[*expr.Node]*expr.Node{}
		expr.Walk(func(n *expr.Node) {
			if n.IsLinalg() && expr.Depends(n, s.fn.Vars...) {
				by[n] = g.Const(0)
			}
		}, h)
		for j, v := range s.fn.Vars {
			if by[v] = g.Const(0); j == i {
				by[v] = g.Ones(v.Type)
			}
		}
		out[i] = g.Substitute(h, by)
	}
	return s.stable(out...)
}

func (s system) mustLinear() *expr.Linear {
	linear, err := diff.LinearSystem(s.d.Problem.Graph, s.fn)
	if err != nil {
		panic(plan.Unsupported(err.Error()))
	}
	return linear
}

// unknowns are the inputs of a loop, read from a slice of the solver.
func (s system) unknowns(from string) []plan.Input {
	in := slices.Clone(s.in)
	for i, v := range s.fn.Vars {
		in = append(in, plan.Input{Sym: v, Name: s.local(s.names[i]), From: s.at.of(program.Field("solver", from), i)})
	}
	return in
}

// outputs are values that are written to a slice of the solver, vectors under local names.
func (s system) outputs(to, local string, nodes []*expr.Node) []plan.Output {
	var out []plan.Output
	for i, n := range nodes {
		out = append(out, s.at.output(program.Field("solver", to), i, n, local+exported(s.names[i]), false))
	}
	return out
}

// write writes the function: what is given to the solver before its loop, and the kernel of the loop.
func (s system) write(solver, how string, first []plan.Output, loop plan.Kernel) {
	field := "system" + strings.TrimPrefix(s.solverName(s.fn), "root")
	s.systems[field] = "solve." + solver + "Vectors*(" + lengthText(s.at.size()) + ")"
	head, _ := s.statements(&plan.Kernel{Inputs: s.in, Outputs: first}, rowSource{}, nil)
	step, _ := s.statements(&loop, rowSource{}, nil)
	start := jen.Id("solver").Op(":=").Qual(module+"/solve", "New"+solver).Call(jen.Id("p." + field))
	body := append([]jen.Code{start}, head...)
	body = append(body, jen.For(jen.Id("solver.Next").Call()).Block(append(step, jen.Id("solver.Step").Call())...))
	var params, types, results []jen.Code
	doc := ""
	for i, v := range s.fn.Vars {
		doc += fmt.Sprintf("\t%s = 0\n", s.equation(s.fn, i, s.params))
		if v.Type.Rank == 0 {
			types, results = append(types, jen.Float64()), append(results, jen.Id(given(s.at.of(program.Field("solver", "X"), i))))
			continue
		}
		to := "to" + exported(s.names[i])
		params = append(params, jen.Id(to).Index().Float64())
		body = append(body, jen.Copy(jen.Id(to), jen.Id(given(s.at.of(program.Field("solver", "X"), i)))))
	}
	params = append(params, solverArguments(s.fn, s.params)...)
	if len(results) > 0 {
		body = append(body, jen.Return(results...))
	}
	name := s.solverName(s.fn)
	s.add(fmt.Sprintf("%s solves\n\n%s\n%s; NaN when there is no solution.", name, doc, how),
		method(name).Params(params...).Params(types...).Block(s.declareDims(body)...))
}
