package diag

import (
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxExcerpt is the number of runes of a source line that are shown; longer lines are shown around the span.
const maxExcerpt = 160

// Render writes the diagnostics, sorted, each with its line, a caret and its hint.
func (l List) Render(w io.Writer) error {
	_, err := io.WriteString(w, l.String())
	return err
}

// String returns what Render writes.
func (l List) String() string {
	var b strings.Builder
	for _, d := range l.All() {
		b.WriteString(d.String())
	}
	if l.dropped > 0 {
		fmt.Fprintf(&b, "and %d more\n", l.dropped)
	}
	return b.String()
}

// String renders one diagnostic, with a line break at the end:
//
//	negbin.yaml:7:10: unknown name "alhpa" in map
//	   7 | map: {r: alhpa/(1 - beta), s: beta}
//	     |          ^^^^^
//	hint: did you mean "alpha"? surrogate gamma has alpha, beta
func (d *Diagnostic) String() string {
	var b strings.Builder
	if !d.Span.IsZero() {
		b.WriteString(printable(d.Span.String()) + ": ")
	}
	if d.Severity != Error {
		b.WriteString(d.Severity.String() + ": ")
	}
	b.WriteString(printable(d.Message) + "\n")
	if !d.Span.IsZero() && len(d.Span.Source.Text) > 0 {
		writeExcerpt(&b, d.Span)
	}
	if d.Hint != "" {
		b.WriteString("hint: " + printable(d.Hint) + "\n")
	}
	return b.String()
}

// writeExcerpt writes the line on which the span starts, and carets under the part of the span on that line.
func writeExcerpt(b *strings.Builder, span Span) {
	start, end := span.bounds()
	line, _ := span.Source.Position(start)
	text := span.Source.Line(line)
	lineStart := span.Source.starts()[line-1]
	from := min(start-lineStart, len(text))
	to := min(max(end-lineStart, from), len(text))

	before, marked, after := window([]rune(text[:from]), []rune(text[from:to]), []rune(text[to:]))
	gutter := fmt.Sprintf("%4d", line)
	fmt.Fprintf(b, "%s | %s\n", gutter, strings.TrimRight(visible(before)+visible(marked)+visible(after), " \t"))
	fmt.Fprintf(b, "%s | %s%s\n", strings.Repeat(" ", len(gutter)), blanks(before), carets(marked))
}

// window cuts a long line down to the surroundings of the marked part.
func window(before, marked, after []rune) (b, m, a []rune) {
	if len(before)+len(marked)+len(after) <= maxExcerpt {
		return before, marked, after
	}
	const part = maxExcerpt / 3
	if len(before) > part {
		before = append([]rune("…"), before[len(before)-part:]...)
	}
	if len(marked) > part {
		return before, marked[:part], []rune("…")
	}
	if len(after) > part {
		after = append(after[:part:part], '…')
	}
	return before, marked, after
}

// visible returns the runes as they are printed: control characters would move the cursor, and are replaced.
func visible(runes []rune) string {
	var b strings.Builder
	for _, r := range runes {
		b.WriteRune(visibleRune(r))
	}
	return b.String()
}

func visibleRune(r rune) rune {
	if r == '\t' || r == ' ' {
		return r
	}
	if !unicode.IsGraphic(r) || unicode.In(r, unicode.Zs) {
		return utf8.RuneError
	}
	return r
}

// blanks returns white space as wide as the runes: a tab stays a tab, since only the terminal knows its width.
func blanks(runes []rune) string {
	var b strings.Builder
	for _, r := range runes {
		if r == '\t' {
			b.WriteByte('\t')
			continue
		}
		b.WriteString(strings.Repeat(" ", width(r)))
	}
	return b.String()
}

// carets returns the underline of the marked runes, at least one caret long.
func carets(runes []rune) string {
	n := 0
	for _, r := range runes {
		n += width(r)
	}
	return strings.Repeat("^", max(n, 1))
}

// width returns the number of terminal cells a rune takes: none for a combining mark, two for East Asian wide ones.
func width(r rune) int {
	switch r = visibleRune(r); {
	case unicode.In(r, unicode.Mn, unicode.Me):
		return 0
	case r >= 0x1100 && unicode.In(r, unicode.Han, unicode.Hangul, unicode.Hiragana, unicode.Katakana),
		r >= 0xff01 && r <= 0xff60, r >= 0x1f300 && r <= 0x1faff:
		return 2
	}
	return 1
}

// printable returns a one-line text without control characters.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\r' || r == '\t' {
			return ' '
		}
		return visibleRune(r)
	}, s)
}
