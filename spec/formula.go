package spec

import (
	"bytes"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/sngdgen/sngdgen/expr/syntax"
	"github.com/sngdgen/sngdgen/internal/diag"
)

// Formula is a formula of a spec with its place in the file. Formulas that a package outside builds by hand have no
// place, and the zero Span for every range.
type Formula struct {
	Text string
	Expr syntax.Expr
	File *diag.Source

	at []int // offset in the file of each byte of Text, and of its end
}

// Span maps the range of a node of the formula to the file.
func (f *Formula) Span(e syntax.Expr) diag.Span {
	if e == nil {
		return f.Whole()
	}
	return f.Range(e.Span())
}

// Range maps a range of bytes of Text to the file.
func (f *Formula) Range(start, end int) diag.Span {
	return place{f.Text, f.File, f.at}.span(start, end)
}

// Whole returns the span of the whole formula.
func (f *Formula) Whole() diag.Span { return f.Range(0, len(f.Text)) }

// place is the text of a YAML scalar with the offset in the file of each of its bytes: escapes, indentation and folded
// lines make the two differ.
type place struct {
	text string
	src  *diag.Source
	at   []int
}

// span maps a range of bytes of the text to the file.
func (p place) span(start, end int) diag.Span {
	if p.src == nil || len(p.at) == 0 {
		return diag.Span{}
	}
	start = min(max(start, 0), len(p.at)-1)
	end = min(max(end, start), len(p.at)-1)
	if start == end {
		return diag.Span{Source: p.src, Start: p.at[start], End: p.at[start]}
	}
	return diag.Span{Source: p.src, Start: p.at[start], End: p.at[end-1] + 1}
}

// whole returns the span of the whole text.
func (p place) whole() diag.Span { return p.span(0, len(p.text)) }

// part returns a part of the text as a place of its own.
func (p place) part(start, end int) place {
	return place{p.text[start:end], p.src, p.at[start : end+1]}
}

// trim returns the text without white space at its ends.
func (p place) trim() place {
	left := strings.TrimLeft(p.text, " \t\r\n")
	right := strings.TrimRight(left, " \t\r\n")
	start := len(p.text) - len(left)
	return p.part(start, start+len(right))
}

// locate finds the bytes of a scalar in the file.
func locate(src *diag.Source, n *yaml.Node) place {
	start := src.Offset(n.Line, n.Column)
	var at []int
	switch {
	case n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		at = literalOffsets(src.Text, start, n.Value)
	case n.Style&yaml.DoubleQuotedStyle != 0:
		at = flowOffsets(src.Text, start+1, n.Value, '"')
	case n.Style&yaml.SingleQuotedStyle != 0:
		at = flowOffsets(src.Text, start+1, n.Value, '\'')
	default:
		at = flowOffsets(src.Text, start, n.Value, 0)
	}
	for i := range at {
		at[i] = min(at[i], len(src.Text))
	}
	return place{n.Value, src, at}
}

// flowOffsets walks along a plain or quoted scalar and its value. A line break with the blanks around it is one byte
// of the value. Of the escapes in quotes only the doubled single quote is known, since formulas are refused the others.
func flowOffsets(text []byte, p int, value string, quote byte) []int {
	at := make([]int, 0, len(value)+1)
	runEnd, folded := p, false // the run of blanks last looked at: where it ends, and whether it holds a line break
	for i := range len(value) {
		at = append(at, p)
		if p >= runEnd {
			runEnd = blankEnd(text, p)
			folded = bytes.IndexByte(text[min(p, len(text)):runEnd], '\n') >= 0
		}
		switch {
		case isBlank(value[i]) && folded && p < runEnd:
			p = runEnd
		case p < len(text) && text[p] == value[i]:
			p++
			if quote == '\'' && value[i] == quote {
				p++
			}
		}
	}
	return append(at, p)
}

func isBlank(b byte) bool { return b == ' ' || b == '\t' || b == '\r' || b == '\n' }

// blankEnd returns the end of the white space that starts at p.
func blankEnd(text []byte, p int) int {
	p = min(p, len(text))
	for p < len(text) && isBlank(text[p]) {
		p++
	}
	return p
}

// literalOffsets walks along a block scalar, whose header starts at p, and its value, line by line.
func literalOffsets(text []byte, p int, value string) []int {
	at := make([]int, 0, len(value)+1)
	indent := -1
	_, p = line(text, p)
	for len(value) > 0 {
		body, rest, _ := strings.Cut(value, "\n")
		raw, next := line(text, p)
		if indent < 0 && body != "" {
			indent = max(len(raw)-len(body), 0)
		}
		for j := range len(body) {
			at = append(at, p+indent+j)
		}
		if len(body) < len(value) {
			at = append(at, p+len(raw))
		} else {
			p += len(raw) // the value ends without a line break: it ends here
			next = p
		}
		value, p = rest, next
	}
	return append(at, p)
}

// line returns the line that starts at p, without its break, and where the next one starts.
func line(text []byte, p int) (raw string, next int) {
	p = min(p, len(text))
	body, _, found := bytes.Cut(text[p:], []byte("\n"))
	next = p + len(body)
	if found {
		next++
	}
	return string(bytes.TrimSuffix(body, []byte("\r"))), next
}
