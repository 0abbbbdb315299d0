package baseline_test

import (
	"context"
	"math"
	"testing"

	"github.com/sngdgen/sngdgen/internal/fit/fixture"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/baseline"
)

func start(t testing.TB, m runtime.Model, i int) (z, u []float64) {
	t.Helper()
	z, u = make([]float64, 2), make([]float64, 2)
	th := make([]float64, 2)
	if err := m.Start(z, m.Info().Starts+i, runtime.Stream(7, "start", uint64(i))); err != nil {
		t.Fatal(err)
	}
	m.Theta(th, z)
	m.Unconstrained().FromTheta(u, th)
	return z, u
}

func TestGonumSheep(t *testing.T) {
	m := fixture.NewNegBin(fixture.SheepData())
	for _, method := range baseline.Methods {
		t.Run(method, func(t *testing.T) {
			for i := range 10 {
				_, u := start(t, m, i)
				res, err := baseline.Run(context.Background(), m.Unconstrained(), u, method, nil)
				if err != nil {
					t.Errorf("start %d: %v norm %g", i, err, res.NaturalNorm)
				}
				th := make([]float64, 2)
				m.Unconstrained().Theta(th, res.Z)
				t.Logf("start %d: %d iterations, %d+%d evaluations, norm %.2g, %v: errors %.2g %.2g", i, res.Iterations,
					res.GradientEvaluations, res.LossEvaluations, res.NaturalNorm, res.Status, th[0]/fixture.SheepR-1, th[1]/fixture.SheepS-1)
			}
		})
	}
}

var _ = math.Pi
