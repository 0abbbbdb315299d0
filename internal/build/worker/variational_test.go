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
	"github.com/sngdgen/sngdgen/runtime/support"
	"github.com/sngdgen/sngdgen/runtime/types"
)

// TestVariationalJobs fits and times a model whose objective is an evidence lower bound; the answer goes over the wire as
// it is.
func TestVariationalJobs(t *testing.T) {
	data := runtime.Data{Columns: 3, Values: []float64{1, 0, 0.3, 1, 1, 1.1, 1, 2, 2.5, 1, 3, 2.8}}
	request := &estimate.Settings{Stochastic: estimate.Stochastic{Steps: 50}, Variational: estimate.Variational{Keep: 10}}
	m := fitfixture.NewRegression(data)
	m.Latent = []runtime.Parameter{{Name: "a", Type: types.Number.Of(types.Real)}, {Name: "b", Type: types.Number.Of(types.Real)}}
	a := Do(t.Context(), []runtime.Model{m}, Job{Fit: request}, data)
	if a.Err() != nil || a.Fit != nil || a.Posterior.Steps != 50 || len(a.Posterior.Sample.Values) != 20 {
		t.Fatalf("%+v", a)
	}
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(a); err != nil {
		t.Fatal(err)
	}
	got, err := Receive(&b)
	if err != nil || !reflect.DeepEqual(got.Posterior.Posterior, a.Posterior.Posterior) || !got.Posterior.Complete() ||
		!reflect.DeepEqual(got.Posterior.Sample.Columns, a.Posterior.Sample.Columns) ||
		!reflect.DeepEqual(got.Posterior.Sample.Values, a.Posterior.Sample.Values) {
		t.Errorf("%v: %+v, want %+v", err, got, a)
	}
	timed := Do(t.Context(), []runtime.Model{fitfixture.NewRegression(data)}, Job{Bench: &BenchRequest{Methods: []string{"sngd"}, Time: time.Millisecond}}, data)
	if timed.Err() != nil || len(timed.Bench.Calls) != 3 || len(timed.Bench.Fits) != 0 {
		t.Errorf("%+v", timed)
	}
}

// never says that no row lies outside.
func never([]float64) bool { return false }

// TestMakeUp: data are of the types that the model declares, in rows of the lengths that are set.
func TestMakeUp(t *testing.T) {
	d, e := []runtime.Dim{{Name: "d"}}, []runtime.Dim{{Size: 2}}
	info := &runtime.Info{Name: "made", Data: []runtime.Parameter{
		{Name: "X", Type: types.Vector.Of(types.Real), Shape: d}, {Name: "c", Type: types.Number.Of(types.Count)}, {Name: "b", Type: types.Number.Of(types.Binary)},
		{Name: "u", Type: types.Vector.Of(types.Unit), Shape: e}, {Name: "p", Type: types.Number.Of(types.Positive)},
	}}
	data, err := makeUp(info, &BenchRequest{Draw: 200, Set: []estimate.Value{{Name: "d", Value: 3}}}, never)
	if err != nil || data.Columns != 8 || len(data.Values) != 1600 {
		t.Fatalf("%v, %d columns", err, data.Columns)
	}
	if _, err := support.Split(data, []support.Part{{Name: "X", Type: types.Vector.Of(types.Real), Width: 3}, {Name: "c", Type: types.Number.Of(types.Count), Width: 1},
		{Name: "b", Type: types.Number.Of(types.Binary), Width: 1}, {Name: "u", Type: types.Vector.Of(types.Unit), Width: 2}, {Name: "p", Type: types.Number.Of(types.Positive), Width: 1}}); err != nil {
		t.Error(err)
	}
	for _, v := range []estimate.Value{{Name: "e", Value: 3}, {Name: "d", Value: 1.5}, {Name: "d", Value: 0}, {Name: "d", Shape: []int{1}, Entries: []float64{3}}} {
		if _, err := makeUp(info, &BenchRequest{Draw: 1, Set: []estimate.Value{v}}, never); err == nil || !strings.Contains(err.Error(), "cannot be set") {
			t.Errorf("%+v: %v", v, err)
		}
	}
	for _, d := range []float64{1e9, 1 << 62} {
		if _, err := makeUp(info, &BenchRequest{Draw: 1, Set: []estimate.Value{{Name: "d", Value: d}}}, never); err == nil ||
			!strings.Contains(err.Error(), "more than there is memory for") {
			t.Errorf("d = %v: %v", d, err)
		}
	}
}
