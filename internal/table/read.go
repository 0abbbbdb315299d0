package table

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// maxErrors is how many faults are reported before reading stops.
const maxErrors = 10

// reader reads the data rows of a file whose layout is known.
type reader struct {
	csv     *csv.Reader
	blanks  *blanks
	missing int // empty lines of a file with one column: rows without a value
	layout  *layout
	table   *Table
	faults  Errors
	begun   bool // whether a row was read, be it the header
}

func newReader(in io.Reader, l *layout, name string) *reader {
	r := &reader{blanks: newBlanks(in), layout: l, table: &Table{Name: name, Header: l.header}}
	r.csv = newCSV(r.blanks, l.separator)
	r.csv.ReuseRecord = true
	for _, c := range l.columns {
		r.table.Columns = append(r.table.Columns, l.names[c])
	}
	for _, c := range l.ignored {
		r.table.Ignored = append(r.table.Ignored, l.names[c])
	}
	return r
}

func (r *reader) read() (*Table, error) {
	for len(r.faults) < maxErrors {
		row, err := r.csv.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			r.malformed(err)
			break
		}
		if isBlankRow(row) {
			continue
		}
		line, _ := r.csv.FieldPos(0)
		r.missingBefore(line)
		if r.begun || !r.layout.header {
			r.row(row, line)
		}
		r.begun = true
	}
	return r.finish()
}

func (r *reader) finish() (*Table, error) {
	if len(r.faults) >= maxErrors {
		r.faults = append(r.faults, &Error{Name: r.table.Name, Text: fmt.Sprintf("stopped after %d faults", maxErrors)})
	}
	if len(r.faults) > 0 {
		return nil, r.faults
	}
	if r.table.Rows() == 0 {
		return nil, &Error{Name: r.table.Name, Text: headerOnly}
	}
	return r.table, nil
}

// row takes one row of data.
func (r *reader) row(row []string, line int) {
	if len(row) != r.layout.width {
		r.ragged(len(row), line)
		return
	}
	for _, c := range r.layout.columns {
		r.table.Values = append(r.table.Values, r.number(row, c))
		at, column := r.csv.FieldPos(c)
		line = at // differs from that of the row where a quoted cell before it has several lines
		r.table.cells = append(r.table.cells, int32(column))
	}
	if c := r.layout.weights; c >= 0 {
		w := r.number(row, c)
		if w < 0 {
			r.fault(c, fmt.Sprintf("%v is a negative weight (%s)", w, r.place(c)), "weights count how often a row occurs")
		}
		r.table.Weights = append(r.table.Weights, w)
	}
	r.table.lines = append(r.table.lines, int32(line))
}

// number parses one cell; a fault is noted and read as zero.
func (r *reader) number(row []string, column int) float64 {
	cell := row[column]
	x, err := strconv.ParseFloat(cell, 64)
	if err != nil { // spaces around a number are rare enough to be tried second
		cell = strings.TrimSpace(cell)
		x, err = strconv.ParseFloat(cell, 64)
	}
	if err == nil && !math.IsNaN(x) && !math.IsInf(x, 0) {
		return x
	}
	text, hint := r.explain(cell, column, err)
	r.fault(column, text, hint)
	return 0
}

// explain says why a cell is not a number that can be used.
func (r *reader) explain(cell string, column int, err error) (text, hint string) {
	place := r.place(column)
	switch {
	case cell == "":
		return fmt.Sprintf("empty cell (%s)", place), missingHint
	case err == nil && strings.Contains(strings.ToLower(cell), "inf"):
		return fmt.Sprintf("%s is not a finite number (%s)", cell, place), infiniteHint
	case err == nil:
		return fmt.Sprintf("%s is not a finite number (%s)", cell, place), missingHint
	case errors.Is(err, strconv.ErrRange):
		return fmt.Sprintf("%s is too large for a number (%s)", clip(cell), place), ""
	}
	return fmt.Sprintf("%q is not a number (%s)", clip(cell), place), r.hint(cell, column)
}

const (
	missingHint  = "a missing value? remove its row or fill it in"
	infiniteHint = "remove its row, or put the number that was meant"
)

// hint guesses what was meant by a cell that is not a number.
func (r *reader) hint(cell string, column int) string {
	switch {
	case isMissing(cell):
		return missingHint
	case cell == r.layout.names[column]:
		return "the header is repeated here"
	case hasComma(cell):
		return commaHint
	case areNumbers(strings.Fields(cell)):
		return "separate columns by comma, semicolon or tab"
	case r.table.Rows() == 0 && !r.layout.header:
		return "if this is the header, choose its column by name with --column"
	}
	return ""
}

// headerOnly is the fault of a file without rows.
const headerOnly = "no data: the file has a header only"

const commaHint = "write numbers with a decimal point and without a separator of thousands"

// hasComma tells whether a cell is a number but for a comma, be it for the decimals or the thousands.
func hasComma(cell string) bool {
	return strings.Contains(cell, ",") && isNumber(strings.Replace(cell, ",", ".", 1))
}

func areNumbers(words []string) bool {
	for _, w := range words {
		if !isNumber(w) {
			return false
		}
	}
	return true
}

// place names a cell as the reader of the data thinks of it; the line and position are before the message.
func (r *reader) place(column int) string {
	return fmt.Sprintf("%s, row %d", r.layout.names[column], r.table.Rows()+r.missing+1)
}

// fault notes a fault in a column of the current row.
func (r *reader) fault(column int, text, hint string) {
	line, position := r.csv.FieldPos(column)
	r.faults = append(r.faults, &Error{Name: r.table.Name, Line: line, Col: position, Text: text, Hint: hint})
}

func (r *reader) ragged(cells, line int) {
	first := "first row"
	if r.layout.header {
		first = "header"
	}
	r.faults = append(r.faults, &Error{Name: r.table.Name, Line: line,
		Text: fmt.Sprintf("%s here, but the %s has %d", count(cells, "cell"), first, r.layout.width)})
}

// missingBefore notes an empty line before a row of a file with one column.
func (r *reader) missingBefore(line int) {
	blank := r.blanks.before(int32(line))
	if blank == 0 || r.layout.width > 1 || !r.begun {
		return
	}
	r.faults = append(r.faults, &Error{Name: r.table.Name, Line: int(blank), Col: 1,
		Text: fmt.Sprintf("empty cell (%s)", r.place(0)), Hint: missingHint})
	r.missing++
}

// isBlankRow tells whether a row is a line of white space, which counts as an empty line.
func isBlankRow(row []string) bool {
	return len(row) == 1 && isBlank([]byte(row[0]))
}

// malformed notes a fault of the CSV itself, after which there is no going on.
func (r *reader) malformed(err error) {
	e := &Error{Name: r.table.Name, Text: err.Error()}
	var p *csv.ParseError
	if errors.As(err, &p) {
		e.Line, e.Col, e.Text = p.Line, p.Column, p.Err.Error()
	}
	if errors.Is(err, csv.ErrQuote) || errors.Is(err, csv.ErrBareQuote) {
		e.Hint = `within quotes, write a quote twice: "a ""b"" c"`
	}
	r.faults = append(r.faults, e)
}

// clip shortens a long cell for a message.
func clip(cell string) string {
	const most = 40
	if len(cell) <= most {
		return cell
	}
	return cell[:most] + "..."
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
