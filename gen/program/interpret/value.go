package interpret

import (
	"math"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/program"
)

// value computes a formula.
func (r *runner) value(e program.Expr) float64 {
	switch e := e.(type) {
	case program.Number:
		return float64(e)
	case program.Ref:
		return *r.entry(e)
	case *program.Apply:
		return r.apply(e)
	}
	fail("a formula of type %T", e)
	return 0
}

// values are those of the operands of an application, with the one that functions have been prepared for in its place.
func (r *runner) values(a *program.Apply) []float64 {
	operand := -1
	if a.Prepared != nil {
		prepared, _ := expr.Preparation(a.Op)
		operand = prepared.Operand
	}
	out := make([]float64, len(a.Args))
	for i, e := range a.Args {
		if i == operand {
			out[i] = r.number(a.Prepared)
		} else {
			out[i] = r.value(e)
		}
	}
	return out
}

func (r *runner) apply(a *program.Apply) float64 {
	x := r.values(a)
	switch a.Op {
	case expr.Lin:
		sum := a.Const
		for i, c := range a.Coefs {
			sum += c * x[i]
		}
		return sum
	case expr.Prod:
		out := 1.0
		for i, c := range a.Coefs {
			out *= math.Pow(x[i], c)
		}
		return out
	case expr.Pow:
		return math.Pow(x[0], x[1])
	case expr.Root:
		args := make([][]float64, len(x))
		for i, v := range x {
			args[i] = []float64{v}
		}
		if r.Solve == nil {
			fail("nothing solves equations")
		}
		out, err := r.Memory.Solve(a.Op, a.Fn, args)
		if err != nil {
			fail("%v", err)
		}
		return out[0][0]
	}
	return a.Op.Eval(x)
}

// entry is the number that a reference is to.
func (r *runner) entry(ref program.Ref) *float64 {
	values := r.array(ref.Place)
	at := 0
	if len(ref.At) > 0 {
		at = r.offset(ref)
	}
	if ref.Gathers() && !r.within(ref) {
		return new(float64) // read as 0, and written to nowhere
	}
	if at < 0 || at >= len(values) {
		fail("%s is entry %d of %d", ref, at, len(values))
	}
	return &values[at]
}

// offset is the place of an entry in memory: axis by axis, the last one fastest. All values of rows of a column come first.
func (r *runner) offset(ref program.Ref) int {
	dims := ref.Place.Shape.Dims
	at := r.index(ref.At[0])
	for k, i := range ref.At[1:] {
		var n int
		switch {
		case i.Loop == program.Component:
			n = r.length(r.program.Components)
		default:
			n = r.length(dims[len(dims)-len(ref.At[1:])+k])
		}
		at = at*n + r.index(i)
	}
	return at
}

// within reports whether the subscripts that places say are those of entries.
func (r *runner) within(ref program.Ref) bool {
	shape := ref.Place.Shape
	dims := shape.Dims
	for k, i := range ref.At {
		axis := k - (len(ref.At) - len(dims))
		if i.By != nil && (axis < 0 || r.index(i) < 0 || r.index(i) >= r.length(dims[axis])) {
			return false
		}
	}
	return true
}

func (r *runner) index(i program.Index) int {
	if i.By != nil {
		return int(*r.entry(*i.By)) - 1
	}
	switch i.Loop {
	case program.I:
		return r.i
	case program.J:
		return r.j
	case program.Row:
		return r.start + r.i
	case program.Component:
		return r.component
	case program.Here:
		return r.here
	}
	return i.At
}

// given is what the program is given.
func (r *runner) given(g *program.Given) []float64 {
	switch g.Kind {
	case program.LengthOf:
		return []float64{float64(r.length(g.Dim))}
	case program.DrawsOf:
		n := r.Draws
		if g.Dim != (expr.Dim{}) {
			n *= r.length(g.Dim)
		}
		return []float64{float64(n)}
	case program.NumberOf:
		return []float64{float64(r.component)}
	case program.LastOf:
		if r.component == r.length(g.Dim)-1 {
			return []float64{1}
		}
		return []float64{0}
	}
	if g.Table != nil {
		return g.Table
	}
	if values, ok := r.instead[g.String()]; ok {
		return values
	}
	name := g.Name
	if g.Owner != "" {
		name = g.Owner + "." + name
	}
	values, ok := r.Slices[name]
	if !ok {
		fail("%s is not given", name)
	}
	if len(g.At) > 1 {
		fail("%s has two subscripts", g)
	}
	if len(g.At) == 1 {
		return values[g.At[0] : g.At[0]+1]
	}
	if g.Part != nil {
		return r.part(values, g.Part)
	}
	return values
}

// part is a part of a slice.
func (r *runner) part(values []float64, p *program.Part) []float64 {
	from, n := p.From.Number, r.lengths(p.Type.Dims[:p.Type.Rank])
	for _, t := range p.From.Terms {
		from += t.Times * r.lengths(t.Dims)
	}
	switch p.Of {
	case program.OwnComponent:
		if p.Free && r.component == r.length(p.Components)-1 {
			return make([]float64, n)
		}
		from += r.component * n
	case program.OwnRow:
		from += r.Row * n
	case program.OwnDraw:
		from += r.start
	case program.OwnEntry:
		from += r.Entry
	case program.All:
		if p.Type.Axes.Has(expr.Components) {
			k := r.length(p.Components)
			if p.Free {
				k--
			}
			n *= k
		}
	}
	return values[from : from+n]
}
