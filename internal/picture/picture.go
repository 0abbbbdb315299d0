// Package picture draws panels of bars, lines, points and contours as SVG, PNG and PDF, by gonum.org/v1/plot. It knows axes, legends
// and colours, and nothing of where the numbers come from: package figure makes panels of fits.
//
// The same panels give the same bytes, on every machine. In a browser there is nothing but panels and contours: a page draws these by
// itself, and the library would be a third of what it loads.
package picture

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// Figure is what is drawn on one page.
type Figure struct {
	Title  string
	Panels []Panel
}

// Panel is a picture with two axes, or a grid of such.
type Panel struct {
	Name  string // for files and anchors: density
	Title string
	Note  string // one line about how to read it
	X, Y  Axis
	// Layers are drawn one over the other.
	Layers []Layer
	// Grid has the panels of a matrix of pictures, row by row, instead of layers; nil where one is empty. Those of a row share their
	// heights, those of a column their widths, and titles are left out. Labels stand at the left and at the bottom.
	Grid [][]*Panel
	// Loose says that the panels of a grid have nothing to do with each other: each has its own labels.
	Loose bool
}

// Axis is one of the two.
type Axis struct {
	Label string
	// Min and Max are the ends; where both are 0 they are those of what is drawn, with some room.
	Min, Max float64
	Log      bool // of positive numbers
	Whole    bool // ticks are whole numbers
	Bare     bool // no ticks, as the numbers mean nothing
	Ticks    []Tick
}

// Tick is a place on an axis with a text, instead of a number.
type Tick struct {
	At    float64
	Label string
}

// Kind says what a layer is.
type Kind string

// The kinds of layers, and the fields they need.
const (
	Bars    Kind = "bars"    // from From to To along x, from Low to High along y
	Band    Kind = "band"    // between Low and High at X
	Line    Kind = "line"    // through X, Y; a NaN ends a piece of it
	Steps   Kind = "steps"   // through X, Y, level from each X to the next
	Points  Kind = "points"  // at X, Y; as large as Size says, relative to the usual, where that is given
	Errors  Kind = "errors"  // from Low to High at X
	Across  Kind = "across"  // horizontal lines at Y
	Upright Kind = "upright" // vertical lines at X
	Contour Kind = "contour" // of the field Z on the grid X by Y, at Levels; Z[j*len(X)+i] is at X[i], Y[j]
)

// Layer is one series of a panel.
type Layer struct {
	Kind  Kind
	Name  string // in the legend; "" keeps it out
	Color int    // index into Colors
	Faint bool   // half transparent, as what stands behind
	Dash  bool
	Thin  bool

	X, Y, Z, Levels     []float64
	From, To, Low, High []float64
	Size                []float64
}

// mostMarks bounds what one layer draws, and so the size of a file.
const mostMarks = 500_000

// Check reports a panel that cannot be drawn.
func (p *Panel) Check() error {
	if p.Name == "" {
		return errors.New("picture: a panel without a name")
	}
	for _, row := range p.Grid {
		for _, q := range row {
			if q == nil {
				continue
			}
			if err := q.Check(); err != nil {
				return err
			}
		}
	}
	for i := range p.Layers {
		if err := p.Layers[i].check(); err != nil {
			return fmt.Errorf("picture: %s: layer %d, %s: %w", p.Name, i, p.Layers[i].Kind, err)
		}
	}
	return nil
}

func (l *Layer) check() error {
	fields, ok := map[Kind][][]float64{
		Bars: {l.From, l.To, l.Low, l.High}, Band: {l.X, l.Low, l.High}, Line: {l.X, l.Y}, Steps: {l.X, l.Y}, Points: {l.X, l.Y},
		Errors: {l.X, l.Low, l.High}, Across: {l.Y}, Upright: {l.X}, Contour: {l.Levels},
	}[l.Kind]
	if !ok {
		return errors.New("there is no such kind")
	}
	for _, f := range fields {
		if len(f) != len(fields[0]) {
			return fmt.Errorf("%d and %d numbers, which should be as many", len(fields[0]), len(f))
		}
		if len(f) > mostMarks {
			return fmt.Errorf("%d marks are too many: at most %d", len(f), mostMarks)
		}
		gaps := l.Kind == Line
		if slices.ContainsFunc(f, func(x float64) bool { return math.IsInf(x, 0) || math.IsNaN(x) && !gaps }) {
			return errors.New("not all numbers are finite")
		}
	}
	switch {
	case l.Color < 0 || l.Color >= len(Colors):
		return fmt.Errorf("there is no color %d", l.Color)
	case l.Kind == Points && len(l.Size) > 0 && len(l.Size) != len(l.X):
		return fmt.Errorf("%d sizes of %d points", len(l.Size), len(l.X))
	case l.Kind == Contour && (len(l.X) < 2 || len(l.Y) < 2 || len(l.Z) != len(l.X)*len(l.Y)):
		return fmt.Errorf("a field of %d values on a grid of %d by %d", len(l.Z), len(l.X), len(l.Y))
	}
	return nil
}
