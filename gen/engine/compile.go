package engine

import (
	"fmt"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/methods"
	"github.com/sngdgen/sngdgen/gen/program"
	"github.com/sngdgen/sngdgen/gen/program/interpret"
)

// compiler makes a unit of a program.
type compiler struct {
	*machine
	u         *unit
	places    map[*program.Place]operand
	arrays    map[*program.Place]int32
	bound     map[binding]int32 // arrays that the program is given
	kept      map[int32]bool    // registers with what is used several times
	at        *[2]int           // the entry of a loop that is written out
	prepares  map[*program.Place]**prepared
	constants map[uint64]operand
	code      []instruction // that have not become a statement yet
	body      []func() status
	loop      *loop    // the loop over rows or entries that one is in
	node      *operand // the node of quadrature, of an integrand
	helper    bool     // it is for a worker, who runs passes alone
	inPass    bool
}

func (m *machine) compiler(s methods.Step, owner string, args arguments) *compiler {
	u := &unit{machine: m, owner: owner, step: s, args: args, named: map[string]int32{}}
	return &compiler{machine: m, u: u, places: map[*program.Place]operand{}, arrays: map[*program.Place]int32{},
		bound: map[binding]int32{}, kept: map[int32]bool{}, prepares: map[*program.Place]**prepared{}, constants: map[uint64]operand{}}
}

func (m *machine) compile(s methods.Step, owner string, args arguments) *unit {
	return m.compileFor(s, owner, args, false)
}

// statements compiles statements to steps of their own.
func (c *compiler) statements(stmts []program.Stmt) []func() status {
	c.flush()
	outer := c.body
	c.body = nil
	for _, s := range stmts {
		c.statement(s)
	}
	c.flush()
	out := c.body
	c.body = outer
	return out
}

// flush makes a step of the instructions so far.
func (c *compiler) flush() {
	if len(c.code) == 0 {
		return
	}
	u, b := c.u, &basicBlock{from: c.folded(c.code)}
	u.code = append(u.code, b)
	c.body = append(c.body, func() status { return u.exec(b.code) })
	c.code = nil
}

// then adds a step.
func (c *compiler) then(step func() status) {
	c.flush()
	c.body = append(c.body, step)
}

// always adds a step that does not end the program.
func (c *compiler) always(step func()) {
	c.then(func() status { step(); return goesOn })
}

func (c *compiler) statement(s program.Stmt) {
	switch s := s.(type) {
	case *program.Bind:
		c.bind(s)
	case *program.Let:
		c.let(s)
	case *program.Joint:
		for i, o := range c.joint(s.Value, s.Joint.Go, len(s.To)) {
			c.keep(s.To[i], o)
		}
	case *program.Solve:
		c.solve(s)
	case *program.Guard:
		if c.loop != nil {
			unsupported("a condition inside a loop over rows")
		}
		c.guard(s)
	case *program.Store:
		c.store(s)
	case *program.Return:
		c.emit(instruction{op: opReturn, a: c.formula(s.Value).at()})
	case *program.Buffer:
		c.buffer(s)
	case *program.Prepare:
		c.prepare(s)
	case *program.Call:
		c.call(s)
	case *program.Each:
		c.each(s)
	case *program.Rows:
		c.rows(s)
	case *program.Blocks:
		c.blocks(s)
	case *program.Components:
		c.ofComponents(s)
	case *program.Attained:
		c.places[s.To] = c.loop.attained(c.places[s.Index])
	case *program.EachRow:
		c.eachRow(s)
	case *program.Zero:
		c.places[s.To] = c.number(s.To)
		c.move(s.To, c.constant(0))
	case *program.Add:
		c.accumulate(c.places[s.To], c.formula(s.Value))
	case *program.Evaluate:
		c.evaluation(*s)
	case *program.Perform: // programs are run whole; stages are for those who print them
		unsupported("a stage")
	default:
		unsupported("a statement of type %T", s)
	}
}

// evaluation compiles the evaluation of the log joint density at all draws, whose own passes over rows leave those of the caller as they
// are.
func (c *compiler) evaluation(e program.Evaluate) {
	m := c.machine
	if m.evaluate == nil {
		unsupported("the model of a variational objective")
	}
	c.always(func() {
		start, b, comp, own := m.start, m.b, m.comp, m.own
		m.evaluate(e)
		m.start, m.b, m.comp, m.own = start, b, comp, own
	})
}

// guard compiles a condition.
func (c *compiler) guard(s *program.Guard) {
	in := instruction{op: opGuard, a: c.formula(s.Value).at(), call: &call{interval: s.Range, condition: s.Index}}
	switch s.Range {
	case expr.Real:
		in.op = opFinite
	case positive:
		in.op = opPositive
	}
	c.emit(in)
}

// number is the register of a number, the same wherever it is declared again.
func (c *compiler) number(p *program.Place) operand {
	if o, ok := c.places[p]; ok && !o.lanes {
		return o
	}
	o := c.newNumber()
	c.keep(p, o)
	return o
}

// keep gives a place a register, which may be read more than once.
func (c *compiler) keep(p *program.Place, o operand) {
	if c.places[p] = o; !o.lanes {
		c.kept[o.reg] = true
	}
}

func (c *compiler) move(p *program.Place, from operand) {
	to := c.number(p).at()
	if last := c.last(from); last != nil {
		last.dst = to
		return
	}
	c.emit(instruction{op: opMove, dst: to, a: from.at()})
}

// last is the last instruction, if it computes an operand for who asks alone.
func (c *compiler) last(o operand) *instruction {
	if len(c.code) == 0 || o.lanes || c.kept[o.reg] {
		return nil
	}
	if last := &c.code[len(c.code)-1]; last.op < opCall && last.dst == o.at() {
		return last
	}
	return nil
}

// let names what a formula computes. A number of its own is needed where the formula is another one's register.
func (c *compiler) let(s *program.Let) {
	value := c.formula(s.Value)
	_, shared := s.Value.(program.Ref)
	switch _, constant := s.Value.(program.Number); {
	case value.lanes && shared:
		value = c.loop.emit(laneInstruction{op: opMove, a: value.reg})
	case shared || constant:
		c.move(s.To, value)
		return
	}
	c.keep(s.To, value)
}

func (c *compiler) array(p *program.Place) int32 {
	if k, ok := c.arrays[p]; ok {
		return k
	}
	switch {
	case p == program.Weights:
		u, k, w := c.u, c.newArray(), c.u.weights()
		c.always(func() { u.arrays[k].set(w.of(u.start, u.start+u.b)) })
		return k
	case p.Given == nil:
		unsupported("an array that nothing declares, %s", p.Name)
	}
	return c.given(p.Given, p.Shape)
}

// ofBlock is what the rows of the block have of a column of the model.
func (c *compiler) ofBlock(p *program.Place) int32 {
	u, k, all, n := c.u, c.newArray(), c.array(p), c.size(p.Shape.Dims)
	c.always(func() { u.arrays[k].set(u.arrays[all].memory[u.start*n : (u.start+u.b)*n]) })
	return k
}

func (c *compiler) newArray() int32 {
	c.u.arrays = append(c.u.arrays, array{})
	return int32(len(c.u.arrays) - 1)
}

// declare makes a new array known.
func (c *compiler) declare(p *program.Place) int32 {
	k, ok := c.arrays[p]
	if !ok {
		k = c.newArray()
		c.arrays[p] = k
	}
	return k
}

// bind makes memory that the program is given an array, from one place to another; all of it where to is -1.
func (c *compiler) bindMemory(memory *[]float64, from, to int) int32 {
	b := binding{memory: memory, from: from, to: to}
	k, ok := c.bound[b]
	if !ok {
		k = c.newArray()
		c.bound[b] = k
		b.array = k
		c.u.given = append(c.u.given, b)
	}
	return k
}

// memory is what a given name stands for: a field of the model, or an argument.
func (c *compiler) memory(g *program.Given) *[]float64 {
	switch {
	case g.Owner == "p":
		return c.field(g.Name)
	case g.Owner != "":
		return c.u.argument(g.Owner + "." + g.Name)
	}
	return c.u.argument(g.Name)
}

// given is an array that is given. Fields of the model are as long as their shape.
func (c *compiler) given(g *program.Given, s program.Shape) int32 {
	if g.Table != nil {
		return c.bindMemory(&g.Table, 0, -1)
	}
	memory := c.memory(g)
	if g.Part == nil {
		if n := c.size(s.Dims); g.Owner == "p" && !s.Block {
			if s.Stacked {
				n *= c.components()
			}
			c.grown(g.Name, n)
			if len(g.At) == 0 { // there may be more memory, of a time when lengths were longer
				return c.bindMemory(memory, 0, n)
			}
		}
		if len(g.At) > 0 {
			unsupported("entries of %s", g)
		}
		return c.bindMemory(memory, 0, -1)
	}
	from, n := c.length(g.Part.From), c.width(g.Part.Type)
	u := c.u
	switch g.Part.Of {
	case program.All:
		if g.Part.Type.Axes.Has(expr.Components) {
			k := c.dim(g.Part.Components)
			if g.Part.Free {
				k--
			}
			n *= k
		}
		if g.Owner == "p" {
			c.grown(g.Name, from+n)
		}
		return c.bindMemory(memory, from, from+n)
	case program.OwnRow:
		k := c.newArray()
		c.always(func() { u.arrays[k].set((*memory)[u.row*n : (u.row+1)*n]) })
		return k
	case program.OwnComponent:
		if g.Part.Free {
			unsupported("an array that the last component lacks")
		}
		if g.Owner == "p" {
			c.grown(g.Name, from+c.components()*n)
		}
		return c.slice(c.newArray(), c.bindMemory(memory, 0, -1), from, n)
	}
	unsupported("a part of rows, %s", g)
	return 0
}

// slice is the component's own part of an array, so many numbers from a place.
func (c *compiler) slice(to, of int32, from, n int) int32 {
	c.emit(instruction{op: opSlice, part: &part{array: of, to: to, from: from, stride: n}})
	return to
}

// loadGiven reads a number that is given.
func (c *compiler) loadGiven(g *program.Given) operand {
	if c.node != nil && g.Owner == "" && g.Name == "t" {
		return *c.node
	}
	in, ok := c.numberAt(g)
	switch g.Kind {
	case program.LengthOf:
		return c.constant(float64(c.dim(g.Dim)))
	case program.NumberOf:
		in.op = opComponent
	case program.LastOf:
		in.op = opLast
	case program.DrawsOf:
		in, ok = instruction{op: opMove, a: inArray(c.bindMemory(c.field(drawCount), 0, -1), 0)}, true
	default:
		if !ok {
			unsupported("%s as a number", g)
		}
	}
	return c.result(in)
}

// numberAt is the instruction that reads a number that is given.
func (c *compiler) numberAt(g *program.Given) (in instruction, ok bool) {
	if g.Kind != program.Variable {
		return in, false
	}
	memory, at := c.bindMemory(c.memory(g), 0, -1), 0
	in.op = opMove
	for _, i := range g.At {
		at = at*c.row(g) + i
	}
	longest := 1
	if p := g.Part; p != nil {
		at += c.length(p.From)
		switch p.Of {
		case program.OwnComponent:
			longest = c.components()
			if in.op = opLoadComp; p.Free {
				in.op = opLoadFree
			}
		case program.OwnEntry, program.OwnDraw:
			in.op = opLoadEntry
		case program.OwnRow:
			in.op, longest = opLoadRow, 0
		case program.All:
		default:
			return in, false
		}
	}
	if g.Owner == "p" {
		c.grown(g.Name, at+longest)
	}
	if in.op == opMove {
		in.a = inArray(memory, at)
	} else {
		in.part = &part{array: memory, from: at, stride: 1}
	}
	return in, true
}

// row is how many entries a row of what has two subscripts has: the derivatives of a system of equations.
func (c *compiler) row(g *program.Given) int {
	if len(g.At) > 1 {
		return systemSize
	}
	return 1
}

func (c *compiler) bind(s *program.Bind) {
	u := c.u
	switch {
	case s.OfRow():
		c.bindRow(s)
	case s.To.Shape.Number() && s.From != nil:
		if from := c.loadGiven(s.From); from.lanes {
			c.places[s.To] = from
		} else {
			c.move(s.To, from)
		}
	case s.To.Shape.Number():
		c.emit(instruction{op: opLoadComp, dst: c.number(s.To).at(), part: &part{array: c.array(s.Own), stride: 1}})
	case s.From != nil:
		c.arrays[s.To] = c.given(s.From, s.To.Shape)
	case !s.Own.Shape.Block:
		c.slice(c.declare(s.To), c.array(s.Own), 0, c.size(s.Own.Shape.Dims))
	default:
		k, own, n := c.declare(s.To), c.array(s.Own), c.size(s.Own.Shape.Dims)
		c.always(func() {
			size := n * u.b
			u.arrays[k].set(u.arrays[own].memory[u.comp*size : (u.comp+1)*size])
		})
	}
}

func (c *compiler) buffer(s *program.Buffer) {
	u, k, shape := c.u, c.declare(s.To), s.To.Shape
	if c.helper && !c.inPass {
		return
	}
	memory := c.slot(u.owner, shape, s.Slot)
	if !shape.Block {
		u.arrays[k].set(memory)
		return
	}
	n := c.size(shape.Dims)
	if shape.Stacked {
		n *= c.components()
	}
	c.always(func() { u.arrays[k].set(memory[:u.b*n]) })
}

// store writes a number to an entry, or to what is given.
func (c *compiler) store(s *program.Store) {
	if c.loop != nil {
		unsupported("a statement that writes inside a loop over rows")
	}
	value := c.formula(s.Value)
	g := s.To.Place.Given
	if g == nil || len(s.To.At) > 0 {
		c.storeEntry(s.To, value)
		return
	}
	in, ok := c.numberAt(g)
	if !ok {
		unsupported("writing to %s", g)
	}
	if in.op == opMove {
		c.put(in.a, value)
		return
	}
	stores := map[op]op{opLoadComp: opStoreComp, opLoadFree: opStoreFree, opLoadEntry: opStoreEntry}
	if in.op, ok = stores[in.op]; !ok {
		unsupported("writing to %s", g)
	}
	in.a = value.at()
	c.emit(in)
}

// storeEntry writes a number to an entry outside of loops.
func (c *compiler) storeEntry(to program.Ref, value operand) {
	if to.At[0].Loop == program.Here {
		c.storeRow(to.Place, value)
		return
	}
	at := c.subscript(to)
	if at.i != 0 || at.j != 0 || at.row != 0 {
		unsupported("writing an entry outside its loop")
	}
	array := c.array(to.Place)
	if at.comp == 0 {
		c.put(inArray(array, at.base), value)
		return
	}
	c.emit(instruction{op: opStoreComp, a: value.at(), part: &part{array: array, from: at.base, stride: at.comp}})
}

// put writes a number to an entry of an array: by the last instruction, where that computes it for this alone.
func (c *compiler) put(to location, value operand) {
	if last := c.last(value); last != nil {
		last.dst = to
		return
	}
	c.emit(instruction{op: opMove, dst: to, a: value.at()})
}

// subscripts is where an entry lies: a sum of multiples of indices.
type subscripts struct{ base, i, j, row, comp int }

func (c *compiler) subscript(r program.Ref) subscripts {
	dims := r.Place.Shape.Dims
	var at subscripts
	for k, i := range r.At {
		if k > 0 {
			n := 0
			if i.Loop == program.Component {
				n = c.components()
			} else {
				n = c.dim(dims[len(dims)-len(r.At[1:])+k-1])
			}
			at = subscripts{at.base * n, at.i * n, at.j * n, at.row * n, at.comp * n}
		}
		switch i.Loop {
		case program.I:
			at.i++
		case program.J:
			at.j++
		case program.Row:
			at.row++
		case program.Component:
			at.comp++
		default:
			at.base += i.At
		}
	}
	if c.at != nil {
		at.base += at.i*c.at[0] + at.j*c.at[1]
		at.i, at.j = 0, 0
	}
	return at
}

// load reads a number, or an entry.
func (c *compiler) load(r program.Ref) operand {
	if len(r.At) == 0 {
		if r.Place.Given != nil {
			return c.loadGiven(r.Place.Given)
		}
		o, ok := c.places[r.Place]
		if !ok {
			unsupported("a number that nothing declares, %s", r.Place.Name)
		}
		return o
	}
	if r.Gathers() {
		return c.loadGathered(r)
	}
	at := c.subscript(r)
	k := c.array(r.Place)
	if at.i != 0 || at.j != 0 || at.row != 0 {
		if c.loop == nil {
			unsupported("an entry outside its loop, %s", r)
		}
		return c.loop.load(k, at)
	}
	if at.comp != 0 {
		return c.result(instruction{op: opLoadComp, part: &part{array: k, from: at.base, stride: at.comp}})
	}
	return c.result(instruction{op: opMove, a: inArray(k, at.base)})
}

// prepare prepares functions for an operand.
func (c *compiler) prepare(s *program.Prepare) {
	u, holder := c.u, c.preparedPlace(s.To)
	key := fmt.Sprint(u.owner, s.Type, s.Slot)
	var all []*prepared
	n := 1
	if s.Stacked {
		n = c.components()
	}
	for comp := range n {
		at := fmt.Sprint(key, "/", comp)
		if c.machine.prepared[at] == nil {
			c.machine.prepared[at] = &prepared{}
		}
		all = append(all, c.machine.prepared[at])
	}
	of := func() *prepared {
		if len(all) == 1 {
			return all[0]
		}
		return all[u.comp]
	}
	if s.View {
		c.always(func() { *holder = of() })
		return
	}
	if !c.inPass {
		u.prepares = append(u.prepares, preparation{holder, all})
	}
	x, weights, each := c.formula(s.Operand), u.weights(), c.size(s.Calls)
	if x.lanes {
		unsupported("functions prepared for every row")
	}
	c.always(func() {
		*holder = of()
		(*holder).prepare(s.Type, u.numbers[x.reg], weights.count()*each)
	})
}

func (c *compiler) preparedPlace(p *program.Place) **prepared {
	if c.prepares[p] == nil {
		c.prepares[p] = new(*prepared)
	}
	return c.prepares[p]
}

// operandNumber is a number among the operands of a kernel, and the register that has it.
type operandNumber struct {
	at       int
	register int32
}

// call calls a kernel.
func (c *compiler) call(s *program.Call) {
	k, native, u := program.Kernels()[s.Kernel], interpret.Natives[s.Kernel], c.u
	if k == nil || native == nil {
		unsupported("kernel %s", s.Kernel)
	}
	o := &interpret.Operands{}
	var arrays []int32
	var holder **prepared
	var numbers []operandNumber
	var ofBlock []bool
	for i, p := range k.Params {
		switch a := s.Args[i]; {
		case p.Length:
			o.Lengths = append(o.Lengths, c.dim(a.Dim))
			ofBlock = append(ofBlock, a.Block)
		case p.Number && a.Value != nil:
			numbers = append(numbers, operandNumber{len(o.Numbers), c.formula(a.Value).reg})
			o.Numbers = append(o.Numbers, 0)
		case p.Number:
			o.Numbers = append(o.Numbers, float64(a.Dim.Size))
		case p.Prepared != "":
			holder = c.preparedPlace(a.Place)
		case a.Place.OfRows():
			arrays = append(arrays, c.ofBlock(a.Place))
		default:
			arrays = append(arrays, c.array(a.Place))
		}
	}
	o.Arrays = make([][]float64, len(arrays))
	for i, k := range arrays {
		u.arrays[k].slices = append(u.arrays[k].slices, &o.Arrays[i])
	}
	to := int32(-1)
	if s.To != nil {
		to = c.number(s.To).reg
	}
	ends := s.Definite && (s.Guard >= 0 && u.step.Checked || u.step.Definite)
	c.then(func() status {
		for i, is := range ofBlock {
			if is {
				o.Lengths[i] = u.b
			}
		}
		for _, n := range numbers {
			o.Numbers[n.at] = u.numbers[n.register]
		}
		if holder != nil {
			o.Gammas, o.Student = &(*holder).gammas, &(*holder).student
		}
		o.Indefinite = false
		x := native(o)
		if to >= 0 {
			u.numbers[to] = x
		}
		switch {
		case !ends || !o.Indefinite:
			return goesOn
		case s.Guard >= 0 && u.step.Checked:
			u.condition = s.Guard
			return violated
		}
		return indefinite
	})
}

// ofComponents compiles a loop over the components.
func (c *compiler) ofComponents(s *program.Components) {
	inner, m := c.statements(s.Body), c.machine
	if s.Own {
		c.then(func() status { m.comp = m.own; return run(inner) })
		return
	}
	k := c.components()
	c.then(func() status {
		for m.comp = 0; m.comp < k; m.comp++ {
			if st := run(inner); st != goesOn {
				return st
			}
		}
		return goesOn
	})
}
