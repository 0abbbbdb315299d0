package plan

import (
	"slices"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/program"
)

// Where an index varies over the rows, its unit vectors (expr/entry.go) are never made: an inner product with one is an entry that is
// read, a product of a matrix with one a row or a column of it, and a sum of multiples of them over the rows adds to one entry a row.

// chosen reports whether a vector is 1 where a number of the row says, and 0 elsewhere.
func chosen(n *expr.Node) (index *expr.Node, ok bool) {
	if index, ok = n.UnitOf(); !ok || !index.Type.Axes.Has(expr.Rows) || index.Type.Axes.Has(expr.Components) {
		return nil, false
	}
	return index, true
}

func isChosen(n *expr.Node) bool {
	_, ok := chosen(n)
	return ok
}

// gather is a value that is read where numbers of the row say: an entry of a vector, an entry, a row or a column of a matrix.
type gather struct {
	from      *expr.Node // in memory, for all rows unless its type has them
	subscript []*expr.Node
	all       int // of a row or a column the axis along which it lies, else -1
}

// gathered takes a value apart that is read where numbers of the row say.
func (p *planner) gathered(n *expr.Node) (gather, bool) {
	switch n.Op {
	case expr.Dot:
		for i, unit := range n.Args {
			if index, ok := chosen(unit); ok {
				return p.entryBy(n.Args[1-i], index)
			}
		}
	case expr.MatMul:
		if index, ok := chosen(n.Args[len(n.Args)-1]); ok && n.Type.Rank == 1 {
			return p.columnBy(n.Args[:len(n.Args)-1], index)
		}
	}
	return gather{}, false
}

// entryBy is an entry of a vector, or of a matrix where the vector is a column of that.
func (p *planner) entryBy(x, row *expr.Node) (gather, bool) {
	if x.Op == expr.MatMul {
		if column, ok := p.gathered(x); ok && column.all == 0 {
			return gather{column.from, []*expr.Node{row, column.subscript[1]}, -1}, true
		} else if ok {
			return gather{column.from, []*expr.Node{column.subscript[0], row}, -1}, true
		}
		if x.Type.Axes.Has(expr.Rows) { // a row of a matrix and a vector
			return gather{}, false
		}
	}
	return gather{x, []*expr.Node{row}, -1}, true
}

// columnBy is a column of a product of matrices that are the same for all rows, or a row of what that is the transpose of.
func (p *planner) columnBy(factors []*expr.Node, index *expr.Node) (gather, bool) {
	if slices.ContainsFunc(factors, func(a *expr.Node) bool { return a.Type.Axes.Has(expr.Rows) }) {
		return gather{}, false
	}
	m := p.k.Graph.MatMul(factors...)
	if m.Op == expr.Transpose {
		return gather{m.Args[0], []*expr.Node{index, nil}, 1}, true
	}
	return gather{m, []*expr.Node{nil, index}, 0}, true
}

// gatheredAt is the entry of such a value in a loop.
func (p *planner) gatheredAt(n *expr.Node, where at) (*expr.Node, bool) {
	if !n.Type.Axes.Has(expr.Rows) {
		return nil, false
	}
	w, ok := p.gathered(n)
	if !ok {
		return nil, false
	}
	ref := program.Ref{Place: p.named[w.from]}
	if w.from.Type.Axes.Has(expr.Rows) {
		ref.At = append(ref.At, where.row)
	} else {
		ref.Place = p.buffer(w.from)
	}
	for _, k := range w.subscript {
		if k == nil {
			ref.At = append(ref.At, where.i)
		} else {
			ref.At = append(ref.At, p.by(k, where))
		}
	}
	return p.entry(n, ref), true
}

// by is the subscript that a number of the row in memory says.
func (p *planner) by(index *expr.Node, where at) program.Index {
	place := p.named[index]
	if place == nil {
		place = p.named[p.value(index)]
	}
	if place == nil {
		panic("plan: an index without memory: " + index.String())
	}
	return program.By(program.Ref{Place: place, At: []program.Index{where.row}})
}

// indices are the tasks after which what says where a value is read, and what varies of it, are in memory.
func (b *blockPlanner) indices(w gather) []*task {
	var out []*task
	for _, k := range w.subscript {
		if k != nil {
			out = append(out, b.inMemoryTask(k)...)
		}
	}
	if w.from.Type.Axes.Has(expr.Rows) {
		out = append(out, b.inMemoryTask(w.from)...)
	}
	return out
}

// rowBy turns the inner product of a unit vector and a product with a vector into that of a row of the matrix and the vector.
func (b *blockPlanner) rowBy(n *expr.Node) (row, x *expr.Node, ok bool) {
	for i, unit := range n.Args {
		y := n.Args[1-i]
		if _, ok := chosen(unit); !ok || y.Op != expr.MatMul {
			continue
		}
		g, last := b.k.Graph, len(y.Args)-1
		row := g.MatMul(g.Transpose(g.MatMul(y.Args[:last]...)), unit)
		if _, ok := b.gathered(row); ok {
			return row, y.Args[last], true
		}
	}
	return nil, nil, false
}

// scatter makes the task of a sum over the rows of what is 0 but for an entry, or a row or a column of a matrix; ok is false for other
// sums.
func (b *blockPlanner) scatter(s *expr.Node) bool {
	scalar, core := b.k.Graph.Bare(s.Args[0])
	sides := []*expr.Node{core}
	if core.Op == expr.Outer {
		sides = core.Args
	} else if core.Type.Rank != 1 {
		return false
	}
	to := make([]*expr.Node, len(sides))
	along := -1
	for i, side := range sides {
		if index, ok := chosen(side); ok {
			to[i] = index
		} else if along >= 0 || len(sides) == 1 {
			return false
		} else {
			along = i
		}
	}
	t := &task{kind: numbers, sum: s, node: scalar, to: to}
	if along < 0 {
		t.deps = b.below(scalar, numbers)
	} else {
		t.kind, t.along = entries, sides[along]
		t.deps = b.below(t.along, entries)
		if coef := b.coefficient(scalar); coef != nil {
			t.deps = append(t.deps, coef)
		}
	}
	for _, k := range to {
		if k != nil {
			t.deps = append(t.deps, b.inMemoryTask(k)...)
		}
	}
	b.addTask(t)
	return true
}

// scatterTo is where a row adds to such a sum.
func (b *blockPlanner) scatterTo(t *task, where at) program.Ref {
	ref := program.Ref{Place: b.named[t.sum]}
	for _, k := range t.to {
		if k == nil {
			ref.At = append(ref.At, where.i)
		} else {
			ref.At = append(ref.At, b.by(k, where))
		}
	}
	return ref
}

// scatterAlong adds what the entries of a row have to a row or a column of such a sum.
func (b *blockPlanner) scatterAlong(e *each, t *task, here []at) {
	g := b.k.Graph
	weights := program.Weights
	if t.node.Is(1) {
		b.blocks.Weights = true
	} else {
		weights = b.coefOf[t.node]
	}
	for _, where := range here {
		weight := b.entry(t.node, program.Ref{Place: weights, At: []program.Index{where.row}})
		e.write(g.Mul(weight, b.element(t.along, where)), program.Write{To: b.scatterTo(t, where), Add: true})
	}
}
