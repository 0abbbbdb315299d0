package interpret

import (
	"math"

	"github.com/sngdgen/sngdgen/gen/program"
)

// each runs a loop over entries.
func (r *runner) each(s *program.Each) {
	r.blockSums = map[*program.Place]float64{}
	totals := map[*program.Place]float64{}
	for _, t := range s.Totals {
		totals[t.To] = 0
	}
	once := func() {
		r.statements(s.Body)
		for _, g := range s.Guards {
			if !r.ended {
				r.statement(g)
			}
		}
		if r.ended {
			return
		}
		r.sums(s.Sums)
		for _, w := range s.Writes {
			r.write(w)
		}
		for _, t := range s.Totals {
			totals[t.To] += r.value(t.Value)
		}
	}
	dims := s.Shape.Dims
	switch {
	case s.Shape.Block:
		r.over(&r.i, r.b, func() {
			if len(dims) == 0 {
				once()
				return
			}
			clear(totals)
			r.over(&r.j, r.length(dims[0]), once)
			for _, t := range s.Totals {
				r.array(t.To)[r.i] = totals[t.To]
			}
		})
	case s.Shape.Lower:
		r.over(&r.i, r.length(dims[0]), func() { r.over(&r.j, r.i+1, once) })
	case len(dims) == 2:
		r.over(&r.i, r.length(dims[0]), func() { r.over(&r.j, r.length(dims[1]), once) })
	case len(dims) == 1:
		r.over(&r.i, r.length(dims[0]), once)
	default:
		once()
	}
	if !s.Shape.Block {
		for _, t := range s.Totals {
			r.set(t.To, totals[t.To])
		}
	}
	for to, part := range r.blockSums {
		r.set(to, r.number(to)+part)
	}
}

// over runs a loop.
func (r *runner) over(index *int, n int, body func()) {
	outer := *index
	for *index = 0; *index < n && !r.ended; *index++ {
		body()
	}
	*index = outer
}

// sums adds what a row has to sums of the block.
func (r *runner) sums(list []*program.Sum) {
	for _, s := range list {
		x, weight := r.value(s.Value), r.Weights[r.start+r.i]
		switch {
		case !s.Max:
			r.blockSums[s.To] += weight * x
		case weight > 0 && (x > r.number(s.To) || math.IsNaN(x)):
			if r.set(s.To, x); s.Index != nil {
				r.set(s.Index, float64(r.start+r.i))
			}
		}
	}
}

func (r *runner) write(w *program.Write) {
	x := r.value(w.Value)
	if w.Weighted {
		x *= r.Weights[r.start+r.i]
	}
	to := r.entry(w.To)
	if w.Add {
		x += *to
	}
	*to = x
}

// begin sets the sums of a pass to what they are of no rows.
func (r *runner) begin(sums []*program.Sum) {
	for _, s := range sums {
		if r.set(s.To, 0); s.Max {
			r.set(s.To, math.Inf(-1))
		}
		if s.Index != nil {
			r.set(s.Index, 0)
		}
	}
}

// passes runs a pass, block by block.
func (r *runner) passes(body func()) {
	for r.start = r.from; r.start < r.to && !r.ended; r.start += r.block() {
		r.b = min(r.block(), r.to-r.start)
		body()
	}
	r.start, r.b = 0, 0
}

// block is the number of rows of a block.
func (r *runner) block() int {
	if r.Block == 0 {
		return max(len(r.Weights), 1)
	}
	return r.Block
}

func (r *runner) rows(s *program.Rows) { r.inRanges(s, s.Sums, func() { r.rowsOf(s) }) }

func (r *runner) rowsOf(s *program.Rows) {
	r.passes(func() {
		r.blockSums = map[*program.Place]float64{}
		r.over(&r.i, r.b, func() {
			for _, c := range s.Columns {
				r.set(c.To, r.column(c)[r.i])
			}
			r.statements(s.Body)
			r.sums(s.Sums)
			for _, w := range s.Writes {
				r.write(w)
			}
		})
		for to, part := range r.blockSums {
			r.set(to, r.number(to)+part)
		}
	})
}

// column is the part of a column that belongs to the block.
func (r *runner) column(c program.Column) []float64 {
	values := r.Observations
	if c.Field != "" {
		values = r.Columns[c.Field]
	}
	width := r.lengths(c.Type.Dims[:c.Type.Rank])
	if len(values) < (r.start+r.b)*width {
		fail("the column %q is too short", c.Field)
	}
	return values[r.start*width : (r.start+r.b)*width]
}

func (r *runner) blocks(s *program.Blocks) {
	r.inRanges(s, s.Sums, func() {
		if s.Strata {
			r.strata(s)
			return
		}
		r.passes(func() { r.blockOf(s) })
	})
}

func (r *runner) blockOf(s *program.Blocks) {
	for _, c := range s.Columns {
		r.cells[c.To] = r.column(c)
	}
	r.statements(s.Body)
}

// strata runs a pass over blocks of rows of one component.
func (r *runner) strata(s *program.Blocks) {
	labels := r.Columns["labels"]
	for r.start = r.from; r.start < r.to && !r.ended; r.start += r.b {
		for r.b = 1; r.start+r.b < min(len(labels), r.to) && labels[r.start+r.b] == labels[r.start] && r.b != r.Block; r.b++ {
		}
		r.own = int(labels[r.start])
		r.blockOf(s)
	}
	r.start, r.b = 0, 0
}

func (r *runner) components(s *program.Components) {
	if s.Own {
		r.component = r.own
		r.statements(s.Body)
		return
	}
	r.over(&r.component, r.length(r.program.Components), func() { r.statements(s.Body) })
}
