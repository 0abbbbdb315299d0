package table

import (
	"bytes"
	"fmt"
	"io"
)

// What is read into memory at most, whatever a file holds. A row is looked at in full to find the separator.
const (
	maxLine   = sampleSize // bytes of a line
	maxRow    = 1 << 24    // bytes from one row to the next: cells in quotes may have several lines
	maxValues = 1 << 28    // numbers: 2 GiB of them
	mostSaved = 1 << 37    // numbers where those that have no room in memory go to a file: a tebibyte
	mostRows  = 1<<31 - 2
)

// mostNumbers is how many are read.
func (o *Options) mostNumbers() int {
	if o.Space == nil {
		return maxValues
	}
	return mostSaved
}

// watch passes a text through and remembers its empty lines, which encoding/csv skips in silence: in a file of one column
// an empty line is a missing value. It ends a text whose lines or rows are too long to keep.
type watch struct {
	r     io.Reader
	line  int32   // of the next byte
	ink   bool    // whether that line has had a character other than white space
	lines []int32 // the empty lines that were not asked for yet

	inLine, inRow int // bytes since the last line break, and since the last row
}

func newWatch(r io.Reader) *watch { return &watch{r: r, line: 1} }

func (w *watch) Read(p []byte) (int, error) {
	n, err := w.r.Read(p)
	for rest := p[:n]; len(rest) > 0; {
		end := bytes.IndexByte(rest, '\n')
		if end < 0 {
			w.ink = w.ink || !isBlank(rest)
			w.inLine += len(rest)
			break
		}
		if !w.ink && isBlank(rest[:end]) {
			w.note(w.line)
		}
		if w.inLine += end; w.inLine > maxLine {
			break
		}
		w.line, w.ink, w.inLine, rest = w.line+1, false, 0, rest[end+1:]
	}
	w.inRow += n
	switch {
	case w.inLine > maxLine:
		return n, &tooLong{int(w.line), fmt.Sprintf("a line of more than %d bytes", maxLine)}
	case w.inRow > maxRow:
		return n, &tooLong{int(w.line), fmt.Sprintf("more than %d bytes without the end of a row: is a quotation mark not closed?", maxRow)}
	}
	return n, err
}

// tooLong ends a text that is too long to keep.
type tooLong struct {
	line int
	text string
}

func (e *tooLong) Error() string { return e.text }

// readAhead is how many bytes encoding/csv may be ahead of the row that it returns.
const readAhead = 1 << 12

// note remembers an empty line. Of those that were not asked for, the first and the ones that were read ahead count.
func (w *watch) note(line int32) {
	w.lines = append(w.lines, line)
	if len(w.lines) > 4*readAhead {
		w.lines = append(w.lines[:1], w.lines[len(w.lines)-readAhead:]...)
	}
}

// row notes that a row has been read, and returns the first empty line before it, or 0, and forgets those.
func (w *watch) row(line int32) (blank int32) {
	w.inRow = 0
	for len(w.lines) > 0 && w.lines[0] < line {
		if blank == 0 {
			blank = w.lines[0]
		}
		w.lines = w.lines[1:]
	}
	return blank
}

func isBlank(text []byte) bool {
	for _, c := range text {
		if c != ' ' && c != '\t' && c != '\r' {
			return false
		}
	}
	return true
}
