package estimate_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sngdgen/sngdgen/generated"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/estimate"
)

// curve is a loss of one coordinate.
type curve func(x float64) float64

func (c curve) Loss(z []float64) float64 { return c(z[0]) }

// A run comes to a known optimum next to it, but not where there is a valley between, where the loss is higher by more than next to nothing, or lower.
func TestComesTo(t *testing.T) {
	parabola := curve(func(x float64) float64 { return 7 + x*x/2 })
	wells := curve(func(x float64) float64 { return 7 + (x*x-1)*(x*x-1)/8 }) // at -1 and 1, as curved as the parabola
	ridge := curve(func(float64) float64 { return 7 })
	for _, c := range []struct {
		what         string
		loss         curve
		z, end, rows float64
		want         bool
	}{
		{"beside a minimum", parabola, 0.01, 0, 100, true},
		{"too high for so many rows", parabola, 0.01, 0, 1000, false},
		{"lower than the end", parabola, 0, 0.01, 100, false},
		{"beside one of two minima", wells, 1.01, 1, 100, true},
		{"beside the other", wells, -1.01, 1, 100, false},
		{"in it", wells, -1, 1, 100, false},
		{"between two that are all but one", wells, 0, 1, 0.01, false},
		{"nothing decides", ridge, 5, 1, 100, true},
		{"outside the domain half of the way", curve(func(x float64) float64 {
			if math.Abs(x) < 0.5 {
				return math.NaN()
			}
			return 7
		}), -1, 1, 100, false},
	} {
		if got := estimate.ComesTo(c.loss, []float64{c.z}, []float64{c.end}, c.rows); got != c.want {
			t.Errorf("%s: %v", c.what, got)
		}
	}
}

// Of many rows a fit from all starts comes to the optimum that it comes to from one, whatever the workers, with starts that are ended on a sample, or where they
// come near.
func TestStartsEndEarly(t *testing.T) {
	const n, d = 5000, 3
	rng := rand.New(rand.NewPCG(5, 6))
	x := make([]float64, n*d)
	for i := range x {
		x[i] = math.Abs(rng.NormFloat64()) + 0.5*rng.NormFloat64()
	}
	fit := func(s estimate.Settings) *estimate.Report {
		t.Helper()
		create, _ := generated.Lookup("skewnormal")
		m := create()
		if err := m.SetData(runtime.Data{Values: x, Columns: d}); err != nil {
			t.Fatal(err)
		}
		rep, err := estimate.Fit(t.Context(), m, &s)
		if err != nil {
			t.Fatal(err)
		}
		return rep
	}
	one := fit(estimate.Settings{Starts: 1})
	for _, workers := range []int{1, 3} {
		all := fit(estimate.Settings{Workers: workers, Starts: 16, Details: estimate.DetailRequest{Trace: true}})
		if all.Loss != one.Loss || all.Start != 0 || all.Iterations != one.Iterations {
			t.Errorf("%d workers: a loss of %v, from one start %v", workers, all.Loss, one.Loss)
		}
		starts, best, last := 0, all.Optima[0], 0
		for _, o := range all.Optima {
			starts += o.Count
		}
		for _, run := range all.Details.Runs {
			if end := run.Points[len(run.Points)-1]; run.Start > 0 && slices.Contains(best.Starts, run.Start) && end.NaturalNorm < 1e-9 {
				last++
			}
		}
		if starts != 16 || best.Count < 6 || 2*last > best.Count {
			t.Errorf("%d workers: of %d starts %d found the best optimum, %d of them to the last digit", workers, starts, best.Count, last)
		}
	}
}

// Of many rows random starts go on with all rows from where they ended on a sample, also to an optimum that was not known.
func TestStartsEndElsewhere(t *testing.T) {
	const n = 6000
	rng := rand.New(rand.NewPCG(9, 10))
	x := make([]float64, n)
	for i := range x {
		if x[i] = rng.NormFloat64() + 2; rng.Float64() < 0.47 {
			x[i] -= 4
		}
	}
	create, _ := generated.Lookup("skewnormal")
	m := create()
	if err := m.SetData(runtime.Data{Values: x, Columns: 1}); err != nil {
		t.Fatal(err)
	}
	rep, err := estimate.Find(t.Context(), m, estimate.Settings{Details: estimate.DetailRequest{Trace: true}})
	if err != nil || !rep.Converged || len(rep.Optima) < 2 {
		t.Fatalf("%+v, %v", rep, err)
	}
	found := 0
	for _, run := range rep.Details.Runs {
		first, last := run.Points[0].Loss, run.Points[len(run.Points)-1].Loss
		onAll := slices.ContainsFunc(rep.Optima, func(o estimate.Optimum) bool { return math.Abs(float64(o.Loss)-float64(last)) < 1e-5 })
		if run.Start < m.Info().Starts || !onAll {
			continue
		}
		if found++; first-last > 0.01 {
			t.Errorf("start %d comes from a loss of %v to %v on all rows", run.Start, first, last)
		}
	}
	if found < 4 {
		t.Errorf("%d random starts went on with all rows", found)
	}
}
