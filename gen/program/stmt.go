package program

import "github.com/sngdgen/sngdgen/expr"

// Stmt is a statement.
type Stmt interface{ stmt() }

// Expr is what a number is computed from.
type Expr interface{ formula() }

// Number is a constant.
type Number float64

// Ref is a number at a place, or an entry of an array.
type Ref struct {
	Place *Place
	At    []Index // one for each axis of the array: components or rows first, then rows and columns of the value
}

// Apply applies an operation of the expression graph: a sum with coefficients, a product of powers, a function, or the solution
// of an equation with one unknown.
type Apply struct {
	Op    *expr.Op
	Args  []Expr
	Coefs []float64
	Const float64
	Fn    *expr.Lambda
	// Prepared is what the function has been prepared for in place of one operand, nil where it has not; that operand is nil.
	Prepared *Place
}

func (Number) formula() {}
func (Ref) formula()    {}
func (*Apply) formula() {}

// The statements. Those that declare a place are the first that mention it.
type (
	// Bind gives a name to what the function is given, to a component's own value of what is in memory, or to that of the row that
	// a loop over rows is at.
	Bind struct {
		To   *Place
		From *Given
		Own  *Place // of all components, or of the rows, where From is nil
		Out  bool   // memory that the program is to fill
	}
	// Let computes a number.
	Let struct {
		To    *Place
		Value Expr
		Out   bool // a result, for what comes after the program
	}
	// Joint computes several functions of the same operands in one call. Value applies one of them.
	Joint struct {
		To    []*Place
		Joint expr.Joint
		Value *Apply
	}
	// Solve computes the unknowns of a system of equations, expectations by quadrature, or the sum of a scan along the rows, alone
	// or with its derivatives: numbers, or vectors into memory. What nobody needs is nil.
	Solve struct {
		To   []*Place
		Op   *expr.Op
		Fn   *expr.Lambda
		Args []Operand
	}
	// Guard ends the function where a number is outside a range.
	Guard struct {
		Value Expr
		Range expr.Range
		Index int // of the condition
	}
	// Store writes a number to an entry, or to a number that the function is given.
	Store struct {
		To    Ref
		Value Expr
		Free  bool // for all components but the last
	}
	// Return ends the function with a value.
	Return struct{ Value Expr }
	// Buffer takes memory: slot number Slot of those for its shape.
	Buffer struct {
		To   *Place
		Slot int
	}
	// Prepare prepares functions for an operand that stays the same in a loop: memory of a type of package special.
	Prepare struct {
		To      *Place
		Type    string
		Slot    int
		Operand Expr
		Calls   []expr.Dim // the number of calls is that of the rows times these lengths
		Stacked bool       // one for each component
		View    bool       // has been prepared already
	}
	// Call calls a kernel.
	Call struct {
		Kernel string
		Args   []Operand
		To     *Place // of the number that it returns, nil where it returns none
		// Definite is true for a factorisation, which reports whether the matrix is positive definite; Guard is then the
		// index of the condition that fails, or -1.
		Definite bool
		Guard    int
	}
	// Each is a loop over the entries of an array, or over the rows of a block; without a shape, what would be in it once.
	Each struct {
		Shape Shape
		// Dots is true for a loop over the rows of a block that does nothing but add up numbers which lie in memory: its sums are inner
		// products with the weights.
		Dots   bool
		Body   []Stmt
		Guards []*Guard
		Sums   []*Sum // over the rows, weighted
		Writes []*Write
		Totals []*Total
	}
	// Rows is a pass over rows of numbers: for every row what its columns hold is read, and sums are added up.
	Rows struct {
		Columns []Column
		Body    []Stmt
		Sums    []*Sum
		Writes  []*Write
		Cut     bool // into ranges, see Pass
	}
	// Blocks is a pass over blocks of rows.
	Blocks struct {
		Columns []Column
		Body    []Stmt
		Sums    []*Sum // numbers, added up in loops of the body
		Weights bool   // are used
		Strata  bool   // all rows of a block belong to one component, for which some loops are run
		Cut     bool   // into ranges, see Pass
	}
	// Components is a loop over the components.
	Components struct {
		Body []Stmt
		Own  bool // only the one that the rows of the block belong to
	}
	// EachRow is a loop over the rows of a block, for what is done with the vectors and matrices of one row by itself. Statements in
	// it name what a row has by a Bind, and store numbers for the row that the loop is at.
	EachRow struct{ Body []Stmt }
	// Evaluate evaluates the model of a variational objective at all draws: its values, its gradients, or both, of all terms, of those
	// that are estimated, or by finer rules.
	Evaluate struct {
		Values, Gradients bool
		Terms             expr.Terms
	}
	// Attained computes the number that is 1 in the row with an index and 0 in the others.
	Attained struct{ To, Index *Place }
	// Zero declares a number that is 0 at first, to which loops over components add.
	Zero struct{ To *Place }
	// Add adds to such a number.
	Add struct {
		To    *Place
		Value Expr
	}
	// Perform runs a stage: In and Held are what it is given, Out and Kept what it makes known, in the order of the stage. Of Out and
	// Kept what nobody needs is nil.
	Perform struct {
		Stage               *Stage
		In, Held, Out, Kept []*Place
	}
)

// Stage is a run of statements that is a function of its own. The places are those that its statements have.
type Stage struct {
	Name string
	Body []Stmt
	In   []*Place // numbers and arrays that are handed to it
	Out  []*Place // those that it hands back
	// Arguments are those of the function that it is a part of that it needs too.
	Arguments []Taken
	// Held is memory that it finds where those in front of it have left it, Kept what it leaves to those behind it, where handing
	// everything on would be too much.
	Held, Kept []*Buffer
	// Within is the pass over blocks of rows inside which it is performed, nil for others: there it knows the rows of the block. Adds are
	// sums of this pass that it adds to.
	Within *Blocks
	Adds   []*Place
	Fails  bool // may end the function that it is a part of
	Users  []string
	Of     *Program // the program with these places
}

// Taken is an argument of a function that a stage takes too.
type Taken struct {
	Name   string
	Number bool
}

func (*Bind) stmt()       {}
func (*Let) stmt()        {}
func (*Joint) stmt()      {}
func (*Solve) stmt()      {}
func (*Guard) stmt()      {}
func (*Store) stmt()      {}
func (*Return) stmt()     {}
func (*Buffer) stmt()     {}
func (*Prepare) stmt()    {}
func (*Call) stmt()       {}
func (*Each) stmt()       {}
func (*Rows) stmt()       {}
func (*Blocks) stmt()     {}
func (*Components) stmt() {}
func (*EachRow) stmt()    {}
func (*Evaluate) stmt()   {}
func (*Attained) stmt()   {}
func (*Zero) stmt()       {}
func (*Add) stmt()        {}
func (*Perform) stmt()    {}

// Operand is what a kernel or a solver takes: exactly one field is set.
type Operand struct {
	Place *Place
	Value Expr     // a number
	Dim   expr.Dim // a length
	Block bool     // the number of rows of the block
}

// Sum is a reduction over the rows: what a row adds, times its weight, or the largest value of the rows with a positive weight.
type Sum struct {
	To    *Place
	Value Expr
	Max   bool
	Index *Place // of the row with the largest value, where it is needed
}

// Write stores a number for a row or an entry.
type Write struct {
	To       Ref
	Value    Expr
	Weighted bool // times the weight of the row
	Add      bool // to what is there
}

// Total adds up the entries: of the whole, into a new number, or in a loop over the entries of a block those of each row, into
// memory.
type Total struct {
	To    *Place
	Value Expr
}

// Column is a column of the data, or of what has been computed from them, that a pass reads: the observations where Field is "".
type Column struct {
	To    *Place
	Field string
	Type  expr.Type
}

// OfRow reports whether a name is that of what one row of a block has.
func (s *Bind) OfRow() bool {
	return s.Own != nil && s.Own.Shape.Block && !s.Own.Shape.Stacked && !s.To.Shape.Block
}

// WrittenOut reports whether there is no loop: the entries are written out.
func (e *Each) WrittenOut() bool { return !e.Shape.Block && len(e.Shape.Dims) == 0 }
