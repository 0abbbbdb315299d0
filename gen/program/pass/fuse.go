package pass

import (
	"slices"

	"github.com/sngdgen/sngdgen/gen/program"
)

// fuse makes one loop of two over the same entries that follow each other, where the second reads nothing that the first writes but the
// entry itself, which it gets as a number, without a way through memory.
func fuse(p *program.Program, names *Names) error {
	fuseIn(&p.Body, names)
	return nil
}

func fuseIn(body *[]program.Stmt, names *Names) {
	var out []program.Stmt
	for _, s := range *body {
		for _, inner := range program.Bodies(s) {
			fuseIn(inner, names)
		}
		if e, ok := s.(*program.Each); ok {
			at := earlier(out, e)
			if at >= 0 && join(out[at].(*program.Each), e, names) { // behind what is declared between them
				out = append(slices.Delete(slices.Clone(out), at, at+1), out[at])
				continue
			}
		}
		out = append(out, s)
	}
	*body = out
}

// earlier is the last loop that another one may be joined to: with nothing but declarations in between. -1 if there is none.
func earlier(stmts []program.Stmt, e *program.Each) int {
	for i, s := range slices.Backward(stmts) {
		switch s := s.(type) {
		case *program.Buffer, *program.Bind:
			continue
		case *program.Each:
			if !e.WrittenOut() && s.Shape.Equal(e.Shape) {
				return i
			}
		}
		return -1
	}
	return -1
}

// join appends what a loop does to one before it. It reports whether it can.
func join(a, b *program.Each, names *Names) bool {
	if !joins(a, b) {
		return false
	}
	rename(a, b, names)
	for _, w := range a.Writes { // what the second reads is a number
		read := false
		each(b, func(r program.Ref) { read = read || r.Place == w.To.Place })
		if !read {
			continue
		}
		if known, ok := w.Value.(program.Ref); ok && len(known.At) == 0 && known.Place.Given == nil {
			forward(b, w.To, known.Place)
			continue
		}
		t := &program.Place{Name: names.Entry(w.To.Place.Name)}
		a.Body = append(a.Body, &program.Let{To: t, Value: w.Value})
		w.Value = program.Ref{Place: t}
		forward(b, w.To, t)
	}
	a.Body = append(a.Body, b.Body...)
	a.Guards, a.Sums = append(a.Guards, b.Guards...), append(a.Sums, b.Sums...)
	a.Writes, a.Totals = append(a.Writes, b.Writes...), append(a.Totals, b.Totals...)
	a.Dots = a.Dots && b.Dots
	return true
}

// joins reports whether nothing that a loop does depends on another before it having ended, or on its not having begun.
func joins(a, b *program.Each) bool {
	if len(a.Guards)+len(b.Guards) > 0 { // conditions come in front of what depends on them
		return false
	}
	if calls(a) && calls(b) {
		return false
	}
	written, totals := map[*program.Place]*program.Write{}, map[*program.Place]bool{}
	for _, w := range a.Writes {
		if w.To.Place.Given != nil || w.Add || w.Weighted || written[w.To.Place] != nil {
			return false
		}
		written[w.To.Place] = w
	}
	for _, t := range a.Totals {
		totals[t.To] = true
	}
	for _, s := range a.Sums {
		totals[s.To] = true
	}
	ok := true
	each(b, func(r program.Ref) {
		if w := written[r.Place]; w != nil {
			ok = ok && slices.EqualFunc(w.To.At, r.At, program.Index.Equal)
		}
		ok = ok && !totals[r.Place] && !chosenBy(r, written)
	})
	for _, w := range b.Writes {
		ok = ok && !chosenBy(w.To, written)
		if w.To.Place.Given != nil || written[w.To.Place] != nil || totals[w.To.Place] || w.To.Gathers() {
			return false
		}
		each(a, func(r program.Ref) { ok = ok && r.Place != w.To.Place })
	}
	for _, t := range b.Totals {
		each(a, func(r program.Ref) { ok = ok && r.Place != t.To })
		ok = ok && written[t.To] == nil
	}
	return ok
}

// longCall is the cost from which on a function takes longer than the way of its result through memory.
const longCall = 10

// calls reports whether a loop calls a function that takes long. Of two such loops a processor goes over several entries at a time, but in one
// loop the second function waits for the first.
func calls(e *program.Each) bool {
	found := false
	var look func(program.Expr)
	look = func(f program.Expr) {
		if a, ok := f.(*program.Apply); ok && a != nil {
			found = found || a.Op.Cost >= longCall
			for _, x := range a.Args {
				look(x)
			}
		}
	}
	program.Walk([]program.Stmt{e}, func(s program.Stmt) { program.Formulas(s, look) })
	return found
}

// chosenBy reports whether an entry is chosen by what has been written.
func chosenBy(r program.Ref, written map[*program.Place]*program.Write) bool {
	return slices.ContainsFunc(r.At, func(i program.Index) bool { return i.By != nil && written[i.By.Place] != nil })
}

// each visits the numbers and entries that a loop reads, those of its body and subscripts too.
func each(e *program.Each, visit func(program.Ref)) {
	program.Walk([]program.Stmt{e}, func(s program.Stmt) {
		program.Formulas(s, func(f program.Expr) { program.Operands(f, visit) })
		if a, ok := s.(*program.Attained); ok {
			visit(program.Ref{Place: a.Index})
		}
	})
	for _, w := range e.Writes {
		for _, i := range w.To.At {
			if i.By != nil {
				program.Operands(*i.By, visit)
			}
		}
	}
}

// rename gives what a loop declares other names where another one declares the same.
func rename(a, b *program.Each, names *Names) {
	taken := map[string]bool{}
	for _, s := range a.Body {
		for _, p := range program.Declares(s) {
			if p != nil {
				taken[p.Name] = true
			}
		}
	}
	for _, s := range b.Body {
		for _, p := range program.Declares(s) {
			if p != nil && taken[p.Name] {
				p.Name = names.New(p.Name)
			}
		}
	}
}

// forward puts a number in place of an entry.
func forward(e *program.Each, entry program.Ref, number *program.Place) {
	var formula func(program.Expr) program.Expr
	formula = func(f program.Expr) program.Expr {
		switch f := f.(type) {
		case program.Ref:
			if f.Place == entry.Place {
				return program.Ref{Place: number}
			}
		case *program.Apply:
			if f != nil {
				return f.With(formula)
			}
		}
		return f
	}
	program.Walk([]program.Stmt{e}, func(s program.Stmt) { program.Rewrite(s, formula) })
}
