package estimate_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/sngdgen/sngdgen/generated/gamma"
	"github.com/sngdgen/sngdgen/generated/normal"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/estimate"
)

// TestDigits: what the digits of the data do not suffice for is no verdict about the likelihood. Of a gamma distribution on a + x, for a large, the maximum is that of a normal
// distribution but for 1/a, so that there is one; of 1e-300 x it is that of x.
func TestDigits(t *testing.T) {
	x := []float64{1.3, 0.4, 2.2, 3.1, 0.9, 1.8, 2.7, 0.6, 1.1, 4.2, 3.3, 0.2, 1.6, 2.4, 0.75, 5.1, 1.45, 2.05, 0.33, 1.9}
	moved := func(place, scale float64) []float64 {
		out := make([]float64, len(x))
		for i, v := range x {
			out[i] = place + scale*v
		}
		return out
	}
	for _, c := range []struct {
		model   runtime.Model
		status  runtime.Status // NotTerminated where there is no report
		message string         // or the warning
	}{
		{must(gamma.New(moved(0, 1))), runtime.GradientConverged, ""},
		{must(gamma.New(moved(1e5, 1))), runtime.GradientConverged, ""},
		{must(gamma.New(moved(1e9, 1))), runtime.Failed, "the digits of the data do not suffice: the values of x are 1000000002 give or take 1.2"},
		{must(gamma.New(moved(0, 1e-300))), runtime.Failed, "the largest value of x is 5.1e-300, whose square floating point cannot hold with all its digits: rescale the data, multiply them by 1e+299"},
		{must(normal.New(moved(1e9, 1))), runtime.GradientConverged, ""},
		{must(normal.New(moved(0, 1e300))), runtime.NotTerminated, "multiply them by 1e-301"},
		{must(normal.New(moved(0, 1e-300))), runtime.NotTerminated, "multiply them by 1e+299"},
	} {
		rep, err := estimate.Fit(context.Background(), c.model, nil)
		switch {
		case c.status == runtime.NotTerminated:
			if rep != nil || err == nil || !strings.Contains(err.Error(), c.message) {
				t.Errorf("%v, not %s", err, c.message)
			}
		case rep == nil || rep.Status != c.status || !strings.Contains(rep.Message, c.message) || len(rep.Warnings) > 0 && c.status.Converged():
			t.Errorf("%+v, %v, not %v: %s", rep, err, c.status, c.message)
		}
	}
	many := make([]float64, 0, 200) // of which some lose digits
	for i := range 200 {
		many = append(many, 1e6+x[i%len(x)]+float64(i)/512)
	}
	rep, err := estimate.Fit(context.Background(), must(gamma.New(many)), nil)
	if err != nil || !slices.ContainsFunc(rep.Warnings, func(w string) bool { return strings.HasPrefix(w, "the log-likelihood is known to ") }) {
		t.Errorf("%v, %v", rep.Warnings, err)
	}
}
