package support

import (
	"errors"
	"fmt"
	"math"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/dense"
	"github.com/sngdgen/sngdgen/runtime/types"
)

// Held returns rows that a model holds, in one part or several, as a data set. How many columns a part has follows from the
// weights, of which there is one for each row. Of several parts it is a copy.
func Held(weights []float64, parts ...[]float64) runtime.Data {
	n := len(weights)
	switch {
	case n == 0:
		return runtime.Data{}
	case len(parts) == 1:
		return runtime.Data{Values: parts[0], Columns: len(parts[0]) / n, Weights: weights}
	}
	out := runtime.Data{Weights: weights}
	for i := range n {
		for _, p := range parts {
			width := len(p) / n
			out.Values = append(out.Values, p[i*width:(i+1)*width]...)
		}
	}
	out.Columns = len(out.Values) / n
	return out
}

// CheckData reports what is wrong with a data set for a model with the given number of columns (0 means 1), whose values
// have a name and a type: a number, or a vector or matrix of them, whose entries are the columns. Shape errors are plain errors;
// a bad value gives a *runtime.DataError. There must be at least one row, and at least one positive weight.
func CheckData(d runtime.Data, columns int, typ types.Type, name string) error {
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
	for i, x := range d.Values {
		if !typ.Entry.Contains(x) {
			return &runtime.DataError{Row: i / columns, Column: i % columns, Columns: columns, Value: x, Name: name, Want: typ.Entry.Want}
		}
	}
	if err := checkForm(d.Values, columns, typ.Form, name); err != nil {
		return err
	}
	return checkWeights(d.Weights, len(d.Values)/columns)
}

// checkForm checks what relates the entries of a row.
func checkForm(x []float64, columns int, form *types.Form, name string) error {
	switch {
	case form.Has(types.SumsToOne):
		return checkSums(x, columns, name)
	case form.Has(types.UnitLength):
		return checkLengths(x, columns, name)
	case form.Square():
		return checkMatrices(x, columns, form, name)
	}
	return nil
}

// checkSums checks that rows sum to one, up to what is lost when proportions are written to a file.
func checkSums(x []float64, columns int, name string) error {
	for i := 0; i < len(x); i += columns {
		var sum float64
		for _, v := range x[i : i+columns] {
			sum += v
		}
		if math.Abs(sum-1) > written {
			return &runtime.DataError{Row: i / columns, Value: sum, Name: "the sum of " + name, Want: "1"}
		}
	}
	return nil
}

// written is how far what is to be 1 may be from it in files, which have fewer digits than numbers.
const written = 1e-6

// checkLengths checks that rows have length 1.
func checkLengths(x []float64, columns int, name string) error {
	for i := 0; i < len(x); i += columns {
		var squares float64
		for _, v := range x[i : i+columns] {
			squares += v * v
		}
		if math.Abs(squares-1) > written {
			return &runtime.DataError{Row: i / columns, Value: math.Sqrt(squares), Name: "the length of " + name, Want: "1"}
		}
	}
	return nil
}

// checkMatrices checks that rows are square matrices of a form.
func checkMatrices(x []float64, columns int, form *types.Form, name string) error {
	side := Side(columns, 0, 0, 1)
	if side == 0 {
		return fmt.Errorf("%s takes all entries of a square matrix: %s are none", name, plural(columns, "column"))
	}
	factor := make([]float64, columns)
	for i := 0; i < len(x); i += columns {
		at := fmt.Sprintf("row %d: %s", i/columns+1, name)
		a := x[i : i+columns]
		if err := form.Check(a, side, at); err != nil {
			return err
		}
		if form.Has(types.PositiveDefinite) && !dense.Cholesky(factor, a, side) {
			return fmt.Errorf("%s is not positive definite", at)
		}
		for j := range side {
			if form.Has(types.PositiveDiagonal) && !(a[j*(side+1)] > 0) {
				return fmt.Errorf("%s has %v on its diagonal, which is positive", at, a[j*(side+1)])
			}
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
			return &runtime.DataError{Row: i, Value: x, Name: "weight", Want: "a finite number, 0 or more"}
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

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func finite(x float64) bool { return x-x == 0 }
