package estimate_test

import (
	"math"
	"testing"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/estimate"
)

// TestRatios: what is said of k-hat is said where its limit is three standard errors away, and of more portions more is known.
func TestRatios(t *testing.T) {
	for _, c := range []struct {
		kHats []float64
		want  estimate.Ratios
	}{
		{[]float64{0.4}, estimate.RatiosReliable},                // 0.081 each
		{[]float64{0.5}, estimate.RatiosUnclear},                 // 0.087
		{[]float64{0.5, 0.5, 0.5, 0.5}, estimate.RatiosReliable}, // 0.043
		{[]float64{0.62, 0.7, 0.6, 0.56}, estimate.RatiosUnclear},
		{[]float64{0.9}, estimate.RatiosUnclear}, // 0.11
		{[]float64{0.98, 0.94, 1, 1.1}, estimate.RatiosUnreliable},
		{[]float64{1.2}, estimate.RatiosUnreliable},
		{[]float64{0.1, math.Inf(1)}, estimate.RatiosUnreliable},
		{[]float64{0.1, math.NaN()}, estimate.RatiosUnknown},
	} {
		var each []runtime.Estimate
		for _, k := range c.kHats {
			each = append(each, runtime.Estimate{Mean: 1, StandardError: 0.1, KHat: k, Draws: 10_000, LogEvidence: 2})
		}
		e := estimate.Portions(each)
		if e.Ratios != c.want || !math.IsNaN(float64(e.LogEvidence)) != (c.want == estimate.RatiosReliable) {
			t.Errorf("%v: %+v", c.kHats, e)
		}
		n := float64(len(each))
		if e.Draws != 10_000*len(each) || e.PortionDraws != 10_000 || math.Abs(float64(e.StandardError)-0.1/math.Sqrt(n)) > 1e-12 || e.Mean != 1 {
			t.Errorf("%+v", e)
		}
	}
}
