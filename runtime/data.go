package runtime

import (
	"fmt"
	"strings"
)

// DataError is a value of a data set that the model cannot take.
type DataError struct {
	Row     int // from 0
	Column  int // from 0
	Columns int // numbers in a row: the message names the column when there are several
	Value   float64
	Name    string // of the variable, or "weight"
	Want    string // what the value should have been
	// Whole says that the row is at fault as a whole, with the numbers in the columns Shown, all of them where it is nil: what Name says of it is
	// Value.
	Whole bool
	Shown []int
	// Outside is set where rows as a whole are at fault, as they lie outside the support: Row is the first of them.
	Outside *Outside
}

// ShownOutside is how many rows an Outside names.
const ShownOutside = 3

// Outside are rows of a data set that lie outside the support of a distribution: the first ones, from 0, with the condition that each does
// not meet, and how many there are.
type Outside struct {
	Rows       []int
	Conditions []string
	// Columns are, for each of them, the columns of the data that the condition names.
	Columns [][]int
	Count   int
}

// Error returns one line; rows and columns are counted from 1, as people do.
func (e *DataError) Error() string {
	if o := e.Outside; o != nil {
		return o.text()
	}
	at := fmt.Sprintf("row %d", e.Row+1)
	if e.Whole {
		return fmt.Sprintf("%s: %s is %v, not %s", at, e.Name, e.Value, e.Want)
	}
	if e.Columns > 1 {
		at += fmt.Sprintf(", column %d", e.Column+1)
	}
	return fmt.Sprintf("%s: %s = %v is not %s", at, e.Name, e.Value, e.Want)
}

// text names the rows.
func (o *Outside) text() string {
	var list []string
	for i, row := range o.Rows {
		list = append(list, fmt.Sprintf("row %d: %s does not hold", row+1, o.Conditions[i]))
	}
	if more := o.Count - len(o.Rows); more > 0 {
		list = append(list, fmt.Sprintf("%d more", more))
	}
	return "outside the support: " + strings.Join(list, "; ")
}

// Rows is the number of rows.
func (d *Data) Rows() int { return len(d.Values) / max(d.Columns, 1) }

// Weight is the weight of a row.
func (d *Data) Weight(row int) float64 {
	if d.Weights == nil {
		return 1
	}
	return d.Weights[row]
}

// Written returns the type as a spec writes it, for example positive, count vector(d) or simplex(k).
func (p *Parameter) Written() string {
	var lengths []string
	for _, d := range p.Component().Shape {
		lengths = append(lengths, d.String())
	}
	return p.Type.Written(lengths...)
}

// Default writes the value that a parameter of a model has where nothing else is said, as for draws: see types.Type. All
// components of a mixture have the same. The sizes of the model must be known.
func (p *Parameter) Default(dst []float64, m Model) {
	one := p.Component()
	for n := one.Len(m); len(dst) > 0; dst = dst[n:] {
		one.Type.Default(dst[:n], one.Side(m))
	}
}

// Side returns the number of rows of a matrix, of each component where there are several; 0 for what is no matrix. The sizes of
// the model must be known.
func (p *Parameter) Side(m Model) int {
	if one := p.Component(); len(one.Shape) == 2 {
		return one.Shape[0].Len(m)
	}
	return 0
}
