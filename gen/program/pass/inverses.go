package pass

import (
	"math"
	"slices"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/program"
)

// inversePower is one over a formula, or over its root, of which a loop needs powers.
type inversePower struct {
	base   program.Expr
	halves bool // powers of the root are needed
	uses   int
	at     int // the statement that it is computed in front of
	to     *program.Place
	own    *program.Place // the number of the loop that it is, nil where it is none
}

// power is the exponent of what is computed.
func (p *inversePower) power() float64 {
	if p.halves {
		return -0.5
	}
	return -1
}

// worth reports whether it is: one quotient is better left alone, and rounded once.
func (p *inversePower) worth() bool { return p.halves || p.uses > 1 }

// inversePowers are those of a loop, by their bases.
type inversePowers struct {
	found map[string]*inversePower
	order []*inversePower
}

// withInversePowers is a copy of a loop that multiplies by inverses, and inverse roots, where it divided by the same number more than once, or by the root of one: so that
// they may be computed for many entries at a time.
func withInversePowers(e *program.Each, names *Names) *program.Each {
	p := &inversePowers{found: map[string]*inversePower{}}
	for i, stmt := range e.Body {
		program.Formulas(stmt, func(f program.Expr) { p.note(f, i) })
	}
	program.Formulas(e, func(f program.Expr) { p.note(f, len(e.Body)) })
	if p.order = slices.DeleteFunc(p.order, func(v *inversePower) bool { return !v.worth() }); len(p.order) == 0 {
		return e
	}
	for _, stmt := range e.Body {
		p.own(stmt)
	}
	out := p.copied(e)
	for i := range len(e.Body) + 1 {
		for _, v := range p.order {
			if v.at == i {
				value := &program.Apply{Op: expr.Prod, Args: []program.Expr{p.multiplied(v.base)}, Coefs: []float64{v.power()}}
				if v.to = v.own; v.to == nil {
					v.to = &program.Place{Name: names.Of(value)}
				}
				out.Body = append(out.Body, &program.Let{To: v.to, Value: value})
			}
		}
		if i < len(e.Body) && !p.owns(e.Body[i]) {
			own := shallowCopy(e.Body[i])
			program.Rewrite(own, p.multiplied)
			out.Body = append(out.Body, own)
		}
	}
	program.Rewrite(out, p.multiplied)
	return out
}

// own notes which number of the loop a power is.
func (p *inversePowers) own(stmt program.Stmt) {
	if v, let := p.declared(stmt); v != nil && v.own == nil {
		v.own = let.To
	}
}

// owns reports whether a statement does nothing but compute a power.
func (p *inversePowers) owns(stmt program.Stmt) bool {
	v, let := p.declared(stmt)
	return v != nil && v.own == let.To
}

// declared is the power that a statement computes, nil where it computes something else.
func (p *inversePowers) declared(stmt program.Stmt) (*inversePower, *program.Let) {
	let, ok := stmt.(*program.Let)
	if !ok {
		return nil, nil
	}
	a, ok := let.Value.(*program.Apply)
	if !ok || a == nil || len(a.Args) != 1 || a.Const != 0 || soleDenominator(a) != 0 {
		return nil, nil
	}
	if v := p.found[keyOf(a.Args[0])]; v.worth() && a.Coefs[0] == v.power() {
		return v, let
	}
	return nil, nil
}

// copied is a copy of a loop without its body.
func (p *inversePowers) copied(e *program.Each) *program.Each {
	out := *e
	out.Body, out.Sums, out.Writes, out.Totals = nil, nil, nil, nil
	for _, sum := range e.Sums {
		own := *sum
		out.Sums = append(out.Sums, &own)
	}
	for _, w := range e.Writes {
		own := *w
		out.Writes = append(out.Writes, &own)
	}
	for _, t := range e.Totals {
		own := *t
		out.Totals = append(out.Totals, &own)
	}
	return &out
}

// note notes what a formula divides by, first what is needed for others.
func (p *inversePowers) note(f program.Expr, at int) {
	a, ok := f.(*program.Apply)
	if !ok || a == nil {
		return
	}
	for _, arg := range a.Args {
		p.note(arg, at)
	}
	i := soleDenominator(a)
	if i < 0 {
		return
	}
	key := keyOf(a.Args[i])
	v := p.found[key]
	if v == nil {
		v = &inversePower{base: a.Args[i], at: at}
		p.found[key], p.order = v, append(p.order, v)
	}
	v.uses++
	v.halves = v.halves || a.Coefs[i] != math.Trunc(a.Coefs[i])
}

// mostHalves is the largest power that is made of products.
const mostHalves = 6

// soleDenominator is the number of the only factor of a product that it is divided by, to a power that is a whole number of halves; -1 where there is none such.
func soleDenominator(a *program.Apply) int {
	at := -1
	if a.Op != expr.Prod || len(a.Coefs) != len(a.Args) {
		return at
	}
	for i, c := range a.Coefs {
		switch {
		case c >= 0:
		case at >= 0 || c < -mostHalves/2 || 2*c != math.Trunc(2*c):
			return -1
		default:
			at = i
		}
	}
	return at
}

// multiplied is a formula with products in place of quotients.
func (p *inversePowers) multiplied(f program.Expr) program.Expr {
	a, ok := f.(*program.Apply)
	if !ok || a == nil {
		return f
	}
	i := soleDenominator(a)
	out := a.With(p.multiplied)
	if i < 0 {
		return out
	}
	v := p.found[keyOf(a.Args[i])]
	if !v.worth() {
		return out
	}
	times := a.Coefs[i] / v.power()
	if len(a.Args) == 1 && times == 1 && a.Const == 0 {
		return program.Ref{Place: v.to}
	}
	out.Args[i], out.Coefs = program.Ref{Place: v.to}, slices.Clone(a.Coefs)
	out.Coefs[i] = times
	return out
}
