//go:build !js

package picture

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"time"

	"codeberg.org/go-pdf/fpdf"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgpdf"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Formats are the names of what Write writes.
var Formats = []string{"svg", "png", "pdf"}

// dots are the pixels of an inch in PNG: enough for print in a column, and for screens of today.
const dots = 144

func init() {
	// The same panels are to give the same bytes: no time, no random order.
	fpdf.SetDefaultCreationDate(time.Unix(0, 0).UTC())
	fpdf.SetDefaultModificationDate(time.Unix(0, 0).UTC())
	fpdf.SetDefaultCatalogSort(true)
}

// Write writes a figure in one of Formats. The error says that there is no such format, what cannot be drawn, or what w says.
func Write(w io.Writer, f *Figure, format string) error {
	for i := range f.Panels {
		if err := f.Panels[i].Check(); err != nil {
			return err
		}
	}
	pg := layOut(f)
	switch format {
	case "svg":
		text, err := pg.svg(f)
		if err == nil {
			_, err = io.WriteString(w, text)
		}
		return err
	case "png":
		c := vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(pg.w, pg.h), vgimg.UseDPI(dots))}
		pg.draw(draw.New(c), f)
		_, err := c.WriteTo(w)
		return err
	case "pdf":
		c := vgpdf.New(pg.w, pg.h)
		pg.draw(draw.NewCanvas(outlined{c}, pg.w, pg.h), f)
		_, err := c.WriteTo(w)
		return err
	}
	return fmt.Errorf("picture: no format %q: there are %s", format, strings.Join(Formats, ", "))
}

// Inline returns a panel as an <svg> element for HTML, with its text as title for those who cannot see it.
func Inline(p *Panel) (string, error) {
	if err := p.Check(); err != nil {
		return "", err
	}
	f := &Figure{Panels: []Panel{*p}}
	text, err := layOut(f).svg(f)
	if err != nil {
		return "", err
	}
	return text[strings.Index(text, "<svg"):], nil
}

// page is the layout of a figure: a place for each panel, whose y goes down from the top.
type page struct {
	w, h   vg.Length
	places []vg.Rectangle
}

// layOut puts panels into two columns, each where there is more room; those that are wider stand below all before them.
func layOut(f *Figure) *page {
	pg := new(page)
	var bottom [2]vg.Length // of the columns
	if f.Title != "" {
		bottom[0] = titleSize + 4 + 3*gap
		bottom[1] = bottom[0]
	}
	for i := range f.Panels {
		w, h := f.Panels[i].size()
		column := 0
		if bottom[1] < bottom[0] {
			column = 1
		}
		if w > panelWidth {
			column, bottom[0] = 0, max(bottom[0], bottom[1])
			bottom[1] = bottom[0] + h
		}
		from := vg.Point{X: vg.Length(column) * panelWidth, Y: bottom[column]}
		pg.places = append(pg.places, vg.Rectangle{Min: from, Max: vg.Point{X: from.X + w, Y: from.Y + h}})
		bottom[column] = from.Y + h
		pg.w, pg.h = max(pg.w, from.X+w), max(pg.h, from.Y+h)
	}
	return pg
}

// draw draws the figure on a canvas of the size of the page, whose y goes up.
func (pg *page) draw(c draw.Canvas, f *Figure) {
	c.SetColor(Colors[len(Colors)-1])
	c.FillPolygon(paper, []vg.Point{{}, {X: pg.w}, {X: pg.w, Y: pg.h}, {Y: pg.h}})
	if f.Title != "" {
		c.FillText(textStyle(titleSize+3, true, black), vg.Point{X: margin, Y: pg.h - margin}, clean(f.Title))
	}
	for i, place := range pg.places {
		own := c
		own.Rectangle = vg.Rectangle{Min: vg.Point{X: place.Min.X, Y: pg.h - place.Max.Y}, Max: vg.Point{X: place.Max.X, Y: pg.h - place.Min.Y}}
		drawPanel(own, f.Panels[i].cleaned())
	}
}

// svg is the figure as a document.
func (pg *page) svg(f *Figure) (string, error) {
	c := vgsvg.New(pg.w, pg.h)
	pg.draw(draw.New(c), f)
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		return "", err
	}
	// A machine without the font takes another one of the same widths.
	text := strings.ReplaceAll(b.String(), "font-family:Liberation Sans", "font-family:'Liberation Sans',Arial,Helvetica,sans-serif")
	at := strings.Index(text, "<svg")
	end := at + strings.Index(text[at:], ">") + 1
	var title strings.Builder
	title.WriteString("\n<title>")
	if err := xml.EscapeText(&title, []byte(clean(describe(f)))); err != nil {
		return "", err
	}
	title.WriteString("</title>")
	return text[:end] + title.String() + text[end:], nil
}

// describe says in words what there is to see.
func describe(f *Figure) string {
	var words []string
	if f.Title != "" {
		words = append(words, f.Title)
	}
	for i := range f.Panels {
		words = append(words, f.Panels[i].Title)
	}
	return strings.Join(words, "; ")
}
