package estimate_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sngdgen/sngdgen/generated/normalmix"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/estimate"
)

// TestManyTies: where a component collapses in most runs, onto the value that a sixth of the rows have, no short run is taken for one
// that has come to its end: the report is of a maximum, at which a step of EM changes nothing, or it says that components collapse.
func TestManyTies(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 9))
	var x []float64
	for range 250 {
		v := 4.3 + 0.4*rng.NormFloat64()
		if rng.Float64() < 0.4 {
			v = 1.9 + 0.13*rng.NormFloat64()
		}
		x = append(x, math.Round(60*v)/60)
	}
	for range 50 {
		x = append(x, 4)
	}
	for k := 4; k <= 7; k++ {
		rep, err := estimate.FindOn(t.Context(), new(normalmix.Model), runtime.Data{Values: x}, estimate.Settings{Components: k})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%d components: %v, %v", k, rep.Status, rep.LogLikelihood)
		if rep.Status == runtime.Collapsed {
			continue
		}
		if !rep.Converged {
			t.Errorf("%d components: %v %q", k, rep.Status, rep.Message)
			continue
		}
		m := reported(t, rep)
		sizes, sums := make([]float64, k), make([]float64, k)
		for i, shares := range m.shares(x) {
			for c, r := range shares {
				sizes[c] += r
				sums[c] += r * x[i]
			}
		}
		for c, size := range sizes {
			if math.Abs(size-300*m.w[c]) > 1e-2 || math.Abs(sums[c]/size-m.mu[c]) > 1e-2*math.Sqrt(m.sigma2[c]) {
				t.Errorf("%d components: a step of EM takes component %d to %v rows at %v, from %v at %v", k, c+1, size, sums[c]/size,
					300*m.w[c], m.mu[c])
			}
		}
	}
}
