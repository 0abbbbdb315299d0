package worker

import (
	"math"

	"github.com/sngdgen/sngdgen/runtime"
)

// rowAtFault finds a row of the data whose log-density is not a finite number at the first start that is inside the domain,
// for a fit that could not begin. It is nil when no row is to blame.
func rowAtFault(m runtime.Model, data runtime.Data) *runtime.DataError {
	rows, _, _ := m.Counts()
	batches, ok := m.(runtime.Batcher)
	if !ok || rows == 0 {
		return nil
	}
	z := startOutside(m)
	if z == nil {
		return nil
	}
	suspects := make([]int, rows)
	for i := range suspects {
		suspects[i] = i
	}
	defer batches.Batch(nil)
	faulty := func(rows []int) bool {
		batches.Batch(rows)
		return !finite(m.Loss(z))
	}
	for len(suspects) > 1 { // a half that is faulty, of which there is one
		half := len(suspects) / 2
		if faulty(suspects[:half]) {
			suspects = suspects[:half]
		} else {
			suspects = suspects[half:]
		}
	}
	if !faulty(suspects) {
		return nil // it is all of them together
	}
	return blame(m, data, suspects[0])
}

// startOutside returns the first start that is inside the domain where the loss is not finite.
func startOutside(m runtime.Model) []float64 {
	last := m.Blocks()[len(m.Blocks())-1]
	z := make([]float64, last.Offset+last.Len)
	for i := range m.Info().Starts {
		if m.Start(z, i, nil) == nil && m.Violation(z) < 0 && !finite(m.Loss(z)) {
			return z
		}
	}
	return nil
}

// blame words the fault of a row: a number is named, of several it is the row as a whole.
func blame(m runtime.Model, data runtime.Data, row int) *runtime.DataError {
	const where = "a finite number at the start"
	if width := max(data.Columns, 1); width > 1 {
		return &runtime.DataError{Row: row, Value: math.NaN(), Name: "the log-density", Want: where}
	}
	return &runtime.DataError{Row: row, Columns: 1, Value: data.Values[row], Name: m.Info().Variable.Name,
		Want: "a value whose log-density is " + where}
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
