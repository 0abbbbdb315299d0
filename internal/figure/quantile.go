package figure

import (
	"fmt"
	"math"
	"slices"

	"github.com/sngdgen/sngdgen/internal/picture"
	"github.com/sngdgen/sngdgen/runtime/estimate"
)

// mostLevels is how many quantiles are compared.
const mostLevels = 300

// comparedQuantiles are quantiles of data against those of data sets that were drawn from what was fitted.
type comparedQuantiles struct {
	observed, expected, low, high []float64 // low and high are nil without an envelope
}

// compareQuantiles takes as many levels as there are rows, up to mostLevels. The expectation of a quantile is the median over the
// sets, and its envelope the middle 95 % of them (Atkinson, Plots, transformations and regression, 1985, section 4.2).
func compareQuantiles(x *sample, draws []float64, size int) *comparedQuantiles {
	levels := min(mostLevels, max(2, int(math.Round(x.total()))))
	sets := len(draws) / size
	each := make([]*sample, sets)
	for i := range each {
		each[i] = equal(draws[i*size : (i+1)*size])
	}
	q := new(comparedQuantiles)
	for i := range levels {
		p := (float64(i) + 0.5) / float64(levels)
		q.observed = append(q.observed, x.quantile(p))
		own := make([]float64, sets)
		for j, set := range each {
			own[j] = set.quantile(p)
		}
		all := equal(own)
		q.expected = append(q.expected, all.quantile(0.5))
		if sets > 1 {
			q.low, q.high = append(q.low, all.quantile(0.025)), append(q.high, all.quantile(0.975))
		}
	}
	return q
}

// panel draws quantiles against each other, with the line on which they are equal.
func (q *comparedQuantiles) panel(p picture.Panel) picture.Panel {
	if q.low != nil {
		p.Layers = append(p.Layers, picture.Layer{Kind: picture.Band, Name: "middle 95 % of data sets that were drawn from the fit",
			Color: picture.Fitted, Faint: true, X: q.expected, Low: q.low, High: q.high})
	}
	ends := equal(q.expected)
	from, to := ends.x[0], ends.x[len(ends.x)-1]
	p.Layers = append(p.Layers,
		picture.Layer{Kind: picture.Line, Name: "equal", Color: picture.Fitted, Thin: true, X: []float64{from, to}, Y: []float64{from, to}},
		picture.Layer{Kind: picture.Points, Name: "data", Color: len(picture.Colors) - 1, X: q.expected, Y: q.observed})
	// A wild quantile of a draw is no reason to see nothing else.
	seen := append(append([]float64(nil), q.observed...), q.expected...)
	if slices.Min(seen) > 0 && slices.Max(seen)/slices.Min(seen) > wideRatio {
		p.X.Log, p.Y.Log = true, true
		room := math.Pow(slices.Max(seen)/slices.Min(seen), 0.04)
		p.Y.Min, p.Y.Max = slices.Min(seen)/room, slices.Max(seen)*room
		return p
	}
	p.Y.Min, p.Y.Max = framed(seen)
	return p
}

// wideRatio is that of the largest to the least of positive numbers above which axes are logarithmic: on others most points lie on each other.
const wideRatio = 300

// framed are the ends of an axis with what is to be seen.
func framed(x []float64) (low, high float64) {
	s := equal(x)
	low, high = s.x[0], s.x[len(s.x)-1]
	room := 0.04 * (high - low)
	if room == 0 {
		room = 1
	}
	return low - room, high + room
}

// quantiles is the quantile plot of a continuous number.
func quantiles(s *Subject, r *estimate.Report) []picture.Panel {
	d := &r.Details.Draws
	if len(d.Values) < s.setSize() {
		return nil
	}
	q := compareQuantiles(s.column(0), d.Values, s.setSize())
	return []picture.Panel{q.panel(picture.Panel{Name: "quantiles", Title: title(r, "quantiles"),
		X: picture.Axis{Label: s.label(0) + ", expected by the fit"}, Y: picture.Axis{Label: s.label(0) + ", observed"}})}
}

// scores compares the log-densities of rows with those of draws: of vectors of whatever length, how likely the rows are that the fit
// takes for likely.
func scores(s *Subject, r *estimate.Report) []picture.Panel {
	d := r.Details
	rows := s.spread(s.scored())
	if len(d.DrawScores) == 0 || len(rows) == 0 || len(d.Density.Log) < len(rows) {
		return nil
	}
	own := d.Density.Log[len(d.Density.Log)-len(rows):]
	x, w := make([]float64, len(rows)), make([]float64, len(rows))
	for i, row := range rows {
		x[i], w[i] = own[i], s.Data.Weight(row)
	}
	size := min(len(rows), len(d.DrawScores))
	if len(d.DrawScores)/size < leastSets { // too few sets for an envelope: one large one
		size = len(d.DrawScores)
	}
	q := compareQuantiles(newSample(x, w), d.DrawScores[:len(d.DrawScores)/size*size], size)
	note := "below the line where rows are less likely than draws from the fit are"
	if len(rows) < s.rowsOf() {
		note = fmt.Sprintf("%s; %d of %d rows", note, len(rows), s.rowsOf())
	}
	return []picture.Panel{q.panel(picture.Panel{Name: "scores", Title: title(r, "quantiles of the log-density of rows"), Note: note,
		X: picture.Axis{Label: "log-density, expected by the fit"}, Y: picture.Axis{Label: "log-density of the data"}})}
}
