package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/sngdgen/sngdgen/internal/diag"
	"github.com/sngdgen/sngdgen/internal/table"
	"github.com/sngdgen/sngdgen/spec"
)

// part is one of the data of a variational objective: a number or a vector, for each row or once.
type part struct {
	name   string
	words  string // what people are told it is, where that is not its name
	typ    string
	byRow  bool
	vector bool
	length int    // of a vector that the spec pins, otherwise 0
	dim    string // the name of that length, where it has one
	// numbers is what a number of the entries of something is of.
	numbers numbered
	// observed is said of what the density is about.
	observed bool
	// independent is said of a vector that leaves out columns which are combinations of others.
	independent bool
}

// called is what people are told that a part is.
func (p part) called() string { return cmp.Or(p.words, p.name) }

// dataParts returns the data of a problem, in the order in which a model takes them.
func dataParts(p *spec.Problem) []part {
	var out []part
	for _, q := range p.VI.Data {
		one := part{name: q.Name, typ: q.Type.String(), numbers: numberedBy(p, q)}
		dims := q.Type.Dims
		if len(dims) > 0 && dims[0].Name == rowsName {
			one.byRow, dims = true, dims[1:]
		}
		if one.vector = len(dims) > 0; one.vector {
			one.length, one.dim = lengthOf(p, dims[0].Name, dims[0].Size), dims[0].Name
		}
		out = append(out, one)
	}
	return out
}

// rowsName is the dimension of what is given for each row.
const rowsName = "n"

// lengthOf returns the length of a dimension with a name or a size, 0 where the spec leaves it open.
func lengthOf(p *spec.Problem, name string, size int) int {
	if name == "" {
		return size
	}
	for _, pin := range p.Dimensions {
		if pin.Name == name {
			return pin.Size
		}
	}
	return 0
}

func anyByRow(parts []part) bool {
	return slices.ContainsFunc(parts, func(p part) bool { return p.byRow })
}

// orderOf says what the columns of a file are: X (some), then y.
func orderOf(parts []part) string {
	var words []string
	for _, p := range parts {
		word := p.name
		switch {
		case p.vector && p.length > 0:
			word += fmt.Sprintf(" (%d)", p.length)
		case p.vector:
			word += " (some)"
		}
		words = append(words, word)
	}
	return strings.Join(words, ", then ")
}

// readParts reads the data of a variational problem: one file with all parts, or files of parts given as NAME=FILE.
func (d *dataFlags) readParts(s *session, p *spec.Problem, path string, files []string, rows string) (*dataset, error) {
	parts := dataParts(p)
	switch {
	case len(parts) == 0:
		return nil, fmt.Errorf("%s has no data: there is nothing to fit it to", p.Package)
	case path != "" && namesFile(files):
		return nil, usageError{errors.New("the data are in one file or in those of --data, not in both: beside a file --data names columns of it")}
	case path != "" && (len(files) > 0 || ownNames(parts)):
		return d.readMappedParts(s, parts, path, files, rows)
	case len(files) > 0:
		return d.readFiles(s, parts, files, rows)
	case path == "":
		return nil, usageError{fmt.Errorf("which data? give one file with the columns %s, or --data %s=FILE for each part",
			orderOf(parts), parts[0].name)}
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
		for _, one := range splitFiles(arg) {
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
	if i := slices.IndexFunc(parts, func(p part) bool { return !p.byRow }); i >= 0 {
		return nil, usageError{fmt.Errorf("%s is given once, not in every row: give a file for each part, --data %s=FILE, and no other", parts[i].name,
			parts[i].name)}
	}
	t, widths, err := d.readMapped(s, parts, path, mapping, rows)
	if err != nil {
		return nil, err
	}
	out := &dataset{rows: t.Rows(), names: t.Names}
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
	if p := parts[only]; len(missing) > 1 || len(rest) == 0 || !p.vector && len(rest) > 1 {
		return nil, nil, &table.Error{Name: t.Name,
			Text: fmt.Sprintf("no column is named after %s, though some are after other parts of the data", p.name),
			Hint: fmt.Sprintf("name the columns with --column, in this order: %s", orderOf(parts))}
	}
	columns[only] = rest
	return columns, nil, nil
}

// named returns the columns that are named after a part: one of its name, or of a vector X those named X1, X2 and so on,
// or X0, X1, ..., also written X_1, X.1 or X[1], in the order of their numbers.
func named(p part, names []string) []int {
	if c := slices.Index(names, p.name); c >= 0 {
		return []int{c}
	}
	if !p.vector {
		return nil
	}
	type entry struct{ number, column int }
	var found []entry
	for c, name := range names {
		if k := entryNumber(p.name, name); k >= 0 {
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

// entryNumber returns the number of an entry of a vector by the name of its column, -1 when it is none.
func entryNumber(vector, column string) int {
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

// inOrder cuts the columns of a table into parts, one after the other. Vectors whose length the spec leaves open have
// equal shares of what the others leave.
func inOrder(parts []part, t *table.Table) ([][]int, error) {
	widths := make([]int, len(parts))
	rest, open := len(t.Columns), 0
	across := !anyByRow(parts) && t.Rows() > 1 // a column for each part
	for i, p := range parts {
		switch {
		case across || !p.vector:
			widths[i] = 1
		case p.length > 0:
			widths[i] = p.length
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
		if len(columns[i]) != 1 || !p.vector {
			return nil, &table.Error{Name: t.Name,
				Text: fmt.Sprintf("%s for %s, which is %s given once", plural(t.Rows(), "row"), p.name, p.typ),
				Hint: fmt.Sprintf("give one row with all entries, a column for each vector, or files of their own: --data %s=FILE", p.name)}
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
		if err == nil && !p.byRow {
			columns, err = onceCells(p, t, columns, repeated)
		}
		if err != nil {
			return nil, err
		}
		if p.byRow {
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
		if !p.byRow {
			o.Rows, o.SkipMissing = nil, false
		}
		t, err := s.readTable(paths[i], o)
		if err != nil {
			return nil, err
		}
		if tables = append(tables, t); !p.byRow {
			continue
		}
		if byRow = append(byRow, t); t.Seen != byRow[0].Seen {
			return nil, &table.Error{Name: t.Name, Text: fmt.Sprintf("%s of %s here, but %d in %s", plural(t.Seen, "row"), p.name,
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
	which, whole := named(p, t.Columns), p.byRow && p.vector
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
		return nil, &table.Error{Name: t.Name, Text: fmt.Sprintf("%s takes all columns, and there are no numbers in: %s", p.name,
			strings.Join(t.Ignored, ", ")), Hint: "leave them out of the file, or write words as numbers, such as 0 and 1"}
	case which == nil && !p.vector && p.byRow && len(t.Columns) > 1:
		return nil, &table.Error{Name: t.Name, Text: fmt.Sprintf("%s, but %s is one number a row", plural(len(t.Columns), "column"), p.name),
			Hint: "name its column " + p.name}
	case p.byRow && p.length > 0 && len(t.Columns) != p.length && len(which) != p.length:
		return nil, &table.Error{Name: t.Name, Text: fmt.Sprintf("%s, but %s has %d", plural(len(t.Columns), "column"), p.name, p.length)}
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
	case t.Rows() == 1 && (p.vector || len(columns) == 1):
		for i := range columns {
			columns[i].row = 0
		}
		return columns, nil
	case p.vector && len(columns) == 1:
		var out []cells
		for row := range t.Rows() {
			out = append(out, cells{t, columns[0].column, row})
		}
		return out, nil
	}
	return nil, &table.Error{Name: t.Name, Text: fmt.Sprintf("%s of %s for %s, which is %s given once", plural(t.Rows(), "row"),
		plural(len(columns), "column"), p.name, p.typ), Hint: "a number has one row and one column, a vector one row or one column"}
}

// partPaths returns the file of each part from arguments NAME=FILE, several in one with commas between them.
func partPaths(parts []part, files []string) ([]string, error) {
	paths := make([]string, len(parts))
	var names []string
	for _, p := range parts {
		names = append(names, p.name)
	}
	for _, arg := range files {
		for _, one := range splitFiles(arg) {
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

// splitFiles cuts X=x.csv,y=y.csv at the commas that a NAME= follows.
func splitFiles(arg string) []string {
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
