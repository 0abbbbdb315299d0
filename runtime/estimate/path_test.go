package estimate_test

import (
	"math"
	"testing"

	"github.com/sngdgen/sngdgen/runtime/estimate"
)

// TestPath: coordinates that are kept of a run have the loss of their points, who watches is told every point, and the report stays the same.
func TestPath(t *testing.T) {
	for _, method := range []string{"sngd", "nlbfgs", "bfgs"} {
		t.Run(method, func(t *testing.T) {
			x := two(200)
			settings := estimate.Settings{Method: method, Seed: 2, Starts: 3}
			plain, err := estimate.Fit(t.Context(), loaded(t, "normalmix", x, 1, 2), &settings)
			if err != nil {
				t.Fatal(err)
			}
			told := 0
			settings.Progress = func(estimate.Progress) { told++ }
			settings.Details = estimate.DetailRequest{Trace: true, Path: true}
			r, err := estimate.Fit(t.Context(), loaded(t, "normalmix", x, 1, 2), &settings)
			if err != nil {
				t.Fatal(err)
			}
			if got, want := withoutSeconds(t, r), withoutSeconds(t, plain); got != want {
				t.Errorf("watched\n%s\nnot\n%s", got, want)
			}
			m := loaded(t, "normalmix", x, 1, 2)
			points, kept := 0, 0
			for _, run := range r.Details.Runs {
				for _, p := range run.Points {
					if points++; p.Z == nil {
						continue
					}
					kept++
					if loss := m.Loss(p.Z); math.Abs(loss-p.Loss) > 1e-12*(1+math.Abs(loss)) {
						t.Errorf("start %d, iteration %d: loss %v at the coordinates, %v in the trace", run.Start, p.Iteration, loss, p.Loss)
					}
				}
			}
			if told != points || (kept > 0) != (method != "bfgs") {
				t.Errorf("told %d of %d points, coordinates of %d", told, points, kept)
			}
		})
	}
}
