//go:build !js

package picture

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// mostLetters is how long a text on a picture is.
const mostLetters = 300

// clean makes a text of a stranger one that can be written in XML, on one line, and is not longer than it may be.
func clean(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsControl(r) || unicode.IsSpace(r):
			return ' '
		case r == '\ufffe' || r == '\uffff':
			return utf8.RuneError
		}
		return r
	}, strings.ToValidUTF8(text, string(utf8.RuneError)))
	if runes := []rune(text); len(runes) > mostLetters {
		return string(runes[:mostLetters-1]) + "…"
	}
	return text
}

// cleaned is a copy of a panel all of whose texts are clean.
func (p *Panel) cleaned() *Panel {
	q := *p
	q.Title, q.Note = clean(p.Title), clean(p.Note)
	q.X, q.Y = p.X.cleaned(), p.Y.cleaned()
	q.Layers = append([]Layer(nil), p.Layers...)
	for i := range q.Layers {
		q.Layers[i].Name = clean(q.Layers[i].Name)
	}
	q.Grid = nil
	for _, row := range p.Grid {
		var own []*Panel
		for _, cell := range row {
			if cell != nil {
				cell = cell.cleaned()
			}
			own = append(own, cell)
		}
		q.Grid = append(q.Grid, own)
	}
	return &q
}

func (a Axis) cleaned() Axis {
	a.Label = clean(a.Label)
	ticks := a.Ticks
	a.Ticks = nil
	for _, t := range ticks {
		a.Ticks = append(a.Ticks, Tick{t.At, clean(t.Label)})
	}
	return a
}
