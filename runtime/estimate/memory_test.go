package estimate_test

import (
	"math/rand/v2"
	goruntime "runtime"
	"testing"

	"github.com/sngdgen/sngdgen/runtime/estimate"
)

// A fit to many rows makes no copy of them: whatever its verdicts look at, it has less memory than one number a row, beside what the model keeps.
func TestMemoryOfFits(t *testing.T) {
	const rows = 1 << 20
	rng := rand.New(rand.NewPCG(1, 1))
	x := make([]float64, rows)
	for i := range x {
		x[i] = rng.NormFloat64() / (0.2 + rng.Float64())
	}
	for _, name := range []string{"normal", "studentt"} {
		m := library(t, name, x, 0)
		var before, after goruntime.MemStats
		goruntime.ReadMemStats(&before)
		rep, err := estimate.Fit(t.Context(), m, &estimate.Settings{Workers: 1})
		goruntime.ReadMemStats(&after)
		if err != nil || !rep.Status.Converged() {
			t.Fatalf("%s: %v, %v", name, rep.Status, err)
		}
		if each := float64(after.TotalAlloc-before.TotalAlloc) / rows; each > 8 {
			t.Errorf("%s: %.1f bytes a row", name, each)
		}
	}
}
