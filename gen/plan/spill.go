package plan

import (
	"slices"

	"github.com/sngdgen/sngdgen/gen/program"
)

// spill gives the loops over the components what they use of each other. A place that one loop declares and another uses is
// given memory for all components: numbers are kept at the end of the loop that computes them, vectors and matrices are
// computed there; the others read it first.
func (p *planner) spill() {
	c := spiller{planner: p, home: map[*program.Place]*componentLoop{}}
	c.find()
	for _, l := range c.loops {
		c.read(l)
	}
	for _, l := range c.loops {
		c.keep(l)
	}
	for _, l := range c.loops {
		l.at.Body = slices.Concat(l.head, l.at.Body, l.tail)
	}
	for _, m := range append(slices.Clone(p.blocks), p.main) {
		*m.stmts = append(m.whole, *m.stmts...)
	}
}

// componentLoop is one loop over the components.
type componentLoop struct {
	at         *program.Components
	around     *memory // of the pass over blocks it is in; nil outside
	declared   map[*program.Place]program.Stmt
	head, tail []program.Stmt
	reads      map[*program.Place]bool
}

type spiller struct {
	*planner
	loops []*componentLoop
	home  map[*program.Place]*componentLoop // the loop that declares a place
}

// find lists the loops, and what they declare.
func (c *spiller) find() {
	add := func(at *program.Components, around *memory) {
		l := &componentLoop{at: at, around: around,
			declared: map[*program.Place]program.Stmt{}, reads: map[*program.Place]bool{}}
		for _, s := range at.Body {
			for _, place := range program.Declares(s) {
				l.declared[place] = s
				c.home[place] = l
			}
		}
		c.loops = append(c.loops, l)
	}
	for _, s := range c.prog.Body {
		switch s := s.(type) {
		case *program.Components:
			add(s, nil)
		case *program.Blocks:
			for _, inner := range s.Body {
				if loop, ok := inner.(*program.Components); ok {
					add(loop, memoryOf(c.planner.blocks, &s.Body))
				}
			}
		}
	}
}

// memoryOf is the one of some memories to which statements go.
func memoryOf(list []*memory, stmts *[]program.Stmt) *memory {
	for _, m := range list {
		if m.stmts == stmts {
			return m
		}
	}
	return nil
}

// read finds what a loop uses of others, and reads it at its start.
func (c *spiller) read(l *componentLoop) {
	program.Mentions(l.at.Body, func(place *program.Place) {
		if _, own := l.declared[place]; own || l.reads[place] {
			return
		}
		home := c.home[place]
		if c.stacks[place] == nil && home == nil {
			return // does not vary over the components
		}
		l.reads[place] = true
		if home != nil {
			if made, ok := home.declared[place].(*program.Prepare); ok {
				view := *made
				view.View = true
				l.head = append(l.head, &view)
				return
			}
			if home.at.Own && !l.at.Own {
				panic("plan: " + place.Name + " is known for a row's own component only")
			}
			c.outlive(place, home)
		}
		l.head = append(l.head, c.stacks[place].bind(place))
	})
}

// outlive gives what a loop declares memory for all components.
func (c *spiller) outlive(place *program.Place, home *componentLoop) {
	if c.stacks[place] != nil {
		return
	}
	s, m := program.Shape{}, c.main
	if b, ok := home.declared[place].(*program.Buffer); ok {
		if s = b.To.Shape; s.Block {
			m = home.around
		}
	}
	c.stack(place, s, m)
}

// keep makes a loop store what others read.
func (c *spiller) keep(l *componentLoop) {
	for i, s := range l.at.Body {
		if b, ok := s.(*program.Buffer); ok && c.stacks[b.To] != nil {
			l.at.Body[i] = c.stacks[b.To].bind(b.To)
			continue
		}
		_, prepared := s.(*program.Prepare)
		for _, place := range program.Declares(s) {
			if c.stacks[place] != nil && !prepared {
				l.tail = append(l.tail, c.stacks[place].store(place))
			}
		}
		loop, ok := s.(*program.Each)
		if !ok {
			continue
		}
		for _, sum := range loop.Sums {
			if at := c.stacks[sum.To]; at != nil {
				l.tail = append(l.tail, at.store(sum.To))
			}
		}
	}
}
