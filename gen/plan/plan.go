// Package plan turns expressions into programs: what is computed once for a data set, once for a parameter value and
// once for a row, in which order, under which names. A program is still free of Go: package emit prints it.
package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen/program"
	"github.com/sngdgen/sngdgen/gen/program/pass"
)

// Unsupported is what Plan panics with where a formula asks for what the planner has no code for. The emitter makes an
// error of it, so that a spec cannot bring the program down.
type Unsupported string

func (u Unsupported) Error() string { return "no code for " + string(u) }

// Input binds a symbol to something the program is given.
type Input struct {
	Sym  *expr.Node
	Name string // of the local variable or memory; "" where it is used as it is given
	From *program.Given
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
	// Definite asks for a positive definite matrix.
	Definite bool
	Index    int
}

// Output is a value the program delivers: to memory that it is given, to a new local variable (To is nil), or as what it returns.
type Output struct {
	To     *program.Given
	Return bool
	Name   string // of the local memory or variable; "" for numbers and where memory is used as it is given
	Node   *expr.Node
	Type   expr.Type // of the place; the zero value is a number
	// Symmetric asks for a matrix that is symmetric to the last digit: one triangle is computed and mirrored.
	Symmetric bool
	// Place is the symbol that stands for the value elsewhere, nil if none does.
	Place *expr.Node
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
	Dims    []expr.Dim // of the problem, those with names
	// Components is the number of components of a mixture; the zero value where there are none.
	Components expr.Dim
	// OfComponent is true for what is computed for one component, which is an argument.
	OfComponent bool
	// Tables are the arrays of numbers that programs of one package share.
	Tables *program.Tables
	// Kept, unless it is nil, are the columns in which passes over the draws keep values for each other.
	Kept *Kept
	// Names are hints for nodes that deserve a name.
	Names map[*expr.Node]string
	// Passes say what is left out of steps and passes.
	Passes pass.Options
	// Costs, unless it is nil, multiplies the flops of a node where these decide between ways to compute something: what comes out
	// must not depend on it.
	Costs Costs
}

// Costs is a positive factor for the flops of a node, the same whenever it is asked for.
type Costs func(*expr.Node) float64

// RowSource says where rows come from.
type RowSource struct {
	Sym   *expr.Node // the symbol that varies over the rows
	Fixed *DataStage // where what depends on the data alone is kept; nil computes it in place
	// Constants are symbols of numbers that depend on the data alone and are given, like the sum of the weights.
	Constants []*expr.Node
	// Columns are symbols of values for every row that are in memory, with the names of their fields.
	Columns map[*expr.Node]string
	// Stratum is the indicator of a row's own component, where rows of a component are next to each other; nil where a row has
	// none.
	Stratum *expr.Node
	// WithoutSeries is true for rows that are given to a function, in which no scan goes along.
	WithoutSeries bool
}

// given reports whether a symbol is of the data, the sum of the weights, or a constant of the data.
func (r *RowSource) given(n *expr.Node) bool {
	return n == r.Sym || r.Columns[n] != "" || n.Name == expr.Rows.String() || slices.Contains(r.Constants, n)
}

// DataStage is what is computed once for a data set: numbers, and columns with one number a row.
type DataStage struct {
	Scalars, Columns []Field
	// Whole tells that it is of all rows, whatever the batch, so that a column may have sums over the rows in it.
	Whole bool
	// Prefix is that of the names of the fields.
	Prefix string
	graph  *expr.Graph
	index  map[*expr.Node]string
	groups map[*expr.Node]*expr.Node // parts of sums and products to the symbols that stand for them
	parts  map[*expr.Node]*expr.Node // the symbols to what they stand for
	isData map[*expr.Node]bool
}

// Field is one value of the data stage.
type Field struct {
	Name string
	Node *expr.Node
}

// NewDataStage returns an empty data stage.
func NewDataStage(g *expr.Graph) *DataStage {
	return &DataStage{graph: g, index: map[*expr.Node]string{}, groups: map[*expr.Node]*expr.Node{}, parts: map[*expr.Node]*expr.Node{}, isData: map[*expr.Node]bool{}}
}

// field returns the name under which a node is kept, adding it when it is new.
func (d *DataStage) field(n *expr.Node) string {
	n = d.graph.Substitute(n, d.parts) // the data stage is a program of its own
	if name, ok := d.index[n]; ok {
		return name
	}
	list, prefix := &d.Scalars, "data"
	if n.Type.Axes.Has(expr.Rows) {
		list, prefix = &d.Columns, "column"
	}
	name, first := dataName(n), 2
	if name == "" || list == &d.Columns {
		name, first = fmt.Sprintf("%s0", prefix), 1
	}
	if d.Prefix != "" {
		name = d.Prefix + strings.ToUpper(name[:1]) + name[1:]
	}
	hint := strings.TrimRight(name, "0")
	for i := first; d.has(name); i++ {
		name = numbered(hint, i)
	}
	*list = append(*list, Field{name, n})
	d.index[n] = name
	return name
}

func (d *DataStage) has(name string) bool {
	same := func(f Field) bool { return f.Name == name }
	return slices.ContainsFunc(d.Scalars, same) || slices.ContainsFunc(d.Columns, same)
}

// Program is a planned kernel, with what it costs.
type Program struct {
	*program.Program
	Cost   Cost
	Budget Budget
	// Inverted are the matrices whose inverses are made, because their entries are used.
	Inverted []*expr.Node
}

// Budget counts what costs the cube of a dimension, or its square for each row.
type Budget struct {
	Cholesky int // factorisations
	Inverses int // from a Cholesky factor
	Solves   int // triangular solves with a matrix of right-hand sides
	Products int // of two matrices
	Rows     RowBudget
	Own      RowBudget // of a component, for its own rows only
}

// RowBudget counts what costs the square of a dimension for each row.
type RowBudget struct {
	Solves   int // triangular solves with the rows of a block as right-hand sides
	Products int // of a matrix with the rows of a block
	Grams    int // sums of outer products over the rows
}

// Once lists what is done once, whatever the number of rows; "none" when there is nothing.
func (b Budget) Once() string {
	return list([]item{
		{b.Cholesky, "Cholesky factorisation", "Cholesky factorisations"},
		{b.Inverses, "inverse from its factor", "inverses from their factors"},
		{b.Products, "product of two matrices", "products of two matrices"},
		{b.Solves, "triangular solve with a matrix", "triangular solves with a matrix"},
	})
}

// OverRows lists what is done for the rows.
func (b Budget) OverRows() string {
	if b.Own == (RowBudget{}) {
		return b.Rows.String()
	}
	return b.Rows.String() + "; for each row of its own: " + b.Own.String()
}

func (b RowBudget) String() string {
	return list([]item{
		{b.Solves, "triangular solve with the rows", "triangular solves with the rows"},
		{b.Products, "product of a matrix with the rows", "products of a matrix with the rows"},
		{b.Grams, "weighted sum of outer products", "weighted sums of outer products"},
	})
}

// String says what grows with the cube of a dimension, and with its square for each row.
func (b Budget) String() string {
	return "of order d^3: " + b.Once() + "; of order d^2 for each row: " + b.OverRows()
}

type item struct {
	count     int
	one, many string
}

func list(items []item) string {
	var parts []string
	for _, it := range items {
		switch it.count {
		case 0:
		case 1:
			parts = append(parts, "1 "+it.one)
		default:
			parts = append(parts, fmt.Sprintf("%d %s", it.count, it.many))
		}
	}
	if len(parts) == 0 {
		return "none"
	}
	return strings.Join(parts, ", ")
}

// Cost counts the flops of one call: outside the loops, and in the loops for each row; of a mixture also for each component,
// and for each row and component.
type Cost struct{ Once, PerRow, PerComponent, PerRowAndComponent float64 }

// preparedKey says for which type and operand functions are prepared.
type preparedKey struct {
	typ     string
	operand *expr.Node
}

// preparation is what functions are prepared for: its place, and how many there were before.
type preparation struct {
	place *program.Place
	order int
}

// named says how a planned program refers to a node: by a place, or (absent) by writing it out.
type named map[*expr.Node]*program.Place

// Plan plans a kernel: it takes the steps, and then the passes over the program that they have written.
func Plan(k *Kernel) *Program {
	if err := wrongOrder(); err != nil {
		panic("plan: " + err.Error())
	}
	if k.Tables == nil {
		k.Tables = &program.Tables{}
	}
	k.withoutOwn()
	k.distinct()
	p := newPlanner(k)
	for _, s := range Steps {
		if !s.Optional || p.may(s.Name) {
			s.run(p)
		}
	}
	o := k.Passes
	o.Reserved = func(name string) bool { return taken(name) || p.taken[name] }
	if err := pass.Run(p.prog.Program, o); err != nil {
		panic("plan: " + err.Error()) // no program makes a pass fail
	}
	p.prog.Budget = BudgetOf(p.prog.Program)
	return p.prog
}

func newPlanner(k *Kernel) *planner {
	p := &planner{known: &known{k: k, without: map[string]bool{}, written: map[*expr.Node]bool{}, stage: map[*expr.Node]stage{},
		prog:  &Program{Program: &program.Program{Components: k.Components, OfComponent: k.OfComponent}},
		level: map[*expr.Node]int{}, def: map[*expr.Node]*expr.Node{}, hints: map[*expr.Node]string{},
		entries: map[*expr.Node]program.Ref{}, factors: named{}, attained: map[*expr.Node]*program.Place{},
		outputPlaces: map[*Output]*program.Place{}, prepared: map[preparedKey]preparation{},
		all: map[*program.Place]*program.Place{}, partials: named{}, kept: map[*expr.Node]string{}},
		named: named{}, taken: map[string]bool{}, halves: map[pair]*program.Place{}, suffixes: map[string]*program.Place{}}
	for _, name := range k.Passes.Without {
		p.without[name] = true
	}
	p.main = newMemory(&p.prog.Body)
	p.mem = p.main
	return p
}

// withoutOwn writes out functions of one's own: nothing is differentiated any more.
func (k *Kernel) withoutOwn() {
	for i := range k.Defs {
		k.Defs[i].Node = k.Graph.WithoutOwn(k.Defs[i].Node)
	}
	for i := range k.Guards {
		k.Guards[i].Node = k.Graph.WithoutOwn(k.Guards[i].Node)
	}
	for _, list := range [][]Output{k.Outputs, k.Stores} {
		for i := range list {
			list[i].Node = k.Graph.WithoutOwn(list[i].Node)
		}
	}
}

// BudgetOf is the budget of a program.
func BudgetOf(p *program.Program) Budget {
	c := p.Counts()
	rows := func(w program.Work) RowBudget {
		return RowBudget{Solves: w.Solves, Products: w.Products, Grams: w.Grams}
	}
	return Budget{Cholesky: c.Once.Factorisations, Inverses: c.Once.Inverses, Solves: c.Once.Solves, Products: c.Once.Products,
		Rows: rows(c.Rows), Own: rows(c.Own)}
}
