// Package plan turns expressions into programs: what is computed once for a data set, once for a parameter value and
// once for a row, in which order, under which names. A program is still free of Go: package emit prints it.
package plan

import (
	"fmt"
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
	name, first := dataName(n), 2
	if name == "" || list == &d.Columns {
		name, first = fmt.Sprintf("%s0", prefix), 1
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
		level: map[*expr.Node]int{}, def: map[*expr.Node]*expr.Node{}, hints: map[*expr.Node]string{}}
	p.run()
	return p.prog, p.named
}
