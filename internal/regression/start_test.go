package regression_test

import (
	"math"
	"testing"

	"github.com/sngdgen/sngdgen/expr/syntax"
	"github.com/sngdgen/sngdgen/internal/regression"
	"github.com/sngdgen/sngdgen/runtime/estimate"
)

// TestStartFrom: a start is the estimate of the distribution by itself, and its information that of one row about the coordinate in which
// predictors are linear, by the derivative of the coordinate: of numbers between bounds too, one of which may be infinite. An estimate next to
// a bound, or none, leaves the default.
func TestStartFrom(t *testing.T) {
	const n, stdErr = 50, 0.03
	nan := math.NaN()
	for _, c := range []struct {
		of              string
		value, stdErr   float64
		start           float64
		coordinateSlope float64 // of the coordinate by the value; 0 where the information is 1
	}{
		{"real", 7, stdErr, 7, 1},
		{"real", 1e6, stdErr, 1e6, 1},
		{"real", math.Inf(1), stdErr, 0, 0},
		{"positive", 4, stdErr, 4, 1 / 4.},
		{"positive", 1e-12, stdErr, 1, 0},
		{"unit", 0.2, stdErr, 0.2, 1/0.2 + 1/0.8},
		{"real(-2, 4)", 1, stdErr, 1, 1/3. + 1/3.},
		{"real(-2, 4)", 3.5, stdErr, 3.5, 1/5.5 + 1/0.5},
		{"real(-2, 4)", 4 - 1e-12, stdErr, 1, 0},
		{"real(-2, 4)", -2, stdErr, 1, 0},
		{"real(-2, 4)", 3.5, nan, 3.5, 0},
		{"real(-2, 4)", 3.5, 0, 3.5, 0},
		{"real(-2, 4)", nan, nan, 1, 0},
		{"real(3, infinity)", 5, stdErr, 5, 1 / 2.},
		{"real(3, infinity)", 3, stdErr, 4, 0},
		{"real(-infinity, -1)", -5, stdErr, -5, 1 / 4.},
		{"real(-infinity, -1)", -1 - 1e-12, stdErr, -2, 0},
	} {
		of, errs := syntax.ParseType(c.of)
		if len(errs) > 0 {
			t.Fatalf("%s: %v", c.of, errs)
		}
		m := regression.Model{Parameters: []regression.Parameter{{Name: "other", Type: of}, {Name: "it", Type: of}}}
		m.StartFrom(&estimate.Report{N: n, Estimate: estimate.Values{{Name: "it", Value: c.value}}, StdErr: estimate.Values{{Name: "it", Value: c.stdErr}}})
		want := 1.0
		if c.coordinateSlope > 0 {
			want = 1 / (n * math.Pow(c.stdErr*c.coordinateSlope, 2))
		}
		got := m.Parameters[1]
		if got.Start != c.start || !(math.Abs(got.Information-want) <= 1e-12*want) {
			t.Errorf("%s at %v: starts at %v, not %v, with the information %v, not %v", c.of, c.value, got.Start, c.start, got.Information, want)
		}
		if other := m.Parameters[0]; other.Start != other.Default() || other.Information != 1 {
			t.Errorf("%s without an estimate: starts at %v with the information %v", c.of, other.Start, other.Information)
		}
	}
}
