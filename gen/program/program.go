// Package program is the language between expressions and Go: what a generated function does, statement by statement, on typed
// places. Package plan writes programs, package emit prints them as Go; there is no text of Go in them.
//
// A program has numbers and memory. Memory is an array: a vector, a matrix, one of these for each row of a block of rows, or for
// each component of a mixture. What a formula does with numbers is an expression, in which an operand is a number or an entry of
// an array; what is done with arrays as a whole is a call of a kernel. Statements are small types; whoever goes through them has
// a case for each, and a test holds the cases complete.
package program

import (
	"fmt"
	"slices"

	"github.com/sngdgen/sngdgen/expr"
)

// Program is a function: its statements, with what they need.
type Program struct {
	Name string // of the function that it is, or is part of
	Body []Stmt
	// Slots is the memory that it needs at a time.
	Slots []Slots
	// Components is the number of components of a mixture; the zero value where there are none.
	Components expr.Dim
	// OfComponent is true for a program that is run for one component, which is an argument.
	OfComponent bool
}

// Shape is that of an array: of one value, or of one for each row of a block, or for each component of a mixture. The zero value
// is that of a number.
type Shape struct {
	Block bool // one for each row of a block
	Dims  []expr.Dim
	Lower bool // of a square matrix the lower triangle alone
	// Inside is true for memory of a loop over components that nothing needs after it, Stacked for one value for each
	// component, one after the other.
	Inside, Stacked bool
	Here            bool // memory of a loop over the rows of a block, for one of them
}

// ShapeOf is that of a value.
func ShapeOf(t expr.Type) Shape {
	return Shape{Block: t.Axes.Has(expr.Rows), Dims: slices.Clone(t.Dims[:t.Rank])}
}

// Equal reports whether shapes are the same.
func (s Shape) Equal(t Shape) bool {
	return s.Block == t.Block && s.Lower == t.Lower && s.Inside == t.Inside && s.Stacked == t.Stacked && s.Here == t.Here && slices.Equal(s.Dims, t.Dims)
}

// Key tells shapes apart. Texts for people do not: a dimension may be called rows.
func (s Shape) Key() string {
	return fmt.Sprintf("%q %t %t %t %t %t", s.Dims, s.Block, s.Lower, s.Inside, s.Stacked, s.Here)
}

// Number reports whether it is that of a number.
func (s Shape) Number() bool { return !s.Block && !s.Stacked && len(s.Dims) == 0 }

// Slots is how many arrays of one shape are needed at a time.
type Slots struct {
	Shape Shape
	Count int
}

// Place is a number or an array under a name: what a statement declares, or what the function is given.
type Place struct {
	Name  string
	Shape Shape
	Given *Given // nil for what the program declares
	// About is a formula of what it is, for people; "" where its name says it.
	About string
}

// OfRows reports whether it is a column of the model, which has numbers for all rows: what a kernel is handed of it are those of the block.
func (p *Place) OfRows() bool {
	return p.Given != nil && p.Given.Owner != "" && p.Given.Part == nil && p.Shape.Block
}

// Loop is an index of a loop.
type Loop int

// The loops. Those over the entries of an array and over the rows of a block have names of their own, since they are nested
// in one way only: rows around entries, entries of a column around those of a row, components around all of them.
const (
	NoLoop    Loop = iota
	I              // the entries of a vector, the rows of a matrix, the rows of a block
	J              // the columns of a matrix, the entries of a row of a block
	Row            // the rows, all of them: of a block from where it starts
	Component      // the components
	Here           // the row of a block that a loop over them is at, for what is stored for it
)

// Index is a subscript: that of a loop, a number, or what a place says.
type Index struct {
	Loop Loop
	At   int // where Loop is NoLoop
	// By is a whole number in memory, counted from 1, as a column of groups has it; nil for the others. What it says may lie beyond
	// the ends of an array: there an entry is 0, and nothing is written.
	By *Ref
}

// At is a subscript that is a number.
func At(i int) Index { return Index{At: i} }

// Over is the subscript of a loop.
func Over(l Loop) Index { return Index{Loop: l} }

// By is the subscript that a place says.
func By(r Ref) Index { return Index{By: &r} }

// Equal reports whether subscripts are the same.
func (i Index) Equal(j Index) bool {
	if i.By == nil || j.By == nil {
		return i == j
	}
	return i.By.Place == j.By.Place && slices.EqualFunc(i.By.At, j.By.At, Index.Equal)
}

// Gathers reports whether a subscript of an entry is what a place says.
func (r Ref) Gathers() bool {
	return slices.ContainsFunc(r.At, func(i Index) bool { return i.By != nil })
}

// Demand notes that so many arrays of a shape are needed at a time.
func (p *Program) Demand(s Shape, count int) {
	for i := range p.Slots {
		if p.Slots[i].Shape.Equal(s) {
			p.Slots[i].Count = max(p.Slots[i].Count, count)
			return
		}
	}
	p.Slots = append(p.Slots, Slots{s, count})
}

// Weights are the weights of the rows of a block, which every pass knows.
var Weights = &Place{Name: "weights", Shape: Shape{Block: true}}
