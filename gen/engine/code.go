package engine

import (
	"math"

	"github.com/sngdgen/sngdgen/expr"
)

// op is what an instruction does.
type op uint8

// The operations. Those before opCall compute one number of others, and do nothing else.
const (
	opMove op = iota
	opAdd
	opSub
	opMul
	opDiv
	// Superinstructions: two operations in one, whose first result nobody else needs. Of (a+b) + c, (a+b) - c, c - (a+b), (a+b) * c, (a+b) / c and c / (a+b), and
	// so of the other operations, in this order.
	opAddPlus
	opAddMinus
	opAddFrom
	opAddTimes
	opAddOver
	opAddUnder
	opSubPlus
	opSubMinus
	opSubFrom
	opSubTimes
	opSubOver
	opSubUnder
	opMulPlus
	opMulMinus
	opMulFrom
	opMulTimes
	opMulOver
	opMulUnder
	opDivPlus
	opDivMinus
	opDivFrom
	opDivTimes
	opDivOver
	opDivUnder
	opNeg
	opSqrt
	opUnary
	opBinary
	opWhere     // of a loop: special.Where of two registers
	opLoad      // of a loop: entries of an array
	opLoadComp  // an entry that belongs to the component
	opLoadFree  // that of the component, 0 of the last
	opLoadEntry // that of the entry of an array of random numbers, or of a draw
	opLoadRow   // that of the row which the function is of
	opComponent // its number
	opLast      // 1 for the last component
	opCall
	opSlice // the part of an array that is the component's
	opStoreComp
	opStoreFree
	opStoreEntry
	opGather   // of a loop: entries that numbers name
	opGuard    // ends the program where a number is outside a range
	opFinite   // where it is not finite
	opPositive // where it is not finite and above 0
	opReturn
)

// location is where a number is: in a register, or in an array.
type location struct {
	array int32 // one more than its number; 0 is the registers
	at    int32
}

func number(register int32) location       { return location{0, register} }
func inArray(array int32, at int) location { return location{array + 1, int32(at)} }
func (o operand) at() location             { return number(o.reg) }

// instruction computes a number of up to three.
type instruction struct {
	op           op
	dst, a, b, c location
	call         *call
	part         *part
}

// part is where numbers lie whose place depends on the component, or on another index, and the array that their part becomes.
type part struct {
	array, to    int32
	from, stride int
}

// call is what is called: a function of one or two numbers, or what has operands and results of its own; or a condition.
type call struct {
	unary     func(float64) float64
	binary    func(x, y float64) float64
	args, to  []int32
	values    []float64 // of the operands
	f         func(values []float64, to []float64)
	results   []float64
	interval  expr.Range
	condition int
}

// basicBlock is instructions that are run one after the other: as they are compiled, and with pointers to their numbers.
type basicBlock struct {
	from []instruction
	code []linked
}

// linked is an instruction that knows where its numbers are.
type linked struct {
	op           op
	dst, a, b, c *float64
	call         *call
	part         *part
}

// array is what the place of an array stands for while the program runs, and who points to it: this changes when the memory does,
// which most arrays have from the first run on.
type array struct {
	memory  []float64
	numbers []pointer
	slices  []*[]float64
}

// pointer is what points to an entry.
type pointer struct {
	to **float64
	at int32
}

// set makes an array stand for memory.
func (a *array) set(memory []float64) {
	if len(memory) == len(a.memory) && (len(memory) == 0 || &memory[0] == &a.memory[0]) {
		return
	}
	a.memory = memory
	a.link()
}

// link makes all who point to an array point to its memory. Nothing is at places beyond its end.
func (a *array) link() {
	for _, p := range a.numbers {
		if int(p.at) < len(a.memory) {
			*p.to = &a.memory[p.at]
		} else {
			*p.to = nil
		}
	}
	for _, s := range a.slices {
		*s = a.memory
	}
}

// made is the program when all of it has been compiled.
func (c *compiler) made(body []func() status) *unit {
	u := c.u
	u.body, u.last = body, c.components()-1
	u.link()
	return u
}

// link gives all instructions pointers to their numbers, when no registers and no arrays are added any more.
func (u *unit) link() {
	for _, b := range u.code {
		b.code = make([]linked, len(b.from))
		for i, in := range b.from {
			to := &b.code[i]
			*to = linked{op: in.op, call: in.call, part: in.part}
			u.point(&to.dst, in.dst)
			u.point(&to.a, in.a)
			u.point(&to.b, in.b)
			u.point(&to.c, in.c)
		}
	}
	u.code = nil
	for k := range u.arrays {
		u.arrays[k].link()
	}
}

// point makes a pointer follow a number.
func (u *unit) point(to **float64, l location) {
	switch {
	case l.array > 0:
		a := &u.arrays[l.array-1]
		a.numbers = append(a.numbers, pointer{to, l.at})
	case int(l.at) < len(u.numbers):
		*to = &u.numbers[l.at]
	}
}

// farthest is how many instructions a number that is computed for one of them may lie in front of it for the two to become one.
const farthest = 64

// folded is code in which operands are read from memory by who needs them, and two operations are one where nobody else needs the first result.
func (c *compiler) folded(code []instruction) []instruction {
	gone := make([]bool, len(code))
	for i := range code {
		switch in := &code[i]; {
		case in.dst.array > 0 || c.kept[in.dst.at]:
		case in.op == opMove && in.a.array > 0:
			gone[i] = foldLoad(in, code[i+1:min(i+1+farthest, len(code))])
		case in.op >= opAdd && in.op <= opDiv:
			gone[i] = fold(in, code[i+1:min(i+1+farthest, len(code))])
		}
	}
	out := code[:0]
	for i, in := range code {
		if !gone[i] {
			out = append(out, in)
		}
	}
	return out
}

// foldLoad lets the instruction that needs a number from memory read it there, if no other one may write to memory before.
func foldLoad(load *instruction, rest []instruction) bool {
	for j := range rest {
		in := &rest[j]
		if in.reads(load.dst) {
			for _, p := range []*location{&in.a, &in.b, &in.c} {
				if *p == load.dst {
					*p = load.a
				}
			}
			return true
		}
		if in.op >= opCall && in.op <= opStoreEntry || in.dst.array > 0 {
			return false
		}
	}
	return false
}

// pairs is the number of ways in which an operation needs what another one has computed.
const pairs = opSubPlus - opAddPlus

// fold lets the instruction that needs a result compute it too, if the operands are the same there.
func fold(first *instruction, rest []instruction) bool {
	for j := range rest {
		in := &rest[j]
		if in.reads(first.dst) {
			form, ok := in.form(first.dst)
			if !ok {
				return false
			}
			if form.first {
				in.c = in.b
			} else {
				in.c = in.a
			}
			in.op, in.a, in.b = opAddPlus+pairs*(first.op-opAdd)+form.op, first.a, first.b
			return true
		}
		inMemory := first.a.array > 0 || first.b.array > 0
		switch {
		case in.op >= opCall && in.op <= opStoreEntry,
			inMemory && in.dst.array > 0, in.dst == first.a, in.dst == first.b:
			return false
		}
	}
	return false
}

// form is how an operation of two numbers needs one of them, the first or the second.
type form struct {
	op    op
	first bool
}

// form is how an instruction needs a number; false where it does so in none of the ways that there are.
func (in *instruction) form(of location) (f form, ok bool) {
	if in.op < opAdd || in.op > opDiv || in.a == in.b {
		return f, false
	}
	f.first = in.a == of
	switch {
	case in.op == opAdd:
		f.op = 0
	case in.op == opSub && f.first:
		f.op = 1
	case in.op == opSub:
		f.op = 2
	case in.op == opMul:
		f.op = 3
	case f.first:
		f.op = 4
	default:
		f.op = 5
	}
	return f, true
}

// reads reports whether an instruction needs a number in a register.
func (in *instruction) reads(l location) bool {
	if in.op >= opAddPlus && in.op <= opDivUnder {
		return in.a == l || in.b == l || in.c == l
	}
	switch in.op {
	case opAdd, opSub, opMul, opDiv, opBinary:
		return in.a == l || in.b == l
	case opMove, opNeg, opSqrt, opUnary, opStoreComp, opStoreFree, opStoreEntry, opGuard, opFinite, opPositive, opReturn:
		return in.a == l
	}
	return false
}

// exec runs instructions.
func (u *unit) exec(code []linked) status {
	for {
		if code = code[straight(code, u.arrays, u.comp):]; len(code) == 0 {
			return goesOn
		}
		if st := u.special(&code[0]); st != goesOn {
			return st
		}
		code = code[1:]
	}
}

// straight runs instructions up to the first that does more than arithmetic, and returns where that is. It calls nothing, which halves the time
// that an instruction takes.
func straight(code []linked, arrays []array, comp int) int {
	for i := range code {
		in := &code[i]
		switch in.op {
		case opMove:
			*in.dst = *in.a
		case opAdd:
			*in.dst = *in.a + *in.b
		case opSub:
			*in.dst = *in.a - *in.b
		case opMul:
			*in.dst = *in.a * *in.b
		case opDiv:
			*in.dst = *in.a / *in.b
		case opAddPlus:
			*in.dst = (*in.a + *in.b) + *in.c
		case opAddMinus:
			*in.dst = (*in.a + *in.b) - *in.c
		case opAddFrom:
			*in.dst = *in.c - (*in.a + *in.b)
		case opAddTimes:
			*in.dst = (*in.a + *in.b) * *in.c
		case opAddOver:
			*in.dst = (*in.a + *in.b) / *in.c
		case opAddUnder:
			*in.dst = *in.c / (*in.a + *in.b)
		case opSubPlus:
			*in.dst = (*in.a - *in.b) + *in.c
		case opSubMinus:
			*in.dst = (*in.a - *in.b) - *in.c
		case opSubFrom:
			*in.dst = *in.c - (*in.a - *in.b)
		case opSubTimes:
			*in.dst = (*in.a - *in.b) * *in.c
		case opSubOver:
			*in.dst = (*in.a - *in.b) / *in.c
		case opSubUnder:
			*in.dst = *in.c / (*in.a - *in.b)
		case opMulPlus:
			*in.dst = float64(*in.a**in.b) + *in.c
		case opMulMinus:
			*in.dst = float64(*in.a**in.b) - *in.c
		case opMulFrom:
			*in.dst = *in.c - float64(*in.a**in.b)
		case opMulTimes:
			*in.dst = float64(*in.a**in.b) * *in.c
		case opMulOver:
			*in.dst = float64(*in.a**in.b) / *in.c
		case opMulUnder:
			*in.dst = *in.c / float64(*in.a**in.b)
		case opDivPlus:
			*in.dst = (*in.a / *in.b) + *in.c
		case opDivMinus:
			*in.dst = (*in.a / *in.b) - *in.c
		case opDivFrom:
			*in.dst = *in.c - (*in.a / *in.b)
		case opDivTimes:
			*in.dst = (*in.a / *in.b) * *in.c
		case opDivOver:
			*in.dst = (*in.a / *in.b) / *in.c
		case opDivUnder:
			*in.dst = *in.c / (*in.a / *in.b)
		case opNeg:
			*in.dst = -*in.a
		case opSqrt:
			*in.dst = math.Sqrt(*in.a)
		case opLoadComp:
			*in.dst = arrays[in.part.array].memory[in.part.from+comp*in.part.stride]
		case opStoreComp:
			arrays[in.part.array].memory[in.part.from+comp*in.part.stride] = *in.a
		case opFinite:
			if !(math.Abs(*in.a) <= math.MaxFloat64) {
				return i
			}
		case opPositive:
			if x := *in.a; !(x > 0 && x <= math.MaxFloat64) {
				return i
			}
		default:
			return i
		}
	}
	return len(code)
}

// special runs an instruction that does more than arithmetic.
func (u *unit) special(in *linked) status {
	switch in.op {
	case opUnary:
		*in.dst = in.call.unary(*in.a)
	case opBinary:
		*in.dst = in.call.binary(*in.a, *in.b)
	case opCall:
		in.call.run(u.numbers)
	case opGuard, opFinite, opPositive:
		if inside(*in.a, in.call.interval) {
			return goesOn
		}
		u.condition = in.call.condition
		return violated
	case opReturn:
		u.value = *in.a
		return returned
	default:
		u.ofIndex(in)
	}
	return goesOn
}

// ofIndex runs an instruction that depends on the component in whose loop one is, or on another index.
func (u *unit) ofIndex(in *linked) {
	comp := u.comp
	switch in.op {
	case opComponent:
		*in.dst = float64(comp)
		return
	case opLast:
		if *in.dst = 0; comp == u.last {
			*in.dst = 1
		}
		return
	}
	p := in.part
	from := u.arrays[p.array].memory
	switch in.op {
	case opLoadFree:
		if *in.dst = 0; comp < u.last {
			*in.dst = from[p.from+comp*p.stride]
		}
	case opLoadEntry:
		*in.dst = from[p.from+u.entry]
	case opLoadRow:
		*in.dst = from[u.row]
	case opSlice:
		u.arrays[p.to].set(from[p.from+comp*p.stride : p.from+(comp+1)*p.stride])
	case opStoreFree:
		if comp < u.last {
			from[p.from+comp*p.stride] = *in.a
		}
	case opStoreEntry:
		from[p.from+u.entry] = *in.a
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
