package table

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
)

// What is read into memory at most, whatever a file holds. A row is looked at in full to find the separator.
const (
	maxLine   = sampleSize  // bytes of a line
	buffered  = maxLine + 1 // bytes of a text that are in memory: a line and its end
	maxRow    = 1 << 24     // bytes from one row to the next: cells in quotes may have several lines
	maxValues = 1 << 28     // numbers: 2 GiB of them
	mostSaved = 1 << 37     // numbers where those that have no room in memory go to a file: a tebibyte
	mostRows  = 1<<31 - 2
)

// mostNumbers is how many are read.
func (o *Options) mostNumbers() int {
	if o.Space == nil {
		return maxValues
	}
	return mostSaved
}

// lines are those of a text, none of which is copied. They end where one, or what is between two rows, is too long to keep.
type lines struct {
	in     *bufio.Reader
	text   []byte // what is buffered of the lines that were not returned yet
	taken  int    // bytes that are buffered before it
	quote  int    // where the first quotation mark of the text is; its length where there is none
	at     int    // number of the line that was returned last, from 1
	since  int    // bytes since the last row
	failed error  // behind the text
}

// next returns the next line with its end, and whether a quotation mark is in it. The line is gone when next is called again. An error
// may come with a line that is not whole, and comes again.
func (l *lines) next() (line []byte, quoted bool, err error) {
	n := bytes.IndexByte(l.text, '\n') + 1
	if n == 0 {
		if n, err = l.more(); n == 0 {
			return nil, false, err
		}
	}
	line, quoted = l.text[:n], l.quote < n
	l.text, l.taken = l.text[n:], l.taken+n
	if l.quote -= n; quoted {
		l.quote = find(l.text, '"')
	}
	l.at++
	if l.since += n; l.since > maxRow && err == nil {
		err = &tooLong{l.at, fmt.Sprintf("more than %d bytes without the end of a row: is a quotation mark not closed?", maxRow)}
		l.text, l.failed = nil, err
	}
	return line, quoted, err
}

// skip goes on behind lines of n bytes, which are rows and have no quotation mark.
func (l *lines) skip(n, rows int) {
	l.text, l.taken = l.text[n:], l.taken+n
	l.quote -= n
	l.at += rows
}

// more reads on up to the end of a line, and returns the length of the line.
func (l *lines) more() (int, error) {
	for l.failed == nil {
		l.in.Discard(l.taken)
		l.taken = 0
		before := len(l.text)
		_, l.failed = l.in.Peek(before + 1)
		l.text, _ = l.in.Peek(l.in.Buffered())
		added := l.text[before:]
		if l.quote == before {
			l.quote += find(added, '"')
		}
		if end := bytes.IndexByte(added, '\n'); end >= 0 {
			return before + end + 1, nil
		}
		if l.failed == bufio.ErrBufferFull {
			l.failed = &tooLong{l.at + 1, fmt.Sprintf("a line of more than %d bytes", maxLine)}
		}
	}
	if l.failed == io.EOF && len(l.text) > 0 {
		return len(l.text), nil
	}
	return len(l.text), l.failed
}

// find returns the place of a byte in a text, or the length of a text without it.
func find(text []byte, b byte) int {
	if i := bytes.IndexByte(text, b); i >= 0 {
		return i
	}
	return len(text)
}

// withoutEnd returns a line without its end.
func withoutEnd(line []byte) []byte {
	if n := len(line); n > 0 && line[n-1] == '\n' {
		line = line[:n-1]
	}
	if n := len(line); n > 0 && line[n-1] == '\r' {
		line = line[:n-1]
	}
	return line
}

// tooLong ends a text that is too long to keep.
type tooLong struct {
	line int
	text string
}

func (e *tooLong) Error() string { return e.text }

func isBlank(text []byte) bool {
	for _, c := range text {
		if c != ' ' && c != '\t' && c != '\r' {
			return false
		}
	}
	return true
}
