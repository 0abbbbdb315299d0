package table

import (
	"encoding/csv"
	"errors"
)

// quotedRow lets encoding/csv read the rows that have quotation marks not only around their cells: those of several lines, those with such
// a mark in a cell, and wrong ones. It is given the lines of these rows and no others, so that it counts those alone.
type quotedRow struct {
	lines  *lines
	csv    *csv.Reader
	rest   []byte // of the line that is being read
	given  int    // lines that have been read
	before int    // lines of the text that are before the row, less those that were given
	blank  int    // the first empty line within the row, or 0
}

// readQuoted reads the row that begins in a line.
func (t *textRows) readQuoted(line []byte) (blank int, isRow bool, err error) {
	if t.quoted == nil {
		t.quoted = &quotedRow{lines: &t.lines}
		t.quoted.csv = newCSV(t.quoted, t.separator)
		t.quoted.csv.ReuseRecord = true
	}
	if t.cells, err = t.quoted.read(line); err != nil {
		return 0, false, err
	}
	if isBlankRow(t.cells) {
		return 0, false, nil
	}
	blank = t.rowBegins()
	t.blank = t.quoted.blank // an empty line within a row counts as one before the next
	return blank, true, nil
}

// isBlankRow tells whether a row is a cell of white space, which counts as an empty line.
func isBlankRow(row []string) bool {
	return len(row) == 1 && isBlank([]byte(row[0]))
}

// read returns the cells of the row that begins in a line.
func (q *quotedRow) read(line []byte) ([]string, error) {
	q.before, q.blank = q.lines.at-1-q.given, 0
	q.give(line)
	cells, err := q.csv.Read()
	if err != nil {
		q.shift(err)
	}
	return cells, err
}

// shift makes lines of the text of those in an error.
func (q *quotedRow) shift(err error) {
	var p *csv.ParseError
	if errors.As(err, &p) {
		p.StartLine += q.before
		p.Line += q.before
	}
}

func (q *quotedRow) give(line []byte) {
	q.rest = line
	q.given++
}

// place is where a cell stands.
func (q *quotedRow) place(c int) (line, position int) {
	line, position = q.csv.FieldPos(c)
	return line + q.before, position
}

// Read reads the line, and those behind it as they are asked for.
func (q *quotedRow) Read(p []byte) (int, error) {
	if len(q.rest) == 0 {
		line, _, err := q.lines.next()
		if len(line) == 0 {
			return 0, err
		}
		if q.blank == 0 && isBlank(withoutEnd(line)) {
			q.blank = q.lines.at
		}
		q.give(line)
	}
	n := copy(p, q.rest)
	q.rest = q.rest[n:]
	return n, nil
}
