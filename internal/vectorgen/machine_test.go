package main

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// machine runs functions instruction by instruction, for tiers that the processor at hand may lack. It knows what the kernels of linear algebra are made
// of, by Intel's manual; every access to memory is held to the slices that it was given, and every other instruction is an error.
type machine struct {
	memory  []region
	symbols map[string]uint64 // where constants lie
	args    map[string]uint64
	locals  map[int]uint64
	numbers map[reg.ID]uint64
	vectors map[reg.ID][8]uint64
	masks   map[reg.ID]uint64
	sign    int // of what flags are of
}

// region is a slice in memory.
type region struct {
	name    string
	base    uint64
	words   []uint64
	written bool // it may be
}

// newMachine has the constants of a file in its memory.
func newMachine(f *ir.File) *machine {
	m := &machine{symbols: map[string]uint64{}, args: map[string]uint64{}, locals: map[int]uint64{}, numbers: map[reg.ID]uint64{},
		vectors: map[reg.ID][8]uint64{}, masks: map[reg.ID]uint64{}}
	for _, s := range f.Sections {
		if g, ok := s.(*ir.Global); ok {
			words := make([]uint64, g.Size/8)
			for _, d := range g.Data {
				words[d.Offset/8] = uint64(d.Value.(operand.U64))
			}
			m.symbols[g.Symbol.Name] = m.add(g.Symbol.Name, words, false)
		}
	}
	return m
}

// add puts a slice where nothing else is near.
func (m *machine) add(name string, words []uint64, written bool) uint64 {
	base := uint64(len(m.memory)+1) << 32
	m.memory = append(m.memory, region{name, base, words, written})
	return base
}

// word is the number at an address.
func (m *machine) word(at uint64, write bool) *uint64 {
	for i := range m.memory {
		r := &m.memory[i]
		if k := int64(at - r.base); at>>32 == r.base>>32 || k < 0 && k > -1<<20 {
			switch {
			case k < 0 || k%8 != 0 || k/8 >= int64(len(r.words)):
				panic(fmt.Errorf("byte %d of %s, which has %d", k, r.name, 8*len(r.words)))
			case write && !r.written:
				panic(fmt.Errorf("%s is written to", r.name))
			}
			return &r.words[k/8]
		}
	}
	panic(fmt.Errorf("nothing lies at %#x", at))
}

var errSteps = errors.New("it goes on and on")

// run runs a function, and says what it did that it must not.
func (m *machine) run(f *ir.Function) (err error) {
	at := 0
	defer func() {
		if e, ok := recover().(error); ok {
			err = fmt.Errorf("%s: %v: %w", f.Name, text(f.Nodes[at]), e)
		}
	}()
	labels := map[string]int{}
	for i, n := range f.Nodes {
		if l, ok := n.(ir.Label); ok {
			labels[string(l)] = i
		}
	}
	for range 1 << 20 {
		if i, ok := f.Nodes[at].(*ir.Instruction); ok {
			switch {
			case i.Opcode == "RET":
				return nil
			case i.IsBranch:
				if m.jumps(i.Opcode) {
					at = labels[string(i.Operands[0].(operand.LabelRef))]
				}
			case strings.HasPrefix(i.Opcode, "V"):
				m.vector(i)
			default:
				m.scalar(i)
			}
		}
		at++
	}
	return errSteps
}

func text(n ir.Node) string {
	i, ok := n.(*ir.Instruction)
	if !ok {
		return fmt.Sprint(n)
	}
	out := i.OpcodeWithSuffixes()
	for _, o := range i.Operands {
		out += " " + o.Asm()
	}
	return out
}

func (m *machine) jumps(opcode string) bool {
	switch opcode {
	case "JMP":
		return true
	case "JE", "JZ":
		return m.sign == 0
	case "JNZ":
		return m.sign != 0
	case "JG":
		return m.sign > 0
	case "JGE":
		return m.sign >= 0
	case "JL":
		return m.sign < 0
	case "JLE":
		return m.sign <= 0
	}
	panic(errors.New("the machine does not know this jump"))
}

// constant is the value of an immediate operand.
func constant(o operand.Op) (uint64, bool) {
	switch o := o.(type) {
	case operand.U8:
		return uint64(o), true
	case operand.I8:
		return uint64(int64(o)), true
	case operand.U32:
		return uint64(o), true
	case operand.I32:
		return uint64(int64(o)), true
	case operand.I64:
		return uint64(o), true
	}
	return 0, false
}

// address is that of an operand in memory.
func (m *machine) address(o operand.Mem) uint64 {
	if o.Base == reg.StaticBase {
		return m.symbols[o.Symbol.Name] + uint64(int64(o.Disp))
	}
	at := m.number(o.Base.(operand.Op)) + uint64(int64(o.Disp))
	if o.Index != nil {
		at += uint64(o.Scale) * m.number(o.Index.(operand.Op))
	}
	return at
}

// number is a whole number, or the bits of another, of an operand.
func (m *machine) number(o operand.Op) uint64 {
	if c, ok := constant(o); ok {
		return c
	}
	switch o := o.(type) {
	case reg.Register:
		return m.numbers[o.ID()]
	case operand.Mem:
		switch o.Base {
		case reg.FramePointer:
			v, ok := m.args[o.Symbol.Name]
			if !ok {
				panic(fmt.Errorf("no argument %s", o.Symbol.Name))
			}
			return v
		case reg.StackPointer:
			return m.locals[o.Disp]
		}
		return *m.word(m.address(o), false)
	}
	panic(errors.New("the machine does not know this operand"))
}

func (m *machine) setNumber(o operand.Op, v uint64) {
	switch o := o.(type) {
	case reg.Register:
		m.numbers[o.ID()] = v
	case operand.Mem:
		switch o.Base {
		case reg.FramePointer:
			m.args[o.Symbol.Name] = v
		case reg.StackPointer:
			m.locals[o.Disp] = v
		default:
			*m.word(m.address(o), true) = v
		}
	}
}

// scalar does an instruction on whole numbers: operands, then the result.
func (m *machine) scalar(i *ir.Instruction) {
	o := i.Operands
	last := o[len(o)-1]
	set := func(v uint64) {
		m.setNumber(last, v)
		m.sign = sign(int64(v))
	}
	switch i.Opcode {
	case "PREFETCHT0", "PREFETCHT1":
	case "MOVQ":
		m.setNumber(last, m.number(o[0]))
	case "LEAQ":
		m.setNumber(last, m.address(o[0].(operand.Mem)))
	case "CMOVQGT":
		if m.sign > 0 {
			m.setNumber(last, m.number(o[0]))
		}
	case "KMOVB":
		m.masks[last.(reg.Register).ID()] = m.number(o[0]) & 0xff
	case "CMPQ":
		m.sign = sign(int64(m.number(o[0]) - m.number(o[1])))
	case "TESTQ":
		m.sign = sign(int64(m.number(o[0]) & m.number(o[1])))
	case "ADDQ":
		set(m.number(last) + m.number(o[0]))
	case "SUBQ":
		set(m.number(last) - m.number(o[0]))
	case "ANDQ":
		set(m.number(last) & m.number(o[0]))
	case "XORQ":
		set(m.number(last) ^ m.number(o[0]))
	case "NEGQ":
		set(-m.number(last))
	case "INCQ":
		set(m.number(last) + 1)
	case "DECQ":
		set(m.number(last) - 1)
	case "SHLQ":
		set(m.number(last) << m.number(o[0]))
	case "SHRQ":
		set(m.number(last) >> m.number(o[0]))
	case "IMULQ":
		set(m.number(last) * m.number(o[0]))
	case "IMUL3Q":
		set(m.number(o[0]) * m.number(o[1]))
	case "BZHIQ": // by the lowest byte
		n := m.number(o[0]) & 0xff
		set(m.number(o[1]))
		if n < 64 {
			set(m.number(o[1]) & (1<<n - 1))
		}
	default:
		panic(errors.New("the machine does not know this instruction"))
	}
}

func sign(x int64) int {
	switch {
	case x < 0:
		return -1
	case x > 0:
		return 1
	}
	return 0
}

// lanes are the numbers of an operand: of a register, or as many from memory on, or one again and again.
func (m *machine) lanes(o operand.Op, n int, repeated bool) (out [8]uint64) {
	switch o := o.(type) {
	case reg.Register:
		return m.vectors[o.ID()]
	case operand.Mem:
		at := m.address(o)
		for l := range n {
			out[l] = *m.word(at, false)
			if !repeated {
				at += 8
			}
		}
	}
	return out
}

// mask is which lanes a move is of: those of a mask register, or whose sign bit is set in a vector.
func (m *machine) mask(o operand.Op) uint64 {
	r := o.(reg.Register)
	if r.Kind() == reg.KindOpmask {
		return m.masks[r.ID()]
	}
	bits := uint64(0)
	for l, x := range m.vectors[r.ID()] {
		bits |= x >> 63 << l
	}
	return bits
}

// arithmetic is what instructions compute of the numbers of a lane: of their operands from the last source on, and of what the result was.
var arithmetic = map[string]func(x, y, old float64) float64{
	"VADDPD":       func(x, y, _ float64) float64 { return x + y },
	"VSUBPD":       func(x, y, _ float64) float64 { return x - y },
	"VMULPD":       func(x, y, _ float64) float64 { return x * y },
	"VDIVPD":       func(x, y, _ float64) float64 { return x / y },
	"VFMADD231PD":  func(x, y, old float64) float64 { return math.FMA(x, y, old) },
	"VFNMADD231PD": func(x, y, old float64) float64 { return math.FMA(-x, y, old) },
	"VFMADD213PD":  func(x, y, old float64) float64 { return math.FMA(x, old, y) },
}

// vector does an instruction on vectors. Operands are in the order of Go's assembly, the result last.
func (m *machine) vector(i *ir.Instruction) {
	o := i.Operands
	if i.Opcode == "VZEROUPPER" {
		return
	}
	last := o[len(o)-1]
	if i.Opcode == "VMOVUPD" || i.Opcode == "VMASKMOVPD" {
		m.move(i)
		return
	}
	to := last.(reg.Register)
	n := int(to.Size()) / 8
	out := [8]uint64{}
	if f := arithmetic[i.Opcode]; f != nil {
		x, y, old := m.lanes(o[1], n, false), m.lanes(o[0], n, slices.Contains(i.Suffixes, "BCST")), m.vectors[to.ID()]
		for l := range n {
			out[l] = math.Float64bits(f(math.Float64frombits(x[l]), math.Float64frombits(y[l]), math.Float64frombits(old[l])))
		}
		m.vectors[to.ID()] = out
		return
	}
	switch i.Opcode {
	case "VBROADCASTSD":
		x := m.number(o[0])
		for l := range n {
			out[l] = x
		}
	case "VXORPD":
		x, y := m.lanes(o[1], n, false), m.lanes(o[0], n, false)
		for l := range n {
			out[l] = x[l] ^ y[l]
		}
	case "VUNPCKLPD", "VUNPCKHPD":
		x, y, odd := m.lanes(o[1], n, false), m.lanes(o[0], n, false), 0
		if i.Opcode == "VUNPCKHPD" {
			odd = 1
		}
		for l := 0; l < n; l += 2 {
			out[l], out[l+1] = x[l+odd], y[l+odd]
		}
	case "VPERM2F128", "VSHUFF64X2":
		choice, _ := constant(o[0])
		x, y := m.lanes(o[2], n, false), m.lanes(o[1], n, false)
		for half := range n / 2 {
			from := x
			pick := choice >> (2 * half) & 3
			switch {
			case i.Opcode == "VPERM2F128":
				if pick = choice >> (4 * half) & 3; pick >= 2 {
					from, pick = y, pick-2
				}
			case half >= n/4:
				from = y
			}
			out[2*half], out[2*half+1] = from[2*pick], from[2*pick+1]
		}
	default:
		panic(errors.New("the machine does not know this instruction"))
	}
	m.vectors[to.ID()] = out
}

// move loads or stores the lanes of a mask, if there is one; others are 0 in what is loaded, and stay in memory.
func (m *machine) move(i *ir.Instruction) {
	o := i.Operands
	bits := ^uint64(0)
	if len(o) == 3 {
		bits = m.mask(o[1])
	}
	if to, ok := o[len(o)-1].(operand.Mem); ok {
		from, at := o[0].(reg.Register), m.address(to)
		x := m.vectors[from.ID()]
		for l := range int(from.Size()) / 8 {
			if bits>>l&1 == 1 {
				*m.word(at+8*uint64(l), true) = x[l]
			}
		}
		return
	}
	to := o[len(o)-1].(reg.Register)
	if from, ok := o[0].(reg.Register); ok {
		m.vectors[to.ID()] = m.vectors[from.ID()]
		return
	}
	at, out := m.address(o[0].(operand.Mem)), [8]uint64{}
	for l := range int(to.Size()) / 8 {
		if bits>>l&1 == 1 {
			out[l] = *m.word(at+8*uint64(l), false)
		}
	}
	m.vectors[to.ID()] = out
}
