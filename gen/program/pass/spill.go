package pass

import (
	"fmt"
	"slices"

	"github.com/sngdgen/sngdgen/gen/program"
)

// spill gives the loops over the components what they use of each other. A place that one loop declares and another uses is
// given memory for all components: numbers are kept at the end of the loop that computes them, vectors and matrices are
// computed there; the others read it first. What is named in front of the loops, a component's own part of something, is named in
// those that use it.
func spill(p *program.Program, names *Names) error {
	c := spiller{program: p, names: names, home: map[*program.Place]*componentLoop{}, parts: map[*program.Place]*program.Bind{}}
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
	c.declare()
	return c.fault
}

// componentLoop is one loop over the components.
type componentLoop struct {
	at         *program.Components
	around     *[]program.Stmt // the body of the pass over blocks that it is in, or that of the program
	declared   map[*program.Place]program.Stmt
	head, tail []program.Stmt
	reads      map[*program.Place]bool
}

type spiller struct {
	program *program.Program
	names   *Names
	loops   []*componentLoop
	home    map[*program.Place]*componentLoop // the loop that declares a place
	parts   map[*program.Place]*program.Bind  // what names a component's own part, in front of the loops
	arrays  []array                           // memory for all components that is made
	fault   error
}

// array is memory for all components, to be declared at the start of a body.
type array struct {
	at *[]program.Stmt
	to *program.Buffer
}

// find lists the loops, what they declare, and what is named in front of them.
func (c *spiller) find() {
	add := func(at *program.Components, around *[]program.Stmt) {
		l := &componentLoop{at: at, around: around, declared: map[*program.Place]program.Stmt{}, reads: map[*program.Place]bool{}}
		for _, s := range at.Body {
			for _, place := range program.Declares(s) {
				l.declared[place] = s
				if view, ok := s.(*program.Prepare); !ok || !view.View {
					c.home[place] = l
				}
			}
		}
		c.loops = append(c.loops, l)
	}
	in := func(body *[]program.Stmt, other func(program.Stmt)) {
		for _, s := range *body {
			switch s := s.(type) {
			case *program.Components:
				add(s, body)
			case *program.Bind:
				if ofComponent(s) {
					c.parts[s.To] = s
				}
			default:
				other(s)
			}
		}
	}
	in(&c.program.Body, func(s program.Stmt) {
		if pass, ok := s.(*program.Blocks); ok {
			in(&pass.Body, func(program.Stmt) {})
		}
	})
}

// ofComponent reports whether a name is for what each component has of something.
func ofComponent(s *program.Bind) bool { return s.Own != nil || s.From != nil && s.From.Varies() }

// stacked reports whether a statement declares memory for all components, or names a component's own part of some.
func stacked(s program.Stmt) bool {
	switch s := s.(type) {
	case *program.Buffer:
		return s.To.Shape.Stacked
	case *program.Bind:
		return s.Own != nil
	}
	return false
}

// part names what a component has.
func part(s *program.Bind) *program.Bind {
	if s.Own != nil {
		return &program.Bind{To: s.To, Own: s.Own}
	}
	return &program.Bind{To: s.To, From: s.From.Own()}
}

// read finds what a loop uses of others, and reads it at its start.
func (c *spiller) read(l *componentLoop) {
	program.Mentions(l.at.Body, func(place *program.Place) {
		if _, own := l.declared[place]; own || l.reads[place] {
			return
		}
		home := c.home[place]
		if c.parts[place] == nil && home == nil {
			return // does not vary over the components
		}
		l.reads[place] = true
		if home != nil && c.parts[place] == nil {
			if made, ok := home.declared[place].(*program.Prepare); ok {
				view := *made
				view.View, view.Operand = true, nil
				l.head = append(l.head, &view)
				return
			}
			if home.at.Own && !l.at.Own {
				c.fault = fmt.Errorf("%s is known for a row's own component only", place.Name)
			}
			c.outlive(place, home)
		}
		l.head = append(l.head, part(c.parts[place]))
	})
}

// outlive gives what a loop declares memory for all components, unless it has that.
func (c *spiller) outlive(place *program.Place, home *componentLoop) {
	s, around := program.Shape{}, &c.program.Body
	switch made := home.declared[place].(type) {
	case *program.Bind:
		c.parts[place] = made
		return
	case *program.Buffer:
		if s = made.To.Shape; s.Block {
			around = home.around
		}
	}
	s.Inside, s.Stacked = false, true
	all := &program.Place{Name: c.names.New(place.Name + "s"), Shape: s}
	c.arrays = append(c.arrays, array{around, &program.Buffer{To: all}})
	c.parts[place] = &program.Bind{To: place, Own: all}
}

// keep makes a loop store what others read.
func (c *spiller) keep(l *componentLoop) {
	store := func(place *program.Place) {
		if b := c.parts[place]; b != nil && b.Own != nil {
			to := program.Ref{Place: b.Own, At: []program.Index{program.Over(program.Component)}}
			l.tail = append(l.tail, &program.Store{To: to, Value: program.Ref{Place: place}})
		}
	}
	for i, s := range l.at.Body {
		switch s := s.(type) {
		case *program.Buffer:
			if c.parts[s.To] != nil {
				l.at.Body[i] = part(c.parts[s.To])
			}
		case *program.Bind, *program.Prepare:
		default:
			for _, place := range program.Declares(s) {
				store(place)
			}
			if loop, ok := s.(*program.Each); ok {
				for _, sum := range loop.Sums {
					store(sum.To)
				}
			}
		}
	}
}

// declare declares memory for all components where it is made, and takes names out from in front of the loops.
func (c *spiller) declare() {
	for _, a := range c.arrays { // behind those that are declared already
		i := slices.IndexFunc(*a.at, func(s program.Stmt) bool { return !stacked(s) })
		*a.at = slices.Insert(*a.at, max(i, 0), program.Stmt(a.to))
	}
	bodies := []*[]program.Stmt{&c.program.Body}
	for _, s := range c.program.Body {
		if pass, ok := s.(*program.Blocks); ok {
			bodies = append(bodies, &pass.Body)
		}
	}
	for _, body := range bodies {
		*body = slices.DeleteFunc(*body, func(s program.Stmt) bool {
			b, ok := s.(*program.Bind)
			return ok && ofComponent(b)
		})
	}
}
