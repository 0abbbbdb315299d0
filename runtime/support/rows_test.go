package support_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/support"
	"github.com/sngdgen/sngdgen/runtime/types"
)

// Batches have the rows that were asked for, in their order, of every column; nil goes back to all. Rows that share the data have
// batches of their own.
func TestBatch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, width := rapid.IntRange(1, 8).Draw(t, "rows"), rapid.IntRange(1, 3).Draw(t, "width")
		d := runtime.Data{Columns: width}
		for i := range n * width {
			d.Values = append(d.Values, float64(i))
		}
		for i := range n {
			d.Weights = append(d.Weights, float64(i+1))
		}
		rows, _ := support.RowsOf(d)
		squares := make([]float64, n)
		for i := range squares {
			squares[i] = float64(i * i)
		}
		rows.Keep(1, squares)
		list := rapid.SliceOfN(rapid.IntRange(0, n-1), 1, 12).Draw(t, "batch")
		shared := rows.Shared()
		for _, batch := range [][]int{list, nil, list} {
			weights := rows.Weights(batch)
			w, x, s := weights.Of(0, weights.Len()), rows[1].Batch(batch), rows[2].Batch(batch)
			if other := shared.Weights([]int{0}); !slices.Equal(other.Given(), []float64{1}) {
				t.Fatal(other)
			}
			if batch == nil {
				if !slices.Equal(w, d.Weights) || !slices.Equal(x, d.Values) || !slices.Equal(s, squares) {
					t.Fatalf("all rows are %v, %v, %v", w, x, s)
				}
				continue
			}
			for k, i := range batch {
				if w[k] != d.Weights[i] || s[k] != squares[i] || !slices.Equal(x[k*width:(k+1)*width], d.Values[i*width:(i+1)*width]) {
					t.Fatalf("row %d of %v is %v, %v, %v", k, batch, w[k], x[k*width:(k+1)*width], s[k])
				}
			}
		}
		if rows.Given() != n || rows.Weight() != float64(n*(n+1)/2) {
			t.Fatalf("%d rows of weight %v", rows.Given(), rows.Weight())
		}
	})
}

// A batch no longer than one before takes no memory.
func TestBatchAllocations(t *testing.T) {
	rows, _ := support.RowsOf(runtime.Data{Values: make([]float64, 20), Columns: 2})
	batch := []int{1, 5, 9}
	if n := testing.AllocsPerRun(100, func() { rows[1].Batch(batch) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// Data that consist of parts are kept part by part; what is wrong is said of the column of the whole.
func TestSplit(t *testing.T) {
	columns := []support.Part{{Name: "X", Type: types.Vector.Of(types.Real), Width: 2}, {Name: "y", Type: types.Number.Of(types.Binary), Width: 1}}
	rows, err := support.Split(runtime.Data{Values: []float64{1, 2, 0, 3, 4, 1}, Columns: 3}, columns)
	if err != nil {
		t.Fatal(err)
	}
	if w, x, y := rows.Weights(nil), rows[1].Batch(nil), rows[2].Batch(nil); !slices.Equal(x, []float64{1, 2, 3, 4}) ||
		!slices.Equal(y, []float64{0, 1}) || w.Len() != 2 || w.Given() != nil || !slices.Equal(w.Of(0, 2), []float64{1, 1}) {
		t.Error(w, x, y)
	}
	for want, d := range map[string]runtime.Data{
		"row 2, column 3: y = 7 is not 0 or 1":   {Values: []float64{1, 2, 0, 3, 4, 7}, Columns: 3},
		"4 values in 2 columns are no rows of 3": {Values: []float64{1, 2, 0, 3}, Columns: 2},
		"1 weights for 2 rows":                   {Values: []float64{1, 2, 0, 3, 4, 1}, Columns: 3, Weights: []float64{1}},
	} {
		if _, err := support.Split(d, columns); message(err) != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

func TestCheckSizes(t *testing.T) {
	for want, c := range map[string]struct {
		dims  []string
		sizes []int
	}{
		"":                             {[]string{"d", "k"}, []int{2, 1}},
		"made has no dimensions":       {nil, nil},
		"made has 2 dimensions, not 1": {[]string{"d", "k"}, []int{2}},
		"made has 1 dimension, not 0":  {[]string{"d"}, nil},
		"dimension k cannot be 0":      {[]string{"d", "k"}, []int{2, 0}},
	} {
		if err := support.CheckSizes(&runtime.Info{Name: "made", Dims: c.dims}, c.sizes); message(err) != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// The weight of many rows is added up as one process of several would, and of a large batch without memory.
func TestTotalOfManyRows(t *testing.T) {
	for _, n := range []int{4096, 4097, 8192, 30_000, 300_001} {
		w := make([]float64, n)
		for i := range w {
			w[i] = 1 / float64(i+3)
		}
		rows, err := support.RowsOf(runtime.Data{Values: w, Weights: w})
		if err != nil {
			t.Fatal(err)
		}
		want := support.OverRows(nil, n, 1, func(row int, to []float64) { to[0] += w[row] })[0]
		if got := rows.Total(support.WeightsOf(w, n)); got != want {
			t.Errorf("%d rows: %v, and %v", n, got, want)
		}
		if allocs := testing.AllocsPerRun(3, func() { rows.Total(support.WeightsOf(w, n)) }); allocs > 0 {
			t.Errorf("%d rows: %v allocations", n, allocs)
		}
	}
}
