package support_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/dense"
	"github.com/sngdgen/sngdgen/runtime/support"
	"github.com/sngdgen/sngdgen/runtime/types"
	"github.com/sngdgen/sngdgen/runtime/workers"
)

// TestLinear: predictors and what slopes add to gradients are those of loops, whatever the number of draws, rows and entries, wherever the vectors
// lie, and the same bits for a draw in any group.
func TestLinear(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	random := func(n int) []float64 {
		x := make([]float64, n)
		for i := range x {
			x[i] = rng.NormFloat64()
		}
		return x
	}
	for _, c := range []struct{ draws, rows, entries, before, after int }{
		{1, 1, 1, 0, 0}, {1, 300, 8, 0, 0}, {3, 7, 2, 1, 0}, {16, 500, 53, 0, 2}, {20, 257, 10, 3, 4}, {33, 64, 24, 0, 0},
	} {
		width := c.before + c.entries + c.after
		x, drawn, slopes := random(c.rows*c.entries), random(c.draws*width), random(c.draws*c.rows)
		weights := random(c.rows)
		of := support.Vectors{From: c.before, Entries: c.entries, Width: width}
		for _, given := range [][]float64{nil, weights} {
			gradients, want := random(c.draws*width), []float64(nil)
			want = append(want, gradients...)
			w := support.WeightsOf(given, c.rows)
			groups := support.GroupsOf(c.draws, c.rows, nil)
			for group := range groups.Count() {
				from, to := groups.Of(group)
				var l, alone support.Linear
				l.Predict(x, &w, drawn, of, from, to)
				for i := from; i < to; i++ {
					values, slope := l.At(i)
					if len(values) != c.rows || len(slope) != c.rows {
						t.Fatalf("%v: %d predictors, %d slopes", c, len(values), len(slope))
					}
					alone.Predict(x, &w, drawn, of, i, i+1)
					same, _ := alone.At(i)
					copy(slope, slopes[i*c.rows:])
					for row := range c.rows {
						at := drawn[i*width+c.before:][:c.entries]
						exact := 0.0
						for j, v := range x[row*c.entries:][:c.entries] {
							exact += v * at[j]
							want[i*width+c.before+j] += w.At(row) * slopes[i*c.rows+row] * v
						}
						if math.Abs(values[row]-exact) > 1e-12*float64(c.entries) {
							t.Errorf("%v: predictor %g, want %g", c, values[row], exact)
						}
						if same[row] != values[row] {
							t.Errorf("%v: predictor %v of a draw alone, %v in its group", c, same[row], values[row])
						}
					}
				}
				l.AddTo(gradients, x, &w)
			}
			for i := range want {
				if math.Abs(gradients[i]-want[i]) > 1e-12*float64(c.rows) {
					t.Errorf("%v: entry %d of the gradients is %g, want %g", c, i, gradients[i], want[i])
				}
			}
		}
	}
}

// TestLinearKept: predictors have the same bits whether rows are seen the first time or again, when columns of them are kept, and are those of
// other rows when a model has gone over to these, in the same memory.
func TestLinearKept(t *testing.T) {
	const rows, entries, draws = 130, 11, 7
	rng := rand.New(rand.NewPCG(3, 4))
	values, drawn := make([]float64, 2*rows*entries), make([]float64, draws*entries)
	for i := range values {
		values[i] = rng.NormFloat64()
	}
	for i := range drawn {
		drawn[i] = rng.NormFloat64()
	}
	var data support.Data
	var x []float64
	if err := data.Take(runtime.Data{Values: values, Columns: entries}, entries, &runtime.Parameter{Name: "x", Type: types.Vector.Of(types.Real)}, &x); err != nil {
		t.Fatal(err)
	}
	var l support.Linear
	of := support.Vectors{Entries: entries, Width: entries}
	batches := make([][]int, 3)
	for k := range batches {
		for range rows {
			batches[k] = append(batches[k], rng.IntN(2*rows))
		}
	}
	for _, batch := range append(batches, nil) {
		if err := data.See(batch, &x); err != nil {
			t.Fatal(err)
		}
		for range 3 {
			var fresh support.Linear
			l.Predict(x, &data.W, drawn, of, 0, draws)
			fresh.Predict(x, &data.W, drawn, of, 0, draws)
			for i := range draws {
				got, _ := l.At(i)
				want, _ := fresh.At(i)
				if !slices.Equal(got, want) {
					t.Fatalf("predictors of draw %d are %v, not %v", i, got, want)
				}
			}
		}
	}
}

// indicators are data with so many numbers for each row, of which few are not 0: a row and a column have nothing else.
func indicators(t *testing.T, rng *rand.Rand, rows, entries int) (data support.Data, x []float64) {
	t.Helper()
	values := make([]float64, rows*entries)
	for i := range values {
		if i/entries != 3 && i%entries != 2 && rng.IntN(8) == 0 {
			values[i] = rng.NormFloat64()
		}
	}
	of := runtime.Data{Values: values, Columns: entries}
	if err := data.Take(of, entries, &runtime.Parameter{Name: "x", Type: types.Vector.Of(types.Real)}, &x); err != nil {
		t.Fatal(err)
	}
	return data, x
}

// TestLinearZeros: what is computed does not depend on zeros being left out, as they are of all rows of the data: not where an entry of a draw, or a slope, is
// infinite either, which makes a predictor NaN by a coefficient that is 0.
func TestLinearZeros(t *testing.T) {
	const rows, entries, draws = 700, 40, 11
	of := support.Vectors{Entries: entries, Width: entries}
	rng := rand.New(rand.NewPCG(5, 6))
	data, x := indicators(t, rng, rows, entries)
	batch := make([]int, rows/2)
	for i := range batch {
		batch[i] = rng.IntN(rows)
	}
	var l support.Linear
	for _, some := range [][]int{nil, batch, nil} {
		if err := data.See(some, &x); err != nil {
			t.Fatal(err)
		}
		count := data.W.Len()
		plain := support.WeightsOf(nil, count) // of rows that are not known to be those of the data
		for _, odd := range []float64{0, math.Inf(1), math.Inf(-1), math.NaN()} {
			drawn, slopes, gradients := make([]float64, draws*entries), make([]float64, draws*count), make([]float64, draws*entries)
			for _, a := range [][]float64{drawn, slopes, gradients} {
				for i := range a {
					a[i] = rng.NormFloat64()
				}
			}
			if odd != 0 {
				drawn[rng.IntN(len(drawn))], slopes[rng.IntN(draws)*count+3] = odd, odd // the row has zeros alone
			}
			want := slices.Clone(gradients)
			var without support.Linear
			for _, c := range []struct {
				l  *support.Linear
				w  *support.Weights
				to []float64
			}{{&l, &data.W, gradients}, {&without, &plain, want}} {
				c.l.Predict(x, c.w, drawn, of, 0, draws)
			}
			for i := range draws {
				got, slope := l.At(i)
				exact, other := without.At(i)
				equal(t, "predictors", got, exact)
				copy(slope, slopes[i*count:])
				copy(other, slopes[i*count:])
			}
			l.AddTo(gradients, x, &data.W)
			without.AddTo(want, x, &plain)
			equal(t, "gradients", gradients, want)
			if odd != 0 && dense.Finite(gradients) {
				t.Errorf("a slope of %v goes unnoticed", odd)
			}
		}
	}
}

// equal compares numbers, of which some may be NaN.
func equal(t *testing.T, what string, got, want []float64) {
	t.Helper()
	for i, x := range want {
		if got[i] != x && !(math.IsNaN(got[i]) && math.IsNaN(x)) {
			t.Fatalf("%s: number %d is %v, not %v", what, i, got[i], x)
		}
	}
}

// TestLinearAllocates: memory is taken once, also where zeros are left out.
func TestLinearAllocates(t *testing.T) {
	const rows, entries, draws = 300, 25, 20
	x, drawn, gradients := make([]float64, rows*entries), make([]float64, draws*entries), make([]float64, draws*entries)
	pool := workers.New(2)
	defer pool.Stop()
	data, zeros := indicators(t, rand.New(rand.NewPCG(7, 8)), rows, entries)
	weights := support.WeightsOf(make([]float64, rows), rows)
	for _, c := range []struct {
		x []float64
		w *support.Weights
	}{{x, &weights}, {zeros, &data.W}} {
		var l support.Linear
		step := func() {
			groups := support.GroupsOf(draws, rows, pool)
			for i := range groups.Count() {
				from, to := groups.Of(i)
				l.Predict(c.x, c.w, drawn, support.Vectors{Entries: entries, Width: entries}, from, to)
				l.AddTo(gradients, c.x, c.w)
			}
		}
		if a := testing.AllocsPerRun(50, step); a > 0 {
			t.Errorf("%v allocations", a)
		}
	}
}

// TestGroups: groups are all draws, one after the other, of not more than a few million numbers but for two draws, and enough for all workers.
func TestGroups(t *testing.T) {
	for _, size := range []int{1, 2, 7} {
		pool := workers.New(size)
		defer pool.Stop()
		for _, rows := range []int{0, 1, 500, 1e6, 1e8} {
			for _, draws := range []int{0, 1, 15, 16, 17, 1000} {
				groups, next := support.GroupsOf(draws, rows, pool), 0
				for i := range groups.Count() {
					from, to := groups.Of(i)
					if from != next || to <= from || to-from > 2 && (to-from)*rows > 1<<22 {
						t.Errorf("%d draws of %d rows: group %d is from %d to %d", draws, rows, i, from, to)
					}
					next = to
				}
				if next != draws {
					t.Errorf("%d draws of %d rows: groups have %d", draws, rows, next)
				}
				if draws == 1000 && groups.Count() < size {
					t.Errorf("%d groups for %d workers", groups.Count(), size)
				}
			}
		}
	}
}
