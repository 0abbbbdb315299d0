package random_test

import (
	"slices"
	"testing"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/random"
)

// Quantiles against distribution functions of draws: Kolmogorov and Smirnov.
func TestQuantiles(t *testing.T) {
	for name, c := range map[string]struct {
		quantile func(u float64) float64
		draw     func(i int) float64
	}{
		"normal":      {func(u float64) float64 { return random.NormalQuantile(u, 2, 3) }, func(i int) float64 { return random.Normal(runtime.Stream(1, "n", uint64(i)), 2, 3) }},
		"uniform":     {func(u float64) float64 { return random.UniformQuantile(u, 2, 3) }, func(i int) float64 { return random.Uniform(runtime.Stream(1, "u", uint64(i)), 2, 3) }},
		"exponential": {func(u float64) float64 { return random.ExponentialQuantile(u, 2) }, func(i int) float64 { return random.Exponential(runtime.Stream(1, "e", uint64(i)), 2) }},
		"gamma":       {func(u float64) float64 { return random.GammaQuantile(u, 2, 3) }, func(i int) float64 { return random.Gamma(runtime.Stream(1, "g", uint64(i)), 2, 3) }},
	} {
		const n = 4000
		x := make([]float64, n)
		for i := range x {
			x[i] = c.draw(i)
		}
		slices.Sort(x)
		// Of ordered draws number i has about the quantile of (i + 1/2)/n.
		for _, u := range []float64{0.05, 0.25, 0.5, 0.75, 0.95} {
			lo, hi := x[int(u*n)-100], x[int(u*n)+100]
			if q := c.quantile(u); q < lo || q > hi {
				t.Errorf("%s: quantile %v of %v is not between %v and %v", name, u, q, lo, hi)
			}
		}
	}
}
