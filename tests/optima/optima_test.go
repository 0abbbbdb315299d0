// Package optima_test fits every problem of the library and compares the estimates with optima found without it: closed
// forms, the roots of likelihood equations written by hand, and maxima of likelihoods written by hand.
package optima_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sngdgen/sngdgen/internal/librarytest"
	"github.com/sngdgen/sngdgen/runtime"
	_ "github.com/sngdgen/sngdgen/runtime/baseline/general" // the methods of gonum
	"github.com/sngdgen/sngdgen/runtime/estimate"
	"github.com/sngdgen/sngdgen/runtime/modeltest"
)

// oracles give the estimates of the target's parameters in their order, vectors and matrices in full. Problems that
// differ in their coordinates only have the same.
var oracles = map[string]func(sample) []float64{
	"normal":       normal,
	"gamma":        gamma,
	"inversegamma": inverseGamma,
	"beta":         beta,
	"negbin":       negbin,
	"negbinnat":    negbin,
	"studentt":     studentT,
	"studentt5":    func(s sample) []float64 { mu, sigma := locationScale(s, 5); return []float64{mu, sigma, 5} },
}

// elsewhere are problems whose optima other tests have, found by scipy.
var elsewhere = map[string]string{
	"wishart": "tests/families", "inversewishart": "tests/families",
	"autoregression": "tests/rivals/sequences", "garch": "tests/rivals/sequences", "locallevel": "tests/rivals/sequences", "hiddenpoisson": "tests/rivals/sequences",
	"poissonhmm": "tests/rivals/sequences", "normalhmm": "tests/rivals/sequences",
	"vonmises": "tests/families", "vonmisesmix": "tests/families", "vonmisesfisher": "tests/families", "vonmisesfishermix": "tests/families",
}

// pinned is a model whose only start is a given point, so that package fit starts from there.
type pinned struct {
	runtime.Model
	z []float64
}

func (p pinned) Start(z []float64, _ int, _ *rand.Rand) error { copy(z, p.z); return nil }
func (p pinned) Clone() runtime.Model                         { return pinned{p.Model.Clone(), p.z} }

// method is a method of package fit.
type method struct{ name, search string }

var (
	onSurrogate = []method{{"sngd", "exact"}, {"sngd", "backtracking"}, {"nlbfgs", ""}}
	onNumbers   = append(onSurrogate, method{"bfgs", ""}, method{"newton", ""})
)

// TestOptima fits every problem on three data sets, with weights that are not whole, from its own starts and two random
// ones; those of vectors and mixtures as ofVectors and ofMixture say.
func TestOptima(t *testing.T) {
	for _, name := range librarytest.Names() {
		t.Run(name, func(t *testing.T) {
			if where := elsewhere[name]; where != "" {
				t.Skipf("its optimum is found in %s", where)
			}
			newModel := librarytest.Model(t, name)
			if newModel().Info().Objective != "mle" {
				t.Skip("has no likelihood: see tests/variational")
			}
			if newModel().Info().Mixture {
				ofMixture(t, name, newModel())
				return
			}
			if _, ok := regressions[name]; ok || len(newModel().Info().Given) > 0 {
				ofRegression(t, name, newModel())
				return
			}
			if len(newModel().Info().Dims) > 0 {
				ofVectors(t, name, newModel)
				return
			}
			oracle := oracles[name]
			if oracle == nil {
				t.Fatalf("no independent optimum is known here for the problem %s", name)
			}
			for i := range 3 {
				m := newModel()
				rng := rand.New(rand.NewPCG(31, uint64(i)))
				s := sample{x: modeltest.Observations(m.Info(), 150<<i, rng)}
				s.w = weights(len(s.x), rng)
				if err := m.SetData(runtime.Data{Values: s.x, Weights: s.w}); err != nil {
					t.Fatal(err)
				}
				compare(t, m, oracle(s), 1e-9, onNumbers)
			}
		})
	}
}

func weights(n int, rng *rand.Rand) []float64 {
	w := make([]float64, n)
	for i := range w {
		w[i] = 0.5 + rng.Float64()
	}
	return w
}

// compare fits from every start by every method.
func compare(t *testing.T, m runtime.Model, want []float64, tolerance float64, methods []method) {
	t.Helper()
	worst := 0.0
	for _, f := range methods {
		for start := range m.Info().Starts + 2 {
			z := newPoint(m)
			if err := m.Start(z, start, runtime.Stream(2, "start", uint64(start))); err != nil {
				t.Fatal(err)
			}
			what := fmt.Sprintf("%s %s, start %d", f.name, f.search, start)
			worst = max(worst, fitted(t, what, pinned{m, z}, f, want, tolerance))
		}
	}
	t.Logf("%.6g: to %.1e", want, worst)
}

func newPoint(m runtime.Model) []float64 {
	last := m.Blocks()[len(m.Blocks())-1]
	return make([]float64, last.Offset+last.Len)
}

// fitted fits and returns the largest error, relative to the size of the parameter or to 1.
func fitted(t *testing.T, what string, m runtime.Model, f method, want []float64, tolerance float64) (worst float64) {
	t.Helper()
	r, err := estimate.Fit(context.Background(), m, &estimate.Settings{Method: f.name, LineSearch: f.search, Starts: m.Info().Starts})
	if err != nil {
		t.Errorf("%s: %v", what, err)
		return math.NaN()
	}
	if !r.Converged {
		t.Errorf("%s: %s", what, r.Message)
	}
	ended := 0
	for _, o := range r.Optima { // nil when there was one start
		ended += o.Count
	}
	if starts := m.Info().Starts; r.Optima != nil && ended != starts {
		t.Errorf("%s: only %d of %d starts led to an optimum: %q", what, ended, starts, r.Warnings)
	}
	for _, p := range r.Estimate {
		got := p.Entries
		if p.Shape == nil {
			got = []float64{p.Value}
		}
		for k, w := range want[:len(got)] {
			e := math.Abs(got[k]-w) / max(1, largest(want[:len(got)]))
			if worst = max(worst, e); !(e <= tolerance) {
				t.Errorf("%s: %s[%d] = %.15g, want %.15g", what, p.Name, k, got[k], w)
			}
		}
		want = want[len(got):]
	}
	if len(want) > 0 {
		t.Errorf("%s: %d numbers are missing", what, len(want))
	}
	return worst
}

func largest(x []float64) float64 {
	m := 0.0
	for _, v := range x {
		m = max(m, math.Abs(v))
	}
	return m
}
