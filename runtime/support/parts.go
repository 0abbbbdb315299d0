package support

import (
	"fmt"
	"slices"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/types"
)

// Part is a part of the rows of a data set: one number or several, of one type.
type Part struct {
	Name  string
	Type  types.Type
	Width int // how many numbers
	// Levels is the greatest number where they number entries: 0 allows all.
	Levels int
	// Beyond is how much more than Levels the greatest number may be.
	Beyond int
}

// Split validates data whose rows consist of parts, and keeps a copy of each, a column for each part in their order; of one part it is the
// data themselves where these are Kept.
func Split(d runtime.Data, parts []Part) (Rows, error) {
	rows, err := split(d, parts)
	if err := Agreed(d.Others, err); err != nil {
		return nil, err
	}
	return rows.shared(d.Others)
}

func split(d runtime.Data, parts []Part) (Rows, error) {
	width := 0
	for _, p := range parts {
		width += p.Width
	}
	if max(d.Columns, 1) != width || len(d.Values) == 0 || len(d.Values)%width != 0 {
		return nil, fmt.Errorf("%d values in %s are no rows of %d", len(d.Values), plural(max(d.Columns, 1), "column"), width)
	}
	n, at := len(d.Values)/width, 0
	if err := checkWeights(d.Weights, n); err != nil {
		return nil, err
	}
	weights, err := weightColumn(d, n)
	if err != nil {
		return nil, err
	}
	rows := Rows{weights}
	for _, p := range parts {
		values, err := part(d, width, at, p.Width)
		if err != nil {
			return nil, err
		}
		if err := CheckData(runtime.Data{Values: values, Columns: p.Width}, p.Width, p.Type, p.Name); err != nil {
			return nil, shifted(err, at, width)
		}
		if err := checkLevels(values, p); err != nil {
			return nil, shifted(err, at, width)
		}
		rows.Keep(p.Width, values)
		at += p.Width
	}
	return rows, nil
}

// part keeps so many numbers from one on of all rows, of which each has a width.
func part(d runtime.Data, width, at, n int) ([]float64, error) {
	if n == width {
		return kept(d, d.Values)
	}
	out, err := room(d.Room).make(len(d.Values) / width * n)
	if err != nil {
		return nil, err
	}
	for to, from := 0, at; to < len(out); to, from = to+n, from+width {
		copy(out[to:to+n], d.Values[from:from+n])
	}
	return out, nil
}

// Side returns the length L for which rows have fixed + times L + squares L^2 columns, 0 where there is none.
func Side(columns, fixed, times, squares int) int {
	for length := 1; ; length++ {
		switch n := fixed + times*length + squares*length*length; {
		case n == columns:
			return length
		case n > columns:
			return 0
		}
	}
}

// maxLevels is how many entries data may number where nobody has said how many there are: each has a number or more in memory.
const maxLevels = 1 << 24

// checkLevels checks that numbers of entries are of those that there are.
func checkLevels(values []float64, p Part) error {
	most := p.Levels + p.Beyond
	switch {
	case !p.Type.Entry.Numbers:
		return nil
	case p.Levels == 0:
		most = maxLevels
	}
	for i, x := range values {
		if x > float64(most) {
			return &runtime.DataError{Row: i / p.Width, Column: i % p.Width, Columns: p.Width, Value: x, Name: p.Name,
				Want: fmt.Sprintf("a whole number from 1 to %d", most)}
		}
	}
	return nil
}

// Levels returns the greatest number in a column, that of the weights being the first: of numbers of entries, how many there are.
func (r Rows) Levels(column int) int {
	own := slices.Max(r[column].given)
	s := r.share()
	if s == nil {
		return int(own)
	}
	all := make([]float64, s.others.Size())
	all[s.others.Rank()] = own
	if s.Sum(all) != nil { // what is computed then is NaN
		return int(own)
	}
	return int(slices.Max(all))
}

// shifted is an error about a part as one about the whole row.
func shifted(err error, at, width int) error {
	if e, ok := err.(*runtime.DataError); ok {
		e.Column += at
		e.Columns = width
	}
	return err
}
