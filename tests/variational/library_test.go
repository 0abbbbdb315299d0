package variational_test

import (
	"math"
	"strings"
	"testing"

	"github.com/sngdgen/sngdgen/internal/librarytest"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/estimate"
	"github.com/sngdgen/sngdgen/runtime/modeltest"
)

// eachPosterior runs a test for every problem of the library with a variational objective, mixtures with two components.
func eachPosterior(t *testing.T, test func(t *testing.T, name string, m runtime.Variational, components int)) {
	for _, name := range librarytest.Names() {
		newModel := librarytest.Model(t, name)
		m, ok := newModel().(runtime.Variational)
		if !ok {
			continue
		}
		components := 0
		if m.Info().Mixture {
			components = 2
		}
		t.Run(name, func(t *testing.T) { t.Parallel(); test(t, name, m, components) })
	}
}

// TestLibraryRises: a fit raises the bound of every problem of the library, on data that are made up, and where importance
// sampling is to be trusted the bound is below what that says of the evidence.
func TestLibraryRises(t *testing.T) {
	eachPosterior(t, func(t *testing.T, name string, m runtime.Variational, components int) {
		data := modeltest.DataOf(m, 3, 40, runtime.Stream(4, name))
		if err := estimate.Load(m, data, components); err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, b := range m.Blocks() {
			n = max(n, b.Offset+b.Len)
		}
		z := make([]float64, n)
		if err := m.Start(z, 0, runtime.Stream(1, "start")); err != nil {
			t.Fatal(err)
		}
		before, err := runtime.ELBO(m, z, 1000, 1)
		if err != nil {
			t.Fatal(err)
		}
		a, err := estimate.Approximate(t.Context(), m, &estimate.Settings{Components: components, Stochastic: estimate.Stochastic{Steps: 600}})
		if err != nil || !a.Complete() {
			t.Fatal(a, err)
		}
		e := a.ELBO
		if !(float64(e.Mean) > before.Mean) || math.IsInf(float64(e.Mean), 0) {
			t.Errorf("the bound is %v, at the start %v", e.Mean, before.Mean)
		}
		if e.Ratios == estimate.RatiosReliable && !(float64(e.LogEvidence) > float64(e.Mean-5*e.StandardError)) {
			t.Errorf("the bound is %v, the evidence by importance sampling %v", e.Mean, e.LogEvidence)
		}
	})
}

// TestLogisticBounds: every posterior of logistic regression that the library has comes near the evidence, by quadrature,
// from below.
func TestLogisticBounds(t *testing.T) {
	rows := clusters([]float64{1, 1}, []float64{1, 5})
	p := logisticDensity(rows, nil)
	best, _ := highest(t, p, 2, false)
	total := evidence(p, distribution{best.location, symmetric(2, []float64{1, 0, 0, 1}), nil}, 0.1)
	eachPosterior(t, func(t *testing.T, name string, m runtime.Variational, components int) {
		if !strings.HasPrefix(name, "logistic") || len(m.Info().Data) != 2 { // beside columns and an answer there may be groups
			return
		}
		if err := estimate.Load(m, dataOf(rows, nil), components); err != nil {
			t.Fatal(err)
		}
		a, err := estimate.Approximate(t.Context(), m, nil)
		if err != nil || !a.Complete() {
			t.Fatal(a, err)
		}
		short, margin := total+priorConstant(m)-float64(a.ELBO.Mean), 5*float64(a.ELBO.StandardError)
		if !(short > -margin && short < 0.08+margin) || !(margin < 0.15) {
			t.Errorf("the bound is %v below the evidence %v, known to %v", short, total, margin)
		}
	})
}

// priorConstant is what the log-density of the prior of two coefficients has more than that of others of the library, which leave
// the constant out: that of expectation propagation is normalised, so that what it estimates is the evidence.
func priorConstant(m runtime.Variational) float64 {
	if m.Info().Objective == "ep" {
		return -math.Log(2 * math.Pi)
	}
	return 0
}

// TestLogDensities: what the weights of draws and their log-densities under the approximation are together is the joint density,
// which all posteriors of logistic regression have in common.
func TestLogDensities(t *testing.T) {
	rows := clusters([]float64{1, 1}, []float64{1, 5})
	joint := logisticDensity(rows, nil)
	eachPosterior(t, func(t *testing.T, name string, m runtime.Variational, components int) {
		if !strings.HasPrefix(name, "logistic") || len(m.Info().Data) != 2 { // beside columns and an answer there may be groups
			return
		}
		if err := estimate.Load(m, dataOf(rows, nil), components); err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, b := range m.Blocks() {
			n = max(n, b.Offset+b.Len)
		}
		z, weights, densities, latents := make([]float64, n), make([]float64, m.Draws()), make([]float64, m.Draws()), make([]float64, 2*m.Draws())
		if err := m.Start(z, 0, runtime.Stream(1, "start")); err != nil {
			t.Fatal(err)
		}
		m.Draw(runtime.Stream(2, "draws"))
		m.LogDensities(densities, z)
		m.Latents(latents, z)
		m.Weights(weights, z)
		for i, w := range weights {
			want := joint(latents[2*i:2*i+2]) + priorConstant(m)
			if got := w + densities[i]; !(math.Abs(got-want) < 1e-10*(1+math.Abs(want))) {
				t.Fatalf("draw %d: log joint density %v, want %v", i, got, want)
			}
		}
	})
}
