package variational_test

import (
	"math"
	"slices"
	"testing"

	"github.com/sngdgen/sngdgen/generated/linearregression"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/estimate"
	"github.com/sngdgen/sngdgen/runtime/modeltest"
	"github.com/sngdgen/sngdgen/runtime/support"
	"github.com/sngdgen/sngdgen/spec"
)

// TestPredictLibrary: what every posterior of the library that says how data are drawn draws are data that it takes, the same from
// a clone, and of a batch those of its rows.
func TestPredictLibrary(t *testing.T) {
	eachPosterior(t, func(t *testing.T, name string, m runtime.Variational, components int) {
		p, ok := m.(runtime.Predictor)
		declared := len(m.Info().Predicted) > 0
		interpreted := !slices.Contains(spec.Library().Compiled(), name) // such a model has all methods
		if ok != declared && !(ok && interpreted) {
			t.Fatalf("a Predictor: %v, but there are %d predicted data", ok, len(m.Info().Predicted))
		}
		if !declared {
			return
		}
		data := modeltest.DataOf(m, 3, 40, runtime.Stream(4, name))
		if err := estimate.Load(m, data, components); err != nil {
			t.Fatal(err)
		}
		rows, _, _ := m.Counts()
		var widths []int
		total := 0
		for _, q := range m.Info().Predicted {
			widths = append(widths, q.Len(m))
			total += q.Len(m) * rows
		}
		z := make([]float64, m.Info().Variable.Len(m))
		for i := range z {
			z[i] = 0.1 * float64(i+1)
		}
		first, second := make([]float64, total), make([]float64, total)
		clone := m.Clone().(runtime.Predictor)
		p.Predict(first, z, runtime.Stream(1, "predict"))
		clone.Predict(second, z, runtime.Stream(1, "predict"))
		at := 0
		for i, q := range m.Info().Predicted {
			part := runtime.Data{Values: first[at : at+rows*widths[i]], Columns: widths[i]}
			if err := support.CheckData(part, widths[i], q.Type, q.Name); err != nil {
				t.Error(err)
			}
			at += rows * widths[i]
		}
		observed := make([]float64, total)
		p.Observed(observed)
		for i := range first {
			if first[i] != second[i] {
				t.Fatalf("entry %d is %v, of a clone %v", i, first[i], second[i])
			}
			if math.IsNaN(observed[i]) {
				t.Fatalf("observed entry %d is not a number", i)
			}
		}
	})
}

// TestPredictive: with a known variance the posterior predictive distribution of a linear regression is normal, with mean X m and
// variance 1 + x'C x in every row.
func TestPredictive(t *testing.T) {
	data := runtime.Data{Values: []float64{1, 0.2, 1.3, 1, -1.5, 0.1, 1, 3, 2.2, 1, 0.7, 0.9}, Columns: 3}
	m, err := linearregression.New(data)
	if err != nil {
		t.Fatal(err)
	}
	const draws = 40000
	a, err := estimate.Approximate(t.Context(), m, &estimate.Settings{Seed: 5, Variational: estimate.Variational{Keep: draws, Predict: true}})
	if err != nil {
		t.Fatal(err)
	}
	p := a.Sample.Predicted
	if len(p.Parts) != 1 || p.Parts[0].Name != "y" || len(p.Values) != 4*draws || p.Observed[2] != 2.2 {
		t.Fatalf("%+v, %d values", p.Parts, len(p.Values))
	}
	mean, cov := a.Posterior.Mean[0].Entries, a.Posterior.Covariance
	for row := range 4 {
		x := data.Values[3*row : 3*row+2]
		wantMean, wantVariance := 0.0, 1.0
		for i := range x {
			wantMean += x[i] * mean[i]
			for j := range x {
				wantVariance += x[i] * float64(cov[i][j]) * x[j]
			}
		}
		sum, square := 0.0, 0.0
		for i := range draws {
			sum += p.Values[4*i+row] / draws
			square += p.Values[4*i+row] * p.Values[4*i+row] / draws
		}
		if math.Abs(sum-wantMean) > 5*math.Sqrt(wantVariance/draws) {
			t.Errorf("row %d: mean %v, want %v", row, sum, wantMean)
		}
		if got := square - sum*sum; math.Abs(got-wantVariance) > 5*wantVariance*math.Sqrt(2.0/draws) {
			t.Errorf("row %d: variance %v, want %v", row, got, wantVariance)
		}
	}
	for _, c := range a.Predictive {
		if !(float64(c.Low) <= float64(c.Mean) && float64(c.Mean) <= float64(c.High) && c.Above >= 0 && c.Above <= 1) {
			t.Errorf("%+v", c)
		}
	}
}

// TestPredictRefused: what cannot be drawn is an error before anything is fitted.
func TestPredictRefused(t *testing.T) {
	m, err := linearregression.New(runtime.Data{Values: []float64{1, 0.2, 1.3}, Columns: 3})
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range []estimate.Variational{{Predict: true}, {Predict: true, Keep: 1 << 40}} {
		if _, err := estimate.Approximate(t.Context(), m, &estimate.Settings{Variational: v}); err == nil {
			t.Errorf("%+v: no error", v)
		}
	}
}
