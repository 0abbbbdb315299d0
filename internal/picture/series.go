//go:build !js

package picture

import (
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// color is that of a layer.
func (l *Layer) color() color.NRGBA {
	if l.Faint {
		return faint(Colors[l.Color])
	}
	return Colors[l.Color]
}

// fill is the colour of areas, which others show through.
func (l *Layer) fill() color.NRGBA {
	c := Colors[l.Color]
	if c.A = 0x70; l.Faint {
		c.A = 0x38
	}
	return c
}

func (l *Layer) stroke() draw.LineStyle {
	s := draw.LineStyle{Color: l.color(), Width: lineWidth}
	if l.Thin {
		s.Width = thinWidth
	}
	if l.Dash {
		s.Dashes = []vg.Length{4, 3}
	}
	return s
}

func (l *Layer) glyph(size float64) draw.GlyphStyle {
	return draw.GlyphStyle{Color: l.color(), Radius: vg.Length(pointSize * size), Shape: draw.CircleGlyph{}}
}

// grid are pale lines behind the layers.
type grid struct{}

func (*grid) Plot(c draw.Canvas, p *plot.Plot) {
	style := draw.LineStyle{Color: pale, Width: 0.6}
	tx, ty := p.Transforms(&c)
	for _, t := range p.X.Tick.Marker.Ticks(p.X.Min, p.X.Max) {
		if x := tx(t.Value); t.Label != "" && x >= c.Min.X && x <= c.Max.X {
			c.StrokeLine2(style, x, c.Min.Y, x, c.Max.Y)
		}
	}
	for _, t := range p.Y.Tick.Marker.Ticks(p.Y.Min, p.Y.Max) {
		if y := ty(t.Value); t.Label != "" && y >= c.Min.Y && y <= c.Max.Y {
			c.StrokeLine2(style, c.Min.X, y, c.Max.X, y)
		}
	}
}

// series draws a layer.
type series struct {
	*Layer
	logX, logY bool
}

// scaled is a number on an axis.
func scaled(x float64, log bool) float64 {
	if log {
		return math.Log10(x)
	}
	return x
}

// Plot implements plot.Plotter.
func (s *series) Plot(c draw.Canvas, p *plot.Plot) {
	onX, onY := p.Transforms(&c)
	tx := func(x float64) vg.Length { return onX(scaled(x, s.logX)) }
	ty := func(y float64) vg.Length { return onY(scaled(y, s.logY)) }
	at := func(x, y float64) vg.Point { return vg.Point{X: tx(x), Y: ty(y)} }
	switch s.Kind {
	case Bars:
		for i := range s.From {
			corners := []vg.Point{at(s.From[i], s.Low[i]), at(s.To[i], s.Low[i]), at(s.To[i], s.High[i]), at(s.From[i], s.High[i])}
			if area := c.ClipPolygonXY(corners); len(area) > 0 {
				c.FillPolygon(s.fill(), area)
			}
		}
	case Band:
		var above, below []vg.Point
		for i, x := range s.X {
			above, below = append(above, at(x, s.High[i])), append(below, at(x, s.Low[i]))
		}
		around := thinned(below)
		slices.Reverse(around)
		c.FillPolygon(s.fill(), c.ClipPolygonXY(append(thinned(above), around...)))
	case Line, Steps:
		for _, piece := range s.pieces(at) {
			c.StrokeLines(s.stroke(), c.ClipLinesXY(thinned(piece))...)
		}
	case Points:
		s.dots(c, at)
	case Errors:
		for i, x := range s.X {
			c.StrokeLines(s.stroke(), c.ClipLinesXY([]vg.Point{at(x, s.Low[i]), at(x, s.High[i])})...)
		}
	case Across:
		for _, y := range s.Y {
			if h := ty(y); h >= c.Min.Y && h <= c.Max.Y {
				c.StrokeLine2(s.stroke(), c.Min.X, h, c.Max.X, h)
			}
		}
	case Upright:
		for _, x := range s.X {
			if v := tx(x); v >= c.Min.X && v <= c.Max.X {
				c.StrokeLine2(s.stroke(), v, c.Min.Y, v, c.Max.Y)
			}
		}
	case Contour:
		for _, level := range s.Levels {
			for _, line := range Contours(s.Layer, level) {
				var piece []vg.Point
				for _, p := range line {
					piece = append(piece, at(p[0], p[1]))
				}
				c.StrokeLines(s.stroke(), c.ClipLinesXY(thinned(piece))...)
			}
		}
	}
}

// dots draws the points of a layer as one path, which is a third of the size of a file with a path for each.
func (s *series) dots(c draw.Canvas, at func(x, y float64) vg.Point) {
	var path vg.Path
	for i := range s.X {
		size := 1.0
		if len(s.Size) > 0 {
			size = s.Size[i]
		}
		pt := at(s.X[i], s.Y[i])
		if !c.Contains(pt) {
			continue
		}
		radius := s.glyph(size).Radius
		path.Move(vg.Point{X: pt.X + radius, Y: pt.Y})
		path.Arc(pt, radius, 0, 2*math.Pi)
		path.Close()
	}
	if len(path) > 0 {
		c.SetColor(s.color())
		c.Fill(path)
	}
}

// pieces are those of a line between its gaps.
func (s *series) pieces(at func(x, y float64) vg.Point) (out [][]vg.Point) {
	var piece []vg.Point
	for i, x := range s.X {
		if math.IsNaN(x) || math.IsNaN(s.Y[i]) {
			out, piece = append(out, piece), nil
			continue
		}
		if s.Kind == Steps && i > 0 && len(piece) > 0 {
			piece = append(piece, at(x, s.Y[i-1]))
		}
		piece = append(piece, at(x, s.Y[i]))
	}
	return append(out, piece)
}

// extent is the range of what the layers draw along an axis; the first end is above the second where they draw nothing.
func (p *Panel) extent(vertical bool) [2]float64 {
	low, high := math.Inf(1), math.Inf(-1)
	axis := p.X
	if vertical {
		axis = p.Y
	}
	for i := range p.Layers {
		for _, f := range p.Layers[i].along(vertical) {
			for _, x := range f {
				if math.IsNaN(x) || axis.Log && !(x > 0) {
					continue
				}
				low, high = math.Min(low, x), math.Max(high, x)
			}
		}
	}
	return [2]float64{low, high}
}

// along are the numbers of a layer along an axis.
func (l *Layer) along(vertical bool) [][]float64 {
	if vertical {
		return [][]float64{l.Y, l.Low, l.High}
	}
	return [][]float64{l.X, l.From, l.To}
}

// clings reports at which ends of an axis nothing is left free: at 0 where bars or areas stand on it.
func (p *Panel) clings(vertical bool) (ends [2]bool) {
	if !vertical {
		return ends
	}
	e := p.extent(true)
	for i := range p.Layers {
		if k := p.Layers[i].Kind; k == Bars || k == Band {
			ends[0] = ends[0] || e[0] == 0
			ends[1] = ends[1] || e[1] == 0
		}
	}
	return ends
}
