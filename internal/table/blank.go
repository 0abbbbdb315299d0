package table

import (
	"bytes"
	"io"
)

// blanks passes a text through and remembers its empty lines, which encoding/csv skips in silence: in a file of one
// column an empty line is a missing value.
type blanks struct {
	r     io.Reader
	line  int32   // of the next byte
	ink   bool    // whether that line has had a character other than white space
	lines []int32 // the empty lines that were not asked for yet
}

func newBlanks(r io.Reader) *blanks { return &blanks{r: r, line: 1} }

func (b *blanks) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	for rest := p[:n]; len(rest) > 0; {
		end := bytes.IndexByte(rest, '\n')
		if end < 0 {
			b.ink = b.ink || !isBlank(rest)
			break
		}
		if !b.ink && isBlank(rest[:end]) {
			b.lines = append(b.lines, b.line)
		}
		b.line, b.ink, rest = b.line+1, false, rest[end+1:]
	}
	return n, err
}

// before returns the first empty line before a given one, or 0, and forgets those.
func (b *blanks) before(line int32) (first int32) {
	for len(b.lines) > 0 && b.lines[0] < line {
		if first == 0 {
			first = b.lines[0]
		}
		b.lines = b.lines[1:]
	}
	return first
}

func isBlank(text []byte) bool {
	for _, c := range text {
		if c != ' ' && c != '\t' && c != '\r' {
			return false
		}
	}
	return true
}
