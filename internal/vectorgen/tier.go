package main

import (
	"fmt"
	"slices"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/buildtags"
	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/printer"
	"github.com/mmcloughlin/avo/reg"
)

// tier is a set of instructions for which all kernels are written, and what is being written of them.
type tier struct {
	*build.Context
	name      string   // of the files, and with upper case letters the end of the names of functions
	title     string   // the end of the names of functions
	lanes     int      // numbers in a vector
	guard     []string // the extensions that runtime/vector asks the processor for before it takes this tier
	labels    *int     // how many there are
	chains    int      // how many vectors functions have at a time, where more than one
	vec       func() reg.VecVirtual
	rows      int // of a block of a product that is kept in registers
	steps     operand.Mem
	constants map[uint64]operand.Mem
}

// always are the extensions that every processor has for which Go compiles; MMX+ is what avo takes PREFETCHT0 for, which came with SSE.
var always = []string{"CMOV", "MMX+", "SSE", "SSE2"}

func avx512() *tier {
	t := &tier{Context: build.NewContext(), constants: map[uint64]operand.Mem{}, labels: new(int), name: "avx512", title: "AVX512", lanes: 8, rows: 8,
		guard: []string{"AVX", "AVX2", "FMA3", "BMI2", "AVX512F", "AVX512DQ", "AVX512VL", "AVX512BW"}}
	t.vec = t.ZMM
	return t
}

func avx2() *tier {
	t := &tier{Context: build.NewContext(), constants: map[uint64]operand.Mem{}, labels: new(int), name: "avx2", title: "AVX2", lanes: 4, rows: 4,
		guard: []string{"AVX", "AVX2", "FMA3", "BMI2"}}
	t.vec = t.YMM
	return t
}

// wide reports whether vectors have masks.
func (t *tier) wide() bool { return t.lanes == 8 }

// kernels writes all kernels.
func (t *tier) kernels() {
	t.Constraint(buildtags.Term("amd64"))
	t.tables()
	t.products()
	t.transposition()
	t.solution()
	t.combination()
	t.scaledRows()
	t.sumsOfSymmetric()
	t.dotProducts()
	t.leftOfDiagonal()
	t.gathering()
	t.squares()
	t.solvedSquares()
	t.sparseProducts()
	t.finiteness()
	t.functions()
}

// fresh returns a label that no other is equal to.
func (t *tier) fresh(what string) string {
	*t.labels++
	return fmt.Sprintf("%s%d", what, *t.labels)
}

// start begins a function.
func (t *tier) start(name, signature, doc string) {
	t.Function(name + t.title)
	t.Attributes(attr.NOSPLIT)
	t.SignatureExpr("func(" + signature + ")")
	t.Doc(name + t.title + " " + doc)
	t.Pragma("noescape")
}

// end leaves a function. Goroutines that go on with the upper halves of vectors in use would be slow for ever.
func (t *tier) end() {
	t.VZEROUPPER()
	t.RET()
}

// arg loads an argument.
func (t *tier) arg(name string) reg.GPVirtual {
	r := t.GP64()
	t.Load(t.Param(name), r)
	return r
}

// bytes loads an argument that counts numbers, as a number of bytes.
func (t *tier) bytes(name string) reg.GPVirtual {
	r := t.arg(name)
	t.SHLQ(operand.U8(3), r)
	return r
}

// at is the memory at a register, with a displacement in bytes.
func at(base reg.Register, disp int) operand.Mem { return operand.Mem{Base: base, Disp: disp} }

// indexed is the memory at base + scale index.
func indexed(base, index reg.Register, scale uint8) operand.Mem {
	return operand.Mem{Base: base, Index: index, Scale: scale}
}

// print compiles the tier, and checks that no function takes more of the processor than was asked for, and that all
// leave clean registers.
func (t *tier) print() (assembly, declarations []byte, err error) {
	file, err := t.Result()
	if err != nil {
		return nil, nil, err
	}
	if err := pass.Compile.Execute(file); err != nil {
		return nil, nil, err
	}
	for _, f := range file.Functions() {
		if err := t.check(f); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", f.Name, err)
		}
	}
	cfg := printer.Config{Name: "internal/vectorgen", Pkg: "vector"}
	if assembly, err = printer.NewGoAsm(cfg).Print(file); err != nil {
		return nil, nil, err
	}
	declarations, err = printer.NewStubs(cfg).Print(file)
	return assembly, declarations, err
}

func (t *tier) check(f *ir.Function) error {
	clean := false
	for _, i := range f.Instructions() {
		for _, extension := range i.ISA {
			if !slices.Contains(t.guard, extension) && !slices.Contains(always, extension) {
				return fmt.Errorf("%s needs %s", i.Opcode, extension)
			}
		}
		if i.Opcode == "RET" && !clean {
			return fmt.Errorf("returns without VZEROUPPER")
		}
		clean = i.Opcode == "VZEROUPPER"
	}
	return nil
}
