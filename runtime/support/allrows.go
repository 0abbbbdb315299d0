package support

import (
	"sync"

	"github.com/sngdgen/sngdgen/runtime/dense"
)

// allRows is what is known of all rows of the data that stay the same, of which one is made for all models that share them, and all of their workers.
type allRows struct {
	busy   sync.Mutex
	sparse map[*float64]*dense.Sparse // columns by where they begin, nil of those that are not mostly zeros
}

// withoutZeros is a column of so many entries for each of the rows, nil where it is not mostly zeros. It is made when it is asked for first, which takes as long
// as the products of a few steps, and a third more memory than the column at the most.
func (a *allRows) withoutZeros(x []float64, rows, entries int) *dense.Sparse {
	if a == nil || rows*entries == 0 {
		return nil
	}
	a.busy.Lock()
	defer a.busy.Unlock()
	s, known := a.sparse[&x[0]]
	if !known {
		if a.sparse == nil {
			a.sparse = map[*float64]*dense.Sparse{}
		}
		s = sparseOf(x, rows, entries)
		a.sparse[&x[0]] = s
	}
	return s
}

// sparseOf is X, of n x d, without its zeros, nil where products with all of it are as fast.
func sparseOf(x []float64, n, d int) *dense.Sparse {
	entries := dense.SparseEntries(x, n, d)
	if entries < 0 {
		return nil
	}
	numbers, whole := dense.SparseMemory(n, d, entries)
	s := dense.SparseIn(make([]float64, numbers), make([]int, whole), x, n, d)
	return &s
}
