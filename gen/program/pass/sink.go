package pass

import (
	"slices"

	"github.com/sngdgen/sngdgen/gen/program"
)

// sink moves numbers that one loop over the components computes, and only later ones use, into the first of these, where it knows what they are made of
// anyway: often a number less is kept for every component, and functions that need less begin with the same loops.
func sink(p *program.Program, _ *Names) error {
	var loops []*program.Components
	for _, s := range p.Body {
		if l, ok := s.(*program.Components); ok {
			loops = append(loops, l)
		}
	}
	for i, from := range loops {
		s := sinker{program: p, from: from, later: loops[i+1:], declared: map[*program.Place]bool{}}
		for _, inner := range from.Body {
			for _, place := range program.Declares(inner) {
				s.declared[place] = true
			}
		}
		s.run()
	}
	return nil
}

// sinker moves what it can out of one loop.
type sinker struct {
	program  *program.Program
	from     *program.Components
	later    []*program.Components
	declared map[*program.Place]bool // in the loop
}

func (k *sinker) run() {
	for i, s := range slices.Backward(k.from.Body) {
		let, ok := s.(*program.Let)
		if !ok {
			continue
		}
		if to := k.user(let.To); to != nil && k.knows(to, let.Value) {
			at := slices.IndexFunc(to.Body, func(s program.Stmt) bool { return mentions(s, let.To) })
			to.Body = slices.Insert(to.Body, at, s)
			k.from.Body = slices.Delete(k.from.Body, i, i+1)
		}
	}
}

// user is the first of the loops that follow and use a number, nil where something else uses it.
func (k *sinker) user(p *program.Place) (first *program.Components) {
	for _, s := range k.program.Body {
		if !mentions(s, p) {
			continue
		}
		l, ok := s.(*program.Components)
		if !ok || !slices.Contains(k.later, l) {
			return nil
		}
		if first == nil {
			first = l
		}
	}
	return first
}

// knows reports whether a loop knows what a formula reads: numbers that the components have are used there too, and others do not change.
func (k *sinker) knows(l *program.Components, formula program.Expr) bool {
	known := true
	program.Operands(formula, func(r program.Ref) {
		switch {
		case r.Place.Given != nil:
		case len(r.At) > 0 || k.changes(r.Place):
			known = false
		case k.declared[r.Place]:
			known = known && mentions(l, r.Place)
		}
	})
	return known
}

// changes reports whether a number is a sum that loops add to.
func (k *sinker) changes(p *program.Place) (found bool) {
	program.Walk(k.program.Body, func(s program.Stmt) {
		add, ok := s.(*program.Add)
		found = found || ok && add.To == p
	})
	return found
}

// mentions reports whether a statement, or one inside it, mentions a place.
func mentions(s program.Stmt, p *program.Place) (found bool) {
	program.Mentions([]program.Stmt{s}, func(q *program.Place) { found = found || q == p })
	return found
}
