package pass

import (
	"slices"

	"github.com/sngdgen/sngdgen/gen/program"
)

// dead takes out what computes numbers and arrays that nothing reads, until there is no more of that.
func dead(p *program.Program, _ *Names) error {
	for {
		d := unused{read: readBy(p.Body), own: map[*program.Place]bool{}}
		program.Walk(p.Body, func(s program.Stmt) {
			switch s := s.(type) {
			case *program.Buffer:
				d.own[s.To] = !s.To.Shape.Stacked
			case *program.Each:
				for _, t := range s.Totals {
					d.own[t.To] = d.own[t.To] || !s.Shape.Block
				}
			}
		})
		if !d.sweep(&p.Body) {
			return nil
		}
	}
}

// unused tells what nothing reads of what is a program's own: what it declares, other than as a part of something.
type unused struct{ read, own map[*program.Place]bool }

func (d unused) of(p *program.Place) bool { return d.own[p] && !d.read[p] }

// readBy are the places that statements read: all that they mention but for arrays that are written and nothing else. What a name is a
// part of is read where the name is mentioned, as what is written to it lies there.
func readBy(stmts []program.Stmt) map[*program.Place]bool {
	read := map[*program.Place]bool{}
	formula := func(e program.Expr) { program.Operands(e, func(r program.Ref) { read[r.Place] = true }) }
	program.Walk(stmts, func(s program.Stmt) {
		program.Formulas(s, formula)
		switch s := s.(type) {
		case *program.Each:
			for _, w := range s.Writes {
				kept(read, w.To)
			}
			for _, t := range s.Sums {
				read[t.To] = true
			}
		case *program.Call:
			for i, p := range program.Kernels[s.Kernel].Params {
				if a := s.Args[i]; a.Place != nil && (p.Access == program.Reads || p.Access == program.Updates) {
					read[a.Place] = true
				}
			}
		default:
			program.Mentions([]program.Stmt{shallow(s)}, func(p *program.Place) { read[p] = true })
		}
	})
	return read
}

// kept notes what the subscripts of an entry read.
func kept(read map[*program.Place]bool, r program.Ref) {
	for _, i := range r.At {
		if i.By != nil {
			program.Operands(*i.By, func(r program.Ref) { read[r.Place] = true })
		}
	}
}

// shallow is a statement without those inside it.
func shallow(s program.Stmt) program.Stmt {
	switch s := s.(type) {
	case *program.Rows:
		out := *s
		out.Body = nil
		return &out
	case *program.Blocks:
		out := *s
		out.Body = nil
		return &out
	case *program.Components:
		out := *s
		out.Body = nil
		return &out
	case *program.EachRow:
		return &program.EachRow{}
	}
	return s
}

// sweep takes out statements that compute what is not read, and reports whether there were any.
func (d unused) sweep(body *[]program.Stmt) bool {
	before := len(*body)
	some := false
	*body = slices.DeleteFunc(*body, func(s program.Stmt) bool {
		switch s := s.(type) {
		case *program.Let:
			return !s.Out && !d.read[s.To]
		case *program.Buffer:
			return d.of(s.To) && !mentionedIn(*body, s.To)
		case *program.Call:
			return d.useless(s)
		case *program.Each:
			writes, totals := len(s.Writes), len(s.Totals)
			s.Writes = slices.DeleteFunc(s.Writes, func(w *program.Write) bool { return d.of(w.To.Place) })
			s.Totals = slices.DeleteFunc(s.Totals, func(t *program.Total) bool { return d.of(t.To) })
			some = some || len(s.Writes) < writes || len(s.Totals) < totals
			if len(s.Writes)+len(s.Totals)+len(s.Sums)+len(s.Guards) == 0 {
				return true
			}
		}
		for _, inner := range program.Bodies(s) {
			some = d.sweep(inner) || some
		}
		return false
	})
	return some || len(*body) < before
}

func mentionedIn(stmts []program.Stmt, p *program.Place) bool {
	found := false
	program.Mentions(stmts, func(q *program.Place) { found = found || p == q })
	return found
}

// useless reports whether a kernel computes what nothing reads, and tests nothing.
func (d unused) useless(s *program.Call) bool {
	if s.Definite || s.To != nil && d.read[s.To] {
		return false
	}
	for i, p := range program.Kernels[s.Kernel].Params {
		if a := s.Args[i].Place; a != nil && p.Access != program.Reads && !d.of(a) {
			return false
		}
	}
	return true
}
