package runtime_test

import (
	"context"
	"math"
	"testing"

	"github.com/sngdgen/sngdgen/internal/fitfixture"
	"github.com/sngdgen/sngdgen/runtime"
)

// sheepStart returns the i-th random start of the paper: s ~ U(0.05, 0.95), r ~ Gamma(6.25, rate 1.25).
func sheepStart(t testing.TB, m runtime.Model, i int) []float64 {
	t.Helper()
	z := make([]float64, 2)
	if err := m.Start(z, m.Info().Starts+i, runtime.Stream(7, "start", uint64(i))); err != nil {
		t.Fatal(err)
	}
	return z
}

var sheepRuns = []struct {
	name string
	set  runtime.Settings
}{
	{"sngd-exact", runtime.Settings{}},
	{"sngd-grid", runtime.Settings{Step: runtime.GridSearch{}}},
	{"sngd-backtracking", runtime.Settings{Step: runtime.Backtracking{}}},
	{"sngd-constant", runtime.Settings{Step: runtime.Constant{}}},
	{"sngd-wolfe", runtime.Settings{Step: runtime.Wolfe{}}},
	{"nlbfgs", runtime.Settings{Method: runtime.NaturalLBFGS{}}},
	{"nlbfgs-exact", runtime.Settings{Method: runtime.NaturalLBFGS{}, Step: runtime.ExactLineSearch{}}},
	{"nlbfgs-backtracking", runtime.Settings{Method: runtime.NaturalLBFGS{}, Step: runtime.Backtracking{}}},
}

func TestSheep(t *testing.T) {
	m := fitfixture.NewNegBin(fitfixture.SheepData())
	for _, run := range sheepRuns {
		t.Run(run.name, func(t *testing.T) {
			starts := 10
			if run.name == "sngd-grid" {
				starts = 1 // a thousand losses a step
			}
			for i := range starts {
				res, err := runtime.Minimize(context.Background(), m, sheepStart(t, m, i), &run.set)
				if err != nil {
					t.Fatalf("start %d: %v", i, err)
				}
				checkSheep(t, m, res)
				t.Logf("start %d: %d iterations, %d+%d evaluations, norm %.2g, %v", i, res.Iterations,
					res.GradientEvaluations, res.LossEvaluations, res.NaturalNorm, res.Status)
			}
		})
	}
}

func checkSheep(t testing.TB, m *fitfixture.NegBin, res *runtime.Result) {
	t.Helper()
	if !res.Status.Converged() {
		t.Errorf("status %v", res.Status)
	}
	var th [2]float64
	m.Theta(th[:], res.Z)
	near(t, "r", th[0], fitfixture.SheepR, 1e-10)
	near(t, "s", th[1], fitfixture.SheepS, 1e-10)
	near(t, "log-likelihood", -82*res.Loss, fitfixture.SheepLogLikelihood, 1e-12)
}

// near checks a relative difference.
func near(t testing.TB, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol*math.Abs(want)) {
		t.Errorf("%s = %.17g, want %.17g (relative difference %.2g)", what, got, want, got/want-1)
	}
}
