package worker

import (
	"bytes"
	"encoding/gob"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/sngdgen/sngdgen/internal/fitfixture"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/estimate"
)

// TestShapedJobs draws from, fits and times a model of vectors and matrices.
func TestShapedJobs(t *testing.T) {
	newModel := func() runtime.Model { return new(fitfixture.SkewNormal) }
	eta := estimate.Value{Name: "eta", Shape: []int{2}, Entries: []float64{3, 0}}
	drawn := Do(t.Context(), []runtime.Model{newModel()}, Job{Sample: &estimate.SampleRequest{Rows: 200, Seed: 1, Set: []estimate.Value{eta}}}, runtime.Data{})
	if drawn.Err() != nil || len(drawn.Sample.Values) != 400 {
		t.Fatalf("%+v", drawn)
	}
	data := runtime.Data{Values: drawn.Sample.Values, Columns: 2}
	fitted := Do(t.Context(), []runtime.Model{newModel()}, Job{Fit: new(estimate.Settings)}, data)
	if fitted.Err() != nil || !fitted.Fit.Converged || len(fitted.Fit.Estimate[1].Entries) != 4 {
		t.Errorf("%+v", fitted.Fit)
	}
	request := &BenchRequest{Methods: []string{"nlbfgs", "bfgs"}, Time: time.Millisecond, Draw: 50,
		Set: []estimate.Value{{Name: "d", Value: 3}, {Name: "eta", Value: 1}}}
	timed := Do(t.Context(), []runtime.Model{newModel()}, Job{Bench: request}, runtime.Data{})
	if timed.Err() != nil {
		t.Fatal(timed.Err())
	}
	b := timed.Bench
	if b.Rows != 50 || len(b.Calls) != 3 || b.Fits[0].Seconds <= 0 || b.Fits[1].Seconds <= 0 {
		t.Errorf("%+v", b)
	}
}

// TestShapedWire: vectors and matrices arrive as they were sent.
func TestShapedWire(t *testing.T) {
	want := estimate.Value{Name: "A", Shape: []int{1, 2}, Entries: []float64{1, 2}}
	a := answer(t, Job{Sample: &estimate.SampleRequest{Rows: 1, Set: []estimate.Value{want}}}, runtime.Data{})
	if a.Err() == nil || !strings.Contains(a.Error, "does not say how to draw from it") {
		t.Errorf("%+v", a)
	}
	m := new(fitfixture.SkewNormal)
	if err := m.Resize([]int{2}); err != nil {
		t.Fatal(err)
	}
	report := Do(t.Context(), []runtime.Model{m}, Job{Fit: &estimate.Settings{MaxIterations: 3}}, runtime.Data{Values: []float64{1, 2, 3, 5, 4, 4, 0, 1}, Columns: 2})
	if report.Fit == nil {
		t.Fatal(report.Err())
	}
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(report); err != nil {
		t.Fatal(err)
	}
	got, err := Receive(&b)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, report) {
		t.Errorf("got %+v, want %+v", got.Fit, report.Fit)
	}
}
