package runtime_test

import (
	"math"
	"strings"
	"testing"

	"github.com/sngdgen/sngdgen/runtime"
)

// Where the gradient is not that of the loss, every search divides its bracket until the loss is level to rounding and
// takes that step. A run ends after some searches of that kind, with a message, instead of thousands.
func TestSearchesWithoutProgress(t *testing.T) {
	uphill := &plain{
		dim: 2,
		f:   func(z []float64) float64 { return 1 + 1e-3*z[0] + 1e-3*math.Abs(z[1]) },
		grad: func(c, z []float64) {
			c[0], c[1] = -3, 1e-3 // the first should be 1e-3
		},
	}
	for _, set := range []runtime.Settings{
		{}, {Method: runtime.NaturalLBFGS{}}, {Method: runtime.NaturalLBFGS{}, Step: runtime.ExactLineSearch{}},
	} {
		res, err := runtime.Minimize(ctx, uphill, []float64{1, 1}, &set)
		t.Logf("%d iterations, %d evaluations, %v", res.Iterations, res.GradientEvaluations, err)
		if err == nil || res.Status != runtime.Failed || !strings.Contains(err.Error(), "gains nothing: the gradient is not accurate here") {
			t.Errorf("%v %v: %+v, %v", set.Method, set.Step, res, err)
		}
		if res.GradientEvaluations > 1500 {
			t.Errorf("%v %v: %d evaluations", set.Method, set.Step, res.GradientEvaluations)
		}
		if !(res.Loss <= 1.002+1e-10) {
			t.Errorf("%v %v: the loss has risen to %.15g", set.Method, set.Step, res.Loss)
		}
	}
}

// Searches that end without a step that meets their conditions, again and again, do not end a run that gets somewhere,
// however slowly.
func TestSlowSearches(t *testing.T) {
	for _, condition := range []float64{1e2, 1e3, 1e4} {
		p := quadratic([]float64{1, condition}, []float64{1, 2})
		for _, trials := range []int{3, 4, 5, 30} {
			step := runtime.ExactLineSearch{MaxEvaluations: trials, Tolerance: 1e-15}
			res, err := runtime.Minimize(ctx, p, []float64{-5, 7}, &runtime.Settings{Step: step, MaxIterations: 100_000})
			t.Logf("condition %g, %d trials: %d iterations, %v, loss %g, norm %g", condition, trials, res.Iterations, err, res.Loss-1, res.NaturalNorm)
			if err != nil || !res.Status.Converged() || !(res.NaturalNorm < 1e-8) {
				t.Errorf("condition %g, %d trials: %+v, %v", condition, trials, res, err)
			}
		}
	}
}
