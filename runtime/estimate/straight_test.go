package estimate_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/baseline"
	"github.com/sngdgen/sngdgen/runtime/estimate"
	"github.com/sngdgen/sngdgen/runtime/types"
)

// cuts is an ordinal regression of three cut points, a scale and a slope: of levels y given x.
type cuts struct {
	*sheet
	x, y []float64
}

func (c *cuts) Info() *runtime.Info {
	return &runtime.Info{Name: "cuts", Deterministic: true, Starts: 1, Parameters: []runtime.Parameter{
		{Name: "scale", Type: types.Number.Of(types.Positive)},
		{Name: "c", Type: types.Ordered.Of(types.Real), Shape: []runtime.Dim{{Size: 3}}},
		{Name: "b", Type: types.Number.Of(types.Real)},
	}}
}
func (c *cuts) Clone() runtime.Model { return c }
func (c *cuts) Start(z []float64, _ int, _ *rand.Rand) error {
	copy(z, []float64{1, -1, 0, 1, 0.5})
	return nil
}

// lossOfCuts is that of the rows, with a penalty of the scale; NaN where cut points are out of order.
func lossOfCuts(x, y []float64) func(g, theta []float64) float64 {
	return func(g, theta []float64) float64 {
		clear(g)
		scale, c, b := theta[0], theta[1:4], theta[4]
		if !(scale > 0) || !(c[0] < c[1] && c[1] < c[2]) {
			return math.NaN()
		}
		f := math.Log(scale) * math.Log(scale)
		g[0] = 2 * math.Log(scale) / scale
		side := func(sign float64, k int, x float64) { // of one side of a level: log(1 + exp(-sign*(c[k] - b*x)))
			t := sign * (c[k] - b*x)
			slope := -sign / (1 + math.Exp(t))
			g[1+k] += slope
			g[4] -= slope * x
			f += math.Log1p(math.Exp(-math.Abs(t))) + math.Max(-t, 0)
		}
		for i, level := range y {
			k := int(level)
			if k <= 3 {
				side(1, k-1, x[i])
			}
			if k > 1 {
				side(-1, k-2, x[i])
			}
			if k > 1 && k <= 3 { // and what is between: the logistic function of both, less what they have together
				width := c[k-1] - c[k-2]
				f -= math.Log(-math.Expm1(-width))
				slope := 1 / math.Expm1(width)
				g[k] -= slope
				g[k-1] += slope
			}
		}
		return f
	}
}

// Straight coordinates are the parameters themselves, their gradient is that of the parameters, and in the chart a cut point moves the logarithms of what lies on both sides of it.
func TestStraight(t *testing.T) {
	x, y := []float64{1, 2, 3, 4, 5, 6}, []float64{1, 2, 1, 3, 4, 3}
	m := &cuts{sheet: &sheet{5, lossOfCuts(x, y)}, x: x, y: y}
	u, err := baseline.Charts(m, baseline.CovarianceCholesky)
	if err != nil {
		t.Fatal(err)
	}
	theta := []float64{2, -1.5, 0.25, 0.5, 0.7}
	s, at, tangent := estimate.Straighten(m, u, theta)
	if want := []float64{math.Log(2), -1.5, 0.25, 0.5, 0.7}; !slices.Equal(at, want) {
		t.Errorf("coordinates %v, want %v", at, want)
	}
	back := make([]float64, 5)
	if s.Theta(back, at); !slices.Equal(back[1:], theta[1:]) {
		t.Errorf("parameters %v, want %v", back, theta)
	}
	g, value := make([]float64, 5), s.Loss(at)
	if loss := s.Gradient(g, at); math.Abs(loss-value) > 1e-14*value {
		t.Errorf("loss %v, want %v", loss, value)
	}
	for k := range at {
		const h = 1e-5
		near(t, "derivative", g[k], (s.Loss(moved(at, k, h))-s.Loss(moved(at, k, -h)))/(2*h), 1e-8)
	}
	if f := s.Loss(moved(at, 2, 0.3)); !math.IsNaN(f) {
		t.Errorf("loss %v with cut points out of order", f)
	}
	for k, want := range [][]float64{
		{math.Log(2), 0, 0, 0, 0},
		{0, -1.5, 1.5 / 1.75, 0, 0},
		{0, 0, 0.25 / 1.75, -0.25 / 0.25, 0},
		{0, 0, 0, 0.5 / 0.25, 0},
		{0, 0, 0, 0, 0.7},
	} {
		for i, w := range want {
			if got := tangent.At(i, k); math.Abs(got-w) > 1e-8 {
				t.Errorf("a change of coordinate %d changes %d in the chart by %v, want %v", k, i, got, w)
			}
		}
	}
}

// moved is a point with one coordinate so much larger.
func moved(x []float64, k int, by float64) []float64 {
	out := slices.Clone(x)
	out[k] += by
	return out
}

// Levels that cut points separate but for ties have no estimate; those that overlap have one.
func TestRecessionOfCuts(t *testing.T) {
	for _, c := range []struct {
		what string
		x, y []float64
		want runtime.Status
		say  string
	}{
		{"neighbours have an x in common", []float64{1, 2, 2, 4, 4, 6, 6, 7}, []float64{1, 1, 2, 2, 3, 3, 4, 4}, runtime.AtInfinity, "as the length of c and b goes to infinity"},
		{"two levels overlap", []float64{1, 2, 3, 4, 5, 6, 7, 8}, []float64{1, 1, 2, 3, 2, 3, 4, 4}, runtime.GradientConverged, ""},
	} {
		rep, err := estimate.Find(t.Context(), &cuts{sheet: &sheet{5, lossOfCuts(c.x, c.y)}, x: c.x, y: c.y}, estimate.Settings{})
		if err != nil || rep.Status != c.want || !strings.Contains(rep.Message, c.say) {
			t.Errorf("%s: %v, %v, %v", c.what, rep.Status, rep.Message, err)
		}
	}
}
