package estimate

import (
	"cmp"
	"context"
	"errors"
	"math"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/types"
)

// unbegun is the error of a fit of which no run has begun: the row of the data that is at fault if there is one, a
// *runtime.DataError, or why the runs could not begin.
func unbegun(ctx context.Context, m runtime.Model, runs []attempt) error {
	if ctx.Err() == nil {
		if bad := rowAtFault(m.Clone()); bad != nil {
			return bad
		}
	}
	if err := failures(runs); err != nil {
		return err
	}
	return cmp.Or(ctx.Err(), errNoStart)
}

// errNoStart is said where no start leads anywhere, and none says why.
var errNoStart = errors.New("no run could begin: no start is inside the domain")

// rowAtFault finds a row of the data whose log-density is not a finite number at the first start that is inside the domain.
// It is nil when no row is to blame. All rows are evaluated about twice.
func rowAtFault(m runtime.Model) *runtime.DataError {
	rows, _, _ := m.Counts()
	batches, ok := m.(runtime.Batcher)
	if !ok || rows == 0 || divided(m) && rows > mostLooked {
		return nil
	}
	z := undefinedStart(m)
	if z == nil {
		return nil
	}
	suspects := make([]int, rows)
	for i := range suspects {
		suspects[i] = i
	}
	faulty := func(rows []int) bool { return batches.Batch(rows) == nil && !finite(m.Loss(z)) }
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
	return blame(m, suspects[0])
}

// undefinedStart returns the first start that is inside the domain where the loss is not finite.
func undefinedStart(m runtime.Model) []float64 {
	z := make([]float64, dimension(m))
	for i := range m.Info().Starts {
		if m.Start(z, i, nil) == nil && m.Violation(z) < 0 && !finite(m.Loss(z)) {
			return z
		}
	}
	return nil
}

// blame words the fault of a row, which is the batch of the model: a number is named, of several it is the row as a whole.
func blame(m runtime.Model, row int) *runtime.DataError {
	const where = "a finite number at the start"
	shown, ok := m.(runtime.Observed)
	if _, bound := m.(runtime.Variational); ok && !bound && m.Info().Variable.Type.Form == types.Number {
		if values := shown.Observations().Values; len(values) == 1 {
			return &runtime.DataError{Row: row, Columns: 1, Value: values[0], Name: m.Info().Variable.Name,
				Want: "a value whose log-density is " + where}
		}
	}
	return &runtime.DataError{Row: row, Value: math.NaN(), Name: "the log-density", Want: where, Whole: true}
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
