package engine

import (
	"github.com/sngdgen/sngdgen/gen/program"
	"github.com/sngdgen/sngdgen/runtime/dense"
)

// Entries that numbers in memory name, as those of a column of groups do: what lies beyond the ends of an array is 0, and nothing is
// added there.

// gather is where such an entry lies.
type gather struct {
	array  int32
	size   int  // of the array
	block  bool // so many for every row of a block
	row    int  // entries of a row, 0 of a vector
	places []place
}

// place is a subscript: what a register says, counted from 1, an index of a loop, or a number.
type place struct {
	by     operand
	named  bool // by is meant
	loop   program.Loop
	number int
}

// gathered compiles where an entry lies.
func (c *compiler) gathered(r program.Ref) *gather {
	if c.loop != nil {
		c.loop.gathers = true
	}
	dims := r.Place.Shape.Dims
	g := &gather{array: c.array(r.Place), size: c.shapeOf(r.Place.Shape), block: r.Place.Shape.Block}
	if len(r.At) > 1 {
		g.row = c.dim(dims[len(dims)-1])
	}
	for _, i := range r.At {
		p := place{loop: i.Loop, number: i.At}
		if i.By != nil {
			p.by, p.named = c.load(*i.By), true
		}
		if at := c.at; at != nil && (i.Loop == program.I || i.Loop == program.J) {
			p.loop, p.number = program.NoLoop, at[i.Loop-program.I]
		}
		if i.Loop == program.Component {
			unsupported("entries by an index of a component")
		}
		g.places = append(g.places, p)
	}
	return g
}

// loadGathered reads such an entry.
func (c *compiler) loadGathered(r program.Ref) operand {
	g := c.gathered(r)
	if c.loop != nil {
		return c.loop.emit(laneInstruction{op: opGather, gather: g})
	}
	u := c.u
	return c.calls(nil, 1, func(_, to []float64) { to[0] = dense.Entry(g.of(u), g.at(u, span{}, 0)) })[0]
}

// of is the array.
func (g *gather) of(u *unit) []float64 {
	n := g.size
	if g.block {
		n *= u.b
	}
	return u.arrays[g.array].memory[:n]
}

// at is where the entry lies of entry k of a loop, -1 where there is none.
func (g *gather) at(u *unit, s span, k int) int {
	first := g.places[0].at(u, s, k)
	if len(g.places) == 1 {
		return first
	}
	second := g.places[1].at(u, s, k)
	if uint(second) >= uint(g.row) || first < 0 {
		return -1
	}
	return first*g.row + second
}

func (p *place) at(u *unit, s span, k int) int {
	switch {
	case p.named && p.by.lanes:
		return int(u.lanes[p.by.reg][k]) - 1
	case p.named:
		return int(u.numbers[p.by.reg]) - 1
	}
	switch p.loop {
	case program.I:
		return s.first + k/s.columns
	case program.J:
		return k % s.columns
	case program.Row:
		return u.start + s.first + k/s.columns
	}
	return p.number
}

// load reads entries in a loop.
func (g *gather) load(u *unit, dst []float64, s span) {
	array := g.of(u)
	for k := range dst {
		dst[k] = dense.Entry(array, g.at(u, s, k))
	}
}

// add adds to entries in a loop.
func (g *gather) add(u *unit, value operand, s span) {
	array := g.of(u)
	for k := range s.n() {
		dense.AddEntry(array, g.at(u, s, k), u.valueAt(value, k))
	}
}
