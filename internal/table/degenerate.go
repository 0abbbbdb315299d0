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

// standardised returns the columns less their means, with length 1; nil for those that cannot be, of which it says why.
func (t *Table) standardised(found *[]string) [][]float64 {
	out := make([][]float64, len(t.Columns))
	for j, name := range t.Columns {
		x := make([]float64, t.Rows())
		low, high := math.Inf(1), math.Inf(-1)
		for i := range x {
			x[i] = t.Values[i*len(t.Columns)+j]
			low, high = math.Min(low, x[i]), math.Max(high, x[i])
		}
		size, spread := math.Max(-low, high), high-low
		switch {
		case len(x) > 1 && spread == 0:
			*found = append(*found, fmt.Sprintf("%s is constant: leave it out", title(name)))
		case size > largest:
			*found = append(*found, fmt.Sprintf("%s has numbers up to %.2g, whose squares overflow: rescale it", title(name), size))
		case len(x) > 1 && spread < smallest:
			*found = append(*found, fmt.Sprintf("%s varies by %.2g only, whose square underflows: rescale it", title(name), spread))
		case standardise(x):
			out[j] = x
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

// standardise takes off the mean and divides by the length.
func standardise(x []float64) bool {
	mean := 0.0
	for i, v := range x {
		mean += (v - mean) / float64(i+1)
	}
	length := 0.0
	for i := range x {
		x[i] -= mean
		length = math.Hypot(length, x[i])
	}
	for i := range x {
		x[i] /= length
	}
	return length > 0
}

// dependent finds columns that others make up, by the Cholesky factor of the correlation matrix, row by row.
func (t *Table) dependent(columns [][]float64) []string {
	var found []string
	var basis [][]float64 // columns that none before them make up
	var names []string
	var factor [][]float64
	for j, x := range columns {
		if x == nil {
			continue
		}
		row, rest, equal := make([]float64, len(basis)+1), 1.0, -1
		for k, b := range basis {
			r := inner(x, b)
			if math.Abs(r) >= 1-dependent {
				equal = k
			}
			row[k] = (r - inner(row[:k], factor[k][:k])) / factor[k][k]
			rest -= row[k] * row[k]
		}
		switch {
		case equal >= 0:
			found = append(found, fmt.Sprintf("%s is %s but for origin and scale: leave one of them out", title(t.Columns[j]), title(names[equal])))
		case rest <= dependent:
			found = append(found, fmt.Sprintf("%s is a linear combination of columns before it: leave one of them out", title(t.Columns[j])))
		default:
			row[len(basis)] = math.Sqrt(rest)
			basis, names, factor = append(basis, x), append(names, t.Columns[j]), append(factor, row)
		}
	}
	return found
}

func inner(a, b []float64) float64 {
	sum := 0.0
	for i, x := range a {
		sum += x * b[i]
	}
	return sum
}
