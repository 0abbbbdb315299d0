package engines

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sngdgen/sngdgen/gen"
	"github.com/sngdgen/sngdgen/gen/engine"
	"github.com/sngdgen/sngdgen/internal/librarytest"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/ep"
	"github.com/sngdgen/sngdgen/runtime/estimate"
	"github.com/sngdgen/sngdgen/spec"
)

// sameKind: a model has the methods that are asked for.
func sameKind(t *testing.T, one, other runtime.Model) {
	t.Helper()
	for what, has := range map[string]func(m runtime.Model) bool{
		"Exact":    func(m runtime.Model) bool { _, ok := m.(runtime.Exact); return ok },
		"ep.Model": func(m runtime.Model) bool { _, ok := m.(ep.Model); return ok },
		"Mixture":  func(m runtime.Model) bool { _, ok := m.(runtime.Mixture); return ok },
		"Batcher":  func(m runtime.Model) bool { _, ok := m.(runtime.Batcher); return ok },
		"Sampler":  func(m runtime.Model) bool { _, ok := m.(runtime.Sampler); return ok },
		"Observed": func(m runtime.Model) bool { _, ok := m.(runtime.Observed); return ok },
		"Informed": func(m runtime.Model) bool { _, ok := m.(runtime.Informed); return ok },
		"Limiting": func(m runtime.Model) bool { _, ok := m.(runtime.Limiting); return ok },
	} {
		same(t, "whether it is "+what, has(one), has(other))
	}
}

// comparison compares what a function makes of two models.
type comparison func(what string, n int, f func(m runtime.Model, out []float64))

// comparePosterior compares what posteriors have besides at a point.
func comparePosterior(t *testing.T, one, other runtime.Model, z []float64, both comparison) {
	t.Helper()
	draws := other.(runtime.Variational).Draws()
	width := other.Info().Variable.Len(other)
	both("Latents", draws*width, func(m runtime.Model, out []float64) { m.(runtime.Variational).Latents(out, z) })
	both("Weights", draws, func(m runtime.Model, out []float64) { m.(runtime.Variational).Weights(out, z) })
	both("LogDensities", draws, func(m runtime.Model, out []float64) { m.(runtime.Variational).LogDensities(out, z) })
	latents := make([]float64, draws*width)
	other.(runtime.Variational).Latents(latents, z)
	if _, ok := other.(runtime.Exact); ok {
		n := len(z)
		same(t, "Nodes", one.(runtime.Exact).Nodes(), other.(runtime.Exact).Nodes())
		both("ExactLoss", 1, func(m runtime.Model, out []float64) { out[0] = m.(runtime.Exact).ExactLoss(z) })
		both("ExactGradients", 2*n+1, func(m runtime.Model, out []float64) {
			out[2*n] = m.(runtime.Exact).ExactGradients(out[:n], out[n:2*n], z)
		})
	}
	if len(other.Info().Reported) > 0 {
		n := 0
		for _, p := range other.Info().Reported {
			n += p.Len(other)
		}
		both("Reported", n, func(m runtime.Model, out []float64) { m.(runtime.Reporter).Reported(out, latents[:width]) })
	}
	if len(other.Info().Predicted) > 0 {
		comparePredictions(other, latents[:width], both)
	}
	for i := range other.Info().Contained {
		compareContained(t, one, other, i, len(z), both)
	}
	if _, ok := other.(ep.Model); ok {
		compareSites(t, one, other, latents[:width], both)
	}
}

// compareContained compares the points where an approximation is one that it contains, with unit matrices for its parameters.
func compareContained(t *testing.T, one, other runtime.Model, i, n int, both comparison) {
	t.Helper()
	k := 1
	var theta []float64
	if x, ok := other.(runtime.Mixture); ok {
		k = x.Components()
		theta = slices.Repeat([]float64{1 / float64(k)}, k)
	}
	for _, p := range other.Info().Contained[i].Parameters {
		of := p.Component()
		size := of.Len(other)
		side := int(math.Sqrt(float64(size)))
		for range k {
			for j := range size {
				x := 0.5
				if len(of.Shape) == 2 && j%(side+1) != 0 {
					x = 0
				}
				theta = append(theta, x)
			}
		}
	}
	theta = append(theta, make([]float64, k*other.Info().Variable.Len(other))...)
	for start, put := range []func(m runtime.Model, z []float64) error{
		func(m runtime.Model, z []float64) error { return m.(runtime.Container).Contain(z, theta, i) },
		func(m runtime.Model, z []float64) error {
			return m.(runtime.Container).ContainStart(z, theta, i, rand.New(rand.NewPCG(1, 3)))
		},
	} {
		got, want := fmt.Sprint(put(one, make([]float64, n))), fmt.Sprint(put(other, make([]float64, n)))
		same(t, fmt.Sprintf("whether contained approximation %d, %d, is in the domain: %s,", i, start, got), got == "<nil>", true)
		same(t, fmt.Sprintf("the error of contained approximation %d, %d,", i, start), got, want)
		both("Contain", n, func(m runtime.Model, out []float64) { _ = put(m, out) })
	}
}

func comparePredictions(other runtime.Model, z []float64, both comparison) {
	n := 0
	for _, p := range other.Info().Predicted {
		n += p.Len(other)
	}
	n *= 300 // rows, or fewer of a batch
	both("Predict", n, func(m runtime.Model, out []float64) {
		m.(runtime.Predictor).Predict(out, z, rand.New(rand.NewPCG(8, 9)))
	})
	both("Observed", n, func(m runtime.Model, out []float64) { m.(runtime.Predictor).Observed(out) })
}

func compareSites(t *testing.T, one, other runtime.Model, z []float64, both comparison) {
	t.Helper()
	d, factors, predictors := other.(ep.Model).FactorSizes()
	gotD, gotFactors, gotPredictors := one.(ep.Model).FactorSizes()
	same(t, "FactorSizes", [3]int{gotD, gotFactors, gotPredictors}, [3]int{d, factors, predictors})
	same(t, "Power", one.(ep.Model).Power(), other.(ep.Model).Power())
	both("Coefficients", d*predictors+factors, func(m runtime.Model, out []float64) {
		m.(ep.Model).Coefficients(out[:d*predictors], out[d*predictors:])
	})
	for _, i := range []int{0, factors / 2, factors - 1} {
		var xs []float64 // five points
		for k := range other.(ep.Model).Predictors(i) {
			xs = append(xs, -3, -1+0.3*float64(k), 0, 0.1, 2)
		}
		both("Predictors", 1, func(m runtime.Model, out []float64) { out[0] = float64(m.(ep.Model).Predictors(i)) })
		both("FactorLogs", 5, func(m runtime.Model, out []float64) { m.(ep.Model).FactorLogs(out, xs, i) })
	}
	both("Quadratic", d+1, func(m runtime.Model, out []float64) { out[d] = m.(ep.Model).Quadratic(out[:d], z) })
	moments := make([]float64, d+d*d)
	for i := range d {
		moments[i], moments[d+i*d+i] = 0.1*float64(i), 1+float64(i)
	}
	n := 0
	for _, b := range other.Blocks() {
		n += b.Len
	}
	both("FromMoments", n, func(m runtime.Model, out []float64) {
		if err := m.(ep.Model).FromMoments(out, moments); err != nil {
			out[0] = math.NaN()
		}
	})
}

// sameApproximations compares reports of posteriors.
func sameApproximations(t *testing.T, one, other runtime.Model) {
	t.Helper()
	var reports []string
	for _, m := range []runtime.Model{one, other} {
		s := &estimate.Settings{MaxIterations: 100}
		s.Stochastic.Steps = 200
		s.Variational.EvalDraws = 2000
		a, _ := estimate.Approximate(t.Context(), m.(runtime.Variational), s)
		if a == nil {
			reports = append(reports, "none")
			continue
		}
		a.Seconds = 0
		reports = append(reports, text(t, a))
	}
	same(t, "the approximation", reports[0], reports[1])
}

// Every approximation of every posterior of the library is interpreted, and its bound has a derivative: that of differences along the
// ordinary gradient, at the draws that stay the same.
func TestApproximations(t *testing.T) {
	for _, name := range []string{"eightschools", "poissonregression", "linearregression"} {
		p := spec.Library().Problem(name)
		for _, form := range p.Approximations() {
			t.Run(name+"/"+form, func(t *testing.T) {
				q, diags := p.ApproximationNamed(form).For(p)
				if q == nil {
					t.Fatal(diags.String())
				}
				build, diags, unsupported := engine.Interpreted(t.Context(), q, gen.Options{})
				if diags.HasErrors() || unsupported != nil {
					t.Fatal(diags.String(), unsupported)
				}
				m := build()
				ready(t, m, librarytest.Data(t, m, 20, 3))
				checkDerivative(t, m)
			})
		}
	}
}

// checkDerivative compares the gradient at a start with a difference along it.
func checkDerivative(t *testing.T, m runtime.Model) {
	t.Helper()
	n := 0
	for _, b := range m.Blocks() {
		n += b.Len
	}
	z, v, c := make([]float64, n), make([]float64, n), make([]float64, n)
	if err := m.Start(z, 0, rand.New(rand.NewPCG(1, 2))); err != nil {
		t.Fatal(err)
	}
	m.Gradients(v, c, z)
	if m.Info().Path {
		return // of which expectations alone are derivatives
	}
	square := 0.0
	for _, x := range c {
		square += x * x
	}
	size := 1e-6 / math.Sqrt(square)
	at := func(sign float64) float64 {
		moved := slices.Clone(z)
		for i := range moved {
			moved[i] += sign * size * c[i]
		}
		return m.Loss(moved)
	}
	if slope := (at(1) - at(-1)) / (2 * size); math.Abs(slope/square-1) > 1e-3 {
		t.Errorf("the difference along the gradient is %v, its square %v", slope, square)
	}
}
