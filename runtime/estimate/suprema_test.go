package estimate_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sngdgen/sngdgen/generated/skewnormal"
	"github.com/sngdgen/sngdgen/runtime/estimate"
)

// Reports are the same whether suprema are looked for ahead, by a second worker, or afterwards: at a maximum, and where there is none.
func TestSuprema(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for _, rows := range []int{12, 400} {
		x := make([]float64, 2*rows)
		for i := range x {
			x[i] = math.Abs(rng.NormFloat64()) + 0.4*rng.NormFloat64()
		}
		var reports []string
		for workers := range 3 {
			m, err := skewnormal.New(x, 2)
			if err != nil {
				t.Fatal(err)
			}
			rep, err := estimate.Fit(t.Context(), m, &estimate.Settings{Workers: 1 + workers, Starts: 2})
			if rep == nil {
				t.Fatal(err)
			}
			if rep.Seconds = 0; len(rep.Limits) == 0 {
				t.Errorf("%d rows: nothing is said of infinity", rows)
			}
			text, err := json.Marshal(rep)
			if err != nil {
				t.Fatal(err)
			}
			if reports = append(reports, string(text)); reports[workers] != reports[0] {
				t.Errorf("%d rows, %d workers:\n%s\nwith one:\n%s", rows, 1+workers, text, reports[0])
			}
		}
	}
}
