package table

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"strconv"
	"strings"
	"unicode"
)

// sampleRows is the number of rows from which the columns of numbers are told.
const sampleRows = 100

// layout is what is known of a file before its data are read.
type layout struct {
	separator rune
	header    bool
	width     int      // cells in a row
	names     []string // of all columns
	columns   []int    // the chosen columns, from 0
	weights   int      // the column of weights, or -1
	ignored   []int    // the columns that are not numbers, where all that are were chosen
}

// detect finds the layout of a file from its beginning, which it does not consume.
func detect(in *bufio.Reader, o Options) (*layout, error) {
	head, err := in.Peek(sampleSize)
	if err == nil {
		head = wholeLines(head)
	}
	separator, rows := separate(head)
	if len(rows) == 0 {
		return nil, &Error{Name: o.Name, Text: "no data: the file is empty"}
	}
	s := &sample{name: o.Name, rows: rows}
	o.Columns = s.split(o.Columns)
	l := &layout{separator: separator, width: len(rows[0])}
	if err := s.choose(l, o); err != nil {
		return nil, err
	}
	l.header = s.hasHeader(l, o)
	l.names = s.names(l.header)
	return l, s.checkChoice(l)
}

// wholeLines drops the last line of a beginning that was cut off.
func wholeLines(head []byte) []byte {
	if i := bytes.LastIndexByte(head, '\n'); i >= 0 {
		return head[:i+1]
	}
	return head
}

// separate finds the separator: the one that cuts most rows into as many cells as the first, several at least. Tab and
// semicolon go before comma, which may also be the decimal sign of the numbers between them.
func separate(head []byte) (rune, [][]string) {
	separator, rows, best := ',', parseRows(head, ','), 0.0
	for _, candidate := range []rune{'\t', ';', ','} {
		cut := parseRows(head, candidate)
		if share := evenShare(cut); share > best {
			separator, rows, best = candidate, cut, share
		}
	}
	return separator, rows
}

// evenShare returns the share of rows that have as many cells as the first, or 0 when the first has only one.
func evenShare(rows [][]string) float64 {
	if len(rows) == 0 || len(rows[0]) < 2 {
		return 0
	}
	even := 0
	for _, row := range rows {
		if len(row) == len(rows[0]) {
			even++
		}
	}
	return float64(even) / float64(len(rows))
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

// sample is the beginning of a file, cut into cells.
type sample struct {
	name string // of the file
	rows [][]string
}

// hasHeader tells whether the first row holds names. It does when a column was chosen by a name in it, and it does not
// when a chosen cell is a number; otherwise a word above numbers, or in a chosen column, makes it one.
func (s *sample) hasHeader(l *layout, o Options) bool {
	chosen := l.columns
	if l.weights >= 0 {
		chosen = append(chosen[:len(chosen):len(chosen)], l.weights)
	}
	if s.chosenByName(o) {
		return true
	}
	for _, c := range chosen {
		if isNumber(s.rows[0][c]) {
			return false
		}
	}
	for _, c := range chosen {
		if isTitle(s.rows[0][c]) {
			return true
		}
	}
	for c, cell := range s.rows[0] {
		if isTitle(cell) && s.numeric(c) {
			return true
		}
	}
	return false
}

func (s *sample) chosenByName(o Options) bool {
	for _, spec := range append(o.Columns[:len(o.Columns):len(o.Columns)], o.Weights) {
		if spec != "" && s.index(spec) < 0 {
			return true
		}
	}
	return false
}

// names returns a name for each column.
func (s *sample) names(header bool) []string {
	names := make([]string, len(s.rows[0]))
	for c, cell := range s.rows[0] {
		switch cell = strings.TrimSpace(cell); {
		case !header || cell == "":
			names[c] = "column " + strconv.Itoa(c+1)
		case strings.ContainsFunc(cell, func(r rune) bool { return !unicode.IsPrint(r) }):
			names[c] = strconv.Quote(cell)
		default:
			names[c] = cell
		}
	}
	return names
}

// numeric tells whether at least half of the cells below the first that are not empty are numbers.
func (s *sample) numeric(column int) bool {
	rows := s.rows
	if len(rows) > 1 {
		rows = rows[1:]
	}
	numbers, others := 0, 0
	for _, row := range rows {
		switch {
		case column >= len(row) || strings.TrimSpace(row[column]) == "":
		case isNumber(row[column]):
			numbers++
		default:
			others++
		}
	}
	return numbers > 0 && numbers >= others
}

func isNumber(cell string) bool {
	_, err := strconv.ParseFloat(strings.TrimSpace(cell), 64)
	return err == nil
}

// isTitle tells whether a cell can be the name of a column: not a number, nor one misspelt, nor a missing value.
func isTitle(cell string) bool {
	cell = strings.TrimSpace(cell)
	if isMissing(cell) || isNumber(cell) {
		return false
	}
	first := strings.TrimLeft(cell, "+-.")
	return first != "" && (first[0] < '0' || first[0] > '9')
}

// isMissing tells whether a cell is one of the customary signs of a missing value.
func isMissing(cell string) bool {
	switch strings.ToLower(cell) {
	case "", "na", "n/a", "nan", "null", "nil", "none", "missing", "-", ".", "?", "#n/a":
		return true
	}
	return false
}

func newCSV(r interface{ Read([]byte) (int, error) }, separator rune) *csv.Reader {
	c := csv.NewReader(r)
	c.Comma = separator
	c.Comment = '#'
	c.FieldsPerRecord = -1 // a ragged row gets a message of ours
	return c
}
