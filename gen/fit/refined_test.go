package fit

import (
	"math"
	"strings"
	"testing"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/estimate"
)

const (
	// peak is a normal density of deviation sqrt(1/2) at half of the argument, far from the middle of a wide interval, and sqrt(pi) exp(-(.)^2/4).
	peak, peakIs = "log(integral(u in (-40, 40), exp(-u^2/2 - (@ - u)^2/2)))", "(log(pi)/2 - (@)^2/4)"
	// slow is a geometric series, of which 200 terms are not all.
	slow, slowIs = "log(series(k from 0, (1/(1 + exp(-(@)/40 - 4)))^k))", "log(1 + exp((@)/40 + 4))"
)

// peaked are posteriors with such a sum in various places.
var peaked = map[string]struct{ text, sum, is string }{
	"likelihood": {"    log_likelihood: sum(SUM(y - b[1] - b[2]*x))\n    log_prior: -dot(b, b)/2\n", peak, peakIs},
	"series":     {"    log_likelihood: sum(SUM(y - b[1] - b[2]*x))\n    log_prior: -dot(b, b)/2\n", slow, slowIs},
	"let":        {"    let:\n      each: SUM(y - b[1] - b[2]*x)\n    log_joint: sum(each) - dot(b, b)/2\n", peak, peakIs},
	"prior":      {"    log_likelihood: -sum((y - b[1] - b[2]*x)^2)/2\n    log_prior: SUM(b[1] - 1) - dot(b, b)/2\n", peak, peakIs},
	"alone":      {"    log_prior: SUM(b[1] - 1) - dot(b, b)/2\n", peak, peakIs},
	"state": {"    state: {s: {type: real, start: 0.5, next: 's/2 + SUM(y - b[1])'}}\n" +
		"    log_likelihood: -sum((y - b[1] - b[2]*x - s/9)^2)/2\n    log_prior: -dot(b, b)/2\n", peak, peakIs},
}

// refinable writes a posterior with a sum by its formula, with @ for the operand.
func refinable(text, formula string) string {
	for {
		before, after, found := strings.Cut(text, "SUM(")
		if !found {
			break
		}
		operand, rest, _ := strings.Cut(after, ")")
		text = before + strings.ReplaceAll(formula, "@", "("+operand+")") + rest
	}
	data := "    data: {x: vector(n), y: vector(n)}\n"
	if !strings.Contains(text, "y -") {
		data = ""
	}
	return "package: refinable\napproximation: normal\nobjective:\n  vi:\n    latent: {b: vector(2)}\n" + data + text
}

// TestFinerWeights: what a model says of a draw by finer rules is nearer to the closed form than what it says by its own, wherever the sum stands.
func TestFinerWeights(t *testing.T) {
	for name, c := range peaked {
		t.Run(name, func(t *testing.T) {
			var logs [3][]float64
			for i, text := range []string{refinable(c.text, c.sum), refinable(c.text, c.is)} {
				p := open(t, text)
				m := p.Model().(runtime.Variational)
				if len(m.Info().Data) > 0 {
					if err := m.SetData(columns(t, nil, []float64{1, -1, 2, 0.3}, []float64{3, 0, 8, 1.5})); err != nil {
						t.Fatal(err)
					}
				}
				if err := m.SetDraws(6); err != nil {
					t.Fatal(err)
				}
				z := make([]float64, 0, 8)
				for _, b := range m.Blocks() {
					z = append(z, make([]float64, b.Len)...)
				}
				if err := m.Start(z, 0, nil); err != nil {
					t.Fatal(err)
				}
				logs[2*i] = make([]float64, m.Draws())
				m.Weights(logs[2*i], z)
				if i == 0 {
					logs[1] = make([]float64, m.Draws())
					m.(runtime.RefinedVariational).FinerWeights(logs[1], z)
				} else if len(m.Info().Approximated) > 0 {
					t.Errorf("a closed form has %v", m.Info().Approximated)
				}
			}
			for i, want := range logs[2] {
				own, finer := math.Abs(logs[0][i]-want), math.Abs(logs[1][i]-want)
				if !(own > 1e-3) || !(finer < own/2) {
					t.Errorf("draw %d: %v, %v by finer rules, %v in closed form", i, logs[0][i], logs[1][i], want)
				}
			}
		})
	}
}

// A bound that finer rules say is another one has not converged, and there is no evidence; with enough nodes it is that of the closed form.
func TestResolved(t *testing.T) {
	c := peaked["likelihood"]
	data := columns(t, nil, []float64{1, -1, 2, 0.3}, []float64{3, 0, 8, 1.5})
	fit := func(formula string) *estimate.Approximation {
		a, _ := open(t, refinable(c.text, formula)).Fit(t.Context(), data, &estimate.Settings{Variational: estimate.Variational{EvalDraws: 400}})
		return a.Posterior
	}
	coarse, fine, closed := fit(c.sum), fit(strings.Replace(c.sum, "/2)))", "/2), 16))", 1)), fit(c.is)
	if coarse.Status != runtime.Unresolved || coarse.Converged || coarse.Complete() || !math.IsNaN(float64(coarse.ELBO.LogEvidence)) ||
		!strings.Contains(coarse.Message, "by finer rules for its integrals; a third operand") {
		t.Errorf("%+v", coarse)
	}
	if e := coarse.ELBO; !(math.Abs(float64(e.FinerMean-e.Mean)) > 0.01) {
		t.Errorf("%v, %v by finer rules", e.Mean, e.FinerMean)
	}
	for _, bound := range []estimate.Number{fine.ELBO.Mean, fine.ELBO.FinerMean} {
		if !fine.Converged || !(math.Abs(float64(bound-closed.ELBO.Mean)) < 1e-3) {
			t.Errorf("%v: %v, %v in closed form", fine.Status, bound, closed.ELBO.Mean)
		}
	}
	if closed.ELBO.FinerMean != 0 {
		t.Errorf("a closed form has %v by finer rules", closed.ELBO.FinerMean)
	}
}
