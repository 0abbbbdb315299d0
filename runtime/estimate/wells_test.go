package estimate_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/estimate"
	"github.com/sngdgen/sngdgen/runtime/types"
)

// wells has the loss (x^2 - 1)^2 + x/10: a global minimum near -1 and a local one near 1. Start i is good unless bad
// says otherwise; curved is the sign of the Hessian it reports.
type wells struct {
	random bool
	bad    func(i int) bool
	curved float64
}

func (w *wells) Info() *runtime.Info {
	return &runtime.Info{Name: "wells", Deterministic: true, Starts: 2, RandomStart: w.random, Hessian: true,
		Parameters: []runtime.Parameter{{Name: "x", Type: types.Number.Of(types.Real)}}}
}
func (w *wells) Blocks() []runtime.Block { return []runtime.Block{{Name: "x", Len: 1}} }
func (w *wells) Conditions() []runtime.Condition {
	return []runtime.Condition{{Block: "x", Text: "x < 100"}}
}
func (w *wells) Violation(z []float64) int {
	if !(z[0] < 100) {
		return 0
	}
	return -1
}
func (w *wells) Loss(z []float64) float64 {
	if w.Violation(z) >= 0 {
		return math.NaN()
	}
	q := z[0]*z[0] - 1
	return q*q + z[0]/10
}
func (w *wells) NaturalGradient(v, z []float64) { v[0] = 4*z[0]*(z[0]*z[0]-1) + 0.1 }
func (w *wells) Gradients(v, c, z []float64) float64 {
	w.NaturalGradient(v, z)
	c[0] = v[0]
	return w.Loss(z)
}
func (w *wells) Gradient(g, u []float64) float64              { return w.Gradients(g, g, u) }
func (w *wells) Hessian(h, u []float64)                       { h[0] = w.curved * (12*u[0]*u[0] - 4) }
func (w *wells) Dim() int                                     { return 1 }
func (w *wells) SetData(runtime.Data) error                   { return nil }
func (w *wells) Counts() (rows, distinct int, weight float64) { return 10, 10, 10 }
func (w *wells) Clone() runtime.Model                         { c := *w; return &c }
func (w *wells) Theta(dst, z []float64)                       { copy(dst, z) }
func (w *wells) FromTheta(u, th []float64)                    { copy(u, th) }
func (w *wells) Unconstrained() runtime.Unconstrained         { return w }
func (w *wells) Sizes() []int                                 { return nil }
func (w *wells) Resize([]int) error                           { return nil }
func (w *wells) Start(z []float64, i int, rng *rand.Rand) error {
	if w.bad != nil && w.bad(i) {
		return errors.New("bad start")
	}
	switch i {
	case 0:
		z[0] = 1.5
	case 1:
		z[0] = 200 // outside
	default:
		z[0] = rng.NormFloat64()
	}
	return nil
}

func TestOptima(t *testing.T) {
	m := &wells{random: true, curved: 1}
	rep, err := estimate.Find(context.Background(), m, estimate.Settings{Starts: 40, Seed: 5})
	if err != nil {
		t.Fatal(err)
	}
	if len(rep.Optima) != 2 || rep.Optima[0].Count+rep.Optima[1].Count != 39 || rep.Optima[0].Count != 20 {
		t.Fatalf("%+v", rep.Optima)
	}
	// Only the end that was chosen has been judged by its curvature, and the other is not said to have been.
	if !rep.Optima[0].Examined || rep.Optima[1].Examined {
		t.Errorf("examined: %+v", rep.Optima)
	}
	near(t, "x", rep.Estimate.Get("x"), -1.01227, 1e-4)
	near(t, "local x", rep.Optima[1].Estimate.Get("x"), 0.98726, 1e-4)
	want := "1 of 40 starts did not converge (start 1: runtime: start, block x: outside the domain: needs x < 100)"
	if len(rep.Warnings) != 1 || rep.Warnings[0] != want {
		t.Errorf("%q", rep.Warnings)
	}
	if rep.Start != rep.Optima[0].Start {
		t.Errorf("start %d, optimum from %d", rep.Start, rep.Optima[0].Start)
	}
}

func TestFewStarts(t *testing.T) {
	rep, err := estimate.Find(context.Background(), &wells{curved: 1}, estimate.Settings{Starts: 5})
	if err != nil {
		t.Fatal(err)
	}
	if len(rep.Warnings) != 2 || rep.Warnings[0] != "the model has only 2 starts, all formulas of the data" {
		t.Errorf("%q", rep.Warnings)
	}
}

func TestNoStart(t *testing.T) {
	m := &wells{bad: func(i int) bool { return i == 0 }}
	_, err := estimate.Find(context.Background(), m, estimate.Settings{})
	want := "start 0: bad start\nstart 1: runtime: start, block x: outside the domain: needs x < 100"
	if err == nil || err.Error() != want {
		t.Error(err)
	}
	m = &wells{random: true, bad: func(i int) bool { return true }}
	if _, err = estimate.Find(context.Background(), m, estimate.Settings{Starts: 9}); err == nil || err.Error() != "starts 0 to 8: bad start" {
		t.Error(err)
	}
}

func TestNoStandardErrors(t *testing.T) {
	rep, err := estimate.Find(context.Background(), &wells{curved: -1}, estimate.Settings{Level: 0.9, Starts: 1})
	if err != nil {
		t.Fatal(err)
	}
	if len(rep.Warnings) != 1 || rep.Warnings[0] != "no standard errors: the observed information is not positive definite" {
		t.Errorf("%q", rep.Warnings)
	}
	text, err := json.Marshal(rep)
	if err != nil || !strings.Contains(string(text), `"standard_errors":null`) {
		t.Errorf("%s, %v", text, err)
	}
}
