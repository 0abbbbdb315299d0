package support

import (
	"fmt"
	"math"
	"slices"
)

// Slices cuts numbers into k groups at their quantiles, as starts of mixtures need: labels[i] becomes the group of
// x[i], 0 to k-1 in ascending order of the values. The total weights up to the k-1 cuts are as near to 1/k, ...,
// (k-1)/k of the whole as they can be, in the sum of squares, where equal values stay together and every group has a
// positive weight. Nil weights are all one; what has weight 0 gets the label of its neighbours.
//
// The labels are numbers since generated code reads them as a column. The error says so when fewer than k different
// values have a positive weight.
func Slices(labels, x, w []float64, k int) error {
	d := newDistinct([]*Column{newColumn(1, x)})
	d.addAll(WeightsOf(w, len(x)))
	if err := enough(len(d.sums), k, "values"); err != nil {
		return err
	}
	d.sort()
	sums, total := make([]float64, len(d.sums)), longSum{}
	for i, s := range d.sums {
		total.add(s)
		sums[i] = total.value()
	}
	tops := make([]float64, k-1) // the largest value of each group but the last
	for g, j := range cuts(sums, k) {
		tops[g] = d.values[j]
	}
	for i, v := range x {
		g, _ := slices.BinarySearch(tops, v)
		labels[i] = float64(g)
	}
	return nil
}

// enough reports an error unless there are k different things, k at least 1.
func enough(n, k int, what string) error {
	switch {
	case k < 1:
		return fmt.Errorf("%d components: there must be at least 1", k)
	case n < k:
		return fmt.Errorf("%d components need as many different %s, but the data have %d", k, what, n)
	}
	return nil
}

// cuts returns the last index of each of k groups but the last one, given the increasing sums of the weights. Left
// alone, each cut would be at the sum nearest to its target. These places are in order, so that keeping the cuts apart
// moves none further than k from there, and it is enough to try those.
func cuts(sums []float64, k int) []int {
	n := len(sums)
	total := sums[n-1]
	from := make([]int, k-1)
	best := make([][]float64, k-1) // the least sum of squares of the cuts up to g when that is at from[g]+i
	for g := range from {
		target := total * float64(g+1) / float64(k)
		near, _ := slices.BinarySearch(sums, target)
		from[g] = max(g, near-k-1)
		to := min(n-k+g, near+k)
		best[g] = make([]float64, to-from[g]+1)
		low, next := math.Inf(1), 0 // the best of the cuts before that are left of this one
		for i := range best[g] {
			j := from[g] + i
			if g == 0 {
				low = 0
			} else {
				for ; next < len(best[g-1]) && from[g-1]+next < j; next++ {
					low = math.Min(low, best[g-1][next])
				}
			}
			d := (sums[j] - target) / total
			best[g][i] = low + d*d
		}
	}
	return trace(best, from, n)
}

// trace follows the best cuts back from the last.
func trace(best [][]float64, from []int, end int) []int {
	at := make([]int, len(best))
	for g := len(best) - 1; g >= 0; g-- {
		low := math.Inf(1)
		for i, cost := range best[g] {
			if j := from[g] + i; j < end && cost < low {
				low, at[g] = cost, j
			}
		}
		end = at[g]
	}
	return at
}
