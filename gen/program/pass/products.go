package pass

import (
	"slices"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/program"
)

// productsOf takes out of a loop over the rows of a block, with a number for each, what it writes as products of one array with an affine function
// of another, such as the signs 2 y - 1 of numbers y that are 0 or 1: a kernel does them by vector instructions, before the loop. What is left of the
// loop may be inner products then.
func productsOf(e *program.Each) []program.Stmt {
	if !overRows(e) {
		return []program.Stmt{e}
	}
	l := newLoopProducts(e)
	var out []program.Stmt
	for i := 0; i < len(e.Writes); i++ {
		w := e.Writes[i]
		c := l.product(w)
		if c == nil {
			continue
		}
		e.Writes = slices.Delete(e.Writes, i, i+1)
		if !l.apart(w.To.Place, c) {
			e.Writes = slices.Insert(e.Writes, i, w)
			continue
		}
		out = append(out, c)
		i--
	}
	if len(out) == 0 {
		return []program.Stmt{e}
	}
	l.leave()
	if len(e.Writes)+len(e.Sums)+len(e.Totals) == 0 {
		return out
	}
	e.Dots = dots(e)
	return append(out, e)
}

// meanwhile is how many sums take no longer than one, as a processor adds to the others while it waits for it.
const meanwhile = 4

// dotsOf takes sums of numbers that lie in memory out of a loop over the rows of a block that does more: as inner products with the weights, which do not
// wait for every sum before the next. Where a few others stay, the loop waits all the same.
func dotsOf(e *program.Each) []program.Stmt {
	if !overRows(e) {
		return []program.Stmt{e}
	}
	l := newLoopProducts(e)
	var stay []*program.Sum
	apart := &program.Each{Shape: e.Shape, Dots: true}
	for _, s := range e.Sums {
		r, ok := l.expanded(s.Value).(program.Ref)
		written := func(w *program.Write) bool { return sameMemory(w.To.Place, r.Place) }
		if !ok || s.Max || r.Place.Given != nil || !l.entry(r) || slices.ContainsFunc(e.Writes, written) {
			stay = append(stay, s)
		} else {
			apart.Sums = append(apart.Sums, &program.Sum{To: s.To, Value: r})
		}
	}
	if len(apart.Sums) == 0 || len(stay) > 0 && len(e.Sums) <= meanwhile {
		return []program.Stmt{e}
	}
	e.Sums = stay
	l.leave()
	return []program.Stmt{apart, e}
}

// overRows reports whether a loop is over the rows of a block, computes numbers and nothing else on its way, and writes some.
func overRows(e *program.Each) bool {
	if !divisible(e) || len(e.Shape.Dims) > 0 || len(e.Writes) == 0 {
		return false
	}
	return !slices.ContainsFunc(e.Body, func(s program.Stmt) bool {
		_, let := s.(*program.Let)
		return !let
	})
}

// loopProducts is a loop with the formulas of its numbers, in which those that it computes before are written out.
type loopProducts struct {
	idiom
	known map[*program.Place]program.Expr
}

func newLoopProducts(e *program.Each) loopProducts {
	l := loopProducts{idiom{e}, map[*program.Place]program.Expr{}}
	for _, s := range e.Body {
		let := s.(*program.Let)
		l.known[let.To] = l.expanded(let.Value)
	}
	return l
}

func (l loopProducts) expanded(f program.Expr) program.Expr { return withPlaces(f, l.known) }

// product is the call for an entry that is written, nil where there is none. It rounds as the loop does: a factor that is the same in all rows has
// to come first, unless it is a sign.
func (l loopProducts) product(w *program.Write) *program.Call {
	if w.Add || w.Weighted || !l.entry(w.To) && !l.ofColumn(w.To) {
		return nil
	}
	terms := termsOf(l.expanded(w.Value))
	if len(terms) != 1 || slices.ContainsFunc(terms[0].powers, func(p float64) bool { return p != 1 }) {
		return nil
	}
	t := terms[0]
	c, factors := program.Expr(program.Number(t.coef)), t.args
	switch {
	case len(factors) == 3 && t.coef == 1 && !l.varies(factors[0]):
		c, factors = factors[0], factors[1:]
	case len(factors) == 2 && (t.coef == 1 || t.coef == -1):
		if _, affine := factors[0].(*program.Apply); !affine {
			factors = []program.Expr{factors[1], factors[0]}
		}
	default:
		return nil
	}
	affine, ok := factors[0].(*program.Apply)
	y, also := factors[1].(program.Ref)
	if !ok || !also || !l.entry(y) || affine.Op != expr.Lin || len(affine.Args) != 1 {
		return nil
	}
	x, ok := affine.Args[0].(program.Ref)
	if !ok || !l.entry(x) {
		return nil
	}
	return call("AffineTimes", program.Operand{Place: w.To.Place}, number(c), number(program.Number(affine.Coefs[0])), place(x.Place),
		number(program.Number(affine.Const)), place(y.Place))
}

// apart reports whether a call may be made before the loop: what it writes the rest of the loop does not mention, and what it reads the rest does
// not write.
func (l loopProducts) apart(to *program.Place, c *program.Call) bool {
	ok := true
	l.rest(func(p *program.Place) { ok = ok && !sameMemory(p, to) })
	for _, w := range l.Writes {
		for _, a := range c.Args[1:] {
			ok = ok && (a.Place == nil || !sameMemory(a.Place, w.To.Place))
		}
	}
	return ok
}

// rest visits the places that are mentioned by what a loop is there for, with all that this needs.
func (l loopProducts) rest(visit func(*program.Place)) {
	for _, f := range ends(l.Each) {
		program.Operands(l.expanded(f), func(r program.Ref) { visit(r.Place) })
	}
	for _, w := range l.Writes {
		visit(w.To.Place)
	}
}

// sameMemory reports whether two places are the same array.
func sameMemory(p, q *program.Place) bool {
	return p == q || p.Given != nil && q.Given != nil && p.Given.Owner == q.Given.Owner && p.Given.Name == q.Given.Name
}

// leave leaves in the loop what the rest needs; sums are of entries where they are of numbers that are entries.
func (l loopProducts) leave() {
	for _, s := range l.Sums {
		if r, ok := l.expanded(s.Value).(program.Ref); ok && len(r.At) > 0 {
			s.Value = r
		}
	}
	parts := &loopParts{each: l.Each, made: map[*program.Place]int{}}
	parts.drop()
}
