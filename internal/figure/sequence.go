package figure

import (
	"fmt"
	"math"

	"github.com/sngdgen/sngdgen/internal/picture"
	"github.com/sngdgen/sngdgen/runtime/estimate"
)

// The rows of a sequence are shown in their order: what was observed, what was to be expected of each row given those in front of it, and
// whether residuals still depend on each other.

// mostLags is up to how many rows apart autocorrelations are shown, at most a quarter of the rows.
const mostLags = 25

// sequence makes the pictures of a fit of a sequence of numbers.
func sequence(s *Subject, r *estimate.Report) []picture.Panel {
	x, y := s.inOrder(0), s.outcome().Data.Values
	p := picture.Panel{Name: "sequence", Title: title(r, "the rows in their order"), X: picture.Axis{Label: "row"}, Y: picture.Axis{Label: s.label(0)},
		Layers: []picture.Layer{{Kind: picture.Line, Name: "data", Color: picture.Data, Thin: true, X: x, Y: y}}}
	c := r.Details.Conditional
	if c == nil || len(c.Residuals) < 2 {
		return []picture.Panel{p}
	}
	at := s.inOrder(c.Skipped)
	var low, high []float64
	for i, mean := range c.Mean {
		low, high = append(low, mean-2*c.SD[i]), append(high, mean+2*c.SD[i])
	}
	p.Note = "fitted: mean of each row given those in front of it; dashed: two standard deviations of it"
	p.Layers = append(p.Layers,
		picture.Layer{Kind: picture.Line, Color: picture.Other, Thin: true, Dash: true, X: at, Y: low},
		picture.Layer{Kind: picture.Line, Color: picture.Other, Thin: true, Dash: true, X: at, Y: high},
		picture.Layer{Kind: picture.Line, Name: "fitted", Color: picture.Fitted, X: at, Y: c.Mean})
	ri, residuals := finitePairs(at, c.Residuals)
	note := s.residualNote()
	if c.Skipped > 0 {
		note += fmt.Sprintf("; the last %d rows", len(c.Residuals))
	}
	q := picture.Panel{Name: "residuals", Title: title(r, "residuals in their order"), Note: note,
		X: picture.Axis{Label: "row"}, Y: picture.Axis{Label: "quantile residual"},
		Layers: []picture.Layer{{Kind: picture.Points, Name: "rows", Color: picture.Data, X: ri, Y: residuals},
			{Kind: picture.Across, Color: len(picture.Colors) - 1, Thin: true, Y: []float64{0}},
			{Kind: picture.Across, Color: picture.Other, Thin: true, Dash: true, Y: []float64{-1.96, 1.96}}}}
	which := make([]int, len(at))
	for i := range which {
		which[i] = c.Skipped + i
	}
	panels := []picture.Panel{p, q, s.residualQuantiles(r, which)}
	if lags := min(mostLags, len(residuals)/4); lags > 0 && len(residuals) == len(at) {
		panels = append(panels, autocorrelations(r, residuals, lags))
	}
	return panels
}

// inOrder are the numbers of the rows from one on, as people count them.
func (s *Subject) inOrder(from int) (out []float64) {
	for i := from; i < s.rowsOf(); i++ {
		out = append(out, float64(i+1))
	}
	return out
}

// autocorrelations draws those of residuals and of their squares, which tell of changes of variance that are left.
func autocorrelations(r *estimate.Report, x []float64, lags int) picture.Panel {
	squares := make([]float64, len(x))
	for i, v := range x {
		squares[i] = v * v
	}
	limit := 1.96 / math.Sqrt(float64(len(x)))
	p := picture.Panel{Name: "autocorrelation", Title: title(r, "autocorrelation of residuals"),
		Note: "dashed: where 95 % of those of independent numbers are", X: picture.Axis{Label: "rows apart", Whole: true},
		Y: picture.Axis{Label: "autocorrelation"}}
	for i, of := range []struct {
		name   string
		values []float64
	}{{"residuals", x}, {"their squares", squares}} {
		l := picture.Layer{Kind: picture.Bars, Name: of.name, Color: i + 1}
		for k, v := range autocorrelation(of.values, lags) {
			centre := float64(k+1) + 0.17*float64(2*i-1)
			l.From, l.To = append(l.From, centre-0.15), append(l.To, centre+0.15)
			l.Low, l.High = append(l.Low, math.Min(v, 0)), append(l.High, math.Max(v, 0))
		}
		p.Layers = append(p.Layers, l)
	}
	p.Layers = append(p.Layers, picture.Layer{Kind: picture.Across, Color: len(picture.Colors) - 1, Thin: true, Y: []float64{0}},
		picture.Layer{Kind: picture.Across, Color: picture.Other, Thin: true, Dash: true, Y: []float64{-limit, limit}})
	return p
}

// autocorrelation is that of 1, 2, ... rows apart.
func autocorrelation(x []float64, lags int) []float64 {
	mean, all := 0.0, 0.0
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for _, v := range x {
		all += (v - mean) * (v - mean)
	}
	out := make([]float64, lags)
	for k := range out {
		for i := k + 1; i < len(x); i++ {
			out[k] += (x[i] - mean) * (x[i-k-1] - mean) / all
		}
	}
	return out
}
