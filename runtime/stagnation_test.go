package runtime_test

import (
	"math"
	"slices"
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

// scripted has gradients of given sizes, one after the other, and one loss.
func scripted(sizes []float64) *plain {
	k := 0
	return &plain{dim: 1, f: func([]float64) float64 { return 1 }, grad: func(c, _ []float64) {
		c[0] = sizes[min(k, len(sizes)-1)]
		k++
	}}
}

// Near an optimum a run ends when 15 steps in a row have brought no smaller norm, and goes back to where it was smallest;
// one smaller norm, however late, counts from 0 again. Norms above 1e-6 are not near.
func TestStagnationWindow(t *testing.T) {
	level := func(n int, size float64) []float64 { return slices.Repeat([]float64{size}, n) }
	for _, c := range []struct {
		name       string
		sizes      []float64
		iterations int
		norm       float64
	}{
		{"at once", level(1, 1e-7), 15, 1e-7},
		{"later", slices.Concat(level(30, 1e-3), level(1, 1e-7)), 45, 1e-7},
		{"again in the last step", slices.Concat(level(15, 1e-7), level(1, 0.9e-7), level(1, 1e-7)), 30, 0.9e-7},
		{"a step too late", slices.Concat(level(16, 1e-7), level(1, 0.9e-7)), 15, 1e-7},
		{"back to the best", slices.Concat(level(3, 1e-7), level(1, 2e-8), level(1, 1e-3)), 18, 2e-8},
	} {
		set := &runtime.Settings{Step: runtime.Constant{}, MaxIterations: 100}
		res, err := runtime.Minimize(ctx, scripted(c.sizes), []float64{0}, set)
		if err != nil || res.Status != runtime.PrecisionReached || res.Iterations != c.iterations || res.NaturalNorm != c.norm {
			t.Errorf("%s: %+v, %v", c.name, res, err)
		}
	}
	res, err := runtime.Minimize(ctx, scripted(level(1, 1.1e-6)), []float64{0}, &runtime.Settings{Step: runtime.Constant{}, MaxIterations: 100})
	if err != nil || res.Status != runtime.IterationLimit {
		t.Errorf("not near: %+v, %v", res, err)
	}
}

// LossTolerance looks at five steps together: of losses 2^-k these fall by 31 * 2^-k, which is at most 1e-3 (1 + 2^-k) from
// k = 15 on.
func TestLossWindow(t *testing.T) {
	p := &plain{
		dim:  1,
		f:    func(z []float64) float64 { return math.Exp2(-math.Round(-z[0])) },
		grad: func(c, _ []float64) { c[0] = 1 },
	}
	set := &runtime.Settings{Step: runtime.Constant{}, LossTolerance: 1e-3, MaxIterations: 100}
	res, err := runtime.Minimize(ctx, p, []float64{0}, set)
	if err != nil || res.Status != runtime.LossConverged || res.Iterations != 15 {
		t.Errorf("%+v, %v", res, err)
	}
}
