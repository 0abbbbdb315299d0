package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/sngdgen/sngdgen/internal/diag"
	"github.com/sngdgen/sngdgen/internal/record"
	"github.com/sngdgen/sngdgen/internal/table"
	"github.com/sngdgen/sngdgen/spec"
)

// part is one of the data of a problem.
type part = record.Part

func anyByRow(parts []part) bool {
	return slices.ContainsFunc(parts, func(p part) bool { return p.ByRow })
}

// orderOf says what the columns of a file are: X (some), then y.
func orderOf(parts []part) string {
	var words []string
	for _, p := range parts {
		word := p.Name
		switch {
		case p.Vector && p.Length > 0:
			word += fmt.Sprintf(" (%d)", p.Length)
		case p.Vector:
			word += " (some)"
		}
		words = append(words, word)
	}
	return strings.Join(words, ", then ")
}

// readParts reads the data of a variational problem: one file with all parts, or files of parts given as NAME=FILE.
func (d *dataFlags) readParts(s *session, p *spec.Problem, path string, files []string, rows string) (*dataset, error) {
	parts := record.Of(p)
	switch {
	case len(parts) == 0:
		return nil, fmt.Errorf("%s has no data: there is nothing to fit it to", p.Package)
	case path != "" && namesFile(files):
		return nil, usageError{errors.New("the data are in one file or in those of --data, not in both: beside a file --data names columns of it")}
	case path != "" && (len(files) > 0 || record.OwnNames(parts)):
		return d.readMappedParts(s, parts, path, files, rows)
	case len(files) > 0:
		return d.readFiles(s, parts, files, rows)
	case path == "":
		return nil, usageError{fmt.Errorf("which data? give one file with the columns %s, or --data %s=FILE for each part",
			orderOf(parts), parts[0].Name)}
	}
	t, columns, err := d.readColumns(s, parts, path, rows)
	if err != nil {
		return nil, err
	}
	if !anyByRow(parts) && t.Rows() > 1 {
		return transposed(parts, t, columns, d.Weights)
	}
	out := &dataset{rows: t.Rows()}
	for _, of := range columns {
		out.widths = append(out.widths, len(of))
		for _, c := range of {
			out.columns = append(out.columns, cells{t, c, everyRow})
		}
	}
	out.nameColumns(parts, out.widths)
	if t.Weights != nil {
		out.weights = t
	}
	return out, nil
}

// namesFile reports whether some NAME=FILE is one of a file.
func namesFile(args []string) bool {
	for _, arg := range args {
		for _, one := range record.Pairs(arg) {
			_, file, _ := strings.Cut(one, "=")
			if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() {
				return true
			}
		}
	}
	return false
}

// readMappedParts reads one file of whose columns --data says which part they are.
func (d *dataFlags) readMappedParts(s *session, parts []part, path string, mapping []string, rows string) (*dataset, error) {
	if i := slices.IndexFunc(parts, func(p part) bool { return !p.ByRow }); i >= 0 {
		return nil, usageError{fmt.Errorf("%s is given once, not in every row: give a file for each part, --data %s=FILE, and no other", parts[i].Name,
			parts[i].Name)}
	}
	t, widths, err := d.readMapped(s, parts, path, mapping, rows)
	if err != nil {
		return nil, err
	}
	out := &dataset{rows: t.Rows(), names: t.Names, widths: widths, arranged: t}
	for c := range t.Columns {
		out.columns = append(out.columns, cells{t, c, everyRow})
	}
	out.nameColumns(parts, widths)
	if t.Weights != nil {
		out.weights = t
	}
	return out, nil
}

// readColumns reads one file with the columns of several parts, and says which columns are those of each.
func (d *dataFlags) readColumns(s *session, parts []part, path, rows string) (t *table.Table, columns [][]int, err error) {
	o, err := d.options(true, rows)
	if err != nil {
		return nil, nil, err
	}
	if t, err = s.readTable(path, o); err != nil {
		return nil, nil, err
	}
	columns, left, err := assign(parts, t, len(d.Column) > 0)
	if err != nil {
		return nil, nil, err
	}
	s.tellLeftOut(t, left)
	return t, columns, nil
}

// assign finds the columns of each part: by the names in the header where these are those of parts, otherwise in order.
// Columns that are chosen are in order. What it leaves out is named.
func assign(parts []part, t *table.Table, chosen bool) (columns [][]int, left []string, err error) {
	if t.Header && !chosen {
		if columns, left, err = byName(parts, t); columns != nil || err != nil {
			return columns, left, err
		}
	}
	columns, err = inOrder(parts, t)
	return columns, nil, err
}

// byName finds parts by the names of columns. One part that none is named after has the others. Columns are nil when no
// part is found.
func byName(parts []part, t *table.Table) (columns [][]int, left []string, err error) {
	columns = make([][]int, len(parts))
	taken := make([]bool, len(t.Columns))
	var missing []int
	for i, p := range parts {
		if columns[i] = named(p, t.Columns); columns[i] == nil {
			missing = append(missing, i)
		}
		for _, c := range columns[i] {
			taken[c] = true
		}
	}
	if len(missing) == len(parts) {
		return nil, nil, nil
	}
	var rest []int
	for c, is := range taken {
		if !is {
			rest = append(rest, c)
		}
	}
	if len(missing) == 0 {
		for _, c := range rest {
			left = append(left, t.Columns[c])
		}
		return columns, left, nil
	}
	only := missing[0]
	if p := parts[only]; len(missing) > 1 || len(rest) == 0 || !p.Vector && len(rest) > 1 {
		return nil, nil, unnamed(parts, p, t)
	}
	columns[only] = rest
	return columns, nil, nil
}

// unnamed says that no column is named after a part, or that its column has texts, which are levels where --data names it.
func unnamed(parts []part, p part, t *table.Table) error {
	if !slices.Contains(t.Ignored, p.Name) {
		return &table.Error{Name: t.Name, Text: fmt.Sprintf("no column is named after %s, though some are after other parts of the data", p.Name),
			Hint: fmt.Sprintf("name the columns with --column, in this order: %s", orderOf(parts))}
	}
	var all []string
	for _, q := range parts {
		all = append(all, q.Name+"="+q.Name)
	}
	return &table.Error{Name: t.Name, Text: fmt.Sprintf("column %s has texts", p.Name),
		Hint: fmt.Sprintf("texts are levels of a part that is named: --data %s", strings.Join(all, ","))}
}

// named returns the columns that are named after a part: one of its name, or of a vector X those named X1, X2 and so on,
// or X0, X1, ..., also written X_1, X.1 or X[1], in the order of their numbers.
func named(p part, names []string) []int {
	if c := slices.Index(names, p.Name); c >= 0 {
		return []int{c}
	}
	if !p.Vector {
		return nil
	}
	type entry struct{ number, column int }
	var found []entry
	for c, name := range names {
		if k := record.EntryNumber(p.Name, name); k >= 0 {
			found = append(found, entry{k, c})
		}
	}
	slices.SortStableFunc(found, func(a, b entry) int { return a.number - b.number })
	var out []int
	for _, e := range found {
		out = append(out, e.column)
	}
	return out
}

// inOrder cuts the columns of a table into parts, one after the other. Vectors whose length the spec leaves open have
// equal shares of what the others leave.
func inOrder(parts []part, t *table.Table) ([][]int, error) {
	widths := make([]int, len(parts))
	rest, open := len(t.Columns), 0
	across := !anyByRow(parts) && t.Rows() > 1 // a column for each part
	for i, p := range parts {
		switch {
		case across || !p.Vector:
			widths[i] = 1
		case p.Length > 0:
			widths[i] = p.Length
		default:
			open++
		}
		rest -= widths[i]
	}
	if rest < 0 || open == 0 && rest > 0 || open > 0 && (rest < open || rest%open != 0) {
		return nil, &table.Error{Name: t.Name,
			Text: fmt.Sprintf("%s cannot be %s", plural(len(t.Columns), "column"), orderOf(parts)),
			Hint: "choose columns with --column, in this order"}
	}
	columns, at := make([][]int, len(parts)), 0
	for i := range parts {
		if widths[i] == 0 {
			widths[i] = rest / open
		}
		for range widths[i] {
			columns[i] = append(columns[i], at)
			at++
		}
	}
	return columns, nil
}

// transposed takes parts that are given once from the columns of a table, a row for each entry.
func transposed(parts []part, t *table.Table, columns [][]int, weights string) (*dataset, error) {
	if weights != "" {
		return nil, usageError{errors.New("--weights are those of rows, and the data are given once")}
	}
	out := &dataset{rows: 1}
	for i, p := range parts {
		if len(columns[i]) != 1 || !p.Vector {
			return nil, &table.Error{Name: t.Name,
				Text: fmt.Sprintf("%s for %s, which is %s given once", plural(t.Rows(), "row"), p.Name, p.Type),
				Hint: fmt.Sprintf("give one row with all entries, a column for each vector, or files of their own: --data %s=FILE", p.Name)}
		}
		for row := range t.Rows() {
			out.columns = append(out.columns, cells{t, columns[i][0], row})
		}
	}
	return out, nil
}

// readFiles reads parts from files of their own. What is given for each row has rows of the same number in all of them.
func (d *dataFlags) readFiles(s *session, parts []part, files []string, rows string) (*dataset, error) {
	if len(d.Column) > 0 || d.Weights != "" || len(d.Where) > 0 {
		return nil, usageError{errors.New("--column, --weights and --where choose from one file, not from those of --data")}
	}
	paths, err := partPaths(parts, files)
	if err != nil {
		return nil, err
	}
	tables, err := d.readTables(s, parts, paths, rows)
	if err != nil {
		return nil, err
	}
	out, repeated, widths := &dataset{rows: 1}, anyByRow(parts), []int(nil)
	for i, p := range parts {
		t := tables[i]
		columns, err := partColumns(s, p, t)
		if err == nil && !p.ByRow {
			columns, err = onceCells(p, t, columns, repeated)
		}
		if err != nil {
			return nil, err
		}
		if p.ByRow {
			out.rows = t.Rows()
		}
		out.columns, widths = append(out.columns, columns...), append(widths, len(columns))
	}
	out.nameColumns(parts, widths)
	return out, nil
}

// readTables reads the file of each part. Of those that are given for each row the same rows are kept.
func (d *dataFlags) readTables(s *session, parts []part, paths []string, rows string) ([]*table.Table, error) {
	var tables, byRow []*table.Table
	for i, p := range parts {
		o, err := d.options(true, rows)
		if err != nil {
			return nil, err
		}
		if !p.ByRow {
			o.Rows, o.SkipMissing = nil, false
		}
		t, err := s.readTable(paths[i], o)
		if err != nil {
			return nil, err
		}
		if tables = append(tables, t); !p.ByRow {
			continue
		}
		if byRow = append(byRow, t); t.Seen != byRow[0].Seen {
			return nil, &table.Error{Name: t.Name, Text: fmt.Sprintf("%s of %s here, but %d in %s", plural(t.Seen, "row"), p.Name,
				byRow[0].Seen, byRow[0].Name), Hint: "rows of the same number belong together"}
		}
	}
	for _, t := range byRow {
		for _, other := range byRow {
			t.Keep(other.Numbers())
		}
		if t.Rows() == 0 {
			return nil, &table.Error{Name: t.Name, Text: "no data: in each row a value is missing in one of the files"}
		}
	}
	return tables, nil
}

// partColumns returns the columns of a part in a file of its own: all of them where it has a vector in each row, whatever
// their names. Other parts are in one column, which a name may tell from others.
func partColumns(s *session, p part, t *table.Table) ([]cells, error) {
	which, whole := named(p, t.Columns), p.ByRow && p.Vector
	if whole && len(which) < len(t.Columns) {
		which = nil
	}
	var left []string
	for c, name := range t.Columns {
		if which != nil && !slices.Contains(which, c) {
			left = append(left, name)
		}
	}
	switch {
	case whole && len(t.Ignored) > 0:
		return nil, &table.Error{Name: t.Name, Text: fmt.Sprintf("%s takes all columns, and there are no numbers in: %s", p.Name,
			strings.Join(t.Ignored, ", ")), Hint: "leave them out of the file, or write words as numbers, such as 0 and 1"}
	case which == nil && !p.Vector && p.ByRow && len(t.Columns) > 1:
		return nil, &table.Error{Name: t.Name, Text: fmt.Sprintf("%s, but %s is one number a row", plural(len(t.Columns), "column"), p.Name),
			Hint: "name its column " + p.Name}
	case p.ByRow && p.Length > 0 && len(t.Columns) != p.Length && len(which) != p.Length:
		return nil, &table.Error{Name: t.Name, Text: fmt.Sprintf("%s, but %s has %d", plural(len(t.Columns), "column"), p.Name, p.Length)}
	}
	s.tellLeftOut(t, left)
	if which == nil {
		for c := range t.Columns {
			which = append(which, c)
		}
	}
	var out []cells
	for _, c := range which {
		out = append(out, cells{t, c, everyRow})
	}
	return out, nil
}

// onceCells are those of a part that is given once: a row of entries, or a column of them.
func onceCells(p part, t *table.Table, columns []cells, repeated bool) ([]cells, error) {
	switch {
	case t.Rows() == 1 && (p.Vector || len(columns) == 1):
		for i := range columns {
			columns[i].row = 0
		}
		return columns, nil
	case p.Vector && len(columns) == 1:
		var out []cells
		for row := range t.Rows() {
			out = append(out, cells{t, columns[0].column, row})
		}
		return out, nil
	}
	return nil, &table.Error{Name: t.Name, Text: fmt.Sprintf("%s of %s for %s, which is %s given once", plural(t.Rows(), "row"),
		plural(len(columns), "column"), p.Name, p.Type), Hint: "a number has one row and one column, a vector one row or one column"}
}

// partPaths returns the file of each part from arguments NAME=FILE, several in one with commas between them.
func partPaths(parts []part, files []string) ([]string, error) {
	paths := make([]string, len(parts))
	var names []string
	for _, p := range parts {
		names = append(names, p.Name)
	}
	for _, arg := range files {
		for _, one := range record.Pairs(arg) {
			name, path, ok := strings.Cut(one, "=")
			i := slices.Index(names, name)
			switch {
			case !ok || path == "":
				return nil, usageError{fmt.Errorf("--data %s: write NAME=FILE, with a NAME among %s", one, strings.Join(names, ", "))}
			case i < 0:
				hint := "they are " + strings.Join(names, ", ")
				if meant := diag.Suggest(name, names); meant != "" {
					hint = fmt.Sprintf("did you mean %q? %s", meant, hint)
				}
				return nil, usageError{fmt.Errorf("--data %s: no part of the data is named %q: %s", one, name, hint)}
			case paths[i] != "":
				return nil, usageError{fmt.Errorf("--data: two files for %s", name)}
			}
			paths[i] = path
		}
	}
	if i := slices.Index(paths, ""); i >= 0 {
		return nil, usageError{fmt.Errorf("--data: no file for %s: write --data %s=FILE", names[i], names[i])}
	}
	return paths, nil
}
