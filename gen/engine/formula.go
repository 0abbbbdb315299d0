package engine

import (
	"math"
	"slices"
	"strings"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/plan"
	"github.com/sngdgen/sngdgen/gen/program"
)

// operand is a register: of a number, or of the numbers of the rows or entries of a loop.
type operand struct {
	lanes bool
	reg   int32
}

func (c *compiler) newNumber() operand {
	c.u.numbers = append(c.u.numbers, 0)
	return operand{reg: int32(len(c.u.numbers) - 1)}
}

// constant is a register with a number that nothing writes to.
func (c *compiler) constant(x float64) operand {
	bits := math.Float64bits(x)
	if o, ok := c.constants[bits]; ok {
		return o
	}
	o := c.newNumber()
	c.u.numbers[o.reg] = x
	c.constants[bits] = o
	return o
}

func (c *compiler) emit(in instruction) { c.code = append(c.code, in) }

// result is a new register with what an instruction computes.
func (c *compiler) result(in instruction) operand {
	out := c.newNumber()
	in.dst = out.at()
	c.emit(in)
	return out
}

// formula computes a formula, in the order of generated code.
func (c *compiler) formula(e program.Expr) operand {
	switch e := e.(type) {
	case program.Number:
		return c.constant(float64(e))
	case program.Ref:
		return c.load(e)
	case *program.Apply:
		return c.apply(e)
	}
	unsupported("a formula of type %T", e)
	return operand{}
}

func (c *compiler) apply(a *program.Apply) operand {
	switch a.Op {
	case expr.Lin:
		return c.sum(a)
	case expr.Prod:
		return c.quotient(nil, a)
	case expr.Pow:
		return c.binaryCall(math.Pow, c.formula(a.Args[0]), c.formula(a.Args[1]))
	case expr.Root:
		return c.root(a)
	case expr.Difference:
		return c.binary(opSub, c.formula(a.Args[0]), c.formula(a.Args[1]))
	}
	if a.Prepared != nil {
		return c.joint(a, a.Op.Name, 1)[0]
	}
	args := make([]operand, len(a.Args))
	for i, arg := range a.Args {
		args[i] = c.formula(arg)
	}
	switch {
	case expr.IsWhere(a.Op) && args[0].lanes && args[1].lanes:
		return c.binary(opWhere, args[0], args[1])
	case a.Op.Unary != nil:
		return c.unary(opUnary, args[0], a.Op.Unary)
	case a.Op.Binary != nil:
		return c.binaryCall(a.Op.Binary, args[0], args[1])
	case a.Op.InGo():
		unsupported("%s, a function in Go of a package of yours: generated code calls %s of %s", a.Op.Name, a.Op.Go, a.Op.Own.Import)
	case a.Op.Eval == nil:
		unsupported("%s", a.Op.Name)
	}
	return c.calls(args, 1, func(values, to []float64) { to[0] = a.Op.Eval(values) })[0]
}

// sum is constant + sum of coefficient*operand, a positive term first where there is one.
func (c *compiler) sum(a *program.Apply) operand {
	type term struct {
		coef float64
		of   program.Expr // nil for the constant
	}
	var terms []term
	for i, arg := range a.Args {
		terms = append(terms, term{a.Coefs[i], arg})
	}
	if a.Const != 0 || len(terms) == 0 {
		terms = append(terms, term{a.Const, nil})
	}
	if i := slices.IndexFunc(terms, func(t term) bool { return t.coef > 0 }); i > 0 {
		first := terms[i]
		copy(terms[1:i+1], terms[:i])
		terms[0] = first
	}
	var out operand
	for i, t := range terms {
		var x operand
		switch size := math.Abs(t.coef); {
		case t.of == nil:
			x = c.constant(size)
		case size == 1:
			x = c.formula(t.of)
		default:
			x = c.scaled(c.constant(size), t.of)
		}
		switch negative := t.coef < 0; {
		case i > 0 && negative:
			out = c.binary(opSub, out, x)
		case i > 0:
			out = c.binary(opAdd, out, x)
		case negative:
			out = c.unary(opNeg, x, nil)
		default:
			out = x
		}
	}
	return out
}

// scaled is factor*e, or factor/d where e is 1/d.
func (c *compiler) scaled(factor operand, e program.Expr) operand {
	if a, ok := e.(*program.Apply); ok && a.Op == expr.Prod {
		return c.quotient([]operand{factor}, a)
	}
	return c.binary(opMul, factor, c.formula(e))
}

// quotient is a quotient of products with factors in front: one division, whatever the number of negative powers.
func (c *compiler) quotient(over []operand, a *program.Apply) operand {
	var under []operand
	for i, arg := range a.Args {
		factors := c.factors(arg, math.Abs(a.Coefs[i]))
		if a.Coefs[i] < 0 {
			under = append(under, factors...)
		} else {
			over = append(over, factors...)
		}
	}
	if len(over) == 0 {
		over = []operand{c.constant(1)}
	}
	out := c.product(over)
	if len(under) > 0 {
		out = c.binary(opDiv, out, c.product(under))
	}
	return out
}

func (c *compiler) product(factors []operand) operand {
	out := factors[0]
	for _, f := range factors[1:] {
		out = c.binary(opMul, out, f)
	}
	return out
}

// factors are those of e^power for power > 0: small whole powers are products, halves square roots.
func (c *compiler) factors(e program.Expr, power float64) []operand {
	base := c.formula(e)
	whole := math.Trunc(power)
	if plan.Repeats(power) == 1 && power != 1 && power != 0.5 {
		return []operand{c.binaryCall(math.Pow, base, c.constant(power))}
	}
	if (whole > 1 || power != whole) && !base.lanes {
		c.kept[base.reg] = true
	}
	out := slices.Repeat([]operand{base}, int(whole))
	if power != whole {
		out = append(out, c.unary(opSqrt, base, nil))
	}
	return out
}

func (c *compiler) unary(o op, a operand, f func(float64) float64) operand {
	if a.lanes {
		return c.loop.emit(laneInstruction{op: o, a: a.reg, unary: f})
	}
	in := instruction{op: o, a: a.at()}
	if f != nil {
		in.call = &call{unary: f}
	}
	return c.result(in)
}

func (c *compiler) binary(o op, a, b operand) operand { return c.two(o, a, b, nil) }

func (c *compiler) binaryCall(f func(x, y float64) float64, a, b operand) operand {
	return c.two(opBinary, a, b, f)
}

func (c *compiler) two(o op, a, b operand, f func(x, y float64) float64) operand {
	if a.lanes || b.lanes {
		return c.loop.emit(laneInstruction{op: o, a: a.reg, b: b.reg, aLanes: a.lanes, bLanes: b.lanes, binary: f})
	}
	in := instruction{op: o, a: a.at(), b: b.at()}
	if f != nil {
		in.call = &call{binary: f}
	}
	return c.result(in)
}

// accumulate adds to a register.
func (c *compiler) accumulate(to, value operand) {
	c.emit(instruction{op: opAdd, dst: to.at(), a: to.at(), b: value.at()})
}

// calls calls a function of several operands, or with several results.
func (c *compiler) calls(args []operand, results int, f func(values, to []float64)) []operand {
	k := &call{f: f, values: make([]float64, len(args)), results: make([]float64, results)}
	out := make([]operand, results)
	lanes := slices.ContainsFunc(args, func(o operand) bool { return o.lanes })
	for _, a := range args {
		k.args = append(k.args, a.reg)
	}
	for i := range out {
		if lanes {
			out[i] = c.loop.newLanes()
		} else {
			out[i] = c.newNumber()
		}
		k.to = append(k.to, out[i].reg)
	}
	if !lanes {
		c.emit(instruction{op: opCall, call: k})
		return out
	}
	in := laneInstruction{op: opCall, call: k}
	for _, a := range args {
		in.which = append(in.which, a.lanes)
	}
	c.loop.code = append(c.loop.code, in)
	return out
}

// joint computes functions of the same operands in one call, those that have been prepared for by their preparation.
func (c *compiler) joint(a *program.Apply, name string, results int) []operand {
	var args []operand
	for _, arg := range a.Args {
		if arg != nil {
			args = append(args, c.formula(arg))
		}
	}
	if a.Prepared == nil {
		f := joints[name]
		if f == nil {
			unsupported("%s", name)
		}
		return c.calls(args, results, f)
	}
	kind, _ := expr.Preparation(a.Op)
	method := kind.Methods[name]
	holder := c.preparedPlace(a.Prepared)
	f := specials[strings.TrimPrefix(kind.Type, "special.")+"."+method]
	if f == nil {
		unsupported("%s, prepared", name)
	}
	return c.calls(args, results, func(values, to []float64) { f(*holder, values, to) })
}
