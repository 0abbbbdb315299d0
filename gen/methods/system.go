package methods

import (
	"slices"
	"strings"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/diff"
	"github.com/sngdgen/sngdgen/gen/plan"
	"github.com/sngdgen/sngdgen/gen/program"
)

// solvers are the functions that solve the equations that the other functions, or these, have.
func (f *Package) solvers() {
	for i := 0; i < len(f.SolverOrder); i++ { // solvers add solvers
		switch fn := f.SolverOrder[i]; {
		case len(fn.Rows) > 0:
			for _, k := range f.scanSteps(fn) {
				f.add(f.Solvers[fn], k, called{})
			}
		case fn.OfNumber():
			f.scalarSolver(fn)
		case fn.Shaped():
			f.shapedSolver(fn)
		default:
			f.systemSolver(fn)
		}
	}
}

// scalarSolver is the solution of one equation: where the search starts, unless the spec leaves that out, and the equation with its slope.
func (f *Package) scalarSolver(fn *expr.Lambda) {
	v := fn.Vars[0]
	name, _, _ := strings.Cut(v.Name, "$")
	in, _ := SolverParams(fn)
	eq := f.stable(fn.Eqs[0], f.mustJacobian(fn)[0][0])
	if fn.Start[0] != nil {
		f.add(f.Solvers[fn], &plan.Kernel{Inputs: in, Outputs: []plan.Output{{Name: "start", Node: f.stable(fn.Start[0])[0]}}}, called{})
	}
	f.add(f.Solvers[fn], &plan.Kernel{
		Inputs:  append(in, plan.Input{Sym: v, Name: f.Local(name), From: program.Field("solver", "X")}),
		Outputs: []plan.Output{{Name: "value", Node: eq[0]}, {Name: "slope", Node: eq[1]}},
	}, called{})
}

// systemSolver is the same for several unknowns, with the function whose gradient the equations are.
func (f *Package) systemSolver(fn *expr.Lambda) {
	in, _ := SolverParams(fn)
	var starts, at []plan.Output
	var vars []plan.Input
	for i, v := range fn.Vars {
		name, _, _ := strings.Cut(v.Name, "$")
		vars = append(vars, plan.Input{Sym: v, Name: f.Local(name), From: program.Field("solver", "X").Entry(i)})
		starts = append(starts, plan.Output{To: program.Field("solver", "X").Entry(i), Node: f.stable(fn.Start[i])[0]})
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
	f.add(f.Solvers[fn], &plan.Kernel{Inputs: in, Outputs: starts}, called{})
	f.add(f.Solvers[fn], &plan.Kernel{Inputs: append(in, vars...), Outputs: at}, called{})
}

// system is a function that solves equations in vectors.
type system struct {
	*Package
	fn    *expr.Lambda
	at    Layout   // of the unknowns
	names []string // of the unknowns
	in    []plan.Input
}

// SystemLayout is where the unknowns of a system with vectors lie, and their names.
func SystemLayout(fn *expr.Lambda) (at Layout, names []string) {
	for _, v := range fn.Vars {
		name, _, _ := strings.Cut(v.Name, "$")
		names, at = append(names, name), at.Add(Place{Type: v.Type})
	}
	return at, names
}

// shapedSolver is a system with vectors: what is given to the solver before its loop, and the kernel of the loop.
func (f *Package) shapedSolver(fn *expr.Lambda) {
	s := system{Package: f, fn: fn}
	s.in, _ = SolverParams(fn)
	s.at, s.names = SystemLayout(fn)
	if fn.Merit != nil {
		s.convex()
	} else {
		s.linear()
	}
}

// convex computes merit, gradient, and the solution of the linear system.
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
	s.write(s.outputs("X", "start", s.stable(s.fn.Start...)), plan.Kernel{Inputs: s.unknowns("X"), Outputs: out})
}

// linear computes products in the place of merit and gradient.
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
		panic("methods: " + err.Error()) // the equations are linear: a derivative made them
	}
	products = s.stable(products...)
	given := s.outputs("R", "right", s.stable(right...))
	given = append(given, s.outputs("D", "diagonal", s.diagonal(products))...)
	s.write(given, plan.Kernel{Inputs: s.unknowns("P"), Outputs: s.outputs("Q", "product", products)})
}

func (s system) write(first []plan.Output, loop plan.Kernel) {
	s.add(s.Solvers[s.fn], &plan.Kernel{Inputs: s.in, Outputs: first}, called{})
	s.add(s.Solvers[s.fn], &loop, called{})
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
		in = append(in, plan.Input{Sym: v, Name: s.Local(s.names[i]), From: s.at.Of(program.Field("solver", from), i)})
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
