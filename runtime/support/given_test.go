package support_test

import (
	"slices"
	"testing"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/support"
	"github.com/sngdgen/sngdgen/runtime/types"
)

// given is a model of a number given a vector of two and a bit.
type given struct{ runtime.Model }

func (given) Sizes() []int { return nil }

func (given) Info() *runtime.Info {
	return &runtime.Info{Variable: runtime.Parameter{Name: "y", Type: types.Number.Of(types.Real)}, Given: []runtime.Parameter{
		{Name: "x", Type: types.Vector.Of(types.Positive), Shape: []runtime.Dim{{Size: 2}}}, {Name: "b", Type: types.Number.Of(types.Binary)}}}
}

// TestDrawGiven: what is given is of its type in every row, and the variable is left alone.
func TestDrawGiven(t *testing.T) {
	rows := slices.Repeat([]float64{7, 0, 0, 9}, 50)
	support.DrawGiven(rows, given{}, runtime.Stream(1, "given"))
	bits := 0.0
	for row := range slices.Chunk(rows, 4) {
		if row[0] != 7 || !(row[1] > 0 && row[2] > 0) || !types.Binary.Contains(row[3]) {
			t.Fatal(row)
		}
		bits += row[3]
	}
	if bits == 0 || bits == 50 {
		t.Errorf("%v of 50 bits", bits)
	}
}

// TestHeld: several parts make rows again.
func TestHeld(t *testing.T) {
	w := []float64{1, 2}
	d := support.Held(support.WeightsOf(w, len(w)), []float64{1, 2}, []float64{3, 4, 5, 6})
	if d.Columns != 3 || !slices.Equal(d.Values, []float64{1, 3, 4, 2, 5, 6}) || !slices.Equal(d.Weights, w) {
		t.Errorf("%+v", d)
	}
	if d := support.Held(support.WeightsOf(w, len(w)), []float64{1, 2, 3, 4}); d.Columns != 2 || !slices.Equal(d.Values, []float64{1, 2, 3, 4}) {
		t.Errorf("%+v", d)
	}
	if d := support.Held(support.Weights{}, nil, nil); len(d.Values) != 0 {
		t.Errorf("%+v", d)
	}
}
