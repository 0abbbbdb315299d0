package bind

import (
	"slices"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/spec"
)

// modelStates binds what a model carries along the rows: symbols that stand for the states in front of a row.
func (b *binder) modelStates(vi *spec.VI, names map[string]*expr.Node) []Param {
	var out []Param
	for _, s := range vi.States {
		q := b.param(s.Param, "state."+modelPrefix, expr.Rows)
		out, names[s.Name] = append(out, q), q.Sym
	}
	return out
}

// along is how a model carries states along the rows.
type along struct {
	*binder
	model *Variational
	stateFormulas
}

// alongRows binds how the states of a model begin and go on; nil where there are none, and after a fault.
func (b *binder) alongRows(v *Variational, names map[string]*expr.Node) *along {
	if len(v.States) == 0 {
		return nil
	}
	a := &along{binder: b, model: v}
	later := symbolsOf(slices.Concat(v.Data, v.States))
	atStart := map[string]*expr.Node{}
	for name, n := range names {
		if n != nil && !expr.Depends(n, later...) {
			atStart[name] = n
		}
	}
	for i, s := range v.Spec.States {
		t := v.States[i].Sym.Type
		start := b.shaped(b.build(s.Start, "the start of "+s.Name+" in the model", atStart, expr.Unknown), t, s.Start, "the start of "+s.Name)
		next := b.ofEachRow(s.Next, "the next "+s.Name+" in the model", names)
		next = b.shaped(next, t, s.Next, "the next "+s.Name)
		if start == nil || next == nil {
			return nil
		}
		a.start, a.next = append(a.start, start), append(a.next, next)
	}
	return a
}

// ofEachRow is build for a formula that each row has a value of.
func (b *binder) ofEachRow(f *spec.Formula, what string, names map[string]*expr.Node) *expr.Node {
	outer := b.inLet
	b.inLet = true
	defer func() { b.inLet = outer }()
	return b.build(f, what, names, expr.Unknown)
}

// asScans makes sums over rows that are given the states in front of them sums of scans. Nothing outside of these names the states.
func (a *along) asScans(n *expr.Node, f *spec.Formula) *expr.Node {
	if a == nil || n == nil {
		return n
	}
	var rest, rows []*expr.Node // one scan for all sums
	for _, term := range a.g.Terms(n) {
		if row := a.rowOf(term); row != nil {
			rows = append(rows, row)
		} else {
			rest = append(rest, term)
		}
	}
	if len(rows) > 0 {
		rest = append(rest, a.g.Sum(expr.Rows, a.scan(a.g.Add(rows...))))
	}
	by := map[*expr.Node]*expr.Node{} // sums in functions
	n = a.g.Add(rest...)
	expr.Walk(func(m *expr.Node) {
		if a.isSum(m) && m.Type.Rank == 0 {
			by[m] = a.g.Sum(expr.Rows, a.scan(m.Args[0]))
		}
	}, n)
	n = a.g.Substitute(n, by)
	for _, q := range a.model.States {
		if expr.Depends(n, q.Sym) {
			a.diags.Errorf(f.Whole(), "a sum over the rows of what is no number cannot have a state in it, here %s", q.Name).
				WithHint("take the sum of numbers: sum(total(v)), not exp(total(sum(v)))")
			return nil
		}
	}
	return n
}

// isSum reports whether a value is a sum over rows that are given the states in front of them.
func (a *along) isSum(n *expr.Node) bool {
	return n.Op == expr.Sum && n.Axis == expr.Rows && a.hasState(n)
}

func (a *along) hasState(n *expr.Node) bool { return expr.Depends(n, symbolsOf(a.model.States)...) }

// rowOf is what a row adds to a term of which it is the sum over the rows, nil where it is none.
func (a *along) rowOf(term *expr.Node) *expr.Node {
	switch {
	case a.isSum(term):
		return term.Args[0]
	case term.Op == expr.Lin && len(term.Args) == 1 && term.Const == 0:
		if row := a.rowOf(term.Args[0]); row != nil {
			return a.g.Scale(term.Coefs[0], row)
		}
	case term.Op == expr.Dot:
		for i, x := range term.Args {
			if a.isSum(x) && !a.hasState(term.Args[1-i]) {
				return a.g.Dot(x.Args[0], term.Args[1-i])
			}
		}
	case term.Op == expr.Prod:
		return a.rowOfProduct(term)
	}
	return nil
}

// rowOfProduct is rowOf for a product of a sum and of what is the same for all rows.
func (a *along) rowOfProduct(term *expr.Node) *expr.Node {
	var row *expr.Node
	var same []*expr.Node
	for i, x := range term.Args {
		power := a.g.Prod([]float64{term.Coefs[i]}, []*expr.Node{x})
		switch {
		case !a.hasState(x):
			same = append(same, power)
		case row != nil || term.Coefs[i] != 1:
			return nil
		default:
			if row = a.rowOf(x); row == nil {
				return nil
			}
		}
	}
	if row == nil {
		return nil
	}
	return a.g.Mul(append(same, row)...)
}

// scan makes a number of a row, given the states in front of it, one that the rows have.
func (a *along) scan(row *expr.Node) *expr.Node {
	fn := &expr.Lambda{Series: a.model.Spec.Series != ""}
	all := slices.Concat([]*expr.Node{row}, a.next, a.start)
	by := map[*expr.Node]*expr.Node{}
	bound := func(q Param) *expr.Node {
		by[q.Sym] = a.g.Fresh(q.Name, core(q.Sym.Type), q.Sym.Facts)
		return by[q.Sym]
	}
	uses := func(q Param) bool {
		return slices.ContainsFunc(all, func(n *expr.Node) bool { return expr.Depends(n, q.Sym) })
	}
	for _, s := range a.model.States {
		fn.Vars = append(fn.Vars, bound(s))
	}
	var args []*expr.Node
	for _, q := range append(slices.Clone(a.model.Latent), Param{Name: "n", Sym: a.g.Size(expr.Rows)}) {
		if uses(q) {
			fn.Params, args = append(fn.Params, bound(q)), append(args, q.Sym)
		}
	}
	var series []Param // last
	for _, q := range a.model.Data {
		switch {
		case q.Name == a.model.Spec.Series:
			series = append(series, q)
		case uses(q):
			fn.Rows, args = append(fn.Rows, bound(q)), append(args, q.Sym)
		}
	}
	for _, q := range series {
		fn.Rows, args = append(fn.Rows, bound(q)), append(args, q.Sym)
	}
	if len(fn.Rows) == 0 { // a row counts, whatever it is
		q := a.model.Data[0]
		fn.Rows, args = append(fn.Rows, bound(q)), append(args, q.Sym)
	}
	fn.Eqs, fn.Start = a.g.SubstituteAll(all[:1+len(a.next)], by), a.g.SubstituteAll(a.start, by)
	return a.g.Lifted(a.g.Scan(fn, args))
}
