package plan

import (
	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/program"
)

// Components of a mixture. What varies over them is computed in loops over the components, as if there were one: names and
// memory are those of one component. One such loop serves everything of a level, in front of the pass over the rows; in the
// pass, loops over the components alternate with what combines them. Names that one loop declares and another uses are
// given memory for all components by a pass over the program, which also brings what is named in front of the loops, a component's own
// part of something, into those that use it.

// combines reports whether a node combines what belongs to different components.
func combines(n *expr.Node) bool {
	return n.Op == expr.LogSumExp || n.Op == expr.Softmax || n.Op == expr.Sum && n.Axis == expr.Components
}

// place is where what varies over the given axes is planned.
func (p *planner) place(axes expr.Axes) *memory {
	rows, components := axes.Has(expr.Rows), axes.Has(expr.Components)
	switch {
	case axes.Has(expr.OneRow):
		return p.oneRow
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
			p.call("SoftmaxOf", p.stackOf(own, program.Shape{}, p.main), terms[n.Args[0]])
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
	sum := p.number(p.totalName(n))
	p.add(&program.Zero{To: sum})
	p.scalars(n.Args[0], level)
	q, s := p.in(expr.Components), &program.Add{To: sum}
	q.add(s)
	q.later(&s.Value, n.Args[0])
	q.charge(n.Args[0])
	p.refer(n, sum)
}

// addUpArray adds up a vector or a matrix over the components, in memory.
func (p *planner) addUpArray(n *expr.Node, level int) {
	shape := program.Shape{Dims: n.Type.Dims[:n.Type.Rank]}
	sum := p.newBuffer(p.totalName(n), shape)
	p.call("clear", sum)
	p.scalars(n.Args[0], level)
	q, e := p.in(expr.Components), newEach(shape)
	q.finishEach(e, func() {
		here := at{i: overI}
		if n.Type.Rank == 2 {
			here.j = overJ
		}
		e.write(q.element(n.Args[0], here), program.Write{To: program.Ref{Place: sum, At: here.entry(n.Type.Rank, false)}, Add: true})
	})
	p.named[n] = sum
}

// storeNumber computes a number of each component, and returns the place of all.
func (p *planner) storeNumber(n *expr.Node, level int) *program.Place {
	p.scalars(n, level)
	if p.named[n] == nil {
		q := p.in(expr.Components)
		q.assign(q.mem.stmts, n, q.once())
	}
	return p.stackNumber(p.named[n])
}

// stackNumber keeps a number of each component, computed in the loop over them, for what combines these. It returns the place of all.
func (p *planner) stackNumber(own *program.Place) *program.Place {
	if all := p.all[own]; all != nil {
		return all
	}
	all := p.stack(own, program.Shape{}, p.main)
	p.in(expr.Components).add(&program.Store{To: program.Ref{Place: all, At: []program.Index{program.Over(program.Component)}}, Value: program.Ref{Place: own}})
	return all
}

// stackOf is stack for what is not computed in a loop over the components, whose own values they name.
func (p *planner) stackOf(own *program.Place, s program.Shape, m *memory) *program.Place {
	all := p.stack(own, s, m)
	m.declare(&program.Bind{To: own, Own: all})
	return all
}

// stack makes memory for all components, at the start of the program or of a pass.
func (p *planner) stack(own *program.Place, s program.Shape, m *memory) *program.Place {
	s.Inside, s.Stacked = false, true
	all := &program.Place{Name: p.localName(own.Name + "s"), Shape: s}
	m.declare(&program.Buffer{To: all})
	p.all[own] = all
	return all
}

// allOf is the place of the values of all components in what is given.
func allOf(g *program.Given) *program.Place {
	return &program.Place{Name: g.String(), Given: g, Shape: g.Shape()}
}

// add appends a statement where the present ones go.
func (p *planner) add(s program.Stmt) { *p.mem.stmts = append(*p.mem.stmts, s) }
