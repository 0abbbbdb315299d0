package engine

import (
	"fmt"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/program"
	"github.com/sngdgen/sngdgen/runtime/solve"
)

// systemSize is how many columns the derivatives of a system of equations have in its memory.
const systemSize = solve.MaxUnknowns

// solver solves an equation or a system: what is computed first, and for every step.
type solver struct {
	fn         *expr.Lambda
	head, step *unit // head is nil where there is nothing to compute
	params     [][]float64
	names      []string // of the parameters
	at         []int    // where unknowns begin, of a system in vectors
	memory     []float64
	merit, one []float64
	x, f, j    []float64
}

// solver returns what solves the equations of a function.
func (m *machine) solver(fn *expr.Lambda) *solver {
	if s := m.solvers[fn]; s != nil {
		return s
	}
	name := m.pkg.Solvers[fn]
	f := m.pkg.Functions[name]
	if f == nil || len(f.Steps) == 0 {
		unsupported("a function that solves equations in %s", fn.Vars[0].Name)
	}
	s := &solver{fn: fn, merit: make([]float64, 1), one: make([]float64, 1), x: make([]float64, systemSize),
		f: make([]float64, systemSize), j: make([]float64, systemSize*systemSize)}
	m.solvers[fn] = s // before its programs, which may need others, never itself
	args := arguments{}
	for i, step := range f.Steps {
		u := m.compile(step, name, args)
		if s.step = u; i < len(f.Steps)-1 {
			s.head = u
		}
	}
	n := 0
	for _, v := range fn.Vars {
		s.at = append(s.at, n)
		n += m.size(v.Type.Dims[:v.Type.Rank])
	}
	s.at = append(s.at, n)
	for i := range fn.Params {
		s.params, s.names = append(s.params, make([]float64, 1)), append(s.names, fmt.Sprintf("p%d", i+1))
		s.set(s.names[i], s.params[i])
	}
	s.set("solver.Merit", s.merit)
	return s
}

func (s *solver) set(name string, values []float64) { s.step.set(name, values) }

// begin computes what comes first.
func (s *solver) begin() {
	if s.head != nil {
		s.head.run()
	}
}

// numbers solves for numbers, given numbers.
func (s *solver) numbers(values, to []float64) {
	for i, x := range values {
		s.params[i][0] = x
	}
	start, step, comp := s.step.start, s.step.b, s.step.comp
	if len(s.fn.Vars) == 1 {
		to[0] = s.scalar()
	} else {
		s.system(to)
	}
	s.step.start, s.step.b, s.step.comp = start, step, comp
}

func (s *solver) scalar() float64 {
	start, r := 0.0, s.fn.Vars[0].Facts.Range
	if s.fn.Start[0] == nil {
		start = nan
	} else {
		s.begin()
		start = s.head.numbers[s.head.named["start"]]
	}
	s.step.set("solver.X", s.one)
	value, slope := s.step.named["value"], s.step.named["slope"]
	search := solve.NewScalar(start, r.Lo, r.Hi)
	s.step.bindGiven()
	for search.Next() {
		s.one[0] = search.X
		run(s.step.body)
		search.Step(s.step.numbers[value], s.step.numbers[slope])
	}
	return search.X
}

func (s *solver) system(to []float64) {
	s.set("solver.X", s.x)
	s.set("solver.F", s.f)
	s.set("solver.J", s.j)
	search := solve.NewSystem(len(s.fn.Vars))
	s.begin()
	copy(search.X[:], s.x)
	s.step.bindGiven()
	for search.Next() {
		copy(s.x, search.X[:])
		run(s.step.body)
		copy(search.F[:], s.f)
		for i := range search.J {
			copy(search.J[i][:], s.j[i*systemSize:])
		}
		search.Merit = s.merit[0]
		search.Step()
	}
	copy(to, search.X[:len(to)])
}

// vectors solves for vectors and numbers, given arrays.
func (s *solver) vectors(args, to [][]float64) {
	for i, a := range args {
		s.set(s.names[i], a)
	}
	n := s.at[len(s.at)-1]
	var x []float64
	switch {
	case s.fn.OfNumber():
		x = []float64{s.scalar()}
	case s.fn.Merit != nil:
		x = s.convex(n)
	default:
		x = s.conjugate(n)
	}
	for i, values := range to {
		if values != nil {
			copy(values, x[s.at[i]:s.at[i+1]])
		}
	}
}

func (s *solver) convex(n int) []float64 {
	if s.memory == nil {
		s.memory = make([]float64, n*solve.ConvexVectors)
	}
	search := solve.NewConvex(s.memory)
	s.set("solver.X", search.X)
	s.set("solver.F", search.F)
	s.set("solver.D", search.D)
	s.begin()
	for search.Next() {
		s.set("solver.X", search.X)
		s.step.run()
		search.Merit = s.merit[0]
		search.Step()
	}
	return search.X
}

func (s *solver) conjugate(n int) []float64 {
	if s.memory == nil {
		s.memory = make([]float64, n*solve.ConjugateVectors)
	}
	search := solve.NewConjugate(s.memory)
	s.set("solver.R", search.R)
	s.set("solver.D", search.D)
	s.set("solver.P", search.P)
	s.set("solver.Q", search.Q)
	s.begin()
	for search.Next() {
		s.step.run()
		search.Step()
	}
	return search.X
}

// root compiles the solution of an equation in a formula.
func (c *compiler) root(a *program.Apply) operand {
	var args []operand
	for _, arg := range a.Args {
		args = append(args, c.formula(arg))
	}
	return c.calls(args, 1, c.machine.solver(a.Fn).numbers)[0]
}

// solved compiles the call of what gives numbers for numbers.
func (c *compiler) solved(s *program.Solve, f func(values, to []float64)) {
	var args []operand
	for _, a := range s.Args {
		args = append(args, c.formula(a.Value))
	}
	for i, o := range c.calls(args, len(s.To), f) {
		if s.To[i] != nil {
			c.keep(s.To[i], o)
		}
	}
}

// solve compiles a system of equations, or expectations.
func (c *compiler) solve(s *program.Solve) {
	switch {
	case s.Op == expr.Series:
		c.scan(s)
		return
	case s.Op == expr.Expectation:
		c.solved(s, c.machine.integral(s.Fn).numbers)
		return
	case !s.Fn.Shaped():
		c.solved(s, c.machine.solver(s.Fn).numbers)
		return
	}
	of := c.machine.solver(s.Fn)
	u := c.u
	args, to := make([][]float64, len(s.Args)), make([][]float64, len(s.To))
	var set []func()
	for i, a := range s.Args {
		if a.Value != nil {
			x, number := c.formula(a.Value), make([]float64, 1)
			args[i] = number
			set = append(set, func() { number[0] = u.numbers[x.reg] })
			continue
		}
		k := c.array(a.Place)
		set = append(set, func() { args[i] = u.arrays[k].memory })
	}
	var get []func()
	for i, p := range s.To {
		switch {
		case p == nil:
		case s.Fn.Vars[i].Type.Rank == 0:
			x, number := c.number(p), make([]float64, 1)
			to[i] = number
			get = append(get, func() { u.numbers[x.reg] = number[0] })
		default:
			k := c.array(p)
			set = append(set, func() { to[i] = u.arrays[k].memory })
		}
	}
	c.always(func() {
		for _, f := range set {
			f()
		}
		of.vectors(args, to)
		for _, f := range get {
			f()
		}
	})
}
