package estimate_test

import (
	"math"
	"testing"

	"github.com/sngdgen/sngdgen/internal/librarytest"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/estimate"
)

// TestScoreOfTriangles: rows of symmetric matrices have the density of all their entries, whether the file has these or the lower triangle.
func TestScoreOfTriangles(t *testing.T) {
	m := librarytest.Model(t, "wishart")()
	whole := runtime.Data{Columns: 4, Values: []float64{2, 0.5, 0.5, 1, 3, -1, -1, 2, 1, 0.2, 0.2, 4}}
	packed := runtime.Data{Columns: 3, Values: []float64{2, 0.5, 1, 3, -1, 2, 1, 0.2, 4}}
	if err := estimate.Load(m, packed, 0); err != nil {
		t.Fatal(err)
	}
	r, err := estimate.Fit(t.Context(), m, new(estimate.Settings))
	if err != nil {
		t.Fatal(err)
	}
	want, err := estimate.Score(t.Context(), m, r.Theta(), whole)
	if err != nil {
		t.Fatal(err)
	}
	got, err := estimate.Score(t.Context(), m, r.Theta(), packed)
	if err != nil {
		t.Fatal(err)
	}
	if got.Mean != want.Mean || math.Abs(3*float64(got.Mean)-float64(r.LogLikelihood)) > 1e-9 {
		t.Errorf("mean log-density %v of triangles, %v of matrices, of a log-likelihood of %v", got.Mean, want.Mean, r.LogLikelihood)
	}
	packed.Values[1] = math.NaN()
	if _, err := estimate.Score(t.Context(), m, r.Theta(), packed); err == nil {
		t.Error("a density of what is no number")
	}
}
