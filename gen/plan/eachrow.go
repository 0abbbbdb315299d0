package plan

import (
	"maps"
	"slices"
	"strings"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/program"
	"github.com/sngdgen/sngdgen/gen/program/wording"
)

// Matrices of the rows. There are no kernels for the matrices of a whole block, so that what is done with them is planned as if there
// were one row, with all that is known of matrices, into a loop over the rows of a block. In its formulas the axis of the rows is
// another one, that of a single row; what they need of the row and is in memory already, matrices of the data and numbers and vectors
// that the block has computed, are symbols there, as are vectors and matrices that are the same for all rows.

// byRow reports whether a value of the rows is computed row by row: a matrix, what is made of one, or what there is a kernel of one vector for.
func byRow(n *expr.Node) bool {
	if !n.Type.Axes.Has(expr.Rows) || combines(n) {
		return false
	}
	return n.Type.Rank == 2 || n.Op == expr.EntryLogSumExp || slices.ContainsFunc(n.Args, func(a *expr.Node) bool { return a.Type.Rank == 2 && a.Type.Axes.Has(expr.Rows) })
}

// rowTask is the task that computes a value row by row.
func (b *blockPlanner) rowTask(t *task, n *expr.Node) {
	t.kind = rowwise
	t.deps = b.belowRow(n, scopeOf(n.Type))
}

// ofRow reports whether a value belongs into the loop of another one, whose components are those of a scope: what does not vary over
// these has a loop of its own.
func (b *blockPlanner) ofRow(n *expr.Node, s scope) bool {
	return b.byNode[n] == nil && byRow(n) && scopeOf(n.Type) == s
}

// belowRow are the tasks that a value needs which is computed row by row.
func (b *blockPlanner) belowRow(n *expr.Node, s scope) []*task {
	var out []*task
	for _, a := range b.operands(n) {
		switch {
		case !a.Type.Axes.Has(expr.Rows) || b.given(a):
		case b.ofRow(a, s) || isChosen(a): // of a vector that is 1 where the row says there is no block, so that it is one of the row
			out = append(out, b.belowRow(a, s)...)
		default:
			b.direct[a] = b.direct[a] || a.Type.Rank == 1
			out = append(out, b.inMemoryTask(a)...)
		}
	}
	return out
}

// sumOfMatrices is the task that adds up matrices of the rows.
func (b *blockPlanner) sumOfMatrices(s, scalar, core *expr.Node, coef *task) *task {
	t := &task{kind: rowwise, sum: s, node: core, scalar: scalar}
	if coef != nil {
		t.deps = append(t.deps, coef)
	}
	if !b.given(core) {
		t.deps = append(t.deps, b.belowRow(core, scopeOf(core.Type))...)
	}
	return t
}

// rowPlanner plans what is done with one row of a block.
type rowPlanner struct {
	*planner
	block *blockPlanner
	known map[*expr.Node]*expr.Node // values of the rows by what they are of one
}

// rowLoop plans a loop over the rows of a block.
func (b *blockPlanner) rowLoop(now []*task) {
	loop := &program.EachRow{}
	r := &rowPlanner{planner: b.scope(), block: b, known: map[*expr.Node]*expr.Node{}}
	r.oneRow = newMemory(&loop.Body)
	r.oneRow.here, r.oneRow.inside = true, b.mem.inside
	r.mem = r.oneRow
	var roots []*expr.Node
	for _, t := range now { // what they need of the program is computed in front of the loop
		roots = append(roots, r.of(t.node, scopeOf(t.node.Type)))
	}
	r.classify(roots)
	for n, uses := range r.count(roots) {
		if n.Type.Axes.Has(expr.OneRow) {
			r.uses[n] = uses
		}
	}
	q := r.loop(roots)
	maps.Copy(b.taken, q.taken) // what the loop stores for the block has its name there, too
	q.taken = b.taken
	q.halves, q.suffixes = map[pair]*program.Place{}, map[string]*program.Place{}
	r.planner = q
	for i, t := range now {
		r.result(t, roots[i])
	}
	b.add(loop)
	for n := range b.factors {
		if n.Type.Axes.Has(expr.OneRow) {
			delete(b.factors, n)
		}
	}
	for n := range b.partials {
		if n.Type.Axes.Has(expr.OneRow) {
			delete(b.partials, n)
		}
	}
}

// of is a value of the rows as one of a single row.
func (r *rowPlanner) of(n *expr.Node, s scope) *expr.Node {
	if out := r.known[n]; out != nil {
		return out
	}
	var out *expr.Node
	switch {
	case !n.Type.Axes.Has(expr.Rows) && n.Type.Rank == 0:
		r.block.hoist(n, r.now)
		return n
	case !n.Type.Axes.Has(expr.Rows):
		r.block.need(n)
		out = r.symbol(n)
		r.refer(out, r.block.buffer(n))
	case r.block.named[n] != nil:
		out = r.part(n, r.block.named[n])
	case r.def[n] != nil:
		out = r.of(r.def[n], s)
	default:
		out = r.k.Graph.Rebuild(n, r.operandsOf(n, s))
	}
	r.known[n] = out
	if h := r.hints[n]; h != "" && r.hints[out] == "" {
		r.hints[out] = h
	}
	return out
}

// operandsOf are the operands of a value. Factors of a product that are next to each other and the same for all rows are one.
func (r *rowPlanner) operandsOf(n *expr.Node, s scope) []*expr.Node {
	var out, same []*expr.Node
	end := func() {
		if len(same) > 0 {
			out, same = append(out, r.of(r.k.Graph.MatMul(same...), s)), nil
		}
	}
	for _, a := range n.Args {
		if n.Op == expr.MatMul && !a.Type.Axes.Has(expr.Rows) {
			same = append(same, a)
			continue
		}
		end()
		out = append(out, r.of(a, s))
	}
	end()
	return out
}

// symbol stands for a value that is in memory.
func (r *rowPlanner) symbol(n *expr.Node) *expr.Node {
	t := n.Type
	t.Axes = expr.OneRow
	return r.k.Graph.Fresh("row", t, n.Facts)
}

// part is what a row has of something that the rows have in memory.
func (r *rowPlanner) part(n *expr.Node, of *program.Place) *expr.Node {
	out := r.symbol(n)
	r.refer(out, r.own(of, r.hintOf(n)))
	return out
}

// own names what the row has of memory of the rows.
func (r *rowPlanner) own(of *program.Place, hint string) *program.Place {
	if hint == "" {
		hint = of.Name[strings.LastIndexByte(of.Name, '.')+1:] // a field by its own name
	}
	to := &program.Place{Name: r.localName("own" + wording.Capital(hint)), Shape: program.Shape{Dims: of.Shape.Dims}}
	r.add(&program.Bind{To: to, Own: of})
	return to
}

// result computes what a task is for.
func (r *rowPlanner) result(t *task, value *expr.Node) {
	defer t.finish()
	switch {
	case t.sum != nil:
		r.addTo(t, value)
	case value.Type.Rank == 0:
		r.scalars(value, r.now)
		to := r.block.newBuffer(r.block.hintOf(t.node), program.Shape{Block: true})
		s := &program.Store{To: program.Ref{Place: to, At: []program.Index{program.Over(program.Here)}}}
		r.add(s)
		r.later(&s.Value, value)
		r.block.refer(t.node, to)
	default:
		to := r.block.placeOf(t)
		r.into(r.own(to, ""), value)
		if r.block.columns[t] == nil {
			r.block.refer(t.node, to)
		}
	}
}

// into computes a vector or a matrix into memory.
func (r *rowPlanner) into(to *program.Place, value *expr.Node) {
	if r.need(value); r.named[value] != nil {
		r.call("copy", to, r.named[value])
		return
	}
	r.fill(to, value)
}

// addTo adds a matrix to a sum, times the weight of the row.
func (r *rowPlanner) addTo(t *task, value *expr.Node) {
	weights := r.block.coefOf[t.scalar]
	if weights == nil {
		weights = program.Weights
		r.block.blocks.Weights = true
	}
	weight := r.k.Graph.Fresh("weight", expr.Scalar.Over(expr.OneRow), expr.Unknown)
	r.refer(weight, r.own(weights, "weight"))
	r.need(value)
	dims := t.sum.Type.Dims[:2]
	e := newEach(program.Shape{Dims: dims})
	r.finishEach(e, func() {
		here := at{i: overI, j: overJ}
		e.write(r.k.Graph.Mul(weight, r.element(value, here)), program.Write{To: program.Ref{Place: r.block.named[t.sum], At: here.entry(2, false)}, Add: true})
	})
}
