package pass

import (
	"slices"
	"strings"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/program"
)

// idioms puts kernels in place of loops over entries that do what there is a kernel for: copies, sums, multiples, transposes, rank-one
// updates, traces, inner products. A kernel is one line for readers, and vector instructions for processors. A loop with several results
// becomes several calls, where all of them are such. Where there is nothing but short vectors a call may take as long as the loop, which stays.
func idioms(p *program.Program, names *Names) error {
	f := &idiomFinder{names: names, matrices: hasMatrices(p)}
	p.Body = f.in(p.Body, false)
	return nil
}

type idiomFinder struct {
	names    *Names
	matrices bool // the program has some
}

// hasMatrices reports whether a program has matrices, or vectors for each row.
func hasMatrices(p *program.Program) bool {
	found := false
	look := func(place *program.Place) {
		found = found || place != nil && (len(place.Shape.Dims) == 2 || place.Shape.Block && len(place.Shape.Dims) == 1)
	}
	program.Mentions(p.Body, look)
	program.Walk(p.Body, func(s program.Stmt) {
		for _, place := range program.Declares(s) {
			look(place)
		}
	})
	return found
}

// in are statements with kernels in place of loops; inside is true in loops over the components.
func (f *idiomFinder) in(body []program.Stmt, inside bool) []program.Stmt {
	var out []program.Stmt
	for i := 0; i < len(body); i++ {
		s := body[i]
		_, components := s.(*program.Components)
		for _, inner := range program.Bodies(s) {
			*inner = f.in(*inner, inside || components)
		}
		e, ok := s.(*program.Each)
		if !ok {
			out = append(out, s)
			continue
		}
		if e.Shape.Lower && i+1 < len(body) {
			if c := mirroredIdiom(e, body[i+1]); c != nil {
				out = append(out, c)
				i++
				continue
			}
		}
		e.Dots = dots(e) && (f.matrices || e.Dots)
		calls := callsFor(e)
		if len(calls) == 1 && calls[0] == program.Stmt(e) {
			calls = productsOf(e)
		}
		if len(calls) == 1 && calls[0] == program.Stmt(e) {
			calls = f.sumsOfRows(e, inside)
		}
		if len(calls) == 1 && calls[0] == program.Stmt(e) {
			if calls = lowerSums(e); i+1 < len(body) && mirroredSum(calls, body[i+1]) {
				i++
			}
		}
		if !f.matrices && slices.ContainsFunc(calls, arithmetic) {
			calls = []program.Stmt{e}
		}
		if f.matrices && len(calls) > 0 && calls[len(calls)-1] == program.Stmt(e) {
			calls = append(calls[:len(calls)-1], dotsOf(e)...)
		}
		out = append(out, calls...)
	}
	return out
}

// dots reports whether a loop does nothing but add up numbers that lie in memory.
func dots(e *program.Each) bool {
	if !e.Shape.Block || len(e.Shape.Dims) > 0 || len(e.Sums) == 0 || len(e.Body)+len(e.Guards)+len(e.Writes)+len(e.Totals) > 0 {
		return false
	}
	return !slices.ContainsFunc(e.Sums, func(s *program.Sum) bool {
		r, ok := s.Value.(program.Ref)
		return s.Max || !ok || r.Place.Given != nil || !(idiom{e}).entry(r)
	})
}

// arithmetic reports whether a call is one of the four operations.
func arithmetic(s program.Stmt) bool {
	c, ok := s.(*program.Call)
	return ok && (c.Kernel == "Plus" || c.Kernel == "Minus" || c.Kernel == "Scale" || c.Kernel == "Divide" ||
		c.Kernel == "ScaledSum")
}

// callsFor are the calls that do what a loop does, the loop itself where there are none. One over the rows of a block, with a number for each,
// stays: the compiler sees how long it is.
func callsFor(e *program.Each) []program.Stmt {
	if len(e.Shape.Dims) == 0 || e.Shape.Lower || len(e.Body)+len(e.Guards)+len(e.Sums) > 0 {
		return []program.Stmt{e}
	}
	l := idiom{e}
	var out []program.Stmt
	for _, w := range e.Writes {
		c := l.write(w)
		if c == nil || c.Kernel == "Transpose" && len(e.Writes) > 1 { // reads other entries than those that the loop is at
			return []program.Stmt{e}
		}
		out = append(out, c)
	}
	for _, t := range e.Totals {
		c := l.total(t)
		if c == nil {
			return []program.Stmt{e}
		}
		out = append(out, c)
	}
	return out
}

// idiom is a loop of which it is asked what a kernel does.
type idiom struct{ *program.Each }

// write is the call for an entry that is stored, nil where there is none.
func (l idiom) write(w *program.Write) *program.Call {
	if w.Weighted {
		return nil
	}
	if w.Add {
		return l.diagonal(w)
	}
	if !l.entry(w.To) && !l.ofColumn(w.To) {
		return nil
	}
	to := program.Operand{Place: w.To.Place}
	terms := termsOf(w.Value)
	switch {
	case len(terms) == 0:
		return call("clear", to)
	case len(terms) == 1:
		return l.multiple(to, terms[0])
	case len(terms) == 2:
		if c := l.rankOne(to, terms); c != nil {
			return c
		}
		return l.combination(to, terms)
	}
	return nil
}

// multiple is the call for entries of an array times or divided by a number, or of a transpose.
func (l idiom) multiple(to program.Operand, t term) *program.Call {
	x, rest := t.without(l.entry)
	if x == nil {
		if x, rest = t.without(l.transposed); x != nil && rest.one() && x != to.Place {
			return call("Transpose", to, place(x), length(x.Shape.Dims[0]), length(x.Shape.Dims[1]))
		}
		return nil
	}
	if rest.one() {
		return call("copy", to, place(x))
	}
	if by := rest.divisor(); by != nil && !l.varies(by) {
		return call("Divide", to, place(x), number(by))
	}
	if a := rest.formula(); a != nil && rest.safe() && !l.varies(a) {
		return call("Scale", to, number(a), place(x))
	}
	return nil
}

// combination is the call for the sum or the difference of two arrays, or of the rows of a block and a vector.
func (l idiom) combination(to program.Operand, terms []term) *program.Call {
	if terms[0].coef < 0 {
		terms = []term{terms[1], terms[0]}
	}
	a, b := terms[0], terms[1]
	if a.coef != 1 || b.coef != 1 && b.coef != -1 || len(a.args)+len(b.args) > 2 {
		return l.scaledSum(to, terms)
	}
	if l.Shape.Block && len(l.Shape.Dims) == 1 && b.coef == -1 {
		if v, x := a.alone(l.ofRow), b.alone(l.entry); v != nil && x != nil {
			return call("LessRows", to, place(v), place(x), program.Operand{Block: true}, length(l.Shape.Dims[0]))
		}
	}
	x, y := a.alone(l.entry), b.alone(l.entry)
	if x != nil && y != nil {
		if b.coef == 1 {
			return call("Plus", to, place(x), place(y))
		}
		return call("Minus", to, place(x), place(y))
	}
	if !l.Shape.Block || len(l.Shape.Dims) != 1 {
		return nil
	}
	if x == nil && b.coef == 1 {
		x, a, b = y, b, a
	}
	v := b.alone(l.ofRow)
	if x == nil || v == nil {
		return nil
	}
	kernel := "RowsPlus"
	if b.coef < 0 {
		kernel = "RowsLess"
	}
	return call(kernel, to, place(x), place(v), program.Operand{Block: true}, length(l.Shape.Dims[0]))
}

// scaledSum is the call for the sum of multiples of two arrays.
func (l idiom) scaledSum(to program.Operand, terms []term) *program.Call {
	args := []program.Operand{to}
	for _, t := range terms {
		x, rest := t.without(l.entry)
		if x == nil || slices.ContainsFunc(rest.powers, func(p float64) bool { return p < 0 }) || l.varies(rest.formula()) {
			return nil
		}
		args = append(args, number(rest.formula()), place(x))
	}
	return call("ScaledSum", args...)
}

// rankOne is the call for a matrix plus a multiple of the outer product of two vectors.
func (l idiom) rankOne(to program.Operand, terms []term) *program.Call {
	a, alpha, u, v := l.outer(terms)
	if a == nil {
		return nil
	}
	return call("PlusOuter", to, place(a), number(alpha), place(u), place(v), length(l.Shape.Dims[0]), length(l.Shape.Dims[1]))
}

// outer takes two terms, in any order, as those of A + alpha u v'; a is nil where they are not.
func (l idiom) outer(terms []term) (a *program.Place, alpha program.Expr, u, v *program.Place) {
	if l.Shape.Block || len(l.Shape.Dims) != 2 || len(terms) != 2 {
		return nil, nil, nil, nil
	}
	for i, t := range terms {
		if a = t.alone(l.entry); a == nil || t.coef != 1 {
			continue
		}
		u, rest := terms[1-i].without(l.ofFirst)
		v, rest := rest.without(l.ofSecond)
		if alpha = rest.formula(); u != nil && v != nil && alpha != nil && rest.safe() && !l.varies(alpha) {
			return a, alpha, u, v
		}
	}
	return nil, nil, nil, nil
}

// mirroredIdiom is the call for a loop over a lower triangle and the mirroring of what it writes, nil where there is none.
func mirroredIdiom(e *program.Each, next program.Stmt) *program.Call {
	m, ok := next.(*program.Call)
	if !ok || m.Kernel != "Mirror" || len(e.Writes) != 1 || len(e.Body)+len(e.Guards)+len(e.Sums)+len(e.Totals) > 0 {
		return nil
	}
	l, w := idiom{e}, e.Writes[0]
	if w.Add || w.Weighted || w.To.Place != m.Args[0].Place || !l.entry(w.To) {
		return nil
	}
	to, d := program.Operand{Place: w.To.Place}, length(e.Shape.Dims[0])
	terms := termsOf(w.Value)
	switch len(terms) {
	case 1:
		x, rest := terms[0].without(l.entry)
		switch a := rest.formula(); {
		case x == nil:
		case rest.one():
			return call("Mirrored", to, place(x), d)
		case a != nil && rest.safe() && !l.varies(a):
			return call("MirroredScale", to, number(a), place(x), d)
		}
	case 2:
		if a, alpha, u, v := l.outer(terms); a != nil {
			return call("MirroredPlusOuter", to, place(a), number(alpha), place(u), place(v), d)
		}
	}
	return nil
}

// mirroredSum makes the last of the calls for a sum in a lower triangle write both halves, where its mirroring is next, and reports whether it does.
func mirroredSum(calls []program.Stmt, next program.Stmt) bool {
	m, ok := next.(*program.Call)
	if !ok || m.Kernel != "Mirror" {
		return false
	}
	last, ok := calls[len(calls)-1].(*program.Call)
	if !ok || last.Args[0].Place != m.Args[0].Place {
		return false
	}
	last.Kernel = program.MirroredTriangle + strings.TrimPrefix(last.Kernel, program.LowerTriangle)
	return true
}

// diagonal is the call for a number that is added to the diagonal of a matrix.
func (l idiom) diagonal(w *program.Write) *program.Call {
	if l.Shape.Block || len(l.Shape.Dims) != 1 || !l.onDiagonal(w.To) || l.varies(w.Value) {
		return nil
	}
	return call("AddToDiagonal", program.Operand{Place: w.To.Place}, number(w.Value), length(l.Shape.Dims[0]))
}

// total is the call for what adds up the entries, nil where there is none.
func (l idiom) total(t *program.Total) *program.Call {
	terms := termsOf(t.Value)
	if l.Shape.Block || len(terms) != 1 || terms[0].coef != 1 {
		return nil
	}
	var c *program.Call
	x, rest := terms[0].without(l.entry)
	switch y := rest.alone(l.entry); {
	case x == nil:
		if x = terms[0].alone(l.onDiagonal); x != nil && len(l.Shape.Dims) == 1 {
			c = call("Trace", place(x), length(l.Shape.Dims[0]))
		}
	case rest.one():
		c = call("Sum", place(x))
	case y != nil:
		c = call("Dot", place(x), place(y))
	}
	if c != nil {
		c.To = t.To
	}
	return c
}

func call(kernel string, args ...program.Operand) *program.Call {
	return &program.Call{Kernel: kernel, Args: args, Guard: -1}
}

func place(p *program.Place) program.Operand { return program.Operand{Place: p} }
func number(e program.Expr) program.Operand  { return program.Operand{Value: e} }
func length(d expr.Dim) program.Operand      { return program.Operand{Dim: d} }

// entry reports whether a reference is to the entry that the loop is at, in an array of its shape.
func (l idiom) entry(r program.Ref) bool {
	at := []program.Loop{program.I, program.J}
	if l.Shape.Block {
		at = at[:1+len(l.Shape.Dims)]
	} else {
		at = at[:len(l.Shape.Dims)]
	}
	return known(r, l.Shape.Block, l.Shape.Dims, at...)
}

// ofColumn reports whether it is to the entry that a loop over the entries of rows is at, or to the number of its row, in a column of the model.
func (l idiom) ofColumn(r program.Ref) bool {
	at := []program.Index{program.Over(program.Row), program.Over(program.J)}[:1+len(l.Shape.Dims)]
	return l.Shape.Block && len(l.Shape.Dims) <= 1 && r.Place.OfRows() && slices.Equal(r.Place.Shape.Dims, l.Shape.Dims) &&
		slices.EqualFunc(r.At, at, program.Index.Equal)
}

// transposed reports whether it is to the entry of a matrix with the subscripts of the loop the other way round.
func (l idiom) transposed(r program.Ref) bool {
	if l.Shape.Block || len(l.Shape.Dims) != 2 {
		return false
	}
	return known(r, false, []expr.Dim{l.Shape.Dims[1], l.Shape.Dims[0]}, program.J, program.I)
}

// ofRow reports whether it is to the entry of a vector that goes with that of the row of a block.
func (l idiom) ofRow(r program.Ref) bool { return known(r, false, l.Shape.Dims, program.J) }

// ofFirst and ofSecond report whether it is to the entry of a vector that goes with the row, or the column, of a matrix.
func (l idiom) ofFirst(r program.Ref) bool  { return known(r, false, l.Shape.Dims[:1], program.I) }
func (l idiom) ofSecond(r program.Ref) bool { return known(r, false, l.Shape.Dims[1:], program.J) }

// onDiagonal reports whether it is to the entry of the diagonal of a matrix that the loop is at.
func (l idiom) onDiagonal(r program.Ref) bool {
	return len(l.Shape.Dims) == 1 && known(r, false, []expr.Dim{l.Shape.Dims[0], l.Shape.Dims[0]}, program.I, program.I)
}

// known reports whether a reference has subscripts of loops, in an array of such a shape that is one piece of memory: those of all components are
// not, and of parts without their last entry that entry is computed.
func known(r program.Ref, block bool, dims []expr.Dim, loops ...program.Loop) bool {
	s := r.Place.Shape
	if s.Block != block || s.Stacked || !slices.Equal(s.Dims, dims) || len(r.At) != len(loops) ||
		r.Place.Given != nil && r.Place.Given.Part != nil && r.Place.Given.Part.Free {
		return false
	}
	for i, at := range r.At {
		if !at.Equal(program.Over(loops[i])) {
			return false
		}
	}
	return true
}

// varies reports whether a formula is another one for other entries.
func (l idiom) varies(e program.Expr) bool {
	found := false
	program.Operands(e, func(r program.Ref) {
		for _, at := range r.At {
			found = found || at.By != nil || at.Loop == program.I || at.Loop == program.J || at.Loop == program.Row || at.Loop == program.Here
		}
	})
	return found
}

// term is a product of powers, times a number.
type term struct {
	coef   float64
	args   []program.Expr
	powers []float64
}

// termsOf takes a formula as a sum of terms, none for 0. A sum with a constant has one without operands.
func termsOf(e program.Expr) []term {
	if a, ok := e.(*program.Apply); ok && a.Op == expr.Lin {
		var out []term
		for i, arg := range a.Args {
			t := termOf(arg)
			t.coef *= a.Coefs[i]
			out = append(out, t)
		}
		if a.Const != 0 {
			out = append(out, term{coef: a.Const})
		}
		return out
	}
	if n, ok := e.(program.Number); ok && n == 0 {
		return nil
	}
	return []term{termOf(e)}
}

func termOf(e program.Expr) term {
	switch e := e.(type) {
	case program.Number:
		return term{coef: float64(e)}
	case *program.Apply:
		if e.Op == expr.Prod {
			return term{1, e.Args, e.Coefs}
		}
	}
	return term{1, []program.Expr{e}, []float64{1}}
}

// without takes the first factor of a kind out of a term; it is nil where there is none.
func (t term) without(kind func(program.Ref) bool) (*program.Place, term) {
	for i, arg := range t.args {
		if r, ok := arg.(program.Ref); ok && t.powers[i] == 1 && kind(r) {
			return r.Place, t.less(i)
		}
		if r, ok := arg.(program.Ref); ok && t.powers[i] == 2 && kind(r) {
			rest := term{t.coef, t.args, slices.Clone(t.powers)}
			rest.powers[i] = 1
			return r.Place, rest
		}
	}
	return nil, t
}

// less is a term without a factor.
func (t term) less(i int) term {
	return term{t.coef, slices.Delete(slices.Clone(t.args), i, i+1), slices.Delete(slices.Clone(t.powers), i, i+1)}
}

// alone is the one factor of a term, nil where it has others. What it is multiplied by is not asked about.
func (t term) alone(kind func(program.Ref) bool) *program.Place {
	if p, rest := t.without(kind); p != nil && len(rest.args) == 0 {
		return p
	}
	return nil
}

// one reports whether a term is the number 1.
func (t term) one() bool { return t.coef == 1 && len(t.args) == 0 }

// divisor is what a term is the inverse of, nil where it is something else.
func (t term) divisor() program.Expr {
	if t.coef == 1 && len(t.args) == 1 && t.powers[0] == -1 {
		return t.args[0]
	}
	return nil
}

// safe reports whether a term is computed as it stands, wherever it is finite: an inverse may be infinite where the quotient is not.
func (t term) safe() bool {
	return !slices.ContainsFunc(t.powers, func(p float64) bool { return p < 0 }) && len(t.args) < 2
}

// formula is a term as a formula.
func (t term) formula() program.Expr {
	switch {
	case len(t.args) == 0:
		return program.Number(t.coef)
	case t.coef == 1 && len(t.args) == 1 && t.powers[0] == 1:
		return t.args[0]
	}
	var product program.Expr = &program.Apply{Op: expr.Prod, Args: t.args, Coefs: t.powers}
	if len(t.args) == 1 && t.powers[0] == 1 {
		product = t.args[0]
	}
	if t.coef == 1 {
		return product
	}
	return &program.Apply{Op: expr.Lin, Args: []program.Expr{product}, Coefs: []float64{t.coef}}
}
