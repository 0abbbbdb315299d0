// Package plan turns expressions into programs: what is computed once for a data set, once for a parameter value and
// once for a row, in which order, under which names. A program is still free of Go: package emit prints it.
package plan

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/sngdgen/sngdgen/expr"
)

// Input binds a symbol to something the program is given, under a name.
type Input struct {
	Sym  *expr.Node
	Name string // the local variable
	From string // what it is read from: z[0], theta.R
}

// Def is a symbol that stands for an expression, under a name.
type Def struct {
	Sym  *expr.Node
	Name string
	Node *expr.Node
}

// Guard is a condition that must hold, or the program stops.
type Guard struct {
	Node  *expr.Node
	Range expr.Range
	Index int
}

// Output is a value the program delivers.
type Output struct {
	To   string // where it goes: v[0], or "return"
	Node *expr.Node
}

// Kernel is a function to be planned.
type Kernel struct {
	Graph   *expr.Graph
	Inputs  []Input
	Defs    []Def
	Guards  []Guard
	Outputs []Output
	Stores  []Output   // columns: one value for each row, To is the field
	Rows    *RowSource // nil when nothing varies over rows
	// Names are hints for nodes that deserve a name.
	Names map[*expr.Node]string
}

// RowSource says where rows come from.
type RowSource struct {
	Sym   *expr.Node // the symbol that varies over the rows
	Fixed *DataStage // where what depends on the data alone is kept; nil computes it in place
	// Constants are symbols of numbers that depend on the data alone and are given, like the sum of the weights.
	Constants []*expr.Node
}

// given reports whether a symbol is the data, the sum of the weights, or a constant of the data.
func (r *RowSource) given(n *expr.Node) bool {
	return n == r.Sym || n.Name == expr.Rows.String() || slices.Contains(r.Constants, n)
}

// DataStage is what is computed once for a data set: numbers, and columns with one number a row.
type DataStage struct {
	Scalars, Columns []Field
	index            map[*expr.Node]string
	groups           map[*expr.Node]*expr.Node // parts of sums and products to the symbols that stand for them
	isData           map[*expr.Node]bool
}

// Field is one value of the data stage.
type Field struct {
	Name string
	Node *expr.Node
}

// NewDataStage returns an empty data stage.
func NewDataStage() *DataStage {
	return &DataStage{index: map[*expr.Node]string{}, groups: map[*expr.Node]*expr.Node{}, isData: map[*expr.Node]bool{}}
}

// field returns the name under which a node is kept, adding it when it is new.
func (d *DataStage) field(n *expr.Node) string {
	if name, ok := d.index[n]; ok {
		return name
	}
	list, prefix := &d.Scalars, "data"
	if n.Type.Axes.Has(expr.Rows) {
		list, prefix = &d.Columns, "column"
	}
	name := fmt.Sprintf("%s%d", prefix, len(*list))
	*list = append(*list, Field{name, n})
	d.index[n] = name
	return name
}

// Program is a planned kernel: statements in order.
type Program struct {
	Groups map[*expr.Node]*expr.Node // parts of sums and products to the symbols that stand for them
	Stmts  []Stmt
	Cost   Cost
}

// Cost counts the flops of one call: outside the loops, and in the loops for each row.
type Cost struct{ Once, PerRow float64 }

// Stmt is a statement: exactly one field is set.
type Stmt struct {
	Read   *Input
	Assign *Assign
	Joint  *JointAssign
	Solve  *Solve
	Guard  *Guard
	Loop   *Loop
	Output *Output
}

// Assign gives a node a name.
type Assign struct {
	Name string
	Node *expr.Node
}

// JointAssign computes two functions of the same operands in one call.
type JointAssign struct {
	Names [2]string
	Nodes [2]*expr.Node
	Joint expr.Joint
}

// Solve finds the unknowns of a system of equations.
type Solve struct {
	Names []string // of the unknowns; "_" for one that is not needed
	Root  *expr.Node
}

// Loop runs over the rows: statements for one row, then sums.
type Loop struct {
	Columns []ColumnRead // what is read for each row
	Body    []Stmt
	Sums    []Sum
	Stores  []Output // columns that are written
	Named   Named    // names inside the loop
}

// Sum accumulates one reduction.
type Sum struct {
	Name string
	Node *expr.Node // the Sum node; its operand is what a row adds
}

// ColumnRead is a column read in a loop: of the data stage, or (empty field) the observations themselves.
type ColumnRead struct{ Local, Field string }

// Named says how a planned program refers to a node: by a name, or (absent) by writing it out.
type Named map[*expr.Node]string

// Plan plans a kernel. The names it returns hold for the whole program.
func Plan(k *Kernel) (*Program, Named) {
	p := &planner{k: k, named: Named{}, prog: &Program{}, taken: map[string]bool{}, stage: map[*expr.Node]stage{},
		level: map[*expr.Node]int{}, def: map[*expr.Node]*expr.Node{}, done: map[*expr.Node]bool{}, hints: map[*expr.Node]string{}}
	p.run()
	return p.prog, p.named
}

// stage is when a node can be computed.
type stage int

const (
	constant  stage = iota // at generation
	data                   // once for a data set
	parameter              // at every call
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
	done    map[*expr.Node]bool
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
	p.count(roots)
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

// reserve keeps the names of inputs from being taken by others.
func (p *planner) reserve() {
	for _, in := range p.k.Inputs {
		p.taken[in.Name] = true
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

// operands are what a node is computed from: a defined symbol from its definition.
func (p *planner) operands(n *expr.Node) []*expr.Node {
	if d, ok := p.def[n]; ok {
		return []*expr.Node{d}
	}
	return n.Args
}

// walk visits every node under roots once, operands first.
func (p *planner) walk(visit func(*expr.Node), roots ...*expr.Node) {
	seen := map[*expr.Node]bool{}
	var rec func(*expr.Node)
	rec = func(n *expr.Node) {
		if seen[n] {
			return
		}
		seen[n] = true
		for _, a := range p.operands(n) {
			rec(a)
		}
		visit(n)
	}
	for _, r := range roots {
		rec(r)
	}
}

// classify finds the stage of every node, and its level: how many loops must have run before.
func (p *planner) classify(roots []*expr.Node) {
	p.walk(func(n *expr.Node) {
		s, l := p.leafStage(n), 0
		for _, a := range p.operands(n) {
			s, l = max(s, p.stage[a]), max(l, p.level[a])
		}
		if n.Op == expr.Sum && s == parameter {
			l++
		}
		p.stage[n], p.level[n] = s, l
	}, roots...)
}

func (p *planner) leafStage(n *expr.Node) stage {
	if n.Op != expr.Sym || p.def[n] != nil {
		return constant
	}
	rows := p.k.Rows
	if rows != nil && rows.Fixed != nil && rows.given(n) {
		return data
	}
	return parameter
}

// count counts the users of every node that the program computes itself, to decide what is worth a name.
func (p *planner) count(roots []*expr.Node) {
	p.uses = map[*expr.Node]int{}
	seen := map[*expr.Node]bool{}
	var rec func(*expr.Node)
	rec = func(n *expr.Node) {
		p.uses[n]++
		if seen[n] || p.fixed(n) {
			return
		}
		seen[n] = true
		p.countOperands(n, rec)
	}
	for _, r := range roots {
		rec(r)
	}
	p.current = p.uses
}

// countOperands counts a factor that is written out several times, as x*x for x^2, as often.
func (p *planner) countOperands(n *expr.Node, rec func(*expr.Node)) {
	for i, a := range p.operands(n) {
		rec(a)
		if n.Op == expr.Prod && Repeats(n.Coefs[i]) > 1 {
			rec(a)
		}
	}
}

// Repeats is how often a power with a constant exponent mentions its base: small whole powers are products, and half
// powers have a square root.
func Repeats(e float64) int {
	switch e = math.Abs(e); {
	case e == math.Trunc(e) && e <= maxProduct:
		return int(e)
	case e == math.Trunc(e)+0.5 && e < maxProduct:
		return int(e) + 1
	}
	return 1
}

// maxProduct is the largest whole power that is written as a product.
const maxProduct = 4

// cheapColumn is the cost up to which a value of the data alone is recomputed in a loop rather than read from memory.
const cheapColumn = 4

// fixed reports whether a node is kept in the data stage.
func (p *planner) fixed(n *expr.Node) bool {
	if p.k.Rows == nil || p.k.Rows.Fixed == nil || p.stage[n] != data || n.Op == expr.Sym && p.def[n] == nil {
		return false
	}
	return !n.Type.Axes.Has(expr.Rows) || expr.TotalCost(p.value(n)) > cheapColumn
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

func (p *planner) maxLevel(roots []*expr.Node) int {
	level := 0
	for _, r := range roots {
		level = max(level, p.level[r])
	}
	return level
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
			p.named[n] = "p." + p.k.Rows.Fixed.field(p.value(n))
			return
		}
		for _, a := range p.valueOperands(n) {
			rec(a)
		}
		visit(n)
	}
	rec(root)
}

// valueOperands are what must be at hand before a node is assigned. The definition of a symbol is assigned under the
// name of the symbol, so what counts are the operands of the definition.
func (p *planner) valueOperands(n *expr.Node) []*expr.Node {
	if d, ok := p.def[n]; ok && p.def[d] == nil && !p.fixed(d) && p.named[d] == "" {
		return d.Args
	}
	return p.operands(n)
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

// localName makes a name that is not in use: the hint, or t0, t1, ...
func (p *planner) localName(hint string) string {
	name := hint
	if name == "" {
		name = fmt.Sprintf("t%d", p.temps)
		p.temps++
	}
	for i := 2; p.taken[name] || Reserved[name]; i++ {
		name = fmt.Sprint(hint, i)
	}
	p.taken[name] = true
	return name
}

// inlineCost is the cost of writing out a node, down to what has a name.
func (p *planner) inlineCost(n *expr.Node) float64 {
	cost := n.Cost()
	for _, a := range p.operands(n) {
		if p.named[a] == "" {
			cost += p.inlineCost(a)
		}
	}
	return cost
}

func (p *planner) charge(n *expr.Node) {
	if p.named[n] == "" {
		p.prog.Cost.Once += p.inlineCost(n)
	}
}

// loop emits one pass over the rows for all sums of a level.
func (p *planner) loop(roots []*expr.Node, level int) {
	var sums []*expr.Node
	p.walk(func(n *expr.Node) {
		if n.Op == expr.Sum && p.stage[n] == parameter && p.level[n] == level+1 && p.named[n] == "" {
			sums = append(sums, n)
		}
	}, roots...)
	l := &Loop{}
	var rows []*expr.Node // what a row computes
	for _, s := range sums {
		rows = append(rows, s.Args[0])
	}
	for _, o := range p.k.Stores {
		if p.level[o.Node] == level {
			l.Stores = append(l.Stores, o)
			rows = append(rows, o.Node)
		}
	}
	if len(rows) == 0 {
		return
	}
	for _, r := range rows { // what the rows need from outside
		p.hoist(r, level)
	}
	outer := p.named
	p.named, p.current = maps.Clone(outer), p.rowUses(rows)
	for _, r := range rows {
		p.row(l, r)
	}
	l.Named = p.named
	p.named, p.current = outer, p.uses
	for _, s := range sums {
		name := p.localName(sumName(s.Args[0]))
		l.Sums = append(l.Sums, Sum{Name: name, Node: s})
		p.prog.Cost.PerRow += s.Cost()
		p.prog.Cost.PerRow += p.rowCost(s.Args[0], l.Named)
		p.named[s] = name
		l.Named[s] = name
	}
	p.prog.Stmts = append(p.prog.Stmts, Stmt{Loop: l})
}

// sumName names a sum after the function that it sums.
func sumName(n *expr.Node) string {
	switch {
	case n.Op.Elementwise():
		return "sum" + camel(n.Op.Name)
	case n.Op == expr.Sym:
		return "sum" + camel(n.Name[strings.LastIndexByte(n.Name, '.')+1:])
	}
	return "sum"
}

// camel turns lgamma_diff into LgammaDiff.
func camel(s string) string {
	var b strings.Builder
	for _, word := range strings.Split(s, "_") {
		if word != "" {
			b.WriteString(strings.ToUpper(word[:1]) + word[1:])
		}
	}
	return b.String()
}

// hoist computes outside the loop everything under a row expression that does not vary over the rows.
func (p *planner) hoist(n *expr.Node, level int) {
	seen := map[*expr.Node]bool{}
	var rec func(*expr.Node)
	rec = func(n *expr.Node) {
		if seen[n] || p.named[n] != "" {
			return
		}
		seen[n] = true
		if n.Type.Axes.Has(expr.Rows) {
			for _, a := range p.operands(n) {
				rec(a)
			}
			return
		}
		p.scalars(n, level)
		if p.named[n] == "" && n.Op != expr.Const && n.Op != expr.Sym {
			p.assign(&p.prog.Stmts, n, &p.prog.Cost.Once)
		}
	}
	rec(n)
}

// rowUses counts the users of row expressions within one loop.
func (p *planner) rowUses(roots []*expr.Node) map[*expr.Node]int {
	uses := map[*expr.Node]int{}
	seen := map[*expr.Node]bool{}
	var rec func(*expr.Node)
	rec = func(n *expr.Node) {
		uses[n]++
		if seen[n] || p.fixed(n) {
			return
		}
		seen[n] = true
		p.countOperands(n, rec)
	}
	for _, r := range roots {
		rec(r)
	}
	return uses
}

// row emits the statements of one row for an expression.
func (p *planner) row(l *Loop, root *expr.Node) {
	seen := map[*expr.Node]bool{}
	var rec func(*expr.Node)
	rec = func(n *expr.Node) {
		if seen[n] || p.named[n] != "" || !n.Type.Axes.Has(expr.Rows) {
			return
		}
		seen[n] = true
		if p.read(l, n) {
			return
		}
		for _, a := range p.valueOperands(n) {
			rec(a)
		}
		if p.named[n] == "" && p.deservesName(n) {
			p.assign(&l.Body, n, &p.prog.Cost.PerRow)
		}
	}
	rec(root)
}

// read reads what a row has in memory: the observation, or a column of the data stage.
func (p *planner) read(l *Loop, n *expr.Node) bool {
	switch {
	case n == p.k.Rows.Sym:
		p.named[n] = p.localName(p.hints[n])
		l.Columns = append(l.Columns, ColumnRead{Local: p.named[n]})
	case p.fixed(n):
		field := p.k.Rows.Fixed.field(p.value(n))
		p.named[n] = p.localName("")
		l.Columns = append(l.Columns, ColumnRead{p.named[n], field})
	default:
		return false
	}
	return true
}

// value is what a symbol stands for, or the node itself.
func (p *planner) value(n *expr.Node) *expr.Node {
	if d, ok := p.def[n]; ok {
		return d
	}
	return n
}

// rowCost is the cost of writing out a row expression.
func (p *planner) rowCost(n *expr.Node, named Named) float64 {
	if !n.Type.Axes.Has(expr.Rows) || named[n] != "" {
		return 0
	}
	cost := n.Cost()
	for _, a := range p.operands(n) {
		cost += p.rowCost(a, named)
	}
	return cost
}

// Reserved are names that no local variable may have: Go's own, and those the emitted functions use.
var Reserved = func() map[string]bool {
	m := map[string]bool{}
	for _, name := range []string{
		"break", "case", "chan", "const", "continue", "default", "defer", "else", "fallthrough", "for", "func", "go",
		"goto", "if", "import", "interface", "map", "package", "range", "return", "select", "struct", "switch", "type",
		"var", "append", "any", "bool", "cap", "clear", "close", "complex", "copy", "delete", "error", "false", "float64",
		"imag", "int", "len", "make", "max", "min", "new", "nil", "panic", "print", "println", "real", "recover",
		"string", "true", "uint64", "iota", "math", "special", "runtime", "rand", "random", "solve", "context", "errors",
		"fmt", "testing", "p", "z", "v", "c", "u", "g", "h", "w", "xs", "ws", "i", "k", "dst", "theta", "rng", "end", "block",
		"weight",
	} {
		m[name] = true
	}
	return m
}()
