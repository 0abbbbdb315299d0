// Package syntax reads and writes the formula language: the text of a formula becomes a tree whose nodes know where
// they stand, and a tree becomes text again. It knows nothing of types, functions or distributions.
package syntax

// Expr is a node of the syntax tree: *Number, *Name, *Unary, *Binary, *Compare, *Call, *Index, *Slice, *List, *In,
// *Interval or *Onward. Positions are byte offsets
// into the text of the formula.
type Expr interface {
	// Span returns the half-open range of bytes the node covers. Parentheses around the whole node are not part of it.
	Span() (start, end int)
}

type span struct{ Start, End int }

// Span implements Expr.
func (s span) Span() (start, end int) { return s.Start, s.End }

// Number is a literal such as 2, 0.5 or 1e-3. It is never negative: -2 is a Unary.
type Number struct {
	span
	Value float64
	Text  string // as written; empty when the node was not parsed
}

// Name is an identifier.
type Name struct {
	span
	Name string
}

// Unary is prefix minus or postfix transpose.
type Unary struct {
	span
	Op byte // '-' or '\''
	X  Expr
}

// Binary is one of + - * / ^ @.
type Binary struct {
	span
	Op   byte
	X, Y Expr
}

// Compare is one of < <= > >= =. It stands at the top of a formula, in parentheses, or as an argument.
type Compare struct {
	span
	Op   string
	X, Y Expr
}

// Call is f(args), or f(args; params) for the density of another distribution, whose Fun is then dotted
// ("gamma.logpdf").
type Call struct {
	span
	Fun      string
	FunStart int // where the function's name starts; it ends at FunStart+len(Fun)
	Args     []Expr
	Params   []Expr // after the semicolon; nil when there is none
}

// Index is x[sub], or A[sub, sub] of a matrix. Entries are counted from 1.
type Index struct {
	span
	X    Expr
	Subs []Expr // *Slice for several entries
}

// Slice is from:to, both included, or : for all of them, without either. It stands only between the brackets of an index.
type Slice struct {
	span
	From, To Expr
}

// In is the first argument of sum(j in 1:m, f), integral(u in (a, b), f) and series(k from 0, f): a name that stands for each of the whole
// numbers of a range, for the numbers of an interval, or for the whole numbers from one on.
type In struct {
	span
	Name *Name
	Over Expr // *Slice, *Interval or *Onward
}

// Interval is (a, b), the numbers between two ends.
type Interval struct {
	span
	Lo, Hi Expr
}

// Onward is the whole numbers from one on.
type Onward struct {
	span
	From Expr
}

// List is [x, y, z], the vector of these numbers.
type List struct {
	span
	Items []Expr
}

// The functions below build trees by hand, without positions.

// Num returns a number.
func Num(value float64) *Number { return &Number{Value: value} }

// Var returns a name.
func Var(name string) *Name { return &Name{Name: name} }

// Neg returns -x.
func Neg(x Expr) *Unary { return &Unary{Op: '-', X: x} }

// Transpose returns x'.
func Transpose(x Expr) *Unary { return &Unary{Op: '\'', X: x} }

// Bin returns x op y, op being one of + - * / ^ @.
func Bin(op byte, x, y Expr) *Binary { return &Binary{Op: op, X: x, Y: y} }

// Cmp returns x op y, op being one of < <= > >= =.
func Cmp(op string, x, y Expr) *Compare { return &Compare{Op: op, X: x, Y: y} }

// Fn returns f(args).
func Fn(f string, args ...Expr) *Call { return &Call{Fun: f, Args: args} }
