package table

import (
	"fmt"
	"math"
)

const (
	dependent = 1e-12 // share of the variance of a column that the columns before it do not explain
	largest   = 1e150 // numbers whose squares overflow before long
	smallest  = 1e-150
	mostWork  = 2e9 // multiplications, a few seconds, to find dependent columns with
)

// Degenerate says why the columns, as entries of vectors, have no covariance matrix that is positive definite: columns
// that are constant, equal or linear combinations of others, too few rows, or numbers whose squares floating point
// cannot hold. It is nil when nothing is found.
func (t *Table) Degenerate() []string {
	var found []string
	columns := t.standardised(&found)
	if rows, width := t.Rows(), len(t.Columns); rows <= width {
		found = append(found, fmt.Sprintf("%s for %s: a covariance matrix needs more rows than columns",
			count(rows, "row"), count(width, "column")))
	} else if float64(rows)*float64(width)*float64(width) <= mostWork {
		found = append(found, t.dependent(columns)...)
	}
	return found
}

// Constant says that all numbers are equal, where there are several; otherwise it says nothing.
func (t *Table) Constant() string {
	for _, x := range t.Values {
		if x != t.Values[0] {
			return ""
		}
	}
	if len(t.Values) < 2 {
		return ""
	}
	return fmt.Sprintf("all %d values are equal: %v", len(t.Values), t.Values[0])
}

// standardised returns the columns less their means, with length 1; without values those that cannot be, of which it says why.
func (t *Table) standardised(found *[]string) []unit {
	out := make([]unit, len(t.Columns))
	for j, name := range t.Columns {
		x, low, high := t.entries(j), math.Inf(1), math.Inf(-1)
		for _, v := range x {
			low, high = math.Min(low, v), math.Max(high, v)
		}
		size, spread := math.Max(-low, high), high-low
		switch {
		case len(x) > 1 && spread == 0:
			*found = append(*found, fmt.Sprintf("%s is constant: leave it out", title(name)))
		case size > largest:
			*found = append(*found, fmt.Sprintf("%s has numbers up to %.2g, whose squares overflow: rescale it", title(name), size))
		case len(x) > 1 && spread < smallest:
			*found = append(*found, fmt.Sprintf("%s varies by %.2g only, whose square underflows: rescale it", title(name), spread))
		default:
			out[j] = standardise(x)
		}
	}
	return out
}

// title names a column in a sentence.
func title(column string) string {
	const word = "column "
	if len(column) > len(word) && column[:len(word)] == word { // it has no name of its own
		return column
	}
	return word + column
}

// unit is a column less its mean, with length 1; without values where it cannot be made one.
type unit struct {
	values       []float64
	mean, length float64 // of the column
}

// standardise takes off the mean and divides by the length.
func standardise(x []float64) unit {
	u := unit{values: x}
	for i, v := range x {
		u.mean += (v - u.mean) / float64(i+1)
	}
	for i := range x {
		x[i] -= u.mean
		u.length = math.Hypot(u.length, x[i])
	}
	if u.length == 0 {
		return unit{}
	}
	for i := range x {
		x[i] /= u.length
	}
	return u
}

// dependent finds columns that others make up, by the Cholesky factor of the correlation matrix, row by row, and says how.
func (t *Table) dependent(columns []unit) []string {
	var found []string
	f := &factor{columns: columns}
	for j, x := range columns {
		if x.values == nil {
			continue
		}
		row, rest := f.row(j)
		if rest <= dependent {
			r := &relation{t: t, columns: columns, column: j, of: f.basis, shares: solved(row, f.rows)}
			found = append(found, r.String()+": leave one of them out")
			continue
		}
		f.add(j, row, rest)
	}
	return found
}

// factor is the Cholesky factor of the correlation matrix of columns that none before them make up.
type factor struct {
	columns []unit
	basis   []int
	rows    [][]float64
}

// row is that of one more column without its last entry, and the square of that: the share of the variance that the others leave.
func (f *factor) row(j int) (row []float64, rest float64) {
	row, rest = make([]float64, len(f.basis)), 1.0
	for k, b := range f.basis {
		row[k] = (inner(f.columns[j].values, f.columns[b].values) - inner(row[:k], f.rows[k][:k])) / f.rows[k][k]
		rest -= row[k] * row[k]
	}
	return row, rest
}

func (f *factor) add(j int, row []float64, rest float64) {
	f.basis, f.rows = append(f.basis, j), append(f.rows, append(row, math.Sqrt(rest)))
}

// Combination says how a column is made up of others, as 2*age + 1, if it is by short numbers that hold in every row; otherwise it is empty.
func (t *Table) Combination(column int, of []int) string {
	f := &factor{columns: make([]unit, len(t.Columns))}
	for _, j := range of {
		f.columns[j] = t.standard(j)
		if f.columns[j].values == nil { // a constant
			continue
		}
		if row, rest := f.row(j); rest > dependent {
			f.add(j, row, rest)
		}
	}
	own := t.standard(column)
	if f.columns[column] = own; own.values == nil {
		return ""
	}
	row, rest := f.row(column)
	if rest > dependent {
		return ""
	}
	r := &relation{t: t, columns: f.columns, column: column, of: f.basis, shares: solved(row, f.rows)}
	return r.short()
}

// standard is a column less its mean, with length 1.
func (t *Table) standard(j int) unit { return standardise(t.entries(j)) }

// entries are the numbers of a column.
func (t *Table) entries(j int) []float64 {
	x := make([]float64, t.Rows())
	for i := range x {
		x[i] = t.Values[i*len(t.Columns)+j]
	}
	return x
}

// solved are the numbers that the rows of a lower triangle are multiplied with to add up to a row.
func solved(row []float64, triangle [][]float64) []float64 {
	out := make([]float64, len(row))
	for k := len(row) - 1; k >= 0; k-- {
		out[k] = row[k]
		for m := k + 1; m < len(row); m++ {
			out[k] -= out[m] * triangle[m][k]
		}
		out[k] /= triangle[k][k]
	}
	return out
}

func inner(a, b []float64) float64 {
	sum := 0.0
	for i, x := range a {
		sum += x * b[i]
	}
	return sum
}
