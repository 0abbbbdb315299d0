package table

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/types"
)

// Error is a fault of a data file.
type Error struct {
	Name string // of the file
	Line int    // from 1; 0 when the fault has no place
	Col  int    // in bytes from 1; 0 when the fault concerns a line
	Text string
	Hint string // what to do about it; may be empty
}

func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Name)
	if e.Line > 0 {
		fmt.Fprintf(&b, ":%d", e.Line)
	}
	if e.Line > 0 && e.Col > 0 {
		fmt.Fprintf(&b, ":%d", e.Col)
	}
	b.WriteString(": ")
	b.WriteString(e.Text)
	if e.Hint != "" {
		b.WriteString("\nhint: ")
		b.WriteString(e.Hint)
	}
	return b.String()
}

// Errors are the faults of a data file, in the order in which they stand.
type Errors []*Error

// Error lists the faults one a line. A hint that several share is given once, after the last of them.
func (l Errors) Error() string {
	var b strings.Builder
	for i, e := range l {
		if i > 0 {
			b.WriteByte('\n')
		}
		plain := *e
		if i+1 < len(l) && l[i+1].Hint == e.Hint {
			plain.Hint = ""
		}
		b.WriteString(plain.Error())
	}
	return b.String()
}

// Locate turns a value that a model refused into a fault of the file it came from. Other errors are returned as they
// are.
func (t *Table) Locate(err error) error {
	var d *runtime.DataError
	if !errors.As(err, &d) || d.Row < 0 || d.Row >= t.Rows() {
		return err
	}
	if d.Outside != nil {
		return t.outside(d.Outside)
	}
	if d.Whole {
		return Errors{t.whole(d)}
	}
	e := &Error{Name: t.file(d.Row), Line: int(t.lines.at(d.Row))}
	where := fmt.Sprintf("row %d", t.numbers.at(d.Row))
	switch {
	case d.Name == "weight":
		where = "weight, " + where
	case d.Columns == 0 && d.Column == 0 && len(t.Columns) > 1: // something of the row as a whole
		where = d.Name + ", " + where
	case d.Column >= 0 && d.Column < len(t.Columns):
		e.Col = int(t.cell(d.Row*len(t.Columns) + d.Column))
		where = t.Columns[d.Column] + ", " + where
	}
	e.Text = fmt.Sprintf("%v is not %s (%s)", d.Value, d.Want, where)
	if e.Col > 0 && !strings.ContainsAny(t.Columns[d.Column], "()=:") { // a column of the file, which has a name there
		e.Hint = wantHint(d.Value, d.Want, t.Columns[d.Column])
	}
	return Errors{e}
}

// wantHint says what to do about a number that is not of the type that a spec declares.
func wantHint(x float64, want, column string) string {
	index, atMost := strings.CutPrefix(want, "a whole number from 1 to ")
	switch {
	case want == types.Index.Want:
		return fmt.Sprintf("indices count from 1; factor(%s) in place of %s takes all values as levels, whatever they are", column, column)
	case atMost:
		return fmt.Sprintf("the spec has %s entries, by their types or under dimensions: without that the data say how many there are", index)
	case want == types.Binary.Want && x == math.Trunc(x):
		return fmt.Sprintf("I(%s==%v) is 1 where %s is %v, and 0 elsewhere", column, x, column, x)
	case want == types.Count.Want && x != math.Trunc(x):
		return fmt.Sprintf("counts have no fractions: a mistyped number, or is the variable to be real or positive? --where=%s!=%v leaves the row out", column, x)
	case want == types.Integer.Want:
		return "whole numbers have no fractions: a mistyped number, or is the variable to be real?"
	case want == types.Positive.Want && x <= 0:
		return fmt.Sprintf("the spec declares it positive; --where='%s>0' leaves such rows out", column)
	case want == types.Count.Want:
		return fmt.Sprintf("the spec declares it a count; --where='%s>=0' leaves such rows out", column)
	}
	return ""
}

// outside are the rows of a file that lie outside the support of a distribution, the first of them with their places.
func (t *Table) outside(o *runtime.Outside) error {
	hint := fmt.Sprintf("%d of %d rows are outside the support of the distribution; --where leaves rows out", o.Count, t.Rows())
	if o.Count == 1 {
		hint = fmt.Sprintf("1 of %d rows is outside the support of the distribution; --where leaves rows out", t.Rows())
	}
	var out Errors
	for i, row := range o.Rows {
		if row >= t.Rows() {
			continue
		}
		out = append(out, t.outsideRow(row, o.Conditions[i], o.Columns[i], hint))
	}
	return out
}

// outsideRow says which condition a row does not meet, with the numbers that it is about.
func (t *Table) outsideRow(row int, condition string, columns []int, hint string) *Error {
	return &Error{Name: t.file(row), Line: int(t.lines.at(row)), Text: fmt.Sprintf("%s does not hold (%srow %d)", condition, t.shown(row, columns), t.numbers.at(row)),
		Hint: hint}
}

// whole says what is wrong with a row as a whole.
func (t *Table) whole(d *runtime.DataError) *Error {
	columns := d.Shown
	if columns == nil {
		for i := range t.Columns {
			columns = append(columns, i)
		}
	}
	return &Error{Name: t.file(d.Row), Line: int(t.lines.at(d.Row)),
		Text: fmt.Sprintf("%s is %v, not %s (%srow %d)", d.Name, d.Value, d.Want, t.shown(d.Row, columns), t.numbers.at(d.Row)),
		Hint: "numbers may be too large for the start, or data impossible: a condition such as support: [y <= trials] in a spec says which rows these are"}
}

// mostShown is how many numbers of a row a message shows.
const mostShown = 6

// shown are numbers of a row under the names of their columns, each with a comma behind it.
func (t *Table) shown(row int, columns []int) string {
	var out strings.Builder
	for i, c := range columns {
		switch {
		case c >= len(t.Columns):
		case i == mostShown:
			out.WriteString("..., ")
		case i < mostShown:
			fmt.Fprintf(&out, "%s = %v, ", t.Columns[c], t.Values[row*len(t.Columns)+c])
		}
	}
	return out.String()
}
