package engine

import (
	"math"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/methods"
	"github.com/sngdgen/sngdgen/runtime/support"
)

// status is how a statement has ended: whether the program goes on.
type status int

const (
	goesOn status = iota
	returned
	violated // a condition does not hold
	indefinite
)

var nan = math.NaN()

// unit is a program, compiled for the lengths of a model.
type unit struct {
	*machine
	owner string // of its memory, where that is its own
	step  methods.Step
	body  []func() status

	numbers []float64 // registers
	arrays  []array
	code    []*basicBlock // of the body, until it is linked
	last    int           // component
	lanes   [][]float64   // registers of loops: of every row or entry one number
	buffers [][]float64   // their memory
	args    arguments
	given   []binding
	named   map[string]int32 // registers of numbers by the name of the place

	passes   []*ranged // that are cut into ranges
	prepares []preparation

	value     float64 // that is returned
	condition int     // that does not hold
}

// arguments are those of a function, which its programs share.
type arguments map[string]*[]float64

func (a arguments) named(name string) *[]float64 {
	f := a[name]
	if f == nil {
		f = new([]float64)
		a[name] = f
	}
	return f
}

// set gives the function of the program an argument.
func (u *unit) set(name string, values []float64) *unit {
	*u.args.named(name) = values
	return u
}

// binding is memory that a program is given: what an array stands for while it runs.
type binding struct {
	array    int32
	memory   *[]float64
	from, to int // to is -1 for all of it
}

// run runs the program.
func (u *unit) run() status {
	u.bindGiven()
	u.value = nan
	return run(u.body)
}

// bindGiven makes the memory that the program is given known.
func (u *unit) bindGiven() {
	for i := range u.given {
		b := &u.given[i]
		switch memory := *b.memory; {
		case b.to < 0:
			u.arrays[b.array].set(memory)
		case b.to <= len(memory):
			u.arrays[b.array].set(memory[b.from:b.to])
		default:
			u.arrays[b.array].set(nil) // of a function that is not called with it
		}
	}
}

func run(body []func() status) status {
	for _, s := range body {
		if st := s(); st != goesOn {
			return st
		}
	}
	return goesOn
}

// rowWeights are weights of rows: those of the model, or as many as there are rows in a list.
type rowWeights struct {
	own  *support.Weights
	list *[]float64
}

func (w rowWeights) count() int {
	if w.list == nil {
		return w.own.Len()
	}
	return len(*w.list)
}

// of are the weights of a block.
func (w rowWeights) of(from, to int) []float64 {
	if w.list == nil {
		return w.own.Of(from, to)
	}
	return (*w.list)[from:to]
}

// given are all weights, nil where all are 1.
func (w rowWeights) given() []float64 {
	if w.list == nil {
		return w.own.Given()
	}
	return *w.list
}

// weights are those of the rows that the program goes over.
func (u *unit) weights() rowWeights {
	switch u.step.Rows {
	case methods.GivenRows:
		return rowWeights{list: u.argument("ws")}
	case methods.DrawRows:
		return rowWeights{list: u.field("drawWeights")}
	case methods.PredictorRows:
		return rowWeights{list: u.argument("xs")}
	}
	return rowWeights{own: u.machine.w}
}

// column is a column of the rows, the observations where there is no name.
func (u *unit) column(name string) *[]float64 {
	switch {
	case u.step.Rows == methods.PredictorRows:
		return u.argument(name)
	case name == "" && u.step.Rows == methods.GivenRows:
		return u.argument("xs")
	case name == "":
		return u.field("x")
	}
	return u.field(name)
}

func (u *unit) argument(name string) *[]float64 { return u.args.named(name) }

// positive is the numbers above 0.
var positive = expr.Range{Hi: math.Inf(1), LoOpen: true, HiOpen: true}

// inside reports whether a number is in a range: one without an end has finite numbers only, as in generated code.
func inside(x float64, r expr.Range) bool {
	switch {
	case r == expr.Real:
		return math.Abs(x) <= math.MaxFloat64
	case math.IsInf(r.Lo, -1):
	case r.LoOpen && !(x > r.Lo), !r.LoOpen && !(x >= r.Lo):
		return false
	}
	switch {
	case math.IsInf(r.Hi, 1):
		return x <= math.MaxFloat64
	case r.HiOpen:
		return x < r.Hi
	}
	return x <= r.Hi
}
