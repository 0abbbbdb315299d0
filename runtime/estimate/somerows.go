package estimate

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/sngdgen/sngdgen/runtime"
)

// sample are so many of all rows, in their order, or all of them where there are no more.
func sample(all, most int, seed uint64, stream string) []int {
	if all <= most {
		rows := make([]int, all)
		for i := range rows {
			rows[i] = i
		}
		return rows
	}
	rows := firstOf(runtime.Stream(seed, stream), all, most)
	slices.Sort(rows)
	return rows
}

// firstOf are the first ones of rng.Perm(n), with half of its memory, which is given back.
func firstOf(rng *rand.Rand, n, count int) []int {
	if n > math.MaxInt32 {
		return slices.Clone(rng.Perm(n)[:count])
	}
	p := make([]int32, n)
	for i := range p {
		p[i] = int32(i)
	}
	rng.Shuffle(n, func(i, j int) { p[i], p[j] = p[j], p[i] })
	rows := make([]int, count)
	for i := range rows {
		rows[i] = int(p[i])
	}
	return rows
}

// few are so many different numbers below n in their order, of which there are as many at least, with memory for these alone (Floyd's algorithm: Bentley and
// Floyd, Communications of the ACM 30, 1987, page 754).
func few(rng *rand.Rand, n, count int) []int {
	has, rows := make(map[int]bool, count), make([]int, 0, count)
	for last := n - count; last < n; last++ {
		row := rng.IntN(last + 1)
		if has[row] {
			row = last
		}
		has[row] = true
		rows = append(rows, row)
	}
	slices.Sort(rows)
	return rows
}
