//go:build !js

package picture_test

import (
	"bytes"
	"encoding/xml"
	"image/color"
	"image/png"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/sngdgen/sngdgen/internal/picture"
)

// every is a panel with a layer of each kind.
func every() picture.Panel {
	x := []float64{1, 2, 3, 4}
	return picture.Panel{Name: "every", Title: "Every kind", Note: "with a note", X: picture.Axis{Label: "along"}, Y: picture.Axis{Label: "upwards"},
		Layers: []picture.Layer{
			{Kind: picture.Bars, Name: "bars", From: x, To: []float64{2, 3, 4, 5}, Low: []float64{0, 0, 0, 0}, High: x},
			{Kind: picture.Band, Name: "band", Color: 1, X: x, Low: []float64{0, 1, 0, 1}, High: []float64{2, 3, 2, 3}},
			{Kind: picture.Line, Name: "line", Color: 2, X: []float64{1, 2, math.NaN(), 4, 5}, Y: []float64{1, 2, 0, 3, 1}},
			{Kind: picture.Steps, Name: "steps", Color: 3, X: x, Y: x},
			{Kind: picture.Points, Name: "points", Color: 4, X: x, Y: x, Size: []float64{1, 2, 1, 2}},
			{Kind: picture.Errors, Name: "errors", Color: 5, X: x, Low: []float64{0, 0, 0, 0}, High: x},
			{Kind: picture.Across, Name: "across", Color: 6, Y: []float64{2}},
			{Kind: picture.Upright, Name: "upright", Color: 7, X: []float64{2}, Dash: true},
			{Kind: picture.Contour, Name: "contour", Color: 1, X: x, Y: x, Z: []float64{0, 0, 0, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 0, 0, 0}, Levels: []float64{0.5}},
		}}
}

// elements counts the elements of a document, and collects its texts.
func elements(t *testing.T, svg []byte) (counts map[string]int, texts string) {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(svg))
	d.Strict = true
	counts = map[string]int{}
	for {
		token, err := d.Token()
		if err == io.EOF {
			return counts, texts
		}
		if err != nil {
			t.Fatalf("not well-formed: %v", err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			counts[token.Name.Local]++
		case xml.CharData:
			texts += string(token) + "\n"
		}
	}
}

func write(t *testing.T, f *picture.Figure, format string) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := picture.Write(&b, f, format); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestSVG: a document is well-formed, has all texts, and loses paths when a layer is missing.
func TestSVG(t *testing.T) {
	p := every()
	all, texts := elements(t, write(t, &picture.Figure{Title: "Whole", Panels: []picture.Panel{p}}, "svg"))
	for _, want := range []string{"Whole", "Every kind", "with a note", "along", "upwards", "bars", "band", "line", "steps", "points", "errors", "across", "upright", "contour"} {
		if !strings.Contains(texts, want) {
			t.Errorf("no text %q", want)
		}
	}
	if all["title"] != 1 {
		t.Errorf("%d titles for those who do not see", all["title"])
	}
	for i := range p.Layers {
		q := every()
		q.Layers[i].Name = ""
		with, _ := elements(t, write(t, &picture.Figure{Panels: []picture.Panel{q}}, "svg"))
		q.Layers = append(q.Layers[:i:i], q.Layers[i+1:]...)
		without, _ := elements(t, write(t, &picture.Figure{Panels: []picture.Panel{q}}, "svg"))
		if with["path"] <= without["path"] {
			t.Errorf("%s draws nothing", p.Layers[i].Kind)
		}
	}
}

// TestSameBytes: the same figure gives the same bytes in every format.
func TestSameBytes(t *testing.T) {
	f := &picture.Figure{Panels: []picture.Panel{every(), every()}}
	for _, format := range picture.Formats {
		if !bytes.Equal(write(t, f, format), write(t, f, format)) {
			t.Errorf("%s differs from itself", format)
		}
	}
	if !bytes.HasPrefix(write(t, f, "pdf"), []byte("%PDF-")) {
		t.Error("no PDF")
	}
}

// TestPixels: what is drawn in a colour is there, in a picture of the size of two panels beside each other.
func TestPixels(t *testing.T) {
	p := picture.Panel{Name: "one", X: picture.Axis{Label: "x"}, Layers: []picture.Layer{
		{Kind: picture.Points, Color: 2, X: []float64{1, 2, 3}, Y: []float64{1, 2, 3}, Size: []float64{3, 3, 3}}}}
	im, err := png.Decode(bytes.NewReader(write(t, &picture.Figure{Panels: []picture.Panel{p, p}}, "png")))
	if err != nil {
		t.Fatal(err)
	}
	if s := im.Bounds().Size(); s.X != 1728 || s.Y != 576 {
		t.Errorf("%v", s)
	}
	count := 0
	for y := range im.Bounds().Dy() {
		for x := range im.Bounds().Dx() {
			if color.NRGBAModel.Convert(im.At(x, y)) == picture.Colors[2] {
				count++
			}
		}
	}
	if count < 6*200 {
		t.Errorf("%d pixels of six points", count)
	}
}

// TestEscaped: texts of strangers are texts.
func TestEscaped(t *testing.T) {
	bad := `<script>alert("1")</script> & "quotes" </text>`
	p := every()
	p.Title, p.Note, p.X.Label, p.Y.Label, p.Layers[0].Name = bad, bad, bad, bad, bad
	p.X.Ticks = []picture.Tick{{At: 2, Label: bad}}
	counts, texts := elements(t, write(t, &picture.Figure{Title: bad, Panels: []picture.Panel{p}}, "svg"))
	if counts["script"] != 0 || !strings.Contains(texts, "<script>") {
		t.Errorf("%v", counts)
	}
	inline, err := picture.Inline(&p)
	if err != nil || strings.Contains(inline, "<script") || !strings.HasPrefix(inline, "<svg") || strings.Contains(inline, "http:") &&
		!strings.Contains(inline, `xmlns="http:`) {
		t.Errorf("%v: %.300s", err, inline)
	}
}

// TestControlCharacters: what XML has no way to write is no reason to write no XML.
func TestControlCharacters(t *testing.T) {
	p := every()
	p.Title, p.X.Label = "a\x00b\x1bc\xffd", "\x01"
	elements(t, write(t, &picture.Figure{Panels: []picture.Panel{p}}, "svg"))
	for _, format := range []string{"png", "pdf"} {
		write(t, &picture.Figure{Panels: []picture.Panel{p}}, format)
	}
}

// TestNothing: panels without anything, with one value, and with values of every size are drawn.
func TestNothing(t *testing.T) {
	for _, log := range []bool{false, true} {
		for _, x := range [][]float64{nil, {1}, {1e300, 1e-300}, {5, 5, 5}, {1, 1 + 1e-15}, {1e15, 1e15 + 1}, {3e-9, 4e-9}} {
			p := picture.Panel{Name: "x", X: picture.Axis{Log: log}, Y: picture.Axis{Log: log, Whole: !log},
				Layers: []picture.Layer{{Kind: picture.Line, X: x, Y: x}, {Kind: picture.Points, X: x, Y: x}}}
			for _, format := range picture.Formats {
				if format == "svg" {
					elements(t, write(t, &picture.Figure{Panels: []picture.Panel{p}}, format))
				} else {
					write(t, &picture.Figure{Panels: []picture.Panel{p}}, format)
				}
			}
		}
	}
}

// TestGrid: panels of a grid are drawn, empty places are not, and the name of a series is in the legend once.
func TestGrid(t *testing.T) {
	one, two := every(), every()
	one.X.Label, two.X.Label = "west", "east"
	p := picture.Panel{Name: "grid", Title: "Grid", Grid: [][]*picture.Panel{{&one, nil}, {&one, &two}}}
	_, texts := elements(t, write(t, &picture.Figure{Panels: []picture.Panel{p}}, "svg"))
	for text, want := range map[string]int{"west": 1, "east": 1, "bars": 1, "contour": 1} {
		if n := strings.Count(texts, text+"\n"); n != want {
			t.Errorf("%q stands there %d times, want %d", text, n, want)
		}
	}
}

func TestCheck(t *testing.T) {
	x := []float64{1, 2}
	for name, p := range map[string]picture.Panel{
		"without a name": {},
		"no such kind":   {Name: "a", Layers: []picture.Layer{{Kind: "pie"}}},
		"as many":        {Name: "a", Layers: []picture.Layer{{Kind: picture.Line, X: x}}},
		"finite":         {Name: "a", Layers: []picture.Layer{{Kind: picture.Points, X: x, Y: []float64{1, math.NaN()}}}},
		"no color":       {Name: "a", Layers: []picture.Layer{{Kind: picture.Line, Color: 99}}},
		"sizes":          {Name: "a", Layers: []picture.Layer{{Kind: picture.Points, X: x, Y: x, Size: x[:1]}}},
		"grid of":        {Name: "a", Grid: [][]*picture.Panel{{{Name: "b", Layers: []picture.Layer{{Kind: picture.Contour, X: x, Y: x, Z: x}}}}}},
		"too many":       {Name: "a", Layers: []picture.Layer{{Kind: picture.Across, Y: make([]float64, 1<<20)}}},
	} {
		if err := picture.Write(io.Discard, &picture.Figure{Panels: []picture.Panel{p}}, "svg"); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := picture.Write(io.Discard, new(picture.Figure), "gif"); err == nil || !strings.Contains(err.Error(), "svg, png, pdf") {
		t.Errorf("%v", err)
	}
}
