package support

import "github.com/sngdgen/sngdgen/runtime/ranges"

// Weights are those of rows: one each, or none where every row counts once, which takes no memory.
type Weights struct {
	given   []float64 // nil where all are 1
	rows    int
	choice  choice
	allRows *allRows // of all rows of the data, nil of some
}

// choice is a choice of rows that a model goes over: another one for other rows, so that what is made of them can be kept. It is nothing where that is
// not known.
type choice struct {
	of     *Column // the weights of all rows
	number int     // of the choices from these
}

// ones are the weights of a block of rows of which each counts once.
var ones = func() (one [ranges.Block]float64) {
	for i := range one {
		one[i] = 1
	}
	return one
}()

// WeightsOf are given weights or, where these are nil, those of so many rows that count once each.
func WeightsOf(given []float64, rows int) Weights {
	if given != nil {
		rows = len(given)
	}
	return Weights{given: given, rows: rows}
}

// Len is the number of rows.
func (w *Weights) Len() int { return w.rows }

// Given are the weights, nil where all are 1.
func (w *Weights) Given() []float64 { return w.given }

// Of are those of the rows from one to another, at most a block. They are not to be modified.
func (w *Weights) Of(from, to int) []float64 {
	if w.given == nil {
		return ones[:to-from]
	}
	return w.given[from:to]
}

// At is the weight of a row.
func (w *Weights) At(row int) float64 {
	if w.given == nil {
		return 1
	}
	return w.given[row]
}

// Copy writes the weights of all rows to dst, which has room for them.
func (w *Weights) Copy(dst []float64) {
	if copy(dst, w.given); w.given == nil {
		for i := range dst[:w.rows] {
			dst[i] = 1
		}
	}
}
