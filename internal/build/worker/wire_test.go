package worker

import (
	"bytes"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/sngdgen/sngdgen/internal/testseed"

	"github.com/sngdgen/sngdgen/internal/fitfixture"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/estimate"
)

// TestWire sends and receives jobs; every bit of every number arrives.
func TestWire(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		number := rapid.Map(rapid.Uint64(), math.Float64frombits)
		want, wanted := Job{Fit: new(estimate.Settings)}, runtime.Data{
			Columns: rapid.IntRange(0, 3).Draw(t, "columns"),
			Values:  rapid.SliceOfN(number, 0, 300).Draw(t, "values"),
		}
		if rapid.Bool().Draw(t, "weighted") {
			wanted.Weights = rapid.SliceOfN(number, 0, 300).Draw(t, "weights")
		}
		want.Fit.Method = rapid.String().Draw(t, "method")
		var b bytes.Buffer
		if err := Pack(want, wanted, nil).Send(&b); err != nil {
			t.Fatal(err)
		}
		got, data, _, err := unpack(&b)
		if err != nil {
			t.Fatal(err)
		}
		if got.Fit == nil || !reflect.DeepEqual(got.Fit, want.Fit) || got.Bench != nil || data.Columns != wanted.Columns {
			t.Fatalf("got %+v, want %+v", got, want)
		}
		if !sameBits(data.Values, wanted.Values) || !sameBits(data.Weights, wanted.Weights) || (data.Weights == nil) != (wanted.Weights == nil) {
			t.Fatalf("got %v, want %v", data, wanted)
		}
	})
}

func sameBits(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) })
}

// answer runs a job on the wire.
func answer(t *testing.T, job Job, data runtime.Data) *Answer {
	t.Helper()
	var in, out, errw bytes.Buffer
	if err := Pack(job, data, nil).Send(&in); err != nil {
		t.Fatal(err)
	}
	if code := Main([]func() runtime.Model{newModel}, &in, &out, &errw); code != 0 {
		t.Fatalf("exit code %d: %s", code, errw.String())
	}
	a, err := Receive(&out)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func newModel() runtime.Model { return fitfixture.NewNegBin(fitfixture.SheepData()) }

// TestMainFits gets the same report over the wire as at home.
func TestMainFits(t *testing.T) {
	job := Job{Fit: &estimate.Settings{Level: 0.95, Starts: 3, Seed: 7}}
	got := answer(t, job, fitfixture.SheepData())
	want := Do(t.Context(), []runtime.Model{newModel()}, job, fitfixture.SheepData())
	if got.Err() != nil || want.Err() != nil {
		t.Fatal(got.Err(), want.Err())
	}
	got.Fit.Seconds, want.Fit.Seconds = 0, 0
	if !reflect.DeepEqual(got, want) {
		t.Errorf("over the wire %+v\nat home %+v", got.Fit, want.Fit)
	}
	if r := got.Fit.Estimate.Get("r"); math.Abs(r-fitfixture.SheepR) > 1e-9 {
		t.Errorf("r = %v", r)
	}
}

func TestMainFaults(t *testing.T) {
	bad := runtime.Data{Values: []float64{1, 2, -3}, Columns: 1}
	a := answer(t, Job{Fit: new(estimate.Settings)}, bad)
	if a.Data == nil || a.Data.Row != 2 || a.Data.Value != -3 || a.Err() != error(a.Data) {
		t.Errorf("bad data: %+v", a)
	}
	a = answer(t, Job{Fit: &estimate.Settings{Method: "magic"}}, fitfixture.SheepData())
	if a.Err() == nil || !strings.Contains(a.Error, "magic") {
		t.Errorf("bad method: %+v", a)
	}
	if a = answer(t, Job{}, fitfixture.SheepData()); a.Err() == nil {
		t.Error("no job, no error")
	}
	var out, errw bytes.Buffer
	if code := Main([]func() runtime.Model{newModel}, strings.NewReader("nonsense"), &out, &errw); code != 1 || errw.Len() == 0 || out.Len() > 0 {
		t.Errorf("nonsense: code %d, %q, %q", code, out.String(), errw.String())
	}
	if _, err := Receive(strings.NewReader("")); err == nil {
		t.Error("no answer, no error")
	}
}

func TestBench(t *testing.T) {
	job := Job{Bench: &BenchRequest{Methods: []string{"nlbfgs", "bfgs", "magic"}, Time: 1e6}}
	b := answer(t, job, fitfixture.SheepData()).Bench
	if b == nil || len(b.Calls) != 3 || len(b.Fits) != 3 || b.Rows != 26 || b.Info.Name != "negbin" {
		t.Fatalf("%+v", b)
	}
	for _, c := range b.Calls {
		if !(c.Nanoseconds > 0) || c.Allocations != 0 {
			t.Errorf("%+v", c)
		}
	}
	for _, f := range b.Fits[:2] {
		if !(f.Seconds > 0) || f.Error != "" || !f.Status.Converged() {
			t.Errorf("%+v", f)
		}
	}
	if f := b.Fits[2]; f.Error == "" || f.Seconds > 0 {
		t.Errorf("%+v", f)
	}
}
