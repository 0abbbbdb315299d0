package estimate_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/sngdgen/sngdgen/generated/mvnormal"
	"github.com/sngdgen/sngdgen/generated/normal"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/estimate"
)

// undefined is a model whose log-density is not defined at 7. It counts the rows for which its loss is asked.
type undefined struct {
	runtime.Model
	evaluated *int
}

func (u undefined) Clone() runtime.Model { return undefined{u.Model.Clone(), u.evaluated} }

func (u undefined) Batch(rows []int) error { return u.Model.(runtime.Batcher).Batch(rows) }

func (u undefined) Observations() runtime.Data { return u.Model.(runtime.Observed).Observations() }

func (u undefined) Loss(z []float64) float64 {
	rows, _, _ := u.Counts()
	*u.evaluated += rows
	if slices.Contains(u.Observations().Values, 7) {
		return math.NaN()
	}
	return u.Model.Loss(z)
}

func (u undefined) Gradients(v, c, z []float64) float64 {
	u.Model.Gradients(v, c, z)
	return u.Loss(z)
}

// TestRowAtFault: the error of a fit that cannot begin is the row whose log-density is not defined, with each row evaluated a few times for each start.
func TestRowAtFault(t *testing.T) {
	values := make([]float64, 1000)
	for i := range values {
		values[i] = float64(i%5) / 8
	}
	vectors := slices.Clone(values)
	values[618], vectors[618] = 7, 7
	for _, c := range []struct {
		model   runtime.Model
		row     int
		message string
	}{
		{must(normal.New(values)), 618, "row 619: x = 7 is not a value whose log-density is a finite number at the start"},
		{must(mvnormal.New(vectors, 2)), 309, "row 310: the log-density is NaN, not a finite number at the start"},
	} {
		rows, _, _ := c.model.Counts()
		evaluated := 0
		rep, err := estimate.Fit(context.Background(), undefined{c.model, &evaluated}, &estimate.Settings{Starts: 1})
		var bad *runtime.DataError
		if rep != nil || !errors.As(err, &bad) || bad.Row != c.row || err.Error() != c.message {
			t.Errorf("%v, %v, want %s", rep, err, c.message)
		}
		if limit := 40 * rows; evaluated == 0 || evaluated > limit {
			t.Errorf("%d evaluations of rows, more than %d", evaluated, limit)
		}
	}
}

func must[M runtime.Model](m M, err error) M {
	if err != nil {
		panic(err)
	}
	return m
}
