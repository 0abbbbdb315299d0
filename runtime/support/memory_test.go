package support_test

import (
	"errors"
	goruntime "runtime"
	"testing"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/support"
	"github.com/sngdgen/sngdgen/runtime/types"
)

// manyRows are so many that what is allocated beside them is lost among it.
const manyRows = 1 << 18

// allocated is how many bytes a function allocates.
func allocated(f func()) int {
	var before, after goruntime.MemStats
	f() // so that what is made once is there
	goruntime.ReadMemStats(&before)
	f()
	goruntime.ReadMemStats(&after)
	return int(after.TotalAlloc - before.TotalAlloc)
}

// Rows take the bytes of their numbers, and none where these are kept as they are; weights where there are some.
func TestMemoryOfRows(t *testing.T) {
	const small = 1 << 14 // of the test itself; a number of every row is 2 MB
	x, w := make([]float64, 3*manyRows), make([]float64, manyRows)
	for i := range w {
		w[i] = 2
	}
	parts := []support.Part{{Name: "a", Type: types.Vector.Of(types.Real), Width: 2}, {Name: "b", Type: types.Number.Of(types.Real), Width: 1}}
	one := []support.Part{{Name: "x", Type: types.Vector.Of(types.Real), Width: 3}}
	take := func(d runtime.Data) error { _, err := support.RowsOf(d); return err }
	split := func(parts []support.Part) func(runtime.Data) error {
		return func(d runtime.Data) error { _, err := support.Split(d, parts); return err }
	}
	for _, c := range []struct {
		name    string
		take    func(runtime.Data) error
		data    runtime.Data
		numbers int // of every row that are copied
	}{
		{"copied", take, runtime.Data{Values: x, Columns: 3}, 3},
		{"copied with weights", take, runtime.Data{Values: x, Columns: 3, Weights: w}, 4},
		{"kept", take, runtime.Data{Values: x, Columns: 3, Kept: true}, 0},
		{"kept with weights", take, runtime.Data{Values: x, Columns: 3, Weights: w, Kept: true}, 0},
		{"parts", split(parts), runtime.Data{Values: x, Columns: 3, Kept: true}, 3},
		{"parts with weights", split(parts), runtime.Data{Values: x, Columns: 3, Weights: w}, 4},
		{"one part", split(one), runtime.Data{Values: x, Columns: 3, Kept: true}, 0},
	} {
		got := allocated(func() {
			if err := c.take(c.data); err != nil {
				t.Fatal(c.name, err)
			}
		})
		if want := 8 * c.numbers * manyRows; got < want || got > want+small {
			t.Errorf("%s: %d bytes, which should be %d", c.name, got, want)
		}
	}
}

// What a model keeps of every row is in the memory that it is given, whose error is that of the data.
func TestRoomOfRows(t *testing.T) {
	numbers, full := 0, errors.New("full")
	room := func(n int) ([]float64, error) {
		if numbers += n; numbers > 100 {
			return nil, full
		}
		return make([]float64, n), nil
	}
	parts := []support.Part{{Name: "a", Type: types.Number.Of(types.Real), Width: 1}, {Name: "b", Type: types.Number.Of(types.Real), Width: 1}}
	d := runtime.Data{Values: make([]float64, 60), Columns: 2, Kept: true, Room: room}
	rows, err := support.Split(d, parts)
	if err != nil || numbers != 60 {
		t.Fatal(err, numbers)
	}
	var column []float64
	if err := rows.Space(&column, 1); err != nil || numbers != 90 || len(column) != 30 {
		t.Error(err, numbers, len(column))
	}
	if err := rows.Stack(2, 0, nil); !errors.Is(err, full) {
		t.Error(err)
	}
	if _, err := support.RowsOf(runtime.Data{Values: d.Values, Columns: 2, Room: room}); !errors.Is(err, full) {
		t.Error(err)
	}
}

// Weights of which there are none are those that are all 1.
func TestOnes(t *testing.T) {
	none, some := support.WeightsOf(nil, 300), support.WeightsOf([]float64{1, 1, 1}, 0)
	if none.Len() != 300 || some.Len() != 3 || none.Given() != nil {
		t.Error(none.Len(), some.Len())
	}
	all := make([]float64, 300)
	none.Copy(all)
	for i, w := range none.Of(256, 300) {
		if w != 1 || all[i] != 1 || all[299-i] != 1 || none.At(i) != 1 {
			t.Fatal(i, w)
		}
	}
}
