package record

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/internal/diag"
	"github.com/sngdgen/sngdgen/internal/regression"
	"github.com/sngdgen/sngdgen/internal/table"
	"github.com/sngdgen/sngdgen/spec"
)

// Term is what a part of a record is made of: a product of factors, each one column of the file or several. No factors are 1.
type Term []factor

// factor is a name, a number, a range or a pattern of columns.
type factor struct {
	text     string
	category bool     // asked for by factor(...)
	order    []string // of the levels, where it is given
	term     int      // its place among the terms of the table
	computed *table.Computed
	of       []int // the places of the columns that it is computed from
}

// Read reads rows whose parts are made of columns as each NAME=TERM+TERM of a mapping says; of columns of their own names where none
// does. It also returns of how many columns each part is made.
func (r *Reader) Read(parts []Part, mapping []string) (t *table.Table, widths []int, err error) {
	of, err := parseMapping(parts, mapping)
	if err != nil {
		return nil, nil, err
	}
	t, widths, err = r.ReadTerms(parts, of)
	return t, widths, unsaid(err, parts, mapping)
}

// ReadTerms is Read of terms.
func (r *Reader) ReadTerms(parts []Part, of [][]Term) (t *table.Table, widths []int, err error) {
	o := r.Options
	chooseColumns(of, &o)
	o.Apart = scalarColumns(parts, of)
	o.Categories = append(o.Categories, categories(parts, of)...)
	if t, err = r.Open(o); err != nil {
		return nil, nil, err
	}
	if err := compute(of, t); err != nil {
		return nil, nil, err
	}
	if t.Missing > 0 {
		fmt.Fprintf(r.Notes, "note: %s: left out %s in which a value is missing, of %d\n", t.Name, expr.Plural(t.Missing, "row"), t.Missing+t.Rows())
	}
	return r.arranged(parts, of, t)
}

// Columns are terms that are columns of a file by their names, whatever these are.
func Columns(names []string) (out []Term) {
	for _, name := range names {
		out = append(out, Term{{text: name}})
	}
	return out
}

// chooseColumns asks for the columns that terms are made of.
func chooseColumns(of [][]Term, o *table.Options) {
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
func unsaid(err error, parts []Part, mapping []string) error {
	var fault *table.Error
	if !errors.As(err, &fault) || fault.Line > 0 {
		return err
	}
	for _, p := range parts {
		said := slices.ContainsFunc(mapping, func(arg string) bool {
			return slices.ContainsFunc(Pairs(arg), func(one string) bool { return strings.HasPrefix(strings.TrimSpace(one), p.Name+"=") })
		})
		if !said && fault.Text == fmt.Sprintf("no column %q", p.Name) {
			fault.Hint = fmt.Sprintf("say which column %s is by --data %s=COLUMN; %s", p.Name, p.Name, fault.Hint)
		}
	}
	return err
}

// scalarColumns are those that numbers of a row are made of, which the term for all other columns leaves out.
func scalarColumns(parts []Part, of [][]Term) (out []string) {
	for i, terms := range of {
		if parts[i].Vector {
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
func compute(of [][]Term, t *table.Table) error {
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
							f.computed.Columns[j], expr.Plural(len(t.Terms[k]), "column"), f.text)}
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
func parseMapping(parts []Part, mapping []string) ([][]Term, error) {
	var names []string
	for _, p := range parts {
		names = append(names, p.Name)
	}
	out := make([][]Term, len(parts))
	for _, arg := range mapping {
		for _, one := range Pairs(arg) {
			name, text, ok := strings.Cut(one, "=")
			name = strings.TrimSpace(name)
			i := slices.Index(names, name)
			switch {
			case !ok || strings.TrimSpace(text) == "":
				return nil, Fault{fmt.Errorf("--data %s: write NAME=COLUMN, or COLUMN+COLUMN for a vector, with a NAME among %s", one,
					strings.Join(names, ", "))}
			case i < 0:
				hint := "they are " + strings.Join(names, ", ")
				if meant := diag.Suggest(name, names); meant != "" {
					hint = fmt.Sprintf("did you mean %q? %s", meant, hint)
				}
				return nil, Fault{fmt.Errorf("--data %s: no part of the data is named %q: %s", one, name, hint)}
			case out[i] != nil:
				return nil, Fault{fmt.Errorf("--data: %s is said twice", name)}
			}
			terms, err := ParseTerms(text, parts[i].Vector)
			if err != nil {
				return nil, Fault{fmt.Errorf("--data %s: %w", one, err)}
			}
			out[i] = terms
		}
	}
	for i, p := range parts {
		if out[i] == nil { // a column of the same name
			if p.Vector {
				return nil, Fault{fmt.Errorf("--data does not say what %s is made of: write %s=COLUMN+COLUMN", p.Name, p.Name)}
			}
			out[i] = []Term{{{text: p.Name}}}
		}
	}
	return out, nil
}

// ParseTerms reads 1 + age + sex*dose + factor(group). In a vector 1 is the number; what is one number itself is a column, the first.
func ParseTerms(text string, vector bool) ([]Term, error) {
	pieces, err := crossedPieces(text)
	if err != nil {
		return nil, err
	}
	var out []Term
	for _, piece := range pieces {
		if piece == "1" && vector {
			out = append(out, Term{})
			continue
		}
		var t Term
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

// Several reports whether a term is known to make as many columns as a file has levels or names for it. Any other may be a column of words.
func Several(term string) bool {
	if term == table.AllOthers {
		return true
	}
	return slices.ContainsFunc(regression.Split(term, ':'), func(name string) bool {
		f, err := parseFactor(strings.TrimSpace(name))
		return err == nil && f.computed == nil && (f.category || strings.Contains(f.text, "*") || strings.Contains(f.text, ".."))
	})
}

// crossedPieces are the terms of a sum, with a*b written out as far as its terms do not stand there already. What is written twice is there twice.
func crossedPieces(text string) (pieces []string, err error) {
	implied := map[string]bool{}
	for _, piece := range regression.Split(text, '+') {
		if piece = strings.TrimSpace(piece); piece == "" {
			return nil, errors.New("a term is missing beside +")
		}
		more, err := regression.Crossed(piece)
		if err != nil {
			return nil, err
		}
		for _, t := range more {
			if (len(more) > 1 || implied[t]) && slices.Contains(pieces, t) {
				continue
			}
			implied[t] = len(more) > 1
			pieces = append(pieces, t)
		}
	}
	return pieces, nil
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
func (r *Reader) arranged(parts []Part, of [][]Term, t *table.Table) (*table.Table, []int, error) {
	numbering, names, err := r.levelColumns(parts, of, t)
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
		case !p.Vector && len(own) == 0:
			return nil, nil, oneLevel(p, of[i], t)
		case !p.Vector && len(own) != 1:
			return nil, nil, &table.Error{Name: t.Name, Text: fmt.Sprintf("%s is one number, but is to be made of %s: %s", p.Called(),
				expr.Plural(len(own), "column"), namesOf(own)), Hint: oneColumnHint(p, own)}
		case p.Vector && p.Length > 0 && len(own) != p.Length:
			return nil, nil, &table.Error{Name: t.Name, Text: fmt.Sprintf("%s has %d entries, but is to be made of %s: %s", p.Called(), p.Length,
				expr.Plural(len(own), "column"), namesOf(own))}
		}
		if p.Observed {
			for _, c := range own {
				response = append(response, c.Of...)
			}
		}
		for _, c := range own {
			if !p.Observed && slices.ContainsFunc(c.Of, func(k int) bool { return slices.Contains(response, k) }) {
				return nil, nil, &table.Error{Name: t.Name, Text: fmt.Sprintf("%s is what is explained, but also part of %s", t.Columns[c.Of[0]], p.Called()),
					Hint: "leave it out there"}
			}
		}
		if p.Vector {
			fmt.Fprintf(r.Notes, "note: %s is %s\n", p.Called(), namesOf(own))
		}
		columns, widths = append(columns, own...), append(widths, len(own))
	}
	for k, levels := range t.Levels {
		if levels != nil && !slices.ContainsFunc(slices.Collect(maps.Values(numbering)), func(c table.Column) bool { return c.Of[0] == k }) {
			fmt.Fprintf(r.Notes, "note: %s has %s; %s is the reference\n", t.Columns[k], expr.Plural(len(levels), "level"), levels[0])
		}
	}
	out, err := r.withoutCollinear(parts, columns, widths, t)
	if err != nil {
		return nil, nil, err
	}
	r.tellMany(parts, widths, t)
	if err := r.tellExplained(parts, widths, out); err != nil {
		return nil, nil, err
	}
	out.Names = names
	return out, widths, nil
}

// oneLevel says that a column of labels of which an indicator is to be made has the same one in all rows.
func oneLevel(p Part, terms []Term, t *table.Table) error {
	e := &table.Error{Name: t.Name, Text: p.Called() + " is one number, but is to be made of no column", Hint: fmt.Sprintf("write %s=COLUMN", p.Name)}
	for _, term := range terms {
		for _, f := range term {
			for _, k := range t.Terms[f.term] {
				if t.Levels != nil && len(t.Levels[k]) == 1 {
					e.Text = fmt.Sprintf("%s is %s in all rows: %s is 1 for one of two labels and 0 for the other", t.Columns[k], t.Levels[k][0], p.Called())
					e.Hint = fmt.Sprintf("rows with another label are missing, or the wrong column is named; I(%s==...) compares with a number", t.Columns[k])
				}
			}
		}
	}
	return e
}

// oneColumnHint says what would be one column in the place of several.
func oneColumnHint(p Part, own []table.Column) string {
	if slices.ContainsFunc(own, func(c table.Column) bool { return slices.ContainsFunc(c.Level, func(l int) bool { return l >= 0 }) }) {
		return "a column of labels has an indicator for each but the first; a number is a column of numbers"
	}
	return fmt.Sprintf("write %s=COLUMN, or a sum as %[1]s=I(COLUMN + COLUMN)", p.Name)
}

// tellMany warns of predictors with as many columns as there are rows, each of which they explain by itself.
func (r *Reader) tellMany(parts []Part, widths []int, t *table.Table) {
	for i, p := range parts {
		if p.Observed || !p.Vector || widths[i] < t.Rows() {
			continue
		}
		fmt.Fprintf(r.Notes, "warning: %s: %s has %s for %s: its coefficients can explain every row by itself\n", t.Name, p.Called(),
			expr.Plural(widths[i], "column"), expr.Plural(t.Rows(), "row"))
		for k, levels := range t.Levels {
			if 2*len(levels) > t.Rows() {
				fmt.Fprintf(r.Notes, "hint: %s has %s; is it a name or a number of rows?\n", t.Columns[k], expr.Plural(len(levels), "level"))
			}
		}
	}
}

// tellExplained warns of a response that is a combination of the columns of a linear predictor: it is explained exactly, so that a density
// whose scale is estimated rises without end as that goes to 0. Of as many columns as rows tellMany says it.
func (r *Reader) tellExplained(parts []Part, widths []int, t *table.Table) error {
	y, x := -1, -1
	starts, at := make([]int, len(parts)), 0
	for i, p := range parts {
		switch {
		case p.Observed:
			y = i
		case p.Linear && x < 0:
			x = i
		}
		starts[i] = at
		at += widths[i]
	}
	if y < 0 || x < 0 || widths[x] >= t.Rows() || float64(t.Rows())*float64(widths[x])*float64(widths[x]) >= mostCollinear {
		return nil
	}
	var columns []table.Column
	for k := range widths[x] {
		columns = append(columns, table.Column{Name: t.Columns[starts[x]+k], Of: []int{starts[x] + k}, Level: []int{-1}})
	}
	columns = append(columns, table.Column{Name: t.Columns[starts[y]], Of: []int{starts[y]}, Level: []int{-1}})
	both, err := t.Arrange(columns)
	if err != nil {
		return err
	}
	which, err := collinearColumns(both, 0, len(columns))
	if err != nil {
		return err
	}
	if slices.Contains(which, widths[x]) {
		fmt.Fprintf(r.Notes, "warning: %s: %s is a combination of the columns of %s, which explain it exactly: the likelihood of a scale has no maximum then\n", t.Name,
			t.Columns[starts[y]], parts[x].Called())
	}
	return nil
}

// columnsOf are the columns of a term: of labels an indicator for each but the first.
func columnsOf(factors Term, t *table.Table) []table.Column {
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
func (r *Reader) withoutCollinear(parts []Part, columns []table.Column, widths []int, from *table.Table) (*table.Table, error) {
	t, err := from.Arrange(columns)
	if err != nil {
		return nil, err
	}
	var out []table.Column
	at := 0
	for i, p := range parts {
		n := widths[i]
		own := columns[at : at+n]
		if p.Vector && float64(t.Rows())*float64(n)*float64(n) < mostCollinear {
			var spare, kept []table.Column
			which, err := collinearColumns(t, at, n)
			if err != nil {
				return nil, err
			}
			for k, c := range own {
				if slices.Contains(which, k) {
					spare = append(spare, c)
				} else {
					kept = append(kept, c)
				}
			}
			r.tellCollinear(t.Name, &p, madeUp(t, at, n, which, spare), len(which) > 0 && constantColumn(t, at+which[0]))
			if p.Independent {
				own, widths[i] = kept, len(kept)
			}
		}
		out = append(out, own...)
		at += n
	}
	if len(out) == len(columns) {
		return t, nil
	}
	return from.Arrange(out)
}

// mostMadeUp is of how many columns it is said how they are made up of others.
const mostMadeUp = 5

// madeUp adds to the names of columns that are combinations of others which ones they are: twice (2*age).
func madeUp(t *table.Table, at, n int, which []int, spare []table.Column) []table.Column {
	var others []int
	for k := range n {
		if !slices.Contains(which, k) {
			others = append(others, at+k)
		}
	}
	out := slices.Clone(spare)
	for i, k := range which[:min(len(which), mostMadeUp)] {
		if of := t.Combination(at+k, others); of != "" && !strings.Contains(out[i].Name, of) {
			out[i].Name += " (" + of + ")"
		}
	}
	return out
}

// tellCollinear warns of columns that are combinations of others; of one whether it is constant.
func (r *Reader) tellCollinear(file string, p *Part, spare []table.Column, constant bool) {
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
	if !p.Independent {
		left = "coefficients of these are not determined"
	}
	fmt.Fprintf(r.Notes, "warning: %s: %s %s of the columns of %s before %s: %s\n", file, namesOf(spare), what, p.Called(), them, left)
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
func collinearColumns(t *table.Table, at, n int) (which []int, err error) {
	scratch := t.Scratch()
	defer scratch.Close()
	var basis [][]float64
	for c := range n {
		x, err := scratch.Numbers(t.Rows())
		if err != nil {
			return nil, err
		}
		length := 0.0
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
	return which, nil
}

// Labels are what the entries of the parameters are called that belong to columns of what is given: those of the same length by its
// name.
func Labels(p *spec.Problem, t *table.Table) map[string][]string {
	if len(p.Given()) == 0 && t.Names == nil {
		return nil
	}
	parts, types := Of(p), p.Record()
	vectors, rest := 0, len(t.Columns)
	for _, q := range parts {
		if q.Vector && q.Length == 0 {
			vectors++
		} else {
			rest -= max(q.Length, 1)
		}
	}
	names, at := map[string][]string{}, 0
	maps.Copy(names, t.Names)
	for i, q := range parts {
		width := max(q.Length, 1)
		if q.Vector && q.Length == 0 {
			width = rest / vectors
		}
		if !q.Observed && q.Vector {
			names[types[i].Type.Dims[0].String()] = t.Columns[at : at+width]
		}
		at += width
	}
	return EntryNames(p, names)
}

// Pairs cuts X=x.csv,y=y.csv at the commas that a NAME= follows.
func Pairs(arg string) []string {
	var out []string
	for piece := range strings.SplitSeq(arg, ",") {
		name, _, ok := strings.Cut(piece, "=")
		if len(out) > 0 && !(ok && !strings.ContainsAny(name, `/\`)) {
			out[len(out)-1] += "," + piece // a comma in the name of a file
			continue
		}
		out = append(out, piece)
	}
	return out
}
