package table

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"io"
	"math"
	"strconv"
	"strings"
)

// rowReader reads the rows of a file, one after the other, be they text (textRows) or numbers (arrayRows).
type rowReader interface {
	// look returns the beginning of the file, which it does not consume.
	look(o Options) (*sample, error)
	// next goes on to the next row, and returns io.EOF behind the last. The first empty line that was skipped on the way is blank, 0 for none.
	next() (blank int, err error)
	// width is how many cells the row has. They are counted from 0:
	width() int
	// number is a cell as a number, NaN where it is none.
	number(c int) float64
	// text is a cell as it is written.
	text(c int) string
	// place is where a cell stands: its line, and its position there, both from 1.
	place(c int) (line, position int)
}

// textRows are the rows of a text.
type textRows struct {
	in           *bufio.Reader
	separator    rune
	decimalComma bool

	csv   *csv.Reader // once the separator is known
	watch *watch
	row   []string
}

// begin reads rows from here on, with a separator.
func (t *textRows) begin() {
	t.watch = newWatch(t.in)
	t.csv = newCSV(t.watch, t.separator)
	t.csv.ReuseRecord = true
}

func (t *textRows) next() (blank int, err error) {
	if t.csv == nil {
		t.begin()
	}
	for {
		if t.row, err = t.csv.Read(); err != nil {
			return 0, err
		}
		if !isBlankRow(t.row) {
			line, _ := t.csv.FieldPos(0)
			return int(t.watch.row(int32(line))), nil
		}
	}
}

// isBlankRow tells whether a row is a line of white space, which counts as an empty line.
func isBlankRow(row []string) bool {
	return len(row) == 1 && isBlank([]byte(row[0]))
}

func (t *textRows) width() int                       { return len(t.row) }
func (t *textRows) text(c int) string                { return t.row[c] }
func (t *textRows) place(c int) (line, position int) { return t.csv.FieldPos(c) }

func (t *textRows) number(c int) float64 {
	cell := decimal(t.row[c], t.decimalComma)
	x, err := strconv.ParseFloat(cell, 64)
	if err != nil { // spaces around a number are rare enough to be tried second
		if x, err = strconv.ParseFloat(strings.TrimSpace(cell), 64); err != nil {
			return math.NaN()
		}
	}
	return x
}

// decimal returns a cell with a decimal point, where its comma is one.
func decimal(cell string, decimalComma bool) string {
	if decimalComma && hasComma(strings.TrimSpace(cell)) {
		return strings.Replace(cell, ",", ".", 1)
	}
	return cell
}

// parseRows returns the first rows of a text, up to a fault, which is reported when the data are read.
func parseRows(head []byte, separator rune) [][]string {
	r := newCSV(bytes.NewReader(head), separator)
	var rows [][]string
	for len(rows) < sampleRows {
		row, err := r.Read()
		if err != nil {
			break
		}
		rows = append(rows, row)
	}
	return rows
}

func newCSV(r io.Reader, separator rune) *csv.Reader {
	c := csv.NewReader(r)
	c.Comma = separator
	c.Comment = '#'
	c.FieldsPerRecord = -1 // a ragged row gets a message of ours
	return c
}
