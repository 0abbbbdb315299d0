package runtime

import "fmt"

// Column is a part of the rows of a data set: one number or several, of one type.
type Column struct {
	Name  string
	Type  string // real, positive, count, binary and so on, or a vector of these
	Width int    // how many numbers
}

// SplitColumns validates data whose rows consist of parts, and copies each part, row by row, and the weights, one a row, all
// one where none are given.
func SplitColumns(d Data, columns []Column) (parts [][]float64, weights []float64, err error) {
	width := 0
	for _, c := range columns {
		width += c.Width
	}
	if max(d.Columns, 1) != width || len(d.Values) == 0 || len(d.Values)%width != 0 {
		return nil, nil, fmt.Errorf("%d values in %s are no rows of %d", len(d.Values), plural(max(d.Columns, 1), "column"), width)
	}
	rows, at := len(d.Values)/width, 0
	for _, c := range columns {
		part := make([]float64, 0, rows*c.Width)
		for i := range rows {
			part = append(part, d.Values[i*width+at:i*width+at+c.Width]...)
		}
		if err := CheckData(Data{Values: part, Columns: c.Width}, c.Width, c.Type, c.Name); err != nil {
			return nil, nil, shifted(err, at, width)
		}
		parts, at = append(parts, part), at+c.Width
	}
	if err := checkWeights(d.Weights, rows); err != nil {
		return nil, nil, err
	}
	weights = make([]float64, rows)
	for i := range weights {
		weights[i] = 1
		if d.Weights != nil {
			weights[i] = d.Weights[i]
		}
	}
	return parts, weights, nil
}

// shifted is an error about a part as one about the whole row.
func shifted(err error, at, width int) error {
	if e, ok := err.(*DataError); ok {
		e.Column += at
		e.Columns = width
	}
	return err
}
