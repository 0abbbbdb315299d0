package worker

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"testing"

	"github.com/sngdgen/sngdgen/generated"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/estimate"
)

// TestLibraryFits: for every problem of the library what the command does and the method Fit of the package give the same
// answer, with every digit, and the parameters with names are those of the report.
func TestLibraryFits(t *testing.T) {
	for _, name := range generated.Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			newModel, _ := generated.Lookup(name)
			data, k := smallData(t, newModel())
			settings := estimate.Settings{Seed: 3, Components: k}
			if _, bound := newModel().(runtime.Variational); bound {
				settings.Stochastic.Steps = 30
			} else if newModel().Info().RandomStart {
				settings.Starts = newModel().Info().Starts + 1
			}
			answer := Do(t.Context(), []runtime.Model{newModel()}, Job{Fit: &settings}, data)
			if answer.Err() != nil {
				t.Fatal(answer.Err())
			}
			m := newModel()
			if err := estimate.Load(m, data, k); err != nil {
				t.Fatal(err)
			}
			theta, found, err := callFit(t, m, &settings)
			var want any = answer.Fit
			complete := answer.Fit != nil && answer.Fit.Complete()
			if answer.Posterior != nil {
				want, complete = answer.Posterior, answer.Posterior.Complete()
			}
			if a, b := withoutTime(t, want), withoutTime(t, found); a != b {
				t.Errorf("the command has\n%s\nthe package has\n%s", a, b)
			}
			if unfinished := (*estimate.Unfinished)(nil); (err == nil) != complete || err != nil && !errors.As(err, &unfinished) {
				t.Errorf("complete: %v, error: %v", complete, err)
			}
			checkNamed(t, theta, found.(interface{ Theta() []float64 }).Theta())
		})
	}
}

// smallData returns a few rows for a model, and a number of components for one that needs it.
func smallData(t *testing.T, m runtime.Model) (data runtime.Data, components int) {
	t.Helper()
	if mix, ok := m.(runtime.Mixture); ok && mix.Components() == 0 {
		components = 2
	}
	r := &BenchRequest{Draw: 60, Components: components}
	info := m.Info()
	_, bound := m.(runtime.Variational)
	for _, dim := range info.Dims {
		if dim != info.Components && (!bound || isLength(info, dim)) {
			r.Set = append(r.Set, estimate.Value{Name: dim, Value: 3})
		}
	}
	var err error
	if data, err = draw(m, r); err != nil {
		t.Fatal(err)
	}
	return data, components
}

// callFit calls the method Fit, whose types differ from package to package.
func callFit(t *testing.T, m runtime.Model, s *estimate.Settings) (theta reflect.Value, found any, err error) {
	t.Helper()
	var ctx context.Context = t.Context()
	out := reflect.ValueOf(m).MethodByName("Fit").Call([]reflect.Value{reflect.ValueOf(ctx), reflect.ValueOf(s)})
	if out[1].IsNil() {
		t.Fatal(out[2].Interface())
	}
	err, _ = out[2].Interface().(error)
	return out[0], out[1].Interface(), err
}

func withoutTime(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var m map[string]any
	if err := json.Unmarshal(text, &m); err != nil {
		t.Fatal(err)
	}
	delete(m, "seconds")
	if text, err = json.Marshal(m); err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// checkNamed checks the fields of a Theta, one after the other.
func checkNamed(t *testing.T, theta reflect.Value, want []float64) {
	t.Helper()
	var got []float64
	for i := range theta.NumField() {
		if f := theta.Field(i); f.Kind() == reflect.Float64 {
			got = append(got, f.Float())
		} else {
			got = append(got, f.Interface().([]float64)...)
		}
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("Theta has %v, the report %v", got, want)
	}
}
