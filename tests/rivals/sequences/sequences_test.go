package main

import (
	"errors"
	"math"
	"testing"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/estimate"
)

// starts are how many fits need that have many local maxima.
var starts = map[string]int{"poissonhmm4": 30, "normalhmm3": 10}

// Log-likelihoods are those of the others to 1e-9, at parameters of theirs; derivatives those of differences; and the maximum is at
// least as high as the one that they found.
func TestAnswers(t *testing.T) {
	known, err := answers("")
	if err != nil {
		t.Fatal(err)
	}
	for name, a := range known {
		t.Run(name, func(t *testing.T) {
			x, err := column(a.Data)
			if err != nil {
				t.Fatal(err)
			}
			m, err := model("", name, x)
			if err != nil {
				t.Fatal(err)
			}
			of := m.(runtime.Objective)
			g, scratch := make([]float64, len(a.At)), make([]float64, len(a.At))
			logLik := func(theta []float64) float64 { return -of.ThetaGradient(scratch, theta) * float64(len(x)) }
			if got := -of.ThetaGradient(g, a.At) * float64(len(x)); math.Abs(got-a.LogLik) > 1e-9*math.Abs(a.LogLik) {
				t.Errorf("log-likelihood %v, of the other %v", got, a.LogLik)
			}
			for k := range a.At {
				if a.At[k] == 0 || a.At[k] == 1e7 {
					continue // known numbers
				}
				h := 1e-5 * math.Abs(a.At[k])
				up, down := append([]float64(nil), a.At...), append([]float64(nil), a.At...)
				up[k] += h
				down[k] -= h
				want := -(logLik(up) - logLik(down)) / (2 * h * float64(len(x)))
				if math.Abs(g[k]-want) > 1e-5*(1e-3+math.Abs(want)) {
					t.Errorf("derivative %d is %v, by differences %v", k, g[k], want)
				}
			}
			r, err := estimate.Fit(t.Context(), m, &estimate.Settings{Starts: starts[name], Seed: 1})
			if unfinished := (*estimate.Unfinished)(nil); err != nil && !errors.As(err, &unfinished) { // of three states and more the highest likelihood is where transitions are impossible
				t.Fatal(err)
			}
			if best := -float64(r.Loss) * float64(len(x)); best < a.Best-1e-9*math.Abs(a.Best) && a.Best != 0 {
				t.Errorf("maximum %v, of the other %v", best, a.Best)
			}
			var theta []float64
			for _, p := range r.Estimate {
				if theta = append(theta, p.Entries...); p.Shape == nil {
					theta = append(theta, p.Value)
				}
			}
			for k, want := range a.Estimate {
				if math.Abs(theta[k]-want) > 1e-3*math.Abs(want) {
					t.Errorf("estimate %d is %v, of the other %v", k, theta[k], want)
				}
			}
		})
	}
}
