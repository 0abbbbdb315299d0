//go:build !js

package picture

import (
	"image/color"
	"math"

	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// outlined is a canvas for PDF that draws letters as areas, circles as curves, and colours that others show through as they are: the
// fonts of the one below have neither bold faces nor letters outside of Latin ones, its arcs leave their circle, and it takes colours
// for darker that are not opaque.
type outlined struct{ vg.Canvas }

// straight is a colour whose parts are not multiplied with its opacity.
type straight struct{ color.NRGBA }

func (c straight) RGBA() (r, g, b, a uint32) {
	each := func(x uint8) uint32 { return uint32(x) * 0x101 }
	return each(c.R), each(c.G), each(c.B), each(c.A)
}

// SetColor implements vg.Canvas.
func (c outlined) SetColor(of color.Color) {
	c.Canvas.SetColor(straight{color.NRGBAModel.Convert(of).(color.NRGBA)})
}

// Fill implements vg.Canvas.
func (c outlined) Fill(path vg.Path) { c.Canvas.Fill(curved(path)) }

// Stroke implements vg.Canvas.
func (c outlined) Stroke(path vg.Path) { c.Canvas.Stroke(curved(path)) }

// curved is a path whose arcs are cubic curves, one for each quarter of a circle, which are off by 0.03 % of the radius.
func curved(path vg.Path) (out vg.Path) {
	for _, part := range path {
		if part.Type != vg.ArcComp {
			out = append(out, part)
			continue
		}
		at := func(angle float64, along vg.Length) vg.Point {
			sin, cos := math.Sincos(angle)
			return vg.Point{X: part.Pos.X + part.Radius*vg.Length(cos) - along*vg.Length(sin),
				Y: part.Pos.Y + part.Radius*vg.Length(sin) + along*vg.Length(cos)}
		}
		pieces := max(1, int(math.Ceil(math.Abs(part.Angle)/(math.Pi/2)-1e-9)))
		step := part.Angle / float64(pieces)
		reach := part.Radius * vg.Length(4.0/3*math.Tan(step/4))
		if len(out) == 0 {
			out.Move(at(part.Start, 0))
		} else {
			out.Line(at(part.Start, 0))
		}
		for i := range pieces {
			from := part.Start + float64(i)*step
			out.CubeTo(at(from, reach), at(from+step, -reach), at(from+step, 0))
		}
	}
	return out
}

// outlineSize is the size, in pixels, at which outlines are loaded: the larger, the less they are rounded.
const outlineSize = 1024

// FillString implements vg.Canvas.
func (c outlined) FillString(f font.Face, at vg.Point, text string) {
	var b sfnt.Buffer
	ppem := fixed.I(outlineSize)
	scale := f.Font.Size / outlineSize / 64
	x := at.X
	for _, r := range text {
		glyph, err := f.Face.GlyphIndex(&b, r)
		if err != nil {
			continue
		}
		segments, err := f.Face.LoadGlyph(&b, glyph, ppem, nil)
		if err == nil {
			place := func(p fixed.Point26_6) vg.Point {
				return vg.Point{X: x + vg.Length(p.X)*scale, Y: at.Y - vg.Length(p.Y)*scale}
			}
			c.Fill(outline(segments, place))
		}
		if advance, err := f.Face.GlyphAdvance(&b, glyph, ppem, 0); err == nil {
			x += vg.Length(advance) * scale
		}
	}
}

// outline is the path around a letter.
func outline(segments sfnt.Segments, place func(fixed.Point26_6) vg.Point) (path vg.Path) {
	for i, s := range segments {
		switch s.Op {
		case sfnt.SegmentOpMoveTo:
			if i > 0 {
				path.Close()
			}
			path.Move(place(s.Args[0]))
		case sfnt.SegmentOpLineTo:
			path.Line(place(s.Args[0]))
		case sfnt.SegmentOpQuadTo:
			path.QuadTo(place(s.Args[0]), place(s.Args[1]))
		case sfnt.SegmentOpCubeTo:
			path.CubeTo(place(s.Args[0]), place(s.Args[1]), place(s.Args[2]))
		}
	}
	if len(path) > 0 {
		path.Close()
	}
	return path
}
