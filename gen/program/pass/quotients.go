package pass

import (
	"slices"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/program"
)

// quotients has loops over rows that divide several products by the same number multiply them by its inverse: a division takes as long as several products, and
// the next one waits for it.
func quotients(p *program.Program, names *Names) error {
	program.Walk(p.Body, func(s program.Stmt) {
		switch s := s.(type) {
		case *program.Each:
			if s.Shape.Block {
				s.Body = inverted(s, s.Body, names)
			}
		case *program.Rows:
			s.Body = inverted(s, s.Body, names)
		}
	})
	return nil
}

// inverse is one over what several products are divided by.
type inverse struct {
	value *program.Apply
	count int
	at    int // the statement that it is computed in front of
	to    *program.Place
	own   *program.Let // which the body has for it
}

// inverted is the body of a loop with inverses in place of divisions.
func inverted(loop program.Stmt, body []program.Stmt, names *Names) []program.Stmt {
	found := map[string]*inverse{}
	var order []*inverse
	note := func(s program.Stmt, at int) {
		program.Formulas(s, func(e program.Expr) {
			products(e, func(a *program.Apply) {
				d := denominator(a)
				if d == nil {
					return
				}
				key := keyOf(d)
				if found[key] == nil {
					found[key] = &inverse{value: d, at: at}
					order = append(order, found[key])
				}
				found[key].count++
			})
		})
	}
	for i, s := range body {
		note(s, i)
		if let, ok := s.(*program.Let); ok {
			if v := found[keyOf(let.Value)]; v != nil {
				v.own = let
			}
		}
	}
	note(loop, len(body))
	order = slices.DeleteFunc(order, func(v *inverse) bool { return v.count < 2 })
	if len(order) == 0 {
		return body
	}
	owned := map[program.Stmt]bool{}
	for _, v := range order {
		if v.own != nil {
			v.to, owned[v.own] = v.own.To, true
		} else {
			v.to = &program.Place{Name: names.Of(v.value)}
		}
	}
	multiplied := func(e program.Expr) program.Expr { return multiplies(e, found) }
	var out []program.Stmt
	for i := range len(body) + 1 {
		for _, v := range order {
			if v.at == i {
				out = append(out, &program.Let{To: v.to, Value: v.value})
			}
		}
		if i < len(body) && !owned[body[i]] {
			program.Rewrite(body[i], multiplied)
			out = append(out, body[i])
		}
	}
	program.Rewrite(loop, multiplied)
	return out
}

// products visits the products in a formula, each before its factors.
func products(e program.Expr, visit func(*program.Apply)) {
	if a, ok := e.(*program.Apply); ok && a != nil {
		if a.Op == expr.Prod && len(a.Coefs) == len(a.Args) {
			visit(a)
		}
		for _, arg := range a.Args {
			products(arg, visit)
		}
	}
}

// denominator is the inverse of what a product is divided by, where that is made of numbers that have been computed; nil for others.
func denominator(a *program.Apply) *program.Apply {
	d, numbers := &program.Apply{Op: expr.Prod}, true
	for i, arg := range a.Args {
		if a.Coefs[i] >= 0 {
			continue
		}
		d.Args, d.Coefs = append(d.Args, arg), append(d.Coefs, a.Coefs[i])
		r, ok := arg.(program.Ref)
		numbers = numbers && ok && r.Place.Shape.Number() && r.Place.Given == nil
	}
	if len(d.Args) == 0 || !numbers {
		return nil
	}
	return d
}

// multiplies is a formula with products by inverses in place of divisions.
func multiplies(e program.Expr, by map[string]*inverse) program.Expr {
	a, ok := e.(*program.Apply)
	if !ok || a == nil {
		return e
	}
	a = a.With(func(arg program.Expr) program.Expr { return multiplies(arg, by) })
	if a.Op != expr.Prod || len(a.Coefs) != len(a.Args) {
		return a
	}
	d := denominator(a)
	if d == nil || by[keyOf(d)] == nil || by[keyOf(d)].to == nil {
		return a
	}
	ref := program.Ref{Place: by[keyOf(d)].to}
	if len(d.Args) == len(a.Args) && a.Const == 0 {
		return ref
	}
	out := *a
	out.Args, out.Coefs = nil, nil
	for i, arg := range a.Args {
		if a.Coefs[i] >= 0 {
			out.Args, out.Coefs = append(out.Args, arg), append(out.Coefs, a.Coefs[i])
		}
	}
	out.Args, out.Coefs = append(out.Args, ref), append(out.Coefs, 1)
	return &out
}
