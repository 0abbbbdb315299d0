package estimate_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/sngdgen/sngdgen/internal/fitfixture"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/estimate"
)

// stay are settings that leave a run where it starts: at the exact posterior of a regression, with its mean moved by some
// deviations and its covariance multiplied.
func stay(m *fitfixture.Regression, moved, wider float64) estimate.Settings {
	z, theta := make([]float64, 12), make([]float64, 12)
	m.Exact(z)
	m.Theta(theta, z)
	for i := range z {
		z[i] /= wider
	}
	for i := range 3 { // eta1 = inv(Sigma) mu
		for j := range 3 {
			z[i] -= 2 * z[3+3*i+j] * moved * math.Sqrt(theta[3+4*j])
		}
	}
	return estimate.Settings{
		Init:       &estimate.Point{Problem: "regression", Target: "normal", Surrogate: "normal", Coordinates: z},
		Stochastic: estimate.Stochastic{Steps: 1, Rate: 1e-12},
	}
}

// TestResampleExact: where the approximation is the posterior, every draw has the evidence for its weight, the effective sample
// size is the number of proposals, and no draw comes twice.
func TestResampleExact(t *testing.T) {
	m := fitfixture.NewRegression(regressionData())
	r := stay(m, 0, 1)
	r.Variational.Resample = 500
	a, err := estimate.Approximate(t.Context(), m, &r)
	if err != nil {
		t.Fatal(err)
	}
	if w := a.Resampled; w.Draws != 500 || w.Distinct != 500 || w.Proposals != 5000 || !(math.Abs(float64(w.Effective)-5000) < 1e-6) {
		t.Errorf("%+v", w)
	}
	if a.Sample.Rows() != 500 || !a.Sample.Resampled {
		t.Errorf("%d draws", a.Sample.Rows())
	}
	evidence := m.Evidence()
	for i, w := range a.Sample.LogWeights() {
		if !(math.Abs(w-evidence) < 1e-8) {
			t.Fatalf("weight %v of draw %d, evidence %v", w, i, evidence)
		}
	}
}

// TestResampleCorrects: draws of an approximation that is off, and wide enough, have the moments of the posterior once they are
// resampled, as have the weighted ones.
func TestResampleCorrects(t *testing.T) {
	m := fitfixture.NewRegression(regressionData())
	mean, covariance := exact(t, m)
	r := stay(m, 0.4, 1.5)
	r.Variational.Resample = 1000
	a, err := estimate.Approximate(t.Context(), m, &r)
	if err != nil {
		t.Fatal(err)
	}
	w := a.Resampled
	if !(w.Effective > 1000 && w.Effective < 9000) || w.Posterior == nil {
		t.Fatalf("%+v", w)
	}
	for j, want := range mean {
		sd := math.Sqrt(covariance.At(j, j))
		if off := math.Abs(a.Posterior.Mean[0].Entries[j]-want) / sd; !(off > 0.3) {
			t.Errorf("the approximation is only %v off", off)
		}
		margin := 5 / math.Sqrt(float64(w.Effective))
		if got := w.Posterior.Mean[0].Entries[j]; !(math.Abs(got-want) < margin*sd) {
			t.Errorf("mean %d is %v, want %v", j, got, want)
		}
		if got := w.Posterior.SD[0].Entries[j]; !(math.Abs(got-sd) < margin*sd) {
			t.Errorf("deviation %d is %v, want %v", j, got, sd)
		}
		for i, q := range []float64{-1.6448536, 0, 1.6448536} {
			if got := w.Posterior.Quantiles[i].Values[0].Entries[j]; !(math.Abs(got-want-q*sd) < 2*margin*sd) {
				t.Errorf("quantile %d of %d is %v, want %v", i, j, got, want+q*sd)
			}
		}
		sum := 0.0
		for i := j; i < len(a.Sample.Values); i += 3 {
			sum += a.Sample.Values[i] / 1000
		}
		if !(math.Abs(sum-want) < 5*sd/math.Sqrt(1000)+margin*sd) {
			t.Errorf("the mean of the resampled draws is %v, want %v", sum, want)
		}
	}
}

// TestResampleHeavyTails: an approximation that is too narrow, and off, has ratios without a variance; half of the draws with
// heavier tails has the moments of the posterior.
func TestResampleHeavyTails(t *testing.T) {
	m := fitfixture.NewRegression(regressionData())
	mean, covariance := exact(t, m)
	r := stay(m, 0.3, 0.4)
	r.Variational.Resample = 1000
	a, err := estimate.Approximate(t.Context(), m, &r)
	if err != nil || !a.Resampled.HeavyTails {
		t.Fatalf("%v %+v", err, a)
	}
	w := a.Resampled
	margin := 5 / math.Sqrt(float64(w.Effective))
	if !(w.Effective > 1000) || !(w.KHat < 0.7) {
		t.Errorf("%+v", w)
	}
	for j, want := range mean {
		sd := math.Sqrt(covariance.At(j, j))
		if got := w.Posterior.Mean[0].Entries[j]; !(math.Abs(got-want) < margin*sd) {
			t.Errorf("mean %d is %v, want %v", j, got, want)
		}
		if got := w.Posterior.SD[0].Entries[j]; !(math.Abs(got-sd) < margin*sd) {
			t.Errorf("deviation %d is %v, want %v", j, got, sd)
		}
	}
}

// TestHeavyProposals: the mean of the ratios of draws with heavier tails is the evidence, as it is of those without.
func TestHeavyProposals(t *testing.T) {
	m := fitfixture.NewRegression(regressionData())
	evidence := m.Evidence()
	for _, wider := range []float64{0.6, 1, 1.5} {
		for _, antithetic := range []bool{false, true} {
			m.Antithetic = antithetic
			logs, err := estimate.HeavyRatios(m, stay(m, 0.3, wider).Init.Coordinates, 4000, 3)
			if err != nil {
				t.Fatal(err)
			}
			var mean, square float64
			for _, l := range logs {
				w := math.Exp(l - evidence)
				mean += w / 4000
				square += w * w / 4000
			}
			if off := math.Sqrt((square - mean*mean) / 4000); !(math.Abs(mean-1) < 5*off) || !(off < 0.05) {
				t.Errorf("covariance times %v: the mean of the ratios is %v of the evidence, with a standard error of %v", wider, mean, off)
			}
		}
	}
}

// TestResampleRefused: nothing makes draws of an approximation that is elsewhere draws of the posterior.
func TestResampleRefused(t *testing.T) {
	m := fitfixture.NewRegression(regressionData())
	r := stay(m, 20, 0.3)
	r.Variational.Resample = 1000
	a, err := estimate.Approximate(t.Context(), m, &r)
	var unreliable *estimate.Unreliable
	if !errors.As(err, &unreliable) || a == nil || a.Sample != nil || a.Resampled.Posterior != nil || a.Resampled.Draws != 0 {
		t.Fatalf("%v %+v", err, a)
	}
	if unreliable.Proposals != 10_000 || !(unreliable.KHat > 0.7) || unreliable.Limit != 0.7 || unreliable.KHat != float64(a.Resampled.KHat) {
		t.Errorf("%+v", unreliable)
	}
}

// TestSystematic: every row comes as often as its weight says, rounded up or down.
func TestSystematic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		weights := rapid.SliceOfN(rapid.Float64Range(0, 1), 1, 30).Draw(t, "weights")
		count := rapid.IntRange(1, 60).Draw(t, "count")
		sum := 0.0
		for _, w := range weights {
			sum += w
		}
		if sum == 0 {
			weights[0], sum = 1, 1
		}
		for i := range weights {
			weights[i] /= sum
		}
		rows, distinct := estimate.Systematic(weights, count, runtime.Stream(rapid.Uint64().Draw(t, "seed"), "rows"))
		times := make([]int, len(weights))
		for _, i := range rows {
			times[i]++
		}
		found := 0
		for i, n := range times {
			if want := weights[i] * float64(count); float64(n) < math.Floor(want-1e-9) || float64(n) > math.Ceil(want+1e-9) {
				t.Fatalf("row %d comes %d times, its weight is %v of %d", i, n, weights[i], count)
			}
			if n > 0 {
				found++
			}
		}
		if len(rows) != count || found != distinct {
			t.Fatalf("%v rows of %d, %d distinct", rows, count, distinct)
		}
	})
}

// TestDrawsInNoOrder: draws are not in the order in which they are made, in which the first ones would not stand for all.
func TestDrawsInNoOrder(t *testing.T) {
	m := fitfixture.NewRegression(regressionData())
	m.Antithetic = true
	r := estimate.Settings{Variational: estimate.Variational{Keep: 1001}}
	a, err := estimate.Approximate(t.Context(), m, &r)
	if err != nil || a.Sample.Rows() != 1001 || len(a.Sample.Values) != 3003 {
		t.Fatal(a, err)
	}
	// In the order in which they are made a draw and its opposite are half a portion apart.
	first := a.Sample.Values[:3]
	opposite := slices.Clone(first)
	for j := range opposite {
		opposite[j] = 2*a.Posterior.Mean[0].Entries[j] - first[j]
	}
	if half := a.Sample.Values[3*500 : 3*501]; math.Abs(half[0]-opposite[0]) < 1e-6 {
		t.Error("draws are in the order in which they are made")
	}
}
