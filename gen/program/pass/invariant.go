package pass

import (
	"slices"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/program"
)

// invariant computes what is the same in all rows of a block as a vector, in front of the loop over their entries: of x[i, j] - m[j]/w it is
// m/w, which takes as many divisions as there are columns, and leaves a loop that a kernel does. One operation is not worth reading its result from
// memory in a loop that no kernel does. What is the same in all columns is computed in front of the loop too where it takes longer than an operation: of
// x[i, j]/w[i]^0.5 the power, which takes one root and one division a row.
func invariant(p *program.Program, names *Names) error {
	invariantIn(&p.Body, names)
	return nil
}

func invariantIn(body *[]program.Stmt, names *Names) {
	var out []program.Stmt
	for _, s := range *body {
		for _, inner := range program.Bodies(s) {
			invariantIn(inner, names)
		}
		if e, ok := s.(*program.Each); ok && e.Shape.Block && len(e.Shape.Dims) == 1 && len(e.Guards) == 0 {
			at := len(out)
			for at > 0 && isBuffer(out[at-1]) { // memory stays next to what fills it
				at--
			}
			out = slices.Insert(out, at, vectorsOf(e, names)...)
		}
		out = append(out, s)
	}
	*body = out
}

func isBuffer(s program.Stmt) bool {
	_, ok := s.(*program.Buffer)
	return ok
}

// vectorsOf are the vectors that a loop over the entries of a block reads from now on, with how they are computed.
func vectorsOf(e *program.Each, names *Names) []program.Stmt {
	v := &invariants{each: e, names: names, changes: loopOf(e).changes, known: map[string]*program.Place{}}
	program.Walk([]program.Stmt{e}, func(s program.Stmt) { program.Rewrite(s, v.formula) })
	return v.before
}

type invariants struct {
	each    *program.Each
	names   *Names
	changes map[*program.Place]bool
	known   map[string]*program.Place // by their formulas
	before  []program.Stmt
}

// formula is a formula with entries of vectors in place of what is the same in all rows. Of sums it is each term, of products all factors.
func (v *invariants) formula(e program.Expr) program.Expr {
	a, ok := e.(*program.Apply)
	if !ok || a == nil {
		return e
	}
	switch {
	case v.along(program.J, a):
		if v.cheap(a) {
			return a
		}
		return v.vector(program.J, a)
	case v.along(program.I, a):
		if a.TotalFlops() < slow {
			return a
		}
		return v.vector(program.I, a)
	case a.Op == expr.Prod:
		a = v.powers(v.product(a))
	}
	return a.With(v.formula)
}

// slow is the cost from which on what is the same in all columns is computed in front of the loop: that of a division.
const slow = 4

// cheap reports whether an operation takes no longer in the loop: a sum or a product of two, where the loop does more than kernels do.
func (v *invariants) cheap(a *program.Apply) bool {
	return (a.Op == expr.Lin || a.Op == expr.Prod) && a.TotalFlops() <= 1 && len(v.each.Body)+len(v.each.Sums)+len(v.each.Totals) > 0
}

// product is a product in which the factors that are the same in all rows are one, where there are several. Terms of sums are not put together:
// x[i, j] - m[j] + o[j] may be exact where o - m is rounded.
func (v *invariants) product(a *program.Apply) *program.Apply {
	same, rest := &program.Apply{Op: a.Op}, &program.Apply{Op: a.Op}
	entries := 0
	for i, arg := range a.Args {
		to := rest
		if column := v.along(program.J, arg); column || v.constant(arg) {
			to = same
			if column {
				entries++
			}
		}
		to.Args, to.Coefs = append(to.Args, arg), append(to.Coefs, a.Coefs[i])
	}
	if entries == 0 || len(same.Args) < 2 || v.cheap(same) {
		return a
	}
	rest.Args, rest.Coefs = append(rest.Args, v.vector(program.J, same)), append(rest.Coefs, 1)
	return rest
}

// powers is a product in which the powers of what is the same in all columns are one factor.
func (v *invariants) powers(a *program.Apply) *program.Apply {
	same, rest := &program.Apply{Op: a.Op}, *a
	rest.Args, rest.Coefs = nil, nil
	for i, arg := range a.Args {
		to := &rest
		if a.Coefs[i] != 1 && v.along(program.I, arg) {
			to = same
		}
		to.Args, to.Coefs = append(to.Args, arg), append(to.Coefs, a.Coefs[i])
	}
	if len(same.Args) == 0 || same.TotalFlops() < slow {
		return a
	}
	rest.Args, rest.Coefs = append(rest.Args, v.vector(program.I, same)), append(rest.Coefs, 1)
	return &rest
}

// along reports whether a formula is another for each entry of one loop, that over the rows or that over the columns, and the same in all of the other's.
func (v *invariants) along(loop program.Loop, e program.Expr) bool {
	entries, ok := 0, true
	v.look(e, func(at program.Index) {
		if at.Loop == loop && at.By == nil {
			entries++
		} else if at.By != nil || at.Loop != program.NoLoop && at.Loop != program.Component {
			ok = false
		}
	}, &ok)
	return ok && entries > 0
}

// constant reports whether a formula is the same for all entries.
func (v *invariants) constant(e program.Expr) bool {
	ok := true
	v.look(e, func(at program.Index) {
		ok = ok && at.By == nil && (at.Loop == program.NoLoop || at.Loop == program.Component)
	}, &ok)
	return ok
}

// look visits the subscripts of what a formula is made of; ok becomes false where the loop changes that, or where there is no saying.
func (v *invariants) look(e program.Expr, visit func(program.Index), ok *bool) {
	switch e := e.(type) {
	case program.Ref:
		if v.changes[e.Place] || len(e.At) == 0 && e.Place.Shape.Block || e.Place.Given != nil && varies(e.Place.Given, enclosing{at: v.each}) {
			*ok = false
		}
		for _, at := range e.At {
			visit(at)
		}
	case *program.Apply:
		if e == nil || e.Prepared != nil || e.Fn != nil {
			*ok = false
			return
		}
		for _, arg := range e.Args {
			v.look(arg, visit, ok)
		}
	}
}

// vector is the entry of the vector that a formula is computed as, with a number for each row or for each column.
func (v *invariants) vector(loop program.Loop, a *program.Apply) program.Expr {
	key := program.Formula(a)
	to, ok := v.known[key]
	if !ok {
		shape := program.Shape{Dims: v.each.Shape.Dims}
		if loop == program.I {
			shape = program.Shape{Block: true}
		}
		to = &program.Place{Name: v.names.Temporary(), Shape: shape}
		to.Shape.Inside = true
		v.known[key] = to
		value := inLoop(a, loop, program.I)
		v.before = append(v.before, &program.Buffer{To: to}, &program.Each{Shape: shape,
			Writes: []*program.Write{{To: program.Ref{Place: to, At: []program.Index{program.Over(program.I)}}, Value: value}}})
	}
	return program.Ref{Place: to, At: []program.Index{program.Over(loop)}}
}

// inLoop is a formula with the subscript of another loop in place of one.
func inLoop(e program.Expr, from, to program.Loop) program.Expr {
	switch e := e.(type) {
	case program.Ref:
		out := program.Ref{Place: e.Place, At: make([]program.Index, len(e.At))}
		for i, at := range e.At {
			if at.Loop == from {
				at.Loop = to
			}
			out.At[i] = at
		}
		return out
	case *program.Apply:
		return e.With(func(arg program.Expr) program.Expr { return inLoop(arg, from, to) })
	}
	return e
}
