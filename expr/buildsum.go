package expr

import (
	"math"
	"strings"

	"github.com/sngdgen/sngdgen/expr/syntax"
)

// mostTerms is how many terms of a sum over an index are written out where they are no loop.
const mostTerms = 100

func isIn(e syntax.Expr) bool {
	_, ok := e.(*syntax.In)
	return ok
}

// sumOver builds sum(j in a:b, f). The terms are the entries of a vector: f is built once, of a number j, and all that depends on j
// becomes a vector with an entry, or a matrix with a row, for each j. So the sum is a loop in the code, however many terms it has.
func (b *Builder) sumOver(e *syntax.Call) *Node {
	x := b.indexOf(e)
	switch {
	case x == nil:
		return nil
	case x.length == (Dim{}):
		return b.G.Const(0)
	}
	f := b.termOf(e.Args[1], x.name, x.j, "sum")
	if f == nil {
		return nil
	}
	if terms := x.widen(b.G, f, false); terms != nil {
		if terms.Type.Rank == 0 {
			return b.G.Mul(terms, b.G.DimNode(x.length))
		}
		return b.G.Total(terms)
	}
	if terms := b.writtenOut(e.Args[1], x, f); terms != nil {
		return b.G.Add(terms...)
	}
	return nil
}

// arrayOver builds array(j in a:b, f), the vector of the numbers f, and array(i in a:b, j in c:d, f), a matrix with a row for each i. A
// matrix whose rows and columns may be exchanged by the way its entries are written is symmetric.
func (b *Builder) arrayOver(e *syntax.Call) *Node {
	if len(e.Args) == 3 && isIn(e.Args[1]) {
		row := *e
		row.Args = e.Args[1:]
		rows := *e
		rows.Args = []syntax.Expr{e.Args[0], &row}
		e = &rows
	}
	if len(e.Args) == 0 || !isIn(e.Args[0]) {
		return b.Fail(e, "write array(j in 1:m, f) or array(i in 1:m, j in 1:n, f)", "the first operand of array is an index with its range")
	}
	x := b.indexOf(e)
	switch {
	case x == nil:
		return nil
	case x.length == (Dim{}):
		return b.Fail(e.Args[0], "", "an array has an entry at least")
	}
	f := b.within(e.Args[1], x.name, x.j)
	switch {
	case f == nil:
		return nil
	case f.Type.Rank > 1:
		return b.Fail(e.Args[1], "", "an array is a vector of numbers, or a matrix: this is a %v for each %s", f.Type, x.name)
	}
	if out := x.widen(b.G, f, true); out != nil {
		if f.Type.Rank == 1 && out == f { // every row is the same
			return b.G.Outer(b.G.Ones(Vector(x.length)), f)
		}
		return b.G.Spread(out, Vector(x.length))
	}
	if f.Type.Rank > 0 {
		return b.Fail(e.Args[1], "write it with products of vectors and matrices", "there is no loop for the entries of this matrix")
	}
	if entries := b.writtenOut(e.Args[1], x, f); entries != nil {
		return b.stacked(entries)
	}
	return nil
}

// indexed is a whole number that goes through a range, which is empty where it has no length.
type indexed struct {
	name   string
	j      *Node
	from   int
	length Dim
}

// indexOf reads the index of a sum or an array, the first operand of two; it is nil where that is a fault.
func (b *Builder) indexOf(e *syntax.Call) *indexed {
	in := e.Args[0].(*syntax.In)
	a := "a " + e.Fun
	if strings.ContainsAny(e.Fun[:1], "aeiou") {
		a = "an " + e.Fun
	}
	if len(e.Args) != 2 {
		b.Fail(e, "write "+e.Fun+"(j in 1:m, f)", "%s over %s takes 2 operands, not %d", a, in.Name.Name, len(e.Args))
		return nil
	}
	over, ok := in.Over.(*syntax.Slice)
	if !ok {
		b.Fail(in, "write "+e.Fun+"(j in 1:m, f); integral(u in (a, b), f) and series(k from 0, f) are functions of their own", "%s goes over a range", a)
		return nil
	}
	if b.isTaken(in.Name) {
		return nil
	}
	from, length, ok := b.rangeOf(over)
	if !ok {
		return nil
	}
	facts := Facts{Range: Range{Lo: float64(from), Hi: math.Inf(1), HiOpen: true}, Integer: true}
	if length.Name == "" {
		facts.Range.Hi, facts.Range.HiOpen = float64(from+length.Size-1), false
	}
	if from == 1 {
		facts.Index = length
	}
	return &indexed{in.Name.Name, b.G.Fresh(in.Name.Name, Scalar, facts), from, length}
}

// widen gives a formula of the index one more axis; it is nil where there is no such vector or matrix.
func (x *indexed) widen(g *Graph, f *Node, eachRow bool) *Node {
	w := &widener{g: g, j: x.j, from: x.from, length: x.length, known: map[*Node]*Node{}, eachRow: eachRow}
	return w.of(f)
}

// writtenOut are the values of a formula for every index; it is nil, and a fault, where there are too many.
func (b *Builder) writtenOut(e syntax.Expr, x *indexed, f *Node) []*Node {
	if x.length.Name != "" || x.length.Size > mostTerms {
		b.Fail(e, "write it with vectors and matrices, or pin the length under dimensions",
			"there is no loop for these terms: only sums of up to %d can be written out", mostTerms)
		return nil
	}
	out := make([]*Node, x.length.Size)
	for k := range out {
		out[k] = b.G.Substitute(f, map[*Node]*Node{x.j: b.G.Const(float64(x.from + k))})
	}
	return out
}

// isTaken reports a name that means something already.
func (b *Builder) isTaken(n *syntax.Name) bool {
	_, known := b.Scope.Names[n.Name]
	if known {
		b.Fail(n, "take another one", "%s is a name already", n.Name)
	}
	return known
}

// termOf builds what is added up, a number, of a name with its symbol.
func (b *Builder) termOf(e syntax.Expr, name string, j *Node, what string) *Node {
	f := b.within(e, name, j)
	if f != nil && f.Type.Rank > 0 {
		return b.Fail(e, "", "the terms of a %s over %s are numbers, this is a %v", what, name, f.Type)
	}
	return f
}

// within builds a formula in which a name stands for a symbol.
func (b *Builder) within(e syntax.Expr, name string, j *Node) *Node {
	outer := b.Scope.Names
	b.Scope.Names = with(outer, name, j)
	f := b.Build(e)
	b.Scope.Names = outer
	return f
}

// rangeOf reads where a range begins, and how long it is; no length is that of an empty one.
func (b *Builder) rangeOf(s *syntax.Slice) (from int, length Dim, ok bool) {
	first, last := b.Build(s.From), b.Build(s.To)
	if first == nil || last == nil {
		return 0, Dim{}, false
	}
	lo, known := first.IsConst()
	if !known || lo != math.Trunc(lo) || math.Abs(lo) > math.MaxInt32 {
		b.Fail(s.From, "", "a range begins at a whole number")
		return 0, Dim{}, false
	}
	if d, ok := b.G.DimOf(last); ok && d.Name != "" {
		if lo != 1 {
			b.Fail(s.From, "or give "+d.Name+" a length under dimensions", "a range up to %s begins at 1", d.Name)
			return 0, Dim{}, false
		}
		return 1, d, true
	}
	hi, known := last.IsConst()
	switch {
	case !known || hi != math.Trunc(hi) || math.Abs(hi) > math.MaxInt32:
		b.Fail(s.To, "", "a range ends at a whole number, or at a dimension")
	case hi < lo-1:
		b.Fail(s, "", "a range from %v to %v has no numbers", lo, hi)
	case hi < lo:
		return int(lo), Dim{}, true
	default:
		return int(lo), Dim{Size: int(hi-lo) + 1}, true
	}
	return 0, Dim{}, false
}

// widener turns what depends on an index into what has one more axis, along which the index goes: numbers into vectors with an entry
// for each value of the index, vectors into matrices with a row for each.
type widener struct {
	g      *Graph
	j      *Node
	from   int
	length Dim
	at     *Node // the numbers that the index stands for; nil for whole numbers from from on
	known  map[*Node]*Node
	// eachRow allows for matrices for each row of the data whose entries are functions of others.
	eachRow bool
}

// of widens a value; what does not depend on the index stays. It is nil where there is no such vector or matrix.
func (w *widener) of(n *Node) *Node {
	if out, ok := w.known[n]; ok {
		return out
	}
	if !Depends(n, w.j) {
		return n
	}
	var out *Node
	switch n.Type.Rank {
	case 0:
		out = w.number(n)
	case 1:
		out = w.vector(n)
	}
	w.known[n] = out
	return out
}

func (w *widener) number(n *Node) *Node {
	switch {
	case n == w.j && w.at != nil:
		return w.at
	case n == w.j:
		return w.g.Lin(float64(w.from-1), []float64{1}, []*Node{w.g.Iota(w.length)})
	case n.Op == Dot:
		return w.dot(n)
	case n.Op == opLin || n.Op == opProd || n.Op == opPow || n.Op == opSum || n.Op.Elementwise():
		args := make([]*Node, len(n.Args))
		for i, a := range n.Args {
			if args[i] = w.of(a); args[i] == nil {
				return nil
			}
		}
		return w.g.rebuild(n, args)
	}
	return nil
}

// dot widens an inner product, of which an entry is one.
func (w *widener) dot(n *Node) *Node {
	x, y := n.Args[0], n.Args[1]
	for range 2 {
		if index, ok := x.UnitOf(); ok && index == w.j && w.all(x) {
			if wide := w.of(y); wide == nil || wide == y {
				return wide
			} else {
				return w.g.Diagonal(wide)
			}
		}
		x, y = y, x
	}
	a, b := w.of(x), w.of(y)
	switch {
	case a == nil || b == nil:
		return nil
	case a == x:
		return w.g.MatMul(b, x)
	case b == y:
		return w.g.MatMul(a, y)
	}
	return w.g.Diagonal(w.g.MatMul(a, w.g.Transpose(b)))
}

// all reports whether the index goes through all entries of a vector.
func (w *widener) all(x *Node) bool { return w.at == nil && w.from == 1 && x.Type.Dims[0] == w.length }

func (w *widener) vector(n *Node) *Node {
	g := w.g
	if index, ok := n.UnitOf(); ok {
		if index == w.j && w.all(n) {
			return g.Identity(w.length)
		}
		return nil
	}
	switch n.Op {
	case MatMul:
		last := len(n.Args) - 1
		x := w.of(n.Args[last])
		if x == nil || x == n.Args[last] {
			return nil
		}
		return g.MatMul(x, g.Transpose(g.MatMul(n.Args[:last]...)))
	case opLin:
		terms := make([]*Node, len(n.Args))
		for i, a := range n.Args {
			if terms[i] = w.rows(a, n.Type); terms[i] == nil {
				return nil
			}
		}
		if n.Const != 0 {
			terms = append(terms, g.Scale(n.Const, g.Ones(w.matrix(n.Type))))
			return g.Lin(0, append(append([]float64(nil), n.Coefs...), 1), terms)
		}
		return g.Lin(0, n.Coefs, terms)
	case opProd:
		if out := w.product(n); out != nil {
			return out
		}
		return w.entries(n)
	}
	return w.entries(n)
}

// entries widens an operation by entries, unless that would be a matrix for each row of the data.
func (w *widener) entries(n *Node) *Node {
	if n.Op != opProd && n.Op != opPow && !n.Op.Elementwise() || n.Type.Axes != 0 && !w.eachRow {
		return nil
	}
	args := make([]*Node, len(n.Args))
	for i, a := range n.Args {
		if a.Type.Rank == 0 && !Depends(a, w.j) {
			args[i] = a
		} else if args[i] = w.rows(a, n.Type); args[i] == nil {
			return nil
		}
	}
	return w.g.rebuild(n, args)
}

func (w *widener) matrix(t Type) Type { return Matrix(w.length, t.Dims[0]) }

// rows is the matrix with a value of a sum in each row: of a number as often as it has columns.
func (w *widener) rows(a *Node, t Type) *Node {
	g := w.g
	wide := w.of(a)
	switch {
	case wide == nil:
		return nil
	case a.Type.Rank == 1 && wide == a:
		return g.Outer(g.Ones(Vector(w.length)), a)
	case a.Type.Rank == 0 && wide == a:
		return g.Mul(a, g.Ones(w.matrix(t)))
	case a.Type.Rank == 0:
		return g.Outer(wide, g.Ones(Vector(t.Dims[0])))
	}
	return wide
}

// product widens numbers times one vector that depends on the index, or times vectors that do not.
func (w *widener) product(n *Node) *Node {
	g := w.g
	rows, columns, factor := g.Const(1), g.Const(1), (*Node)(nil)
	for i, a := range n.Args {
		wide, power := w.of(a), []float64{n.Coefs[i]}
		switch {
		case wide == nil:
			return nil
		case a.Type.Rank == 0:
			rows = g.Mul(rows, g.Prod(power, []*Node{wide}))
		case wide == a:
			columns = g.Mul(columns, g.Prod(power, []*Node{a}))
		case factor != nil || n.Coefs[i] != 1:
			return nil
		default:
			factor = wide
		}
	}
	if factor == nil {
		return g.Outer(g.Spread(rows, Vector(w.length)), columns)
	}
	if rows.Type.Rank == 0 {
		factor = g.Mul(rows, factor)
	} else {
		factor = g.MatMul(g.DiagonalMatrix(rows), factor)
	}
	if columns.Type.Rank == 0 {
		return factor
	}
	return g.MatMul(factor, g.DiagonalMatrix(columns))
}
