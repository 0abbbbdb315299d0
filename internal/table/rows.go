package table

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Rows are numbers of rows, from 1; those of the header, of comments and of empty lines between rows do not count. Nil means
// all.
type Rows []span

// span is a range of rows with both of its ends.
type span struct{ first, last int }

// mostSpans is how many ranges are taken, which may come from a script.
const mostSpans = 10_000

// ParseRows reads numbers and ranges with commas between them: 1:100 has 100 rows, 7: those from the seventh on, :5 the
// first five.
func ParseRows(text string) (Rows, error) {
	var out Rows
	for part := range strings.SplitSeq(text, ",") {
		s, err := parseSpan(strings.TrimSpace(part))
		if err != nil {
			return nil, err
		}
		if out = append(out, s); len(out) > mostSpans {
			return nil, fmt.Errorf("more than %d ranges of rows", mostSpans)
		}
	}
	slices.SortFunc(out, func(a, b span) int { return cmp.Compare(a.first, b.first) })
	return out.merged(), nil
}

func parseSpan(text string) (span, error) {
	s := span{1, math.MaxInt}
	first, last, ranged := strings.Cut(text, ":")
	if !ranged {
		last = first
	}
	var err error
	for _, end := range []struct {
		text string
		to   *int
	}{{first, &s.first}, {last, &s.last}} {
		if end.text != "" && err == nil {
			*end.to, err = strconv.Atoi(strings.TrimSpace(end.text))
		}
	}
	if err != nil || text == "" || text == ":" || s.first < 1 || s.last < s.first {
		return s, fmt.Errorf("%q is no range of rows: write 1:100, or a list such as 1:100,150", clip(text))
	}
	return s, nil
}

// merged joins ranges that overlap.
func (r Rows) merged() Rows {
	out := r[:1]
	for _, s := range r[1:] {
		if top := &out[len(out)-1]; s.first <= top.last {
			top.last = max(top.last, s.last)
		} else {
			out = append(out, s)
		}
	}
	return out
}

// has reports whether a row is among them.
func (r Rows) has(row int) bool {
	if r == nil {
		return true
	}
	i, _ := slices.BinarySearchFunc(r, row, func(s span, row int) int { return cmp.Compare(s.last, row) })
	return i < len(r) && r[i].first <= row
}

// endBefore reports whether none of them is at a row or after it.
func (r Rows) endBefore(row int) bool { return r != nil && r[len(r)-1].last < row }

// Condition is one on the cells of a column, which need not be read otherwise.
type Condition struct {
	Column string // by name or by number from 1
	op     string
	value  string
	number float64 // the value, where it is one
}

// operators are those of conditions; what begins with another stands before it.
var operators = []string{"!=", "<=", ">=", "==", "=", "<", ">"}

// ParseCondition reads a condition such as species=setosa or age>=18. What is compared with = or != are numbers where both
// sides are, and otherwise words.
func ParseCondition(text string) (Condition, error) {
	at, op := len(text), ""
	for _, candidate := range operators {
		if i := strings.Index(text, candidate); i >= 0 && i < at {
			at, op = i, candidate
		}
	}
	if op == "" || strings.TrimSpace(text[:at]) == "" {
		return Condition{}, fmt.Errorf("%q is no condition: write COLUMN=VALUE, with one of = != < <= > >=", clip(text))
	}
	c := Condition{Column: strings.TrimSpace(text[:at]), op: op, value: strings.TrimSpace(text[at+len(op):])}
	var err error
	if c.number, err = strconv.ParseFloat(c.value, 64); err != nil || math.IsNaN(c.number) {
		if c.ordered() {
			return c, fmt.Errorf("%s compares numbers, and %q is none", op, clip(c.value))
		}
		c.number = math.NaN()
	}
	return c, nil
}

func (c *Condition) ordered() bool { return strings.ContainsAny(c.op, "<>") }

// equality reports whether the column has one value in all rows that the condition leaves.
func (c *Condition) equality() bool { return c.op == "=" || c.op == "==" }

// errNotNumber is that of a cell which is compared with a number.
var errNotNumber = errors.New("not a number")

// holds reports whether a cell meets the condition: x, or what it is as a text where that is NaN. A cell without a value does not, unless that is
// asked for.
func (c *Condition) holds(x float64, cell string) (bool, error) {
	same := x == c.number || math.IsNaN(x) && cell == c.value
	switch {
	case c.equality():
		return same, nil
	case c.op == "!=":
		return !same, nil
	case math.IsNaN(x) && isMissing(cell):
		return false, nil
	case math.IsNaN(x):
		return false, errNotNumber
	}
	return c.op == "<" && x < c.number || c.op == "<=" && x <= c.number || c.op == ">" && x > c.number ||
		c.op == ">=" && x >= c.number, nil
}
