// Package ladder tests ladders of approximations of posteriors.
package ladder

import (
	"math"
	"testing"

	"github.com/sngdgen/sngdgen/generated/logistic"
	"github.com/sngdgen/sngdgen/generated/logisticmix"
	"github.com/sngdgen/sngdgen/generated/logisticskew"
	"github.com/sngdgen/sngdgen/generated/logisticskewmix"
	"github.com/sngdgen/sngdgen/generated/logisticskewt"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/estimate"
)

// classes are rows of a logistic regression with an intercept.
func classes(n, d int, seed uint64) runtime.Data {
	rng := runtime.Stream(seed, "classes")
	beta := make([]float64, d)
	for i := range beta {
		beta[i] = rng.NormFloat64()
	}
	out := runtime.Data{Columns: d + 1}
	for range n {
		odds := 0.0
		for i := range d {
			x := rng.NormFloat64()
			if i == 0 {
				x = 1
			}
			out.Values = append(out.Values, x)
			odds += x * beta[i]
		}
		y := 0.0
		if rng.Float64() < 1/(1+math.Exp(-odds)) {
			y = 1
		}
		out.Values = append(out.Values, y)
	}
	return out
}

// logistics are models of the posterior of a logistic regression.
func logistics(t *testing.T, data runtime.Data) []estimate.Candidate {
	t.Helper()
	out := []estimate.Candidate{
		{Name: "skew_t", Model: new(logisticskewt.Model)},
		{Name: "normal_mixture", Model: new(logisticmix.Model)},
		{Name: "skew_normal", Model: new(logisticskew.Model)},
		{Name: "normal", Model: new(logistic.Model)},
		{Name: "skew_normal_mixture", Model: new(logisticskewmix.Model)},
	}
	for _, c := range out {
		k := 0
		if _, mixture := c.Model.(runtime.Mixture); mixture {
			k = 2
		}
		if err := estimate.Load(c.Model, data, k); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// TestLogistic: the bound does not fall on the way up, and the rungs come in the order of containment.
func TestLogistic(t *testing.T) {
	l, err := estimate.Climb(t.Context(), logistics(t, classes(200, 10, 3)), &estimate.Settings{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range l.Rungs {
		if r.Fit == nil {
			t.Errorf("%d %s: %s", i, r.Label(), r.Error)
			continue
		}
		t.Logf("%d %-22s from %d  %.4f (%.2g) rise %.4f (%.2g) kept %v k-hat %.2f %v %.2fs steps %d: %s %v", i, r.Label(), r.From, float64(r.Fit.ELBO.Mean),
			float64(r.Fit.ELBO.StandardError), float64(r.Rise), float64(r.RiseError), r.Kept, float64(r.Fit.ELBO.KHat), r.Fit.Status, r.Seconds, r.Fit.Steps, r.Fit.Message, r.Fit.Warnings)
		if r.From >= i || r.From >= 0 && !(r.Rise >= 0) {
			t.Errorf("%s: from %d, rise %v", r.Label(), r.From, r.Rise)
		}
	}
	t.Log(l.Knee)
}
