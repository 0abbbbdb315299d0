package expr

import "github.com/sngdgen/sngdgen/expr/syntax"

// index builds x[i], x[i:j], A[i, j]. Entries are counted from 1, and the length has to be known, so that none lies beyond it.
func (b *Builder) index(e *syntax.Index) *Node {
	x := b.Build(e.X)
	if x == nil {
		return nil
	}
	switch {
	case x.Type.Rank == 0:
		return b.Fail(e, "only vectors and matrices have entries", "this is a number, and has no entry")
	case len(e.Subs) != x.Type.Rank:
		return b.Fail(e, "", "a %v takes %s, not %d", x.Type, plural(x.Type.Rank, "subscript"), len(e.Subs))
	case x.Type.Rank == 2:
		return b.entryOfMatrix(e, x)
	}
	indices, ok := b.subscript(e.Subs[0], x.Type.Dims[0])
	if !ok {
		return nil
	}
	values := make([]*Node, len(indices))
	for i, k := range indices {
		values[i] = b.G.Dot(x, b.unit(x.Type.Dims[0], k))
	}
	if several(e.Subs[0]) {
		return b.stacked(values)
	}
	return values[0]
}

// several reports whether a subscript is of several entries.
func several(sub syntax.Expr) bool {
	_, slice := sub.(*syntax.Slice)
	return slice
}

func (b *Builder) unit(d Dim, k int) *Node { return b.G.Unit(d, b.G.Const(float64(k))) }

// entryOfMatrix builds A[i, j], A[i, j:k] and A[i:k, j].
func (b *Builder) entryOfMatrix(e *syntax.Index, x *Node) *Node {
	rows, ok := b.subscript(e.Subs[0], x.Type.Dims[0])
	columns, also := b.subscript(e.Subs[1], x.Type.Dims[1])
	if !ok || !also {
		return nil
	}
	at := func(i, j int) *Node {
		return b.G.Dot(b.unit(x.Type.Dims[0], i), b.G.MatMul(x, b.unit(x.Type.Dims[1], j)))
	}
	var values []*Node
	for _, i := range rows {
		for _, j := range columns {
			values = append(values, at(i, j))
		}
	}
	switch {
	case several(e.Subs[0]) && several(e.Subs[1]):
		return b.Fail(e, "", "a part of a matrix is an entry, or a part of one row or column")
	case several(e.Subs[0]) || several(e.Subs[1]):
		return b.stacked(values)
	}
	return values[0]
}

// subscript reads whole numbers within a known length.
func (b *Builder) subscript(e syntax.Expr, d Dim) (indices []int, ok bool) {
	if d.Name != "" {
		b.Fail(e, "give it in the type, as vector(3), or under dimensions", "entries of what has no known length (%s) cannot be taken", d.Name)
		return nil, false
	}
	from, to := e, e
	if s, ok := e.(*syntax.Slice); ok {
		from, to = s.From, s.To
	}
	first, ok := b.whole(from, d)
	last, also := b.whole(to, d)
	if !ok || !also {
		return nil, false
	}
	if last < first {
		b.Fail(e, "", "entries %d to %d are none", first, last)
		return nil, false
	}
	for k := first; k <= last; k++ {
		indices = append(indices, k)
	}
	return indices, true
}

// whole reads one subscript.
func (b *Builder) whole(e syntax.Expr, d Dim) (int, bool) {
	n := b.Build(e)
	if n == nil {
		return 0, false
	}
	v, ok := n.IsConst()
	switch {
	case !ok || v != float64(int(v)):
		b.Fail(e, "", "a subscript is a whole number")
		return 0, false
	case v < 1 || int(v) > d.Size:
		b.Fail(e, "entries are counted from 1", "there is no entry %v of %d", v, d.Size)
		return 0, false
	}
	return int(v), true
}

// list builds [x, y, z].
func (b *Builder) list(e *syntax.List) *Node {
	values := make([]*Node, len(e.Items))
	for i, item := range e.Items {
		if values[i] = b.Build(item); values[i] == nil {
			return nil
		}
		if values[i].Type.Rank > 0 {
			return b.Fail(item, "", "the entries of a vector are numbers, this is a %v", values[i].Type)
		}
	}
	return b.stacked(values)
}

// stacked is the vector of some numbers.
func (b *Builder) stacked(values []*Node) *Node {
	d := Dim{Size: len(values)}
	terms := make([]*Node, len(values))
	for i, v := range values {
		terms[i] = b.G.Mul(v, b.unit(d, i+1))
	}
	sum := b.G.Add(terms...)
	if sum.Type.Rank == 0 { // zeros
		return b.G.Spread(sum, Vector(d))
	}
	return sum
}
