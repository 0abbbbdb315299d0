package estimate_test

import (
	"math"
	"testing"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/estimate"
)

// A parameter that goes to infinity beside others that have estimates is seen, whatever it is called together with; one along which the
// likelihood falls on both sides, at speeds as different as they may be, has an estimate.
func TestRecession(t *testing.T) {
	for _, c := range []struct {
		what string
		tail func(x float64) (f, g float64)
		want runtime.Status
		say  string
	}{
		{"an event in all rows", func(x float64) (f, g float64) { return math.Log1p(math.Exp(-x)), -1 / (1 + math.Exp(x)) }, runtime.AtInfinity,
			"the likelihood has no maximum: it still rises, ever more slowly, as the length of a goes to infinity"},
		{"a line on one side, an exponential on the other", func(x float64) (f, g float64) { return math.Exp(-x) + 1e-3*x, 1e-3 - math.Exp(-x) },
			runtime.GradientConverged, ""},
	} {
		loss := func(g, x []float64) float64 {
			f, slope := c.tail(x[1])
			one, two := x[0]-1, x[2]+x[0]
			g[0], g[1], g[2] = one+two, slope, two
			return one*one/2 + two*two/2 + f
		}
		rep, err := estimate.Find(t.Context(), &sheet{3, loss}, estimate.Settings{})
		if err != nil || rep.Status != c.want {
			t.Errorf("%s: %v, %v", c.what, rep.Status, err)
			continue
		}
		if len(rep.Message) < len(c.say) || rep.Message[:len(c.say)] != c.say {
			t.Errorf("%s: %q", c.what, rep.Message)
		}
	}
}
