// Package interpret runs programs: slowly, obviously, with the reference implementations of kernels. It is what planning and
// emission are tested against, between the interpreter of expressions and compiled Go.
package interpret

import (
	"fmt"
	"math"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/program"
)

// Memory is what a program is given.
type Memory struct {
	Dims map[string]int // lengths of dimensions with names
	// Slices are arguments and fields by their names, as "z" and "p.n": a number is a slice of length 1.
	Slices map[string][]float64
	Draws  int // of each component, or in all

	Observations, Weights []float64            // of the rows
	Columns               map[string][]float64 // of the rows, by the names of fields
	Block                 int                  // rows of a block at most; 0 is all
	Ranges                int                  // of passes that are cut into some, at most as many as there are blocks; 0 is 1
	Row, Entry            int                  // the row, and the entry, that are arguments

	// Solve solves a system of equations, or computes expectations, for values of its parameters.
	Solve func(op *expr.Op, fn *expr.Lambda, args [][]float64) ([][]float64, error)
	// Evaluate evaluates the model of a variational objective at all draws.
	Evaluate func(program.Evaluate)
}

// Result is how a program ended.
type Result struct {
	Returned float64
	// Violated is the index of the condition that did not hold, -1 if all did; Indefinite is true where the program ended at a
	// matrix that is not positive definite, with or without a condition.
	Violated   int
	Indefinite bool
	// Variables are the numbers that the program has computed under names of their own, in the end.
	Variables map[string]float64
	// Flops is what the kernels have taken.
	Flops float64
}

// Run runs a program.
func Run(p *program.Program, m *Memory) (result Result, err error) {
	r := &runner{program: p, Memory: m, cells: map[*program.Place][]float64{}, prepared: map[preparedOwn]float64{}, result: Result{Violated: -1, Returned: math.NaN()}}
	defer func() {
		if f, ok := recover().(fault); ok {
			err = f
		} else if e := recover(); e != nil {
			panic(e)
		}
	}()
	r.to = len(m.Weights)
	r.statements(p.Body)
	r.result.Variables = map[string]float64{}
	for place, values := range r.cells {
		if place.Shape.Number() && len(values) == 1 {
			r.result.Variables[place.Name] = values[0]
		}
	}
	return r.result, nil
}

// fault is a mistake in a program, or something that it is not given.
type fault string

func (f fault) Error() string { return string(f) }

func fail(format string, args ...any) { panic(fault(fmt.Sprintf(format, args...))) }

type runner struct {
	*Memory
	program *program.Program
	cells   map[*program.Place][]float64
	result  Result
	ended   bool

	i, j, here, component int
	start, b              int                  // of the block
	from, to              int                  // of the range of rows
	instead               map[string][]float64 // of arrays that are given, those of the range
	own                   int                  // component of the rows of the block
	blockSums             map[*program.Place]float64
	prepared              map[preparedOwn]float64
}

// statements runs statements until the program ends.
func (r *runner) statements(stmts []program.Stmt) {
	for _, s := range stmts {
		if r.ended {
			return
		}
		r.statement(s)
	}
}

func (r *runner) statement(s program.Stmt) {
	switch s := s.(type) {
	case *program.Bind:
		r.bind(s)
	case *program.Let:
		r.set(s.To, r.value(s.Value))
	case *program.Joint:
		r.joint(s)
	case *program.Solve:
		r.solve(s)
	case *program.Guard:
		if x := r.value(s.Value); !inside(x, s.Range) {
			r.result.Violated, r.ended = s.Index, true
		}
	case *program.Store:
		r.store(s)
	case *program.Return:
		r.result.Returned, r.ended = r.value(s.Value), true
	case *program.Buffer:
		r.buffer(s)
	case *program.Prepare:
		r.prepare(s)
	case *program.Call:
		r.call(s)
	case *program.Each:
		r.each(s)
	case *program.Rows:
		r.rows(s)
	case *program.Blocks:
		r.blocks(s)
	case *program.EachRow:
		r.over(&r.here, r.b, func() { r.statements(s.Body) })
	case *program.Components:
		r.components(s)
	case *program.Evaluate:
		if r.Evaluate == nil {
			fail("there is no model to evaluate")
		}
		r.Memory.Evaluate(*s)
	case *program.Attained:
		attained := 0.0
		if float64(r.start+r.i) == r.number(s.Index) {
			attained = 1
		}
		r.set(s.To, attained)
	case *program.Zero:
		r.set(s.To, 0)
	case *program.Add:
		r.set(s.To, r.number(s.To)+r.value(s.Value))
	case *program.Perform:
		r.perform(s)
	default:
		fail("a statement of type %T", s)
	}
}

// inside reports whether a number is in a range, as generated code tests it: an unbounded range has finite numbers only.
func inside(x float64, r expr.Range) bool {
	switch {
	case math.IsNaN(x) || math.IsInf(x, 0) && (math.IsInf(r.Lo, -1) || math.IsInf(r.Hi, 1)):
		return false
	case x < r.Lo || r.LoOpen && x == r.Lo:
		return false
	}
	return x < r.Hi || !r.HiOpen && x == r.Hi
}

func (r *runner) set(p *program.Place, x float64) { r.cells[p] = []float64{x} }

func (r *runner) number(p *program.Place) float64 {
	values := r.array(p)
	if len(values) != 1 {
		fail("%s is no number", p.Name)
	}
	return values[0]
}

// array is the memory of a place.
func (r *runner) array(p *program.Place) []float64 {
	switch {
	case p.Given != nil:
		return r.given(p.Given)
	case p == program.Weights:
		return r.Weights[r.start : r.start+r.b]
	}
	values, ok := r.cells[p]
	if !ok {
		fail("%s is not known", p.Name)
	}
	return values
}

// length is that of a dimension.
func (r *runner) length(d expr.Dim) int {
	if d.Name == "" {
		return d.Size
	}
	n, ok := r.Dims[d.Name]
	if !ok {
		fail("the length %s is not known", d.Name)
	}
	return n
}

func (r *runner) lengths(dims []expr.Dim) int {
	n := 1
	for _, d := range dims {
		n *= r.length(d)
	}
	return n
}

// size is how many numbers an array has: of a component alone where that is asked for.
func (r *runner) size(s program.Shape, one bool) int {
	n := r.lengths(s.Dims)
	if s.Block {
		n *= r.b
	}
	if s.Stacked && !one {
		n *= r.length(r.program.Components)
	}
	return n
}

func (r *runner) bind(s *program.Bind) {
	if s.From != nil {
		values := r.given(s.From)
		if s.To.Shape.Number() {
			values = []float64{values[0]}
		}
		r.cells[s.To] = values
		return
	}
	n, at := r.size(s.Own.Shape, true), r.component
	if s.OfRow() {
		if n, at = r.lengths(s.Own.Shape.Dims), r.here; s.Own.Given != nil { // of all rows
			at += r.start
		}
	}
	values := r.array(s.Own)[at*n : (at+1)*n]
	if s.To.Shape.Number() {
		values = []float64{values[0]}
	}
	r.cells[s.To] = values
}

func (r *runner) store(s *program.Store) {
	if s.Free && r.component == r.length(r.program.Components)-1 {
		return
	}
	*r.entry(s.To) = r.value(s.Value)
}

// buffer takes memory. What it held is gone: numbers that nobody has written are NaN.
func (r *runner) buffer(s *program.Buffer) {
	values := make([]float64, r.size(s.To.Shape, false))
	for i := range values {
		values[i] = math.NaN()
	}
	r.cells[s.To] = values
}

// prepare keeps the operand that functions are prepared for, of every component its own.
func (r *runner) prepare(s *program.Prepare) {
	if !s.View {
		r.prepared[preparedOwn{s.To, r.component}] = r.value(s.Operand)
	}
	x, ok := r.prepared[preparedOwn{s.To, r.component}]
	if !ok {
		fail("%s has not been prepared", s.To.Name)
	}
	r.set(s.To, x)
}

// preparedOwn is what has been prepared for a component.
type preparedOwn struct {
	place     *program.Place
	component int
}

func (r *runner) joint(s *program.Joint) {
	args := r.values(s.Value)
	for i, to := range s.To {
		op, ok := expr.FunctionNamed(s.Joint.Ops[i])
		if !ok {
			fail("there is no function %s", s.Joint.Ops[i])
		}
		r.set(to, op.Eval(args))
	}
}

func (r *runner) solve(s *program.Solve) {
	if r.Solve == nil {
		fail("nothing solves equations")
	}
	args := make([][]float64, len(s.Args))
	for i, a := range s.Args {
		if a.Value != nil {
			args[i] = []float64{r.value(a.Value)}
		} else {
			args[i] = r.array(a.Place)
		}
	}
	out, err := r.Memory.Solve(s.Op, s.Fn, args)
	if err != nil {
		fail("%v", err)
	}
	for i, to := range s.To {
		switch {
		case to == nil:
		case len(to.Shape.Dims) > 0:
			copy(r.array(to), out[i])
		default:
			r.set(to, out[i][0])
		}
	}
}

func (r *runner) call(s *program.Call) {
	k := program.Kernels()[s.Kernel]
	if k == nil {
		fail("there is no kernel %s", s.Kernel)
	}
	a := &program.Activation{Arrays: map[string][]float64{}, Lengths: map[string]int{}, Numbers: map[string]float64{}}
	for i, p := range k.Params {
		switch o := s.Args[i]; {
		case p.Length && o.Block:
			a.Lengths[p.Name] = r.b
		case p.Length:
			a.Lengths[p.Name] = r.length(o.Dim)
		case o.Value != nil:
			a.Numbers[p.Name] = r.value(o.Value)
		case p.Number:
			a.Numbers[p.Name] = float64(o.Dim.Size)
		case p.Prepared != "":
			a.Numbers[p.Name] = r.number(o.Place)
		case o.Place.OfRows():
			n := r.lengths(o.Place.Shape.Dims)
			a.Arrays[p.Name] = r.array(o.Place)[r.start*n : (r.start+r.b)*n]
		default:
			a.Arrays[p.Name] = r.array(o.Place)
		}
	}
	returned := k.Reference(a)
	r.result.Flops += a.Flops
	if s.To != nil {
		r.set(s.To, returned)
	}
	if a.Indefinite {
		r.result.Indefinite, r.result.Violated, r.ended = true, s.Guard, true
	}
}
