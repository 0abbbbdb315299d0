package engine

import (
	"math"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/emit"
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
	step  emit.Step
	body  []func() status

	numbers []float64   // registers
	arrays  [][]float64 // places of arrays
	lanes   [][]float64 // registers of loops: of every row or entry one number
	buffers [][]float64 // their memory
	args    arguments
	fields  []*[]float64
	named   map[string]int32 // registers of numbers by the name of the place

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

// run runs the program.
func (u *unit) run() status {
	u.value = nan
	return run(u.body)
}

func run(body []func() status) status {
	for _, s := range body {
		if st := s(); st != goesOn {
			return st
		}
	}
	return goesOn
}

// weights are those of the rows that the program goes over.
func (u *unit) weights() *[]float64 {
	switch u.step.Rows {
	case emit.GivenRows:
		return u.argument("ws")
	case emit.DrawRows:
		return u.field("drawWeights")
	case emit.PredictorRows:
		return u.argument("xs")
	}
	return u.field("w")
}

// column is a column of the rows, the observations where there is no name.
func (u *unit) column(name string) *[]float64 {
	switch {
	case u.step.Rows == emit.PredictorRows:
		return u.argument(name)
	case name == "" && u.step.Rows == emit.GivenRows:
		return u.argument("xs")
	case name == "":
		return u.field("x")
	}
	return u.field(name)
}

func (u *unit) argument(name string) *[]float64 { return u.args.named(name) }

// op is what an instruction does.
type op uint8

const (
	opMove op = iota
	opAdd
	opSub
	opMul
	opDiv
	opNeg
	opSqrt
	opUnary
	opBinary
	opCall
	opLoad      // an entry of an array
	opLoadComp  // that of the component
	opLoadField // a number that is given
	opLoadOwn   // that of the component; of what is free 0 of the last
	opLoadEntry // that of the entry of an array of random numbers, or of a draw
	opLoadRow   // that of the row which the function is of
	opComponent // its number
	opLast      // 1 for the last component
	opStore
	opStoreComp
	opStoreField
	opStoreOwn
	opStoreEntry
	opGather // entries that numbers name
	opGuard
	opReturn
)

// instruction computes a number.
type instruction struct {
	op        op
	dst, a, b int32
	unary     func(float64) float64
	binary    func(x, y float64) float64
	call      *call
}

// call is what has operands and results of its own.
type call struct {
	args, to []int32
	values   []float64 // of the operands
	f        func(values []float64, to []float64)
	results  []float64
	interval expr.Range
}

// exec runs instructions.
func (u *unit) exec(code []instruction) status {
	r := u.numbers
	for i := range code {
		in := &code[i]
		switch in.op {
		case opMove:
			r[in.dst] = r[in.a]
		case opAdd:
			r[in.dst] = r[in.a] + r[in.b]
		case opSub:
			r[in.dst] = r[in.a] - r[in.b]
		case opMul:
			r[in.dst] = r[in.a] * r[in.b]
		case opDiv:
			r[in.dst] = r[in.a] / r[in.b]
		case opNeg:
			r[in.dst] = -r[in.a]
		case opSqrt:
			r[in.dst] = math.Sqrt(r[in.a])
		case opUnary:
			r[in.dst] = in.unary(r[in.a])
		case opBinary:
			r[in.dst] = in.binary(r[in.a], r[in.b])
		case opCall:
			in.call.run(r)
		case opLoad:
			r[in.dst] = u.arrays[in.a][in.b]
		case opLoadField:
			r[in.dst] = (*u.fields[in.a])[in.b]
		case opStoreField:
			(*u.fields[in.dst])[in.b] = r[in.a]
		case opStore:
			u.arrays[in.dst][in.b] = r[in.a]
		case opGuard:
			if !inside(r[in.a], in.call.interval) {
				u.condition = int(in.b)
				return violated
			}
		case opReturn:
			u.value = r[in.a]
			return returned
		default:
			u.ofComponent(in)
		}
	}
	return goesOn
}

// ofComponent runs an instruction that depends on the component in whose loop one is.
func (u *unit) ofComponent(in *instruction) {
	r, comp := u.numbers, u.comp
	switch in.op {
	case opLoadComp:
		r[in.dst] = u.arrays[in.a][comp]
	case opStoreComp:
		u.arrays[in.dst][comp] = r[in.a]
	case opLoadOwn:
		if r[in.dst] = 0; in.call == nil || comp < u.components()-1 {
			r[in.dst] = (*u.fields[in.a])[int(in.b)+comp]
		}
	case opStoreOwn:
		if in.call == nil || comp < u.components()-1 {
			(*u.fields[in.dst])[int(in.b)+comp] = r[in.a]
		}
	case opLoadEntry:
		r[in.dst] = (*u.fields[in.a])[int(in.b)+u.entry]
	case opLoadRow:
		r[in.dst] = (*u.fields[in.a])[u.row]
	case opStoreEntry:
		(*u.fields[in.dst])[int(in.b)+u.entry] = r[in.a]
	case opComponent:
		r[in.dst] = float64(comp)
	case opLast:
		if r[in.dst] = 0; comp == u.components()-1 {
			r[in.dst] = 1
		}
	}
}

func (c *call) run(r []float64) {
	for k, a := range c.args {
		if a >= 0 {
			c.values[k] = r[a]
		}
	}
	c.f(c.values, c.results)
	for k, to := range c.to {
		if to >= 0 {
			r[to] = c.results[k]
		}
	}
}

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
