package engine

import (
	"math"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/program"
	"github.com/sngdgen/sngdgen/runtime/dense"
)

// widest is about how many entries are computed at a time.
const widest = 512

// loop is a loop over rows and over the entries of each, computed for some hundred entries at a time: a register has a number for
// each of them.
type loop struct {
	c       *compiler
	shape   program.Shape
	rows    int // unless they are those of a block
	columns int // entries of a row; of a triangle those of the last row
	code    []laneInstruction
	used    int
	weights *operand // where they are read
	gathers bool     // entries that numbers name
}

// laneInstruction computes a number for every entry.
type laneInstruction struct {
	op             op
	aLanes, bLanes bool
	dst, a, b      int32
	unary          func(float64) float64
	binary         func(x, y float64) float64
	call           *call
	which          []bool // of the operands of the call are registers of the loop
	at             subscripts
	gather         *gather
	into           *write // what comes out is written there, and needed nowhere else
}

// newLoop starts a loop; the compiler writes instructions into it until it is closed.
func (c *compiler) newLoop(s program.Shape) *loop {
	if c.loop != nil {
		unsupported("a loop over entries inside one")
	}
	l := &loop{c: c, shape: s, rows: 1, columns: 1}
	if !s.Block && len(s.Dims) > 0 {
		l.rows = c.dim(s.Dims[0])
	}
	switch {
	case s.Block && len(s.Dims) > 0:
		l.columns = c.dim(s.Dims[0])
	case !s.Block && len(s.Dims) > 1:
		l.columns = c.dim(s.Dims[1])
	}
	c.loop = l
	return l
}

// newLanes is a register with memory of its own.
func (l *loop) newLanes() operand {
	u := l.c.u
	if l.used == len(u.lanes) {
		u.lanes, u.buffers = append(u.lanes, nil), append(u.buffers, nil)
	}
	if n := max(widest, l.columns); len(u.buffers[l.used]) < n {
		u.buffers[l.used] = make([]float64, n)
	}
	l.used++
	return operand{lanes: true, reg: int32(l.used - 1)}
}

func (l *loop) emit(in laneInstruction) operand {
	out := l.newLanes()
	if in.op != opBinary && in.op != opAdd && in.op != opSub && in.op != opMul && in.op != opDiv {
		in.aLanes = true
	}
	in.dst = out.reg
	l.code = append(l.code, in)
	return out
}

// load reads the entries of an array.
func (l *loop) load(k int32, at subscripts) operand {
	return l.emit(laneInstruction{op: opLoad, a: k, at: at})
}

// weight is the weight of the row.
func (l *loop) weight() operand {
	if l.weights == nil {
		w := l.load(l.c.array(program.Weights), subscripts{i: 1})
		l.weights = &w
	}
	return *l.weights
}

// attained is 1 in the row with an index.
func (l *loop) attained(index operand) operand {
	return l.emit(laneInstruction{op: opLast, a: index.reg})
}

// span is what of a loop is computed at a time: rows of as many columns, or of a lower triangle, one after the other.
type span struct {
	first, rows, columns int
	lower                bool
}

// segment is where the entries of row r of a span begin, and how many they are.
func (s span) segment(r int) (at, n int) {
	if s.lower {
		return triangle(s.first+r) - triangle(s.first), s.first + r + 1
	}
	return r * s.columns, s.columns
}

// n is how many entries a span has.
func (s span) n() int {
	at, _ := s.segment(s.rows)
	return at
}

// triangle is how many entries so many rows of a lower triangle have.
func triangle(rows int) int { return rows * (rows + 1) / 2 }

// each goes over the rows of a loop in spans.
func (l *loop) each(u *unit, visit func(span) status) status {
	rows := l.rows
	if l.shape.Block {
		rows = u.b
	}
	if l.shape.Lower {
		return l.eachLower(visit)
	}
	at := max(1, widest/max(l.columns, 1))
	if rows <= at && rows > 0 {
		return visit(span{0, rows, l.columns, false})
	}
	for first := 0; first < rows; first += at {
		if st := visit(span{first, min(at, rows-first), l.columns, false}); st != goesOn {
			return st
		}
	}
	return goesOn
}

// eachLower goes over the rows of a lower triangle, as many at a time as there is room for.
func (l *loop) eachLower(visit func(span) status) status {
	for first := 0; first < l.rows; {
		s := span{first, 1, first + 1, true}
		for !l.gathers && first+s.rows < l.rows && triangle(first+s.rows+1)-triangle(first) <= widest {
			s.rows++
		}
		if st := visit(s); st != goesOn {
			return st
		}
		first += s.rows
	}
	return goesOn
}

// lanesOf runs the instructions of a loop for some of its rows.
func (u *unit) lanesOf(code []laneInstruction, s span) {
	n := s.n()
	for i := range code {
		in := &code[i]
		if in.op == opLoad {
			u.loadLanes(in, s)
			continue
		}
		if in.op == opCall {
			in.call.lanes(u, in.which, n)
			continue
		}
		dst := u.memory(in, s)
		u.lanes[in.dst] = dst
		switch {
		case in.op == opGather:
			in.gather.load(u, dst, s)
		case in.aLanes && in.bLanes:
			in.both(dst, u.lanes[in.a][:n], u.lanes[in.b][:n])
		case in.bLanes:
			in.first(dst, u.numbers[in.a], u.lanes[in.b][:n])
		case in.op == opLast:
			row := u.numbers[in.a] - float64(u.start+s.first)
			for k := range dst {
				if dst[k] = 0; float64(k/s.columns) == row {
					dst[k] = 1
				}
			}
		default:
			u.second(in, dst, u.lanes[in.a][:n])
		}
	}
}

// memory is where an instruction writes to: where its result belongs, if that lies one after the other.
func (u *unit) memory(in *laneInstruction, s span) []float64 {
	if w := in.into; w != nil && w.inOrder(s) {
		return w.entries(u, s)
	}
	return u.buffers[in.dst][:s.n()]
}

// lanes calls a function for every entry.
func (c *call) lanes(u *unit, which []bool, n int) {
	for _, to := range c.to {
		u.lanes[to] = u.buffers[to][:n]
	}
	varying := -1 // the only operand that varies, -2 where there are several
	for i, a := range c.args {
		switch {
		case !which[i]:
			c.values[i] = u.numbers[a]
		case varying == -1:
			varying = i
		default:
			varying = -2
		}
	}
	if varying >= 0 && len(c.to) <= 2 {
		c.ofOne(u, varying, n)
		return
	}
	for k := range n {
		for i, a := range c.args {
			if which[i] {
				c.values[i] = u.lanes[a][k]
			}
		}
		c.f(c.values, c.results)
		for i, to := range c.to {
			u.lanes[to][k] = c.results[i]
		}
	}
}

// ofOne calls a function of one or two results, of whose operands one varies, for every entry.
func (c *call) ofOne(u *unit, varying, n int) {
	a, values, results, f := u.lanes[c.args[varying]][:n], c.values, c.results, c.f
	first := u.lanes[c.to[0]][:n]
	if len(c.to) == 1 {
		for k, x := range a {
			values[varying] = x
			f(values, results)
			first[k] = results[0]
		}
		return
	}
	second := u.lanes[c.to[1]][:n]
	for k, x := range a {
		values[varying] = x
		f(values, results)
		first[k], second[k] = results[0], results[1]
	}
}

// offset is where the entry of the first row and column lies.
func (u *unit) offset(at subscripts, s span) int {
	return at.base + s.first*(at.i+at.row) + u.start*at.row + u.comp*at.comp
}

// loadLanes reads entries: as they lie in memory where they lie one after the other.
func (u *unit) loadLanes(in *laneInstruction, s span) {
	array, from, n := u.arrays[in.a].memory, u.offset(in.at, s), s.n()
	rows, columns := in.at.i+in.at.row, in.at.j
	if inOrder(rows, columns, s) {
		u.lanes[in.dst] = array[from : from+n]
		return
	}
	dst := u.buffers[in.dst][:n]
	u.lanes[in.dst] = dst
	if columns == 1 && rows == 0 && !s.lower {
		copy(dst[:s.columns], array[from:])
		repeat(dst, s.columns)
		return
	}
	for r := range s.rows {
		begin, length := s.segment(r)
		loadRow(dst[begin:begin+length], array[from+r*rows:], columns)
	}
}

// loadRow reads every so many entries of an array; where that is 0, the same one.
func loadRow(row, array []float64, columns int) {
	switch columns {
	case 0:
		x := array[0]
		for k := range row {
			row[k] = x
		}
	case 1:
		copy(row, array)
	default:
		for k := range row {
			row[k] = array[k*columns]
		}
	}
}

// repeat fills a slice with its first n numbers, over and over: twice as many with every copy.
func repeat(dst []float64, n int) {
	for ; n < len(dst); n *= 2 {
		copy(dst[n:], dst[:n])
	}
}

// inOrder reports whether entries lie one after the other.
func inOrder(rows, columns int, s span) bool {
	if s.lower {
		return columns == 1 && s.rows == 1
	}
	return (columns == 1 || s.columns == 1) && (rows == s.columns || s.rows == 1)
}

// write stores what has been computed for every entry.
type write struct {
	array  int32
	at     subscripts
	value  operand
	add    bool
	before []laneInstruction // that compute the value
	gather *gather           // of what numbers name
	// written says that the last of these writes to the array itself, where entries lie one after the other.
	written bool
}

// valueAt is the value of an operand for entry k of a loop.
func (u *unit) valueAt(o operand, k int) float64 {
	if o.lanes {
		return u.lanes[o.reg][k]
	}
	return u.numbers[o.reg]
}

// inOrder reports whether entries are written one after the other.
func (w *write) inOrder(s span) bool { return inOrder(w.at.i+w.at.row, w.at.j, s) }

// entries are those that are written, where they lie one after the other.
func (w *write) entries(u *unit, s span) []float64 {
	from := u.offset(w.at, s)
	return u.arrays[w.array].memory[from : from+s.n()]
}

func (u *unit) write(w *write, s span) {
	switch {
	case w.gather != nil:
		w.gather.add(u, w.value, s)
		return
	case w.value.lanes && !w.add && w.inOrder(s):
		if !w.written {
			copy(w.entries(u, s), u.lanes[w.value.reg])
		}
		return
	}
	array, from := u.arrays[w.array].memory, u.offset(w.at, s)
	rows, columns := w.at.i+w.at.row, w.at.j
	for r := range s.rows {
		begin, length := s.segment(r)
		if w.value.lanes && columns == 1 {
			entries, values := array[from+r*rows:from+r*rows+length], u.lanes[w.value.reg][begin:]
			if w.add {
				plus(entries, entries, values)
			} else {
				copy(entries, values)
			}
			continue
		}
		for k := range length {
			x := u.valueAt(w.value, begin+k)
			if at := from + r*rows + k*columns; w.add {
				array[at] += x
			} else {
				array[at] = x
			}
		}
	}
}

// sum is a sum over the rows, of a block at a time, or the largest value.
type sum struct {
	to, part, index int32
	value           operand
	weight          operand
	max             bool
}

func (u *unit) add(p *sum, s span) {
	if p.max {
		u.largest(p, s)
		return
	}
	total := u.numbers[p.part]
	for _, x := range u.lanes[p.value.reg][:s.n()] {
		total += x
	}
	u.numbers[p.part] = total
}

func (u *unit) largest(p *sum, s span) {
	weights := u.lanes[p.weight.reg]
	for k := range s.n() {
		if !(weights[k] > 0) {
			continue
		}
		x := u.valueAt(p.value, k)
		if p.index < 0 {
			u.numbers[p.to] = math.Max(u.numbers[p.to], x)
			continue
		}
		top, at := dense.Larger(u.numbers[p.to], int(u.numbers[p.index]), x, u.start+s.first+k/s.columns)
		u.numbers[p.to], u.numbers[p.index] = top, float64(at)
	}
}

// total adds up entries: of the whole, or of every row.
type total struct {
	to     operand // a number
	array  int32   // or an array, of every row
	byRow  bool
	value  operand
	before []laneInstruction // that compute the value
}

func (u *unit) total(t *total, s span) {
	if !t.byRow {
		u.numbers[t.to.reg] = u.sumFrom(u.numbers[t.to.reg], t.value, 0, s.n())
		return
	}
	for r := range s.rows {
		u.arrays[t.array].memory[s.first+r] = u.sumFrom(0, t.value, r*s.columns, s.columns)
	}
}

// sumFrom adds entries of an operand to a number, one after the other.
func (u *unit) sumFrom(x float64, o operand, at, n int) float64 {
	if o.lanes {
		for _, y := range u.lanes[o.reg][at : at+n] {
			x += y
		}
		return x
	}
	for range n {
		x += u.numbers[o.reg]
	}
	return x
}

// guard ends the program where a number is outside a range.
type guard struct {
	value    operand
	interval expr.Range
	index    int
}

// guarded checks the conditions: that of the first entry where one does not hold counts.
func (u *unit) guarded(guards []guard, s span) status {
	worst := s.n()
	for _, g := range guards {
		var values []float64
		if g.value.lanes {
			values = u.lanes[g.value.reg][:worst]
		} else {
			values = u.numbers[g.value.reg : g.value.reg+1][:min(worst, 1)]
		}
		if k := firstOutside(values, g.interval); k < len(values) {
			worst, u.condition = k, g.index
		}
	}
	if worst < s.n() {
		return violated
	}
	return goesOn
}

// firstOutside is where the first number lies that is not in a range, their number if all are.
func firstOutside(values []float64, r expr.Range) int {
	switch r {
	case expr.Real:
		for k, x := range values {
			if !(math.Abs(x) <= math.MaxFloat64) {
				return k
			}
		}
	case positive:
		for k, x := range values {
			if !(x > 0 && x <= math.MaxFloat64) {
				return k
			}
		}
	default:
		for k, x := range values {
			if !inside(x, r) {
				return k
			}
		}
	}
	return len(values)
}
