package estimate_test

import (
	"testing"

	"github.com/sngdgen/sngdgen/generated/inversegamma"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/estimate"
)

// Of years a shape is so large that terms of a million cancel in the loss: what they leave is a multiple of the last digit of these, and may be the same
// number at all points by which rounding is measured. That is no way down from a maximum.
func TestRoundingIsNoSaddle(t *testing.T) {
	for first := 1000; first < 3000; first += 10 {
		years := make([]float64, 22)
		for i := range years {
			years[i] = float64(first + i)
		}
		m, err := inversegamma.New(years)
		if err != nil {
			t.Fatal(err)
		}
		if rep, err := estimate.Find(t.Context(), m, estimate.Settings{}); err != nil || rep.Status == runtime.SaddlePoint || !rep.Converged {
			t.Errorf("%d to %d: %v %v", first, first+21, rep.Status, err)
		}
	}
}
