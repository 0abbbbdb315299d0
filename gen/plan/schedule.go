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
	written map[*expr.Node]bool       // has been written out: a name would come too late for that
	temps   int
	now     int // the level that is being planned

	// Vectors and matrices.
	mem      *memory               // where statements go
	main     *memory               // of the program
	block    *memory               // of the pass over blocks that is being planned
	each     *memory               // of the loop over the components that is being planned
	eachRow  *memory               // of the loop over the components in the pass over blocks
	stratum  bool                  // that loop is over a row's own component
	blocks   []*memory             // of all passes, whose buffers get slots
	loops    []*memory             // of all loops over components, whose buffers get slots
	stacks   map[string]*stack     // names of what has one value for each component
	inside   []string              // memory used since the pass began
	touched  []string              // memory that the statement under construction uses
	entries  Named                 // symbols of entries of memory
	factors  map[*expr.Node]string // Cholesky factors of matrices
	halves   map[pair]string       // inv(L) x
	suffixes map[string]string     // products of matrices with a vector, by their factors
	attained map[*expr.Node]string // largest values of which the row is needed, with the name of its index
	hint     string                // a name for what is lowered next
}

func (p *planner) run() {
	p.inline()
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
	for _, o := range p.k.Outputs {
		if o.Own != "" {
			p.stacks[o.To] = &stack{whole: o.Whole, own: o.Own}
		}
	}
	levels := p.maxLevel(roots)
	for level := 0; level <= levels; level++ {
		p.now = level
		p.guards(level)
		for _, o := range p.k.Outputs {
			p.scalars(o.Node, level)
		}
		p.combine(roots, level)
		p.rows(roots, level)
	}
	p.outputs()
	p.spill()
	for _, m := range slices.Concat([]*memory{p.main}, p.blocks, p.loops) {
		p.assignSlots(m)
	}
}

// outputs delivers the values: those of components, then those of the whole.
func (p *planner) outputs() {
	var whole []*Output
	for i := range p.k.Outputs {
		if o := &p.k.Outputs[i]; o.Type.Axes.Has(expr.Components) {
			p.within(expr.Components, func() { p.output(o) })
		} else {
			whole = append(whole, o)
		}
	}
	p.endComponents()
	for _, o := range whole {
		p.output(o)
	}
	p.endComponents() // what was still to be computed
}

// destination is where a vector or a matrix is wanted in the end, "" where it is not.
func (p *planner) destination(n *expr.Node) string {
	for _, o := range p.k.Outputs {
		if o.Node == n {
			return o.To
		}
	}
	return ""
}

// output delivers a value.
func (p *planner) output(o *Output) {
	if o.Type.Rank > 0 {
		if p.need(o.Node); p.named[o.Node] == o.To {
			return // it was made there
		}
		p.fillPart(o.To, o.Node, Shape{Dims: o.Type.Dims[:o.Type.Rank], Lower: o.Symmetric})
		if o.Symmetric {
			p.call("Mirror", o.To, p.dim(o.Type.Dims[0]))
		}
		return
	}
	p.add(Stmt{Output: o})
	p.charge(o.Node)
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
			if in.Dim {
				p.dim(expr.Dim{Name: in.Sym.Name})
			}
			if in.Own != "" {
				p.given(in)
				continue
			}
			if in.From != "" && in.From != in.Name {
				p.prog.Stmts = append(p.prog.Stmts, Stmt{Read: &in})
			}
		}
	}
}

// guards are checked first, so that nothing is computed outside the domain.
//
// Those on definiteness come first: what follows is computed with the factors.
func (p *planner) guards(level int) {
	guards := slices.DeleteFunc(slices.Clone(p.k.Guards), func(g Guard) bool { return p.level[g.Node] != level })
	slices.SortStableFunc(guards, func(a, b Guard) int {
		switch {
		case a.Definite && !b.Definite:
			return -1
		case b.Definite && !a.Definite:
			return 1
		}
		return 0
	})
	for i := range guards {
		g := &guards[i]
		if !tensor(g.Node) {
			p.scalars(g.Node, level)
		}
		p.within(g.Node.Type.Axes, func() { p.guard(g) })
	}
}

func (p *planner) guard(g *Guard) {
	if tensor(g.Node) {
		p.guardTensor(g)
		return
	}
	p.add(Stmt{Guard: g})
	p.charge(g.Node)
}

// scalars computes what deserves a name under a root and can be computed at a level, outside the loops.
func (p *planner) scalars(root *expr.Node, level int) {
	p.now = level
	p.walkPending(root, func(n *expr.Node) {
		if p.level[n] > level || n.Type.Axes.Has(expr.Rows) {
			return
		}
		p.within(n.Type.Axes, func() {
			switch {
			case p.transposedOf(n) != nil: // its entries are there
			case kernel(n):
				p.lower(n)
			case !p.deservesName(n):
			case tensor(n):
				p.store(n, p.value(n), p.hints[n])
			default:
				p.assign(p.mem.stmts, n, p.once())
			}
		})
	})
}

// guardTensor checks the entries of a vector or a matrix, or that a matrix is positive definite.
func (p *planner) guardTensor(g *Guard) {
	if g.Definite {
		p.within(g.Node.Type.Axes, func() { p.definite(g.Node, g.Index) })
		if g.Range == expr.Real {
			return
		}
	}
	p.need(g.Node)
	s := shapeOf(g.Node.Type)
	e, places := &Each{Shape: s}, []at{p.at(s)}
	if s.unrolled() {
		e.Shape, places = Shape{}, s.places()
	}
	p.finishEach(e, func() {
		for _, where := range places {
			e.Guards = append(e.Guards, Guard{Node: p.element(g.Node, where), Range: g.Range, Index: g.Index})
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
		if !kernel(p.value(n)) { // a kernel asks for its operands itself
			for _, a := range p.valueOperands(n) {
				rec(a)
			}
		}
		visit(n)
	}
	rec(root)
}

// deservesName reports whether a node becomes a local variable: it has a name in the spec, is used more than once, or
// is solved for.
func (p *planner) deservesName(n *expr.Node) bool {
	switch {
	case n.Op == expr.Const || reduces(n) || combines(n):
		return false
	case n.Op == expr.Sym:
		return p.def[n] != nil
	case p.hints[n] != "" || n.Op == expr.Root || n.Op == expr.Expectation:
		return true
	case n.Op == expr.Outer: // an entry costs one multiplication: less than to read it from memory
		return false
	}
	if negated := n.Op == expr.Lin && len(n.Args) == 1 && n.Const == 0 && n.Cost() == 0; negated {
		return p.current[n] > 1 && p.named[n.Args[0]] == "" && n.Args[0].Cost() > 0
	}
	return n.Cost() > 0 && (p.current[n] > 1 || p.together(n))
}

// together reports whether other functions of the same operands are needed in the same place and come with n.
func (p *planner) together(n *expr.Node) bool {
	_, _, ok := p.jointOf(n)
	return ok
}

func (p *planner) jointOf(n *expr.Node) (expr.Joint, []*expr.Node, bool) {
	if !n.Op.Elementwise() || n.Type.Rank > 0 {
		return expr.Joint{}, nil, false
	}
	var candidates []*expr.Node
	for m := range p.current {
		if m.Op.Elementwise() && slices.Equal(m.Args, n.Args) {
			candidates = append(candidates, m)
		}
	}
	return expr.JointOf(n, candidates, func(m *expr.Node) bool { return p.named[m] == "" })
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
	*cost += p.writeOut(value)
	p.named[n] = name
	if value != n && p.named[value] == "" && value.Op != expr.Const && value.Op != expr.Sym {
		p.named[value] = name
	}
}

// joint computes a function together with those that come with it.
func (p *planner) joint(stmts *[]Stmt, n *expr.Node, cost *float64) bool {
	j, nodes, ok := p.jointOf(n)
	if !ok {
		return false
	}
	a := &JointAssign{Nodes: nodes, Joint: j}
	for _, m := range nodes {
		name := p.localName(p.hints[m])
		a.Names = append(a.Names, name)
		p.named[m] = name
	}
	*stmts = append(*stmts, Stmt{Joint: a})
	*cost += j.Cost
	return true
}

// solve computes all unknowns of a system at once, or all expectations in the same parameters.
func (p *planner) solve(stmts *[]Stmt, n *expr.Node, cost *float64) bool {
	var results []*expr.Node
	switch {
	case n.Op == expr.Expectation:
		results = p.k.Graph.Expectations(n.Fn, n.Args)
	case n.Op == expr.Root && len(n.Fn.Vars) > 1:
		results = p.k.Graph.Roots(n.Fn, n.Args)
	default:
		return false
	}
	s := &Solve{Root: n}
	for _, m := range results {
		name := "_"
		if p.current[m] > 0 {
			name = p.localName(p.hints[m])
			p.named[m] = name
		}
		s.Names = append(s.Names, name)
	}
	*stmts = append(*stmts, Stmt{Solve: s})
	*cost += n.Cost() * float64(len(results))
	return true
}
