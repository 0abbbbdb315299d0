package program

import "fmt"

// Rewrite puts what a function returns in place of the formulas of a statement, not of those of statements inside it. What several
// functions are computed together for stays the application of one of them, so that of it the operands are rewritten.
func Rewrite(s Stmt, f func(Expr) Expr) {
	args := func(list []Operand) {
		for i := range list {
			if list[i].Value != nil {
				list[i].Value = f(list[i].Value)
			}
		}
	}
	switch s := s.(type) {
	case *Let:
		s.Value = f(s.Value)
	case *Joint:
		s.Value = s.Value.With(f)
	case *Solve:
		args(s.Args)
	case *Guard:
		s.Value = f(s.Value)
	case *Store:
		s.Value = f(s.Value)
	case *Return:
		s.Value = f(s.Value)
	case *Prepare:
		if s.Operand != nil {
			s.Operand = f(s.Operand)
		}
	case *Call:
		args(s.Args)
	case *Each:
		for _, w := range s.Writes {
			w.Value = f(w.Value)
		}
		for _, t := range s.Totals {
			t.Value = f(t.Value)
		}
		for _, t := range s.Sums {
			t.Value = f(t.Value)
		}
		for _, g := range s.Guards {
			g.Value = f(g.Value)
		}
	case *Rows:
		for _, t := range s.Sums {
			t.Value = f(t.Value)
		}
		for _, w := range s.Writes {
			w.Value = f(w.Value)
		}
	case *Add:
		s.Value = f(s.Value)
	case *Bind, *Buffer, *Blocks, *Components, *EachRow, *Evaluate, *Attained, *Zero, *Perform:
	default:
		panic(fmt.Sprintf("program: what does %T compute?", s))
	}
}

// With is the same operation with what a function returns in place of each operand.
func (a *Apply) With(f func(Expr) Expr) *Apply {
	out := *a
	out.Args = make([]Expr, len(a.Args))
	for i, arg := range a.Args {
		if arg != nil {
			out.Args[i] = f(arg)
		}
	}
	return &out
}

// Changes calls visit for the places that statements write to other than by declaring them, those of statements inside them too:
// arrays, and numbers that are added up.
func Changes(stmts []Stmt, visit func(*Place)) {
	Walk(stmts, func(s Stmt) {
		switch s := s.(type) {
		case *Solve:
			for _, to := range s.To {
				if to != nil && !to.Shape.Number() {
					visit(to)
				}
			}
		case *Store:
			visit(s.To.Place)
		case *Call:
			for i, p := range Kernels()[s.Kernel].Params {
				if p.Access != Reads && s.Args[i].Place != nil {
					visit(s.Args[i].Place)
				}
			}
		case *Each:
			for _, w := range s.Writes {
				visit(w.To.Place)
			}
			for _, t := range s.Sums {
				visit(t.To)
			}
			for _, t := range s.Totals {
				visit(t.To)
			}
		case *Rows:
			for _, w := range s.Writes {
				visit(w.To.Place)
			}
			for _, t := range s.Sums {
				visit(t.To)
			}
		case *Add:
			visit(s.To)
		case *Bind, *Let, *Joint, *Guard, *Return, *Buffer, *Prepare, *Blocks, *Components, *EachRow, *Evaluate, *Attained, *Zero, *Perform:
		default:
			panic(fmt.Sprintf("program: what does %T change?", s))
		}
	})
}
