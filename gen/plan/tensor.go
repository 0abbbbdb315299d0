package plan

import (
	"fmt"
	"slices"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/program"
)

// Vectors and matrices. What is elementwise is written entry by entry, fused into the loop that needs it; what combines
// entries (products, solves, inner products, sums over the rows) is a call of a dense kernel, or a loop that adds up, into
// memory of its own. One Cholesky factorisation serves everything that is asked of one matrix.

// each is a loop under construction, with what it computes.
type each struct {
	*program.Each
	writes, totals, sums, guards []value
}

type value struct {
	node *expr.Node
	to   *program.Expr
}

func newEach(s program.Shape) *each { return &each{Each: &program.Each{Shape: s}} }

// values lists what the loop computes.
func (e *each) values() []value { return slices.Concat(e.writes, e.totals, e.sums, e.guards) }

// write adds an entry that is stored.
func (e *each) write(n *expr.Node, w program.Write) {
	e.Writes = append(e.Writes, &w)
	e.writes = append(e.writes, value{n, &w.Value})
}

// total adds a sum of the entries.
func (e *each) total(n *expr.Node, to *program.Place) {
	t := &program.Total{To: to}
	e.Totals = append(e.Totals, t)
	e.totals = append(e.totals, value{n, &t.Value})
}

// sum adds a sum over the rows.
func (e *each) sum(n *expr.Node, s *program.Sum) {
	e.Sums = append(e.Sums, s)
	e.sums = append(e.sums, value{n, &s.Value})
}

// guard adds a condition on an entry.
func (e *each) guard(n *expr.Node, g *Guard) {
	s := &program.Guard{Range: g.Range, Index: g.Index}
	e.Guards = append(e.Guards, s)
	e.guards = append(e.guards, value{n, &s.Value})
}

// memory is where statements go: the program, the body of a pass over blocks, or a loop over the components in one of them.
type memory struct {
	inside   bool // of a loop over the components
	stmts    *[]program.Stmt
	here     bool // of a loop over the rows of a block
	declared int  // the statements that are declared before everything else: memory for all components
}

func newMemory(stmts *[]program.Stmt) *memory { return &memory{stmts: stmts} }

// declare puts a statement in front of all others but those that have been.
func (m *memory) declare(s program.Stmt) {
	*m.stmts = slices.Insert(*m.stmts, m.declared, s)
	m.declared++
}

// in is the scope to plan what varies over the given axes in, where it belongs: what does not vary over the rows in front of the
// pass that needs it, what does not vary over the components in front of their loop.
func (p *planner) in(axes expr.Axes) *planner {
	q := p.scope()
	q.mem = p.place(axes)
	return q
}

// newBuffer declares memory.
func (p *planner) newBuffer(hint string, s program.Shape) *program.Place {
	s.Inside, s.Here = p.mem.inside && !p.mem.here, p.mem.here
	b := &program.Buffer{To: &program.Place{Name: p.localName(hint), Shape: s}}
	p.add(b)
	return b.To
}

// blockRows is the operand for the number of rows of a block.
var blockRows = program.Operand{Block: true}

// call emits a call of a kernel. Operands are places, lengths, or operands themselves.
func (p *planner) call(fn string, args ...any) *program.Call {
	c := &program.Call{Kernel: fn, Guard: -1}
	for _, a := range args {
		switch a := a.(type) {
		case *program.Place:
			c.Args = append(c.Args, program.Operand{Place: a})
		case expr.Dim:
			c.Args = append(c.Args, program.Operand{Dim: a})
		case program.Operand:
			c.Args = append(c.Args, a)
		default:
			panic(fmt.Sprintf("plan: an operand of type %T", a))
		}
	}
	p.add(c)
	return c
}

// tensor reports whether a value is a vector or a matrix.
func tensor(n *expr.Node) bool { return n.Type.Rank > 0 }

// kernel reports whether a node is computed by a kernel or a loop of its own, not written out where it is needed.
func (p *planner) kernel(n *expr.Node) bool {
	switch n.Op {
	case expr.Dot, expr.Inner, expr.LogDet, expr.Inv, expr.Chol, expr.LowerHalf, expr.Cumulative, expr.Remaining, expr.EntryLogSumExp, expr.Series:
		return true
	case expr.Iota, expr.Table:
		return !p.unrolled(program.ShapeOf(n.Type)) // its entries are numbers where they are written out
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

// buffer is the memory that holds a vector or a matrix, which is computed if need be.
func (p *planner) buffer(n *expr.Node) *program.Place {
	if place := p.named[n]; place != nil {
		return place
	}
	if n.Type.Axes.Has(expr.Rows) {
		panic(Unsupported("a value for every row: " + n.String()))
	}
	p.in(n.Type.Axes).compute(n)
	return p.named[n]
}

// compute computes a vector or a matrix into memory, and names it.
func (p *planner) compute(n *expr.Node) {
	if n.Op == expr.Sym && p.def[n] != nil {
		d := p.def[n]
		if place := p.named[d]; place != nil {
			p.refer(n, place)
			return
		}
		p.store(n, d, p.hintOf(n))
		return
	}
	if p.need(n); p.named[n] == nil {
		p.store(n, n, p.hintOf(n))
	}
}

// store computes a value into memory of its own.
func (p *planner) store(n, value *expr.Node, hint string) {
	if p.kernel(value) {
		p.lower(value, hint)
		p.refer(n, p.named[value])
		return
	}
	if base := p.definiteInverse(n); base != nil {
		p.refer(n, p.inverseInto(base, hint))
		p.invert(n)
		return
	}
	p.needs(value)
	if value.Op == expr.Sym && p.named[value] != nil {
		p.refer(n, p.named[value])
		return
	}
	shape := program.ShapeOf(value.Type)
	if n.Type.Rank > value.Type.Rank { // a number for every entry
		shape = program.ShapeOf(n.Type)
	}
	place := p.newBuffer(hint, shape)
	p.fillSymmetric(place, value, shape)
	p.refer(n, place)
	if p.named[value] == nil {
		p.refer(value, place)
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
func (p *planner) fill(to *program.Place, value *expr.Node) {
	p.fillPart(to, value, program.ShapeOf(value.Type))
}

// fillPart writes the entries of a shape, which the value may not show: the number 0 has none.
func (p *planner) fillPart(to *program.Place, value *expr.Node, s program.Shape) {
	rest, diagonal := p.splitDiagonal(value)
	inPlace := p.unrolled(s) && !s.Block // each entry is written on its own
	p.write(to, s, func(where at) *expr.Node {
		if diagonal != nil && inPlace && where.i.Equal(where.j) {
			return p.k.Graph.Add(p.element(rest, where), p.element(diagonal, where))
		}
		return p.element(rest, where)
	})
	if diagonal != nil && !inPlace {
		e := newEach(program.Shape{Dims: value.Type.Dims[:1]})
		p.finishEach(e, func() {
			here := at{i: overI, j: overI}
			e.write(p.element(diagonal, here), program.Write{To: program.Ref{Place: to, At: here.entry(2, false)}, Add: true})
		})
	}
}

// fillSymmetric is fillPart for a value that is computed in its lower triangle, and mirrored, where it is symmetric and a sum of several terms.
func (p *planner) fillSymmetric(to *program.Place, value *expr.Node, s program.Shape) {
	s.Lower = !s.Block && len(s.Dims) == 2 && value.Facts.Structure&expr.Symmetric != 0 && !p.unrolled(s) && termsIn(value) > 2
	p.fillPart(to, value, s)
	if s.Lower {
		p.call("Mirror", to, s.Dims[0])
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

// finishEach plans the body of a loop whose outputs the function lists. It returns the names of the loop.
func (p *planner) finishEach(e *each, outputs func()) named {
	outputs()
	inside := p.body(e)
	p.add(e.Each)
	return inside
}

// body plans the body of a loop: what does not vary is computed before, what deserves a name is named. It returns the names of
// the loop.
func (p *planner) body(e *each) named {
	var roots []*expr.Node
	for _, v := range e.values() {
		roots = append(roots, v.node)
	}
	for _, r := range roots {
		p.hoist(r, p.now)
	}
	if e.Shape.Block {
		p.prepare(roots, e.Shape.Dims)
	}
	in := p.loop(roots)
	for sym, ref := range p.entries {
		in.named[sym] = ref.Place
	}
	for _, r := range roots {
		in.row(nil, &e.Body, r)
	}
	for _, v := range e.values() {
		in.later(v.to, v.node)
	}
	return in.named
}

// termsIn is how many terms a sum of matrices has, with what is a multiple of a sum written out.
func termsIn(n *expr.Node) int {
	if n.Op != expr.Lin && n.Op != expr.Prod {
		return 1
	}
	terms := 0
	for _, a := range n.Args {
		if a.Type.Rank == 2 {
			terms += termsIn(a)
		}
	}
	return terms
}
