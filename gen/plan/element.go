package plan

import (
	"fmt"
	"slices"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/program"
)

// at says where a loop over entries is: the indices of the row of a matrix (or the entry of a vector) and of its column, and the
// index of the row of a block.
type at struct{ i, j, row program.Index }

var (
	overI = program.Over(program.I)
	overJ = program.Over(program.J)
)

// at is the place of the innermost loop over a shape.
func (p *planner) at(s program.Shape) at {
	switch {
	case s.Block && len(s.Dims) == 1:
		return at{i: overJ, row: overI}
	case s.Block:
		return at{row: overI}
	case len(s.Dims) == 2:
		return at{i: overI, j: overJ}
	}
	return at{i: overI}
}

// entry is the subscripts of an entry of a value with so many dimensions; with block, of that of a row.
func (w at) entry(rank int, block bool) []program.Index {
	out := []program.Index{w.row, w.i, w.j}[:1+rank]
	if !block {
		out = out[1:]
	}
	return out
}

// element is one entry of a value, as an expression in numbers that vary over the loop.
func (p *planner) element(n *expr.Node, where at) *expr.Node {
	if p.stratum && p.isOwn(n) {
		return p.k.Graph.Const(1)
	}
	g := p.k.Graph
	if n.Op == expr.Iota && where.i.Loop == program.NoLoop {
		return g.Const(float64(where.i.At + 1))
	}
	if n.Op == expr.Table && where.i.Loop == program.NoLoop {
		return g.Const(n.Coefs[where.i.At])
	}
	p.readFixed(n)
	if e, ok := p.stored(n, where); ok {
		return e
	}
	if e, ok := p.gatheredAt(n, where); ok {
		return e
	}
	if n.Op == expr.Attained {
		return n
	}
	if n.Type.Rank == 0 {
		if n.Op == expr.Sym && p.def[n] != nil && n.Type.Axes.Has(expr.Rows) {
			return p.element(p.def[n], where)
		}
		if !n.Type.Axes.Has(expr.Rows) || len(n.Args) == 0 {
			return n
		}
	}
	switch n.Op {
	case expr.Sym:
		if d := p.def[n]; d != nil {
			return p.element(d, where)
		}
		panic(Unsupported("entries of " + n.Name))
	case expr.Ones:
		return g.Const(1)
	case expr.Outer:
		return g.Mul(p.beside(n.Args[0], where), p.beside(n.Args[1], at{i: where.j, row: where.row}))
	case expr.Transpose:
		return p.element(n.Args[0], at{i: where.j, j: where.i, row: where.row})
	case expr.Diag:
		return p.element(n.Args[0], at{i: where.i, j: where.i, row: where.row})
	case expr.MatMul:
		return p.scaledEntry(n, where)
	case expr.Eye, expr.DiagMat:
		entry := g.Const(1)
		if n.Op == expr.DiagMat {
			entry = p.element(n.Args[0], at{i: where.i, row: where.row})
		}
		if !where.i.Equal(where.j) {
			entry = g.Mul(p.onDiagonal(n.Type.Dims[0], where), entry)
		}
		return entry
	}
	if n.Op == expr.Iota || n.Op == expr.Table || p.beforeRows(n, where) || p.kernel(n) && !n.Type.Axes.Has(expr.Rows) {
		p.buffer(n)
		e, _ := p.stored(n, where)
		return e
	}
	if n.IsLinalg() || n.Op == expr.Sum {
		panic(Unsupported(n.Op.Name + " inside a formula by entries: " + n.String()))
	}
	args := make([]*expr.Node, len(n.Args))
	for i, a := range n.Args {
		args[i] = p.element(a, where)
	}
	return g.Entry(n, args)
}

// beforeRows reports whether a vector is computed in front of a loop over the rows, in which it would be computed again for every row: one of
// which an entry costs a function.
func (p *planner) beforeRows(n *expr.Node, where at) bool {
	return where.row.Loop != program.NoLoop && where.i.Loop != program.NoLoop && n.Type.Rank == 1 && n.Type.Axes == 0 && n.Op.Elementwise() &&
		p.decides(n, n.Op.Cost) > cheapColumn
}

// beside is an entry of a vector that scales the rows or the columns of a matrix, or of one of an outer product. In a loop over the entries of a matrix it would
// be computed again and again: one that costs a division and more is computed in front of it.
func (p *planner) beside(n *expr.Node, where at) *expr.Node {
	loop := where.i.Loop == program.I || where.i.Loop == program.J
	if loop && where.row.Loop == program.NoLoop && n.Type.Rank == 1 && n.Type.Axes == 0 && byEntry(n.Op) && p.decides(n, expr.TotalCost(n)) > cheapColumn*n.Type.Entries() {
		p.buffer(n)
	}
	return p.element(n, where)
}

// stored is an entry of a value that has memory.
func (p *planner) stored(n *expr.Node, where at) (*expr.Node, bool) {
	place := p.named[n]
	block := n.Type.Axes.Has(expr.Rows)
	if place == nil || n.Type.Rank == 0 && !block {
		return nil, false
	}
	return p.entry(n, program.Ref{Place: place, At: where.entry(n.Type.Rank, block)}), true
}

// entry is the symbol of a number in memory.
func (p *planner) entry(n *expr.Node, ref program.Ref) *expr.Node {
	facts := n.Facts
	facts.Structure = 0
	name := "entry." + entryName(ref) + fmt.Sprint(n.ID)
	for {
		sym := p.k.Graph.Sym(name, expr.Scalar.Over(expr.Rows), facts)
		if known, ok := p.entries[sym]; !ok || known.Place == ref.Place && slices.EqualFunc(known.At, ref.At, program.Index.Equal) {
			p.entries[sym] = ref
			return sym
		}
		name += "'" // of another place with that name, out of sight
	}
}

// entryName names an entry.
func entryName(ref program.Ref) string {
	index := func(i program.Index) string {
		if i.By != nil {
			return entryName(*i.By)
		}
		if i.Loop == program.NoLoop {
			return fmt.Sprint(i.At)
		}
		return []string{"", "i", "j", "row"}[i.Loop]
	}
	name := ref.Place.Name + "["
	for k, i := range ref.At {
		if k > 0 {
			name += ", "
		}
		name += index(i)
	}
	return name + "]"
}

// ends finds the diagonal factors at the ends of a product of matrices: what they scale are factors left to right.
func ends(n *expr.Node) (left int, core []*expr.Node, right int) {
	right = len(n.Args)
	if n.Type.Rank == 1 {
		return 0, n.Args, right
	}
	for left < right-1 && n.Args[left].Op == expr.DiagMat {
		left++
	}
	for right > left+1 && n.Args[right-1].Op == expr.DiagMat {
		right--
	}
	return left, n.Args[left:right], right
}

// scaledEntry is an entry of a product of matrices with diagonal factors at its ends.
func (p *planner) scaledEntry(n *expr.Node, where at) *expr.Node {
	g := p.k.Graph
	left, core, right := ends(n)
	if left == 0 && right == len(n.Args) {
		if t := p.transposedOf(n); t != nil && p.named[n] == nil {
			return p.element(t, at{i: where.j, j: where.i, row: where.row})
		}
		p.buffer(n)
		out, _ := p.stored(n, where)
		return out
	}
	out := p.element(g.MatMul(core...), where)
	for _, d := range n.Args[:left] {
		out = g.Mul(p.beside(d.Args[0], at{i: where.i}), out)
	}
	for _, d := range n.Args[right:] {
		out = g.Mul(out, p.beside(d.Args[0], at{i: where.j}))
	}
	return out
}

// onDiagonal is 1 for the entries on the diagonal of a matrix with such sides, and 0 for others.
func (p *planner) onDiagonal(d expr.Dim, where at) *expr.Node {
	equal, _ := expr.FunctionNamed("equal")
	index := p.k.Graph.Iota(d)
	return p.k.Graph.Call(equal, p.element(index, at{i: where.i, row: where.row}), p.element(index, at{i: where.j, row: where.row}))
}
