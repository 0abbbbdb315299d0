package estimate_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sngdgen/sngdgen/runtime/estimate"
)

// A fit that starts from a former one of the same data is there already; of other data, where coordinates mean something else, it starts from the
// same parameters and ends at the same optimum as from elsewhere.
func TestInit(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 1))
	rows := make([]float64, 2*120)
	for i := range rows {
		rows[i] = 100*float64(i/2%2) + rng.NormFloat64()*(1+float64(i%2)) + 0.3*rng.ExpFloat64()
	}
	for _, problem := range []string{"mvnormal", "mvnormalnat", "mvstudentt5", "mvnormalmix"} {
		k := 0
		if problem == "mvnormalmix" {
			k = 2
		}
		former, err := estimate.Fit(t.Context(), loaded(t, problem, rows, 2, k), &estimate.Settings{Components: k})
		if err != nil {
			t.Fatal(problem, err)
		}
		again, err := estimate.Fit(t.Context(), loaded(t, problem, rows, 2, k), &estimate.Settings{Init: former.Fitted().Point()})
		if err != nil || again.Iterations > 2 || math.Abs(float64(again.LogLikelihood-former.LogLikelihood)) > 1e-6 {
			t.Errorf("%s, the same data: %v, %d iterations, log-likelihood %v, was %v", problem, err, again.Iterations, again.LogLikelihood, former.LogLikelihood)
		}
		fewer := loaded(t, problem, rows[:200], 2, k)
		from, err := estimate.Fit(t.Context(), fewer, &estimate.Settings{Init: former.Fitted().Point()})
		if err != nil {
			t.Errorf("%s, other data: %v", problem, err)
			continue
		}
		fresh, err := estimate.Fit(t.Context(), fewer, &estimate.Settings{Components: k})
		if err == nil && float64(from.LogLikelihood) < float64(fresh.LogLikelihood)-20 {
			t.Errorf("%s, other data: log-likelihood %v, from elsewhere %v", problem, from.LogLikelihood, fresh.LogLikelihood)
		}
	}
}
