package program

import (
	"fmt"
	"slices"

	"github.com/sngdgen/sngdgen/expr"
)

// Declares lists the places that a statement makes known to those that follow it.
func Declares(s Stmt) []*Place {
	switch s := s.(type) {
	case *Bind:
		return []*Place{s.To}
	case *Let:
		return []*Place{s.To}
	case *Joint:
		return s.To
	case *Solve: // vectors have been declared as memory
		var numbers []*Place
		for i, to := range s.To {
			if to != nil && s.Result(i).Rank == 0 {
				numbers = append(numbers, to)
			}
		}
		return numbers
	case *Buffer:
		return []*Place{s.To}
	case *Prepare:
		return []*Place{s.To}
	case *Call:
		if s.To != nil {
			return []*Place{s.To}
		}
	case *Each:
		var out []*Place
		if !s.Shape.Block {
			for _, t := range s.Totals {
				out = append(out, t.To)
			}
		}
		return out
	case *Rows:
		return sums(s.Sums)
	case *Blocks:
		return sums(s.Sums)
	case *Attained:
		return []*Place{s.To}
	case *Zero:
		return []*Place{s.To}
	case *Perform:
		return slices.DeleteFunc(slices.Concat(s.Out, s.Kept), func(p *Place) bool { return p == nil })
	case *Guard, *Store, *Return, *Components, *EachRow, *Evaluate, *Add:
	default:
		panic(fmt.Sprintf("program: what does %T declare?", s))
	}
	return nil
}

func sums(list []*Sum) []*Place {
	var out []*Place
	for _, s := range list {
		if out = append(out, s.To); s.Index != nil {
			out = append(out, s.Index)
		}
	}
	return out
}

// Mentions calls visit for the places that statements mention other than by declaring them, in their order, those of
// statements inside them too. What is mentioned several times is visited as often.
func Mentions(stmts []Stmt, visit func(*Place)) {
	for _, s := range stmts {
		mentions(s, visit)
	}
}

func mentions(s Stmt, visit func(*Place)) {
	formula := func(e Expr) { Operands(e, func(r Ref) { visit(r.Place) }) }
	entry := func(r Ref) { Operands(r, func(r Ref) { visit(r.Place) }) }
	given := func(p *Place) {
		if p != nil {
			visit(p)
		}
	}
	switch s := s.(type) {
	case *Bind:
		given(s.Own)
	case *Let:
		formula(s.Value)
	case *Joint:
		formula(s.Value)
	case *Solve:
		operands(s.Args, visit)
		for _, to := range s.To {
			given(to)
		}
	case *Guard:
		formula(s.Value)
	case *Store:
		entry(s.To)
		formula(s.Value)
	case *Return:
		formula(s.Value)
	case *Prepare:
		formula(s.Operand)
	case *Call:
		operands(s.Args, visit)
	case *Each:
		Mentions(s.Body, visit)
		for _, w := range s.Writes {
			entry(w.To)
			formula(w.Value)
		}
		for _, t := range s.Totals {
			if s.Shape.Block {
				visit(t.To)
			}
			formula(t.Value)
		}
		for _, t := range s.Sums {
			visit(t.To)
			formula(t.Value)
		}
		for _, g := range s.Guards {
			formula(g.Value)
		}
	case *Rows:
		Mentions(s.Body, visit)
		for _, w := range s.Writes {
			entry(w.To)
			formula(w.Value)
		}
		for _, t := range s.Sums {
			formula(t.Value)
		}
	case *Blocks:
		Mentions(s.Body, visit)
	case *Components:
		Mentions(s.Body, visit)
	case *EachRow:
		Mentions(s.Body, visit)
	case *Attained:
		visit(s.Index)
	case *Add:
		visit(s.To)
		formula(s.Value)
	case *Perform:
		for _, p := range slices.Concat(s.In, s.Held) {
			visit(p)
		}
	case *Buffer, *Evaluate, *Zero:
	default:
		panic(fmt.Sprintf("program: what does %T mention?", s))
	}
}

func operands(list []Operand, visit func(*Place)) {
	for _, a := range list {
		if a.Place != nil {
			visit(a.Place)
		}
		if a.Value != nil {
			Operands(a.Value, func(r Ref) { visit(r.Place) })
		}
	}
}

// Operands calls visit for the numbers and entries that a formula is made of, for their subscripts in memory, and for what functions
// have been prepared for.
func Operands(e Expr, visit func(Ref)) {
	switch e := e.(type) {
	case nil, Number:
	case Ref:
		visit(e)
		for _, i := range e.At {
			if i.By != nil {
				Operands(*i.By, visit)
			}
		}
	case *Apply:
		if e == nil {
			return
		}
		if e.Prepared != nil {
			visit(Ref{Place: e.Prepared})
		}
		for _, a := range e.Args {
			Operands(a, visit)
		}
	default:
		panic(fmt.Sprintf("program: what is %T made of?", e))
	}
}

// Bodies are the lists of statements inside a statement.
func Bodies(s Stmt) []*[]Stmt {
	switch s := s.(type) {
	case *Each:
		return []*[]Stmt{&s.Body}
	case *Rows:
		return []*[]Stmt{&s.Body}
	case *Blocks:
		return []*[]Stmt{&s.Body}
	case *Components:
		return []*[]Stmt{&s.Body}
	case *EachRow:
		return []*[]Stmt{&s.Body}
	}
	return nil
}

// Columns are the columns that a pass over the rows reads.
func Columns(s Stmt) []Column {
	switch s := s.(type) {
	case *Rows:
		return s.Columns
	case *Blocks:
		return s.Columns
	}
	return nil
}

// Walk visits statements, and those inside them.
func Walk(stmts []Stmt, visit func(Stmt)) {
	for _, s := range stmts {
		visit(s)
		for _, body := range Bodies(s) {
			Walk(*body, visit)
		}
	}
}

// Functions calls visit for the functions that a statement, or one inside it, applies other than by their names: what solves
// equations, and integrals. Those in operands come first.
func Functions(s Stmt, visit func(*expr.Op, *expr.Lambda)) {
	var formula func(Expr)
	formula = func(e Expr) {
		if a, ok := e.(*Apply); ok && a != nil {
			for _, arg := range a.Args {
				formula(arg)
			}
			if a.Fn != nil {
				visit(a.Op, a.Fn)
			}
		}
	}
	Walk([]Stmt{s}, func(s Stmt) {
		Formulas(s, formula)
		if s, ok := s.(*Solve); ok {
			visit(s.Op, s.Fn)
		}
	})
}

// Formulas calls visit for the formulas of a statement, not for those of statements inside it.
func Formulas(s Stmt, visit func(Expr)) {
	args := func(list []Operand) {
		for _, a := range list {
			if a.Value != nil {
				visit(a.Value)
			}
		}
	}
	switch s := s.(type) {
	case *Let:
		visit(s.Value)
	case *Joint:
		visit(s.Value)
	case *Solve:
		args(s.Args)
	case *Guard:
		visit(s.Value)
	case *Store:
		visit(s.Value)
	case *Return:
		visit(s.Value)
	case *Prepare:
		visit(s.Operand)
	case *Call:
		args(s.Args)
	case *Each:
		for _, w := range s.Writes {
			visit(w.Value)
		}
		for _, t := range s.Totals {
			visit(t.Value)
		}
		for _, t := range s.Sums {
			visit(t.Value)
		}
		for _, g := range s.Guards {
			visit(g.Value)
		}
	case *Rows:
		for _, t := range s.Sums {
			visit(t.Value)
		}
		for _, w := range s.Writes {
			visit(w.Value)
		}
	case *Add:
		visit(s.Value)
	case *Bind, *Buffer, *Blocks, *Components, *EachRow, *Evaluate, *Attained, *Zero, *Perform:
	default:
		panic(fmt.Sprintf("program: what does %T compute?", s))
	}
}
