package runtime

import (
	"errors"
	"fmt"
	"math"
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
}

// Error returns one line; rows and columns are counted from 1, as people do.
func (e *DataError) Error() string {
	at := fmt.Sprintf("row %d", e.Row+1)
	if e.Columns > 1 {
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

// Entries returns the type of each entry of a parameter: real, positive, unit, count or binary; that of a number is its
// own, and that of a matrix real.
func (p *Parameter) Entries() string { return entries(p.Type) }

// Kind returns the type without the type of its entries and its lengths: vector, matrix, spd, corr, lower, simplex, or
// for a number the type itself.
func (p *Parameter) Kind() string {
	_, kind := splitType(p.Type)
	return kind
}

// Default writes the value that a parameter of a model has where nothing else is said, as for draws: 0 for real numbers
// and bits, 1 for positive ones and counts, 1/2 between 0 and 1, entry by entry in vectors, except that n numbers between 0
// and 1, which may be the probabilities of all cases but one, are 1/(n+1); the identity for spd, corr and lower; equal
// parts for a simplex; 0 for other matrices. All components of a mixture have the same. The sizes of the model must be
// known.
func (p *Parameter) Default(dst []float64, m Model) {
	if p.Components {
		one := p.Component()
		for n := one.Len(m); len(dst) > 0; dst = dst[n:] {
			one.Default(dst[:n], m)
		}
		return
	}
	entry := map[string]float64{"positive": 1, "count": 1, "unit": 0.5}[p.Entries()]
	kind := p.Kind()
	switch {
	case kind == "simplex":
		entry = 1 / float64(len(dst))
	case kind == "vector" && p.Entries() == "unit":
		entry = 1 / float64(len(dst)+1)
	}
	for i := range dst {
		dst[i] = entry
	}
	if kind == "spd" || kind == "corr" || kind == "lower" {
		for i := 0; i < len(dst); i += p.Shape[1].Len(m) + 1 {
			dst[i] = 1
		}
	}
}

// entries is the type of the entries of a type.
func entries(typ string) string {
	switch entry, kind := splitType(typ); {
	case entry != "":
		return entry
	case kind == "vector", kind == "matrix", kind == "spd", kind == "corr", kind == "lower":
		return "real"
	case kind == "simplex":
		return "unit"
	default:
		return kind
	}
}

// splitType cuts "count vector(d)" into count and vector.
func splitType(typ string) (entry, kind string) {
	kind, _, _ = strings.Cut(typ, "(")
	if before, after, ok := strings.Cut(kind, " "); ok {
		return before, after
	}
	return "", kind
}

// Resized returns a slice of n numbers, the given one if it has room for them; what they are is not specified.
func Resized(x []float64, n int) []float64 { return resized(x, n) }

// Held returns rows that a model holds as a data set. The number of columns follows from the weights, of which there is one
// for each row.
func Held(values, weights []float64) Data {
	if len(weights) == 0 {
		return Data{}
	}
	return Data{Values: values, Columns: len(values) / len(weights), Weights: weights}
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// CheckData reports what is wrong with a data set for a model with the given number of columns (0 means 1), whose values
// have a name and are of a type of the spec language: real, positive, unit, count, binary, or a vector or matrix of them,
// such as vector(d) or count vector(d), whose entries are the columns. Shape errors are plain errors; a bad value gives a
// *DataError. There must be at least one row, and at least one positive weight.
func CheckData(d Data, columns int, typ, name string) error {
	columns = max(columns, 1)
	if got := max(d.Columns, 1); got != columns {
		return fmt.Errorf("%s takes %s, the data have %d", name, plural(columns, "column"), got)
	}
	if len(d.Values) == 0 {
		return errors.New("the data have no rows")
	}
	if len(d.Values)%columns != 0 {
		return fmt.Errorf("%d values are not whole rows of %d", len(d.Values), columns)
	}
	t, ok := valueTypes[entries(typ)]
	if !ok {
		return fmt.Errorf("runtime: unknown type %q of %s", typ, name)
	}
	for i, x := range d.Values {
		if !t.ok(x) {
			return &DataError{Row: i / columns, Column: i % columns, Columns: columns, Value: x, Name: name, Want: t.want}
		}
	}
	if _, kind := splitType(typ); kind == "simplex" {
		if err := checkSums(d.Values, columns, name); err != nil {
			return err
		}
	}
	return checkWeights(d.Weights, len(d.Values)/columns)
}

// checkSums checks that rows sum to one, up to what is lost when proportions are written to a file.
func checkSums(x []float64, columns int, name string) error {
	for i := 0; i < len(x); i += columns {
		var sum float64
		for _, v := range x[i : i+columns] {
			sum += v
		}
		if math.Abs(sum-1) > 1e-6 {
			return &DataError{Row: i / columns, Value: sum, Name: "the sum of " + name, Want: "1"}
		}
	}
	return nil
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
