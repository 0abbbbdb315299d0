package support

import (
	"slices"

	"github.com/sngdgen/sngdgen/runtime/types"
)

// Merge compresses one-column data: it returns the distinct values in ascending order and the sum of the weights of
// each. Nil weights count as 1 each; values whose weights sum to zero are dropped. The data must have passed CheckData.
// Whole numbers that are not much larger than the number of rows take time linear in the number of rows.
func Merge(x, w []float64) (distinct, weights []float64) {
	if top, ok := smallCounts(x); ok {
		return mergeCounts(x, w, top)
	}
	return mergeSorted(x, w)
}

// smallCounts reports whether a table indexed by value is no larger than a few times the data, and the largest value.
func smallCounts(x []float64) (top int, ok bool) {
	limit := 4*len(x) + 1024
	for _, v := range x {
		if !types.Count.Contains(v) || v > float64(limit) {
			return 0, false
		}
		top = max(top, int(v))
	}
	return top, true
}

func weightAt(w []float64, i int) float64 {
	if w == nil {
		return 1
	}
	return w[i]
}

func mergeCounts(x, w []float64, top int) (distinct, weights []float64) {
	table := make([]float64, top+1)
	for i, v := range x {
		table[int(v)] += weightAt(w, i)
	}
	n := 0
	for _, t := range table {
		if t != 0 {
			n++
		}
	}
	distinct, weights = make([]float64, 0, n), make([]float64, 0, n)
	for v, t := range table {
		if t != 0 {
			distinct, weights = append(distinct, float64(v)), append(weights, t)
		}
	}
	return distinct, weights
}

// mergeSorted sums equal values in the order of their rows, so that the result does not depend on the sort.
func mergeSorted(x, w []float64) (distinct, weights []float64) {
	order := make([]int, len(x))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case x[a] < x[b]:
			return -1
		case x[a] > x[b]:
			return 1
		}
		return 0
	})
	for _, i := range order {
		wi := weightAt(w, i)
		if wi == 0 {
			continue
		}
		if n := len(distinct); n > 0 && distinct[n-1] == x[i] {
			weights[n-1] += wi
			continue
		}
		distinct, weights = append(distinct, x[i]), append(weights, wi)
	}
	return distinct, weights
}

// allWeights returns a copy of the weights of n rows, all one when they are nil.
func allWeights(w []float64, n int) []float64 {
	weights := make([]float64, n)
	for i := range weights {
		weights[i] = weightAt(w, i)
	}
	return weights
}
