package figure

import (
	"fmt"
	"math"
	"slices"

	"github.com/sngdgen/sngdgen/internal/picture"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/estimate"
	"github.com/sngdgen/sngdgen/runtime/types"
)

// A density that is given other columns is another one in every row, so that pictures are about what each row says of the fit:
// residuals that are standard normal if it is right, means, and of whole numbers the mean of the probabilities over the rows.

const (
	// describedRows is of how many rows, in equal distances, the distributions are wanted.
	describedRows = 2000
	// meanGroups is into about how many groups rows are put for local means, leastInGroup how many each has at least.
	meanGroups   = 20
	leastInGroup = 5
)

// outcome are the values of what is observed alone.
func (s *Subject) outcome() *Subject {
	one := *s
	one.Given, one.Form = false, types.Number
	one.Data = runtime.Data{Columns: 1, Weights: s.Data.Weights}
	for i := range s.rowsOf() {
		one.Data.Values = append(one.Data.Values, s.Data.Values[i*s.width()])
	}
	return &one
}

// regressed reports whether rows have residuals: what is observed is one number. Of numbers of levels there are none, as their order
// may mean nothing.
func (s *Subject) regressed() bool {
	return s.Given && s.Number && s.Entries != nil && s.Entries != types.Index && s.rowsOf() > 0
}

// uniform reports whether all rows are given the same, so that there is one density.
func (s *Subject) uniform() bool {
	w := s.width()
	for i := range s.rowsOf() {
		if !slices.Equal(s.Data.Values[i*w+1:(i+1)*w], s.Data.Values[1:w]) {
			return false
		}
	}
	return true
}

// given puts what the first row is given behind numbers.
func (s *Subject) given(numbers []float64) (rows []float64) {
	for _, x := range numbers {
		rows = append(append(rows, x), s.Data.Values[1:s.width()]...)
	}
	return rows
}

// conditional is what pictures of a regression need to know.
func (s *Subject) conditional(r *estimate.DetailRequest) {
	c := &r.Conditional
	w := s.width()
	for _, i := range s.spread(describedRows) {
		c.Rows, c.Weights = append(c.Rows, s.Data.Values[i*w:(i+1)*w]...), append(c.Weights, s.Data.Weight(i))
	}
	if s.Entries.Integer {
		c.Values = s.described().integers()
	}
	if s.uniform() {
		r.Rows = s.given(s.outcome().rows())
	}
}

// described are the numbers that were observed in the rows that are described.
func (s *Subject) described() *sample {
	var x, w []float64
	for _, i := range s.spread(describedRows) {
		x, w = append(x, s.Data.Values[i*s.width()]), append(w, s.Data.Weight(i))
	}
	return newSample(x, w)
}

// regression makes the pictures of a fit of a density that is given other columns.
func regression(s *Subject, r *estimate.Report) (panels []picture.Panel) {
	d := r.Details
	if s.uniform() && len(d.Density.Log) > 0 {
		if s.Entries.Integer {
			panels = append(panels, counts(s.outcome(), r)...)
		} else {
			panels = append(panels, density(s.outcome(), r)...)
		}
	}
	c := d.Conditional
	if c == nil {
		return panels
	}
	which := s.spread(describedRows)
	note := ""
	if len(which) < s.rowsOf() {
		note = fmt.Sprintf("%d of %d rows", len(which), s.rowsOf())
	}
	var all []picture.Panel
	if !s.uniform() {
		all = append(all, s.residuals(r, which), s.fittedMeans(r, which))
	}
	if s.Entries.Integer && s.Entries != types.Binary && !s.uniform() {
		g := groupProbabilities(s.described(), c.Expected)
		p := g.rootogram(s, r, s.described().total())
		p.Title = title(r, "hanging rootogram of the mean over the rows")
		all = append(all, p)
	}
	all = append(all, s.residualQuantiles(r, which))
	for i := range all {
		if p := &all[i]; note != "" {
			p.Note = joined(p.Note, note)
		}
	}
	return append(panels, all...)
}

func joined(a, b string) string {
	if a == "" {
		return b
	}
	return a + "; " + b
}

// groupProbabilities are the bars of whole numbers with expected probabilities.
func groupProbabilities(x *sample, p []float64) *groups {
	logs := make([]float64, len(p))
	for i := range p {
		logs[i] = math.Log(p[i])
	}
	return group(x, x.integers(), &estimate.Density{Log: logs}, 1)
}

// residuals against fitted means: around 0, with standard deviation 1, whatever the mean.
func (s *Subject) residuals(r *estimate.Report, which []int) picture.Panel {
	c := r.Details.Conditional
	x, y := finitePairs(c.Mean, c.Residuals)
	p := picture.Panel{Name: "residuals", Title: title(r, "residuals against fitted means"), Note: s.residualNote(),
		X: picture.Axis{Label: "fitted mean of " + s.label(0)}, Y: picture.Axis{Label: "quantile residual"},
		Layers: []picture.Layer{
			{Kind: picture.Points, Name: "rows", Color: picture.Data, Faint: len(x) > manyPoints, X: x, Y: y},
			{Kind: picture.Across, Color: len(picture.Colors) - 1, Thin: true, Y: []float64{0}},
			{Kind: picture.Across, Color: picture.Other, Thin: true, Dash: true, Y: []float64{-1.96, 1.96}}}}
	if at, mean := s.localMeans(c.Mean, c.Residuals, which); len(at) > 1 {
		p.Layers = append(p.Layers, picture.Layer{Kind: picture.Line, Name: "mean of neighbours", Color: picture.Fitted, X: at, Y: mean})
	}
	return p
}

func (s *Subject) residualNote() string {
	if s.Entries.Integer {
		return "normal quantiles of the fitted distribution of each row, randomised within a whole number; dashed: the middle 95 %"
	}
	return "normal quantiles of the fitted distribution of each row; dashed: the middle 95 %"
}

// finitePairs leaves out pairs with what is no number, as means that do not exist are.
func finitePairs(x, y []float64) (a, b []float64) {
	for i := range x {
		if !math.IsNaN(x[i]+y[i]) && !math.IsInf(x[i]+y[i], 0) {
			a, b = append(a, x[i]), append(b, y[i])
		}
	}
	return a, b
}

// localMeans are weighted means over rows that are next to each other in x.
func (s *Subject) localMeans(x, y []float64, which []int) (at, mean []float64) {
	var order []int
	for i := range x {
		if !math.IsNaN(x[i]+y[i]) && !math.IsInf(x[i]+y[i], 0) {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case x[a] < x[b]:
			return -1
		case x[a] > x[b]:
			return 1
		}
		return 0
	})
	size := max(leastInGroup, (len(order)+meanGroups-1)/meanGroups)
	for from := 0; from < len(order); {
		to := min(from+size, len(order))
		for to < len(order) && x[order[to]] == x[order[to-1]] { // rows that are alike are in one group
			to++
		}
		sx, sy, sw := 0.0, 0.0, 0.0
		for _, i := range order[from:to] {
			w := s.Data.Weight(which[i])
			sx, sy, sw = sx+w*x[i], sy+w*y[i], sw+w
		}
		at, mean = append(at, sx/sw), append(mean, sy/sw)
		from = to
	}
	return at, mean
}

// fittedMeans are what was observed against its fitted mean; of 0 and 1 shares in groups of rows.
func (s *Subject) fittedMeans(r *estimate.Report, which []int) picture.Panel {
	c := r.Details.Conditional
	observed := make([]float64, len(which))
	for k, i := range which {
		observed[k] = s.Data.Values[i*s.width()]
	}
	x, y := finitePairs(c.Mean, observed)
	p := picture.Panel{Name: "fitted", Title: title(r, "observed against fitted"),
		X: picture.Axis{Label: "fitted mean of " + s.label(0)}, Y: picture.Axis{Label: "observed"}}
	if s.Entries != types.Binary {
		p.Layers = append(p.Layers, picture.Layer{Kind: picture.Points, Name: "rows", Color: picture.Data, Faint: len(x) > manyPoints, X: x, Y: y})
	}
	if len(x) > 0 {
		ends := equal(x)
		line := []float64{ends.x[0], ends.x[len(ends.x)-1]}
		p.Layers = append(p.Layers, picture.Layer{Kind: picture.Line, Name: "equal", Color: picture.Fitted, Thin: true, X: line, Y: line})
	}
	if at, mean := s.localMeans(c.Mean, observed, which); len(at) > 0 {
		p.Layers = append(p.Layers, picture.Layer{Kind: picture.Points, Name: "mean of neighbours", Color: len(picture.Colors) - 1, X: at, Y: mean})
	}
	return p
}

// residualQuantiles are residuals against normal quantiles, with those of samples from the standard normal distribution.
func (s *Subject) residualQuantiles(r *estimate.Report, which []int) picture.Panel {
	var x, w []float64
	for k, v := range r.Details.Conditional.Residuals {
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			x, w = append(x, v), append(w, s.Data.Weight(which[k]))
		}
	}
	of := newSample(x, w)
	size := max(2, min(mostEnvelope, int(math.Round(of.total()))))
	sets := max(leastSets, min(mostSets, envelopeDraws/size))
	rng := runtime.Stream(0, "quantile residuals")
	draws := make([]float64, size*sets)
	for i := range draws {
		draws[i] = rng.NormFloat64()
	}
	q := compareQuantiles(of, draws, size)
	for i := range q.expected { // which is known
		q.expected[i] = -math.Sqrt2 * math.Erfcinv((2*float64(i)+1)/float64(len(q.expected)))
	}
	return q.panel(picture.Panel{Name: "quantiles", Title: title(r, "quantiles of residuals"), Note: "residuals of the right model are standard normal",
		X: picture.Axis{Label: "normal quantile"}, Y: picture.Axis{Label: "quantile residual"}})
}
