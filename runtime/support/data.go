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
// number of rows, which the weights know. Of several parts it is a copy.
func Held(weights Weights, parts ...[]float64) runtime.Data {
	n := weights.rows
	switch {
	case n == 0:
		return runtime.Data{}
	case len(parts) == 1:
		return runtime.Data{Values: parts[0], Columns: len(parts[0]) / n, Weights: weights.given}
	}
	out := runtime.Data{Weights: weights.given}
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
// a bad value gives a *runtime.DataError. There must be at least one row, and at least one positive weight. Of several processes all have
// an error where one has.
func CheckData(d runtime.Data, columns int, typ types.Type, name string) error {
	return Agreed(d.Others, checkData(d, columns, typ, name))
}

func checkData(d runtime.Data, columns int, typ types.Type, name string) error {
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
		if bad := checkSums(x, columns, name); bad != nil {
			return bad
		}
	case form.Has(types.UnitLength):
		return checkLengths(x, columns, name)
	case form.Square():
		return checkMatrices(x, columns, form, name)
	}
	return nil
}

// checkSums checks that rows sum to one, up to what is lost when proportions are written to a file.
func checkSums(x []float64, columns int, name string) *runtime.DataError {
	for i := 0; i < len(x); i += columns {
		if sum := dense.Sum(x[i : i+columns]); math.Abs(sum-1) > written {
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
		return fmt.Errorf("%s takes all entries of a square matrix, or those of its lower triangle: %s are neither", name, plural(columns, "column"))
	}
	m := newMatrices(form, side, name)
	for i := 0; i < len(x); i += columns {
		if bad := m.check(x[i : i+columns]); bad != nil {
			bad.Row = i / columns
			return bad
		}
	}
	return nil
}

// matrices checks square matrices of a form.
type matrices struct {
	name   string
	form   *types.Form
	side   int
	factor []float64
}

func newMatrices(form *types.Form, side int, name string) *matrices {
	return &matrices{name: name, form: form, side: side, factor: make([]float64, side*side)}
}

// asWritten is how far entries may be apart that are to be equal, as a part of them, in files.
const asWritten = 1e-9

func (m *matrices) check(a []float64) *runtime.DataError {
	if m.form.Has(types.RowsSumToOne) {
		return m.checkRows(a)
	}
	for i := range m.side {
		switch x := a[i*m.side+i]; {
		case m.form.Has(types.UnitDiagonal) && !(math.Abs(x-1) <= written):
			return m.wrong(x, i, i, "1")
		case m.form.Has(types.PositiveDiagonal) && !(x > 0):
			return m.wrong(x, i, i, "above 0")
		}
		for j := range i {
			below, above := a[i*m.side+j], a[j*m.side+i]
			switch {
			case m.form.Has(types.Symmetric) && math.Abs(below-above) > asWritten*math.Max(math.Abs(below), math.Abs(above)):
				return m.wrong(below, i, j, fmt.Sprintf("%v, as %s is", above, m.entry(j, i)))
			case m.form.Has(types.LowerTriangular) && above != 0:
				return m.wrong(above, j, i, "0, as above the diagonal of a lower triangular matrix")
			}
		}
	}
	if m.form.Has(types.PositiveDefinite) && !dense.Cholesky(m.factor, a, m.side) {
		i, x := m.pivot(a)
		return m.wrong(x, i, i, "above 0, as a pivot of a matrix that is positive definite")
	}
	return nil
}

// checkRows checks that the rows of a matrix sum to one.
func (m *matrices) checkRows(a []float64) *runtime.DataError {
	for i := range m.side {
		if bad := checkSums(a[i*m.side:(i+1)*m.side], m.side, fmt.Sprintf("row %d of %s", i+1, m.name)); bad != nil {
			return bad
		}
	}
	return nil
}

func (m *matrices) wrong(x float64, i, j int, want string) *runtime.DataError {
	return &runtime.DataError{Column: i*m.side + j, Columns: m.side * m.side, Value: x, Name: m.entry(i, j), Want: want}
}

func (m *matrices) entry(i, j int) string { return fmt.Sprintf("%s[%d, %d]", m.name, i+1, j+1) }

// pivot is the first number that is not above 0 of those whose square roots the diagonal of the Cholesky factor is, and which.
func (m *matrices) pivot(a []float64) (int, float64) {
	d := m.side
	for i := range d {
		for j := range i + 1 {
			x := a[i*d+j]
			for k := range j {
				x -= m.factor[i*d+k] * m.factor[j*d+k]
			}
			switch {
			case i != j:
				m.factor[i*d+j] = x / m.factor[j*d+j]
			case !(x > 0):
				return i, x
			default:
				m.factor[i*d+i] = math.Sqrt(x)
			}
		}
	}
	return 0, math.NaN()
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
