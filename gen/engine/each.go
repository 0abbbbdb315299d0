package engine

import (
	"math"

	"github.com/sngdgen/sngdgen/gen/program"
	"github.com/sngdgen/sngdgen/runtime/dense"
)

// ending is what a loop does with what it has computed.
type ending struct {
	guards []guard
	sums   []*sum
	writes []*write
	totals []*total
}

// each compiles a loop over entries.
func (c *compiler) each(s *program.Each) {
	if s.WrittenOut() {
		c.writtenOut(s)
		return
	}
	if c.unrolls(s) {
		c.unrolled(s)
		return
	}
	if s.Dots {
		c.dots(s)
		return
	}
	for _, t := range s.Totals { // before the loop, where it is 0
		if !s.Shape.Block || len(s.Shape.Dims) == 0 {
			c.move(t.To, c.constant(0))
		}
	}
	l := c.newLoop(s.Shape)
	for _, inner := range s.Body {
		c.statement(inner)
	}
	var e ending
	for _, g := range s.Guards {
		e.guards = append(e.guards, guard{c.formula(g.Value), g.Range, g.Index})
	}
	c.sums(&e, s.Sums)
	c.writes(&e, s.Writes)
	for _, t := range s.Totals {
		out := &total{}
		out.value, out.before = c.late(t.Value, false)
		if out.byRow = s.Shape.Block && len(s.Shape.Dims) > 0; out.byRow {
			out.array = c.array(t.To)
		} else {
			out.to = c.places[t.To]
		}
		e.totals = append(e.totals, out)
	}
	c.close(l, &e)
}

// dots compiles sums that are inner products with the weights.
func (c *compiler) dots(s *program.Each) {
	u, weights := c.u, c.array(program.Weights)
	for _, sum := range s.Sums {
		to, x := c.number(sum.To).reg, c.array(sum.Value.(program.Ref).Place)
		c.then(func() status {
			u.numbers[to] += dense.Dot(u.arrays[weights].memory, u.arrays[x].memory)
			return goesOn
		})
	}
}

// sums compiles sums over the rows, of which those of a block are added up by themselves.
func (c *compiler) sums(e *ending, list []*program.Sum) {
	for _, s := range list {
		out := &sum{to: c.number(s.To).reg, part: -1, index: -1, max: s.Max}
		if s.Index != nil {
			out.index = c.number(s.Index).reg
		}
		weight := c.loop.weight()
		if s.Max {
			out.weight, out.value = weight, c.formula(s.Value)
		} else {
			out.part = c.newNumber().reg
			c.emit(instruction{op: opMove, dst: number(out.part), a: c.constant(0).at()})
			out.value = c.scaled(weight, s.Value)
		}
		e.sums = append(e.sums, out)
	}
}

func (c *compiler) writes(e *ending, list []*program.Write) {
	for _, w := range list {
		out := &write{add: w.Add}
		if w.To.Gathers() {
			out.gather = c.gathered(w.To)
		} else {
			out.array, out.at = c.array(w.To.Place), c.subscript(w.To)
		}
		out.value, out.before = c.late(w.Value, w.Weighted)
		if n := len(out.before); n > 0 && out.value.lanes && !w.Add && out.gather == nil && out.before[n-1].writes(out.value) {
			out.before[n-1].into, out.written = out, true
		}
		e.writes = append(e.writes, out)
	}
}

// late compiles a value that is computed when those before it have been written.
func (c *compiler) late(e program.Expr, weighted bool) (operand, []laneInstruction) {
	l := c.loop
	var weight operand
	if weighted {
		weight = l.weight()
	}
	var value operand
	code := l.code
	l.code = nil
	if weighted {
		value = c.scaled(weight, e)
	} else {
		value = c.formula(e)
	}
	before := l.code
	l.code = code
	return value, before
}

// writes reports whether an instruction computes what a register has, entry by entry in memory that may be that of an operand.
func (in *laneInstruction) writes(to operand) bool {
	return in.dst == to.reg && in.op != opLoad && in.op != opCall && in.op != opGather
}

// close makes a step of a loop. What is the same for all entries has been computed in front of it.
func (c *compiler) close(l *loop, e *ending) {
	c.loop = nil
	u := c.u
	c.then(func() status {
		st := l.each(u, func(s span) status {
			u.lanesOf(l.code, s)
			if len(e.guards) > 0 {
				if st := u.guarded(e.guards, s); st != goesOn {
					return st
				}
			}
			for _, p := range e.sums {
				u.add(p, s)
			}
			for _, w := range e.writes {
				u.lanesOf(w.before, s)
				u.write(w, s)
			}
			for _, t := range e.totals {
				u.lanesOf(t.before, s)
				u.total(t, s)
			}
			return goesOn
		})
		for _, p := range e.sums {
			if !p.max {
				u.numbers[p.to] += u.numbers[p.part]
			}
		}
		return st
	})
}

// mostWrittenOut is how many entries a loop has at most that is compiled entry by entry: with so few the numbers one after the other take
// less time than a loop.
const mostWrittenOut = 12

// unrolls reports whether a loop is compiled entry by entry.
func (c *compiler) unrolls(s *program.Each) bool {
	if s.Shape.Block || c.loop != nil || c.at != nil || c.size(s.Shape.Dims) > mostWrittenOut {
		return false
	}
	for _, w := range s.Writes {
		if w.To.Gathers() || w.Weighted {
			return false
		}
	}
	return len(s.Sums) == 0
}

// unrolled compiles a loop entry by entry.
func (c *compiler) unrolled(s *program.Each) {
	for _, t := range s.Totals {
		c.move(t.To, c.constant(0))
	}
	rows, columns := c.dim(s.Shape.Dims[0]), 1
	if len(s.Shape.Dims) > 1 {
		columns = c.dim(s.Shape.Dims[1])
	}
	for i := range rows {
		for j := range columns {
			if s.Shape.Lower && j > i {
				break
			}
			c.at = &[2]int{i, j}
			c.entry(s)
		}
	}
	c.at = nil
}

// entry compiles what a loop does once.
func (c *compiler) entry(s *program.Each) {
	for _, inner := range s.Body {
		c.statement(inner)
	}
	for _, g := range s.Guards {
		c.statement(g)
	}
	for _, w := range s.Writes {
		value := c.formula(w.Value)
		if c.loop != nil || w.Weighted {
			unsupported("writing an entry outside its loop")
		}
		if w.Add {
			value = c.binary(opAdd, c.load(w.To), value)
		}
		c.storeEntry(w.To, value)
	}
	for _, t := range s.Totals {
		if c.at != nil {
			c.accumulate(c.places[t.To], c.formula(t.Value))
		} else if value := c.formula(t.Value); value.lanes {
			c.places[t.To] = value
		} else {
			c.move(t.To, value)
		}
	}
}

// writtenOut compiles what is in a loop once.
func (c *compiler) writtenOut(s *program.Each) {
	if len(s.Sums) > 0 {
		unsupported("a sum over rows outside their loop")
	}
	c.entry(s)
}

// begin sets sums to what they are of no rows.
func (c *compiler) begin(list []*program.Sum) {
	for _, s := range list {
		first := c.constant(0)
		if s.Max {
			first = c.constant(math.Inf(-1))
		}
		if c.move(s.To, first); s.Index != nil {
			c.move(s.Index, c.constant(0))
		}
	}
}

// rows compiles a pass over rows of numbers.
func (c *compiler) rows(s *program.Rows) {
	c.begin(s.Sums)
	c.flush()
	before, first := c.body, len(c.u.arrays)
	c.body, c.inPass = nil, true
	l := c.newLoop(program.Shape{Block: true})
	for _, column := range s.Columns {
		k := c.columnArray(column)
		c.places[column.To] = l.load(k, subscripts{i: 1})
	}
	for _, inner := range s.Body {
		c.statement(inner)
	}
	var e ending
	c.sums(&e, s.Sums)
	c.writes(&e, s.Writes)
	c.close(l, &e)
	inner := c.body
	c.body, c.inPass = before, false
	c.ranges(s, s.Sums, first, c.passes(inner))
}

// columnArray is the part of a column that belongs to the block.
func (c *compiler) columnArray(column program.Column) int32 {
	u := c.u
	k := c.newArray()
	values, n := u.column(column.Field), c.size(column.Type.Dims[:column.Type.Rank])
	c.always(func() { u.arrays[k].set((*values)[u.start*n : (u.start+u.b)*n]) })
	return k
}

// passes runs statements for one block of rows after the other.
func (c *compiler) passes(inner []func() status) (over func(from, to int) status) {
	u := c.u
	return func(from, to int) status {
		for u.start = from; u.start < to; u.start += block {
			u.b = min(block, to-u.start)
			if st := run(inner); st != goesOn {
				return st
			}
		}
		return goesOn
	}
}

// blocks compiles a pass over blocks of rows.
func (c *compiler) blocks(s *program.Blocks) {
	c.begin(s.Sums)
	c.flush()
	before, first := c.body, len(c.u.arrays)
	c.body, c.inPass = nil, true
	for _, column := range s.Columns {
		c.arrays[column.To] = c.columnArray(column)
	}
	inner := c.body
	c.body = before
	inner = append(inner, c.statements(s.Body)...)
	c.inPass = false
	over := c.passes(inner)
	if s.Strata {
		over = c.strata(inner)
	}
	c.ranges(s, s.Sums, first, over)
}

// strata runs statements for one block of rows of one component after the other.
func (c *compiler) strata(inner []func() status) (over func(from, to int) status) {
	u, labels := c.u, c.u.column("labels")
	return func(from, to int) status {
		for u.start = from; u.start < to; u.start += u.b {
			u.b = dense.Run((*labels)[u.start:min(u.start+block, to)])
			u.own = int((*labels)[u.start])
			if st := run(inner); st != goesOn {
				return st
			}
		}
		return goesOn
	}
}
