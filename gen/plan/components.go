package plan

import (
	"fmt"
	"math"

	"github.com/sngdgen/sngdgen/expr"
)

// Components of a mixture. What varies over them is computed in loops over the components, as if there were one: names and
// memory are those of one component. One such loop serves everything of a level, in front of the pass over the rows; in the
// pass, loops over the components alternate with what combines them. Names that one loop declares and another uses are
// given memory for all components when everything is planned: see spill.

// Components is a loop over the components.
type Components struct {
	Stmts []Stmt
	Own   bool // only the one that the rows of the block belong to
}

// Keep stores a component's own number for later loops.
type Keep struct{ Name, To string }

// stack says where the values of all components of one name are.
type stack struct {
	whole string // the name of all
	own   string // what one's own is read from
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
		p.each = newMemory(new([]Stmt))
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
	p.loops = append(p.loops, m)
	if len(*m.stmts) == 0 {
		return
	}
	p.dim(p.k.Components)
	at := len(*into.stmts)
	*into.stmts = append(*into.stmts, Stmt{Components: &Components{Stmts: *m.stmts, Own: p.stratum}})
	m.stmts = &(*into.stmts)[at].Components.Stmts
	for _, name := range p.inside {
		into.use(name, at)
	}
}

// given notes an input with one value for each component.
func (p *planner) given(in Input) {
	p.stacks[in.Name] = &stack{whole: in.Whole, own: in.Own}
}

// combine computes what combines the components outside the rows: for sums the loop adds up, the rest is computed from what
// the loop stores.
func (p *planner) combine(roots []*expr.Node, level int) {
	var nodes []*expr.Node
	p.walk(func(n *expr.Node) {
		if combines(n) && !n.Type.Axes.Has(expr.Rows) && p.level[n] == level+1 && p.named[n] == "" {
			nodes = append(nodes, n)
		}
	}, roots...)
	terms := map[*expr.Node]string{} // operands to where they are stored
	for _, n := range nodes {
		if n.Op == expr.Sum {
			p.addUp(n, level)
			continue
		}
		if x := n.Args[0]; terms[x] == "" {
			terms[x] = p.storeNumber(x, level)
		}
	}
	if len(nodes) > 0 {
		p.endComponents()
	}
	for _, n := range nodes {
		switch n.Op {
		case expr.LogSumExp:
			p.named[n] = p.scalarCall("LogSumExpOf", p.hints[n], terms[n.Args[0]])
		case expr.Softmax:
			name := p.localName(p.hints[n])
			to := p.stackNumber(name)
			p.call("SoftmaxOf", to, terms[n.Args[0]])
			p.named[n] = name
		}
	}
}

// addUp adds up a number over the components.
func (p *planner) addUp(n *expr.Node, level int) {
	if n.Type.Rank > 0 {
		panic(Unsupported("a sum of vectors or matrices over the components: " + n.String()))
	}
	name := p.localName(sumName(n))
	p.add(Stmt{Declare: name})
	p.scalars(n.Args[0], level)
	p.within(expr.Components, func() {
		p.add(Stmt{Add: &Sum{Name: name, Node: n.Args[0]}})
		p.charge(n.Args[0])
	})
	p.named[n] = name
}

// storeNumber computes a number of each component, and returns the name of all.
func (p *planner) storeNumber(n *expr.Node, level int) string {
	p.scalars(n, level)
	if p.named[n] == "" {
		p.within(expr.Components, func() { p.assign(p.mem.stmts, n, p.once()) })
	}
	return p.stackNumber(p.named[n])
}

// stackNumber gives a number memory for all components, and returns the name of that.
func (p *planner) stackNumber(name string) string {
	if s := p.stacks[name]; s != nil {
		return s.whole
	}
	return p.stack(name, Shape{}, p.main).whole
}

// stack makes memory for all components.
func (p *planner) stack(name string, s Shape, m *memory) *stack {
	s.Inside, s.Stacked = false, true
	whole := p.localName(name + "s")
	b := &Buffer{Name: whole, Shape: s}
	m.buffers[whole] = b
	m.order = append(m.order, whole)
	m.uses[whole] = math.MaxInt // from the start to the end
	m.whole = append(m.whole, Stmt{Buffer: b})
	for _, d := range s.Dims {
		p.dim(d)
	}
	own := whole + "[comp]"
	if size := s.Size(); size != "" {
		own = fmt.Sprintf("%s[comp*%s:(comp+1)*%s]", whole, size, size)
	}
	p.stacks[name] = &stack{whole: whole, own: own}
	return p.stacks[name]
}

// Size is the text of the number of entries of one value, or of those of a block of rows; "" for a number.
func (s Shape) Size() string {
	out := ""
	times := func(name string) {
		if out != "" {
			out += "*"
		}
		out += name
	}
	if s.Block {
		times("b")
	}
	for _, d := range s.Dims {
		times(DimName(d))
	}
	return out
}

// add appends a statement where the present ones go.
func (p *planner) add(s Stmt) { *p.mem.stmts = append(*p.mem.stmts, s) }
