package table

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/sngdgen/sngdgen/internal/diag"
)

// choose sets the columns of the layout.
func (s *sample) choose(l *layout, o Options) (err error) {
	l.weights, l.unnamed = -1, -1
	if o.Weights != "" {
		if l.weights, err = s.find(o.Weights); err != nil {
			return err
		}
	}
	for i := range o.Where {
		c, err := s.find(o.Where[i].Column)
		if err != nil {
			return err
		}
		l.where = append(l.where, c)
	}
	if o.Terms {
		return s.chooseTerms(l, o)
	}
	for _, spec := range o.Columns {
		which, err := s.findTerm(spec)
		if err != nil {
			return err
		}
		l.columns = append(l.columns, which...)
	}
	if len(o.Columns) == 0 {
		return s.chooseDefault(l, o)
	}
	return nil
}

// split cuts lists of columns at their commas. What is the name of a column is none.
func (s *sample) split(columns []string) []string {
	var out []string
	for _, spec := range columns {
		if slices.ContainsFunc(s.titles(), func(cell string) bool { return strings.TrimSpace(cell) == spec }) {
			out = append(out, spec)
			continue
		}
		for part := range strings.SplitSeq(spec, ",") {
			out = append(out, strings.TrimSpace(part))
		}
	}
	return out
}

// checkChoice refuses a column that is chosen twice: as two entries of a vector it makes every covariance singular.
func (s *sample) checkChoice(l *layout) error {
	for i, c := range l.columns {
		if slices.Contains(l.columns[:i], c) {
			return &Error{Name: s.name, Text: fmt.Sprintf("%s is chosen twice", l.names[c])}
		}
	}
	return nil
}

// chooseDefault takes the only column, or the only one that holds numbers; where an observation has several, all of them.
// What says which rows to read, and numbers of rows that have no name, are no data.
func (s *sample) chooseDefault(l *layout, o Options) error {
	var others, numeric, words []int
	for c := range l.width {
		switch {
		case c == l.weights || s.fixed(l, o, c):
			continue
		case c == 0 && s.unnamedFirst():
			l.unnamed = c
			continue
		}
		others = append(others, c)
		if s.numeric(c) || s.commas(c) {
			numeric = append(numeric, c)
		} else {
			words = append(words, c)
		}
	}
	switch {
	case len(others) == 1:
		l.columns = others
	case len(numeric) == 1, o.Several && len(numeric) > 0:
		l.columns, l.ignored = numeric, words
	case len(numeric) == 0 && len(s.rows) == 1 && !s.numbers:
		return &Error{Name: s.name, Text: headerOnly}
	case len(numeric) == 0:
		return &Error{Name: s.name, Text: "no column of numbers among " + s.list(), Hint: s.noNumbersHint()}
	default:
		return &Error{Name: s.name, Text: fmt.Sprintf("%d columns of numbers; which one is the data?", len(numeric)),
			Hint: "name one with --column, by name or number: " + s.list()}
	}
	return nil
}

// fixed tells whether a condition leaves one value of a column.
func (s *sample) fixed(l *layout, o Options, column int) bool {
	for i, c := range l.where {
		if c == column && o.Where[i].equality() {
			return true
		}
	}
	return false
}

// unnamedFirst tells whether the first column has no name where all others have one, as R and pandas write the numbers or
// names of rows. What pandas reads of its own without a name is named "Unnamed: 0" the next time.
func (s *sample) unnamedFirst() bool {
	if first := strings.TrimSpace(s.rows[0][0]); first != "" && first != "Unnamed: 0" || len(s.rows[0]) < 2 {
		return false
	}
	return !slices.ContainsFunc(s.rows[0][1:], func(cell string) bool { return !isTitle(cell) })
}

// commas tells whether a column would be one of numbers but for their commas: among many columns it would be missed if it
// were left out, and reading it says what is wrong.
func (s *sample) commas(column int) bool {
	as, others := 0, 0
	for _, row := range s.rows[min(1, len(s.rows)-1):] {
		switch {
		case column >= len(row) || isMissing(strings.TrimSpace(row[column])):
		case isNumber(row[column]) || hasComma(strings.TrimSpace(row[column])):
			as++
		default:
			others++
		}
	}
	return as > 0 && as >= others
}

func (s *sample) noNumbersHint() string {
	for _, cell := range s.rows[len(s.rows)-1] {
		if hasComma(strings.TrimSpace(cell)) {
			return commaHint
		}
	}
	return "name one with --column to see what is wrong with it"
}

// index returns the column that a 1-based number means, or -1 when the text is no number of a column.
func (s *sample) index(spec string) int {
	n, err := strconv.Atoi(spec)
	if err != nil || n < 1 || n > len(s.rows[0]) {
		return -1
	}
	return n - 1
}

// find returns the column with a number or a name.
func (s *sample) find(spec string) (int, error) {
	if c := s.index(spec); c >= 0 {
		return c, nil
	}
	found := -1
	for c, cell := range s.titles() {
		if strings.TrimSpace(cell) != spec {
			continue
		}
		if found >= 0 {
			return 0, &Error{Name: s.name, Text: fmt.Sprintf("two columns are named %q", spec),
				Hint: fmt.Sprintf("give the number: %d or %d", found+1, c+1)}
		}
		found = c
	}
	if found < 0 {
		return 0, s.unknown(spec)
	}
	return found, nil
}

func (s *sample) unknown(spec string) error {
	e := &Error{Name: s.name, Text: fmt.Sprintf("no column %q", clipName(spec)), Hint: "the file has " + s.list()}
	if _, err := strconv.Atoi(spec); err == nil {
		e.Text = "no column " + spec
	}
	if strings.Contains(spec, " - ") {
		e.Hint = "of - there is - 1 alone, which takes out the intercept: leave terms out in the place of taking them out; " + e.Hint
	}
	if meant := diag.Suggest(spec, s.names(true)); meant != "" && !s.numbers {
		e.Hint = fmt.Sprintf("did you mean %q? %s", meant, e.Hint)
	}
	return e
}

// listed is how many columns a message names.
const listed = 12

// list names the columns for a message.
func (s *sample) list() string {
	row := s.rows[0]
	titled := false
	for _, cell := range row {
		titled = titled || isTitle(cell)
	}
	if !titled {
		return fmt.Sprintf("%d columns without names", len(row))
	}
	var names []string
	for c, cell := range row {
		if c == listed {
			names = append(names, fmt.Sprintf("... (%d in all)", len(row)))
			break
		}
		names = append(names, fmt.Sprintf("%d %q", c+1, clipName(strings.TrimSpace(cell))))
	}
	return strings.Join(names, ", ")
}
