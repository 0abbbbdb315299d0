package plan

import (
	"maps"
	"slices"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/program"
)

// planner plans in one scope: the program, a loop, or where what varies over some axes belongs. What is known in all of them is
// behind a pointer; a scope is a copy with its own memory and its own names, which nobody sees after it.
type planner struct {
	*known
	mem      *memory                   // where statements go
	block    *memory                   // of the pass over blocks that is being planned
	eachRow  *memory                   // of the loop over the components in the pass over blocks
	oneRow   *memory                   // of the loop over the rows of a block
	stratum  bool                      // that loop is over a row's own component
	named    named                     // where values are
	current  map[*expr.Node]int        // users of every node in the scope
	taken    map[string]bool           // local names in use
	halves   map[pair]*program.Place   // inv(L) x
	suffixes map[string]*program.Place // products of matrices with a vector, by their factors
}

// known is what has been found out of a kernel, and what has been planned.
type known struct {
	k       *Kernel
	prog    *Program
	without map[string]bool // steps and choices that are left out
	hints   map[*expr.Node]string
	stage   map[*expr.Node]stage
	level   map[*expr.Node]int
	def     map[*expr.Node]*expr.Node // symbol to definition
	uses    map[*expr.Node]int        // users of every node in the program
	written map[*expr.Node]bool       // has been written out: a name would come too late for that
	temps   int
	now     int       // the level that is being planned
	pending []formula // of statements, to be written out when everything has its name

	// Vectors and matrices.
	main     *memory                    // of the program
	each     *memory                    // of the loop over the components that is being planned
	entries  map[*expr.Node]program.Ref // symbols of entries of memory
	factors  named                      // Cholesky factors of matrices
	partials named                      // T inv(A), on the way to inv(A) T inv(A)
	kept     map[*expr.Node]string      // columns of what passes over the draws keep
	attained named                      // largest values of which the row is needed, with the place of its index

	all          map[*program.Place]*program.Place // of what has one value for each component the place of all
	outputPlaces map[*Output]*program.Place        // of vectors and matrices
	prepared     map[preparedKey]preparation
}

// scope is a copy to plan something in.
func (p *planner) scope() *planner {
	q := *p
	return &q
}

// loop is the scope of a loop that computes what is under roots: names that it declares are out of sight after it.
func (p *planner) loop(roots []*expr.Node) *planner {
	q := p.scope()
	q.named, q.current, q.taken = maps.Clone(p.named), p.count(roots), maps.Clone(p.taken)
	return q
}

// define notes what symbols stand for, and names.
func (p *planner) define() {
	for _, d := range p.k.Defs {
		p.def[d.Sym] = d.Node
		p.hints[d.Sym] = d.Name
	}
	for n, name := range p.k.Names {
		p.hints[n] = name
	}
	p.reserve()
}

// schedule plans level by level: conditions, numbers and arrays, what combines components, and the pass over the rows.
func (p *planner) schedule() {
	roots := p.roots()
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
}

// placeOutputs names the memory of vectors and matrices that the program delivers.
func (p *planner) placeOutputs() {
	for i := range p.k.Outputs {
		o := &p.k.Outputs[i]
		if o.Type.Rank == 0 || o.To == nil {
			continue
		}
		place := &program.Place{Name: o.Name, Shape: program.Shape{Dims: o.Type.Dims[:o.Type.Rank]}}
		switch {
		case o.Name == "":
			place.Name, place.Given = o.To.String(), o.To
		case o.To.Varies():
			p.all[place] = allOf(o.To)
			p.add(&program.Bind{To: place, From: o.To})
		default:
			p.add(&program.Bind{To: place, From: o.To, Out: true})
		}
		p.outputPlaces[o] = place
	}
}

// outputs delivers the values: those of components, then those of the whole.
func (p *planner) outputs() {
	var whole []*Output
	for i := range p.k.Outputs {
		if o := &p.k.Outputs[i]; o.Type.Axes.Has(expr.Components) {
			p.in(expr.Components).output(o)
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

// destination is where a vector or a matrix is wanted in the end, nil where it is not.
func (p *planner) destination(n *expr.Node) *program.Place {
	for i := range p.k.Outputs {
		if o := &p.k.Outputs[i]; o.Node == n {
			return p.outputPlaces[o]
		}
	}
	return nil
}

// output delivers a value.
func (p *planner) output(o *Output) {
	if to := p.outputPlaces[o]; to != nil {
		if p.need(o.Node); p.named[o.Node] == to {
			return // it was made there
		}
		p.fillPart(to, o.Node, program.Shape{Dims: o.Type.Dims[:o.Type.Rank], Lower: o.Symmetric})
		if o.Symmetric {
			p.call("Mirror", to, o.Type.Dims[0])
		}
		return
	}
	if !o.Type.Axes.Has(expr.Components) {
		p = p.scope()
		p.named = maps.Clone(p.named) // what later outputs name is not known here
	}
	switch {
	case o.Return:
		s := &program.Return{}
		p.add(s)
		p.later(&s.Value, o.Node)
	case o.To == nil:
		s := &program.Let{To: &program.Place{Name: o.Name}, Out: true}
		p.add(s)
		p.later(&s.Value, o.Node)
	default:
		to := o.To.Own()
		s := &program.Store{To: program.Ref{Place: &program.Place{Name: to.String(), Given: to}}, Free: to.Part != nil && to.Part.Free}
		p.add(s)
		p.later(&s.Value, o.Node)
	}
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

// readInputs gives the inputs their places: planning may come to need one that no formula mentions, as the length of a side in the
// determinant of a multiple of a matrix. Those that nothing uses in the end are dropped.
func (p *planner) readInputs() {
	for _, in := range p.k.Inputs {
		place := &program.Place{Name: in.Name, Shape: program.ShapeOf(in.Sym.Type)}
		p.named[in.Sym] = place
		switch {
		case in.Name == "":
			place.Name, place.Given = in.From.String(), in.From
		default:
			if in.From.Varies() {
				p.all[place] = allOf(in.From)
			}
			p.add(&program.Bind{To: place, From: in.From})
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
		p.in(g.Node.Type.Axes).guard(g)
	}
}

func (p *planner) guard(g *Guard) {
	if tensor(g.Node) {
		p.guardTensor(g)
		return
	}
	s := &program.Guard{Range: g.Range, Index: g.Index}
	p.add(s)
	p.later(&s.Value, g.Node)
	p.charge(g.Node)
}

// scalars computes what deserves a name under a root and can be computed at a level, outside the loops.
func (p *planner) scalars(root *expr.Node, level int) {
	p.now = level
	p.walkPending(root, func(n *expr.Node) {
		if p.level[n] > level || n.Type.Axes.Has(expr.Rows) {
			return
		}
		switch q := p.in(n.Type.Axes); {
		case q.transposedOf(n) != nil: // its entries are there
		case q.kernel(n):
			q.lower(n, "")
		case n.Op == expr.Sym && !tensor(n) && q.kernel(q.value(n)) && q.named[q.value(n)] == nil:
			q.lower(q.value(n), q.hints[n])
			q.refer(n, q.named[q.value(n)])
		case !q.deservesName(n):
		case tensor(n):
			q.store(n, q.value(n), q.hints[n])
		default:
			q.assign(q.mem.stmts, n, q.once())
		}
	})
}

// guardTensor checks the entries of a vector or a matrix, or that a matrix is positive definite.
func (p *planner) guardTensor(g *Guard) {
	if g.Definite {
		p.in(g.Node.Type.Axes).definite(g.Node, g.Index)
		if g.Range == expr.Real {
			return
		}
	}
	p.need(g.Node)
	s := program.ShapeOf(g.Node.Type)
	e, places := newEach(s), []at{p.at(s)}
	if p.unrolled(s) {
		e.Shape, places = program.Shape{}, entriesOf(s)
	}
	p.finishEach(e, func() {
		for _, where := range places {
			e.guard(p.element(g.Node, where), g)
		}
	})
}

// walkPending visits the nodes under a root that have no name yet, operands first.
func (p *planner) walkPending(root *expr.Node, visit func(*expr.Node)) {
	seen := map[*expr.Node]bool{}
	var rec func(*expr.Node)
	rec = func(n *expr.Node) {
		if seen[n] || p.named[n] != nil {
			return
		}
		seen[n] = true
		if p.fixed(n) { // a column is read in the loops
			p.readFixed(n)
			return
		}
		if index, ok := chosen(n); ok {
			rec(index)
			return
		}
		if !p.kernel(p.value(n)) && p.definiteInverse(n) == nil { // a kernel asks for its operands itself
			for _, a := range p.valueOperands(n) {
				rec(a)
			}
		}
		visit(n)
	}
	rec(root)
}

// readFixed names what the data stage keeps.
func (p *planner) readFixed(n *expr.Node) {
	if p.named[n] == nil && !n.Type.Axes.Has(expr.Rows) && p.fixed(n) {
		p.refer(n, fieldPlace(p.k.Rows.Fixed.field(p.value(n)), program.ShapeOf(n.Type)))
	}
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
	case n.Type.Rank == 2 && p.outer(n): // an entry costs a multiplication or two: less than to read it from memory
		return false
	case p.literal(n):
		return false
	}
	if negated := n.Op == expr.Lin && len(n.Args) == 1 && n.Const == 0 && n.Cost() == 0; negated {
		return p.current[n] > 1 && p.named[n.Args[0]] == nil && p.decides(n.Args[0], n.Args[0].Cost()) > 0
	}
	return p.current[n] > 1 && p.decides(n, n.Cost()) > 0 || n.Cost() > 0 && p.together(n)
}

// outer reports whether a value is an outer product or a multiple of one.
func (p *planner) outer(n *expr.Node) bool {
	_, core := p.k.Graph.Bare(n)
	return core.Op == expr.Outer
}

// together reports whether other functions of the same operands are needed in the same place and come with n.
func (p *planner) together(n *expr.Node) bool {
	_, _, ok := p.jointOf(n)
	return ok
}

func (p *planner) jointOf(n *expr.Node) (expr.Joint, []*expr.Node, bool) {
	if !p.may(choiceJoint) || !n.Op.Elementwise() || n.Type.Rank > 0 {
		return expr.Joint{}, nil, false
	}
	var candidates []*expr.Node
	for m := range p.current {
		if m.Op.Elementwise() && slices.Equal(m.Args, n.Args) {
			candidates = append(candidates, m)
		}
	}
	return expr.JointOf(n, candidates, func(m *expr.Node) bool { return p.named[m] == nil })
}

// fieldPlace is a field of the model.
func fieldPlace(name string, s program.Shape) *program.Place {
	g := program.Field("p", name)
	return &program.Place{Name: g.String(), Shape: s, Given: g}
}

// number makes a local variable.
func (p *planner) number(hint string) *program.Place { return &program.Place{Name: p.localName(hint)} }

// assign names a node and computes it.
func (p *planner) assign(stmts *[]program.Stmt, n *expr.Node, cost *float64) {
	value := n
	if d, ok := p.def[n]; ok {
		value = d
		if place, ok := p.named[d]; ok && p.hints[n] == "" {
			p.refer(n, place)
			return
		}
	}
	if p.joint(stmts, n, cost) || p.solve(stmts, n, cost) {
		return
	}
	s := &program.Let{To: p.number(p.hintOf(n))}
	*stmts = append(*stmts, s)
	p.laterBut(&s.Value, value, s.To)
	*cost += p.writeOut(value)
	p.refer(n, s.To)
	if value != n && p.named[value] == nil && value.Op != expr.Const && value.Op != expr.Sym {
		p.refer(value, s.To)
	}
}

// joint computes a function together with those that come with it.
func (p *planner) joint(stmts *[]program.Stmt, n *expr.Node, cost *float64) bool {
	j, nodes, ok := p.jointOf(n)
	if !ok {
		return false
	}
	s := &program.Joint{Joint: j}
	for _, m := range nodes {
		place := p.number(p.hintOf(m))
		s.To = append(s.To, place)
		p.refer(m, place)
	}
	*stmts = append(*stmts, s)
	p.pending = append(p.pending, formula{joint: s, node: nodes[0], named: p.named, prepared: len(p.prepared)})
	*cost += j.Cost + p.writeOperands(nodes[0])
	return true
}

// solve computes all unknowns of a system at once, or all expectations in the same parameters.
func (p *planner) solve(stmts *[]program.Stmt, n *expr.Node, cost *float64) bool {
	var results []*expr.Node
	switch {
	case n.Op == expr.Expectation:
		results = p.k.Graph.Expectations(n.Fn, n.Args)
	case n.Op == expr.Root && len(n.Fn.Vars) > 1:
		results = p.k.Graph.Roots(n.Fn, n.Args)
	default:
		return false
	}
	s := &program.Solve{Op: n.Op, Fn: n.Fn, Args: make([]program.Operand, len(n.Args))}
	for i, a := range n.Args {
		p.later(&s.Args[i].Value, a)
	}
	for _, m := range results {
		var place *program.Place
		if p.current[m] > 0 {
			place = p.number(p.hintOf(m))
			p.refer(m, place)
		}
		s.To = append(s.To, place)
	}
	*stmts = append(*stmts, s)
	*cost += n.Cost()*float64(len(results)) + p.writeOperands(n)
	return true
}
