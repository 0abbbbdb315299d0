package verify

import (
	"fmt"
	"maps"
	"slices"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/program"
)

// over checks what is in loops.
func (v *verifier) over(loops map[program.Loop]extent, check func()) {
	outer := v.loops
	v.loops = maps.Clone(outer)
	maps.Copy(v.loops, loops)
	check()
	v.loops = outer
}

// each checks a loop over entries.
func (v *verifier) each(s *program.Each) {
	loops := map[program.Loop]extent{}
	dims := s.Shape.Dims
	switch {
	case s.Shape.Block:
		loops[program.I] = extent{block: true}
		loops[program.Row] = extent{all: true}
		if len(dims) > 0 {
			loops[program.J] = extent{dim: dims[0]}
		}
		if _, in := v.loops[program.Row]; !in {
			v.fault(s, "a loop over the rows of a block outside a pass")
		}
	case len(dims) > 0:
		loops[program.I] = extent{dim: dims[0]}
		if len(dims) > 1 {
			if loops[program.J] = (extent{dim: dims[1]}); s.Shape.Lower {
				loops[program.J] = extent{}
			}
		}
	}
	v.over(loops, func() { v.inside(s.Body, func() { v.entries(s) }) })
	if !s.Shape.Block {
		for _, t := range s.Totals {
			v.declare(s, t.To)
		}
	}
	for _, w := range s.Writes {
		v.wrote(s, w)
	}
}

// dots checks a loop that is inner products: of numbers for each row, and nothing else.
func (v *verifier) dots(s *program.Each) {
	if !s.Shape.Block || len(s.Shape.Dims)+len(s.Body)+len(s.Guards)+len(s.Writes)+len(s.Totals) > 0 {
		v.fault(s, "a loop by Dot that does more than adding up")
	}
	for _, sum := range s.Sums {
		if r, ok := sum.Value.(program.Ref); !ok || sum.Max || len(r.At) != 1 || r.At[0] != program.Over(program.I) || !r.Place.Shape.Block {
			v.fault(s, "%s is no inner product with the weights", sum.To.Name)
		}
	}
}

func (v *verifier) entries(s *program.Each) {
	if s.Dots {
		v.dots(s)
	}
	for _, g := range s.Guards {
		v.formula(s, g.Value)
	}
	for _, sum := range s.Sums {
		if !s.Shape.Block {
			v.fault(s, "a sum over the rows in a loop that is not over rows")
		}
		v.formula(s, sum.Value)
		if !slices.ContainsFunc(v.open, func(o *program.Sum) bool { return o.To == sum.To }) { // one of all components
			v.reads(s, sum.To, full)
		}
	}
	for _, w := range s.Writes {
		v.formula(s, w.Value)
		v.entry(s, w.To)
		if w.Add {
			v.reads(s, w.To.Place, v.wanted(w.To))
		}
	}
	for _, t := range s.Totals {
		v.formula(s, t.Value)
		if s.Shape.Block {
			v.known(s, t.To)
			v.state[t.To] = full
		}
	}
}

// wrote notes what a loop has written.
func (v *verifier) wrote(s *program.Each, w *program.Write) {
	p := w.To.Place
	constant := false
	for _, i := range w.To.At {
		constant = constant || i.Loop == program.NoLoop
	}
	switch {
	case w.Add:
	case w.To.Gathers():
		v.fault(s, "entries of %s that memory names are written, others are not", p.Name)
	case constant:
		v.wroteEntry(p, w.To.At)
	case s.Shape.Lower:
		v.state[p] = max(v.state[p], lower)
	case len(w.To.At) == 2 && w.To.At[0].Equal(w.To.At[1]): // a diagonal
	default:
		v.state[p] = full
	}
}

// wroteEntry notes that one entry has been written; an array all of whose entries have been is complete.
func (v *verifier) wroteEntry(p *program.Place, at []program.Index) {
	if v.written == nil {
		v.written = map[*program.Place]map[string]bool{}
	}
	if v.written[p] == nil {
		v.written[p] = map[string]bool{}
	}
	v.written[p][fmt.Sprint(at)] = true
	size, triangle := 1, 1
	for _, d := range p.Shape.Dims {
		size *= d.Size
	}
	if dims := p.Shape.Dims; len(dims) == 2 {
		triangle = dims[0].Size * (dims[0].Size + 1) / 2
	}
	switch n := len(v.written[p]); {
	case n == size:
		v.state[p] = full
	case len(p.Shape.Dims) == 2 && n == triangle:
		v.state[p] = max(v.state[p], lower)
	}
}

// rows checks a pass over rows of numbers.
func (v *verifier) rows(s *program.Rows) {
	v.pass(s, s.Sums, func() {
		for _, c := range s.Columns {
			if c.Type.Rank > 0 {
				v.fault(s, "a column of vectors in a pass over numbers")
			}
			v.declare(s, c.To)
		}
		v.statements(s.Body)
		for _, sum := range s.Sums {
			v.formula(s, sum.Value)
		}
		for _, w := range s.Writes {
			v.formula(s, w.Value)
			v.entry(s, w.To)
		}
	})
}

// blocks checks a pass over blocks of rows: each of its sums is added up in one loop of it.
func (v *verifier) blocks(s *program.Blocks) {
	added := map[*program.Place]int{}
	var count func(program.Stmt)
	count = func(inner program.Stmt) {
		switch inner := inner.(type) {
		case *program.Each:
			for _, sum := range inner.Sums {
				added[sum.To]++
			}
		case *program.Perform:
			program.Walk(inner.Stage.Body, count)
		}
	}
	program.Walk(s.Body, count)
	for _, sum := range s.Sums {
		if added[sum.To] != 1 {
			v.fault(s, "%s is added up in %d loops", sum.To.Name, added[sum.To])
		}
	}
	for to, n := range added {
		if n != 1 {
			v.fault(s, "%s is added up in %d loops", to.Name, n)
		}
	}
	v.pass(s, s.Sums, func() {
		for _, c := range s.Columns {
			v.declare(s, c.To)
		}
		v.statements(s.Body)
	})
}

// pass checks a pass over the rows: what it sums up is known after it.
func (v *verifier) pass(s program.Stmt, sums []*program.Sum, check func()) {
	if len(v.open) > 0 {
		v.fault(s, "a pass inside a pass")
	}
	if _, in := v.loops[program.Row]; in {
		v.fault(s, "a pass inside a pass")
	}
	if program.IsCut(s) {
		if _, ok := program.PassOf(s); !ok {
			v.fault(s, "a pass in ranges that does more than adding up")
		}
	}
	outer := maps.Clone(v.scope)
	v.open = sums
	loops := map[program.Loop]extent{program.Row: {all: true}}
	if _, ok := s.(*program.Rows); ok {
		loops[program.I] = extent{block: true}
	}
	v.over(loops, check)
	v.scope, v.open = outer, nil
	for _, sum := range sums {
		v.declare(s, sum.To, sum.Index)
	}
}

// components checks a loop over the components.
func (v *verifier) components(s *program.Components) {
	if _, in := v.loops[program.Component]; in {
		v.fault(s, "a loop over components inside one")
	}
	if v.program.Components == (expr.Dim{}) {
		v.fault(s, "a loop over components where there are none")
	}
	v.over(map[program.Loop]extent{program.Component: {dim: v.program.Components}}, func() { v.inside(s.Body, nil) })
	for own, all := range v.views { // what a component has written to its own part
		v.state[all] = max(v.state[all], v.state[own])
	}
	clear(v.views)
}

// eachRow checks a loop over the rows of a block.
func (v *verifier) eachRow(s *program.EachRow) {
	if _, in := v.loops[program.Here]; in {
		v.fault(s, "a loop over the rows of a block inside one")
	}
	if _, in := v.loops[program.Row]; !in {
		v.fault(s, "a loop over the rows of a block outside a pass")
	}
	v.over(map[program.Loop]extent{program.Here: {block: true}}, func() { v.inside(s.Body, nil) })
	for own, all := range v.views { // what a row has written to its own part
		if all.Shape.Block && !all.Shape.Stacked {
			v.state[all] = max(v.state[all], v.state[own])
			delete(v.views, own)
		}
	}
}

// ofRow checks a name for what one row of a block has.
func (v *verifier) ofRow(s *program.Bind) {
	if _, in := v.loops[program.Here]; !in {
		v.fault(s, "what a row has outside the loops over rows")
	}
	if !slices.Equal(s.To.Shape.Dims, s.Own.Shape.Dims) {
		v.fault(s, "%s has another shape than a row of %s", s.To.Name, s.Own.Name)
	}
}
