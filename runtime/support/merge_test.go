package support_test

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/sngdgen/sngdgen/internal/processes"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/dense"
	"github.com/sngdgen/sngdgen/runtime/support"
	"github.com/sngdgen/sngdgen/runtime/types"
)

// merge returns the distinct values of one column in ascending order, and the sum of the weights of each.
func merge(x, w []float64) (distinct, weights []float64) {
	r, err := support.MergedRowsOf(runtime.Data{Values: x, Weights: w})
	if err != nil {
		panic(err)
	}
	all := r.Weights(nil)
	weights = make([]float64, all.Len())
	all.Copy(weights)
	return r[1].Batch(nil), weights
}

func TestMerged(t *testing.T) {
	for _, c := range []struct{ x, w, distinct, weights []float64 }{
		{[]float64{3, 1, 3, 0, 1, 3}, nil, []float64{0, 1, 3}, []float64{1, 2, 3}},
		{[]float64{3, 1, 3}, []float64{0.5, 0, 2}, []float64{3}, []float64{2.5}},
		{[]float64{3, 1}, []float64{2, 0}, []float64{3}, []float64{2}},
		{[]float64{0.5, -1, 0.5}, nil, []float64{-1, 0.5}, []float64{1, 2}},
		{[]float64{0, 2, math.Copysign(0, -1)}, nil, []float64{0, 2}, []float64{2, 1}},
		{[]float64{3, 1, 2}, nil, []float64{3, 1, 2}, []float64{1, 1, 1}}, // none are equal
		{[]float64{3, 1, 3}, []float64{1, 1, 1e-20}, []float64{1, 3}, []float64{1, 1}},
	} {
		d, w := merge(c.x, c.w)
		if !slices.Equal(d, c.distinct) || !slices.Equal(w, c.weights) {
			t.Errorf("merged %v, %v: %v, %v", c.x, c.w, d, w)
		}
	}
}

// drawnRows are rows of which many are equal, in parts, and the sum of the weights of each, by what it is printed as.
func drawnRows(t *rapid.T) (d runtime.Data, parts []support.Part, want map[string]float64) {
	widths := rapid.SliceOfN(rapid.IntRange(1, 3), 1, 3).Draw(t, "widths")
	for i, w := range widths {
		parts = append(parts, support.Part{Name: fmt.Sprint("part ", i), Type: types.Vector.Of(types.Real), Width: w})
		d.Columns += w
	}
	rows := rapid.SliceOfN(rapid.SliceOfN(rapid.SampledFrom([]float64{-1.5, 0, 2}), d.Columns, d.Columns), 1, 30).Draw(t, "rows")
	weighted := rapid.Bool().Draw(t, "weighted")
	want = map[string]float64{}
	for _, row := range rows {
		d.Values = append(d.Values, row...)
		w := 1.0
		if weighted {
			w = rapid.SampledFrom([]float64{0, 1, 0.25, 7}).Draw(t, "weight")
			d.Weights = append(d.Weights, w)
		}
		if w > 0 {
			want[fmt.Sprint(row)] += w
		}
	}
	return d, parts, want
}

// Merged rows are those that differ, with the sum of their weights, in ascending order; a batch has the rows as they were given, also of what was
// computed for those that differ.
func TestMergedRows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d, parts, want := drawnRows(t)
		if len(want) == 0 {
			t.Skip("nothing weighs anything")
		}
		r, err := support.SplitMerged(d, parts)
		if err != nil {
			t.Fatal(err)
		}
		all := r.Weights(nil)
		distinct := joinedRows(r, nil, len(parts))
		if len(want) < d.Rows() && !slices.IsSortedFunc(distinct, slices.Compare) {
			t.Fatalf("%v are not in order", distinct)
		}
		for i, row := range distinct {
			if all.At(i) != want[fmt.Sprint(row)] {
				t.Fatalf("%v has weight %v, not %v", row, all.At(i), want[fmt.Sprint(row)])
			}
			delete(want, fmt.Sprint(row))
		}
		if len(want) > 0 {
			t.Fatal("lost: ", want)
		}
		checkComputed(t, d, r, distinct)
	})
}

// joinedRows are rows of a batch with their parts joined.
func joinedRows(r support.Rows, batch []int, parts int) [][]float64 {
	w := r.Weights(batch)
	rows := make([][]float64, w.Len())
	for _, c := range r[1 : parts+1] {
		for i, v := range slices.Collect(slices.Chunk(c.Batch(batch), len(c.Batch(batch))/max(len(rows), 1))) {
			rows[i] = append(rows[i], v...)
		}
	}
	return rows
}

// checkComputed checks batches of the parts, and of the sum of each row, which is computed for those that differ.
func checkComputed(t *rapid.T, d runtime.Data, r support.Rows, distinct [][]float64) {
	parts := len(r) - 1
	var sums []float64
	if err := r.Space(&sums, 1); err != nil || len(sums) < len(distinct) {
		t.Fatal(err, len(sums))
	}
	for i, row := range distinct {
		sums[i] = dense.Sum(row)
	}
	r.Keep(1, sums)
	batch := rapid.SliceOfN(rapid.IntRange(0, d.Rows()-1), 1, 12).Draw(t, "batch")
	for _, r := range []support.Rows{r, r.Shared()} {
		w, rows, computed := r.Weights(batch), joinedRows(r, batch, parts), r[parts+1].Batch(batch)
		for k, i := range batch {
			given := d.Values[i*d.Columns : (i+1)*d.Columns]
			weight := 1.0
			if d.Weights != nil {
				weight = d.Weights[i]
			}
			if !slices.Equal(rows[k], given) || w.At(k) != weight || weight > 0 && computed[k] != dense.Sum(given) {
				t.Fatalf("row %d of %v: %v with %v and %v", k, batch, rows[k], w.At(k), computed[k])
			}
		}
	}
	if r.Given() != d.Rows() {
		t.Fatalf("%d rows were given", r.Given())
	}
}

// Several processes have the merged rows of one, and the same batches.
func TestMergedByProcesses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d, parts, _ := drawnRows(t)
		for i, w := range d.Weights { // no process is without any
			d.Weights[i] = max(w, 0.5)
		}
		n := d.Rows()
		batch := rapid.SliceOfN(rapid.IntRange(0, n-1), 1, 12).Draw(t, "batch")
		one, _ := support.SplitMerged(d, parts)
		what := func(r support.Rows) []any {
			all, some := r.Weights(nil), []float64{}
			for i := range all.Len() {
				some = append(some, all.At(i))
			}
			rows := joinedRows(r, nil, len(parts))
			if r.Others() != nil && len(rows) == n && r.Others().Size() > 1 {
				return nil // not merged: each has its own
			}
			var computed []float64
			_ = r.Space(&computed, 1)
			for i, row := range rows {
				computed[i] = dense.Sum(row)
			}
			r.Keep(1, computed)
			w := r.Weights(batch)
			values := slices.Clone(r[len(parts)+1].Batch(batch))
			for k := range values {
				if w.At(k) == 0 {
					values[k] = 0
				}
			}
			return []any{rows, some, joinedRows(r, batch, len(parts)), values}
		}
		want := fmt.Sprint(what(one)...)
		if len(joinedRows(one, nil, len(parts))) == n {
			t.Skip("no rows are equal")
		}
		size := rapid.IntRange(2, 4).Draw(t, "processes")
		for i, err := range processes.Run(size, func(own runtime.Reducer) error {
			from, to := n*own.Rank()/size, n*(own.Rank()+1)/size
			p := runtime.Data{Values: d.Values[from*d.Columns : to*d.Columns], Columns: d.Columns, Others: own}
			if p.Weights = d.Weights; d.Weights != nil {
				p.Weights = d.Weights[from:to]
			}
			r, err := support.SplitMerged(p, parts)
			if err == nil {
				if got := fmt.Sprint(what(r)...); got != want {
					err = fmt.Errorf("%s, one process has %s", got, want)
				}
			}
			return err
		}) {
			if err != nil && n >= size {
				t.Fatal(i, err)
			}
		}
	})
}

// Many different rows stay as they are, and what is made to see whether they are many is little beside them.
func TestManyStay(t *testing.T) {
	x := make([]float64, 3<<18)
	for i := range x {
		x[i] = float64((i * 7919) % (1 << 19))
	}
	d, w := merge(x, nil)
	if !slices.Equal(d, x) || w[0] != 1 {
		t.Errorf("%d rows of %d", len(d), len(x))
	}
	for i := range x {
		x[i] = float64(i % 1000)
	}
	if d, w = merge(x, nil); len(d) != 1000 || dense.Sum(w) != float64(len(x)) {
		t.Errorf("%d different rows", len(d))
	}
}

// Sums of weights are those of exact numbers, rounded, whatever their order.
func TestSumsOfWeights(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := rapid.SliceOfN(rapid.Float64Range(1e-9, 1e9), 2, 60).Draw(t, "weights")
		_, sums := merge(make([]float64, len(w)), w)
		slices.SortFunc(w, cmp.Compare)
		if _, others := merge(make([]float64, len(w)), w); sums[0] != others[0] {
			t.Fatalf("%v and %v", sums[0], others[0])
		}
	})
}

func BenchmarkMerged(b *testing.B) {
	for _, n := range []int{500, 1 << 30} {
		b.Run(fmt.Sprint(min(n, 1<<20), " values"), func(b *testing.B) {
			rng := runtime.Stream(1, "merge")
			x := make([]float64, 1<<20)
			for i := range x {
				x[i] = float64(rng.IntN(n)) / 8
			}
			for b.Loop() {
				merge(x, nil)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(x)), "ns/row")
		})
	}
}

func TestMostEqual(t *testing.T) {
	values := []float64{1, 0, 2, 3, 1, math.Copysign(0, -1), 2, 3, 1, 1}
	for _, c := range []struct {
		weights []float64
		want    float64
	}{{nil, 2}, {[]float64{1, 5, 0.5, 2, 3}, 7}, {[]float64{0, 0, 0, 0, 4}, 4}} {
		if got := support.MostEqual(values, 2, support.WeightsOf(c.weights, 5)); got != c.want {
			t.Errorf("weights %v: %v, want %v", c.weights, got, c.want)
		}
	}
}

func BenchmarkMostEqual(b *testing.B) {
	const rows, columns = 10_000, 10
	rng := runtime.Stream(1, "merge")
	x := make([]float64, rows*columns)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	for b.Loop() {
		support.MostEqual(x, columns, support.WeightsOf(nil, rows))
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/rows, "ns/row")
}
