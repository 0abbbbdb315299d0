package pass

import (
	"slices"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/program"
)

// hoist computes in front of loops over entries and rows what their formulas have of numbers that stay the same in them: whole formulas,
// and of products the factors, so that an entry is multiplied once where it was divided twice. The loop that it is computed in front of
// is the outermost one in which it stays the same.
func hoist(p *program.Program, names *Names) error {
	h := &hoister{names: names, before: map[program.Stmt][]program.Stmt{}}
	h.statements(&p.Body, nil)
	return nil
}

// enclosing is a loop with what changes in it.
type enclosing struct {
	at      program.Stmt
	changes map[*program.Place]bool
	given   map[string]bool // numbers that the function is given, and that the loop writes
}

type hoister struct {
	names  *Names
	before map[program.Stmt][]program.Stmt // what is computed in front of a loop
}

func (h *hoister) statements(body *[]program.Stmt, around []enclosing) {
	for _, s := range *body {
		inner := around
		if len(program.Bodies(s)) > 0 {
			inner = append(slices.Clone(around), loopOf(s))
		}
		for _, b := range program.Bodies(s) {
			h.statements(b, inner)
		}
		if n := len(inner); n > 0 && overEntries(inner[n-1].at) {
			program.Rewrite(s, func(e program.Expr) program.Expr { return h.formula(e, inner) })
		}
	}
	*body = slices.Concat(h.interleaved(*body)...)
}

// interleaved are statements with what comes in front of each.
func (h *hoister) interleaved(body []program.Stmt) [][]program.Stmt {
	var out [][]program.Stmt
	for _, s := range body {
		out = append(out, h.before[s], []program.Stmt{s})
	}
	return out
}

// loopOf is a loop with what changes in it.
func loopOf(s program.Stmt) enclosing {
	l := enclosing{s, map[*program.Place]bool{}, map[string]bool{}}
	change := func(p *program.Place) {
		l.changes[p] = true
		if p.Given != nil {
			l.given[p.Given.String()] = true
		}
	}
	program.Walk([]program.Stmt{s}, func(inner program.Stmt) {
		for _, p := range program.Declares(inner) {
			if p != nil {
				change(p)
			}
		}
		for _, c := range program.Columns(inner) {
			change(c.To)
		}
	})
	program.Changes([]program.Stmt{s}, change)
	return l
}

// overEntries reports whether a loop is over entries or rows, not over components or blocks.
func overEntries(s program.Stmt) bool {
	switch s := s.(type) {
	case *program.Each:
		return !s.WrittenOut()
	case *program.Rows:
		return true
	}
	return false
}

// formula is a formula of a loop with places for what is computed in front.
func (h *hoister) formula(e program.Expr, around []enclosing) program.Expr {
	a, ok := e.(*program.Apply)
	if !ok || a == nil {
		return e
	}
	if h.same(a, around) > 0 {
		return h.hoisted(a, around)
	}
	if a.Op == expr.Prod && len(a.Coefs) == len(a.Args) {
		a = h.product(a, around)
	}
	return a.With(func(arg program.Expr) program.Expr { return h.formula(arg, around) })
}

// product is a product of which the factors that stay the same are computed in front, where that saves an operation.
func (h *hoister) product(a *program.Apply, around []enclosing) *program.Apply {
	same, rest := &program.Apply{Op: expr.Prod}, &program.Apply{Op: expr.Prod}
	for i, arg := range a.Args {
		to := rest
		if h.same(arg, around) > 0 {
			to = same
		}
		to.Args, to.Coefs = append(to.Args, arg), append(to.Coefs, a.Coefs[i])
	}
	if len(same.Args) == 0 || len(rest.Args) == 0 {
		return a
	}
	with := append(rest.Coefs, 1)
	if a.Flops()-expr.ProductCost(with) < worthwhile(around[len(around)-1].at) {
		return a
	}
	// It is the last factor: x[i] x[j] times something is symmetric to the last digit.
	rest.Args, rest.Coefs = append(rest.Args, h.hoisted(same, around)), with
	return rest
}

// worthwhile is how many flops an entry has to save: what is done for the entries of a vector is done a few times only, and not worth
// another rounding for a division.
func worthwhile(loop program.Stmt) float64 {
	if e, ok := loop.(*program.Each); ok && !e.Shape.Block && len(e.Shape.Dims) == 1 {
		return 6
	}
	return 1
}

// hoisted is the place of what is computed in front of the outermost loop in which it stays the same.
func (h *hoister) hoisted(a *program.Apply, around []enclosing) program.Expr {
	n := h.same(a, around)
	loop := around[len(around)-n].at
	for _, s := range h.before[loop] {
		if let := s.(*program.Let); program.Formula(let.Value) == program.Formula(a) {
			return program.Ref{Place: let.To}
		}
	}
	to := &program.Place{Name: h.names.Of(a)}
	h.before[loop] = append(h.before[loop], &program.Let{To: to, Value: a})
	return program.Ref{Place: to}
}

// same is in how many of the loops around, from the innermost one on, a formula stays the same: it is made of numbers that none of them
// changes.
func (h *hoister) same(e program.Expr, around []enclosing) int {
	n := len(around)
	constant := true
	var rec func(program.Expr)
	rec = func(e program.Expr) {
		switch e := e.(type) {
		case program.Ref:
			constant = false
			n = min(n, unchanged(e, around))
		case *program.Apply:
			if e == nil || e.Prepared != nil || e.Fn != nil {
				n = 0
				return
			}
			for _, a := range e.Args {
				rec(a)
			}
		}
	}
	rec(e)
	if constant { // what is made of constants alone costs nothing
		return 0
	}
	return n
}

// unchanged is in how many of the loops around, from the innermost one on, a number stays the same.
func unchanged(r program.Ref, around []enclosing) int {
	if len(r.At) > 0 || !r.Place.Shape.Number() && r.Place.Given == nil {
		return 0
	}
	n := 0
	for _, l := range slices.Backward(around) {
		if l.changes[r.Place] || r.Place.Given != nil && varies(r.Place.Given, l) {
			break
		}
		n++
	}
	return n
}

// varies reports whether a number that the function is given is another one for each round of a loop.
func varies(g *program.Given, l enclosing) bool {
	if l.given[g.String()] || g.Part != nil && g.Part.Of != program.All {
		return true
	}
	_, components := l.at.(*program.Components)
	return components && (g.Kind == program.NumberOf || g.Kind == program.LastOf)
}
