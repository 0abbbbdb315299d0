package figure

import (
	"fmt"
	"math"

	"github.com/sngdgen/sngdgen/internal/picture"
	"github.com/sngdgen/sngdgen/runtime/estimate"
)

const (
	// shownColumns is of how many columns there are pairs, shownPoints how many points one has.
	shownColumns = 5
	shownPoints  = 1000
	curveCells   = 100
	// manyPoints are so many that they cover each other.
	manyPoints = 300
)

// regions are the parts of the probability that contours enclose.
var regions = []float64{0.5, 0.9}

const contourName = "fitted: half and 90 % of the probability"

// field is a grid of two columns.
type field struct{ a, b axis }

// grid is that of a pair of numbers, whose density is wanted there.
func (s *Subject) grid() *field {
	return &field{s.axis(0, fieldPoints), s.axis(1, fieldPoints)}
}

// axis is the range that is shown of a column.
func (s *Subject) axis(c, cells int) axis {
	low, high := s.shown(c, s.column(c))
	least, most := s.support(c)
	if s.whole(c) { // bars of their own
		low, high = low-0.5, high+0.5
	} else if most == 1 {
		low, high = 0, 1
	}
	return axis{low: low, high: high, cells: cells, least: least, most: most, kernel: narrowKernel}
}

// rows are the middles of the cells, row by row along y.
func (f *field) rows() (out []float64) {
	for _, y := range f.b.centers() {
		for _, x := range f.a.centers() {
			out = append(out, x, y)
		}
	}
	return out
}

// contour draws the regions of a density on the grid.
func (f *field) contour(z []float64) (picture.Layer, bool) {
	at := levels(z, f.a.width()*f.b.width(), regions...)
	return picture.Layer{Kind: picture.Contour, Name: contourName, Color: picture.Fitted, X: f.a.centers(), Y: f.b.centers(), Z: z, Levels: at},
		len(at) > 0
}

// drawn takes the draws that belong to a column of the data: they have all entries of a matrix where the data may have the lower triangle.
func (s *Subject) drawn(d *estimate.Draws, c int) []float64 {
	if entries := len(d.Columns); s.packed(entries) {
		c = lowerTriangle(entries)[c]
	}
	return drawn(d, c)
}

// drawn takes a column of draws.
func drawn(d *estimate.Draws, c int) []float64 {
	width := max(len(d.Columns), 1)
	out := make([]float64, 0, len(d.Values)/width)
	for i := c; i < len(d.Values); i += width {
		out = append(out, d.Values[i])
	}
	return out
}

// pairs is the matrix of pictures of a vector: histograms with the marginal density on the diagonal, points with contours below.
func pairs(s *Subject, r *estimate.Report) []picture.Panel {
	of := s.free(len(r.Details.Draws.Columns))
	n := min(len(of), shownColumns)
	p := picture.Panel{Name: "pairs", Title: title(r, "data and fitted density"), Grid: make([][]*picture.Panel, n)}
	if n < len(of) {
		p.Note = fmt.Sprintf("the first %d of %d columns", n, len(of))
	}
	if len(r.Details.Draws.Values) == 0 && !s.paired() {
		p.Note += " (the spec has no way to draw from what was fitted, so that it is not shown)"
	}
	for j := range n {
		p.Grid[j] = make([]*picture.Panel, n)
		for i := range j {
			p.Grid[j][i] = s.pair(r, of[i], of[j])
		}
		p.Grid[j][j] = s.margin(r, of[j])
		p.Grid[j][0].Y.Label = s.label(of[j])
	}
	return []picture.Panel{p}
}

// margin is the histogram of a column with the fitted density.
func (s *Subject) margin(r *estimate.Report, c int) *picture.Panel {
	a := s.axis(c, curveCells)
	p := &picture.Panel{Name: "margin", X: picture.Axis{Label: s.label(c), Min: a.low, Max: a.high}, Y: picture.Axis{Bare: true}}
	if s.whole(c) {
		return s.discreteMargin(r, c, p)
	}
	h := s.column(c).histogram(a.low, a.high)
	p.Layers = append(p.Layers, h.layer())
	if x := s.drawn(&r.Details.Draws, c); len(x) > 0 {
		p.Layers = append(p.Layers, picture.Layer{Kind: picture.Line, Name: contourName, Color: picture.Fitted, X: a.centers(), Y: a.curve(x)})
		p.Y.Max = ceiling(h, p.Layers[1:])
	}
	return p
}

// discreteMargin has frequencies of whole numbers, of data and of draws.
func (s *Subject) discreteMargin(r *estimate.Report, c int, p *picture.Panel) *picture.Panel {
	x := s.column(c)
	at := x.integers()
	g := group(x, at, new(estimate.Density), 0)
	p.X.Whole = true
	p.X.Min, p.X.Max = 0, 0
	p.Layers = append(p.Layers, g.bars(make([]float64, len(g.observed)), g.observed))
	if d := s.drawn(&r.Details.Draws, c); len(d) > 0 {
		own := group(equal(d), at, new(estimate.Density), 0)
		p.Layers = append(p.Layers, picture.Layer{Kind: picture.Points, Name: "fitted", Color: picture.Fitted, X: g.middles(), Y: own.observed})
	}
	return p
}

// pair has the points of two columns with contours of the fitted density.
func (s *Subject) pair(r *estimate.Report, i, j int) *picture.Panel {
	cells := fieldPoints
	f := &field{s.axis(i, cells), s.axis(j, cells)}
	p := &picture.Panel{Name: "pair", X: picture.Axis{Label: s.label(i), Min: f.a.low, Max: f.a.high}, Y: picture.Axis{Min: f.b.low, Max: f.b.high}}
	p.X.Whole, p.Y.Whole = s.whole(i), s.whole(j)
	p.Layers = append(p.Layers, s.points(r, i, j)...)
	if s.whole(i) || s.whole(j) {
		return p
	}
	var z []float64
	if d := &r.Details.Density; s.paired() && len(d.Log) >= cells*cells {
		for _, l := range d.Log[:cells*cells] {
			z = append(z, math.Exp(l))
		}
	} else if d := &r.Details.Draws; len(d.Values) > 0 {
		z = surface(&f.a, &f.b, s.drawn(d, i), s.drawn(d, j))
	}
	if z != nil {
		if l, ok := f.contour(z); ok {
			p.Layers = append(p.Layers, l)
		}
	}
	return p
}

// points are rows of two columns, of mixtures by the component that explains each best; whole numbers by their frequencies.
func (s *Subject) points(r *estimate.Report, i, j int) []picture.Layer {
	if s.whole(i) && s.whole(j) {
		return []picture.Layer{s.frequencies(i, j)}
	}
	k := len(r.Components)
	which := s.assigned(r)
	out := []picture.Layer{{Kind: picture.Points, Name: "data", Color: picture.Data, Faint: s.rowsOf() > manyPoints}}
	if which != nil {
		out = nil
		for c := range k {
			out = append(out, picture.Layer{Kind: picture.Points, Name: componentName(c, k), Color: picture.Component(c),
				Faint: c >= picture.Colored || s.rowsOf() > manyPoints})
		}
	}
	rows := s.spread(shownPoints)
	if which != nil {
		rows = s.spread(s.scored())
	}
	for at, step := 0, max(1, len(rows)/shownPoints); at < len(rows); at += step {
		l := &out[0]
		if which != nil {
			l = &out[which[at]]
		}
		l.X, l.Y = append(l.X, s.Data.Values[rows[at]*s.width()+i]), append(l.Y, s.Data.Values[rows[at]*s.width()+j])
	}
	return out
}

// assigned is the component of a mixture that explains each of the compared rows best; nil where that is not known.
func (s *Subject) assigned(r *estimate.Report) (which []int) {
	k, shares := len(r.Components), r.Details.Density.Shares
	n := len(s.spread(s.scored()))
	if k < 2 || n == 0 || len(shares) < n*k {
		return nil
	}
	shares = shares[len(shares)-n*k:]
	for row := range n {
		best := 0
		for c := range k {
			if shares[row*k+c] > shares[row*k+best] {
				best = c
			}
		}
		which = append(which, best)
	}
	return which
}

// frequencies are pairs of whole numbers, the more often the larger.
func (s *Subject) frequencies(i, j int) picture.Layer {
	l := picture.Layer{Kind: picture.Points, Name: "data", Color: picture.Data}
	at, sizes := map[[2]float64]int{}, []float64(nil)
	for row := range s.rowsOf() {
		x, y := s.Data.Values[row*s.width()+i], s.Data.Values[row*s.width()+j]
		k, known := at[[2]float64{x, y}]
		if !known {
			k = len(l.X)
			at[[2]float64{x, y}] = k
			l.X, l.Y, sizes = append(l.X, x), append(l.Y, y), append(sizes, 0)
		}
		sizes[k] += s.Data.Weight(row)
	}
	for _, n := range sizes {
		l.Size = append(l.Size, 0.5+6*math.Sqrt(n/s.total()))
	}
	return l
}
