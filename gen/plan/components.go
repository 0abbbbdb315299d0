package plan

import (
	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/program"
)

// Components of a mixture. What varies over them is computed in loops over the components, as if there were one: names and
// memory are those of one component. One such loop serves everything of a level, in front of the pass over the rows; in the
// pass, loops over the components alternate with what combines them. Names that one loop declares and another uses are
// given memory for all components when everything is planned: see spill.

// stack says where the values of all components of one place are: in memory that is given, or in an array of the program.
type stack struct {
	given *program.Given
	whole *program.Place
}

// bind names a component's own value.
func (s *stack) bind(to *program.Place) *program.Bind {
	if s.given != nil {
		return &program.Bind{To: to, From: s.given.Own()}
	}
	return &program.Bind{To: to, Own: s.whole}
}

// store keeps a component's own number for later loops.
func (s *stack) store(own *program.Place) *program.Store {
	value := program.Ref{Place: own}
	if s.given != nil {
		to := s.given.Own()
		return &program.Store{To: program.Ref{Place: &program.Place{Name: to.String(), Given: to}}, Value: value}
	}
	return &program.Store{To: program.Ref{Place: s.whole, At: []program.Index{program.Over(program.Component)}}, Value: value}
}

// all is the place of the values of all components.
func (s *stack) all() *program.Place {
	if s.whole == nil {
		s.whole = &program.Place{Name: s.given.String(), Given: s.given, Shape: s.given.Shape()}
	}
	return s.whole
}

// combines reports whether a node combines what belongs to different components.
func combines(n *expr.Node) bool {
	return n.Op == expr.LogSumExp || n.Op == expr.Softmax || n.Op == expr.Sum && n.Axis == expr.Components
}

// place is where what varies over the given axes is planned.
func (p *planner) place(axes expr.Axes) *memory {
	rows, components := axes.Has(expr.Rows), axes.Has(expr.Components)
	switch {
	case rows && components:
		return p.eachRow
	case rows:
		return p.block
	case components:
		return p.ownLoop()
	}
	return p.main
}

// ownLoop is the loop over the components that is being planned outside the passes over the rows.
func (p *planner) ownLoop() *memory {
	if p.each == nil {
		p.each = newMemory(new([]program.Stmt))
		p.each.inside = true
	}
	return p.each
}

// endComponents ends the loop over the components: what follows may use what all of them have.
func (p *planner) endComponents() {
	if p.each != nil {
		p.endLoop(p.each, p.main)
		p.each = nil
	}
}

// endLoop writes a loop over the components.
func (p *planner) endLoop(m, into *memory) {
	if len(*m.stmts) == 0 {
		return
	}
	loop := &program.Components{Body: *m.stmts, Own: p.stratum}
	*into.stmts = append(*into.stmts, loop)
	m.stmts = &loop.Body
}

// combine computes what combines the components outside the rows: for sums the loop adds up, the rest is computed from what
// the loop stores.
func (p *planner) combine(roots []*expr.Node, level int) {
	var nodes []*expr.Node
	p.walk(func(n *expr.Node) {
		if combines(n) && !n.Type.Axes.Has(expr.Rows) && p.level[n] == level+1 && p.named[n] == nil {
			nodes = append(nodes, n)
		}
	}, roots...)
	terms := named{} // operands to where they are stored
	for _, n := range nodes {
		if n.Op == expr.Sum {
			p.addUp(n, level)
			continue
		}
		if x := n.Args[0]; terms[x] == nil {
			terms[x] = p.storeNumber(x, level)
		}
	}
	if len(nodes) > 0 {
		p.endComponents()
	}
	for _, n := range nodes {
		switch n.Op {
		case expr.LogSumExp:
			p.refer(n, p.scalarCall("LogSumExpOf", p.hintOf(n), terms[n.Args[0]]))
		case expr.Softmax:
			own := p.number(p.hintOf(n))
			p.call("SoftmaxOf", p.stackNumber(own), terms[n.Args[0]])
			p.refer(n, own)
		}
	}
}

// addUp adds up a number over the components.
func (p *planner) addUp(n *expr.Node, level int) {
	if n.Type.Rank > 0 {
		p.addUpArray(n, level)
		return
	}
	sum := p.number(sumName(n))
	p.add(&program.Zero{To: sum})
	p.scalars(n.Args[0], level)
	p.within(expr.Components, func() {
		s := &program.Add{To: sum}
		p.add(s)
		p.later(&s.Value, n.Args[0])
		p.charge(n.Args[0])
	})
	p.refer(n, sum)
}

// addUpArray adds up a vector or a matrix over the components, in memory.
func (p *planner) addUpArray(n *expr.Node, level int) {
	shape := program.Shape{Dims: n.Type.Dims[:n.Type.Rank]}
	sum := p.newBuffer(sumName(n), shape)
	p.call("clear", sum)
	p.scalars(n.Args[0], level)
	p.within(expr.Components, func() {
		e := newEach(shape)
		p.finishEach(e, func() {
			here := at{i: overI}
			if n.Type.Rank == 2 {
				here.j = overJ
			}
			e.write(p.element(n.Args[0], here), program.Write{To: program.Ref{Place: sum, At: here.entry(n.Type.Rank, false)}, Add: true})
		})
	})
	p.named[n] = sum
}

// storeNumber computes a number of each component, and returns the place of all.
func (p *planner) storeNumber(n *expr.Node, level int) *program.Place {
	p.scalars(n, level)
	if p.named[n] == nil {
		p.within(expr.Components, func() { p.assign(p.mem.stmts, n, p.once()) })
	}
	return p.stackNumber(p.named[n])
}

// stackNumber gives a number memory for all components, and returns that.
func (p *planner) stackNumber(own *program.Place) *program.Place {
	if s := p.stacks[own]; s != nil {
		return s.all()
	}
	return p.stack(own, program.Shape{}, p.main).whole
}

// stack makes memory for all components.
func (p *planner) stack(own *program.Place, s program.Shape, m *memory) *stack {
	s.Inside, s.Stacked = false, true
	b := &program.Buffer{To: &program.Place{Name: p.localName(own.Name + "s"), Shape: s}}
	m.whole = append(m.whole, b)
	p.stacks[own] = &stack{whole: b.To}
	return p.stacks[own]
}

// add appends a statement where the present ones go.
func (p *planner) add(s program.Stmt) { *p.mem.stmts = append(*p.mem.stmts, s) }
