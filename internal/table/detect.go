package table

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// sampleRows is the number of rows from which the columns of numbers are told.
const sampleRows = 100

// layout is what is known of a file before its data are read.
type layout struct {
	separator rune
	header    bool
	width     int        // cells in a row
	names     []string   // of all columns
	columns   []int      // the chosen columns, from 0
	weights   int        // the column of weights, or -1
	ignored   []int      // the columns that are not numbers, where all that are were chosen
	unnamed   int        // the column of row numbers that was left out, or -1
	where     []int      // the columns of the conditions
	terms     [][]int    // of each term the chosen columns that it stands for
	levels    [][]string // of each chosen column the only labels that it may have; nil where it may have any
	labels    []bool     // of each chosen column whether it is read as labels; nil where none may be
}

// detect finds the layout of a file from its beginning.
func detect(s *sample, o Options) (*layout, error) {
	if !o.Terms {
		o.Columns = s.split(o.Columns)
	}
	l := &layout{separator: s.separator, width: len(s.rows[0])}
	if err := s.choose(l, o); err != nil {
		return nil, err
	}
	l.header = s.hasHeader(l, o)
	l.names = s.names(l.header)
	return l, s.checkChoice(l)
}

// look cuts the beginning of a text into cells.
func (t *textRows) look(o Options) (*sample, error) {
	head, err := t.in.Peek(sampleSize)
	if err == nil {
		head = wholeLines(head)
	} else if err != io.EOF {
		return nil, openError(o.Name, err)
	}
	s := &sample{name: o.Name, decimalComma: o.DecimalComma}
	s.separator, s.rows = separate(head, o.DecimalComma)
	switch {
	case len(head) == 0 && err == nil:
		return nil, &Error{Name: o.Name, Line: 1, Text: fmt.Sprintf("a line of more than %d bytes", maxLine)}
	case len(s.rows) == 0 && err == nil:
		return nil, &Error{Name: o.Name, Text: fmt.Sprintf("no row of data among the first %d bytes", sampleSize)}
	case len(s.rows) == 0:
		if _, err := newCSV(bytes.NewReader(head), s.separator).Read(); err != io.EOF {
			return nil, malformed(o.Name, err) // that nothing could be cut does not mean that nothing is there
		}
		return nil, errEmpty(o.Name)
	}
	s.completeHeader()
	t.separator, t.decimalComma = s.separator, o.DecimalComma
	return s, nil
}

func errEmpty(name string) error { return &Error{Name: name, Text: "no data: the file is empty"} }

// completeHeader puts an empty name in front of the header when all rows have one cell more, as write.table of R has it: the
// numbers or names of rows have no name there.
func (s *sample) completeHeader() {
	header := s.rows[0]
	for _, row := range s.rows[1:] {
		if len(row) != len(header)+1 {
			return
		}
	}
	if len(s.rows) > 1 && len(header) > 1 && !slices.ContainsFunc(header, func(cell string) bool { return !isTitle(cell) }) {
		s.rows[0] = append([]string{""}, header...)
	}
}

// wholeLines drops the last line of a beginning that was cut off.
func wholeLines(head []byte) []byte {
	return head[:bytes.LastIndexByte(head, '\n')+1]
}

// separate finds the separator: the one that cuts most rows into as many cells as the first, several at least. Tab and
// semicolon go before comma, which may also be the decimal sign of the numbers between them.
func separate(head []byte, decimalComma bool) (rune, [][]string) {
	candidates := []rune{'\t', ';', ','}
	if decimalComma {
		candidates = candidates[:2]
	}
	separator := candidates[len(candidates)-1]
	rows, best := parseRows(head, separator), 0.0
	for _, candidate := range candidates {
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

// sample is the beginning of a file, cut into cells.
type sample struct {
	name         string // of the file
	separator    rune   // 0 where there is no text
	rows         [][]string
	decimalComma bool
	numbers      bool // all rows are numbers, the first too
	named        bool // the first row has the names of the columns
}

// titles are what columns may be called by: the cells of the first row, which may be a header, unless that cannot be.
func (s *sample) titles() []string {
	if s.numbers {
		return nil
	}
	return s.rows[0]
}

// hasHeader tells whether the first row holds names. It does when a column was chosen by a name in it, and it does not
// when a chosen cell is a number; otherwise a word above numbers, or in a chosen column, makes it one.
func (s *sample) hasHeader(l *layout, o Options) bool {
	chosen := l.columns
	if l.weights >= 0 {
		chosen = append(chosen[:len(chosen):len(chosen)], l.weights)
	}
	switch {
	case s.numbers:
		return false
	case s.named, s.chosenByName(o):
		return true
	}
	for _, c := range chosen {
		if s.isNumber(s.rows[0][c]) {
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
	named := append(o.Columns[:len(o.Columns):len(o.Columns)], o.Weights)
	for _, c := range o.Where {
		named = append(named, c.Column)
	}
	for _, spec := range named {
		if spec != "" && spec != AllOthers && s.index(spec) < 0 && !s.numbered(spec) {
			return true
		}
	}
	return false
}

// numbered reports whether a term is a range of numbers of columns.
func (s *sample) numbered(term string) bool {
	for _, sign := range []string{"-", ".."} {
		if first, last, ok := strings.Cut(term, sign); ok && s.index(first) >= 0 && s.index(last) >= 0 {
			return true
		}
	}
	return false
}

// names returns a name for each column.
func (s *sample) names(header bool) []string {
	names := make([]string, len(s.rows[0]))
	for c, cell := range s.rows[0] {
		switch cell = clipName(strings.TrimSpace(cell)); {
		case !header || cell == "":
			names[c] = "column " + strconv.Itoa(c+1)
		case strings.ContainsFunc(cell, func(r rune) bool { return !unicode.IsPrint(r) }) || !utf8.ValidString(cell):
			names[c] = strconv.Quote(cell)
		default:
			names[c] = cell
		}
	}
	return names
}

// clipName shortens what is too long to be a name, so that a message has not all of a file in it.
func clipName(name string) string {
	const most = 100
	if len(name) <= most {
		return name
	}
	return strings.ToValidUTF8(name[:most], "") + "..."
}

// numeric tells whether at least half of the cells below the first that are not missing are numbers.
func (s *sample) numeric(column int) bool {
	rows := s.rows
	if len(rows) > 1 {
		rows = rows[1:]
	}
	numbers, others := 0, 0
	for _, row := range rows {
		switch {
		case column >= len(row) || isMissing(strings.TrimSpace(row[column])):
		case s.isNumber(row[column]):
			numbers++
		default:
			others++
		}
	}
	if numbers == 0 && others == 0 { // nothing below the first row, which may be one of data
		return s.isNumber(s.rows[0][column])
	}
	return numbers > 0 && numbers >= others
}

// isNumber tells whether a cell is one as the file writes them.
func (s *sample) isNumber(cell string) bool {
	return isNumber(cell) || s.decimalComma && hasComma(strings.TrimSpace(cell))
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
