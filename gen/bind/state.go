package bind

import (
	"maps"
	"slices"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/spec"
)

// states binds what is carried along the rows: symbols that stand for the states in front of a row.
func (b *binder) states(d *spec.Distribution, prefix string) []Param {
	var out []Param
	for _, s := range d.States {
		out = append(out, b.param(s.Param, "state."+prefix, 0))
	}
	return out
}

// stateFormulas are the states of a sequence in front of its first row, and those behind a row.
type stateFormulas struct{ start, next []*expr.Node }

// stateFormulas binds how states begin and go on; nil after a fault.
func (b *binder) stateFormulas(d *spec.Distribution, out *Density, names map[string]*expr.Node) *stateFormulas {
	c, what := &stateFormulas{}, "distribution "+d.Name
	for i, s := range d.States {
		t := out.States[i].Sym.Type
		start := b.shaped(b.build(s.Start, "the start of "+s.Name+" in "+what, b.atStartOf(out, names), expr.Unknown), t, s.Start, "the start of "+s.Name)
		next := b.shaped(b.build(s.Next, "the next "+s.Name+" in "+what, names, expr.Unknown), t, s.Next, "the next "+s.Name)
		if start == nil || next == nil {
			return nil
		}
		c.start, c.next = append(c.start, start), append(c.next, next)
	}
	return c
}

// scanned makes the log-density of a row one that is given the states in front of it: a scan; nil after a fault. Outside it nothing names the states, the
// parts of a row, or what the parameters are called there.
func (b *binder) scanned(d *spec.Distribution, out *Density, logPDF *expr.Node, c *stateFormulas) *expr.Node {
	fn := &expr.Lambda{Series: d.Series != "", Start: c.start}
	eqs := append([]*expr.Node{logPDF}, c.next...)
	by := map[*expr.Node]*expr.Node{}
	bound := func(q Param) *expr.Node {
		by[q.Sym] = b.g.Fresh(q.Name, core(q.Sym.Type), q.Sym.Facts)
		return by[q.Sym]
	}
	for _, s := range out.States {
		fn.Vars = append(fn.Vars, bound(s))
	}
	var args []*expr.Node
	all := slices.Concat(eqs, fn.Start)
	uses := func(q Param) bool {
		return slices.ContainsFunc(all, func(n *expr.Node) bool { return expr.Depends(n, q.Sym) })
	}
	for _, q := range out.Params {
		if uses(q) {
			fn.Params, args = append(fn.Params, bound(q)), append(args, q.Sym)
		}
	}
	series := -1
	record := out.Record()
	for i, q := range record {
		if q.Name == d.Series {
			series = i
		} else if uses(q) {
			fn.Rows, args = append(fn.Rows, bound(q)), append(args, q.Sym)
		}
	}
	if series >= 0 {
		fn.Rows, args = append(fn.Rows, bound(record[series])), append(args, record[series].Sym)
	}
	if len(fn.Rows) == 0 {
		b.diags.Errorf(d.LogPDF.Whole(), "nothing of distribution %s depends on the rows", d.Name)
		return nil
	}
	fn.Eqs, fn.Start = b.g.SubstituteAll(eqs, by), b.g.SubstituteAll(fn.Start, by)
	return b.g.Lifted(b.g.Scan(fn, args))
}

// drawsOfStates binds how the variables of a sequence are drawn, given the states in front of a row, and which states follow.
func (b *binder) drawsOfStates(d *spec.Distribution, out *Density, c *stateFormulas, names map[string]*expr.Node, prefix string) {
	if d.Sample == nil {
		return
	}
	visible, inRow := b.givenInRow(out, apartFrom(out, names))
	out.Sample = b.draws(d.Sample.Noise, d.Sample.Values, "sample of distribution "+d.Name, visible, b.drawn(prefix, out.Observed()...))
	for _, v := range out.Sample.Values {
		for _, q := range out.Observed() {
			if q.Name == v.Name {
				inRow[q.Sym] = v.Sym
			}
		}
	}
	out.Sample.Start, out.Sample.Next = c.start, b.g.SubstituteAll(c.next, inRow)
	for i, g := range out.Given {
		if g.Name == d.Series {
			out.Sample.Series = out.SampleGiven[i]
		}
	}
}

// atStartOf are the names that mean something in front of the first row: those that depend neither on a row nor on a state.
func (b *binder) atStartOf(out *Density, names map[string]*expr.Node) map[string]*expr.Node {
	later := symbolsOf(slices.Concat(out.Record(), out.States))
	visible := maps.Clone(names)
	maps.DeleteFunc(visible, func(_ string, n *expr.Node) bool { return n == nil || expr.Depends(n, later...) })
	return visible
}

func symbolsOf(ps []Param) (out []*expr.Node) {
	for _, q := range ps {
		out = append(out, q.Sym)
	}
	return out
}
