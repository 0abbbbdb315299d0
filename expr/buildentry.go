package expr

import (
	"fmt"

	"github.com/sngdgen/sngdgen/expr/syntax"
)

// index builds x[i], x[i:j], A[i, j]. Entries are counted from 1. The length has to be known, so that none lies beyond it, unless the
// data say which entry it is.
func (b *Builder) index(e *syntax.Index) *Node {
	x := b.Build(e.X)
	if x == nil {
		return nil
	}
	switch {
	case x.Type.Rank == 0:
		return b.Fail(e, "only vectors and matrices have entries", "this is a number, and has no entry")
	case len(e.Subs) != x.Type.Rank:
		return b.Fail(e, "", "a %v takes %s, not %d", x.Type, Plural(x.Type.Rank, "subscript"), len(e.Subs))
	}
	if n, ok := b.byData(e, x); ok {
		return n
	}
	if x.Type.Rank == 2 {
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

// byData builds x[g] and A[g, j], A[i, g], A[g, h], and A[g, :] and A[:, g], where a subscript varies; ok is false where none does.
func (b *Builder) byData(e *syntax.Index, x *Node) (n *Node, ok bool) {
	subs := make([]*Node, len(e.Subs))
	for i, s := range e.Subs {
		if several(s) {
			continue
		}
		if subs[i] = b.Build(s); subs[i] == nil {
			return nil, true
		}
		if _, constant := subs[i].IsConst(); !constant {
			ok = true
		}
	}
	if !ok {
		return nil, false
	}
	units := make([]*Node, len(subs))
	for i, k := range subs {
		if units[i], ok = b.unitBy(e.Subs[i], k, x.Type.Dims[i]); !ok {
			return nil, true
		}
	}
	g := b.G
	switch {
	case len(units) == 1:
		return g.Dot(x, units[0]), true
	case units[0] == nil:
		return g.MatMul(x, units[1]), true
	case units[1] == nil:
		return g.MatMul(g.Transpose(x), units[0]), true
	}
	return g.Dot(units[0], g.MatMul(x, units[1])), true
}

// unitBy returns the vector that is 1 where a subscript says; nil for all entries.
func (b *Builder) unitBy(e syntax.Expr, k *Node, d Dim) (unit *Node, ok bool) {
	if s, slice := e.(*syntax.Slice); slice {
		if s.From != nil || s.To != nil {
			b.Fail(e, "write : for all of them", "beside a subscript that varies stands one entry, or all")
			return nil, false
		}
		return nil, true
	}
	if v, constant := k.IsConst(); constant {
		if d.Name != "" && v >= 1 && v == float64(int(v)) { // there may be fewer
			return b.G.Unit(d, k), true
		}
		i, ok := b.whole(e, d)
		return b.unit(d, i), ok
	}
	switch of := k.Facts.Index; {
	case k.Type.Rank > 0:
		b.Fail(e, "", "a subscript is one number, this is a %v", k.Type)
	case of != (Dim{}) && of != d:
		hint := fmt.Sprintf("declare it as index(%v), or what has the entries with the length %v", d, of)
		b.Fail(e, hint, "this is a number from 1 to %v, but there are %v entries", of, d)
	case !k.Facts.Integer:
		b.Fail(e, "the data have such numbers: declare index(G), a number from 1 to G", "a subscript is a whole number, and this need not be one")
	default:
		return b.G.Unit(d, k), true
	}
	return nil, false
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
		if from, to = s.From, s.To; from == nil && to == nil {
			return upTo(d.Size), true
		}
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

// upTo are the numbers from 1.
func upTo(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i + 1
	}
	return out
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

// constantsOf returns the numbers that all of some values are.
func constantsOf(values []*Node) (numbers []float64, ok bool) {
	numbers = make([]float64, len(values))
	for i, v := range values {
		if numbers[i], ok = v.IsConst(); !ok {
			return nil, false
		}
	}
	return numbers, true
}

// stacked is the vector of some numbers.
func (b *Builder) stacked(values []*Node) *Node {
	d := Dim{Size: len(values)}
	if numbers, ok := constantsOf(values); ok {
		return b.G.Table(numbers)
	}
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
