package worker

import (
	"strings"
	"testing"
	"time"

	"github.com/sngdgen/sngdgen/internal/fitfixture"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/estimate"
)

// TestMixtureJobs draws from, fits and times a mixture, whose number of components the jobs say.
func TestMixtureJobs(t *testing.T) {
	do := func(job Job, data runtime.Data) *Answer {
		t.Helper()
		a := Do(t.Context(), []runtime.Model{new(fitfixture.Mixture)}, job, data)
		if a.Err() != nil {
			t.Fatal(a.Err())
		}
		return a
	}
	set := []estimate.Value{{Name: "mu", Shape: []int{2}, Entries: []float64{9, 0}}}
	drawn := do(Job{Sample: &estimate.SampleRequest{Rows: 300, Seed: 1, Set: set}}, runtime.Data{})
	data := runtime.Data{Values: drawn.Sample.Values}
	r := do(Job{Fit: &estimate.Settings{Components: 2}}, data).Fit
	if mu := r.Estimate[1].Entries; !r.Converged || len(mu) != 2 || !(mu[0] < 1 && mu[1] > 8) || r.ICL == 0 {
		t.Errorf("%+v", r)
	}
	b := do(Job{Bench: &BenchRequest{Methods: []string{"nlbfgs"}, Time: time.Millisecond, Components: 3}}, data).Bench
	if b.Rows != 300 || b.Fits[0].Seconds <= 0 {
		t.Errorf("%+v", b)
	}
	b = do(Job{Bench: &BenchRequest{Methods: []string{"nlbfgs"}, Time: time.Millisecond, Components: 3, Draw: 500}}, runtime.Data{}).Bench
	if b.Rows != 500 || b.Fits[0].Seconds <= 0 || !b.Fits[0].Status.Converged() {
		t.Errorf("%+v", b)
	}
	for _, job := range []Job{{Fit: new(estimate.Settings)}, {Bench: &BenchRequest{Draw: 5}}, {Sample: &estimate.SampleRequest{Rows: 5}}} {
		a := Do(t.Context(), []runtime.Model{new(fitfixture.Mixture)}, job, data)
		if a.Err() == nil || !strings.Contains(a.Error, "nothing says of how many components") {
			t.Errorf("%v", a.Err())
		}
	}
}
