package plan

import (
	"fmt"
	"slices"

	"github.com/sngdgen/sngdgen/expr"
)

// Vectors and matrices. What is elementwise is written entry by entry, fused into the loop that needs it; what combines
// entries (products, solves, inner products, sums over the rows) is a call of a dense kernel, or a loop that adds up, into
// memory of its own. One Cholesky factorisation serves everything that is asked of one matrix.

// Shape is that of a buffer: one value, or one for each row of a block, or for each component of a mixture.
type Shape struct {
	Block bool
	Dims  []expr.Dim
	Lower bool // of a square matrix the lower triangle alone
	// Inside is true for memory of a loop over components that nothing needs after it, Stacked for one value for each
	// component, one after the other.
	Inside, Stacked bool
}

func shapeOf(t expr.Type) Shape {
	return Shape{Block: t.Axes.Has(expr.Rows), Dims: slices.Clone(t.Dims[:t.Rank])}
}

// Buffer declares memory under a name: slot number Slot of the slots for its shape.
type Buffer struct {
	Name  string
	Shape Shape
	Slot  int
}

// Call calls a dense kernel.
type Call struct {
	Func string
	Args []Arg
	To   string // the local variable that takes the result
	// Definite is true for a factorisation, which reports whether the matrix is positive definite; Guard is then the
	// index of the condition that fails, or -1.
	Definite bool
	Guard    int
}

// Arg is an operand: the name of memory or of a length, or a number to be written out.
type Arg struct {
	Text string
	Node *expr.Node
}

// Each is a loop over the entries of a vector, of a matrix or of a block of rows, or over the rows of a block.
type Each struct {
	Shape  Shape
	Body   []Stmt
	Writes []Write
	Totals []Total
	Sums   []Sum // over the rows, weighted
	Guards []Guard
	Named  Named
}

// WrittenOut reports whether there is no loop: the entries are written out.
func (e *Each) WrittenOut() bool { return !e.Shape.Block && len(e.Shape.Dims) == 0 }

// Write stores an entry.
type Write struct {
	To       string
	Node     *expr.Node
	Weighted bool // times the weight of the row
	Add      bool // to what is there
	Diagonal bool // of a matrix, in a loop over one side
	Column   bool // To is a column of the data stage
	// ByComponent is true for a value of each row and component, which goes to a matrix with one row for each of the rows.
	ByComponent bool
	At          string // the index, where entries are written out
}

// Total adds up the entries: of the whole, into a new variable, or in a loop over the entries of a block those of each row,
// into memory.
type Total struct {
	Name string
	Node *expr.Node
}

// Blocks is a pass over blocks of rows.
type Blocks struct {
	Stmts []Stmt
	Sums  []Sum // numbers, over the rows
	// Data is the local name of the observations, Columns those of the data stage that are used.
	Data    string
	Columns []ColumnRead
	Weights bool
	Strata  bool // all rows of a block belong to one component, for which some loops are run

	memory *memory
}

// memory is where buffers are declared and statements go: the program, the body of a pass over blocks, or a loop over the
// components in one of them.
type memory struct {
	inside  bool // of a loop over the components
	stmts   *[]Stmt
	buffers map[string]*Buffer // by name
	order   []string           // names in order of declaration
	uses    map[string]int     // position of the last use
	first   map[string]int     // position of the declaration
	whole   []Stmt             // memory for all components, declared before everything else
}

func newMemory(stmts *[]Stmt) *memory {
	return &memory{stmts: stmts, buffers: map[string]*Buffer{}, uses: map[string]int{}, first: map[string]int{}}
}

// emit appends a statement that uses the given memory, besides that of the entries it mentions.
func (p *planner) emit(s Stmt, uses ...string) {
	at := len(*p.mem.stmts)
	*p.mem.stmts = append(*p.mem.stmts, s)
	for _, name := range append(uses, p.touched...) {
		p.mem.use(name, at)
		p.inside = append(p.inside, name) // counts as used where the pass ends, should this be inside one
	}
	p.touched = nil
}

func (m *memory) use(name string, at int) {
	if m.buffers[name] != nil {
		m.uses[name] = at
	}
}

// within plans what varies over the given axes where it belongs: what does not vary over the rows in front of the pass that
// needs it, what does not vary over the components in front of their loop. It keeps apart what the statement under
// construction uses.
func (p *planner) within(axes expr.Axes, plan func()) {
	mem, touched := p.mem, p.touched
	p.mem, p.touched = p.place(axes), nil
	plan()
	p.mem, p.touched = mem, touched
}

// newBuffer declares memory.
func (p *planner) newBuffer(hint string, s Shape) string {
	name := p.localName(hint)
	s.Inside = p.mem.inside
	b := &Buffer{Name: name, Shape: s}
	p.mem.buffers[name] = b
	p.mem.order = append(p.mem.order, name)
	p.mem.first[name] = len(*p.mem.stmts)
	p.mem.uses[name] = len(*p.mem.stmts)
	*p.mem.stmts = append(*p.mem.stmts, Stmt{Buffer: b})
	for _, d := range s.Dims {
		p.dim(d)
	}
	return name
}

// dim is the local name of a length.
func (p *planner) dim(d expr.Dim) string {
	if d.Name != "" {
		p.prog.Dims[d.Name] = true
	}
	return DimName(d)
}

// text is an operand that is a name.
func text(names ...string) []Arg {
	out := make([]Arg, len(names))
	for i, n := range names {
		out[i] = Arg{Text: n}
	}
	return out
}

// call emits a call of a kernel.
func (p *planner) call(fn string, args ...string) {
	p.emit(Stmt{Call: &Call{Func: fn, Args: text(args...), Guard: -1}}, args...)
}

// tensor reports whether a value is a vector or a matrix.
func tensor(n *expr.Node) bool { return n.Type.Rank > 0 }

// kernel reports whether a node is computed by a kernel or a loop of its own, not written out where it is needed.
func kernel(n *expr.Node) bool {
	switch n.Op {
	case expr.Dot, expr.Inner, expr.LogDet, expr.Inv, expr.Chol, expr.LowerHalf:
		return true
	case expr.MatMul:
		left, _, right := ends(n)
		return left == 0 && right == len(n.Args)
	case expr.Diag:
		return n.Args[0].Op == expr.MatMul || n.Args[0].Op == expr.Inv
	}
	return shapedRoot(n)
}

// need makes sure that a value outside the passes over the rows can be referred to: what must have memory or a name gets
// it, operands first.
func (p *planner) need(root *expr.Node) { p.scalars(root, p.now) }

// buffer is the name of the memory that holds a vector or a matrix, which is computed if need be.
func (p *planner) buffer(n *expr.Node) string {
	if name := p.named[n]; name != "" {
		return name
	}
	if n.Type.Axes.Has(expr.Rows) {
		panic(Unsupported("a value for every row: " + n.String()))
	}
	p.within(n.Type.Axes, func() { p.compute(n) })
	return p.named[n]
}

// compute computes a vector or a matrix into memory, and names it.
func (p *planner) compute(n *expr.Node) {
	if n.Op == expr.Sym && p.def[n] != nil {
		d := p.def[n]
		if name := p.named[d]; name != "" {
			p.named[n] = name
			return
		}
		p.store(n, d, p.hints[n])
		return
	}
	if p.need(n); p.named[n] == "" {
		p.store(n, n, p.hints[n])
	}
}

// store computes a value into memory of its own.
func (p *planner) store(n, value *expr.Node, hint string) {
	if kernel(value) {
		p.hint = hint
		p.lower(value)
		p.named[n] = p.named[value]
		return
	}
	p.needs(value)
	if value.Op == expr.Sym && p.named[value] != "" {
		p.named[n] = p.named[value]
		return
	}
	shape := shapeOf(value.Type)
	if n.Type.Rank > value.Type.Rank { // a number for every entry
		shape = shapeOf(n.Type)
	}
	name := p.newBuffer(hint, shape)
	p.fillPart(name, value, shape)
	p.named[n] = name
	if p.named[value] == "" {
		p.named[value] = name
	}
}

// needs makes the operands of an elementwise value available.
func (p *planner) needs(value *expr.Node) {
	if value.Op == expr.Sym {
		p.need(value)
		return
	}
	for _, a := range value.Args {
		p.need(a)
	}
}

// fill writes the entries of an elementwise value to memory. What is on the diagonal alone is added after the rest.
func (p *planner) fill(name string, value *expr.Node) { p.fillPart(name, value, shapeOf(value.Type)) }

// fillPart writes the entries of a shape, which the value may not show: the number 0 has none.
func (p *planner) fillPart(name string, value *expr.Node, s Shape) {
	rest, diagonal := p.splitDiagonal(value)
	inPlace := s.unrolled() && !s.Block // each entry is written on its own
	p.write(name, s, func(where at) *expr.Node {
		if diagonal != nil && inPlace && where.i == where.j {
			return p.k.Graph.Add(p.element(rest, where), p.element(diagonal, where))
		}
		return p.element(rest, where)
	})
	if diagonal != nil && !inPlace {
		e := &Each{Shape: Shape{Dims: value.Type.Dims[:1]}}
		p.finishEach(e, func() {
			e.Writes = append(e.Writes, Write{To: name, Node: p.element(diagonal, at{"i", "i", value.Type.Dims[1], ""}), Add: true, Diagonal: true})
		}, name)
	}
}

// splitDiagonal separates the terms of a matrix that are diagonal, nil when there are none.
func (p *planner) splitDiagonal(n *expr.Node) (rest, diagonal *expr.Node) {
	if n.Type.Rank != 2 {
		return n, nil
	}
	isDiagonal := func(a *expr.Node) bool {
		_, core := p.k.Graph.Bare(a)
		return core.Op == expr.Eye || core.Op == expr.DiagMat
	}
	n = p.opened(n, isDiagonal)
	if isDiagonal(n) {
		return p.k.Graph.Const(0), n
	}
	if n.Op != expr.Lin {
		return n, nil
	}
	var in, out []*expr.Node
	var inCoefs, outCoefs []float64
	for i, a := range n.Args {
		if isDiagonal(a) {
			in, inCoefs = append(in, a), append(inCoefs, n.Coefs[i])
		} else {
			out, outCoefs = append(out, a), append(outCoefs, n.Coefs[i])
		}
	}
	if len(in) == 0 {
		return n, nil
	}
	return p.k.Graph.Lin(n.Const, outCoefs, out), p.k.Graph.Lin(0, inCoefs, in)
}

// opened multiplies scaled sums of matrices out where they have diagonal terms, so that these can be told from the others.
func (p *planner) opened(n *expr.Node, isDiagonal func(*expr.Node) bool) *expr.Node {
	g := p.k.Graph
	s, core := g.Bare(n)
	if core.Op != expr.Lin || core.Type.Rank != 2 || core.Const != 0 {
		return n
	}
	terms, found := make([]*expr.Node, len(core.Args)), false
	for i, a := range core.Args {
		terms[i] = p.opened(a, isDiagonal)
		found = found || isDiagonal(a) || terms[i] != a
		terms[i] = g.Mul(s, g.Scale(core.Coefs[i], terms[i]))
	}
	if !found {
		return n
	}
	return g.Add(terms...)
}

// finishEach plans the body of a loop whose outputs the function lists.
func (p *planner) finishEach(e *Each, outputs func(), uses ...string) {
	outputs()
	p.fuse(e)
	for _, d := range e.Shape.Dims {
		p.dim(d)
	}
	p.emit(Stmt{Each: e}, uses...)
}

// fuse plans the body of a loop: what does not vary is computed before, what deserves a name is named.
func (p *planner) fuse(e *Each) {
	var roots []*expr.Node
	for _, w := range e.Writes {
		roots = append(roots, w.Node)
	}
	for _, t := range e.Totals {
		roots = append(roots, t.Node)
	}
	for _, s := range e.Sums {
		roots = append(roots, s.Node)
	}
	for _, g := range e.Guards {
		roots = append(roots, g.Node)
	}
	touched := p.touched
	for _, r := range roots {
		p.hoist(r, p.now)
	}
	if e.Shape.Block {
		p.prepare(roots, e.Shape.Dims)
	}
	p.touched = touched
	outer, current, taken := p.named, p.current, cloneSet(p.taken)
	p.named, p.current = cloneNamed(outer), p.count(roots)
	for sym, name := range p.entries {
		p.named[sym] = name
	}
	l := &Loop{}
	for _, r := range roots {
		p.row(l, r)
	}
	e.Body, e.Named = l.Body, p.named
	p.named, p.current, p.taken = outer, current, taken
}

func cloneNamed(m Named) Named {
	out := make(Named, len(m))
	for k, v := range m {
		out[k] = v
	}
	return out
}

func cloneSet(m map[string]bool) map[string]bool {
	out := make(map[string]bool, len(m))
	for k, v := range m {
		out[k] = v
	}
	return out
}

// assignSlots gives the buffers their slots: buffers of one shape that are not in use at the same time share one.
func (p *planner) assignSlots(m *memory) {
	free := map[string][]int{}
	count := map[string]int{}
	var live []string
	for _, name := range m.order {
		b := m.buffers[name]
		key := fmt.Sprint(b.Shape)
		live = slices.DeleteFunc(live, func(other string) bool {
			if m.uses[other] >= m.first[name] {
				return false
			}
			o := m.buffers[other]
			k := fmt.Sprint(o.Shape)
			free[k] = append(free[k], o.Slot)
			return true
		})
		if slots := free[key]; len(slots) > 0 {
			slices.Sort(slots)
			b.Slot, free[key] = slots[0], slots[1:]
		} else {
			b.Slot = count[key]
			count[key]++
			p.prog.demand(b.Shape, count[key])
		}
		live = append(live, name)
	}
}

// demand notes that buffers of a shape are needed.
func (prog *Program) demand(s Shape, count int) {
	for i := range prog.Slots {
		if fmt.Sprint(prog.Slots[i].Shape) == fmt.Sprint(s) {
			prog.Slots[i].Count = max(prog.Slots[i].Count, count)
			return
		}
	}
	prog.Slots = append(prog.Slots, Slots{s, count})
}
