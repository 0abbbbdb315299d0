package plan

import (
	"fmt"
	"slices"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/program"
)

// lower computes a node of linear algebra with dense kernels, and names it: as the hint says, or else by what it is.
func (p *planner) lower(n *expr.Node, hint string) {
	if hint == "" {
		hint = p.hintOf(n)
	}
	switch n.Op {
	case expr.Dot:
		p.refer(n, p.dot(n, hint))
	case expr.Inner:
		p.refer(n, p.inner(n, hint))
	case expr.LogDet:
		p.refer(n, p.logDet(n.Args[0], hint))
	case expr.Inv:
		p.refer(n, p.inverse(n.Args[0], hint))
	case expr.Chol:
		p.refer(n, p.factorise(n.Args[0], -1))
	case expr.Iota:
		p.refer(n, p.newBuffer(hint, program.ShapeOf(n.Type)))
		p.call("Range", p.named[n])
	case expr.Table:
		p.refer(n, p.k.Tables.Place(n.Coefs))
	case expr.LowerHalf:
		name := p.copyOf(n.Args[0])
		p.call("LowerHalf", name, p.side(n))
		p.refer(n, name)
	case expr.Cumulative, expr.Remaining:
		name := p.copyOf(n.Args[0])
		p.call(accumulating[n.Op], name)
		p.refer(n, name)
	case expr.EntryLogSumExp:
		p.refer(n, p.scalarCall("LogSumExpOf", hint, p.buffer(n.Args[0])))
	case expr.Diag:
		p.refer(n, p.diagonalOf(n.Args[0], hint))
	case expr.MatMul:
		if n.Type.Rank == 1 {
			p.refer(n, p.productVec(n, hint))
		} else {
			p.refer(n, p.productMat(n, hint))
		}
	case expr.Root:
		p.solveShaped(n, hint)
	case expr.Series:
		p.scan(n, hint)
	}
}

// accumulating are the kernels of sums of the entries up to each, or from each on; those of the rows of a block end in Rows.
var accumulating = map[*expr.Op]string{expr.Cumulative: "Cumulative", expr.Remaining: "Remaining"}

// dot is the inner product of two vectors; a form x' inv(A) y is that of two triangular solves, unless inv(A) y is at hand.
func (p *planner) dot(n *expr.Node, hint string) *program.Place {
	x, y := n.Args[0], n.Args[1]
	if base, v, ok := p.form(n); ok {
		return p.scalarCall("Dot", hint, p.halfSolve(base, x), p.halfSolve(base, v))
	}
	if p.inMemory(x) && p.inMemory(y) && !p.unrolled(program.ShapeOf(x.Type)) {
		return p.scalarCall("Dot", hint, p.buffer(x), p.buffer(y))
	}
	return p.total(hint, x, y)
}

// inner is the sum of the products of the entries of two matrices; with an inverse it is the trace of a solve.
func (p *planner) inner(n *expr.Node, hint string) *program.Place {
	if inverse, s := solvedTrace(n); inverse != nil && symmetric(inverse) && symmetric(s) {
		return p.traceOfSolve(inverse.Args[0], s, hint)
	}
	for i, a := range n.Args {
		other := n.Args[1-i]
		if other.Op == expr.Eye {
			if trace := p.traceOfHalf(a, hint); trace != nil {
				return trace
			}
		}
		if base, ok := p.inverseOf(a); ok && other.Op == expr.Eye && !p.entriesWanted(a) {
			return p.traceOfInverse(base, hint)
		}
		if other.Op == expr.Eye && a.Op == expr.MatMul && a.Args[0].Op != expr.Inv && !p.entriesWanted(a) {
			// tr(A @ B) is the sum of the products of the entries of A and B': no product is made.
			g := p.k.Graph
			return p.total(hint, a.Args[0], g.Transpose(g.MatMul(a.Args[1:]...)))
		}
		if base, ok := p.inverseOf(a); ok && other.Op != expr.Eye && symmetric(other) {
			return p.traceOfSolve(base, other, hint)
		}
	}
	return p.total(hint, n.Args[0], n.Args[1])
}

// forms is the inner product of a matrix in memory and a sum of others with outer products, term by term: of u v' it is u' A v. Nil for others.
func (p *planner) forms(x, y *expr.Node) *expr.Node {
	g := p.k.Graph
	for _, factors := range [][2]*expr.Node{{x, y}, {y, x}} {
		a, sum := factors[0], factors[1]
		if a.Type.Rank != 2 || !p.inMemory(a) || sum.Op != expr.Lin || sum.Const != 0 || p.inMemory(sum) || p.unrolled(program.ShapeOf(a.Type)) {
			continue
		}
		terms, outers := make([]*expr.Node, len(sum.Args)), 0
		for j, t := range sum.Args {
			scale, core := g.Bare(t)
			switch {
			case core.Op == expr.Outer && core.Type.Axes == a.Type.Axes:
				terms[j], outers = g.Dot(core.Args[0], g.MatMul(a, core.Args[1])), outers+1
			case p.inMemory(core):
				terms[j] = g.Inner(core, a)
			default:
				return nil
			}
			terms[j] = g.Mul(scale, g.Scale(sum.Coefs[j], terms[j]))
		}
		if outers > 0 {
			return g.Add(terms...)
		}
	}
	return nil
}

// numberOf is a number under a name.
func (p *planner) numberOf(v *expr.Node, hint string) *program.Place {
	p.need(v)
	s := &program.Let{To: p.number(hint)}
	p.add(s)
	p.laterBut(&s.Value, v, s.To)
	return s.To
}

// entriesWanted reports whether a matrix is used otherwise than by its trace, its determinant and products with vectors.
func (p *planner) entriesWanted(n *expr.Node) bool {
	wanted := false
	p.users(n, func(user *expr.Node) {
		trace := user.Op == expr.Inner && user.Args[0].Op == expr.Eye
		wanted = wanted || !trace && user.Op != expr.LogDet && !productOf(user, n)
	})
	return wanted
}

// traceOfInverse is the trace of inv(base).
func (p *planner) traceOfInverse(base *expr.Node, hint string) *program.Place {
	l, scratch := p.factorise(base, -1), p.newBuffer("scratch", program.Shape{Dims: base.Type.Dims[:2]})
	return p.scalarCall("TraceOfInverse", hint, l, scratch, p.side(base))
}

func symmetric(n *expr.Node) bool { return n.Facts.Structure&expr.Symmetric != 0 }

// traceOfSolve is the trace of inv(base) @ s.
func (p *planner) traceOfSolve(base, s *expr.Node, hint string) *program.Place {
	l, from := p.factorise(base, -1), p.buffer(s)
	scratch := p.newBuffer("scratch", program.Shape{Dims: base.Type.Dims[:2]})
	return p.scalarCall("TraceOfSolve", hint, l, from, scratch, p.side(base))
}

// diagonalOfSolve is the diagonal of inv(base) @ s'.
func (p *planner) diagonalOfSolve(base, s *expr.Node, hint string) *program.Place {
	l, from := p.factorise(base, -1), p.buffer(s)
	scratch := p.newBuffer("scratch", program.Shape{Dims: base.Type.Dims[:2]})
	name := p.newBuffer(hint, program.Shape{Dims: base.Type.Dims[:1]})
	g := p.k.Graph
	p.describe(name, g.Diagonal(g.MatMul(g.Inv(base), g.Transpose(s))))
	p.call("DiagOfSolve", name, l, from, scratch, p.side(base))
	return name
}

// scalarCall calls a kernel that returns a number.
func (p *planner) scalarCall(fn, hint string, args ...any) *program.Place {
	to := p.number(hint)
	p.call(fn, args...).To = to
	return to
}

// inMemory reports whether a value has memory or will get it.
func (p *planner) inMemory(n *expr.Node) bool {
	return p.named[n] != nil || p.kernel(n) || n.Op == expr.Sym || n.Op == expr.Sum
}

// quadratic reports whether n is x' inv(A) x, and returns A.
func (p *planner) quadratic(n *expr.Node) (base *expr.Node, ok bool) {
	x, y := n.Args[0], n.Args[1]
	if !p.may(choiceForms) || y.Op != expr.MatMul || len(y.Args) != 2 || y.Args[1] != x {
		return nil, false
	}
	if y.Args[0].Type.Axes.Has(expr.Rows) {
		return nil, false
	}
	return p.inverseOf(y.Args[0])
}

// form reports whether n is x' inv(A) y, where inv(A) y is not computed for something else; it returns A and y.
func (p *planner) form(n *expr.Node) (base, y *expr.Node, ok bool) {
	product := n.Args[1]
	if !p.may(choiceForms) || product.Op != expr.MatMul || len(product.Args) != 2 || product.Type.Axes.Has(expr.Rows) || p.wanted(product) {
		return nil, nil, false
	}
	base, ok = p.inverseOf(product.Args[0])
	return base, product.Args[1], ok
}

// wanted reports whether a product with a vector is computed, or will be, for more than one inner product.
func (p *planner) wanted(n *expr.Node) bool {
	if p.named[n] != nil || p.suffixes[suffixKey(n.Args)] != nil {
		return true
	}
	wanted := false
	p.users(n, func(user *expr.Node) { wanted = wanted || user.Op != expr.Dot })
	return wanted
}

// inverseOf reports whether a matrix is known as the inverse of another, which is returned: then solves with a Cholesky
// factor take the place of products with the inverse, also where the inverse is in memory for other reasons. A standard
// parameter that is in memory is multiplied with.
func (p *planner) inverseOf(n *expr.Node) (base *expr.Node, ok bool) {
	if n.Op == expr.Sym && p.named[n] != nil {
		return nil, false
	}
	return p.knownInverse(n)
}

// knownInverse is inverseOf, also where the matrix is in memory.
func (p *planner) knownInverse(n *expr.Node) (base *expr.Node, ok bool) {
	g := p.k.Graph
	s, core := g.Bare(p.value(n))
	if core.Op != expr.Inv || core.Args[0].Facts.Structure&expr.Symmetric == 0 {
		return nil, false
	}
	return g.Mul(g.Div(g.Const(1), s), core.Args[0]), true
}

// halfSolve is inv(L) x for the Cholesky factor L of a matrix.
func (p *planner) halfSolve(base, x *expr.Node) *program.Place {
	key := pair{base, x}
	if name, ok := p.halves[key]; ok {
		return name
	}
	l := p.factorise(base, -1)
	name := p.copyOf(x)
	if x.Type.Axes.Has(expr.Rows) {
		p.call("SolveLowerRows", name, l, blockRows, p.side(base))
	} else {
		p.call("SolveLower", name, l, p.side(base))
	}
	g := p.k.Graph
	p.describe(name, g.MatMul(g.Inv(g.Cholesky(base)), x))
	p.halves[key] = name
	return name
}

type pair struct{ a, b *expr.Node }

// side is the length of a side of a square matrix.
func (p *planner) side(n *expr.Node) expr.Dim { return n.Type.Dims[0] }

// copyOf writes a value to new memory, also when it has memory already.
func (p *planner) copyOf(n *expr.Node) *program.Place { return p.copyAs(n, "") }

// copyAs is copyOf, under a name.
func (p *planner) copyAs(n *expr.Node, hint string) *program.Place {
	if !p.inMemory(n) && (p.uses[n] < 2 || n.Type.Axes.Has(expr.Rows)) { // what is used again is kept
		p.needs(n)
		name := p.newBuffer(hint, program.ShapeOf(n.Type))
		p.fillSymmetric(name, n, program.ShapeOf(n.Type))
		return name
	}
	from := p.buffer(n)
	name := p.newBuffer(hint, program.ShapeOf(n.Type))
	p.call("copy", name, from)
	return name
}

// factorise is the Cholesky factor of a matrix, computed once. The guard is the index of the condition that it be positive
// definite, -1 when nobody asks.
func (p *planner) factorise(base *expr.Node, guard int) *program.Place {
	base = p.factored(base)
	if name, ok := p.factors[base]; ok {
		return name
	}
	if base.Facts.Structure&expr.Symmetric == 0 {
		panic(Unsupported("inverses, determinants and factors of a matrix that nothing makes symmetric or triangular: " + base.String()))
	}
	q := p.in(base.Type.Axes)
	from := q.buffer(base)
	name := q.newBuffer("chol", program.Shape{Dims: base.Type.Dims[:2]})
	c := q.call("Cholesky", name, from, q.side(base))
	c.Definite, c.Guard = true, guard
	p.factors[base] = name
	return name
}

// factored is a matrix under the name that its factor is known by: there is one for both names of a matrix.
func (p *planner) factored(base *expr.Node) *expr.Node {
	if base.Op == expr.Sym && p.def[base] != nil {
		if _, core := p.k.Graph.Bare(p.def[base]); core.Op == expr.Sym {
			return p.def[base]
		}
	}
	return base
}

// definite emits the check that a matrix is positive definite: its factorisation, or that of its inverse.
func (p *planner) definite(n *expr.Node, guard int) {
	if base, ok := p.inverseOf(n); ok {
		p.factorise(base, guard)
		return
	}
	p.factorise(n, guard)
}

func (p *planner) logDet(n *expr.Node, hint string) *program.Place {
	g := p.k.Graph
	if base, ok := p.knownInverse(n); ok && p.factors[n] == nil {
		v := g.Neg(g.LogDet(base))
		if v.Op != expr.LogDet {
			return p.numberOf(v, hint)
		}
	}
	l := p.factorise(n, -1)
	return p.scalarCall("LogDet", hint, l, p.side(n))
}

// inverse is the inverse of a matrix in memory.
func (p *planner) inverse(n *expr.Node, hint string) *program.Place {
	g := p.k.Graph
	if l, upper, ok := inverseOfTriangle(g.Inv(n)); ok { // rows of the identity, solved
		name := p.newBuffer(hint, program.Shape{Dims: n.Type.Dims[:2]})
		p.fill(name, g.Identity(n.Type.Dims[0]))
		fn := "SolveLowerTRows"
		if upper {
			fn = "SolveLowerRows"
		}
		p.call(fn, name, p.triangle(l), p.side(l), p.side(l))
		p.invert(n)
		return name
	}
	base, back := n, 1.0
	if s, ok := p.sign(n); ok { // the matrix is negative definite
		base, back = g.Scale(s, n), s
	}
	name := p.inverseInto(base, hint)
	p.invert(n)
	if back != 1 {
		p.call("Scale", name, program.Operand{Value: program.Number(back)}, name)
	}
	return name
}

// definiteInverse is the positive definite matrix of which a definition is the inverse, where that is written as a multiple of the
// inverse of another one: of Sigma = -inv(eta2)/2 it is -2*eta2. Nil for anything else, and where the other inverse or its factor is at hand.
func (p *planner) definiteInverse(n *expr.Node) *expr.Node {
	d := p.def[n]
	if !p.may(choiceInverses) || d == nil || d.Op != expr.Lin || n.Facts.Structure&expr.PositiveDefinite == 0 {
		return nil
	}
	_, core := p.k.Graph.Bare(d)
	if p.named[d] != nil || p.named[core] != nil {
		return nil
	}
	base, ok := p.knownInverse(d)
	if !ok || p.factors[p.factored(base)] == nil && p.factors[p.factored(core.Args[0])] != nil {
		return nil
	}
	return base
}

// inverseInto is the inverse of a positive definite matrix, in new memory.
func (p *planner) inverseInto(base *expr.Node, hint string) *program.Place {
	l := p.factorise(base, -1)
	name := p.newBuffer(hint, program.Shape{Dims: base.Type.Dims[:2]})
	p.call("InverseFromCholesky", name, l, p.side(base))
	return name
}

// invert notes that an inverse is made.
func (p *planner) invert(n *expr.Node) {
	p.prog.Inverted = append(p.prog.Inverted, n)
}

// sign is a negative number that makes a matrix positive definite: the one of a definition whose value is its scaled
// inverse.
func (p *planner) sign(n *expr.Node) (float64, bool) {
	if n.Facts.Structure&expr.PositiveDefinite != 0 {
		return 1, false
	}
	for _, d := range p.k.Defs {
		s, core := p.k.Graph.Bare(d.Node)
		v, ok := s.IsConst()
		if ok && v < 0 && core.Op == expr.Inv && core.Args[0] == n && d.Sym.Facts.Structure&expr.PositiveDefinite != 0 {
			return 1 / v, true
		}
	}
	return 1, false
}

// total adds up the products of the entries of two values: an inner product.
func (p *planner) total(hint string, x, y *expr.Node) *program.Place {
	p.need(x)
	p.need(y)
	shape := program.ShapeOf(x.Type)
	if x.Op == expr.Eye || y.Op == expr.Eye { // a trace
		other := x
		if x.Op == expr.Eye {
			other = y
		}
		return p.totalOf(hint, program.Shape{Dims: x.Type.Dims[:1]}, func(where at) *expr.Node {
			return p.element(other, at{i: where.i, j: where.i})
		})
	}
	if forms := p.forms(x, y); forms != nil {
		return p.numberOf(forms, hint)
	}
	if symmetric(x) && symmetric(y) && p.inMemory(x) && p.inMemory(y) && !p.unrolled(shape) {
		return p.scalarCall("SymmetricDot", hint, p.buffer(x), p.buffer(y), p.side(x))
	}
	return p.totalOf(hint, shape, func(where at) *expr.Node {
		return p.k.Graph.Mul(p.element(x, where), p.element(y, where))
	})
}

func (p *planner) totalOf(hint string, s program.Shape, term func(at) *expr.Node) *program.Place {
	to, e := p.number(hint), newEach(s)
	p.finishEach(e, func() {
		if p.unrolled(s) {
			e.Shape = program.Shape{}
			e.total(p.sumOut(s, term), to)
			return
		}
		e.total(term(p.at(s)), to)
	})
	return to
}

// diagonalOf is the diagonal of a product, without the product where that is possible.
func (p *planner) diagonalOf(n *expr.Node, hint string) *program.Place {
	d := n.Type.Dims[0]
	if n.Op == expr.MatMul {
		if base, ok := p.inverseOf(n.Args[0]); ok {
			return p.diagonalOfSolve(base, p.k.Graph.Transpose(p.k.Graph.MatMul(n.Args[1:]...)), hint)
		}
		if n.Args[0].Op != expr.Inv {
			return p.diagonalOfProduct(n, hint)
		}
	}
	full := p.buffer(n)
	name := p.newBuffer(hint, program.Shape{Dims: []expr.Dim{d}})
	p.call("DiagOf", name, full, d)
	return name
}

// diagonalOfProduct is the diagonal of A @ B, without the product: the inner products of the rows of A and B'.
func (p *planner) diagonalOfProduct(n *expr.Node, hint string) *program.Place {
	g := p.k.Graph
	a, b := p.buffer(n.Args[0]), p.buffer(g.Transpose(g.MatMul(n.Args[1:]...)))
	name := p.newBuffer(hint, program.Shape{Dims: n.Type.Dims[:1]})
	p.call("RowsDot", name, a, b, n.Type.Dims[0], n.Args[0].Type.Dims[1])
	return name
}

// productVec multiplies a vector with matrices, from the right.
func (p *planner) productVec(n *expr.Node, hint string) *program.Place {
	last := len(n.Args) - 1
	rows := n.Type.Axes.Has(expr.Rows)
	cur, owned := n.Args[last], (*program.Place)(nil)
	for i := last - 1; i >= 0; i-- {
		key := suffixKey(n.Args[i:])
		h := ""
		if i == 0 {
			h = hint
		}
		name, ok := p.suffixes[key]
		if !ok {
			name = p.apply(n.Args[i], cur, owned, h, rows)
			p.describe(name, p.k.Graph.MatMul(n.Args[i:]...))
			p.suffixes[key] = name
		}
		owned, cur = name, nil
	}
	return owned
}

// suffixKey says which factors are multiplied.
func suffixKey(args []*expr.Node) string {
	key := ""
	for _, a := range args {
		key += fmt.Sprint(a.ID, " ")
	}
	return key
}

// apply multiplies a matrix with a vector, which is a node or, when that is nil, in memory.
func (p *planner) apply(f, x *expr.Node, owned *program.Place, hint string, rows bool) *program.Place {
	t := expr.Vector(f.Type.Dims[0])
	if rows {
		t = t.Over(expr.Rows)
	}
	source := func() *program.Place {
		if x != nil {
			return p.buffer(x)
		}
		return owned
	}
	private := func() *program.Place {
		if x != nil {
			return p.copyAs(x, hint)
		}
		name := p.newBuffer(hint, program.ShapeOf(t))
		p.call("copy", name, owned)
		return name
	}
	if base, ok := p.inverseOf(f); ok {
		if x != nil && rows { // a quadratic form of the same rows shares the first triangular solve
			half := p.halfSolve(base, x)
			name := p.newBuffer(hint, program.ShapeOf(t))
			p.call("copy", name, half)
			return p.solveVec("SolveLowerT", base, name, rows)
		}
		return p.solveVec("Solve", base, private(), rows)
	}
	if l, transposed, ok := inverseOfTriangle(f); ok {
		fn := "SolveLower"
		if transposed {
			fn = "SolveLowerT"
		}
		return p.solveWith(fn, p.triangle(l), p.side(l), private(), rows)
	}
	transposed := f.Op == expr.Transpose
	inner := f
	if transposed {
		inner = f.Args[0]
	}
	if f.Op == expr.DiagMat {
		return p.scaled(f.Args[0], source(), t, hint)
	}
	from, m := source(), p.buffer(inner)
	name := p.newBuffer(hint, program.ShapeOf(t))
	r, c := inner.Type.Dims[0], inner.Type.Dims[1]
	switch {
	case !rows && p.unrolled(program.ShapeOf(inner.Type)):
		p.multiplyOut(name, m, from, inner.Type, transposed)
	case rows && (transposed || symmetric(inner)): // of which the rows are columns too, which need not be turned
		p.call("Mul", name, from, m, blockRows, r, c)
	case rows:
		p.call("MulNT", name, from, m, blockRows, c, r)
	case transposed:
		p.call("MulTVec", name, m, from, r, c)
	case symmetric(inner):
		p.call("SymmetricMulVec", name, m, from, r)
	default:
		p.call("MulVec", name, m, from, r, c)
	}
	return name
}

// inverseOfTriangle reports whether a matrix is inv(L) for a lower triangular matrix L, or its transpose.
func inverseOfTriangle(n *expr.Node) (l *expr.Node, transposed, ok bool) {
	if n.Op != expr.Inv {
		return nil, false, false
	}
	l = n.Args[0]
	if transposed = l.Op == expr.Transpose; transposed {
		l = l.Args[0]
	}
	return l, transposed, l.Facts.Structure&expr.LowerTriangular != 0
}

// triangle is the memory of a lower triangular matrix.
func (p *planner) triangle(l *expr.Node) *program.Place {
	if l.Op == expr.Chol {
		return p.factorise(l.Args[0], -1)
	}
	return p.buffer(l)
}

func (p *planner) solveVec(fn string, base *expr.Node, name *program.Place, rows bool) *program.Place {
	return p.solveWith(fn, p.factorise(base, -1), p.side(base), name, rows)
}

// solveWith solves with a triangular factor in memory, in place.
func (p *planner) solveWith(fn string, l *program.Place, side expr.Dim, name *program.Place, rows bool) *program.Place {
	if rows {
		p.call(fn+"Rows", name, l, blockRows, side)
		return name
	}
	p.call(fn, name, l, side)
	return name
}

// scaled multiplies the entries of two vectors, the second in memory.
func (p *planner) scaled(v *expr.Node, from *program.Place, t expr.Type, hint string) *program.Place {
	p.need(v)
	name := p.newBuffer(hint, program.ShapeOf(t))
	p.write(name, program.ShapeOf(t), func(where at) *expr.Node {
		there := program.Ref{Place: from, At: where.entry(1, t.Axes.Has(expr.Rows))}
		return p.k.Graph.Mul(p.element(v, where), p.entry(p.k.Graph.Fresh("memory", t, expr.Computed), there))
	})
	return name
}

// productMat multiplies matrices. Factors that are inverses become triangular solves on rows: the rows of a product T are
// replaced by inv(A) times them, which is T inv(A). A factor on the left is applied to the transpose.
func (p *planner) productMat(n *expr.Node, hint string) *program.Place {
	if solved := p.solvedBoth(n, hint); solved != nil {
		return solved
	}
	args := slices.Clone(n.Args)
	symmetric := n.Facts.Structure&expr.Symmetric != 0
	last := len(args) - 1
	var cur *program.Place
	var transposed bool // cur holds the transpose of the product so far
	r, c := n.Type.Dims[0], n.Type.Dims[1]
	rowsOf := args[last].Type.Dims[0]
	if base, ok := p.inverseOf(args[last]); ok && last > 0 && !p.isInverse(args[last-1]) {
		half := p.k.Graph.MatMul(args[last-1], args[last])
		if p.uses[half] > 0 { // it reads what is made here
			p.uses[args[last-1]]--
		}
		cur = p.copyOf(args[last-1])
		rowsOf = args[last-1].Type.Dims[0]
		p.solveMat(base, cur, rowsOf)
		p.partials[half] = cur
		last--
	} else if l, upper, ok := inverseOfTriangle(args[last]); ok && last > 0 && !p.isInverse(args[last-1]) {
		cur = p.copyOf(args[last-1])
		rowsOf = args[last-1].Type.Dims[0]
		fn := "SolveLowerTRows"
		if upper {
			fn = "SolveLowerRows"
		}
		p.call(fn, cur, p.triangle(l), rowsOf, p.side(l))
		last--
	} else if last > 0 && p.multiplies(args[last-1]) {
		cur = p.buffer(args[last]) // is read, not solved in place
	} else {
		cur = p.copyOf(args[last])
	}
	done := last // the first factor of those that cur is the product of
	turn := func() {
		if transposed {
			return
		}
		p.describe(cur, p.k.Graph.MatMul(args[done:]...))
		cur, transposed = p.transposed(cur, rowsOf, c), true
	}
	for i := last - 1; i >= 0; done, i = i, i-1 {
		f := args[i]
		if base, ok := p.inverseOf(f); ok {
			turn()
			p.solveMat(base, cur, c)
			continue
		}
		if l, upper, ok := inverseOfTriangle(f); ok {
			turn()
			fn := "SolveLowerRows"
			if upper {
				fn = "SolveLowerTRows"
			}
			p.call(fn, cur, p.triangle(l), c, p.side(l))
			continue
		}
		if f.Op == expr.DiagMat {
			p.scaleRows(cur, f.Args[0], rowsOf, c, transposed)
			continue
		}
		h := ""
		if i == 0 {
			h = hint
		}
		m := p.buffer(f)
		name := p.newBuffer(h, program.Shape{Dims: []expr.Dim{f.Type.Dims[0], c}})
		fn := "Mul"
		if transposed {
			fn, transposed = "MulNT", false
		}
		p.call(fn, name, m, cur, f.Type.Dims[0], f.Type.Dims[1], c)
		cur, rowsOf = name, f.Type.Dims[0]
	}
	if transposed && !symmetric {
		p.describe(cur, p.k.Graph.Transpose(n))
		cur = p.transposed(cur, c, r)
	}
	return cur
}

// solvedBoth is inv(A) S inv(A) for a symmetric S, nil for other products. On the way to it is inv(L) S inv(L'), with the trace of S inv(A).
func (p *planner) solvedBoth(n *expr.Node, hint string) *program.Place {
	if len(n.Args) != 3 || n.Args[0] != n.Args[2] || n.Args[1].Facts.Structure&expr.Symmetric == 0 {
		return nil
	}
	base, ok := p.inverseOf(n.Args[0])
	if !ok || p.isInverse(n.Args[1]) {
		return nil
	}
	g, s, side := p.k.Graph, n.Args[1], p.side(base)
	half := g.MatMul(s, n.Args[2])
	if p.uses[half] > 0 { // it reads what is made here
		p.uses[s]--
	}
	l, shape := p.factorise(base, -1), program.Shape{Dims: n.Type.Dims[:2]}
	x := p.copyOf(s)
	p.call("SolveLowerBoth", x, p.newBuffer("scratch", shape), l, side)
	p.describe(x, g.MatMul(g.Inv(g.Cholesky(base)), s, g.Inv(g.Transpose(g.Cholesky(base)))))
	if trace := g.Inner(g.Identity(side), half); p.uses[trace] > 0 { // before x is overwritten
		p.partials[half] = p.scalarCall("Trace", p.hintOf(trace), x, side)
	}
	name := p.newBuffer(hint, shape)
	p.call("SolveLowerTBoth", name, x, l, side)
	return name
}

// multiplies reports whether a factor on the left becomes a product with a matrix in memory, and not a solve or a scaling in place.
func (p *planner) multiplies(f *expr.Node) bool {
	_, _, triangle := inverseOfTriangle(f)
	return !p.isInverse(f) && !triangle && f.Op != expr.DiagMat
}

// transposedOf is the transpose of a product of matrices where that has been computed, nil where it has not.
func (p *planner) transposedOf(n *expr.Node) *expr.Node {
	if n.Op != expr.MatMul || n.Type.Rank != 2 || n.Type.Axes.Has(expr.Rows) {
		return nil
	}
	if t := p.k.Graph.Transpose(n); t != n && p.named[t] != nil {
		return t
	}
	return nil
}

func (p *planner) isInverse(n *expr.Node) bool {
	_, ok := p.inverseOf(n)
	return ok
}

func (p *planner) solveMat(base *expr.Node, name *program.Place, rows expr.Dim) {
	l := p.factorise(base, -1)
	p.call("SolveRows", name, l, rows, p.side(base))
}

func (p *planner) transposed(from *program.Place, r, c expr.Dim) *program.Place {
	name := p.newBuffer("", program.Shape{Dims: []expr.Dim{c, r}})
	p.call("Transpose", name, from, r, c)
	return name
}

// scaleRows multiplies the rows of a matrix in memory (its columns, when the memory holds the transpose) with the entries of
// a vector.
func (p *planner) scaleRows(name *program.Place, v *expr.Node, r, c expr.Dim, transposed bool) {
	p.need(v)
	if transposed {
		r, c = c, r
	}
	p.write(name, program.Shape{Dims: []expr.Dim{r, c}}, func(where at) *expr.Node {
		along := where.i
		if transposed {
			along = where.j
		}
		there := p.entry(p.k.Graph.Fresh("memory", expr.Matrix(r, c), expr.Computed),
			program.Ref{Place: name, At: where.entry(2, false)})
		return p.k.Graph.Mul(p.beside(v, at{i: along}), there)
	})
}
