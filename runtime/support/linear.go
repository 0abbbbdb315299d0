package support

import (
	"github.com/sngdgen/sngdgen/runtime/dense"
	"github.com/sngdgen/sngdgen/runtime/workers"
)

// Evaluation says what of a function is evaluated.
type Evaluation int

// What may be evaluated.
const (
	Both Evaluation = iota // values and gradients
	Values
	Gradients
)

// Linear are linear predictors of all rows at a group of draws, and the slopes of a function by them: the inner products of vectors of the data
// with vectors that lie in the latent variables. For several draws at once they are products of matrices.
type Linear struct {
	values, slopes []float64 // of one draw after the other, a number for each row
	of             Vectors
	first, count   int // the draws
	rows           int
	transposed     transposed
	sparse         *dense.Sparse // the rows of data, nil where they are not mostly zeros
	memory         []float64     // of products with it
}

// transposed are rows of data as columns, which the predictors of many draws take less time with. They are made when the same rows are asked for
// again: of a batch that is seen once they would take longer than they save.
type transposed struct {
	columns []float64
	choice  choice // the rows that they were asked for last, and the first number of these
	of      *float64
	made    bool
}

// columnsOf are the columns of so many rows of x; nil where these are not worth having.
func (t *transposed) columnsOf(x []float64, rows, entries int, of choice) []float64 {
	room := dense.TransposedRoom(rows, entries)
	if room == 0 || of.of == nil {
		return nil
	}
	if of != t.choice || t.of != &x[0] {
		t.choice, t.of, t.made = of, &x[0], false
		return nil
	}
	if !t.made {
		t.columns, t.made = Grow(t.columns, room), true
		dense.TransposeApart(t.columns, x, rows, entries)
	}
	return t.columns
}

// Vectors is where vectors lie: so many entries behind From, in each of the values of Width numbers that follow each other.
type Vectors struct{ From, Entries, Width int }

const (
	// mostGrouped is how many draws are a group: enough for products of matrices to be fast.
	mostGrouped = 24
	// leastGrouped is how many draws are a group where rows are many, and leastNumbers how many predictors there may be all the same.
	leastGrouped, leastNumbers = 2, 1 << 22
)

// Groups are groups of draws that follow each other, all but the last of the same size. What is computed for a draw does not depend on them.
type Groups struct{ draws, size int }

// GroupsOf cuts draws into groups, one at least for each of the workers that there are.
func GroupsOf(draws, rows int, w *workers.Pool) Groups {
	most := min(max(leastNumbers/max(rows, 1), leastGrouped), mostGrouped)
	each := (draws + w.Size() - 1) / w.Size()
	return Groups{draws, max(min(most, each), 1)}
}

// Count is how many groups there are.
func (g Groups) Count() int { return (g.draws + g.size - 1) / g.size }

// Of are the draws of group i, from one to another.
func (g Groups) Of(i int) (from, to int) { return i * g.size, min((i+1)*g.size, g.draws) }

// Predict computes the predictors of the rows of x, whose weights are given, for draws from one to another, whose vectors lie in drawn.
func (l *Linear) Predict(x []float64, w *Weights, drawn []float64, of Vectors, from, to int) {
	rows := w.rows
	l.of, l.first, l.count, l.rows = of, from, to-from, rows
	l.values, l.slopes = Grow(l.values, l.count*rows), Grow(l.slopes, l.count*rows)
	vectors := drawn[from*of.Width+of.From:]
	if l.sparse = w.allRows.withoutZeros(x, rows, of.Entries); l.sparse != nil {
		l.memory = Grow(l.memory, dense.SparseRoom(of.Entries))
		if l.sparse.MulVectors(l.values, vectors, l.count, of.Width, l.memory) {
			return
		}
	}
	if columns := l.transposed.columnsOf(x, rows, of.Entries, w.choice); columns != nil {
		dense.MulTransposed(l.values, vectors, columns, l.count, rows, of.Entries, of.Width)
		return
	}
	dense.MulVectors(l.values, vectors, x, l.count, rows, of.Entries, of.Width)
}

// At are the predictors of all rows at a draw, and where their slopes belong, of a row that counts once.
func (l *Linear) At(draw int) (values, slopes []float64) {
	i, j := (draw-l.first)*l.rows, (draw-l.first+1)*l.rows
	return l.values[i:j:j], l.slopes[i:j:j]
}

// AddTo adds what the slopes say to the gradients at the draws, for rows that count as their weights say.
func (l *Linear) AddTo(gradients, x []float64, w *Weights) {
	if given := w.Given(); given != nil {
		for i := range l.count {
			_, slopes := l.At(l.first + i)
			for row, weight := range given {
				slopes[row] *= weight
			}
		}
	}
	to := gradients[l.first*l.of.Width+l.of.From:]
	if l.sparse != nil && l.sparse.AddMulVectors(to, l.slopes, l.count, l.of.Width, l.memory) {
		return
	}
	dense.AddMulVectors(to, l.slopes, x, l.count, l.rows, l.of.Entries, l.of.Width)
}
