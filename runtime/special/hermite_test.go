package special_test

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/integrate/quad"

	"github.com/sngdgen/sngdgen/runtime/special"
)

// TestHermiteNodes compares the points with those of gonum, which are for the density exp(-x^2), and the moments with (2k - 1)!!.
func TestHermiteNodes(t *testing.T) {
	for _, n := range []int{1, 2, 3, 7, 16, 33, 64, 128, 199} {
		x, w := make([]float64, n), make([]float64, n)
		special.HermiteNodes(x, w)
		want, weights := make([]float64, n), make([]float64, n)
		quad.Hermite{}.FixedLocations(want, weights, math.Inf(-1), math.Inf(1))
		for i := range want {
			j := slices.IndexFunc(x, func(v float64) bool { return math.Abs(v/math.Sqrt2-want[i]) < 1e-10*(1+math.Abs(want[i])) })
			if j < 0 || !(math.Abs(w[j]*math.Sqrt(math.Pi)-weights[i]) <= 1e-9*weights[i]+1e-15) {
				t.Fatalf("%d nodes: %v with weight %v is not among %v, %v", n, want[i], weights[i], x, w)
			}
		}
		moment := 1.0
		for k := 0; k < min(n, 12); k++ {
			sum, odd := 0.0, 0.0
			for i := range x {
				sum, odd = sum+w[i]*math.Pow(x[i], float64(2*k)), odd+w[i]*math.Pow(x[i], float64(2*k+1))
			}
			if !(math.Abs(sum-moment) <= 1e-12*moment) || odd != 0 {
				t.Errorf("%d nodes: moment %d is %v, not %v; the next %v", n, 2*k, sum, moment, odd)
			}
			moment *= float64(2*k + 1)
		}
	}
}
