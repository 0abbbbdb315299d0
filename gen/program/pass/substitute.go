package pass

import (
	"math"
	"unicode/utf8"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/program"
)

// substitute puts the formula of a number in the place of its one use, where the number has no name that says something, the formula stays short
// enough to be read, and nothing that it is of changes in between.
func substitute(p *program.Program, _ *Names) error {
	f := &substitution{uses: map[*program.Place]int{}, wholes: wholesIn(p.Body)}
	program.Mentions(p.Body, func(place *program.Place) { f.uses[place]++ })
	f.within(&p.Body, nil)
	return nil
}

// readable is how many characters a formula has that a line holds.
const readable = 80

type substitution struct {
	uses map[*program.Place]int
	wholes
}

// within looks at a list of statements, of which the last formulas are those of the loop that they are the body of.
func (f *substitution) within(body *[]program.Stmt, loop program.Stmt) {
	var out []program.Stmt
	list := *body
	for i, s := range list {
		for _, inner := range program.Bodies(s) {
			f.within(inner, s)
		}
		if let, ok := s.(*program.Let); ok && f.moves(let, list[i+1:], loop) {
			continue
		}
		out = append(out, s)
	}
	*body = out
}

// moves puts the formula of a number into what uses it, and reports whether it could.
func (f *substitution) moves(let *program.Let, rest []program.Stmt, loop program.Stmt) bool {
	if let.Out || f.uses[let.To] != 1 || !unnamed().MatchString(let.To.Name) || let.To.Given != nil || !plainFormula(let.Value) {
		return false
	}
	reads := map[*program.Place]bool{}
	program.Operands(let.Value, func(r program.Ref) { reads[r.Place] = true })
	for _, s := range rest {
		if used(s, let.To) {
			return !overEntries(s) && takes(s, let) // into a loop it would be computed for every entry
		}
		if f.changesAny(s, reads) {
			return false
		}
	}
	switch loop := loop.(type) {
	case *program.Each:
		for _, w := range loop.Writes { // entries may be written before the formula is computed
			if f.anyOf(w.To.Place, reads) {
				return false
			}
		}
		return used(loop, let.To) && takes(loop, let)
	case *program.Rows:
		return used(loop, let.To) && takes(loop, let)
	}
	return false
}

// used reports whether a formula of a statement, not of those inside it, mentions a number.
func used(s program.Stmt, p *program.Place) bool {
	found := false
	program.Formulas(s, func(e program.Expr) {
		program.Operands(e, func(r program.Ref) { found = found || r.Place == p })
	})
	return found
}

// changesAny reports whether a statement changes one of the places, or the memory that one is a part of.
func (f *substitution) changesAny(s program.Stmt, places map[*program.Place]bool) bool {
	found := false
	note := func(p *program.Place) { found = found || f.anyOf(p, places) }
	program.Changes([]program.Stmt{s}, note)
	program.Walk([]program.Stmt{s}, func(inner program.Stmt) {
		for _, p := range program.Declares(inner) {
			if p != nil {
				note(p)
			}
		}
	})
	return found
}

// anyOf reports whether a place is one of some, a part of the same memory, or given under the same name.
func (f *substitution) anyOf(p *program.Place, places map[*program.Place]bool) bool {
	for q := range places {
		m := f.memory(p)
		if p == q || m != nil && m == f.memory(q) || p.Given != nil && q.Given != nil && p.Given.Name == q.Given.Name && p.Given.Owner == q.Given.Owner {
			return true
		}
	}
	return false
}

// takes puts the formula into a statement, and reports whether it could: where it is a term, a factor or an argument, which is printed once, and what it
// becomes part of stays short. A condition prints its number twice.
func takes(s program.Stmt, let *program.Let) bool {
	switch s.(type) {
	case *program.Guard, *program.Joint, *program.Solve, *program.Prepare:
		return false
	}
	if e, ok := s.(*program.Each); ok {
		for _, g := range e.Guards {
			found := false
			program.Operands(g.Value, func(r program.Ref) { found = found || r.Place == let.To })
			if found {
				return false
			}
		}
	}
	ok := true
	program.Formulas(s, func(e program.Expr) {
		if at, found := termIn(e, let.To); found {
			ok = at && utf8.RuneCountInString(program.Formula(e))+utf8.RuneCountInString(program.Formula(let.Value)) <= readable
		}
	})
	if !ok {
		return false
	}
	by := map[*program.Place]program.Expr{let.To: let.Value}
	program.Rewrite(s, func(e program.Expr) program.Expr { return withPlaces(e, by) })
	return true
}

// termIn looks for a number in a formula; term is true where it is part of sums, products and calls, down to it, with powers
// that print it once.
func termIn(e program.Expr, p *program.Place) (term, found bool) {
	switch e := e.(type) {
	case program.Ref:
		found = e.Place == p
		program.Operands(e, func(r program.Ref) { found = found || r.Place == p })
		return e.Place == p, found
	case *program.Apply:
		if e == nil {
			return false, false
		}
		for i, arg := range e.Args {
			if arg == nil {
				continue
			}
			if term, found = termIn(arg, p); !found {
				continue
			}
			switch {
			case e.Op == expr.Lin:
			case e.Op == expr.Prod && (math.Abs(e.Coefs[i]) == 1 || math.Abs(e.Coefs[i]) == 0.5):
			case e.Op.Go != "" && e.Fn == nil: // a call
			default:
				term = false
			}
			return term, true
		}
	}
	return false, false
}

// plainFormula reports whether a formula has no function of its own, as what solves an equation.
func plainFormula(e program.Expr) bool {
	a, ok := e.(*program.Apply)
	if !ok {
		return true
	}
	if a == nil || a.Fn != nil {
		return false
	}
	for _, arg := range a.Args {
		if arg != nil && !plainFormula(arg) {
			return false
		}
	}
	return true
}
