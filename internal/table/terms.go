package table

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/sngdgen/sngdgen/internal/disk"
)

// chooseTerms takes the columns of all terms, each once.
func (s *sample) chooseTerms(l *layout, o Options) error {
	for _, term := range o.Columns {
		found, err := s.findTerm(term)
		if term == AllOthers {
			found, err = s.allOthers(l, o)
		}
		if err != nil {
			return err
		}
		var which []int
		for _, c := range found {
			k := slices.Index(l.columns, c)
			if k < 0 {
				k = len(l.columns)
				l.columns = append(l.columns, c)
			}
			which = append(which, k)
		}
		l.terms = append(l.terms, which)
	}
	for _, c := range l.columns {
		l.labels = append(l.labels, o.Levels == nil && len(s.rows) > 1 && !s.numeric(c) && !s.commas(c))
	}
	l.levels = make([][]string, len(l.columns))
	for name, levels := range o.Levels {
		if k := slices.Index(o.Columns, name); k >= 0 {
			for _, column := range l.terms[k] {
				l.labels[column], l.levels[column] = true, levels
			}
		}
	}
	for _, spec := range o.Categories {
		c, err := s.find(spec)
		if err != nil {
			return err
		}
		if k := slices.Index(l.columns, c); k >= 0 {
			l.labels[k] = true
		}
	}
	return nil
}

// AllOthers is the term for all columns but those that have another meaning, as in R.
const AllOthers = "."

// allOthers are the columns that are not apart, no weights, chosen by no condition, and no names of rows.
func (s *sample) allOthers(l *layout, o Options) (out []int, err error) {
	apart := []int{l.weights}
	for _, name := range o.Apart {
		c, err := s.find(name)
		if err != nil {
			return nil, err
		}
		apart = append(apart, c)
	}
	for c := range s.rows[0] {
		if !slices.Contains(apart, c) && !s.fixed(l, o, c) && (c > 0 || !s.unnamedFirst()) {
			out = append(out, c)
		}
	}
	if len(out) == 0 {
		return nil, &Error{Name: s.name, Text: "no other columns for the term .", Hint: "the file has " + s.list()}
	}
	return out, nil
}

// span returns the columns from one to another of a term a..b, of names or numbers. A name may have dots itself, so that every place
// of two is tried.
func (s *sample) span(term string) ([]int, error) {
	var problem error
	for at := 1; at+2 < len(term); at++ {
		if term[at:at+2] != ".." {
			continue
		}
		from, err := s.find(strings.TrimSpace(term[:at]))
		to := 0
		if err == nil {
			to, err = s.find(strings.TrimSpace(term[at+2:]))
		}
		switch {
		case err == nil && to < from:
			err = &Error{Name: s.name, Text: fmt.Sprintf("%s: the first column stands behind the last one", clipName(term)), Hint: "the file has " + s.list()}
		case err == nil:
			return numbersTo(from, to), nil
		}
		problem = cmp.Or(problem, err)
	}
	return nil, problem
}

// numbersTo are the whole numbers between two, both of which are among them.
func numbersTo(from, to int) (out []int) {
	for c := from; c <= to; c++ {
		out = append(out, c)
	}
	return out
}

// findTerm returns the columns of a term: of a name or a number one, of a range 3-7 or a..d or a pattern lab* all that it matches.
func (s *sample) findTerm(term string) ([]int, error) {
	named := slices.ContainsFunc(s.titles(), func(cell string) bool { return strings.TrimSpace(cell) == term })
	first, last, isRange := strings.Cut(term, "-")
	from, to := s.index(first), s.index(last)
	switch {
	case named:
	case isRange && from >= 0 && to >= from:
		return numbersTo(from, to), nil
	case strings.Contains(strings.Trim(term, "."), ".."):
		return s.span(term)
	case strings.Contains(term, "*"):
		var out []int
		for c, cell := range s.titles() {
			if ok, err := path.Match(term, strings.TrimSpace(cell)); ok && err == nil {
				out = append(out, c)
			}
		}
		if len(out) == 0 {
			return nil, s.unknown(term)
		}
		return out, nil
	}
	c, err := s.find(term)
	return []int{c}, err
}

// labels are the texts of a column, each with its number in the order in which they came.
type labels struct {
	of   map[string]float64
	text []string
}

// mostLevels is how many labels a column may have: they are kept in memory, and of each a model has a number.
const mostLevels = 10000

// label returns the number of a label, which becomes its index among all in the order of the alphabet when all have been read.
func (r *reader) label(k, column int) float64 {
	text := strings.TrimSpace(r.rows.text(column))
	if isMissing(text) {
		r.fault(column, fmt.Sprintf("empty cell (%s)", r.place(column)), missingHint)
		return 0
	}
	own := &r.labels[k]
	if own.of == nil {
		own.of = map[string]float64{}
	}
	x, known := own.of[text]
	if levels := r.layout.levels[k]; levels != nil && !known {
		if x = float64(slices.Index(levels, text)); x < 0 {
			r.fault(column, fmt.Sprintf("level %q of %s is none of those of the fit", clip(text), r.place(column)), "these are "+listLevels(levels))
			return 0
		}
		own.of[strings.Clone(text)] = x
		return x
	}
	if !known {
		if len(own.text) == mostLevels {
			r.fault(column, fmt.Sprintf("more than %d different labels (%s)", mostLevels, r.place(column)), "is it a name or a number of rows?")
			return 0
		}
		x = float64(len(own.text))
		own.of[strings.Clone(text)] = x
		own.text = append(own.text, strings.Clone(text))
	}
	return x
}

// listLevels names levels for a message.
func listLevels(levels []string) string {
	var out []string
	for i, text := range levels {
		if i == listed {
			out = append(out, fmt.Sprintf("... (%d in all)", len(levels)))
			break
		}
		out = append(out, clip(text))
	}
	return strings.Join(out, ", ")
}

// sortLevels puts the labels of every column in the order of the alphabet, numbers in theirs.
func (r *reader) sortLevels() {
	if r.labels == nil {
		return
	}
	t, width := r.table, len(r.layout.columns)
	t.Levels = make([][]string, width)
	for k := range r.labels {
		if !r.layout.labels[k] {
			continue
		}
		if fixed := r.layout.levels[k]; fixed != nil {
			t.Levels[k] = fixed
			continue
		}
		levels := slices.Clone(r.labels[k].text)
		slices.SortFunc(levels, CompareLevels)
		place := make([]float64, len(levels))
		for i, text := range r.labels[k].text {
			at, _ := slices.BinarySearchFunc(levels, text, CompareLevels)
			place[i] = float64(at)
		}
		for i := k; i < len(t.Values); i += width {
			t.Values[i] = place[int(t.Values[i])]
		}
		t.Levels[k] = levels
	}
}

// CompareLevels orders labels: numbers before words, each among themselves.
func CompareLevels(a, b string) int {
	x, errX := strconv.ParseFloat(a, 64)
	y, errY := strconv.ParseFloat(b, 64)
	switch {
	case errX == nil && errY == nil && x != y:
		if x < y {
			return -1
		}
		return 1
	case errX == nil && errY != nil:
		return -1
	case errX != nil && errY == nil:
		return 1
	}
	return strings.Compare(a, b)
}

// Column makes a column of others. The zero value is a column of ones.
type Column struct {
	Name string
	// Of is the product of chosen columns; of one of labels it is 1 where the label is Level, counted from 0, and 0 elsewhere.
	Of    []int
	Level []int // of each of Of; -1 for numbers
	// Numbers is what stands for each label of the one column of labels that this one is made of; nil where it is made otherwise.
	Numbers []float64
}

// Arrange makes a table of columns made of those of another. Its rows keep their places in the file: a number that is made of one
// cell has the place of this cell, others that of their row. Columns as they are share the numbers; else the table is not to be used any more, so
// that its numbers need not be kept.
func (t *Table) Arrange(columns []Column) (*Table, error) {
	from := *t
	from.Values, from.Weights, from.cells = nil, nil, nil
	out := *t
	out.Columns, out.Terms, out.Levels = nil, nil, nil
	out.made, out.from = columns, &from
	for _, c := range columns {
		out.Columns = append(out.Columns, c.Name)
	}
	if t.asTheyAre(columns) {
		return &out, nil
	}
	width := len(t.Columns)
	values, err := t.space.Numbers(len(columns) * t.Rows())
	if err != nil {
		return nil, err
	}
	out.Values, out.cells = values[:0], nil
	for row := range t.Rows() {
		for _, c := range columns {
			x, at := 1.0, int32(0)
			for i, k := range c.Of {
				v := t.Values[row*width+k]
				switch level := c.Level[i]; {
				case c.Numbers != nil:
					v = c.Numbers[int(v)]
				case level >= 0:
					v = map[bool]float64{true: 1}[int(v) == level]
				}
				x *= v
				at = t.cell(row*width + k)
			}
			if len(c.Of) > 1 {
				at = 0
			}
			out.Values = append(out.Values, x)
			if t.cells != nil {
				out.cells = append(out.cells, at)
			}
		}
	}
	return &out, nil
}

// asTheyAre reports whether columns are those of the table in their order.
func (t *Table) asTheyAre(columns []Column) bool {
	if len(columns) != len(t.Columns) {
		return false
	}
	for k, c := range columns {
		if len(c.Of) != 1 || c.Of[0] != k || c.Level[0] >= 0 || c.Numbers != nil {
			return false
		}
	}
	return true
}

// Scratch is what is left of the memory of the table, for who gives it back.
func (t *Table) Scratch() *disk.Space { return t.space.Scratch() }
