package expr

import (
	"fmt"
	"strings"
)

// Axes is a set of named batch axes. A value with an axis is one value for each row, component or draw; operations
// broadcast over axes by name, and reductions remove them. A value without axes is computed once.
type Axes uint8

// The batch axes.
const (
	Rows       Axes = 1 << iota // n: rows of the data, a weighted measure: reductions weigh every row
	Components                  // k: components of a mixture
	Draws                       // s: Monte Carlo draws
	OneRow                      // row: in programs alone, what a row has in a loop over the rows of a block
)

// axisNames are the names of the axes in formulas, in the order of the constants.
var axisNames = []string{"n", "k", "s", "row"}

// Has reports whether every axis of b is in a.
func (a Axes) Has(b Axes) bool { return a&b == b }

// String lists the axes, for example "n, k".
func (a Axes) String() string {
	var names []string
	for i, name := range axisNames {
		if a&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

// Dim is the length of a vector or of a side of a matrix: a symbol, or a number when it is pinned in the spec.
type Dim struct {
	Name string // symbolic when not empty
	Size int    // pinned when Name is empty
}

// String returns the symbol or the number.
func (d Dim) String() string {
	if d.Name != "" {
		return d.Name
	}
	return fmt.Sprint(d.Size)
}

// Type is the shape of one value (its core: a scalar, a vector or a matrix) and the batch axes it varies over.
type Type struct {
	Rank int    // 0 scalar, 1 vector, 2 matrix
	Dims [2]Dim // the first Rank are meaningful
	Axes Axes
}

// Scalar is the type of one number.
var Scalar = Type{}

// Over returns the type with the axes added.
func (t Type) Over(a Axes) Type { t.Axes |= a; return t }

// SameCore reports whether the shapes agree, whatever the axes.
func (t Type) SameCore(u Type) bool {
	t.Axes, u.Axes = 0, 0
	return t == u
}

// String returns for example "scalar", "vector(d) over n".
func (t Type) String() string {
	s := [...]string{"scalar", "vector", "matrix"}[t.Rank]
	switch t.Rank {
	case 1:
		s += fmt.Sprintf("(%v)", t.Dims[0])
	case 2:
		s += fmt.Sprintf("(%v, %v)", t.Dims[0], t.Dims[1])
	}
	if t.Axes != 0 {
		s += " over " + t.Axes.String()
	}
	return s
}

// Agree reports whether values can be the operands of one function, entry by entry.
func Agree(args []*Node) bool {
	_, err := broadcast(args)
	return err == nil
}

// broadcast returns the type of an elementwise operation on the operands: equal cores, or scalars with one core.
func broadcast(args []*Node) (Type, error) {
	t := Scalar
	for _, a := range args {
		switch {
		case a.Type.Rank == 0 || t.SameCore(a.Type):
		case t.Rank == 0:
			t.Rank, t.Dims = a.Type.Rank, a.Type.Dims
		default:
			return t, fmt.Errorf("shapes differ: %v and %v", t, a.Type)
		}
		t.Axes |= a.Type.Axes
	}
	return t, nil
}
