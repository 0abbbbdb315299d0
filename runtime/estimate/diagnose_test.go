package estimate_test

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/estimate"
)

// What a run without a maximum says: which parameters have gone where, with values, and what is wrong with the data.
func TestFaultsAreNamed(t *testing.T) {
	same := []float64{2, 2, 2, 2}
	proportions := []float64{0.3, 0.7, 0.3, 0.7, 0.3, 0.7}
	half := []float64{0.2, 1, 2, 3, 0.1, 0.05}
	rng := rand.New(rand.NewPCG(1, 1))
	light := make([]float64, 300) // tails lighter than normal, and a slant that is finite
	for i := range light {
		u := rng.Float64() + rng.Float64() + rng.Float64()
		light[i] = u + u*u/10
	}
	for _, c := range []struct {
		problem string
		x       []float64
		d       int
		status  runtime.Status
		want    []string
		not     string
	}{
		{"negbin", []float64{3}, 1, runtime.AtInfinity, []string{"r went from ", "s went from 1 - ", "(poisson)"}, "all rows"},
		{"studentt", []float64{1, 2, 3, 4, 5}, 1, runtime.AtInfinity, []string{"nu went from ", "(normal)"}, "penalty"},
		{"dirichlet", proportions, 2, runtime.AtInfinity, []string{"entry of alpha went from ", "all rows of the data are equal"}, "penalty"},
		{"gamma", same, 1, runtime.AtInfinity, []string{"grows without bound as alpha and beta go to infinity together", "alpha went from ", "beta went from ", "all rows of the data are equal, 2"}, "penalty"},
		// The run fails where the slant has no digits left: the likelihood there is the supremum.
		{"skewnormal", half, 1, runtime.AtInfinity, []string{"length of eta went from ", "(half_normal)", "a penalty that makes such an estimate finite"}, "all rows"},
		// Nu is not what the penalty holds back.
		{"skewt", light, 1, runtime.AtInfinity, []string{"nu goes to infinity"}, "penalty"},
	} {
		rep, err := estimate.Find(context.Background(), library(t, c.problem, c.x, c.d), estimate.Settings{})
		if err != nil {
			t.Errorf("%s: %v", c.problem, err)
			continue
		}
		if rep.Status != c.status || rep.AIC == rep.AIC {
			t.Errorf("%s: %v, AIC %v", c.problem, rep.Status, rep.AIC)
		}
		for _, want := range c.want {
			if !strings.Contains(rep.Message, want) {
				t.Errorf("%s: %q does not say %q", c.problem, rep.Message, want)
			}
		}
		if strings.Contains(rep.Message, c.not) {
			t.Errorf("%s: %q says %q", c.problem, rep.Message, c.not)
		}
	}
	for _, problem := range []string{"normal", "studentt", "skewnormal"} { // not even a start
		if _, err := estimate.Fit(context.Background(), library(t, problem, same, 1), nil); err == nil || !strings.HasPrefix(err.Error(), "all rows of the data are equal, 2") {
			t.Errorf("%s: %v", problem, err)
		}
	}
}
