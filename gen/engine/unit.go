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

	numbers []float64   // registers
	arrays  [][]float64 // places of arrays
	lanes   [][]float64 // registers of loops: of every row or entry one number
	buffers [][]float64 // their memory
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
			u.arrays[b.array] = memory
		case b.to <= len(memory):
			u.arrays[b.array] = memory[b.from:b.to]
		default:
			u.arrays[b.array] = nil // of a function that is not called with it
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

// op is what an instruction does.
type op uint8

// The operations. Those of two numbers have forms in which the second, the first or both are entries of arrays.
const (
	opMove op = iota
	opAdd
	opAddRM
	opAddMR
	opAddMM
	opSub
	opSubRM
	opSubMR
	opSubMM
	opMul
	opMulRM
	opMulMR
	opMulMM
	opDiv
	opDivRM
	opDivMR
	opDivMM
	opNeg
	opSqrt
	opUnary
	opBinary
	opLoad // an entry of an array; those up to here compute one number
	opCall
	opLoadComp  // that of the component
	opLoadFree  // that of the component, 0 of the last
	opLoadEntry // that of the entry of an array of random numbers, or of a draw
	opLoadRow   // that of the row which the function is of
	opComponent // its number
	opLast      // 1 for the last component
	opSlice     // the part of an array that is the component's
	opStoreComp
	opStoreFree
	opStoreEntry
	opGather   // entries that numbers name
	opGuard    // ends the program where a number is outside a range
	opFinite   // where it is not finite
	opPositive // where it is not finite and above 0
	opReturn
)

// instruction computes a number. Operands are registers, or arrays with the places of entries; what comes out goes to a register, or where
// dst is negative to an entry of array ^dst.
type instruction struct {
	op                    op
	dst, di, a, ai, b, bi int32
	call                  *call
}

// call is what is called: a function of one or two numbers, or what has operands and results of its own.
type call struct {
	unary    func(float64) float64
	binary   func(x, y float64) float64
	args, to []int32
	values   []float64 // of the operands
	f        func(values []float64, to []float64)
	results  []float64
	interval expr.Range
}

// exec runs instructions.
func (u *unit) exec(code []instruction) status {
	r, m := u.numbers, u.arrays
	for i := range code {
		in := &code[i]
		x := 0.0
		switch in.op {
		case opMove:
			x = r[in.a]
		case opAdd:
			x = r[in.a] + r[in.b]
		case opAddRM:
			x = r[in.a] + m[in.b][in.bi]
		case opAddMR:
			x = m[in.a][in.ai] + r[in.b]
		case opAddMM:
			x = m[in.a][in.ai] + m[in.b][in.bi]
		case opSub:
			x = r[in.a] - r[in.b]
		case opSubRM:
			x = r[in.a] - m[in.b][in.bi]
		case opSubMR:
			x = m[in.a][in.ai] - r[in.b]
		case opSubMM:
			x = m[in.a][in.ai] - m[in.b][in.bi]
		case opMul:
			x = r[in.a] * r[in.b]
		case opMulRM:
			x = r[in.a] * m[in.b][in.bi]
		case opMulMR:
			x = m[in.a][in.ai] * r[in.b]
		case opMulMM:
			x = m[in.a][in.ai] * m[in.b][in.bi]
		case opDiv:
			x = r[in.a] / r[in.b]
		case opDivRM:
			x = r[in.a] / m[in.b][in.bi]
		case opDivMR:
			x = m[in.a][in.ai] / r[in.b]
		case opDivMM:
			x = m[in.a][in.ai] / m[in.b][in.bi]
		case opNeg:
			x = -r[in.a]
		case opSqrt:
			x = math.Sqrt(r[in.a])
		case opUnary:
			x = in.call.unary(r[in.a])
		case opBinary:
			x = in.call.binary(r[in.a], r[in.b])
		case opLoad:
			x = m[in.a][in.ai]
		case opCall:
			in.call.run(r)
			continue
		case opFinite:
			if math.Abs(r[in.a]) <= math.MaxFloat64 {
				continue
			}
			u.condition = int(in.b)
			return violated
		case opPositive:
			if y := r[in.a]; y > 0 && y <= math.MaxFloat64 {
				continue
			}
			u.condition = int(in.b)
			return violated
		case opGuard:
			if inside(r[in.a], in.call.interval) {
				continue
			}
			u.condition = int(in.b)
			return violated
		case opReturn:
			u.value = r[in.a]
			return returned
		default:
			u.ofComponent(in)
			continue
		}
		if in.dst >= 0 {
			r[in.dst] = x
		} else {
			m[^in.dst][in.di] = x
		}
	}
	return goesOn
}

// ofComponent runs an instruction that depends on the component in whose loop one is, or on another index.
func (u *unit) ofComponent(in *instruction) {
	r, comp := u.numbers, u.comp
	switch in.op {
	case opLoadComp:
		r[in.dst] = u.arrays[in.a][int(in.ai)+comp*int(in.bi)]
	case opLoadFree:
		if r[in.dst] = 0; comp < u.components()-1 {
			r[in.dst] = u.arrays[in.a][int(in.ai)+comp]
		}
	case opLoadEntry:
		r[in.dst] = u.arrays[in.a][int(in.ai)+u.entry]
	case opLoadRow:
		r[in.dst] = u.arrays[in.a][u.row]
	case opComponent:
		r[in.dst] = float64(comp)
	case opLast:
		if r[in.dst] = 0; comp == u.components()-1 {
			r[in.dst] = 1
		}
	case opSlice:
		u.arrays[in.dst] = u.arrays[in.a][int(in.ai)+comp*int(in.bi) : int(in.ai)+(comp+1)*int(in.bi)]
	case opStoreComp:
		u.arrays[in.dst][int(in.bi)+comp*int(in.ai)] = r[in.a]
	case opStoreFree:
		if comp < u.components()-1 {
			u.arrays[in.dst][int(in.bi)+comp] = r[in.a]
		}
	case opStoreEntry:
		u.arrays[in.dst][int(in.bi)+u.entry] = r[in.a]
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
