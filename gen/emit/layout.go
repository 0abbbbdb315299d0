package emit

import (
	"bytes"
	"go/format"
	"slices"
	"strings"
)

// layout formats a file, and breaks its long lines.
func layout(source []byte) ([]byte, error) {
	// Jennifer has spaces in front of lines, where the formatter would not see that a comment is about the next line.
	formatted, err := format.Source(bytes.ReplaceAll(source, []byte("\n "), []byte("\n")))
	if err != nil {
		return nil, err
	}
	chunks := chunksOf(formatted)
	for i, c := range chunks {
		if chunks[i], err = broken(c); err != nil {
			return nil, err
		}
	}
	return bytes.Join(chunks, []byte("\n")), nil
}

// mostBreaks is how often lines are broken: what goes on in another line is indented by the formatter, and may be too long again.
const mostBreaks = 5

// broken breaks the long lines of a formatted chunk, which is formatted again then.
func broken(chunk []byte) ([]byte, error) {
	var clause []byte
	if !bytes.HasPrefix(chunk, []byte(header)) {
		clause = []byte("package p\n\n")
	}
	for range mostBreaks {
		again := wrap(chunk)
		if bytes.Equal(again, chunk) {
			break
		}
		formatted, err := format.Source(slices.Concat(clause, again)) // a whole file, in which comments are about declarations
		if err != nil {
			return nil, err
		}
		chunk = formatted[len(clause):]
	}
	return chunk, nil
}

// chunksOf takes a formatted file apart at blank lines between declarations: each is formatted again by itself, as most have no long
// lines. A comment that stands alone, such as the header, is left with what follows.
func chunksOf(formatted []byte) (chunks [][]byte) {
	for at := 0; ; {
		n := bytes.Index(formatted[at:], []byte("\n\n"))
		if n < 0 {
			return append(chunks, formatted)
		}
		before, after := formatted[:at+n+1], formatted[at+n+2:]
		at += n + 2
		if !isInside(after) && !endsInComment(before) {
			chunks, formatted, at = append(chunks, before), after, 0
		}
	}
}

// isInside reports whether what follows a blank line is in a declaration, whose last line may have a blank line before it.
func isInside(text []byte) bool { return strings.IndexByte("\t})", text[0]) >= 0 }

// endsInComment reports whether the last line is a comment that is in no declaration.
func endsInComment(lines []byte) bool {
	last := bytes.LastIndexByte(lines[:len(lines)-1], '\n') + 1
	return bytes.HasPrefix(lines[last:], []byte("//"))
}
