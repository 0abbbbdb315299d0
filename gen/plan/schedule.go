package plan

import (
	"slices"

	"github.com/sngdgen/sngdgen/expr"
)

type planner struct {
	k       *Kernel
	prog    *Program
	named   Named
	taken   map[string]bool // local names in use
	hints   map[*expr.Node]string
	stage   map[*expr.Node]stage
	level   map[*expr.Node]int
	def     map[*expr.Node]*expr.Node // symbol to definition
	uses    map[*expr.Node]int        // users of every node in the program
	current map[*expr.Node]int        // in the part that is being planned: the program, or one loop
	temps   int
}

func (p *planner) run() {
	p.regroup()
	for _, d := range p.k.Defs {
		p.def[d.Sym] = d.Node
		p.hints[d.Sym] = d.Name
	}
	for n, name := range p.k.Names {
		p.hints[n] = name
	}
	p.reserve()
	roots := p.roots()
	p.classify(roots)
	p.uses = p.count(roots)
	p.current = p.uses
	p.readInputs(roots)
	levels := p.maxLevel(roots)
	for level := 0; level <= levels; level++ {
		if level == 0 {
			p.guards()
		}
		for _, o := range p.k.Outputs {
			p.scalars(o.Node, level)
		}
		p.loop(roots, level)
	}
	for i := range p.k.Outputs {
		p.prog.Stmts = append(p.prog.Stmts, Stmt{Output: &p.k.Outputs[i]})
		p.charge(p.k.Outputs[i].Node)
	}
}

func (p *planner) roots() []*expr.Node {
	var out []*expr.Node
	for _, g := range p.k.Guards {
		out = append(out, g.Node)
	}
	for _, o := range p.k.Outputs {
		out = append(out, o.Node)
	}
	for _, o := range p.k.Stores {
		out = append(out, o.Node)
	}
	return out
}

// readInputs gives the inputs in use their names.
func (p *planner) readInputs(roots []*expr.Node) {
	used := map[*expr.Node]bool{}
	p.walk(func(n *expr.Node) { used[n] = true }, roots...)
	for _, in := range p.k.Inputs {
		if used[in.Sym] {
			p.named[in.Sym] = in.Name
			if in.From != "" && in.From != in.Name {
				p.prog.Stmts = append(p.prog.Stmts, Stmt{Read: &in})
			}
		}
	}
}

// guards are checked first, so that nothing is computed outside the domain.
func (p *planner) guards() {
	for i := range p.k.Guards {
		g := &p.k.Guards[i]
		p.scalars(g.Node, 0)
		p.prog.Stmts = append(p.prog.Stmts, Stmt{Guard: g})
		p.charge(g.Node)
	}
}

// scalars computes what deserves a name under a root and can be computed at a level, outside the loops.
func (p *planner) scalars(root *expr.Node, level int) {
	p.walkPending(root, func(n *expr.Node) {
		if p.level[n] <= level && !n.Type.Axes.Has(expr.Rows) && p.deservesName(n) {
			p.assign(&p.prog.Stmts, n, &p.prog.Cost.Once)
		}
	})
}

// walkPending visits the nodes under a root that have no name yet, operands first.
func (p *planner) walkPending(root *expr.Node, visit func(*expr.Node)) {
	seen := map[*expr.Node]bool{}
	var rec func(*expr.Node)
	rec = func(n *expr.Node) {
		if seen[n] || p.named[n] != "" {
			return
		}
		seen[n] = true
		if p.fixed(n) {
			if !n.Type.Axes.Has(expr.Rows) { // a column is read in the loops
				p.named[n] = "p." + p.k.Rows.Fixed.field(p.value(n))
			}
			return
		}
		for _, a := range p.valueOperands(n) {
			rec(a)
		}
		visit(n)
	}
	rec(root)
}

// deservesName reports whether a node becomes a local variable: it has a name in the spec, is used more than once, or
// is solved for.
func (p *planner) deservesName(n *expr.Node) bool {
	switch {
	case n.Op == expr.Const || n.Op == expr.Sum:
		return false
	case n.Op == expr.Sym:
		return p.def[n] != nil
	case p.hints[n] != "" || n.Op == expr.Root:
		return true
	}
	if negated := n.Op == expr.Lin && len(n.Args) == 1 && n.Const == 0 && n.Cost() == 0; negated {
		return p.current[n] > 1 && p.named[n.Args[0]] == "" && n.Args[0].Cost() > 0
	}
	return n.Cost() > 0 && (p.current[n] > 1 || p.partner(n) != nil)
}

// partner is an unnamed function of the same operands that is needed in the same place and comes in a pair with n.
func (p *planner) partner(n *expr.Node) *expr.Node {
	for _, j := range expr.Joints {
		pair, ok := j.Pair(n)
		if !ok {
			continue
		}
		for m := range p.current { // at most one node is that function of these operands
			if m.Op == pair && slices.Equal(m.Args, n.Args) && p.named[m] == "" {
				return m
			}
		}
	}
	return nil
}

// assign names a node and computes it.
func (p *planner) assign(stmts *[]Stmt, n *expr.Node, cost *float64) {
	value := n
	if d, ok := p.def[n]; ok {
		value = d
		if name, ok := p.named[d]; ok && p.hints[n] == "" {
			p.named[n] = name
			return
		}
	}
	if p.joint(stmts, n, cost) || p.solve(stmts, n, cost) {
		return
	}
	name := p.localName(p.hints[n])
	*stmts = append(*stmts, Stmt{Assign: &Assign{Name: name, Node: value}})
	*cost += p.inlineCost(value)
	p.named[n] = name
	if value != n && p.named[value] == "" && value.Op != expr.Const && value.Op != expr.Sym {
		p.named[value] = name
	}
}

// joint computes a function together with its partner.
func (p *planner) joint(stmts *[]Stmt, n *expr.Node, cost *float64) bool {
	other := p.partner(n)
	if other == nil {
		return false
	}
	j, nodes := expr.JointOf(n, other)
	a := &JointAssign{Nodes: nodes, Joint: j}
	for i, m := range nodes {
		a.Names[i] = p.localName(p.hints[m])
		p.named[m] = a.Names[i]
	}
	*stmts = append(*stmts, Stmt{Joint: a})
	*cost += j.Cost
	return true
}

// solve computes all unknowns of a system at once.
func (p *planner) solve(stmts *[]Stmt, n *expr.Node, cost *float64) bool {
	if n.Op != expr.Root || len(n.Fn.Vars) == 1 {
		return false
	}
	s := &Solve{Root: n}
	for _, m := range p.k.Graph.Roots(n.Fn, n.Args) {
		name := "_"
		if p.current[m] > 0 {
			name = p.localName(p.hints[m])
			p.named[m] = name
		}
		s.Names = append(s.Names, name)
	}
	*stmts = append(*stmts, Stmt{Solve: s})
	*cost += n.Cost() * float64(len(n.Fn.Vars))
	return true
}
