package figure

import (
	"math"
	"testing"

	"github.com/sngdgen/sngdgen/internal/picture"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/estimate"
	"github.com/sngdgen/sngdgen/runtime/types"
)

// TestAutocorrelation: as acf of statsmodels 0.15.0 has it.
func TestAutocorrelation(t *testing.T) {
	got := autocorrelation([]float64{2, 1, 4, 3, 7, 5, 6, 9, 8, 12}, 3)
	for k, want := range []float64{0.4650336215177714, 0.36714697406340063, 0.08482228626320848} {
		if math.Abs(got[k]-want) > 1e-12 {
			t.Errorf("%d rows apart: %v, not %v", k+1, got[k], want)
		}
	}
}

// TestSequence: data, fit and bounds, residuals and what they say are there; without residuals the data alone are.
func TestSequence(t *testing.T) {
	s := &Subject{Problem: "p", Columns: []string{"x"}, Entries: types.Real, Number: true, Sequence: true}
	c := &estimate.Conditional{Skipped: 2}
	for i := range 42 {
		v := float64(i*i%7) - 3
		s.Data.Values = append(s.Data.Values, v)
		if i >= c.Skipped {
			c.Mean, c.SD, c.Residuals = append(c.Mean, v/2), append(c.SD, 1), append(c.Residuals, v/2)
		}
	}
	s.Data = runtime.Data{Values: s.Data.Values, Columns: 1}
	r := &estimate.Report{Details: &estimate.Details{Conditional: c}}
	names := ""
	for _, p := range Likelihood(s, r) {
		if err := p.Check(); err != nil {
			t.Error(err)
		}
		names += p.Name + " "
		if p.Name == "sequence" && (len(p.Layers) != 4 || len(p.Layers[0].X) != 42 || p.Layers[3].X[0] != 3) {
			t.Errorf("%+v", p.Layers)
		}
		if p.Name == "autocorrelation" && (len(p.Layers[0].From) != 10 || p.Layers[0].Kind != picture.Bars) {
			t.Errorf("%+v", p.Layers[0])
		}
	}
	if names != "sequence residuals quantiles autocorrelation " {
		t.Error(names)
	}
	r.Details.Conditional = nil
	if list := Likelihood(s, r); len(list) != 1 || len(list[0].Layers) != 1 {
		t.Errorf("%+v", list)
	}
}
