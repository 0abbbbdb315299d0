package pass

import (
	"slices"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/program"
)

// mostLowerSums is how many calls there may be in place of a loop: each goes through the matrix once.
const mostLowerSums = 6

// lowerSums are the calls in place of a loop over a lower triangle that writes a sum of multiples of matrices, of matrices with their transposes, and of outer
// products with theirs, the loop itself where it writes something else. Such loops read columns, and ask of each subscript whether it is one.
func lowerSums(e *program.Each) []program.Stmt {
	l := lowerSum{idiom: idiom{e}}
	if e.Shape.Lower && !e.Shape.Block && len(e.Guards)+len(e.Sums)+len(e.Totals) == 0 && len(e.Writes) == 1 && l.writes(e.Writes[0]) {
		return l.out
	}
	return []program.Stmt{e}
}

type lowerSum struct {
	idiom
	to  program.Operand
	out []program.Stmt
	sum []*symmetricTerm
}

// symmetricTerm is a multiple of a matrix, of one with its transpose, or of an outer product with its own.
type symmetricTerm struct {
	factor             term           // what is the same for all entries
	matrix, transposed *program.Place // transposed is the matrix of which the transpose is meant
	u, v               *program.Place
	whole              bool // it is symmetric
}

// kernel is what adds it to a matrix, with the operands behind the factor.
func (t *symmetricTerm) kernel() (string, []program.Operand) {
	switch {
	case t.u != nil:
		return "LowerRankTwo", []program.Operand{place(t.u), place(t.v)}
	case t.transposed != nil:
		return "LowerSymmetric", []program.Operand{place(t.matrix)}
	}
	return "LowerSum", []program.Operand{place(t.matrix)}
}

// writes makes the calls for what is written to an entry, and reports whether it can.
func (l *lowerSum) writes(w *program.Write) bool {
	if w.Add || w.Weighted || !l.entry(w.To) || !l.read(w.Value) {
		return false
	}
	l.to = place(w.To.Place)
	first := slices.IndexFunc(l.sum, func(t *symmetricTerm) bool { return t.plain() && sameMemory(t.matrix, w.To.Place) })
	if first < 0 {
		first = slices.IndexFunc(l.sum, (*symmetricTerm).plain)
	}
	from, factor := l.to, program.Expr(program.Number(1))
	if first < 0 {
		l.out = append(l.out, call("clear", l.to))
	} else {
		from, factor = place(l.sum[first].matrix), l.sum[first].factor.formula()
		l.sum = slices.Delete(l.sum, first, first+1)
	}
	if len(l.sum) == 0 || len(l.sum) > mostLowerSums {
		return false
	}
	for _, t := range l.sum {
		if t.reads(w.To.Place) {
			return false
		}
		kernel, of := t.kernel()
		args := append([]program.Operand{l.to, number(factor), from, number(t.factor.formula())}, of...)
		l.out = append(l.out, call(kernel, append(args, length(l.Shape.Dims[0]))...))
		from, factor = l.to, program.Number(1)
	}
	l.out = sumsAtOnce(l.out)
	return true
}

// sumsAtOnce makes one call of a sum of two matrices and the rank-two term that is added to it next, which goes through the matrix once.
func sumsAtOnce(calls []program.Stmt) (out []program.Stmt) {
	for _, s := range calls {
		next := s.(*program.Call)
		if len(out) > 0 {
			if sum := out[len(out)-1].(*program.Call); sum.Kernel == "LowerSum" && next.Kernel == "LowerRankTwo" {
				*sum = *call("LowerSumRankTwo", slices.Concat(sum.Args[:5], next.Args[3:])...)
				continue
			}
		}
		out = append(out, next)
	}
	return out
}

// plain reports whether it is a matrix.
func (t *symmetricTerm) plain() bool { return t.matrix != nil && t.transposed == nil }

// reads reports whether it is of what lies in some memory.
func (t *symmetricTerm) reads(p *program.Place) bool {
	return slices.ContainsFunc([]*program.Place{t.matrix, t.u, t.v}, func(q *program.Place) bool { return q != nil && sameMemory(p, q) })
}

// read takes a formula apart, and reports whether it is a sum of such terms.
func (l *lowerSum) read(value program.Expr) bool {
	known := map[*program.Place]program.Expr{}
	for _, s := range l.Body {
		let, ok := s.(*program.Let)
		if !ok || let.Out {
			return false
		}
		known[let.To] = withPlaces(let.Value, known)
	}
	for _, t := range l.distributed(withPlaces(value, known)) {
		if !l.add(t) {
			return false
		}
	}
	return !slices.ContainsFunc(l.sum, func(t *symmetricTerm) bool { return !t.whole })
}

// distributed are the terms of a sum, with factors of sums multiplied into them.
func (l *lowerSum) distributed(e program.Expr) []term {
	var out []term
	for _, t := range termsOf(e) {
		at := slices.IndexFunc(t.args, func(arg program.Expr) bool {
			a, ok := arg.(*program.Apply)
			return ok && a != nil && (a.Op == expr.Lin || a.Op == expr.Prod) && l.varies(arg)
		})
		if at < 0 || t.powers[at] != 1 {
			out = append(out, t)
			continue
		}
		rest := t.less(at)
		for _, inner := range l.distributed(t.args[at]) {
			out = append(out, term{rest.coef * inner.coef, slices.Concat(inner.args, rest.args), slices.Concat(inner.powers, rest.powers)})
		}
	}
	return out
}

// add takes a term of a sum, together with the one before it of which it is the transpose, and reports whether it is such a term.
func (l *lowerSum) add(t term) bool {
	s := &symmetricTerm{}
	if s.matrix, s.factor = t.without(l.entry); s.matrix != nil {
		s.whole = true
	} else if s.transposed, s.factor = t.without(l.transposed); s.transposed == nil {
		s.u, s.factor = t.without(l.ofFirst)
		s.v, s.factor = s.factor.without(l.ofSecond)
		if s.u == nil || s.v == nil {
			return false
		}
	}
	if slices.ContainsFunc(s.factor.powers, func(p float64) bool { return p < 0 }) || l.varies(s.factor.formula()) {
		return false // a quotient may be finite where the inverse is not
	}
	if slices.ContainsFunc(l.sum, s.joins) {
		return true
	}
	if s.u != nil && s.u == s.v { // half of it and half of its transpose
		s.factor.coef, s.whole = s.factor.coef/2, true
	}
	l.sum = append(l.sum, s)
	return true
}

// joins makes a term, of which it is the transpose, a symmetric one, and reports whether it is.
func (t *symmetricTerm) joins(other *symmetricTerm) bool {
	if keyOf(t.factor.formula()) != keyOf(other.factor.formula()) {
		return false
	}
	switch {
	case t.u != nil:
		if other.whole || other.u != t.v || other.v != t.u {
			return false
		}
	case t.matrix == nil && other.plain() && other.matrix == t.transposed:
		other.transposed = t.transposed
	case t.matrix != nil && other.matrix == nil && other.transposed == t.matrix:
		other.matrix = t.matrix
	default:
		return false
	}
	other.whole = true
	return true
}
