package main

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/sngdgen/sngdgen/internal/diag"
	"github.com/sngdgen/sngdgen/internal/regression"
	"github.com/sngdgen/sngdgen/internal/table"
	"github.com/sngdgen/sngdgen/spec"
)

// record lists the parts of a row of the data of a likelihood: what is observed, and what is given.
func record(p *spec.Problem) []part {
	var out []part
	for i, q := range slices.Concat(observed(p), givenColumns(p)) {
		one := part{name: q.Name, typ: q.Type.String(), byRow: true, vector: len(q.Type.Dims) > 0, observed: i < len(observed(p)),
			numbers: numberedBy(p, q)}
		if one.vector {
			one.length = lengthOf(p, q.Type.Dims[0].Name, q.Type.Dims[0].Size)
		}
		out = append(out, one)
	}
	return out
}

// readRecord reads rows of several parts from one file: by the names of the columns, or as --data says.
func (d *dataFlags) readRecord(s *session, p *spec.Problem, path string, mapping []string, rows string) (*table.Table, error) {
	parts := record(p)
	if path == "" {
		return nil, usageError{fmt.Errorf("which data? give a file with the columns %s", orderOf(parts))}
	}
	if len(mapping) > 0 || ownNames(parts) {
		t, _, err := d.readMapped(s, parts, path, mapping, rows)
		return t, err
	}
	t, of, err := d.readColumns(s, parts, path, rows)
	if err != nil {
		return nil, err
	}
	var columns []table.Column
	for _, list := range of {
		for _, c := range list {
			columns = append(columns, table.Column{Name: t.Columns[c], Of: []int{c}, Level: []int{-1}})
		}
	}
	return t.Arrange(columns), nil
}

// term is what a part of a record is made of: a product of factors, each one column of the file or several. No factors are 1.
type term []factor

// factor is a name, a number, a range or a pattern of columns.
type factor struct {
	text     string
	category bool     // asked for by factor(...)
	order    []string // of the levels, where it is given
	term     int      // its place among the terms of the table
	computed *table.Computed
	of       []int // the places of the columns that it is computed from
}

// readMapped reads rows whose parts are made of columns as --data NAME=TERM+TERM says; it also returns of how many.
func (d *dataFlags) readMapped(s *session, parts []part, path string, mapping []string, rows string) (t *table.Table, widths []int, err error) {
	if len(d.Column) > 0 {
		return nil, nil, usageError{errors.New("--data says of which columns the data are made: --column has no meaning beside it")}
	}
	of, err := parseMapping(parts, mapping)
	if err != nil {
		return nil, nil, err
	}
	o, err := d.options(true, rows)
	if err != nil {
		return nil, nil, err
	}
	chooseColumns(of, &o)
	o.Apart = scalarColumns(parts, of)
	o.Categories = append(o.Categories, categories(parts, of)...)
	if t, err = s.readTable(path, o); err != nil {
		return nil, nil, unsaid(err, parts, mapping)
	}
	if err := compute(of, t); err != nil {
		return nil, nil, err
	}
	if t.Missing > 0 {
		s.tellLeftOut(t, nil)
	}
	return s.arranged(parts, of, t)
}

// chooseColumns asks for the columns that terms are made of.
func chooseColumns(of [][]term, o *table.Options) {
	o.Terms = true
	place := func(name string) int {
		k := slices.Index(o.Columns, name)
		if k < 0 {
			k = len(o.Columns)
			o.Columns = append(o.Columns, name)
		}
		return k
	}
	for _, terms := range of {
		for _, t := range terms {
			for i := range t {
				f := &t[i]
				if f.computed != nil {
					for _, name := range f.computed.Columns {
						f.of = append(f.of, place(name))
					}
					continue
				}
				f.term = place(f.text)
				if f.category {
					o.Categories = append(o.Categories, f.text)
				}
			}
		}
	}
}

// unsaid adds to an error about a column that no part was said to be made of, but is called like one, how to say it.
func unsaid(err error, parts []part, mapping []string) error {
	var fault *table.Error
	if !errors.As(err, &fault) || fault.Line > 0 {
		return err
	}
	for _, p := range parts {
		said := slices.ContainsFunc(mapping, func(arg string) bool {
			return slices.ContainsFunc(splitFiles(arg), func(one string) bool { return strings.HasPrefix(strings.TrimSpace(one), p.name+"=") })
		})
		if !said && fault.Text == fmt.Sprintf("no column %q", p.name) {
			fault.Hint = fmt.Sprintf("say which column %s is by --data %s=COLUMN; %s", p.name, p.name, fault.Hint)
		}
	}
	return err
}

// scalarColumns are those that numbers of a row are made of, which the term for all other columns leaves out.
func scalarColumns(parts []part, of [][]term) (out []string) {
	for i, terms := range of {
		if parts[i].vector {
			continue
		}
		for _, t := range terms {
			for _, f := range t {
				if f.computed != nil {
					out = append(out, f.computed.Columns...)
				} else {
					out = append(out, f.text)
				}
			}
		}
	}
	return out
}

// compute adds the columns of terms that are computed to a table.
func compute(of [][]term, t *table.Table) error {
	var computed []*table.Computed
	var columns [][]int
	var factors []*factor
	for _, terms := range of {
		for _, one := range terms {
			for i := range one {
				f := &one[i]
				if f.computed == nil {
					continue
				}
				var own []int
				for j, k := range f.of {
					if len(t.Terms[k]) != 1 {
						return &table.Error{Name: t.Name, Text: fmt.Sprintf("%s stands for %s, of which there is one in %s",
							f.computed.Columns[j], plural(len(t.Terms[k]), "column"), f.text)}
					}
					own = append(own, t.Terms[k][0])
				}
				computed, columns, factors = append(computed, f.computed), append(columns, own), append(factors, f)
			}
		}
	}
	at, err := t.Add(computed, columns)
	if err != nil {
		return err
	}
	for i, f := range factors {
		f.term = len(t.Terms)
		t.Terms = append(t.Terms, at[i:i+1])
	}
	return nil
}

// parseMapping reads NAME=TERM+TERM for every part.
func parseMapping(parts []part, mapping []string) ([][]term, error) {
	var names []string
	for _, p := range parts {
		names = append(names, p.name)
	}
	out := make([][]term, len(parts))
	for _, arg := range mapping {
		for _, one := range splitFiles(arg) {
			name, text, ok := strings.Cut(one, "=")
			name = strings.TrimSpace(name)
			i := slices.Index(names, name)
			switch {
			case !ok || strings.TrimSpace(text) == "":
				return nil, usageError{fmt.Errorf("--data %s: write NAME=COLUMN, or COLUMN+COLUMN for a vector, with a NAME among %s", one,
					strings.Join(names, ", "))}
			case i < 0:
				hint := "they are " + strings.Join(names, ", ")
				if meant := diag.Suggest(name, names); meant != "" {
					hint = fmt.Sprintf("did you mean %q? %s", meant, hint)
				}
				return nil, usageError{fmt.Errorf("--data %s: no part of the data is named %q: %s", one, name, hint)}
			case out[i] != nil:
				return nil, usageError{fmt.Errorf("--data: %s is said twice", name)}
			}
			terms, err := parseTerms(text, parts[i].vector)
			if err != nil {
				return nil, usageError{fmt.Errorf("--data %s: %w", one, err)}
			}
			out[i] = terms
		}
	}
	for i, p := range parts {
		if out[i] == nil { // a column of the same name
			if p.vector {
				return nil, usageError{fmt.Errorf("--data does not say what %s is made of: write %s=COLUMN+COLUMN", p.name, p.name)}
			}
			out[i] = []term{{{text: p.name}}}
		}
	}
	return out, nil
}

// parseTerms reads 1 + age + sex:dose + factor(group). In a vector 1 is the number; what is one number itself is a column, the first.
func parseTerms(text string, vector bool) ([]term, error) {
	var out []term
	for _, piece := range regression.Split(text, '+') {
		piece = strings.TrimSpace(piece)
		switch {
		case piece == "":
			return nil, errors.New("a term is missing beside +")
		case piece == "1" && vector:
			out = append(out, term{})
			continue
		}
		var t term
		for _, name := range regression.Split(piece, ':') {
			f, err := parseFactor(strings.TrimSpace(name))
			if err != nil {
				return nil, err
			}
			t = append(t, f)
		}
		out = append(out, t)
	}
	return out, nil
}

// parseFactor reads a column, factor(column), or a function of columns.
func parseFactor(text string) (f factor, err error) {
	f.text = text
	inner, isFactor := strings.CutPrefix(text, "factor(")
	switch {
	case text == "":
		return f, errors.New("a name is missing beside a colon")
	case isFactor:
		if f.text, f.category = strings.CutSuffix(inner, ")"); !f.category {
			return f, errors.New("factor( is never closed")
		}
		if f.text = strings.TrimSpace(f.text); strings.Contains(f.text, "(") {
			return f, fmt.Errorf("%s: a category is a column of the file", text)
		}
	case strings.Contains(text, "<"):
		return orderedLevels(text)
	case strings.Contains(text, "("):
		f.computed, err = table.ParseComputed(text)
	case strings.Contains(text, "^"):
		return f, fmt.Errorf("%s is no column: write I(%s)", text, text)
	}
	return f, err
}

// orderedLevels reads a column of labels whose levels are put in order, score(low<middle<high).
func orderedLevels(text string) (f factor, err error) {
	name, levels, _ := strings.Cut(text, "(")
	levels, ok := strings.CutSuffix(levels, ")")
	if !ok || name == "" {
		return f, fmt.Errorf("%s: levels are put in order as in score(low<middle<high)", text)
	}
	f.text, f.category = name, true
	for level := range strings.SplitSeq(levels, "<") {
		f.order = append(f.order, strings.TrimSpace(level))
	}
	return f, nil
}

// arranged makes the columns of all parts, and says what they are.
func (s *session) arranged(parts []part, of [][]term, t *table.Table) (*table.Table, []int, error) {
	numbering, names, err := s.levelColumns(parts, of, t)
	if err != nil {
		return nil, nil, err
	}
	var columns []table.Column
	var response, widths []int // of which columns what is observed is made, and of how many each part
	for i, p := range parts {
		var own []table.Column
		for _, terms := range of[i] {
			own = append(own, columnsOf(terms, t)...)
		}
		if c, ok := numbering[i]; ok {
			own = []table.Column{c}
		}
		switch {
		case !p.vector && len(own) != 1:
			return nil, nil, &table.Error{Name: t.Name, Text: fmt.Sprintf("%s is one number, but is to be made of %s: %s", p.called(),
				plural(len(own), "column"), namesOf(own)), Hint: oneColumnHint(p, own)}
		case p.vector && p.length > 0 && len(own) != p.length:
			return nil, nil, &table.Error{Name: t.Name, Text: fmt.Sprintf("%s has %d entries, but is to be made of %s: %s", p.called(), p.length,
				plural(len(own), "column"), namesOf(own))}
		}
		if p.observed {
			for _, c := range own {
				response = append(response, c.Of...)
			}
		}
		for _, c := range own {
			if !p.observed && slices.ContainsFunc(c.Of, func(k int) bool { return slices.Contains(response, k) }) {
				return nil, nil, &table.Error{Name: t.Name, Text: fmt.Sprintf("%s is what is explained, but also part of %s", t.Columns[c.Of[0]], p.called()),
					Hint: "leave it out there"}
			}
		}
		if p.vector {
			fmt.Fprintf(s.err, "note: %s is %s\n", p.called(), namesOf(own))
		}
		columns, widths = append(columns, own...), append(widths, len(own))
	}
	for k, levels := range t.Levels {
		if levels != nil && !slices.ContainsFunc(slices.Collect(maps.Values(numbering)), func(c table.Column) bool { return c.Of[0] == k }) {
			fmt.Fprintf(s.err, "note: %s has %s; %s is the reference\n", t.Columns[k], plural(len(levels), "level"), levels[0])
		}
	}
	columns = s.withoutCollinear(parts, columns, widths, t)
	s.tellMany(parts, widths, t)
	out := t.Arrange(columns)
	out.Names = names
	return out, widths, nil
}

// oneColumnHint says what would be one column in the place of several.
func oneColumnHint(p part, own []table.Column) string {
	if slices.ContainsFunc(own, func(c table.Column) bool { return slices.ContainsFunc(c.Level, func(l int) bool { return l >= 0 }) }) {
		return "a column of labels has an indicator for each but the first; a number is a column of numbers"
	}
	return fmt.Sprintf("write %s=COLUMN, or a sum as %[1]s=I(COLUMN + COLUMN)", p.name)
}

// tellMany warns of predictors with as many columns as there are rows, each of which they explain by itself.
func (s *session) tellMany(parts []part, widths []int, t *table.Table) {
	for i, p := range parts {
		if p.observed || !p.vector || widths[i] < t.Rows() {
			continue
		}
		fmt.Fprintf(s.err, "warning: %s: %s has %s for %s: its coefficients can explain every row by itself\n", t.Name, p.called(),
			plural(widths[i], "column"), plural(t.Rows(), "row"))
		for k, levels := range t.Levels {
			if 2*len(levels) > t.Rows() {
				fmt.Fprintf(s.err, "hint: %s has %s; is it a name or a number of rows?\n", t.Columns[k], plural(len(levels), "level"))
			}
		}
	}
}

// columnsOf are the columns of a term: of labels an indicator for each but the first.
func columnsOf(factors term, t *table.Table) []table.Column {
	out := []table.Column{{Name: "intercept"}}
	if len(factors) > 0 {
		out[0].Name = ""
	}
	for _, f := range factors {
		var longer []table.Column
		for _, c := range out {
			for _, k := range t.Terms[f.term] {
				from, to := -1, 0 // of a number no level
				if t.Levels != nil && t.Levels[k] != nil {
					from, to = 1, len(t.Levels[k])
				}
				for level := from; level < to; level++ {
					next := table.Column{Name: t.Columns[k], Of: append(slices.Clone(c.Of), k), Level: append(slices.Clone(c.Level), level)}
					if level >= 0 {
						next.Name += "=" + t.Levels[k][level]
					}
					if c.Name != "" {
						next.Name = c.Name + ":" + next.Name
					}
					longer = append(longer, next)
				}
			}
		}
		out = longer
	}
	return out
}

func namesOf(columns []table.Column) string {
	const shown = 30
	var names []string
	for i, c := range columns {
		if i == shown {
			names = append(names, fmt.Sprintf("... (%d in all)", len(columns)))
			break
		}
		names = append(names, c.Name)
	}
	return strings.Join(names, ", ")
}

// collinear is the relative length of what others leave of a column below which it is theirs but for rounding.
const collinear = 1e-10

// mostCollinear is up to how many products collinear columns are looked for.
const mostCollinear = 1e9

// withoutCollinear warns of columns of a vector that are combinations of those before them, whose coefficients are not determined, and
// leaves them out of predictors, as R does; the widths of these become less.
func (s *session) withoutCollinear(parts []part, columns []table.Column, widths []int, from *table.Table) []table.Column {
	t := from.Arrange(columns)
	var out []table.Column
	at := 0
	for i, p := range parts {
		n := widths[i]
		own := columns[at : at+n]
		if p.vector && float64(t.Rows())*float64(n)*float64(n) < mostCollinear {
			var spare, kept []table.Column
			which := collinearColumns(t, at, n)
			for k, c := range own {
				if slices.Contains(which, k) {
					spare = append(spare, c)
				} else {
					kept = append(kept, c)
				}
			}
			s.tellCollinear(t.Name, &p, spare, len(which) > 0 && constantColumn(t, at+which[0]))
			if p.independent {
				own, widths[i] = kept, len(kept)
			}
		}
		out = append(out, own...)
		at += n
	}
	return out
}

// tellCollinear warns of columns that are combinations of others; of one whether it is constant.
func (s *session) tellCollinear(file string, p *part, spare []table.Column, constant bool) {
	if len(spare) == 0 {
		return
	}
	what, them, left := "is a combination", "it", "it is left out"
	if len(spare) == 1 && constant {
		what = "is the same in all rows, and so a combination"
	}
	if len(spare) > 1 {
		what, them, left = "are combinations", "them", "they are left out"
	}
	if !p.independent {
		left = "coefficients of these are not determined"
	}
	fmt.Fprintf(s.err, "warning: %s: %s %s of the columns of %s before %s: %s\n", file, namesOf(spare), what, p.called(), them, left)
}

// constantColumn reports whether a column is the same in all rows.
func constantColumn(t *table.Table, c int) bool {
	for i := c; i < len(t.Values); i += len(t.Columns) {
		if t.Values[i] != t.Values[c] {
			return false
		}
	}
	return true
}

// collinearColumns are those of n columns that are combinations of the ones before them: by the modified method of Gram and Schmidt.
func collinearColumns(t *table.Table, at, n int) (which []int) {
	var basis [][]float64
	for c := range n {
		x, length := make([]float64, t.Rows()), 0.0
		for i := range x {
			x[i] = t.Values[i*len(t.Columns)+at+c]
			length = math.Hypot(length, x[i])
		}
		for range 2 { // once more for the digits that the first time has lost
			for _, b := range basis {
				dot := 0.0
				for i := range x {
					dot += b[i] * x[i]
				}
				for i := range x {
					x[i] -= dot * b[i]
				}
			}
		}
		left := 0.0
		for i := range x {
			left = math.Hypot(left, x[i])
		}
		if !(left > collinear*length) {
			which = append(which, c)
			continue
		}
		for i := range x {
			x[i] /= left
		}
		basis = append(basis, x)
	}
	return which
}

// labels are what the entries of the parameters are called that belong to columns of what is given: those of the same length by its
// name.
func labels(p *spec.Problem, t *table.Table) map[string][]string {
	if len(givenColumns(p)) == 0 && t.Names == nil {
		return nil
	}
	parts, types := record(p), p.Record()
	vectors, rest := 0, len(t.Columns)
	for _, q := range parts {
		if q.vector && q.length == 0 {
			vectors++
		} else {
			rest -= max(q.length, 1)
		}
	}
	names, at := map[string][]string{}, 0
	maps.Copy(names, t.Names)
	for i, q := range parts {
		width := max(q.length, 1)
		if q.vector && q.length == 0 {
			width = rest / vectors
		}
		if !q.observed && q.vector {
			names[types[i].Type.Dims[0].String()] = t.Columns[at : at+width]
		}
		at += width
	}
	return entryNames(p, names)
}
