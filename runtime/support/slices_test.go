package support_test

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/sngdgen/sngdgen/internal/testseed"
	"github.com/sngdgen/sngdgen/runtime/support"
)

// cost is what Slices minimises: how far the weights up to the cuts are from equal parts of the whole.
func cost(weights []float64, ends []int) float64 {
	total, sum, at, out := 0.0, 0.0, 0, 0.0
	for _, w := range weights {
		total += w
	}
	for g, end := range ends {
		for ; at < end; at++ {
			sum += weights[at]
		}
		d := sum/total - float64(g+1)/float64(len(ends)+1)
		out += d * d
	}
	return out
}

// cheapest tries all ways to cut n values into groups that are not empty.
func cheapest(weights []float64, k int) float64 {
	best := math.Inf(1)
	var try func(ends []int)
	try = func(ends []int) {
		if len(ends) == k-1 {
			best = math.Min(best, cost(weights, ends))
			return
		}
		from := 1
		if len(ends) > 0 {
			from = ends[len(ends)-1] + 1
		}
		for end := from; end < len(weights); end++ {
			try(append(slices.Clone(ends), end))
		}
	}
	try(nil)
	return best
}

// sorted are the different values, in ascending order, and the sum of the weights of each.
func sorted(x, w []float64) (values, weights []float64) {
	sums := map[float64]float64{}
	for i, v := range x {
		if w[i] > 0 {
			sums[v] += w[i]
		}
	}
	values = slices.Sorted(maps.Keys(sums))
	for _, v := range values {
		weights = append(weights, sums[v])
	}
	return values, weights
}

func TestSlices(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, k := rapid.IntRange(1, 12).Draw(t, "n"), rapid.IntRange(1, 5).Draw(t, "k")
		x, w, labels := make([]float64, n), make([]float64, n), make([]float64, n)
		for i := range x {
			x[i] = float64(rapid.IntRange(-4, 9).Draw(t, "x"))
			w[i] = rapid.SampledFrom([]float64{0, 1, 2, 0.5, 30}).Draw(t, "w")
		}
		values, weights := sorted(x, w)
		err := support.Slices(labels, x, w, k)
		if len(values) < k {
			if err == nil || !strings.Contains(err.Error(), "have") {
				t.Fatalf("%d different values in %d groups: error %v", len(values), k, err)
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		ends := checkSlices(t, labels, x, w, values, k)
		got, want := cost(weights, ends), cheapest(weights, k)
		if got > want+1e-12 {
			t.Fatalf("x %v, w %v: labels %v cost %v, the best %v", x, w, labels, got, want)
		}
		checkPermuted(t, labels, x, w, k)
	})
}

// checkSlices checks that labels are groups of neighbours with positive weights and returns where they end among the
// different values.
func checkSlices(t *rapid.T, labels, x, w, values []float64, k int) []int {
	label := map[float64]float64{}
	weight := make([]float64, k)
	for i, v := range x {
		if l, ok := label[v]; ok && l != labels[i] {
			t.Fatalf("%v has the labels %v and %v", v, l, labels[i])
		}
		label[v] = labels[i]
		weight[int(labels[i])] += w[i]
	}
	if slices.Min(weight) <= 0 {
		t.Fatalf("the groups have the weights %v", weight)
	}
	var ends []int
	for i, v := range values[1:] {
		switch l, before := label[v], label[values[i]]; {
		case l == before+1:
			ends = append(ends, i+1)
		case l != before:
			t.Fatalf("the labels of the sorted values go from %v to %v", before, l)
		}
	}
	if len(ends) != k-1 {
		t.Fatalf("%d cuts for %d groups", len(ends), k)
	}
	return ends
}

func checkPermuted(t *rapid.T, labels, x, w []float64, k int) {
	order := rapid.Permutation(seq(len(x))).Draw(t, "order")
	px, pw, pl := make([]float64, len(x)), make([]float64, len(x)), make([]float64, len(x))
	for i, j := range order {
		px[i], pw[i] = x[j], w[j]
	}
	if err := support.Slices(pl, px, pw, k); err != nil {
		t.Fatal(err)
	}
	for i, j := range order {
		if pl[i] != labels[j] {
			t.Fatalf("another order of the rows gives other groups: %v, %v", labels, pl)
		}
	}
}

func seq(n int) []int {
	s := make([]int, n)
	for i := range s {
		s[i] = i
	}
	return s
}

// Equal parts where they are possible, on data too long to try all ways.
func TestSlicesLong(t *testing.T) {
	const n, k = 3000, 10
	x, labels, count := make([]float64, n), make([]float64, n), make([]int, k)
	for i := range x {
		x[i] = math.Sin(float64(i))
	}
	if err := support.Slices(labels, x, nil, k); err != nil {
		t.Fatal(err)
	}
	for _, l := range labels {
		count[int(l)]++
	}
	if slices.Min(count) != n/k || slices.Max(count) != n/k {
		t.Errorf("groups of %v", count)
	}
	if err := support.Slices(labels, x, nil, 0); err == nil {
		t.Error("0 groups")
	}
}

// blobs are rows around k centres that are far from each other in standard deviations of the blobs.
func blobs(k, columns, rows int, rng *rand.Rand) (x []float64, truth []int) {
	centres := make([]float64, k*columns)
	for g := range k {
		for j := range columns {
			centres[g*columns+j] = 1000 * math.Pow(10, float64(j)) * float64((g*(j+1))%k)
		}
	}
	for i := range rows {
		g := i % k
		truth = append(truth, g)
		for j := range columns {
			x = append(x, centres[g*columns+j]+math.Pow(10, float64(j))*rng.NormFloat64())
		}
	}
	return x, truth
}

func TestClustersBlobs(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, columns := range []int{1, 2, 5} {
		const k = 5
		x, truth := blobs(k, columns, 400, rng)
		labels, again := make([]float64, 400), make([]float64, 400)
		if err := support.Clusters(labels, x, nil, columns, k, nil); err != nil {
			t.Fatal(err)
		}
		name := map[int]float64{}
		for i, g := range truth {
			if l, ok := name[g]; ok && l != labels[i] {
				t.Fatalf("%d columns: a blob has the labels %v and %v", columns, l, labels[i])
			}
			name[g] = labels[i]
		}
		used := map[float64]bool{}
		for _, l := range name {
			used[l] = true
		}
		if len(used) != k {
			t.Errorf("%d columns: %d groups for %d blobs", columns, len(used), k)
		}
		if err := support.Clusters(again, x, nil, columns, k, nil); err != nil || !slices.Equal(labels, again) {
			t.Errorf("not the same twice (%v)", err)
		}
	}
}

// Properties of any result: no group without weight, and no row nearer to the mean of another group, as the iterations
// converge on data of this size. Columns of any scale.
func TestClusters(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows, columns := rapid.IntRange(1, 30).Draw(t, "rows"), rapid.IntRange(1, 3).Draw(t, "columns")
		k := rapid.IntRange(1, 6).Draw(t, "k")
		x, plain := make([]float64, rows*columns), make([]float64, rows*columns)
		w, labels := make([]float64, rows), make([]float64, rows)
		for j := range columns {
			scale := rapid.SampledFrom([]float64{1, 1e-200, 1e300}).Draw(t, "scale")
			for i := j; i < len(x); i += columns {
				plain[i] = float64(rapid.IntRange(-2, 2).Draw(t, "x"))
				x[i] = scale * plain[i]
			}
		}
		distinct := map[string]bool{}
		for i := range w {
			if w[i] = float64(rapid.IntRange(0, 3).Draw(t, "w")); w[i] > 0 {
				distinct[fmt.Sprint(plain[i*columns:(i+1)*columns])] = true
			}
		}
		var rng *rand.Rand
		if rapid.Bool().Draw(t, "random") {
			rng = rand.New(rand.NewPCG(3, 4))
		}
		err := support.Clusters(labels, x, w, columns, k, rng)
		if want := len(distinct) < k; (err != nil) != want {
			t.Fatalf("%d different rows in %d groups: error %v", len(distinct), k, err)
		}
		if err == nil {
			checkMeans(t, labels, standardised(plain, w, columns), w, columns, k)
		}
	})
}

func checkMeans(t *rapid.T, labels, x, w []float64, columns, k int) {
	mean, weight := make([]float64, k*columns), make([]float64, k)
	for i, l := range labels {
		g := int(l)
		weight[g] += w[i]
		for j := range columns {
			mean[g*columns+j] += w[i] * x[i*columns+j]
		}
	}
	if slices.Min(weight) <= 0 {
		t.Fatalf("the groups have the weights %v", weight)
	}
	distance := func(i, g int) float64 {
		sum := 0.0
		for j := range columns {
			r := x[i*columns+j] - mean[g*columns+j]/weight[g]
			sum += r * r
		}
		return sum
	}
	for i, l := range labels {
		for g := range k {
			if own := distance(i, int(l)); w[i] > 0 && distance(i, g) < own-1e-9*(1+own) {
				t.Fatalf("row %d is at %v from its own group %v and at %v from %d", i, own, l, distance(i, g), g)
			}
		}
	}
}

// standardised has columns of variance 1, but those without variance 0.
func standardised(x, w []float64, columns int) []float64 {
	out := make([]float64, len(x))
	for j := range columns {
		var total, mean, square float64
		for i, wi := range w {
			total += wi
			mean += wi * x[i*columns+j]
			square += wi * x[i*columns+j] * x[i*columns+j]
		}
		mean /= total
		if variance := square/total - mean*mean; variance > 1e-12 {
			for i := j; i < len(x); i += columns {
				out[i] = (x[i] - mean) / math.Sqrt(variance)
			}
		}
	}
	return out
}
