package table

import (
	"bytes"
	"encoding/csv"
	"io"
	"math"
	"strconv"
	"strings"
)

// rowReader reads the rows of a file, one after the other, be they text (textRows) or cells of an array (arrayRows).
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
	// ahead reads the rows behind the current one that are of finite numbers, as far as that can be done at once. The first of the others is next.
	ahead(l *layout) []stretch
}

// textRows are the rows of a text. A line is cut here, unless it is not as simple as most: encoding/csv reads those (quotedRow).
type textRows struct {
	lines
	separator    rune
	decimalComma bool
	blank        int // the first empty line since the last row, or 0: in a file of one column it is a missing value

	// Of the row:
	line    []byte
	extents []extent // its cells
	quoted  *quotedRow
	cells   []string // of a row that encoding/csv has read; nil of others

	stretches
}

// extent is where a cell is of a line, without quotation marks around it.
type extent struct{ from, to int }

func (t *textRows) next() (blank int, err error) {
	for {
		line, quoted, err := t.lines.next()
		if len(line) == 0 || err != nil && (!quoted || line[0] == '#') {
			return 0, err
		}
		if line[0] == '#' {
			continue
		}
		whole := withoutEnd(line)
		if quoted && (err != nil || !t.cutQuoted(whole)) {
			blank, isRow, err := t.readQuoted(line)
			if isRow || err != nil {
				return blank, err
			}
			continue
		}
		if !quoted {
			t.extents = cut(t.extents[:0], whole, byte(t.separator))
		}
		if blank, isRow := t.take(whole); isRow {
			return blank, nil
		}
	}
}

// cut appends the cells of a line without quotation marks.
func cut(extents []extent, line []byte, separator byte) []extent {
	from := 0
	for {
		i := bytes.IndexByte(line[from:], separator)
		if i < 0 {
			return append(extents, extent{from, len(line)})
		}
		extents = append(extents, extent{from, from + i})
		from += i + 1
	}
}

// cutQuoted cuts a line in which quotation marks are around whole cells, and reports whether it is one.
func (t *textRows) cutQuoted(line []byte) bool {
	separator := byte(t.separator)
	t.extents = t.extents[:0]
	for at := 0; at <= len(line); at++ {
		cell := extent{from: at}
		if at < len(line) && line[at] == '"' {
			cell.from++
			cell.to = cell.from + find(line[cell.from:], '"')
			if at = cell.to + 1; at > len(line) || at < len(line) && line[at] != separator {
				return false
			}
		} else {
			at += find(line[at:], separator)
			if cell.to = at; bytes.IndexByte(line[cell.from:at], '"') >= 0 {
				return false
			}
		}
		t.extents = append(t.extents, cell)
	}
	return true
}

// take takes the line that was cut as a row, unless it is empty, and returns the first empty line before it.
func (t *textRows) take(line []byte) (blank int, isRow bool) {
	t.line, t.cells = line, nil
	white := isBlank(line)
	if isRow = len(t.extents) > 1 || !isBlank(t.cell(0)); isRow {
		blank = t.rowBegins()
	}
	if white && t.blank == 0 {
		t.blank = t.at
	}
	return blank, isRow
}

// rowBegins notes that a row begins in this line, and returns the first empty line before it, or 0.
func (t *textRows) rowBegins() (blank int) {
	blank, t.blank, t.since = t.blank, 0, 0
	return blank
}

func (t *textRows) width() int {
	if t.cells != nil {
		return len(t.cells)
	}
	return len(t.extents)
}

func (t *textRows) text(c int) string {
	if t.cells != nil {
		return t.cells[c]
	}
	return string(t.cell(c))
}

// cell is one of a line that was cut.
func (t *textRows) cell(c int) []byte { return t.line[t.extents[c].from:t.extents[c].to] }

func (t *textRows) place(c int) (line, position int) {
	if t.cells != nil {
		return t.quoted.place(c)
	}
	position = t.extents[c].from + 1
	if position > 1 && t.line[position-2] == '"' {
		position--
	}
	return t.at, position
}

func (t *textRows) number(c int) float64 {
	if t.cells != nil {
		return parseNumber(t.cells[c], t.decimalComma)
	}
	return parseCell(t.cell(c), t.decimalComma)
}

// parseCell does what parseNumber does.
func parseCell(cell []byte, decimalComma bool) float64 {
	if x, ok := parseDecimal(cell, decimalComma); ok {
		return x
	}
	return parseNumber(string(cell), decimalComma)
}

// parseNumber returns a cell as a number, NaN where it is none.
func parseNumber(cell string, decimalComma bool) float64 {
	cell = decimal(cell, decimalComma)
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
