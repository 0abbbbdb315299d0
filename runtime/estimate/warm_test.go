package estimate_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/sngdgen/sngdgen/internal/fitfixture"
	"github.com/sngdgen/sngdgen/runtime/estimate"
)

// TestWarmStart: a run from the end of another one ends there too, in fewer steps.
func TestWarmStart(t *testing.T) {
	m := fitfixture.NewRegression(regressionData())
	cold, err := estimate.Approximate(t.Context(), m, &estimate.Settings{Seed: 1})
	if err != nil || cold.Warm {
		t.Fatal(cold, err)
	}
	warm, err := estimate.Approximate(t.Context(), m, &estimate.Settings{Seed: 2, Init: cold.Point()})
	if err != nil || !warm.Warm || !(warm.Steps < cold.Steps) {
		t.Fatalf("%v: %d steps, before %d", err, warm.Steps, cold.Steps)
	}
	for i, x := range cold.Posterior.Mean[0].Entries {
		if got := warm.Posterior.Mean[0].Entries[i]; !(math.Abs(got-x) < 1e-3) {
			t.Errorf("mean %d is %v, before %v", i, got, x)
		}
	}
	// Rows that have come in since do not matter.
	data := regressionData()
	data.Values = data.Values[:len(data.Values)-4]
	if _, err := estimate.Approximate(t.Context(), fitfixture.NewRegression(data), &estimate.Settings{Init: cold.Point()}); err != nil {
		t.Error(err)
	}
}

// TestWarmStartErrors: points that are none of the model.
func TestWarmStartErrors(t *testing.T) {
	m := fitfixture.NewRegression(regressionData())
	good, err := estimate.Approximate(t.Context(), m, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		change func(p *estimate.Point, s *estimate.Settings)
		want   string
	}{
		{func(p *estimate.Point, _ *estimate.Settings) { p.Problem = "logistic" }, "the former result is one of logistic, not of regression"},
		{func(p *estimate.Point, _ *estimate.Settings) { p.Target = "skew_normal" },
			"the former result is a skew_normal by a normal, but regression is fitted as a normal by a normal"},
		{func(p *estimate.Point, _ *estimate.Settings) { p.Coordinates = nil }, "the former result has no coordinates"},
		{func(p *estimate.Point, _ *estimate.Settings) { p.Coordinates = p.Coordinates[:6] },
			"the former result has 6 coordinates, but the problem has 12 with these data"},
		{func(p *estimate.Point, _ *estimate.Settings) { p.Coordinates[2] = math.NaN() }, "are not all finite"},
		{func(p *estimate.Point, _ *estimate.Settings) { p.Coordinates[3] = 5 }, "outside the domain, in block "},
		{func(p *estimate.Point, _ *estimate.Settings) { p.Coordinates[0] += 0.01 }, "are not those of its parameters, as mu shows"},
		{func(p *estimate.Point, _ *estimate.Settings) { p.Parameters = p.Parameters[:1] }, "are not those of its parameters, as Sigma shows"},
		{func(_ *estimate.Point, s *estimate.Settings) { s.Starts = 3 }, "a former result is one start"},
	} {
		p := good.Point()
		p.Coordinates, p.Parameters = slices.Clone(p.Coordinates), slices.Clone(p.Parameters)
		s := &estimate.Settings{Init: p}
		c.change(p, s)
		if a, err := estimate.Approximate(t.Context(), m, s); a != nil || err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
	if _, err := estimate.Fit(t.Context(), new(fitfixture.NegBin), &estimate.Settings{Init: good.Point()}); err == nil ||
		!strings.Contains(err.Error(), "the fit is one of") {
		t.Error(err)
	}
}
