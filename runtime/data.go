package runtime

import (
	"errors"
	"fmt"
	"math"
)

// DataError is a value of a data set that the model cannot take.
type DataError struct {
	Row    int // from 0
	Column int // from 0
	Value  float64
	Name   string // of the variable, or "weight"
	Want   string // what the value should have been
}

// Error returns one line; rows and columns are counted from 1, as people do.
func (e *DataError) Error() string {
	at := fmt.Sprintf("row %d", e.Row+1)
	if e.Column > 0 {
		at += fmt.Sprintf(", column %d", e.Column+1)
	}
	return fmt.Sprintf("%s: %s = %v is not %s", at, e.Name, e.Value, e.Want)
}

// valueTypes are the types of the spec language, each with its test and its meaning in words.
var valueTypes = map[string]struct {
	ok   func(float64) bool
	want string
}{
	"real":     {finite, "a finite number"},
	"positive": {func(x float64) bool { return x > 0 && finite(x) }, "a finite number above 0"},
	"unit":     {func(x float64) bool { return x > 0 && x < 1 }, "between 0 and 1 (both excluded)"},
	"count":    {isCount, "a whole number, 0 or more"},
	"binary":   {func(x float64) bool { return x == 0 || x == 1 }, "0 or 1"},
}

// isCount also excludes numbers from 2^53 on, where neighbouring whole numbers are no longer distinct.
func isCount(x float64) bool { return x >= 0 && x < 1<<53 && x == math.Trunc(x) }

// CheckData reports what is wrong with a data set for a model with the given number of columns (0 means 1), whose values
// are of a type of the spec language (real, positive, unit, count, binary) and have a name. Shape errors are plain
// errors; a bad value gives a *DataError. There must be at least one row, and at least one positive weight.
func CheckData(d Data, columns int, typ, name string) error {
	columns = max(columns, 1)
	if got := max(d.Columns, 1); got != columns {
		return fmt.Errorf("%s has %d columns, the data have %d", name, columns, got)
	}
	if len(d.Values) == 0 {
		return errors.New("the data have no rows")
	}
	if len(d.Values)%columns != 0 {
		return fmt.Errorf("%d values are not whole rows of %d", len(d.Values), columns)
	}
	t, ok := valueTypes[typ]
	if !ok {
		return fmt.Errorf("runtime: unknown type %q of %s", typ, name)
	}
	for i, x := range d.Values {
		if !t.ok(x) {
			return &DataError{Row: i / columns, Column: i % columns, Value: x, Name: name, Want: t.want}
		}
	}
	return checkWeights(d.Weights, len(d.Values)/columns)
}

func checkWeights(w []float64, rows int) error {
	if w == nil {
		return nil
	}
	if len(w) != rows {
		return fmt.Errorf("%d weights for %d rows", len(w), rows)
	}
	var sum float64
	for i, x := range w {
		if !(x >= 0 && finite(x)) {
			return &DataError{Row: i, Value: x, Name: "weight", Want: "a finite number, 0 or more"}
		}
		sum += x
	}
	if sum == 0 {
		return errors.New("all weights are 0")
	}
	if !finite(sum) {
		return errors.New("the sum of the weights is too large for floating point")
	}
	return nil
}
