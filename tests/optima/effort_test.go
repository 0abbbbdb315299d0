package optima_test

import (
	"context"
	"math"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"github.com/sngdgen/sngdgen/generated/mvstudenttmix"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/estimate"
)

// counted is a model that counts the evaluations of all of its clones, and may end a context after so many.
type counted struct {
	*mvstudenttmix.Model
	evaluations *atomic.Int64
	until       int64 // where the context ends
	end         context.CancelFunc
}

func (c counted) count() {
	if c.evaluations.Add(1) == c.until {
		c.end()
	}
}

func (c counted) Loss(z []float64) float64 {
	c.count()
	return c.Model.Loss(z)
}

func (c counted) Gradients(v, g, z []float64) float64 {
	c.count()
	return c.Model.Gradients(v, g, z)
}

func (c counted) Clone() runtime.Model {
	c.Model = c.Model.Clone().(*mvstudenttmix.Model)
	return c
}

// TestEffortOnWholeNumbers bounds the work on rows of whole numbers. These have many ties, onto which components of heavy tails
// collapse slowly: other rows keep shares that fall only as fast as the tails. A run that did not end took 86,000 evaluations.
func TestEffortOnWholeNumbers(t *testing.T) {
	round := func(x float64) float64 { return math.Round(x) }
	kinds := map[string]func(rng *rand.Rand, row []float64){
		"uniform": func(rng *rand.Rand, row []float64) {
			for i := range row {
				row[i] = float64(rng.IntN(10))
			}
		},
		"many zeros": func(rng *rand.Rand, row []float64) {
			for i := range row {
				if row[i] = 0; rng.Float64() < 0.5 {
					row[i] = round(3 * rng.NormFloat64())
				}
			}
		},
		"heavy tails": func(rng *rand.Rand, row []float64) {
			for i := range row {
				row[i] = round(rng.NormFloat64() / max(0.05, rng.Float64()))
			}
		},
		"three groups": func(rng *rand.Rand, row []float64) {
			c := []float64{0, 5, 12}[rng.IntN(3)]
			for i := range row {
				row[i] = round(c + 2*rng.NormFloat64())
			}
		},
	}
	const most = 40_000 // of all runs together, with those that the search makes, which are more where equal rows are one and steps cheap
	for name, draw := range kinds {
		rng := rand.New(rand.NewPCG(12, 1))
		x := make([]float64, 800*2)
		for i := 0; i < len(x); i += 2 {
			draw(rng, x[i:i+2])
		}
		m, err := mvstudenttmix.New(x, 2, 3)
		if err != nil {
			t.Fatal(err)
		}
		evaluations := new(atomic.Int64)
		rep, err := estimate.Fit(context.Background(), counted{Model: m, evaluations: evaluations}, nil)
		if rep == nil {
			t.Fatalf("%s: %v", name, err)
		}
		t.Logf("%s: %d evaluations, %s", name, evaluations.Load(), rep.Status)
		if n := evaluations.Load(); n > most {
			t.Errorf("%s: %d evaluations, %s", name, n, rep.Status)
		}
		if rep.Status == runtime.EvaluationLimit || rep.Status == runtime.IterationLimit || rep.Status == runtime.Failed {
			t.Errorf("%s: %s", name, rep.Message)
		}
	}
}

// TestEndedAnywhere ends the context of fits of mixtures after so many evaluations: in first runs, in runs to the end, between
// them, on a sample of the rows and on all. There is always a report of what was found, which says so.
func TestEndedAnywhere(t *testing.T) {
	for _, rows := range []int{300, 9000} { // of the latter a sample is searched
		rng := rand.New(rand.NewPCG(12, 2))
		x := make([]float64, rows*2)
		for i := range x {
			x[i] = 4*float64(i/2%2) + rng.NormFloat64()
		}
		m, err := mvstudenttmix.New(x, 2, 2)
		if err != nil {
			t.Fatal(err)
		}
		for _, until := range []int64{1, 30, 200, 1000, 1500} {
			if rows > 1000 && until > 200 {
				break // takes long
			}
			ctx, end := context.WithCancel(context.Background())
			model := counted{m, new(atomic.Int64), until, end}
			rep, err := estimate.Fit(ctx, model, nil)
			if rep == nil || err == nil || rep.Complete() || ctx.Err() == nil {
				t.Fatalf("%d rows, after %d evaluations: %v, %v", rows, until, rep, err)
			}
			ctx, end = context.WithCancel(context.Background())
			model = counted{m, new(atomic.Int64), until, end}
			compared, err := estimate.Compare(ctx, model, []int{2, 3}, nil)
			if err == nil || len(compared.Fits) == 0 || compared.Complete() {
				t.Fatalf("%d rows, after %d evaluations: %v, %v", rows, until, compared, err)
			}
			end()
		}
	}
}
