package main

import (
	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// inTurn is the tier with several vectors of a function at a time, whose instructions take turns: functions are long chains, of which the processor
// does not see far enough ahead to begin with the next. It is for functions that leave so many registers free: with AVX2 there are 16.
func (t *tier) inTurn() *tier {
	several := *t
	several.chains = 2
	if t.wide() {
		several.chains = 4
	}
	return &several
}

// overVectors is overColumns where vectors may be several at a time. do is given where its vector begins, in bytes behind the pointers.
func (t *tier) overVectors(c reg.GPVirtual, do func(disp int, masks []reg.Register), last []reg.Register, pointers ...reg.GPVirtual) {
	if t.chains > 1 {
		t.overSeveral(c, func(disp int) { do(disp, nil) }, pointers)
	}
	t.overColumns(c, func(masks []reg.Register) { do(0, masks) }, last, pointers...)
}

// overSeveral does something for several vectors of c columns at a time, as long as there are as many, and leaves the others.
func (t *tier) overSeveral(c reg.GPVirtual, do func(disp int), pointers []reg.GPVirtual) {
	numbers := t.chains * t.lanes
	loop, rest := t.fresh("several"), t.fresh("fewer")
	t.SUBQ(operand.U8(numbers), c)
	t.JL(operand.LabelRef(rest))
	t.Label(loop)
	var chains [][]ir.Node
	for i := range t.chains {
		chains = append(chains, t.written(func() { do(8 * t.lanes * i) }))
	}
	t.alternating(chains)
	for _, p := range pointers {
		t.ADDQ(operand.I32(int32(8*numbers)), p)
	}
	t.SUBQ(operand.U8(numbers), c)
	t.JGE(operand.LabelRef(loop))
	t.Label(rest)
	t.ADDQ(operand.U8(numbers), c)
}

// alternating writes one instruction of each chain in turn. They are of one text, and have as many.
func (t *tier) alternating(chains [][]ir.Node) {
	f := t.current()
	for i := range chains[0] {
		for _, chain := range chains {
			f.AddNode(chain[i])
		}
	}
}

// written is what a text writes to the function, taken out of it again.
func (t *tier) written(text func()) []ir.Node {
	f := t.current()
	from := len(f.Nodes)
	text()
	nodes := f.Nodes[from:]
	f.Nodes = f.Nodes[:from:from]
	return nodes
}

// current is the function that is being written.
func (t *tier) current() *ir.Function {
	file, err := t.Result()
	if err != nil {
		panic(err) // an instruction has operands that it cannot have
	}
	functions := file.Functions()
	return functions[len(functions)-1]
}
