package estimate_test

import (
	"math"
	"testing"

	"github.com/sngdgen/sngdgen/generated/logistic"
	"github.com/sngdgen/sngdgen/generated/logisticskew"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/estimate"
)

// Moments by importance sampling with their errors, against sums over a grid of 1,201 x 1,201 points of [-6, 6] x [-6, 6]
// (NumPy 2.4.6), by which the distances of all approximations are known.
func TestMomentsOfLadder(t *testing.T) {
	data := runtime.Data{Columns: 3}
	for i, x := range []float64{-2, -1.5, -1.2, -0.6, -0.3, 0.1, 0.4, 0.8, 1.1, 1.6, 2.1, 2.5} {
		data.Values = append(data.Values, 1, x, []float64{0, 0, 1, 0, 0, 1, 0, 1, 1, 0, 1, 1}[i])
	}
	mean, sd := []float64{-0.12246, 0.73999}, []float64{0.56021, 0.47541}
	var candidates []estimate.Candidate
	for name, m := range map[string]runtime.Variational{"normal": new(logistic.Model), "skew_normal": new(logisticskew.Model)} {
		if err := estimate.Load(m, data, 0); err != nil {
			t.Fatal(err)
		}
		candidates = append(candidates, estimate.Candidate{Name: name, Model: m})
	}
	for seed := range uint64(5) {
		l, err := estimate.Climb(t.Context(), candidates, &estimate.Settings{Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		if !l.Moments.Reliable() || !(l.Moments.MeanError < 0.02) || !(l.Moments.DeviationError < 0.02) {
			t.Fatalf("no comparison of moments: %+v", l.Moments)
		}
		labels := map[string]int{}
		for i, r := range l.Rungs {
			labels[r.Label()] = i
			means, sds := 0.0, 0.0
			for j, s := range sd {
				means += square((r.Fit.Posterior.Mean[0].Entries[j]-mean[j])/s) / 2
				sds += square(r.Fit.Posterior.SD[0].Entries[j]/s-1) / 2
			}
			if r.Moments == nil {
				t.Fatalf("%s has no distance", r.Label())
			}
			if got, want := float64(r.Moments.Means), math.Sqrt(means); !(math.Abs(got-want) < 4*float64(l.Moments.MeanError)) {
				t.Errorf("seed %d, %s: means are %v off, by the grid %v, with error %v", seed, r.Label(), got, want, l.Moments.MeanError)
			}
			if got, want := float64(r.Moments.Deviations), math.Sqrt(sds); !(math.Abs(got-want) < 4*float64(l.Moments.DeviationError)) {
				t.Errorf("seed %d, %s: deviations are %v off, by the grid %v, with error %v", seed, r.Label(), got, want, l.Moments.DeviationError)
			}
		}
		byEP, ok := labels["normal by ep"]
		if !ok || l.Rungs[byEP].From != -1 || l.Rungs[byEP].Fit.Propagation == nil || l.Knee == byEP {
			t.Errorf("the rungs are %v, the knee is %d", labels, l.Knee)
		}
		for _, r := range l.Rungs {
			if r.From == byEP {
				t.Errorf("%s starts from a rung that has another objective", r.Label())
			}
		}
	}
}

// The rungs of a ladder with a method of its own are by that.
func TestLadderByOneMethod(t *testing.T) {
	m, err := logistic.New(logits(40, 3))
	if err != nil {
		t.Fatal(err)
	}
	l, err := estimate.Climb(t.Context(), []estimate.Candidate{{Name: "normal", Model: m}}, &estimate.Settings{Method: "saa"})
	if err != nil || len(l.Rungs) != 1 || l.Rungs[0].Fit.Method != "saa" || l.Moments != nil {
		t.Errorf("%v, %+v", err, l)
	}
	l, err = estimate.Climb(t.Context(), []estimate.Candidate{{Name: "normal", Model: m}},
		&estimate.Settings{Variational: estimate.Variational{Power: 0.5}})
	if err != nil || len(l.Rungs) != 2 || l.Rungs[1].Fit.Propagation.Power != 0.5 {
		t.Errorf("%v, %+v", err, l)
	}
}
