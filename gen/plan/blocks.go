package plan

import (
	"slices"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/program"
	"github.com/sngdgen/sngdgen/gen/program/wording"
)

// A pass over blocks of rows computes sums of vectors and matrices with one kernel call a block, not one a row. What a row
// needs on the way is stored for a block: vectors as the rows of a matrix, numbers as a vector. Tasks compute what is
// stored; of those that are ready, loops over the entries and kernel calls go first, so that the loops over the rows, which
// wait, are as few as possible.

// kind of a task.
type kind int

const (
	entries kind = iota // a loop over the entries of a block: stores vectors, and totals of rows
	kernels             // a call of a kernel
	numbers             // a loop over the rows: stores numbers, adds up sums
	rowwise             // a loop over the rows, for what is done with the matrices of one
)

// task computes one value of every row of a block, or adds one sum up.
type task struct {
	kind     kind
	node     *expr.Node
	weighted bool // stored times the weight of the row
	sum      *expr.Node
	deps     []*task
	run      func(*blockPlanner) // of a kernel
	done     bool
	scope    scope
	// into is the memory to which every component adds, and own what it adds, of a sum over the components.
	into *program.Place
	own  *expr.Node
	ran  bool // what the components add is complete when their loop has ended: then it is done
	// factors are the vectors of an inner product that is added up entry by entry.
	factors [2]*expr.Node
	// scalar is what the matrices of a sum are multiplied with.
	scalar *expr.Node
	// to are the numbers of a row that say to which entry of a sum it adds, nil for the axis along which it adds the vector along; both
	// are nil for other sums.
	to    []*expr.Node
	along *expr.Node
}

// finish notes that a task has run.
func (t *task) finish() { t.done, t.ran = t.into == nil, t.into != nil }

// value is what a task computes.
func (t *task) value() *expr.Node {
	if t.own != nil {
		return t.own
	}
	return t.node
}

// blockPlanner plans one pass, in the scope of its rows or of a loop over the components in it.
type blockPlanner struct {
	*planner
	*passPlan
}

// passPlan is what is known of a pass.
type passPlan struct {
	blocks *program.Blocks
	tasks  []*task
	byNode map[*expr.Node]*task
	coefs  map[*expr.Node]*task
	direct map[*expr.Node]bool // elementwise vectors that kernels need in memory
	coefOf named
	// columns are the columns of the data stage that tasks write.
	columns map[*task]*program.Place
	// mixes are the tasks that combine the components, by what they combine.
	mixes map[*expr.Node]*task
	// ownHalves and ownSuffixes are the solves and products of the loops over a row's own component.
	ownHalves   map[pair]*program.Place
	ownSuffixes map[string]*program.Place
}

// pass emits one pass over blocks of rows for all sums of a level.
func (p *planner) pass(sums []*expr.Node, stores []Output) {
	before := &blockPlanner{p, &passPlan{blocks: &program.Blocks{}, byNode: map[*expr.Node]*task{}, coefs: map[*expr.Node]*task{},
		direct: map[*expr.Node]bool{}, coefOf: named{}, columns: map[*task]*program.Place{},
		mixes: map[*expr.Node]*task{}}}
	for _, s := range sums {
		before.needsMemory(s.Args[0])
	}
	for _, s := range sums {
		before.accumulator(s)
	}
	b := &blockPlanner{p.scope(), before.passPlan}
	b.block = newMemory(&b.blocks.Body)
	b.mem = b.block
	b.halves, b.suffixes = map[pair]*program.Place{}, map[string]*program.Place{}
	for _, s := range sums {
		b.sum(s)
	}
	for _, o := range stores {
		b.store(o)
	}
	b.allot()
	b.schedule()
	p.endComponents() // what the rows need
	p.add(b.blocks)
	for n := range p.named {
		if n.Type.Axes.Has(expr.Rows) {
			delete(p.named, n)
		}
	}
	for _, s := range sums {
		before.afterwards(s)
	}
}

// accumulator declares what a sum is added up in.
func (b *blockPlanner) accumulator(s *expr.Node) {
	if s.Op == expr.Max && s.Type != expr.Scalar {
		panic(Unsupported("the largest of what is no number for each row: " + s.String()))
	}
	if s.Type.Axes.Has(expr.Components) {
		b.accumulators(s)
		return
	}
	if s.Type.Rank == 0 {
		sum := b.sumOf(s, b.localName(b.totalName(s)))
		b.refer(s, sum.To)
		b.blocks.Sums = append(b.blocks.Sums, sum)
		return
	}
	to := b.destination(s)
	if to == nil {
		to = b.newBuffer(b.hintOf(s), program.ShapeOf(s.Type))
	}
	b.call("clear", to)
	b.refer(s, to)
}

// accumulators declares what the sums of all components are added up in.
func (b *blockPlanner) accumulators(s *expr.Node) {
	hint, own := b.hints[s], (*program.Place)(nil)
	if s.Type.Rank == 0 {
		hint = b.totalName(s)
	} else {
		own = b.destination(s)
	}
	if own == nil {
		shape := program.Shape{Dims: program.ShapeOf(s.Type).Dims}
		own = &program.Place{Name: b.localName(hint), Shape: shape}
		b.stackOf(own, shape, b.main)
	}
	b.call("clear", b.all[own])
	b.refer(s, own)
}

// afterwards completes a sum when the pass is over.
func (b *blockPlanner) afterwards(s *expr.Node) {
	if x, y, ok := outerOf(b.k.Graph, s.Args[0]); ok && x == y {
		b.in(s.Type.Axes).call("Mirror", b.named[s], s.Type.Dims[0])
	}
}

// outerOf takes a matrix of one row apart: a number times the outer product of two vectors.
func outerOf(g *expr.Graph, n *expr.Node) (x, y *expr.Node, ok bool) {
	_, core := g.Bare(n)
	if core.Op != expr.Outer {
		return nil, nil, false
	}
	return core.Args[0], core.Args[1], true
}

// needsMemory finds the elementwise vectors of rows that kernels take as operands.
func (b *blockPlanner) needsMemory(root *expr.Node) {
	g := b.k.Graph
	direct := func(vectors ...*expr.Node) {
		for _, x := range vectors {
			if _, ok := chosen(x); !ok {
				b.direct[x] = true
			}
		}
	}
	switch root.Type.Rank {
	case 1:
		_, core := g.Bare(root)
		direct(core)
	case 2:
		if x, y, ok := outerOf(g, root); ok && !slices.ContainsFunc([]*expr.Node{x, y}, isChosen) {
			direct(x, y)
		}
	}
	b.walk(func(n *expr.Node) {
		switch {
		case !n.Type.Axes.Has(expr.Rows):
		case byRow(n):
		case n.Op == expr.MatMul, accumulating[n.Op] != "":
			direct(n.Args[len(n.Args)-1])
		case n.Op == expr.Dot:
			if _, ok := b.quadratic(n); ok {
				b.direct[n.Args[0]] = true
			}
		}
	}, root)
}

// sum makes the tasks of one sum.
func (b *blockPlanner) sum(s *expr.Node) {
	g, a := b.k.Graph, s.Args[0]
	if s.Type.Rank == 0 {
		b.addTask(&task{kind: numbers, sum: s, node: a, deps: b.below(a, numbers)})
		return
	}
	if b.scatter(s) {
		return
	}
	scalar, core := g.Bare(a)
	coef := b.coefficient(scalar)
	t := &task{kind: kernels, sum: s}
	if coef != nil {
		t.deps = append(t.deps, coef)
	}
	weights := func(b *blockPlanner) *program.Place {
		if coef == nil {
			b.blocks.Weights = true
			return program.Weights
		}
		return b.coefOf[scalar]
	}
	if s.Type.Rank == 1 {
		t.deps = append(t.deps, b.inMemoryTask(core)...)
		t.run = func(b *blockPlanner) {
			b.call("AddMulTVec", b.named[s], expr.Dim{Size: 1}, b.memoryOf(core), weights(b), blockRows, s.Type.Dims[0])
		}
		b.addTask(t)
		return
	}
	x, y, ok := outerOf(g, a)
	if !ok {
		b.addTask(b.sumOfMatrices(s, scalar, core, coef))
		return
	}
	t.deps = append(t.deps, b.inMemoryTask(x)...)
	t.deps = append(t.deps, b.inMemoryTask(y)...)
	t.run = func(b *blockPlanner) {
		scratch := b.newBuffer("scratch", program.ShapeOf(x.Type))
		if x == y {
			b.call("AddWeightedGram", b.named[s], weights(b), b.memoryOf(x), scratch, blockRows, s.Type.Dims[0])
		} else {
			b.call("AddWeightedCross", b.named[s], weights(b), b.memoryOf(x), b.memoryOf(y), scratch, blockRows, s.Type.Dims[0], s.Type.Dims[1])
		}
	}
	b.addTask(t)
}

// coefficient is the task that stores a number of each row times its weight; nil for the number 1, as the indicator of a row's
// own component is where it is summed.
func (b *blockPlanner) coefficient(scalar *expr.Node) *task {
	if scalar.Is(1) || b.isOwn(scalar) {
		return nil
	}
	if t, ok := b.coefs[scalar]; ok {
		return t
	}
	t := &task{kind: numbers, node: scalar, weighted: true, deps: b.below(scalar, numbers)}
	b.coefs[scalar] = t
	b.addTask(t)
	return t
}

// store makes the task of a column of the data stage.
func (b *blockPlanner) store(o Output) {
	k := numbers
	if o.Node.Type.Rank > 0 {
		k = entries
	}
	if o.Node.Type.Rank == 2 {
		t := &task{node: o.Node}
		b.rowTask(t, o.Node)
		b.columns[t] = columnPlace(o)
		b.addTask(t)
		return
	}
	t := &task{kind: k, node: o.Node, deps: b.below(o.Node, k)}
	b.columns[t] = columnPlace(o)
	b.addTask(t)
}

func (b *blockPlanner) addTask(t *task) {
	n := t.node
	if t.sum != nil {
		n = t.sum
	}
	t.scope = scopeOf(n.Type)
	b.tasks = append(b.tasks, t)
}

// inMemoryTask are the tasks after which a vector of rows is in memory.
func (b *blockPlanner) inMemoryTask(n *expr.Node) []*task {
	if t := b.task(n); t != nil {
		return []*task{t}
	}
	return nil
}

// memoryOf is the memory of a vector of the rows of a block.
func (b *blockPlanner) memoryOf(n *expr.Node) *program.Place {
	if !n.Type.Axes.Has(expr.Rows) {
		panic("plan: a sum over rows that do not vary: " + n.String())
	}
	if place := b.named[n]; place != nil {
		return place
	}
	if d := b.def[n]; d != nil {
		return b.memoryOf(d)
	}
	panic(Unsupported("a value for every row: " + n.String()))
}

// task is the task that stores a value of the rows; nil for what is there already: data.
func (b *blockPlanner) task(n *expr.Node) *task {
	if t, ok := b.byNode[n]; ok {
		return t
	}
	if b.given(n) {
		return nil
	}
	if d := b.def[n]; d != nil {
		return b.task(d)
	}
	switch {
	case n.Op == expr.LogSumExp || n.Op == expr.Softmax:
		return b.mix(n)
	case combines(n):
		return b.addOver(n)
	}
	t := &task{node: n}
	b.byNode[n] = t
	from, gathers := b.gathered(n)
	switch {
	case gathers:
		t.kind, t.deps = numbers, b.indices(from)
		if n.Type.Rank > 0 {
			t.kind = entries
		}
	case accumulating[n.Op] != "" && n.Type.Axes.Has(expr.Rows):
		t.kind, t.deps = kernels, b.inMemoryTask(n.Args[0])
		t.run = func(b *blockPlanner) {
			to := b.newBuffer(b.hintOf(n), program.ShapeOf(n.Type))
			b.call("copy", to, b.memoryOf(n.Args[0]))
			b.call(accumulating[n.Op]+"Rows", to, blockRows, n.Type.Dims[0])
			b.refer(n, to)
		}
	case byRow(n):
		b.rowTask(t, n)
	case n.Op == expr.MatMul:
		t.kind = kernels
		t.deps = b.inMemoryTask(n.Args[len(n.Args)-1])
		t.run = func(b *blockPlanner) { b.lower(n, "") }
	case n.Op == expr.Dot:
		b.dotTask(t, n)
	case n.Type.Rank == 1:
		t.kind, t.deps = entries, b.belowArgs(n, entries)
	default:
		t.kind, t.deps = numbers, b.belowArgs(n, numbers)
	}
	b.addTask(t)
	return t
}

// addOver is the task that adds up what the components have in every row.
func (b *blockPlanner) addOver(n *expr.Node) *task {
	t := &task{kind: numbers, node: n, own: n.Args[0], scope: every}
	if n.Type.Rank > 0 {
		t.kind = entries
	}
	b.byNode[n] = t
	t.deps = b.below(t.own, t.kind)
	t.into = b.newBuffer(b.hintOf(n), program.ShapeOf(n.Type))
	b.tasks = append(b.tasks, t)
	return t
}

// mix is the task that combines the components in every row. The logarithm of the sum of exponentials and the softmax of
// the same numbers, the loss and the responsibilities, are computed together.
func (b *blockPlanner) mix(n *expr.Node) *task {
	x := n.Args[0]
	if t := b.mixes[x]; t != nil {
		return t
	}
	g := b.k.Graph
	lse, softmax := g.LogSumExp(n.Axis, x), g.Softmax(n.Axis, x)
	terms := b.task(x)
	if terms == nil {
		panic(Unsupported("a combination of components that is given: " + n.String()))
	}
	t := &task{kind: kernels, node: lse, deps: []*task{terms}}
	b.mixes[x], b.byNode[lse], b.byNode[softmax] = t, t, t
	t.run = func(b *blockPlanner) {
		from, k := b.whole(b.named[x]), b.k.Components
		to := b.newBuffer(b.hintOf(lse), program.Shape{Block: true})
		b.prog.Cost.PerRow += logCost
		b.prog.Cost.PerRowAndComponent += lse.Op.Cost + softmax.Op.Cost
		b.refer(lse, to)
		if b.uses[softmax] == 0 {
			b.call("LogSumExp", to, from, blockRows, k)
			return
		}
		own := &program.Place{Name: b.localName(b.hintOf(softmax)), Shape: program.Shape{Block: true}}
		all := b.stackOf(own, own.Shape, b.block)
		b.refer(softmax, own)
		b.call("Softmax", all, to, from, blockRows, k)
	}
	b.tasks = append(b.tasks, t)
	return t
}

// logCost is the cost of the one logarithm of a row.
const logCost = 10

// whole is the memory of all components for what each stores for the rows of a block: in place of memory of its own each has a part
// of that.
func (b *blockPlanner) whole(own *program.Place) *program.Place {
	if all := b.all[own]; all != nil {
		return all
	}
	all := b.stack(own, program.Shape{Block: true}, b.block)
	for _, s := range *b.block.stmts {
		for _, body := range program.Bodies(s) {
			for i, inner := range *body {
				if m, ok := inner.(*program.Buffer); ok && m.To == own {
					(*body)[i] = &program.Bind{To: own, Own: all}
				}
			}
		}
	}
	return all
}

// dotTask computes an inner product for every row: by a kernel when the operands are in memory, else entry by entry.
func (b *blockPlanner) dotTask(t *task, n *expr.Node) {
	rows := func(a *expr.Node) bool { return a.Type.Axes.Has(expr.Rows) }
	x, y := b.towardsFixed(n.Args[0], n.Args[1])
	base, quadratic := b.quadratic(n)
	row, along, byRow := b.rowBy(n)
	switch {
	case byRow:
		t.factors = [2]*expr.Node{row, along}
		t.kind, t.deps = entries, append(b.below(row, entries), b.below(along, entries)...)
	case quadratic:
		t.kind, t.deps = kernels, b.inMemoryTask(x)
		t.run = func(b *blockPlanner) {
			half := b.halfSolve(base, x)
			b.rowNumbers(n, "RowsSquare", half, blockRows, b.side(base))
		}
	case b.unrolled(program.Shape{Block: true, Dims: x.Type.Dims[:1]}):
		t.factors = [2]*expr.Node{n.Args[0], n.Args[1]}
		t.kind, t.deps = entries, append(b.below(x, entries), b.below(y, entries)...)
	case rows(x) && rows(y) && b.willBeInMemory(x) && b.willBeInMemory(y):
		t.kind, t.deps = kernels, append(b.inMemoryTask(x), b.inMemoryTask(y)...)
		t.run = func(b *blockPlanner) {
			b.rowNumbers(n, "RowsDot", b.memoryOf(x), b.memoryOf(y), blockRows, x.Type.Dims[0])
		}
	case rows(x) != rows(y) && (rows(x) && b.willBeInMemory(x) || rows(y) && b.willBeInMemory(y)):
		if rows(y) {
			x, y = y, x
		}
		t.kind, t.deps = kernels, b.inMemoryTask(x)
		t.run = func(b *blockPlanner) {
			v := b.buffer(y)
			b.rowNumbers(n, "MulVec", b.memoryOf(x), v, blockRows, x.Type.Dims[0])
		}
	default:
		t.factors = [2]*expr.Node{n.Args[0], n.Args[1]}
		t.kind, t.deps = entries, append(b.below(x, entries), b.below(y, entries)...)
	}
}

// towardsFixed moves the matrices of an inner product to the vector that stays the same for all rows: x'A y is (A'x)'y, one
// product instead of one a row.
func (b *blockPlanner) towardsFixed(x, y *expr.Node) (*expr.Node, *expr.Node) {
	if !b.may(choiceToFixed) || y.Op != expr.MatMul || x.Type.Axes.Has(expr.Rows) {
		return x, y
	}
	g, last := b.k.Graph, len(y.Args)-1
	varies := slices.ContainsFunc(y.Args[:last], func(a *expr.Node) bool { return a.Type.Axes.Has(expr.Rows) })
	if varies || !b.willBeInMemory(y.Args[last]) || b.unrolled(program.Shape{Block: true, Dims: x.Type.Dims[:1]}) {
		return x, y
	}
	return g.MatMul(g.Transpose(g.MatMul(y.Args[:last]...)), x), y.Args[last]
}

// rowNumbers calls a kernel that writes one number for each row.
func (b *blockPlanner) rowNumbers(n *expr.Node, fn string, args ...any) {
	to := b.newBuffer(b.hintOf(n), program.Shape{Block: true})
	b.call(fn, append([]any{to}, args...)...)
	b.refer(n, to)
}

func (b *blockPlanner) willBeInMemory(n *expr.Node) bool {
	return b.direct[n] || n.Op == expr.MatMul || accumulating[n.Op] != "" || b.given(n) || b.named[n] != nil
}

// given reports whether a value of the rows is at hand: the observations, or a column of the data stage.
func (b *blockPlanner) given(n *expr.Node) bool {
	hint, field := "", ""
	switch {
	case b.named[n] != nil:
		return true
	case n == b.k.Rows.Sym:
		if hint = b.hints[n]; hint == "" { // a record of several columns
			hint = "data"
		}
	case b.k.Rows.Columns[n] != "":
		hint, field = b.k.Rows.Columns[n], b.k.Rows.Columns[n]
	case b.fixed(n), b.direct[n] && b.isData(n): // what is needed in memory anyhow is there from the start
		field = b.k.Rows.Fixed.field(b.value(n))
		hint = field
	default:
		return false
	}
	shape := program.ShapeOf(n.Type)
	shape.Block = true
	b.refer(n, &program.Place{Name: b.localName(hint), Shape: shape})
	b.blocks.Columns = append(b.blocks.Columns, program.Column{To: b.named[n], Field: field, Type: n.Type})
	return true
}

// below are the tasks that a value needs which is written out in a loop of that kind.
func (b *blockPlanner) below(n *expr.Node, k kind) []*task {
	switch {
	case !n.Type.Axes.Has(expr.Rows) || b.given(n):
		return nil
	case b.written(n):
		from, _ := b.gathered(n)
		return b.indices(from)
	case b.isOwn(n): // 1 where it is for a row's own component
		return b.belowArgs(n, k)
	case byRow(n) || n.Op == expr.Dot || n.Op == expr.MatMul || accumulating[n.Op] != "" || combines(n):
		return []*task{b.task(n)}
	case n.Type.Rank == 1 && b.direct[n]:
		return []*task{b.task(n)}
	case n.Type.Rank == 1 && n.Op.Elementwise() && (b.uses[n] > 1 || b.decides(n, n.Op.Cost) >= expensive):
		return []*task{b.task(n)}
	case n.Type.Rank == 0 && k == entries && len(b.operands(n)) > 0:
		return []*task{b.task(n)}
	}
	return b.belowArgs(n, k)
}

// written reports whether a value of the rows is written out where it is needed, as an entry that is read.
func (b *blockPlanner) written(n *expr.Node) bool {
	_, ok := b.gathered(n)
	return ok && b.byNode[n] == nil && !b.direct[n]
}

func (b *blockPlanner) belowArgs(n *expr.Node, k kind) []*task {
	var out []*task
	for _, a := range b.operands(n) {
		out = append(out, b.below(a, k)...)
	}
	return out
}

// expensive is the cost of a function from which on its values are kept, so that functions that come in pairs meet.
const expensive = 40

// schedule runs the tasks: those of single components in loops over the components, in as few as possible.
func (b *blockPlanner) schedule() {
	for b.runReady(whole) || b.overComponents(every) || b.atOwn() {
	}
	for _, t := range b.tasks {
		if !t.done {
			panic("plan: a cycle in a pass over the rows")
		}
	}
}

func ofKind(ts []*task, k kind) []*task {
	return slices.DeleteFunc(slices.Clone(ts), func(t *task) bool { return t.kind != k })
}

// runReady runs the tasks of a scope that are ready, and those that are then. It reports whether there were any.
func (b *blockPlanner) runReady(s scope) bool {
	for some := false; ; some = true {
		ready := b.ready(s)
		if len(ready) == 0 {
			return some
		}
		for _, k := range []kind{entries, kernels, rowwise, numbers} {
			if now := ofKind(ready, k); len(now) > 0 {
				b.runAll(k, now)
				break
			}
		}
	}
}

// overComponents runs the tasks of single components that are ready in a loop over the components, or over a row's own one.
func (b *blockPlanner) overComponents(s scope) bool {
	in := &blockPlanner{b.scope(), b.passPlan}
	in.eachRow = newMemory(new([]program.Stmt))
	in.eachRow.inside = true
	in.mem = in.eachRow
	some := in.runReady(s)
	for _, t := range b.tasks {
		t.done = t.done || t.ran
	}
	b.blocks.Strata = b.blocks.Strata || s == own && some
	b.endLoop(in.eachRow, b.block)
	return some
}

func (b *blockPlanner) ready(s scope) []*task {
	var out []*task
	for _, t := range b.tasks {
		if t.scope == s && !t.done && !t.ran && !slices.ContainsFunc(t.deps, func(d *task) bool { return !d.done }) {
			out = append(out, t)
		}
	}
	return out
}

func (b *blockPlanner) runAll(k kind, now []*task) {
	switch k {
	case kernels:
		for _, t := range now {
			t.run(b)
			t.done = true
		}
	case entries:
		byLength := map[expr.Dim][]*task{}
		var order []expr.Dim
		for _, t := range now {
			d := t.length()
			if byLength[d] == nil {
				order = append(order, d)
			}
			byLength[d] = append(byLength[d], t)
		}
		for _, d := range order {
			b.entryLoop(d, byLength[d])
		}
	case rowwise:
		b.rowLoop(now)
	case numbers:
		b.numberLoop(now)
	}
}

// length is that of the rows that a task runs over.
func (t *task) length() expr.Dim {
	switch {
	case t.along != nil:
		return t.along.Type.Dims[0]
	case t.factors[0] != nil:
		return t.factors[0].Type.Dims[0]
	}
	return t.node.Type.Dims[0]
}

// entryLoop stores vectors and totals of rows.
func (b *blockPlanner) entryLoop(d expr.Dim, now []*task) {
	whole := program.Shape{Block: true, Dims: []expr.Dim{d}}
	e, here := newEach(whole), []at{b.at(whole)}
	if b.unrolled(whole) {
		e.Shape, here = program.Shape{Block: true}, entriesOf(whole)
	}
	var places []*program.Place
	for _, t := range now {
		n := t.node
		if t.along != nil {
			b.scatterAlong(e, t, here)
			places = append(places, nil)
			continue
		}
		if x, y := t.factors[0], t.factors[1]; x != nil {
			place := b.newBuffer(b.hintOf(n), program.Shape{Block: true})
			product := func(where at) *expr.Node {
				return b.k.Graph.Mul(b.element(x, where), b.element(y, where))
			}
			if b.unrolled(whole) {
				e.write(b.sumOut(whole, product), program.Write{To: program.Ref{Place: place, At: []program.Index{overI}}})
			} else {
				e.total(product(here[0]), place)
			}
			places = append(places, place)
			continue
		}
		place := b.placeOf(t)
		for _, where := range here {
			at := where.entry(1, true)
			if b.columns[t] != nil {
				at[0] = program.Over(program.Row)
			}
			e.write(b.element(t.value(), where), program.Write{To: program.Ref{Place: place, At: at}, Add: t.into != nil && t.scope == every})
		}
		places = append(places, place)
	}
	b.finishEach(e, func() {})
	for i, t := range now {
		if b.columns[t] == nil && t.along == nil {
			b.refer(t.node, places[i])
		}
		t.finish()
	}
}

// placeOf is the memory of the value of a task: for the rows of a block, or a column of the data stage.
func (b *blockPlanner) placeOf(t *task) *program.Place {
	switch {
	case b.columns[t] != nil:
		return b.columns[t]
	case t.into != nil:
		return t.into
	}
	return b.newBuffer(b.hintOf(t.node), program.ShapeOf(t.node.Type))
}

// numberLoop stores numbers of rows and adds up sums.
func (b *blockPlanner) numberLoop(now []*task) {
	now = append(now, b.shared(now)...)
	e := newEach(program.Shape{Block: true})
	where := b.at(e.Shape)
	var places []*program.Place
	for _, t := range now {
		value := b.element(t.value(), where)
		if t.to != nil {
			e.write(value, program.Write{To: b.scatterTo(t, where), Weighted: true, Add: true})
			b.blocks.Weights = true
			continue
		}
		if t.sum != nil {
			e.sum(value, b.sumTo(t.sum, b.named[t.sum]))
			b.blocks.Weights = true
			continue
		}
		place := b.numberPlace(t)
		if t.weighted {
			b.coefOf[t.node] = place
			b.blocks.Weights = true
		}
		e.write(value, program.Write{To: program.Ref{Place: place, At: b.numberAt(t)}, Weighted: t.weighted, Add: t.into != nil && t.scope == every})
		places = append(places, place)
	}
	inside := b.finishEach(e, func() {})
	for _, t := range now {
		*b.perRow() += b.rowCost(t.value(), inside)
		switch {
		case t.to != nil:
			*b.perRow() += 2
		case t.sum != nil:
			*b.perRow() += t.sum.Cost()
		}
	}
	i := 0
	for _, t := range now {
		t.finish()
		if t.sum != nil {
			continue
		}
		if b.columns[t] == nil && !t.weighted {
			b.refer(t.node, places[i])
		}
		i++
	}
}

// numberPlace is the memory of a number of every row.
func (b *blockPlanner) numberPlace(t *task) *program.Place {
	if b.columns[t] != nil || t.into != nil {
		return b.placeOf(t)
	}
	hint := b.hintOf(t.node)
	if t.weighted && hint != "" {
		hint = "weighted" + wording.Capital(hint)
	}
	place := b.newBuffer(hint, program.Shape{Block: true})
	if known := b.named[t.value()]; t.weighted && known != nil && temporary().MatchString(place.Name) {
		place.About = "weight times " + known.Name
	} else if b.describe(place, t.value()); t.weighted && place.About != "" {
		place.About = "weight times " + place.About
	}
	return place
}

// numberAt is where a number of a row goes: in memory of the block, or in a column, of every component in that of all.
func (b *blockPlanner) numberAt(t *task) []program.Index {
	switch {
	case b.columns[t] == nil:
		return []program.Index{overI}
	case t.scope == every:
		return []program.Index{program.Over(program.Row), program.Over(program.Component)}
	}
	return []program.Index{program.Over(program.Row)}
}

// shared are tasks that store what a loop over the rows computes on its way, or could compute together with that, and later
// loops need.
func (b *blockPlanner) shared(now []*task) []*task {
	if !b.may(choiceKeep) {
		return nil
	}
	inLoop := map[*expr.Node]bool{}
	for _, t := range now {
		b.writtenOut(t.value(), func(n *expr.Node) bool { inLoop[n] = true; return true })
	}
	var out []*task
	for _, later := range b.tasks {
		if later.done || slices.Contains(now, later) || later.kind != numbers || b.stratum && later.scope == every {
			continue
		}
		b.writtenOut(later.value(), func(n *expr.Node) bool {
			atHand := inLoop[n] && b.decides(n, n.Cost()) >= cheapColumn || b.comesWith(n, inLoop)
			if !atHand || b.byNode[n] != nil {
				return true
			}
			t := &task{kind: numbers, node: n, scope: scopeOf(n.Type)}
			if b.stratum && t.scope == every {
				t.scope = own
			}
			b.byNode[n] = t
			out = append(out, t)
			return false
		})
	}
	b.tasks = append(b.tasks, out...)
	return out
}

// writtenOut visits the numbers of a row that a loop writes out, as far as visit returns true.
func (b *blockPlanner) writtenOut(root *expr.Node, visit func(*expr.Node) bool) {
	seen := map[*expr.Node]bool{}
	var rec func(*expr.Node)
	rec = func(n *expr.Node) {
		if seen[n] || !n.Type.Axes.Has(expr.Rows) || b.named[n] != nil || n.Type.Rank > 0 || n.Op == expr.Dot || combines(n) || !visit(n) {
			return
		}
		seen[n] = true
		for _, a := range b.operands(n) {
			rec(a)
		}
	}
	rec(root)
}

// comesWith reports whether a function costs less together with one of the same operands in a loop than later.
func (b *blockPlanner) comesWith(n *expr.Node, inLoop map[*expr.Node]bool) bool {
	if !b.may(choiceJoint) || !n.Op.Elementwise() || inLoop[n] {
		return false
	}
	candidates := []*expr.Node{n}
	for m := range inLoop {
		if m.Op.Elementwise() && slices.Equal(m.Args, n.Args) {
			candidates = append(candidates, m)
		}
	}
	j, nodes, ok := expr.JointOf(n, candidates, func(*expr.Node) bool { return true })
	apart := 0.0
	for _, m := range nodes {
		apart += m.Cost()
	}
	return ok && b.decides(n, apart-j.Cost) > cheapColumn
}
