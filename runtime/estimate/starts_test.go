package estimate_test

import (
	"context"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/sngdgen/sngdgen/generated"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/estimate"
)

// drawn returns a problem of the library with draws from its target.
func drawn(t *testing.T, name string, theta []float64, n, d int, seed uint64) runtime.Model {
	t.Helper()
	newModel, _ := generated.Lookup(name)
	m := newModel()
	if err := m.Resize([]int{d}); err != nil {
		t.Fatal(err)
	}
	x := make([]float64, n*d)
	m.(runtime.Sampler).Sample(x, theta, runtime.Stream(seed, "sample"))
	return library(t, name, x, d)
}

// Where the first starts do not agree there are more, which on these samples lead to better maxima.
func TestMoreStarts(t *testing.T) {
	theta := []float64{0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 4, -2, 1}
	better := 0
	for seed := range uint64(16) {
		m := drawn(t, "skewnormal", theta, 40, 3, seed)
		few, err := estimate.Find(context.Background(), m, estimate.Settings{Starts: 16})
		if err != nil {
			t.Fatal(err)
		}
		rep, err := estimate.Find(context.Background(), m, estimate.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		switch gain := rep.LogLikelihood - few.LogLikelihood; {
		case few.Converged && (!rep.Converged || gain < -1e-9):
			t.Errorf("seed %d: %v %g from 16 starts, %v %g from more", seed, few.Status, few.LogLikelihood, rep.Status, rep.LogLikelihood)
		case few.Converged && gain > 0.05:
			better++
		}
	}
	if better < 1 {
		t.Errorf("more starts are better on %d samples only", better)
	}
}

// Where they agree, there are no more.
func TestNoMoreStarts(t *testing.T) {
	m := drawn(t, "mvstudentt", []float64{0, 0, 1, 0.5, 0.5, 1, 4}, 200, 2, 1)
	rep, err := estimate.Find(context.Background(), m, estimate.Settings{})
	if err != nil || !rep.Converged {
		t.Fatalf("%+v, %v", rep, err)
	}
	for _, o := range rep.Optima {
		for _, start := range o.Starts {
			if start > m.Info().Starts+8 {
				t.Errorf("start %d, though all agree: %v", start, rep.Optima)
			}
		}
	}
}

// counted counts the evaluations of all clones of a model.
type counted struct {
	runtime.Model
	runtime.Objective
	calls *atomic.Int64
}

func (c counted) Loss(z []float64) float64 { c.calls.Add(1); return c.Model.Loss(z) }

func (c counted) Gradients(v, w, z []float64) float64 {
	c.calls.Add(1)
	return c.Model.Gradients(v, w, z)
}

func (c counted) Clone() runtime.Model {
	m := c.Model.Clone()
	return counted{m, m.(runtime.Objective), c.calls}
}

// Runs whose coordinates have no digits left end, and say so: an outlier of 1e12 leaves none to a variance of 1. A variance
// goes to 0 where most rows have one value; of some samples rounding decides whether that or a parameter at infinity is the higher end, of this one
// it does not.
func TestNoDigitsLeft(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 8))
	var outlier, ties []float64
	for range 200 {
		outlier = append(outlier, rng.NormFloat64())
		x := 21.0
		if rng.Float64() < 0.3 {
			x = 18 + float64(rng.IntN(3))
		}
		ties = append(ties, x, 0.2+0.02*rng.NormFloat64())
	}
	for _, c := range []struct {
		name string
		x    []float64
		d    int
	}{{"outlier", append(outlier, 1e12), 1}, {"ties", ties, 2}} {
		m := library(t, "skewt", c.x, c.d)
		counter := counted{m, m.(runtime.Objective), new(atomic.Int64)}
		rep, err := estimate.Find(context.Background(), counter, estimate.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		if said := strings.Contains(rep.Message+strings.Join(rep.Warnings, ""), "no digits left"); rep.Converged || !said {
			t.Errorf("%s: %v %q", c.name, rep.Status, rep.Message)
		}
		if calls := counter.calls.Load(); calls > 60_000 {
			t.Errorf("%s: %d evaluations", c.name, calls)
		} else {
			t.Logf("%s: %d evaluations", c.name, calls)
		}
	}
}
