package estimate_test

import (
	"math"
	"testing"

	"github.com/sngdgen/sngdgen/generated/linearregression"
	"github.com/sngdgen/sngdgen/runtime/estimate"
)

// TestExpectedRise: where the posterior is one of the approximations the bound has a divergence to gain that is known, at the maximum
// and beside it.
func TestExpectedRise(t *testing.T) {
	const d = 4
	m, err := linearregression.New(logits(30, d))
	if err != nil {
		t.Fatal(err)
	}
	a, err := estimate.Approximate(t.Context(), m, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, off := range []float64{0, 0.3, 1} {
		z := natural(t, m, a.Theta())
		want := 0.0 // half the square of the distance of the means, in the metric of the inverse covariance, which is -2 eta2
		for i := range d {
			step := 0.0
			for j := range d {
				step -= 2 * z[d+i*d+j] * off
			}
			z[i] += step
			want += off * step / 2
		}
		for seed := range uint64(4) {
			rise, standardError := estimate.ExpectedRise(m, z, seed, 1e9)
			if !(math.Abs(rise-want) <= 5*standardError+1e-9) || !(standardError < 0.05+want/5) {
				t.Errorf("%g away, seed %d: %g ± %g, want %g", off, seed, rise, standardError, want)
			}
		}
	}
}
