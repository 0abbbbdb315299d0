package special_test

import (
	"math"
	"testing"

	"github.com/sngdgen/sngdgen/runtime/special"
)

// What is not taken is left out, even if it is no number, and what is taken is the same in all bits.
func TestWhere(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, x := range []float64{0, math.Copysign(0, -1), 1.5, -1e-310, inf, -inf, nan} {
		for _, c := range []float64{1, -1, 5e-324, inf, nan} {
			if got := special.Where(c, x); math.Float64bits(got) != math.Float64bits(x) {
				t.Errorf("where %v holds: %v in place of %v", c, got, x)
			}
		}
		for _, c := range []float64{0, math.Copysign(0, -1)} {
			if got := special.Where(c, x); math.Float64bits(got) != 0 {
				t.Errorf("%v where %v does not hold: %v", x, c, got)
			}
		}
	}
}
