package engine

import (
	"math"

	"github.com/sngdgen/sngdgen/runtime/special"
	"github.com/sngdgen/sngdgen/runtime/vector"
)

// operations are those that package vector has kernels for, which round as Go does.
var operations = [opLoad]struct {
	vector.Operation
	known bool
}{opAdd: {vector.Plus, true}, opSub: {vector.Minus, true}, opMul: {vector.Times, true}, opDiv: {vector.Over, true}}

// kernel is what the instruction is in package vector; false where that has no kernel on this processor.
func (in *laneInstruction) kernel() (vector.Operation, bool) {
	o := operations[in.op]
	return o.Operation, o.known && vector.On()
}

// both computes an operation of two registers of the loop.
func (in *laneInstruction) both(dst, a, b []float64) {
	if o, ok := in.kernel(); ok {
		vector.Combine(o, dst, a, b)
		return
	}
	a, b = a[:len(dst)], b[:len(dst)]
	switch in.op {
	case opAdd:
		for k := range dst {
			dst[k] = a[k] + b[k]
		}
	case opSub:
		for k := range dst {
			dst[k] = a[k] - b[k]
		}
	case opMul:
		for k := range dst {
			dst[k] = a[k] * b[k]
		}
	case opDiv:
		for k := range dst {
			dst[k] = a[k] / b[k]
		}
	case opWhere:
		for k := range dst {
			dst[k] = special.Where(a[k], b[k])
		}
	default:
		for k := range dst {
			dst[k] = in.binary(a[k], b[k])
		}
	}
}

// first computes an operation of a number and a register of the loop.
func (in *laneInstruction) first(dst []float64, a float64, b []float64) {
	if o, ok := in.kernel(); ok {
		vector.CombineFrom(o, dst, a, b)
		return
	}
	b = b[:len(dst)]
	switch in.op {
	case opAdd:
		for k := range dst {
			dst[k] = a + b[k]
		}
	case opSub:
		for k := range dst {
			dst[k] = a - b[k]
		}
	case opMul:
		for k := range dst {
			dst[k] = a * b[k]
		}
	case opDiv:
		for k := range dst {
			dst[k] = a / b[k]
		}
	default:
		for k := range dst {
			dst[k] = in.binary(a, b[k])
		}
	}
}

// second computes an operation of a register of the loop, and perhaps of a number.
func (u *unit) second(in *laneInstruction, dst, a []float64) {
	a = a[:len(dst)]
	switch in.op {
	case opMove:
		copy(dst, a)
	case opNeg:
		for k := range dst {
			dst[k] = -a[k]
		}
	case opSqrt:
		for k := range dst {
			dst[k] = math.Sqrt(a[k])
		}
	case opUnary:
		for k := range dst {
			dst[k] = in.unary(a[k])
		}
	default:
		in.secondNumber(dst, a, u.numbers[in.b])
	}
}

func (in *laneInstruction) secondNumber(dst, a []float64, b float64) {
	if o, ok := in.kernel(); ok {
		vector.CombineNumber(o, dst, a, b)
		return
	}
	switch in.op {
	case opAdd:
		for k := range dst {
			dst[k] = a[k] + b
		}
	case opSub:
		for k := range dst {
			dst[k] = a[k] - b
		}
	case opMul:
		for k := range dst {
			dst[k] = a[k] * b
		}
	case opDiv:
		for k := range dst {
			dst[k] = a[k] / b
		}
	default:
		for k := range dst {
			dst[k] = in.binary(a[k], b)
		}
	}
}

// plus adds entry by entry.
func plus(dst, a, b []float64) {
	if vector.On() {
		vector.Combine(vector.Plus, dst, a, b[:len(dst)])
		return
	}
	for k := range dst {
		dst[k] = a[k] + b[k]
	}
}
