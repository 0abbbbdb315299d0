//go:build !js

package picture

import (
	"image/color"
	"math"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Sizes of what is on a page.
const (
	panelWidth  = 6 * vg.Inch
	panelHeight = 4 * vg.Inch
	leastCell   = 1.5 * vg.Inch // of a grid of panels
	mostCell    = 2 * vg.Inch
	gridHead    = 45 // points, for title and legend
	margin      = 0.12 * vg.Inch
	gap         = 4 // points between lines of text

	titleSize  = 12
	noteSize   = 9
	labelSize  = 10
	tickSize   = 9
	lineWidth  = 1.6
	thinWidth  = 0.9
	pointSize  = 1.8
	legendMark = 18 // points
)

// Texts are set by the metrics of a font that is part of the program: a page does not depend on the machine.
const typeface = "Liberation"

func textStyle(size vg.Length, bold bool, c color.Color) draw.TextStyle {
	f := font.Font{Typeface: typeface, Variant: "Sans", Size: size}
	if bold {
		f.Weight = xfont.WeightBold
	}
	return draw.TextStyle{Color: c, Font: f, XAlign: draw.XLeft, YAlign: draw.YTop, Handler: text.Plain{Fonts: font.DefaultCache}}
}

var (
	black = color.NRGBA{0x20, 0x20, 0x20, 0xff}
	gray  = color.NRGBA{0x60, 0x60, 0x60, 0xff}
	paper = color.NRGBA{0xff, 0xff, 0xff, 0xff}
	pale  = color.NRGBA{0xe4, 0xe4, 0xe4, 0xff}
)

// size is that of a panel on a page.
func (p *Panel) size() (w, h vg.Length) {
	if len(p.Grid) == 0 {
		return panelWidth, panelHeight
	}
	columns := 0
	for _, row := range p.Grid {
		columns = max(columns, len(row))
	}
	w = max(panelWidth, vg.Length(columns)*leastCell)
	return w, vg.Length(len(p.Grid))*min(mostCell, w/vg.Length(columns)) + gridHead
}

// drawPanel draws a panel with its title and legend.
func drawPanel(c draw.Canvas, p *Panel) {
	c = draw.Crop(c, margin, -margin, margin, -margin)
	c = heading(c, p)
	c = legend(c, p)
	if len(p.Grid) > 0 {
		drawGrid(c, p)
		return
	}
	newPlot(p, labelSize, tickSize).Draw(c)
}

// heading draws title and note at the top, and returns what is left below.
func heading(c draw.Canvas, p *Panel) draw.Canvas {
	lines := []struct {
		text  string
		style draw.TextStyle
	}{{p.Title, textStyle(titleSize, true, black)}, {p.Note, textStyle(noteSize, false, gray)}}
	for _, l := range lines {
		for _, line := range wrapped(l.text, l.style, c.Max.X-c.Min.X) {
			c.FillText(l.style, vg.Point{X: c.Min.X, Y: c.Max.Y}, line)
			c.Max.Y -= l.style.Font.Size + gap
		}
	}
	c.Max.Y -= gap / 2
	return c
}

// wrapped cuts a text into lines that are not wider than there is room.
func wrapped(text string, style draw.TextStyle, room vg.Length) (lines []string) {
	line := ""
	for _, word := range fields(text) {
		longer := word
		if line != "" {
			longer = line + " " + word
		}
		if line != "" && style.Width(longer) > room {
			lines = append(lines, line)
			longer = word
		}
		line = longer
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}

// named are the layers that are in the legend, of a grid each name once.
func (p *Panel) named() (out []*Layer) {
	seen := map[string]bool{}
	add := func(q *Panel) {
		for i := range q.Layers {
			if l := &q.Layers[i]; l.Name != "" && !seen[l.Name] {
				seen[l.Name] = true
				out = append(out, l)
			}
		}
	}
	add(p)
	for _, row := range p.Grid {
		for _, q := range row {
			if q != nil {
				add(q)
			}
		}
	}
	return out
}

// legend draws a row, or several, of marks with their names, and returns what is left below. One series by itself needs none.
func legend(c draw.Canvas, p *Panel) draw.Canvas {
	entries := p.named()
	if len(entries) == 0 {
		return c
	}
	style := textStyle(noteSize, false, black)
	x, height := c.Min.X, style.Font.Size+gap
	for _, l := range entries {
		w := legendMark + gap + style.Width(l.Name) + 3*gap
		if x > c.Min.X && x+w > c.Max.X+3*gap {
			x = c.Min.X
			c.Max.Y -= height
		}
		mark := draw.Crop(c, x-c.Min.X, 0, 0, 0)
		mark.Max = vg.Point{X: x + legendMark, Y: c.Max.Y}
		mark.Min.Y = c.Max.Y - style.Font.Size
		l.mark(mark)
		c.FillText(style, vg.Point{X: x + legendMark + gap, Y: c.Max.Y + 1}, l.Name)
		x += w
	}
	c.Max.Y -= height + gap
	return c
}

// mark draws a layer as in the legend.
func (l *Layer) mark(c draw.Canvas) {
	mid := (c.Min.Y + c.Max.Y) / 2
	switch l.Kind {
	case Bars, Band:
		c.FillPolygon(l.fill(), []vg.Point{c.Min, {X: c.Max.X, Y: c.Min.Y}, c.Max, {X: c.Min.X, Y: c.Max.Y}})
	case Points:
		c.DrawGlyph(l.glyph(1.2), vg.Point{X: (c.Min.X + c.Max.X) / 2, Y: mid})
	case Errors:
		x := (c.Min.X + c.Max.X) / 2
		c.StrokeLine2(l.stroke(), x, c.Min.Y, x, c.Max.Y)
	default:
		c.StrokeLine2(l.stroke(), c.Min.X, mid, c.Max.X, mid)
	}
}

// drawGrid draws the panels of a grid with their axes in line.
func drawGrid(c draw.Canvas, p *Panel) {
	rows, columns := len(p.Grid), 0
	for _, row := range p.Grid {
		columns = max(columns, len(row))
	}
	plots := make([][]*plot.Plot, rows)
	for j, row := range p.Grid {
		plots[j] = make([]*plot.Plot, columns)
		for i, q := range row {
			if q == nil {
				continue
			}
			own := *q
			if i > 0 && !p.Loose {
				own.Y.Label = ""
			}
			if j < rows-1 && !p.Loose {
				own.X.Label = ""
			}
			plots[j][i] = newPlot(&own, noteSize, tickSize-2)
		}
	}
	tiles := draw.Tiles{Rows: rows, Cols: columns, PadX: 2 * gap, PadY: 2 * gap}
	for j, canvases := range plot.Align(plots, tiles, c) {
		for i, canvas := range canvases {
			if plots[j][i] != nil {
				plots[j][i].Draw(canvas)
			}
		}
	}
}

// newPlot makes the axes of a panel and adds its layers.
func newPlot(p *Panel, label, tick vg.Length) *plot.Plot {
	out := plot.New()
	out.BackgroundColor = nil // that of the page shows through; a transparent one has no valid name in SVG
	dress(&out.X, p.X, label, tick)
	dress(&out.Y, p.Y, label, tick)
	if !p.X.Bare && !p.Y.Bare {
		out.Add(&grid{})
	}
	for i := range p.Layers {
		out.Add(&series{&p.Layers[i], p.X.Log, p.Y.Log})
	}
	limit(&out.X, p.X, p.extent(false), p.clings(false))
	limit(&out.Y, p.Y, p.extent(true), p.clings(true))
	return out
}

// dress gives an axis its fonts and ticks. Logarithmic axes are linear ones of logarithms to base 10.
func dress(a *plot.Axis, from Axis, label, tick vg.Length) {
	count := wantedTicks
	if tick < tickSize { // in a small panel
		count = fewTicks
	}
	a.Label.Text = from.Label
	a.Label.TextStyle = textStyle(label, false, black)
	a.Label.TextStyle.XAlign, a.Label.TextStyle.YAlign = draw.XCenter, draw.YBottom
	align := a.Tick.Label
	a.Tick.Label = textStyle(tick, false, black)
	a.Tick.Label.XAlign, a.Tick.Label.YAlign = align.XAlign, align.YAlign
	a.LineStyle.Color, a.Tick.LineStyle.Color = gray, gray
	a.Padding, a.Label.Padding = 2, 3
	switch {
	case len(from.Ticks) > 0:
		var ticks plot.ConstantTicks
		for _, t := range from.Ticks {
			ticks = append(ticks, plot.Tick{Value: t.At, Label: t.Label})
		}
		a.Tick.Marker = ticks
	case from.Bare:
		a.Tick.Marker = plot.ConstantTicks{}
		a.Tick.Length = 0
	case from.Log:
		a.Tick.Marker = decades{}
	case from.Whole:
		a.Tick.Marker = whole(count)
	default:
		a.Tick.Marker = few(count)
	}
}

// limit sets the ends of an axis, with some room beside what is drawn; not at an end at which bars stand.
func limit(a *plot.Axis, from Axis, extent [2]float64, clings [2]bool) {
	low, high := extent[0], extent[1]
	if from.Min != 0 || from.Max != 0 {
		if a.Min, a.Max = from.Min, from.Max; from.Log {
			a.Min, a.Max = math.Log10(a.Min), math.Log10(a.Max)
		}
		return
	}
	if !(low <= high) {
		low, high = 0, 1
		if from.Log {
			low, high = 1, 10
		}
	}
	if from.Log {
		low, high = math.Log10(low), math.Log10(high)
	}
	if low == high {
		low, high = low-0.5-math.Abs(low)*room, high+0.5+math.Abs(high)*room
	}
	width := high - low
	if a.Min = low; !clings[0] {
		a.Min -= room * width
	}
	if a.Max = high; !clings[1] {
		a.Max += room * width
	}
}

// room is the part of an axis that is left free at each end.
const room = 0.04
