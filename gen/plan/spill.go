package plan

import (
	"slices"
	"strings"

	"github.com/sngdgen/sngdgen/expr"
)

// spill gives the loops over the components what they use of each other. A name that one loop declares and another uses is
// given memory for all components: numbers are kept at the end of the loop that computes them, vectors and matrices are
// computed there; the others read it first.
func (p *planner) spill() {
	c := spiller{planner: p, home: map[string]*componentLoop{}}
	c.find()
	for _, l := range c.loops {
		c.read(l)
	}
	for _, l := range c.loops {
		c.keep(l)
	}
	for _, l := range c.loops {
		l.at.Stmts = slices.Concat(l.head, l.at.Stmts, l.tail)
	}
	for _, m := range append(slices.Clone(p.blocks), p.main) {
		*m.stmts = append(m.whole, *m.stmts...)
	}
}

// componentLoop is one loop over the components.
type componentLoop struct {
	at         *Components
	mem        *memory // its own
	around     *memory // of the pass over blocks it is in; nil outside
	declared   map[string]Stmt
	head, tail []Stmt
	reads      map[string]bool
}

type spiller struct {
	*planner
	loops []*componentLoop
	home  map[string]*componentLoop // the loop that declares a name
}

// find lists the loops, and what they declare.
func (c *spiller) find() {
	add := func(at *Components, around *memory) {
		l := &componentLoop{at: at, around: around, declared: map[string]Stmt{}, reads: map[string]bool{}}
		for _, m := range c.planner.loops {
			if m.stmts == &at.Stmts {
				l.mem = m
			}
		}
		for _, s := range at.Stmts {
			for _, name := range declares(s) {
				l.declared[name] = s
				c.home[name] = l
			}
		}
		c.loops = append(c.loops, l)
	}
	for _, s := range c.prog.Stmts {
		switch {
		case s.Components != nil:
			add(s.Components, nil)
		case s.Blocks != nil:
			for _, inner := range s.Blocks.Stmts {
				if inner.Components != nil {
					add(inner.Components, s.Blocks.memory)
				}
			}
		}
	}
}

// declares lists the names that a statement makes known to those that follow it.
func declares(s Stmt) []string {
	switch {
	case s.Assign != nil:
		return []string{s.Assign.Name}
	case s.Joint != nil:
		return s.Joint.Names
	case s.Solve != nil:
		var numbers []string // vectors have been declared as memory
		for i, name := range s.Solve.Names {
			vector := shapedRoot(s.Solve.Root) && s.Solve.Root.Fn.Vars[i].Type.Rank > 0
			if !vector && name != "_" {
				numbers = append(numbers, name)
			}
		}
		return numbers
	case s.Buffer != nil:
		return []string{s.Buffer.Name}
	case s.Preparation != nil:
		return []string{s.Preparation.Name}
	case s.Call != nil && s.Call.To != "":
		return []string{s.Call.To}
	case s.Each != nil && !s.Each.Shape.Block:
		var names []string
		for _, t := range s.Each.Totals {
			names = append(names, t.Name)
		}
		return names
	}
	return nil
}

// read finds what a loop uses of others, and reads it at its start.
func (c *spiller) read(l *componentLoop) {
	c.mentions(l.at.Stmts, c.named, func(name string) {
		if _, own := l.declared[name]; own || l.reads[name] {
			return
		}
		home := c.home[name]
		if c.stacks[name] == nil && home == nil {
			return // does not vary over the components
		}
		l.reads[name] = true
		if home != nil {
			if s := home.declared[name]; s.Preparation != nil {
				view := *s.Preparation
				view.View = true
				l.head = append(l.head, Stmt{Preparation: &view})
				return
			}
			if home.at.Own && !l.at.Own {
				panic("plan: " + name + " is known for a row's own component only")
			}
			c.outlive(name, home)
		}
		l.head = append(l.head, Stmt{Read: &Input{Name: name, From: c.stacks[name].own}})
	})
}

// outlive gives a name that a loop declares memory for all components.
func (c *spiller) outlive(name string, home *componentLoop) {
	if c.stacks[name] != nil {
		return
	}
	s, m := Shape{}, c.main
	if b := home.declared[name].Buffer; b != nil {
		if s = b.Shape; s.Block {
			m = home.around
		}
	}
	c.stack(name, s, m)
}

// keep makes a loop store what others read.
func (c *spiller) keep(l *componentLoop) {
	for i, s := range l.at.Stmts {
		if s.Buffer != nil && c.stacks[s.Buffer.Name] != nil {
			name := s.Buffer.Name
			l.mem.forget(name)
			l.at.Stmts[i] = Stmt{Read: &Input{Name: name, From: c.stacks[name].own}}
			continue
		}
		for _, name := range declares(s) {
			if c.stacks[name] != nil && s.Preparation == nil {
				l.tail = append(l.tail, Stmt{Keep: &Keep{Name: name, To: c.stacks[name].own}})
			}
		}
		if s.Each == nil {
			continue
		}
		for _, sum := range s.Each.Sums {
			if at := c.stacks[sum.Name]; at != nil {
				l.tail = append(l.tail, Stmt{Keep: &Keep{Name: sum.Name, To: at.own}})
			}
		}
	}
}

// forget takes a buffer out of the memory of a loop.
func (m *memory) forget(name string) {
	m.order = slices.DeleteFunc(m.order, func(other string) bool { return other == name })
}

// mentions calls visit for every name that statements use, as they will be printed.
func (p *planner) mentions(stmts []Stmt, named Named, visit func(name string)) {
	use := func(text string) {
		if name, _, _ := strings.Cut(text, "["); name != "" && !strings.Contains(name, ".") {
			visit(name)
		}
	}
	node := func(n *expr.Node) { p.namesIn(n, named, use) }
	args := func(list []Arg) {
		for _, a := range list {
			if use(a.Text); a.Node != nil {
				node(a.Node)
			}
		}
	}
	for _, s := range stmts {
		switch {
		case s.Assign != nil && named[s.Assign.Node] == s.Assign.Name: // printed without its own name
			p.namesBelow(s.Assign.Node, use, node)
		case s.Assign != nil:
			node(s.Assign.Node)
		case s.Joint != nil:
			p.namesBelow(s.Joint.Nodes[0], use, node)
		case s.Preparation != nil:
			node(s.Preparation.Operand)
		case s.Solve != nil:
			args(s.Solve.Args)
			if len(s.Solve.Args) == 0 {
				for _, a := range s.Solve.Root.Args {
					node(a)
				}
			}
			for _, name := range s.Solve.Names {
				use(name)
			}
		case s.Guard != nil:
			node(s.Guard.Node)
		case s.Output != nil:
			node(s.Output.Node)
		case s.Add != nil:
			node(s.Add.Node)
		case s.Call != nil:
			args(s.Call.Args)
		case s.Each != nil:
			p.mentionsOfEach(s.Each, use)
		}
	}
}

func (p *planner) mentionsOfEach(e *Each, use func(string)) {
	local := map[string]bool{}
	for _, s := range e.Body {
		for _, name := range declares(s) {
			local[name] = true
		}
	}
	free := func(name string) {
		if !local[name] {
			use(name)
		}
	}
	node := func(n *expr.Node) { p.namesIn(n, e.Named, free) }
	p.mentions(e.Body, e.Named, free)
	for _, w := range e.Writes {
		if !w.Column && !w.ByComponent {
			free(w.To)
		}
		node(w.Node)
	}
	for _, t := range e.Totals {
		if e.Shape.Block {
			free(t.Name)
		}
		node(t.Node)
	}
	for _, s := range e.Sums {
		free(s.Name)
		node(s.Node)
	}
	for _, g := range e.Guards {
		node(g.Node)
	}
}

// namesIn calls use for the names in an expression as it will be printed.
func (p *planner) namesIn(root *expr.Node, named Named, use func(string)) {
	seen := map[*expr.Node]bool{}
	var rec func(*expr.Node)
	rec = func(n *expr.Node) {
		if seen[n] {
			return
		}
		seen[n] = true
		if name := named[n]; name != "" {
			use(name)
			return
		}
		p.namesBelow(n, use, rec)
	}
	rec(root)
}

// namesBelow visits what is printed of the operands of a node. Of a function that has been prepared for an operand, that is
// the name of the preparation.
func (p *planner) namesBelow(n *expr.Node, use func(string), visit func(*expr.Node)) {
	operands := p.operands(n)
	if prepared, ok := expr.Preparation(n.Op); ok {
		if made := p.prog.Prepared[PreparedKey{prepared.Type, n.Args[prepared.Operand]}]; made != "" {
			use(made)
			operands = slices.Delete(slices.Clone(operands), prepared.Operand, prepared.Operand+1)
		}
	}
	for _, a := range operands {
		visit(a)
	}
}
