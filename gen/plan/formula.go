package plan

import (
	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/program"
)

// formula is what a statement computes, to be written out when everything that the program computes has its place.
type formula struct {
	to    *program.Expr
	joint *program.Joint // whose value it is, in place of to
	node  *expr.Node
	named named
	but   *program.Place // which is not a name for the whole: it is being computed
	// prepared is how many operands had been prepared for: what comes later stands behind the statement.
	prepared int
}

// later notes what a statement computes.
func (p *planner) later(to *program.Expr, n *expr.Node) { p.laterBut(to, n, nil) }

func (p *planner) laterBut(to *program.Expr, n *expr.Node, but *program.Place) {
	p.pending = append(p.pending, formula{to: to, node: n, named: p.named, but: but, prepared: len(p.prepared)})
}

// writeFormulas writes out what statements compute.
func (p *planner) writeFormulas() {
	for _, f := range p.pending {
		w := writer{named: f.named, entries: p.entries, defs: p.def, prepared: p.prepared, known: f.prepared}
		switch {
		case f.joint != nil:
			f.joint.Value = w.apply(f.node, f.joint.Joint.Go)
		case f.but != nil && f.named[f.node] == f.but:
			*f.to = w.below(f.node)
		default:
			*f.to = w.expr(f.node)
		}
	}
}

// writer turns nodes into formulas of programs: down to what has a place.
type writer struct {
	named    named
	entries  map[*expr.Node]program.Ref // symbols of entries of arrays
	defs     map[*expr.Node]*expr.Node
	prepared map[preparedKey]preparation
	known    int // preparations
	memo     map[*expr.Node]program.Expr
}

// Formula writes a node in numbers that a function is given.
func Formula(n *expr.Node, in []Input) program.Expr {
	w := writer{named: named{}}
	for _, i := range in {
		w.named[i.Sym] = &program.Place{Name: i.From.String(), Given: i.From}
	}
	return w.expr(n)
}

func (w *writer) expr(n *expr.Node) program.Expr {
	if ref, ok := w.entries[n]; ok {
		return ref
	}
	if place := w.named[n]; place != nil && n.Op != expr.Const {
		return program.Ref{Place: place}
	}
	if e, ok := w.memo[n]; ok {
		return e
	}
	e := w.below(n)
	if w.memo == nil {
		w.memo = map[*expr.Node]program.Expr{}
	}
	w.memo[n] = e
	return e
}

// byEntry reports whether an operation gives each entry of its result from the same entries of its operands.
func byEntry(o *expr.Op) bool {
	return o == expr.Lin || o == expr.Prod || o == expr.Pow || o == expr.Root || o.Elementwise()
}

// below is expr for a node that has a place, which is left aside.
func (w *writer) below(n *expr.Node) program.Expr {
	switch {
	case n.Op == expr.Const:
		return program.Number(n.Const)
	case n.Op == expr.Sym:
		if d, ok := w.defs[n]; ok {
			return w.expr(d)
		}
		panic("plan: symbol without a place: " + n.Name)
	case byEntry(n.Op):
		return w.apply(n, n.Op.Name)
	}
	panic(Unsupported(n.Op.Name + " inside a formula of numbers: " + n.String()))
}

// apply is the application of an operation, by the method of that name of what has been prepared for, where something has.
func (w *writer) apply(n *expr.Node, method string) *program.Apply {
	a := &program.Apply{Op: n.Op, Coefs: n.Coefs, Const: n.Const, Fn: n.Fn, Args: make([]program.Expr, len(n.Args))}
	operand := -1
	if prepared, ok := expr.Preparation(n.Op); ok && prepared.Methods[method] != "" {
		if made, ok := w.prepared[preparedKey{prepared.Type, n.Args[prepared.Operand]}]; ok && made.order < w.known {
			a.Prepared, operand = made.place, prepared.Operand
		}
	}
	for i, arg := range n.Args {
		if i != operand {
			a.Args[i] = w.expr(arg)
		}
	}
	return a
}
