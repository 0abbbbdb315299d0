package engine

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// kept are registers with results of random code, and entries those of its array; registers after kept are read at most once.
const kept, entries = 5, 4

// randomCode is arithmetic over registers that are kept, entries of an array, and results that are needed once.
func randomCode(rng *rand.Rand) (code []instruction, registers int) {
	registers = kept
	var waiting []location
	operand := func() location {
		switch k := rng.IntN(6); {
		case k < 3 && len(waiting) > 0:
			at := rng.IntN(len(waiting))
			l := waiting[at]
			waiting = slices.Delete(waiting, at, at+1)
			return l
		case k < 5:
			return number(rng.Int32N(kept))
		}
		return inArray(0, rng.IntN(entries))
	}
	for range 40 {
		in := instruction{op: opMove + op(rng.IntN(int(opDiv-opMove)+1)), a: operand()}
		if rng.IntN(8) == 0 {
			in.op = opNeg
		}
		if in.op >= opAdd && in.op <= opDiv {
			in.b = operand()
		}
		switch rng.IntN(8) {
		case 0:
			in.dst = number(rng.Int32N(kept))
		case 1:
			in.dst = inArray(0, rng.IntN(entries))
		default:
			in.dst = number(int32(registers))
			waiting = append(waiting, in.dst)
			registers++
		}
		code = append(code, in)
	}
	for _, l := range waiting {
		code = append(code, instruction{op: opAdd, dst: number(0), a: number(0), b: l})
	}
	return code, registers
}

// results runs code, folded or as it is, twice: the second time the array has other memory. They are the registers that are kept and the array.
func results(code []instruction, registers int, fold bool) []float64 {
	u := &unit{machine: newMachine(nil), numbers: make([]float64, registers), arrays: make([]array, 1)}
	c := &compiler{machine: u.machine, u: u, kept: map[int32]bool{}}
	for k := range int32(kept) {
		c.kept[k] = true
	}
	if code = slices.Clone(code); fold {
		code = c.folded(code)
	}
	b := &basicBlock{from: code}
	u.code = append(u.code, b)
	u.link()
	var out []float64
	for range 2 {
		memory := make([]float64, entries)
		for i := range memory {
			memory[i] = 1.5 + float64(i)
		}
		u.arrays[0].set(memory)
		for i := range kept {
			u.numbers[i] = 0.7 - float64(i)
		}
		u.exec(b.code)
		out = append(append(out, u.numbers[:kept]...), memory...)
	}
	return out
}

// Instructions that are one compute what two computed, to the bit, wherever arrays are; and some are one.
func TestFoldedCodeIsTheSame(t *testing.T) {
	all, fewer := 0, 0
	for seed := range uint64(2000) {
		code, registers := randomCode(rand.New(rand.NewPCG(seed, 1)))
		want, got := results(code, registers, false), results(code, registers, true)
		for i := range want {
			if math.Float64bits(want[i]) != math.Float64bits(got[i]) && !(math.IsNaN(want[i]) && math.IsNaN(got[i])) {
				t.Fatalf("seed %d: result %d is %g, not %g", seed, i, got[i], want[i])
			}
			if half := len(got) / 2; math.Float64bits(got[i]) != math.Float64bits(got[(i+half)%len(got)]) {
				t.Fatalf("seed %d: result %d depends on where the array is", seed, i)
			}
		}
		c := &compiler{kept: map[int32]bool{0: true, 1: true, 2: true, 3: true, 4: true}}
		all, fewer = all+len(code), fewer+len(code)-len(c.folded(slices.Clone(code)))
	}
	if fewer*5 < all {
		t.Errorf("of %d instructions %d have become parts of others", all, fewer)
	}
}

// Every pair of operations that have become one is computed by exec.
func TestPairs(t *testing.T) {
	x, y, z := 3.25, -1.5, 0.3
	second := []func(v float64) float64{
		func(v float64) float64 { return v + z }, func(v float64) float64 { return v - z }, func(v float64) float64 { return z - v },
		func(v float64) float64 { return v * z }, func(v float64) float64 { return v / z }, func(v float64) float64 { return z / v }}
	for i, first := range []float64{x + y, x - y, x * y, x / y} {
		for j, f := range second {
			o, got := opAddPlus+op(i)*pairs+op(j), 0.0
			if n := straight([]linked{{op: o, dst: &got, a: &x, b: &y, c: &z}}, nil, 0); n != 1 || got != f(first) {
				t.Errorf("operation %d and form %d: %g, not %g", i, j, got, f(first))
			}
		}
	}
}
