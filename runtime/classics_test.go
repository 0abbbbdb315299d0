package runtime_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/optimize/functions"

	"github.com/sngdgen/sngdgen/runtime"
)

// The test functions that gonum's own optimisers are tested on (Moré, Garbow and Hillstrom, ACM TOMS 7, 1981), from
// their standard starts.
func TestClassics(t *testing.T) {
	type function interface {
		Func(x []float64) float64
		Grad(grad, x []float64)
	}
	for _, c := range []struct {
		name  string
		f     function
		start []float64
		min   float64
	}{
		{"Beale", functions.Beale{}, []float64{1, 1}, 0},
		{"BiggsEXP2", functions.BiggsEXP2{}, []float64{1, 2}, 0},
		{"BiggsEXP3", functions.BiggsEXP3{}, []float64{1, 2, 1}, 0},
		{"BiggsEXP4", functions.BiggsEXP4{}, []float64{1, 2, 1, 1}, 0},
		{"Box3D", functions.Box3D{}, []float64{0, 10, 20}, 0},
		{"BrownBadlyScaled", functions.BrownBadlyScaled{}, []float64{1, 1}, 0},
		{"BrownAndDennis", functions.BrownAndDennis{}, []float64{25, 5, -5, -1}, 85822.20162635},
		{"ExtendedPowell", functions.ExtendedPowellSingular{}, []float64{3, -1, 0, 3, 3, -1, 0, 3}, 0},
		{"ExtendedRosenbrock", functions.ExtendedRosenbrock{}, []float64{-1.2, 1, -1.2, 1, -1.2, 1}, 0},
		{"Gaussian", functions.Gaussian{}, []float64{0.4, 1, 0}, 1.12793e-8},
		{"GulfR&D", functions.GulfResearchAndDevelopment{}, []float64{5, 2.5, 0.15}, 0},
		{"HelicalValley", functions.HelicalValley{}, []float64{-1, 0, 0}, 0},
		{"PenaltyI", functions.PenaltyI{}, []float64{1, 2, 3, 4}, 2.24997e-5},
		{"PenaltyII", functions.PenaltyII{}, []float64{0.5, 0.5, 0.5, 0.5}, 9.37629e-6},
		{"PowellBadlyScaled", functions.PowellBadlyScaled{}, []float64{0, 1}, 0},
		{"Trigonometric", functions.Trigonometric{}, []float64{0.5, 0.5}, 0},
		{"VariablyDimensioned", functions.VariablyDimensioned{}, []float64{0.5, 0, 0.2, 0.1}, 0},
		{"Watson", functions.Watson{}, []float64{0, 0, 0, 0, 0, 0}, 2.28767005355e-3},
		{"Wood", functions.Wood{}, []float64{-3, -1, -3, -1}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := &plain{dim: len(c.start), f: c.f.Func, grad: c.f.Grad}
			res, err := runtime.Minimize(ctx, p, c.start, &runtime.Settings{Method: runtime.NaturalLBFGS{}})
			if err != nil || !res.Status.Converged() {
				t.Errorf("%+v, %v", res, err)
			}
			if !(math.Abs(res.Loss-c.min) <= 1e-6*c.min+1e-10) {
				t.Errorf("loss %v, want %v", res.Loss, c.min)
			}
			t.Logf("%d iterations, %d evaluations, norm %.2g, %v, loss %g", res.Iterations, res.GradientEvaluations, res.NaturalNorm, res.Status, res.Loss)
		})
	}
}
