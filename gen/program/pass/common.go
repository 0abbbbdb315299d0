package pass

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sngdgen/sngdgen/gen/program"
)

// common computes once what several statements compute of the same numbers: a number that is declared a second time is the first one,
// and part of several formulas is declared in front of the first that has it, if it costs a division or more.
func common(p *program.Program, names *Names) error {
	c := sharer{names: names, known: map[string]*program.Place{}, instead: map[*program.Place]*program.Place{}, changed: map[*program.Place]bool{},
		declared: map[*program.Place]int{}}
	program.Changes(p.Body, func(p *program.Place) { c.changed[p] = true })
	program.Walk(p.Body, func(s program.Stmt) {
		for _, place := range program.Declares(s) {
			c.declared[place]++
		}
		if z, ok := s.(*program.Zero); ok {
			c.changed[z.To] = true
		}
		for _, column := range program.Columns(s) {
			c.changed[column.To] = true
		}
	})
	c.repeated(&p.Body, map[*program.Place]bool{})
	c.declaredTwice(&p.Body)
	program.Walk(p.Body, func(s program.Stmt) { program.Rewrite(s, c.replaced) })
	return nil
}

type sharer struct {
	names   *Names
	known   map[string]*program.Place         // declared numbers by their formulas
	instead map[*program.Place]*program.Place // of numbers that are declared again
	changed map[*program.Place]bool           // what does not keep its value
	// declared is how often places are: more than once where several loops over components name what one computes.
	declared map[*program.Place]int
}

// expensive is from how many flops on part of a formula is computed once: those of a division.
const expensive = 4

// declaredTwice finds numbers that are the same as others in sight.
func (c *sharer) declaredTwice(body *[]program.Stmt) {
	var here []string
	*body = slices.DeleteFunc(*body, func(s program.Stmt) bool {
		program.Rewrite(s, c.replaced)
		let, ok := s.(*program.Let)
		once := ok && !let.Out && c.declared[let.To] == 1
		if once && c.keeps(let.Value) {
			c.instead[let.To] = let.Value.(program.Ref).Place
			return true
		}
		if once && c.pure(let.Value) {
			key := keyOf(let.Value)
			if first := c.known[key]; first != nil {
				c.instead[let.To] = first
				return true
			}
			c.known[key] = let.To
			here = append(here, key)
		}
		for _, inner := range program.Bodies(s) {
			c.declaredTwice(inner)
		}
		return false
	})
	for _, key := range here { // out of sight behind this
		delete(c.known, key)
	}
}

// replaced is a formula with the first of equal numbers in place of the others.
func (c *sharer) replaced(e program.Expr) program.Expr {
	switch e := e.(type) {
	case program.Ref:
		if first := c.instead[e.Place]; first != nil {
			return program.Ref{Place: first}
		}
	case *program.Apply:
		if e != nil {
			return e.With(c.replaced)
		}
	}
	return e
}

// pure reports whether a formula is an operation on numbers that keep their values.
func (c *sharer) pure(e program.Expr) bool {
	a, ok := e.(*program.Apply)
	if !ok || a == nil || a.Prepared != nil || a.Fn != nil {
		return false
	}
	for _, arg := range a.Args {
		if _, constant := arg.(program.Number); !constant && !c.keeps(arg) && !c.pure(arg) {
			return false
		}
	}
	return true
}

// keeps reports whether a formula is a number alone, which keeps its value.
func (c *sharer) keeps(e program.Expr) bool {
	r, ok := e.(program.Ref)
	return ok && len(r.At) == 0 && r.Place.Shape.Number() && r.Place.Given == nil && !c.changed[r.Place]
}

// repeated computes parts of formulas of a body once that it has several times, where their operands are in sight.
func (c *sharer) repeated(body *[]program.Stmt, visible map[*program.Place]bool) {
	times := map[string]int{}
	parts(*body, func(a *program.Apply) {
		if c.pure(a) {
			times[keyOf(a)]++
		}
	})
	var out []program.Stmt
	for _, s := range *body {
		parts([]program.Stmt{s}, func(a *program.Apply) {
			if !c.pure(a) || a.TotalFlops() < expensive {
				return
			}
			key := keyOf(a)
			if times[key] < 2 || c.known[key] != nil || !inSight(a, visible) {
				return
			}
			if let, ok := s.(*program.Let); ok && keyOf(let.Value) == key {
				return // it is declared here
			}
			to := &program.Place{Name: c.names.Of(a)}
			out = append(out, &program.Let{To: to, Value: a})
			visible[to], c.known[key] = true, to
		})
		c.share(s)
		if let, ok := s.(*program.Let); ok && c.pure(let.Value) {
			if key := keyOf(let.Value); c.known[key] == nil && times[key] > 1 {
				c.known[key] = let.To
			}
		}
		for _, p := range program.Declares(s) {
			visible[p] = true
		}
		out = append(out, s)
	}
	*body = out
	clear(c.known)
	for _, s := range *body {
		for _, inner := range program.Bodies(s) {
			sight := map[*program.Place]bool{}
			for p := range visible {
				sight[p] = true
			}
			c.repeated(inner, sight)
		}
	}
}

// at is a formula with known numbers in place of what they are.
func (c *sharer) at(e program.Expr) program.Expr {
	a, ok := e.(*program.Apply)
	if !ok || a == nil {
		return e
	}
	if place := c.known[keyOf(a)]; place != nil {
		return program.Ref{Place: place}
	}
	return a.With(c.at)
}

// share puts known numbers in place of what they are in a statement and in those inside it.
func (c *sharer) share(s program.Stmt) {
	program.Walk([]program.Stmt{s}, func(inner program.Stmt) {
		program.Rewrite(inner, c.at)
	})
}

// parts visits the operations in the formulas of statements, those inside them too, the whole before its operands.
func parts(stmts []program.Stmt, visit func(*program.Apply)) {
	var rec func(program.Expr)
	rec = func(e program.Expr) {
		if a, ok := e.(*program.Apply); ok && a != nil {
			visit(a)
			for _, arg := range a.Args {
				rec(arg)
			}
		}
	}
	program.Walk(stmts, func(s program.Stmt) { program.Formulas(s, rec) })
}

// inSight reports whether all numbers of a formula are declared.
func inSight(e program.Expr, visible map[*program.Place]bool) bool {
	ok := true
	program.Operands(e, func(r program.Ref) { ok = ok && visible[r.Place] })
	return ok
}

// keyOf tells formulas apart, also where places have the same names.
func keyOf(e program.Expr) string {
	var b strings.Builder
	var rec func(program.Expr)
	rec = func(e program.Expr) {
		switch e := e.(type) {
		case program.Number:
			fmt.Fprintf(&b, "%v ", float64(e))
		case program.Ref:
			fmt.Fprintf(&b, "%p%v ", e.Place, e.At)
		case *program.Apply:
			if e == nil {
				return
			}
			fmt.Fprintf(&b, "%s %v %v(", e.Op.Name, e.Coefs, e.Const)
			for _, a := range e.Args {
				rec(a)
			}
			b.WriteString(") ")
		}
	}
	rec(e)
	return b.String()
}
