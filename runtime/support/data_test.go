package support_test

import (
	"errors"
	"math"
	"testing"

	_ "github.com/sngdgen/sngdgen/internal/testseed"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/support"
	"github.com/sngdgen/sngdgen/runtime/types"
)

func TestCheckData(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		data    runtime.Data
		columns int
		typ     types.Type
		want    string // "" means fine
	}{
		{runtime.Data{Values: []float64{0, -1.5}}, 1, types.Number.Of(types.Real), ""},
		{runtime.Data{Values: []float64{0, 3}}, 0, types.Number.Of(types.Count), ""},
		{runtime.Data{Values: []float64{1, 2, 3, 4}, Columns: 2}, 2, types.Number.Of(types.Real), ""},
		{runtime.Data{Values: []float64{0, 1}, Weights: []float64{0, 2.5}}, 1, types.Number.Of(types.Binary), ""},
		{runtime.Data{Values: []float64{1e-300, 1e300}}, 1, types.Number.Of(types.Positive), ""},
		{runtime.Data{Values: []float64{0.5}}, 1, types.Number.Of(types.Unit), ""},
		{runtime.Data{}, 1, types.Number.Of(types.Real), "the data have no rows"},
		{runtime.Data{Values: []float64{1, 2, 3}, Columns: 2}, 2, types.Number.Of(types.Real), "3 values are not whole rows of 2"},
		{runtime.Data{Values: []float64{1, 2}}, 2, types.Number.Of(types.Real), "x takes 2 columns, the data have 1"},
		{runtime.Data{Values: []float64{1, nan}}, 1, types.Number.Of(types.Real), "row 2: x = NaN is not a finite number"},
		{runtime.Data{Values: []float64{1, 2, 3, inf}, Columns: 2}, 2, types.Number.Of(types.Real), "row 2, column 2: x = +Inf is not a finite number"},
		{runtime.Data{Values: []float64{1, 0}}, 1, types.Number.Of(types.Positive), "row 2: x = 0 is not a finite number above 0"},
		{runtime.Data{Values: []float64{inf}}, 1, types.Number.Of(types.Positive), "row 1: x = +Inf is not a finite number above 0"},
		{runtime.Data{Values: []float64{1}}, 1, types.Number.Of(types.Unit), "row 1: x = 1 is not between 0 and 1 (both excluded)"},
		{runtime.Data{Values: []float64{3, 2.5}}, 1, types.Number.Of(types.Count), "row 2: x = 2.5 is not a whole number, 0 or more"},
		{runtime.Data{Values: []float64{-1}}, 1, types.Number.Of(types.Count), "row 1: x = -1 is not a whole number, 0 or more"},
		{runtime.Data{Values: []float64{1e16}}, 1, types.Number.Of(types.Count), "row 1: x = 1e+16 is not a whole number, 0 or more"},
		{runtime.Data{Values: []float64{2}}, 1, types.Number.Of(types.Binary), "row 1: x = 2 is not 0 or 1"},
		{runtime.Data{Values: []float64{1, -2, 3, 4}, Columns: 2}, 2, types.Vector.Of(types.Real), ""},
		{runtime.Data{Values: []float64{1}}, 1, types.Vector.Of(types.Real), ""},
		{runtime.Data{Values: []float64{1, 2, nan, 4}, Columns: 2}, 2, types.Vector.Of(types.Real), "row 2, column 1: x = NaN is not a finite number"},
		{runtime.Data{Values: []float64{1, 2, 3, 4.5}, Columns: 2}, 2, types.Vector.Of(types.Count),
			"row 2, column 2: x = 4.5 is not a whole number, 0 or more"},
		{runtime.Data{Values: []float64{0.1, 0.9, 0, 1}, Columns: 2}, 2, types.Vector.Of(types.Unit),
			"row 2, column 1: x = 0 is not between 0 and 1 (both excluded)"},
		{runtime.Data{Values: []float64{2, 1, 1, 3}, Columns: 4}, 4, types.SPD.Of(types.Real), ""},
		{runtime.Data{Values: []float64{0.1, 0.9, 0.4, 0.6}, Columns: 2}, 2, types.Simplex.Of(types.Unit), ""},
		{runtime.Data{Values: []float64{0.1, 0.9, 0.4, 0.3}, Columns: 2}, 2, types.Simplex.Of(types.Unit), "row 2: the sum of x = 0.7 is not 1"},
		{runtime.Data{Values: []float64{1, 2, 3, 4}, Columns: 2, Weights: []float64{1, -1}}, 2, types.Vector.Of(types.Real),
			"row 2: weight = -1 is not a finite number, 0 or more"},
		{runtime.Data{Values: []float64{1, 2}, Weights: []float64{1}}, 1, types.Number.Of(types.Real), "1 weights for 2 rows"},
		{runtime.Data{Values: []float64{1, 2}, Weights: []float64{1, -1}}, 1, types.Number.Of(types.Real), "row 2: weight = -1 is not a finite number, 0 or more"},
		{runtime.Data{Values: []float64{1, 2}, Weights: []float64{0, 0}}, 1, types.Number.Of(types.Real), "all weights are 0"},
		{runtime.Data{Values: []float64{1, 2}, Weights: []float64{1e308, 1e308}}, 1, types.Number.Of(types.Real), "the sum of the weights is too large for floating point"},
	} {
		err := support.CheckData(c.data, c.columns, c.typ, "x")
		if got := message(err); got != c.want {
			t.Errorf("%v as %s: got %q, want %q", c.data, c.typ.Written("d"), got, c.want)
		}
	}
	var bad *runtime.DataError
	err := support.CheckData(runtime.Data{Values: []float64{1, 2, 3, nan}, Columns: 2}, 2, types.Number.Of(types.Real), "x")
	if !errors.As(err, &bad) || bad.Row != 1 || bad.Column != 1 || bad.Name != "x" {
		t.Errorf("%#v", err)
	}
}

func message(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
