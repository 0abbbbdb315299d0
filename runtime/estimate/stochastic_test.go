package estimate_test

import (
	"context"
	"math"
	"reflect"
	"testing"

	"github.com/sngdgen/sngdgen/generated/negbin"
	"github.com/sngdgen/sngdgen/internal/fitfixture"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/estimate"
)

// flock is the model of the sheep, one a row, by a generated package: the model for tests has no batches.
func flock(t *testing.T) runtime.Model {
	t.Helper()
	var x []float64
	d := fitfixture.SheepData()
	for i, value := range d.Values {
		for range int(d.Weights[i]) {
			x = append(x, value)
		}
	}
	m, err := negbin.New(x)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestSheepStochastic: with all rows in a batch there is no noise, and steps that shrink end at the optimum. With noise the
// ends scatter about it, by a small part of a standard error (0.35 and 0.035).
func TestSheepStochastic(t *testing.T) {
	for _, c := range []struct {
		r      estimate.Settings
		within float64 // relative
	}{
		{estimate.Settings{Method: "sngd", Stochastic: estimate.Stochastic{Steps: 2000, Schedule: "constant"}}, 1e-6},
		{estimate.Settings{Method: "gd", Stochastic: estimate.Stochastic{Steps: 5000, Rate: 0.5}}, 1e-6},
		{estimate.Settings{Method: "adam", Stochastic: estimate.Stochastic{Rate: 0.01, Schedule: "cosine", Steps: 3000}}, 1e-6},
		{estimate.Settings{Stochastic: estimate.Stochastic{Batch: 10, Epochs: 2000}}, 0.05},
		{estimate.Settings{Stochastic: estimate.Stochastic{Batch: 10, Replace: true, Schedule: "cosine"}}, 0.05},
		{estimate.Settings{Method: "adam", Stochastic: estimate.Stochastic{Batch: 10, Rate: 0.01, Schedule: "decay"}}, 0.1},
	} {
		c.r.Seed = 3
		rep, err := estimate.Find(context.Background(), flock(t), c.r)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s %+v: %+v, loss %v", rep.Method, c.r.Stochastic, *rep.Course, rep.Loss)
		near(t, "r", rep.Estimate.Get("r"), fitfixture.SheepR, c.within)
		near(t, "s", rep.Estimate.Get("s"), fitfixture.SheepS, c.within)
		near(t, "loss", float64(rep.Loss), -fitfixture.SheepLogLikelihood/82, c.within*c.within)
		if !rep.Complete() || rep.Converged || len(rep.Warnings) > 0 {
			t.Errorf("%v %q, %q", rep.Status, rep.Message, rep.Warnings)
		}
	}
}

// TestCourse: limits, batches and the loss over all rows are reported.
func TestCourse(t *testing.T) {
	m := skewed(t, 2, 300)
	r := estimate.Settings{Seed: 1, Starts: 1, Stochastic: estimate.Stochastic{Batch: 30, Replace: true, Epochs: 20, Optimizer: "amsgrad"}}
	rep, err := estimate.Find(context.Background(), m, r)
	if err != nil {
		t.Fatal(err)
	}
	want := &estimate.Course{Batch: 30, Sampling: "with replacement", Epochs: 20, Optimizer: "amsgrad"}
	if !reflect.DeepEqual(rep.Course, want) || rep.Iterations != 200 || rep.Status != runtime.EpochLimit || rep.Method != "sngd" {
		t.Errorf("%+v, %d steps, %v", rep.Course, rep.Iterations, rep.Status)
	}
	var theta []float64
	for _, p := range rep.Estimate {
		theta = append(theta, p.Entries...)
	}
	near(t, "loss", float64(rep.Loss), m.ThetaGradient(make([]float64, len(theta)), theta), 1e-12)
	near(t, "log-likelihood", float64(rep.LogLikelihood), -300*float64(rep.Loss), 1e-14)

	again, err := estimate.Find(context.Background(), m, r)
	if err != nil || again.Loss != rep.Loss {
		t.Errorf("the same seed gives %v, then %v", rep.Loss, again.Loss)
	}
	r.Seed = 2
	if other, err := estimate.Find(context.Background(), m, r); err != nil || other.Loss == rep.Loss {
		t.Errorf("another seed gives %v too", rep.Loss)
	}
	r.Stochastic = estimate.Stochastic{Steps: 7}
	rep, err = estimate.Find(context.Background(), m, r)
	if err != nil || rep.Course.Batch != 300 || rep.Course.Sampling != "all rows" || rep.Iterations != 7 || rep.Course.Epochs != 7 {
		t.Errorf("%+v, %v", rep.Course, err)
	}
}

// TestStochasticFails: rates that lead nowhere are reported as such.
func TestStochasticFails(t *testing.T) {
	r := estimate.Settings{Starts: 1, Method: "gd", Stochastic: estimate.Stochastic{Batch: 30, Steps: 100, Rate: 1e300}}
	rep, err := estimate.Find(context.Background(), skewed(t, 2, 300), r)
	if err != nil {
		t.Fatal(err)
	}
	if rep.Complete() || math.IsNaN(float64(rep.Loss)) || rep.Status != runtime.Failed {
		t.Errorf("%v %q, loss %v", rep.Status, rep.Message, rep.Loss)
	}
}
