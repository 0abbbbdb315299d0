package record

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen"
	"github.com/sngdgen/sngdgen/internal/table"
	"github.com/sngdgen/sngdgen/spec"
)

// Columns that number the entries of something, index(G), hold labels or numbers: a note says how many levels they have, and the report
// calls the entries by them.

// Numbered is what a part of a row numbers: the name of a dimension, and its length where the spec pins it.
type Numbered struct {
	of   string
	most int
	plus int // what numbers may be more than that length
}

// numberedBy is what a type numbers; the zero value for others.
func numberedBy(p *spec.Problem, q spec.Param) Numbered {
	of := q.Type.Of
	if of.Name == "" && of.Size == 0 {
		return Numbered{}
	}
	n := Numbered{of.String(), lengthOf(p, of.Name, of.Size), q.Type.Plus}
	if n.most > 0 {
		n.most += n.plus
	}
	return n
}

// Any reports whether it is of anything.
func (n Numbered) Any() bool { return n.of != "" }

// OwnNames reports whether parts may be read by their names without being asked for: some are labels, and none is a vector.
func OwnNames(parts []Part) bool {
	some := false
	for _, p := range parts {
		if p.Vector || !p.ByRow {
			return false
		}
		some = some || p.Numbers.Any()
	}
	return some
}

// categories are the columns that are read as labels whatever they hold: those of which the levels are to be counted.
func categories(parts []Part, of [][]Term) []string {
	var out []string
	for i, p := range parts {
		if p.Numbers.Any() && p.Numbers.most == 0 && len(of[i]) == 1 && len(of[i][0]) == 1 {
			out = append(out, of[i][0][0].text)
		}
	}
	return out
}

// levelColumns makes the columns of the parts that number entries, by part, and says what the entries are called, by what they are of.
// Columns that number the same have their levels together.
func (r *Reader) levelColumns(parts []Part, of [][]Term, t *table.Table) (columns map[int]table.Column, names map[string][]string, err error) {
	columns, names = map[int]table.Column{}, map[string][]string{}
	read := map[string][]int{} // the columns of labels
	for i, p := range parts {
		if !p.Numbers.Any() {
			continue
		}
		k := -1
		if terms := of[i]; len(terms) == 1 && len(terms[0]) == 1 && len(t.Terms[terms[0][0].term]) == 1 {
			k = t.Terms[terms[0][0].term][0]
		}
		if k < 0 {
			return nil, nil, &table.Error{Name: t.Name, Text: fmt.Sprintf("%s is one column of labels or numbers", p.Called()),
				Hint: fmt.Sprintf("write %s=COLUMN", p.Name)}
		}
		columns[i] = table.Column{Name: t.Columns[k], Of: []int{k}, Level: []int{-1}}
		if t.Levels != nil && t.Levels[k] != nil {
			read[p.Numbers.of] = append(read[p.Numbers.of], k)
			names[p.Numbers.of] = append(names[p.Numbers.of], t.Levels[k]...)
		}
	}
	for of := range names {
		slices.SortFunc(names[of], table.CompareLevels)
		names[of] = slices.Compact(names[of])
	}
	if err := orderLevels(parts, of, t, names); err != nil {
		return nil, nil, err
	}
	place := map[string]map[string]float64{}
	for of, list := range names {
		place[of] = map[string]float64{}
		for i, text := range list {
			place[of][text] = float64(i + 1)
		}
	}
	for i, p := range parts {
		c, ok := columns[i]
		if !ok || !slices.Contains(read[p.Numbers.of], c.Of[0]) {
			continue
		}
		for _, text := range t.Levels[c.Of[0]] {
			c.Numbers = append(c.Numbers, place[p.Numbers.of][text])
		}
		columns[i] = c
	}
	err = r.tellLevels(parts, t, columns, names)
	for _, p := range parts {
		if list := names[p.Numbers.of]; p.Numbers.plus > 0 && len(list) > p.Numbers.plus { // entries lie between levels
			var between []string
			for i := range list[p.Numbers.plus:] {
				between = append(between, list[i]+"|"+list[i+p.Numbers.plus])
			}
			names[p.Numbers.of] = between
		}
	}
	return columns, names, err
}

// orderLevels puts levels in the order that --data gives them.
func orderLevels(parts []Part, of [][]Term, t *table.Table, names map[string][]string) error {
	for i, p := range parts {
		if !p.Numbers.Any() || len(of[i]) != 1 || len(of[i][0]) != 1 || of[i][0][0].order == nil {
			continue
		}
		order := of[i][0][0].order
		for _, level := range names[p.Numbers.of] {
			if !slices.Contains(order, level) {
				return &table.Error{Name: t.Name, Text: fmt.Sprintf("%s has the level %s, which is not among those that --data puts in order: %s",
					of[i][0][0].text, level, someOf(order))}
			}
		}
		names[p.Numbers.of] = order
	}
	return nil
}

// tellLevels says how many levels there are; more than the spec has are an error.
func (r *Reader) tellLevels(parts []Part, t *table.Table, columns map[int]table.Column, names map[string][]string) error {
	told := map[string]bool{}
	for i, p := range parts {
		c, ok := columns[i]
		n := len(names[p.Numbers.of])
		if !ok || n == 0 || told[p.Numbers.of] {
			continue
		}
		told[p.Numbers.of] = true
		if most := p.Numbers.most; most > 0 && n > most {
			return &table.Error{Name: t.Name, Text: fmt.Sprintf("%s has %s, but %s is a number from 1 to %d: %s", c.Name, expr.Plural(n, "level"),
				p.Called(), most, someOf(names[p.Numbers.of]))}
		}
		fmt.Fprintf(r.Notes, "note: %s is %s, which has %s: %s\n", p.Called(), c.Name, expr.Plural(n, "level"), someOf(names[p.Numbers.of]))
		if n == 1 && p.Observed {
			fmt.Fprintf(r.Notes, "warning: %s: %s is the same in all rows: there is nothing to explain, and the likelihood may have no maximum\n", t.Name, c.Name)
		}
	}
	return nil
}

// someOf lists names, but not thousands of them.
func someOf(names []string) string {
	const shown = 12
	text := ""
	for i, name := range names {
		switch {
		case i == shown && len(names) > shown+1:
			return text + fmt.Sprintf(", ... (%d in all)", len(names))
		case i > 0:
			text += ", "
		}
		text += name
	}
	return text
}

// EntryNames gives the entries of the vectors that reports of a problem show the names that those of their dimensions have: levels or columns.
func EntryNames(p *spec.Problem, names map[string][]string) map[string][]string {
	if len(names) == 0 {
		return nil
	}
	out := map[string][]string{}
	for name, dims := range shownDimensions(p) {
		if len(dims) == 1 && names[dims[0]] != nil {
			out[name] = names[dims[0]]
		}
	}
	return out
}

// MatrixNames gives the rows and columns of the matrices that reports of a problem show the names that EntryNames gives to entries of vectors:
// two lists, of which one is empty where its dimension has no names.
func MatrixNames(p *spec.Problem, names map[string][]string) map[string][][]string {
	if len(names) == 0 {
		return nil
	}
	out := map[string][][]string{}
	for name, dims := range shownDimensions(p) {
		if len(dims) == 2 && (names[dims[0]] != nil || names[dims[1]] != nil) {
			out[name] = [][]string{names[dims[0]], names[dims[1]]}
		}
	}
	return out
}

// shownDimensions are the dimensions of what reports of a problem show.
func shownDimensions(p *spec.Problem) map[string][]string {
	dims, params := gen.ReportedDimensions(p), []spec.Param(nil)
	switch {
	case p.VI != nil:
		params = p.VI.Latent
	case p.TargetDist != nil:
		params = p.TargetDist.Parameters
	case p.TargetFamily != nil:
		params = p.TargetFamily.Parameters
	}
	for _, q := range params {
		known := dims[q.Name]
		if known != nil && len(known) != len(q.Type.Dims) { // a square matrix, whose type has one dimension
			continue
		}
		own := make([]string, len(q.Type.Dims)) // what the spec calls them: the variable of a target has dimensions of its own
		for k, d := range q.Type.Dims {
			own[k] = d.String()
		}
		dims[q.Name] = own
	}
	return dims
}

// NameColumns adds to names those of the entries of a dimension that each row of a part has a column for: those of the columns, where these
// are the same in all parts of that dimension. They are nil of parts whose columns have no names.
func NameColumns(names map[string][]string, parts []Part, columns [][]string) map[string][]string {
	if names == nil {
		names = map[string][]string{}
	}
	several := map[string]bool{}
	for i, p := range parts {
		// X1, X2 say no more than numbers do.
		numbered := !slices.ContainsFunc(columns[i], func(name string) bool { return EntryNumber(p.Name, name) < 0 })
		switch known := names[p.Dim]; {
		case p.Dim == "" || several[p.Dim] || numbered:
		case known != nil && !slices.Equal(known, columns[i]):
			delete(names, p.Dim)
			several[p.Dim] = true
		default:
			names[p.Dim] = columns[i]
		}
	}
	return names
}

// EntryNumber returns the number of an entry of a vector by the name of its column, -1 when it is none.
func EntryNumber(vector, column string) int {
	rest, ok := strings.CutPrefix(column, vector)
	if !ok {
		return -1
	}
	if inner, open := strings.CutPrefix(rest, "["); open {
		if rest, ok = strings.CutSuffix(inner, "]"); !ok {
			return -1
		}
	} else if rest != "" && strings.ContainsRune("_.", rune(rest[0])) {
		rest = rest[1:]
	}
	k, err := strconv.Atoi(rest)
	if err != nil || k < 0 || rest[0] == '+' || rest[0] == '-' {
		return -1
	}
	return k
}
