package check

import (
	"math/rand/v2"
	"slices"
	"sort"

	"gonum.org/v1/gonum/floats"

	"github.com/sngdgen/sngdgen/expr/eval"
	"github.com/sngdgen/sngdgen/gen/bind"
	"github.com/sngdgen/sngdgen/gen/derive"
)

// Groups of rows for the starts of mixtures, in the manner of generated code: a start that is right does not depend on
// where exactly the groups end.

// groupTries is how many data sets are drawn for one that can be put into groups: counts may all be the same.
const groupTries = 10

// grouped draws a data set for a start, with the groups of its rows if it has any. ok is false where the data always have
// fewer different rows than there are groups.
func (c *checker) grouped(rng *rand.Rand, at *point, start derive.Start) (x, labels []float64, ok bool) {
	if start.Groups == "" || start.Groups == bind.GroupsNone {
		return c.data(rng, at), nil, true
	}
	for range groupTries {
		x = c.data(rng, at)
		if start.Groups == bind.GroupsSlices {
			labels, ok = sliced(c.response(x), c.known.components)
		} else {
			width := c.width(c.p.Target.Observed())
			labels, ok = clustered(rng, slices.Collect(slices.Chunk(c.response(x), width)), c.known.components)
		}
		if ok {
			return x, labels, true
		}
	}
	return nil, nil, false
}

// sliced cuts numbers into k groups of about the same size, in ascending order, with equal numbers in one group.
func sliced(x []float64, k int) (labels []float64, ok bool) {
	sorted := slices.Sorted(slices.Values(x))
	values := slices.Compact(slices.Clone(sorted))
	if len(values) < k {
		return nil, false
	}
	of, last := map[float64]int{}, -1
	for i, v := range values {
		below := sort.SearchFloat64s(sorted, v)
		last = max(min(k*below/len(x), last+1), k-(len(values)-i)) // no group is left out, at either end
		of[v] = last
	}
	for _, v := range x {
		labels = append(labels, float64(of[v]))
	}
	return labels, true
}

// clusterRounds bounds the iterations of k-means.
const clusterRounds = 10

// clustered puts points into k groups by k-means, from centres far from each other.
func clustered(rng *rand.Rand, points [][]float64, k int) (labels []float64, ok bool) {
	centres := [][]float64{points[rng.IntN(len(points))]}
	for len(centres) < k {
		farthest, most := 0, 0.0
		for i, p := range points {
			if d := floats.Distance(p, centres[nearest(p, centres)], 2); d > most {
				farthest, most = i, d
			}
		}
		if most == 0 {
			return nil, false
		}
		centres = append(centres, points[farthest])
	}
	for range clusterRounds {
		next := make([]float64, len(points))
		sums, counts := make([][]float64, k), make([]int, k)
		for i, p := range points {
			g := nearest(p, centres)
			if sums[g] == nil {
				sums[g] = make([]float64, len(p))
			}
			floats.Add(sums[g], p)
			next[i] = float64(g)
			counts[g]++
		}
		if slices.Contains(counts, 0) { // of the first groups each has its centre
			break
		}
		labels = next
		for g, sum := range sums {
			floats.Scale(1/float64(counts[g]), sum)
		}
		centres = sums
	}
	return labels, true
}

// nearest is the index of the centre that is nearest to a point.
func nearest(p []float64, centres [][]float64) int {
	best := 0
	for g, c := range centres {
		if floats.Distance(p, c, 2) < floats.Distance(p, centres[best], 2) {
			best = g
		}
	}
	return best
}

// group gives an environment the groups of the rows.
func (c *checker) group(env *eval.Env, labels []float64, share float64) {
	if m := c.p.Mixture; m != nil && labels != nil {
		env.Symbols[m.Label.Name] = eval.Value{Rows: labels}
		env.Set(m.Blend.Name, share)
	}
}
