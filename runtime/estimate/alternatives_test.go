package estimate_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sngdgen/sngdgen/generated/normalmix"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/estimate"
)

// TestAlternatives: what a report says of other optima holds by definition, and it names those that there are: small samples of
// one normal distribution with more components than that have many of either kind.
func TestAlternatives(t *testing.T) {
	const enough = 6 // rows of a component of numbers
	seen := map[string]int{}
	for seed := range uint64(12) {
		rng := rand.New(rand.NewPCG(seed, 5))
		x := make([]float64, 60)
		for i := range x {
			x[i] = rng.NormFloat64()
		}
		rep, err := estimate.FindOn(t.Context(), new(normalmix.Model), runtime.Data{Values: x}, estimate.Settings{Components: 3})
		if err != nil {
			t.Fatal(err)
		}
		fewest := func(m normals) float64 {
			sizes := make([]float64, len(m.w))
			for _, shares := range m.shares(x) {
				for c, r := range shares {
					sizes[c] += r
				}
			}
			return slices.Min(sizes)
		}
		chosen, ll := fewest(reported(t, rep)), float64(rep.LogLikelihood)
		for _, a := range rep.Alternatives {
			seen[a.Kind]++
			o := rep.Optima[a.Optimum]
			m := normals{o.Estimate[0].Entries, o.Estimate[1].Entries, o.Estimate[2].Entries}
			near(t, "log-likelihood", float64(a.LogLikelihood), m.logLikelihood(x), 1e-9)
			near(t, "rows", float64(a.Rows), fewest(m), 1e-6)
			if !o.Examined || a.Optimum == 0 && a.Kind != estimate.Higher {
				t.Errorf("seed %d: %+v of %+v", seed, a, rep.Optima)
			}
			switch below := ll - float64(a.LogLikelihood); a.Kind {
			case estimate.BetterSupported: // a component has 3 parameters: weight, mean, variance
				if !(chosen < enough && a.Rows >= enough && below > 0 && below < 3) {
					t.Errorf("seed %d: %+v, chosen %v rows at %v", seed, a, chosen, ll)
				}
			case estimate.Higher:
				if !(below < 0) {
					t.Errorf("seed %d: %+v, chosen at %v", seed, a, ll)
				}
			default:
				t.Errorf("%+v", a)
			}
		}
		// The first optimum that is better supported is named.
		for _, o := range rep.Optima {
			m := normals{o.Estimate[0].Entries, o.Estimate[1].Entries, o.Estimate[2].Entries}
			below := ll - m.logLikelihood(x)
			if chosen >= enough || !o.Examined || fewest(m) < enough || below < 1e-6 || below >= 3 {
				continue
			}
			if !slices.ContainsFunc(rep.Alternatives, func(a estimate.Alternative) bool {
				return a.Kind == estimate.BetterSupported && math.Abs(float64(a.LogLikelihood)-m.logLikelihood(x)) < 1e-6
			}) {
				t.Errorf("seed %d: %v below by %v, alternatives %+v", seed, m, below, rep.Alternatives)
			}
		}
	}
	if seen[estimate.BetterSupported] == 0 || seen[estimate.Higher] == 0 {
		t.Errorf("alternatives %v", seen)
	}
	// Where the components are there, there is nothing to say.
	if rep := runMixture(t, threeMixed(), estimate.Settings{Components: 3}); len(rep.Alternatives) > 0 {
		t.Errorf("%+v", rep.Alternatives)
	}
}
