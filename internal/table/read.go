package table

import (
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/sngdgen/sngdgen/internal/disk"
)

// maxErrors is how many faults are reported before reading stops.
const maxErrors = 10

// reader reads the data rows of files, one after the other.
type reader struct {
	// Of the file that is being read:
	rows   rowReader
	layout *layout
	name   string
	begun  bool // whether a row was read, be it the header

	current int // number of the row that is being read, from 1
	table   *Table
	faults  Errors
	most    int // numbers that are kept

	collected int // how many chunks were full when memory was last collected

	// What becomes the fields of the table.
	values, weights *disk.List
	cells           chunks[int32]
	many            bool // there will be too many values to keep their positions
	lines, numbers  runs
	labels          []labels // of each column; nil where none is one of labels

	Options
}

// newReader returns a reader of files with the columns of a layout.
func newReader(l *layout, o Options) *reader {
	r := &reader{table: &Table{Name: o.Name, Header: l.header, Terms: l.terms, space: o.Space}, Options: o, most: o.mostNumbers()}
	r.values, r.weights = disk.NewList(o.Space, false), disk.NewList(o.Space, false)
	if slices.Contains(l.labels, true) {
		r.labels = make([]labels, len(l.columns))
	}
	for _, c := range l.columns {
		r.table.Columns = append(r.table.Columns, l.names[c])
	}
	for _, c := range l.ignored {
		r.table.Ignored = append(r.table.Ignored, l.names[c])
	}
	if l.unnamed >= 0 {
		r.table.Unnamed = l.names[l.unnamed]
	}
	return r
}

// file reads the rows of a file, from its first on or, begun, of what follows others. Its faults are collected, but for those after which there is no going
// on with any.
func (r *reader) file(name string, rows rowReader, l *layout, begun bool) error {
	r.name, r.layout, r.rows, r.begun = name, l, rows, begun
	r.table.files = append(r.table.files, fromFile{name, int32(r.current)})
	simple := r.simple()
	if text, ok := rows.(*textRows); ok {
		text.workers, text.share = cmp.Or(r.Workers, runtime.GOMAXPROCS(0)), cmp.Or(text.share, share)
	}
	for len(r.faults) < maxErrors && !r.Rows.endBefore(r.current+1) {
		blank, err := rows.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			r.malformed(err)
			break
		}
		r.missingBefore(blank)
		if r.begun || !r.layout.header {
			r.current++
			r.row()
		}
		r.begun = true
		if simple {
			for _, s := range rows.ahead(l) {
				r.take(&s)
			}
		}
		if err := r.check(); err != nil {
			return err
		}
		r.collect()
	}
	return nil
}

// simple reports whether each row of finite numbers is taken, whatever they are, and nothing else of it.
func (r *reader) simple() bool {
	return r.Rows == nil && len(r.layout.where) == 0 && r.layout.weights < 0 && r.labels == nil
}

// take takes the rows of a stretch.
func (r *reader) take(s *stretch) {
	if s.rows == 0 {
		return
	}
	r.values.AddAll(s.values)
	if r.keepsCells() {
		for _, position := range s.positions {
			r.cells.add(position)
		}
	}
	r.lines.addAll(int32(s.first), s.rows)
	r.numbers.addAll(int32(r.current+1), s.rows)
	r.current += s.rows
}

// check reports what there is no going on after.
func (r *reader) check() error {
	if r.current >= mostRows {
		return &Error{Name: r.Name, Text: fmt.Sprintf("more than %d rows", mostRows)}
	}
	if r.values.Len()+r.weights.Len() > r.most {
		return &Error{Name: r.Name, Text: fmt.Sprintf("more than %d numbers", r.most),
			Hint: fmt.Sprintf("choose rows: --rows 1:%d reads the first ones, --where COLUMN=VALUE those that meet a condition", r.fitting())}
	}
	return cmp.Or(r.values.Err(), r.weights.Err())
}

// fitting is a round number of rows that may be read.
func (r *reader) fitting() int {
	rows := r.most / max(1, r.values.Len()/max(1, r.numbers.count))
	power := int(math.Pow10(int(math.Log10(float64(rows)))))
	return rows / power * power
}

// collect frees the texts of the rows each time that a chunk is full: left alone, they would take as much memory as all that is
// kept before they are collected.
func (r *reader) collect() {
	if full := r.values.Chunks(); full > r.collected {
		r.collected = full
		runtime.GC()
	}
}

func (r *reader) finish() (_ *Table, err error) {
	if r.values.Len() <= mostCells && !r.many {
		r.table.cells = r.cells.joined()
	}
	r.table.lines, r.table.numbers = r.lines, r.numbers
	if r.table.Values, err = r.values.Join(); err != nil {
		return nil, err
	}
	if r.Weights != "" {
		if r.table.Weights, err = r.weights.Join(); err != nil {
			return nil, err
		}
	}
	if len(r.faults) >= maxErrors {
		r.faults = append(r.faults, &Error{Name: r.table.Name, Text: fmt.Sprintf("stopped after %d faults", maxErrors)})
	}
	if len(r.faults) > 0 {
		return nil, r.faults
	}
	r.sortLevels()
	switch r.table.Seen = r.current; {
	case r.table.Rows() > 0:
		return r.table, nil
	case r.current > 0 && r.table.Missing > 0:
		return nil, &Error{Name: r.table.Name, Text: fmt.Sprintf("no data: a value is missing in each of %s", count(r.table.Missing, "row"))}
	case r.current > 0:
		return nil, &Error{Name: r.table.Name, Text: fmt.Sprintf("no data: none of %s is chosen", count(r.current, "row"))}
	}
	return nil, &Error{Name: r.table.Name, Text: headerOnly}
}

// row takes one row of data.
func (r *reader) row() {
	if !r.Rows.has(r.current) {
		return
	}
	if r.rows.width() != r.layout.width {
		r.ragged()
		return
	}
	if !r.meets() {
		return
	}
	if r.SkipMissing && r.lacks() {
		r.table.Missing++
		return
	}
	for k, c := range r.layout.columns {
		if r.labels != nil && r.layout.labels[k] {
			r.values.Add(r.label(k, c))
		} else {
			r.values.Add(r.number(c))
		}
	}
	if c := r.layout.weights; c >= 0 {
		w := r.number(c)
		if w < 0 {
			r.fault(c, fmt.Sprintf("%v is a negative weight (%s)", w, r.place(c)), "weights count how often a row occurs")
		}
		r.weights.Add(w)
	}
	r.keepPlaces()
}

// keepPlaces keeps where the row stands, and its values, unless they are many.
func (r *reader) keepPlaces() {
	columns := r.layout.columns
	if r.keepsCells() {
		for _, c := range columns {
			_, position := r.rows.place(c)
			r.cells.add(int32(position))
		}
	}
	line, _ := r.rows.place(columns[len(columns)-1]) // not that of the row where a quoted cell before it has several lines
	r.lines.add(int32(line))
	r.numbers.add(int32(r.current))
}

// keepsCells reports whether positions are kept of so many values, and forgets those that were, if not.
func (r *reader) keepsCells() bool {
	if r.values.Len() <= mostCells && !r.many {
		return true
	}
	r.cells = chunks[int32]{}
	return false
}

// meets reports whether the row meets all conditions.
func (r *reader) meets() bool {
	for i, c := range r.layout.where {
		x, cell := r.rows.number(c), ""
		if math.IsNaN(x) {
			cell = strings.TrimSpace(decimal(r.rows.text(c), r.DecimalComma))
		}
		ok, err := r.Where[i].holds(x, cell)
		if err != nil {
			r.fault(c, fmt.Sprintf("%q is %v (%s)", clip(r.rows.text(c)), err, r.place(c)), "it is compared with "+clip(r.Where[i].value))
		}
		if !ok {
			return false
		}
	}
	return true
}

// lacks reports whether a value that is read is missing in the row.
func (r *reader) lacks() bool {
	return slices.ContainsFunc(r.layout.columns, r.missing) || r.layout.weights >= 0 && r.missing(r.layout.weights)
}

func (r *reader) missing(c int) bool {
	return math.IsNaN(r.rows.number(c)) && isMissing(strings.TrimSpace(r.rows.text(c)))
}

// number is a cell as a number; a fault is noted and read as zero.
func (r *reader) number(column int) float64 {
	x := r.rows.number(column)
	if x-x == 0 { // finite
		return x
	}
	text, hint := r.explain(column)
	r.fault(column, text, hint)
	return 0
}

// explain says why a cell is not a number that can be used.
func (r *reader) explain(column int) (text, hint string) {
	cell, place := strings.TrimSpace(decimal(r.rows.text(column), r.DecimalComma)), r.place(column)
	_, err := strconv.ParseFloat(cell, 64)
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
	missingHint  = "a missing value? --na=skip leaves such rows out"
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
	case r.numbers.count == 0 && !r.layout.header:
		return "if this is the header, choose its column by name with --column"
	case r.layout.header:
		return fmt.Sprintf("a mistyped number? --where='%s!=TEXT' leaves rows with such a text out", clip(r.layout.names[column]))
	}
	return ""
}

// headerOnly is the fault of a file without rows.
const headerOnly = "no data: the file has a header only"

const (
	commaHint   = "a decimal comma? --decimal-comma reads it; a comma between thousands is to be left out"
	decimalHint = "decimal commas? --decimal-comma reads them"
)

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
	return fmt.Sprintf("%s, row %d", r.layout.names[column], r.current)
}

// fault notes a fault in a column of the current row.
func (r *reader) fault(column int, text, hint string) {
	line, position := r.rows.place(column)
	r.faults = append(r.faults, &Error{Name: r.name, Line: line, Col: position, Text: text, Hint: hint})
}

func (r *reader) ragged() {
	cells, first := r.rows.width(), "first row"
	line, _ := r.rows.place(0)
	if r.layout.header {
		first = "header"
	}
	hint := ""
	if r.layout.width == 1 && cells == 2 && r.layout.separator == ',' {
		hint = decimalHint
	}
	r.faults = append(r.faults, &Error{Name: r.name, Line: line,
		Text: fmt.Sprintf("%s here, but the %s has %d", count(cells, "cell"), first, r.layout.width), Hint: hint})
}

// missingBefore notes an empty line before a row of a file with one column.
func (r *reader) missingBefore(blank int) {
	if blank == 0 || r.layout.width > 1 || !r.begun {
		return
	}
	switch r.current++; {
	case !r.Rows.has(r.current):
	case r.SkipMissing:
		r.table.Missing++
	default:
		r.faults = append(r.faults, &Error{Name: r.name, Line: int(blank), Col: 1,
			Text: fmt.Sprintf("empty cell (%s)", r.place(0)), Hint: missingHint})
	}
}

// malformed notes a fault of the CSV itself, after which there is no going on.
func (r *reader) malformed(err error) {
	r.faults = append(r.faults, malformed(r.name, err))
}

// malformed is a fault of the CSV itself.
func malformed(name string, err error) *Error {
	e := &Error{Name: name, Text: err.Error()}
	var p *csv.ParseError
	var long *tooLong
	if errors.As(err, &long) {
		e.Line = long.line
	} else if errors.As(err, &p) {
		e.Line, e.Col, e.Text = p.Line, p.Column, p.Err.Error()
	}
	if errors.Is(err, csv.ErrQuote) || errors.Is(err, csv.ErrBareQuote) {
		e.Hint = `within quotes, write a quote twice: "a ""b"" c"`
	}
	return e
}

// clip shortens a long cell for a message.
func clip(cell string) string {
	const most = 40
	if len(cell) <= most {
		return cell
	}
	return strings.ToValidUTF8(cell[:most], "") + "..."
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
