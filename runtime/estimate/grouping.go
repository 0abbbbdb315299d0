package estimate

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/support"
)

// principal are rows of data in three kinds of coordinates. In principal ones, of which each has variance 1, clusters that are
// long in one direction are not cut across.
type principal struct {
	data   runtime.Data
	scaled []float64 // row by row, columns of mean 0 and variance 1
	white  []float64 // row by row, in principal coordinates
	dims   int       // of white: directions in which the data vary
	spots  []spot    // see candidates
}

// flatDirection is the standard deviation of a principal coordinate of scaled columns, relative to the largest, below which
// it is rounding.
const flatDirection = 1e-7

func newPrincipal(d runtime.Data) *principal {
	columns := max(d.Columns, 1)
	n := len(d.Weights)
	p := &principal{data: d, scaled: standardised(d)}
	x := mat.NewDense(n, columns, p.scaled)
	var pc stat.PC
	if !pc.PrincipalComponents(x, d.Weights) {
		p.white, p.dims = p.scaled, columns
		return p
	}
	vars := pc.VarsTo(nil)
	var vectors, scores mat.Dense
	pc.VectorsTo(&vectors)
	scores.Mul(x, &vectors)
	for p.dims < len(vars) && math.Sqrt(vars[p.dims]) > flatDirection*math.Sqrt(vars[0]) {
		p.dims++
	}
	p.dims = max(p.dims, 1)
	p.white = make([]float64, 0, n*p.dims)
	for i := range n {
		for j := range p.dims {
			p.white = append(p.white, scores.At(i, j)/math.Max(math.Sqrt(vars[j]), math.SmallestNonzeroFloat64))
		}
	}
	return p
}

// standardised are the rows with each column less its mean, divided by its standard deviation where that is not 0.
func standardised(d runtime.Data) []float64 {
	columns := max(d.Columns, 1)
	x := mat.NewDense(len(d.Weights), columns, slices.Clone(d.Values))
	for j := range columns {
		column := mat.Col(nil, j, x)
		mean, sd := stat.PopMeanStdDev(column, d.Weights)
		if !(sd > 0) {
			sd = 1
		}
		for i, v := range column {
			x.Set(i, j, (v-mean)/sd)
		}
	}
	return x.RawMatrix().Data
}

// grouping yields groups of rows, one after the other.
type grouping func(p *principal, k int, seed uint64, yield func([]int) bool)

var groupings = []grouping{
	(*principal).clusters, (*principal).clustersAndSpots, (*principal).nearest, (*principal).scaledClusters,
	(*principal).ward, (*principal).agglomerated, (*principal).slices,
}

// clusters are k-means clusters in principal coordinates.
func (p *principal) clusters(k int, seed uint64, yield func([]int) bool) {
	varied(yield, func(i int) []int { return clustersOf(p.white, p.data.Weights, p.dims, k, seed, i) })
}

// scaledClusters are k-means clusters of columns scaled to variance 1.
func (p *principal) scaledClusters(k int, seed uint64, yield func([]int) bool) {
	varied(yield, func(i int) []int {
		return clustersOf(p.data.Values, p.data.Weights, max(p.data.Columns, 1), k, seed, i+1<<16)
	})
}

// varied yields what a function returns for 0, 1 and so on, as long as that is something.
func varied(yield func([]int) bool, f func(i int) []int) {
	for i := 0; ; i++ {
		if groups := f(i); groups == nil || !yield(groups) {
			return
		}
	}
}

func clustersOf(x, w []float64, columns, k int, seed uint64, variant int) []int {
	labels := make([]float64, len(w))
	if support.Clusters(labels, x, w, columns, k, runtime.Stream(seed, "clusters", uint64(variant))) != nil {
		return nil
	}
	return groupsOf(labels)
}

func groupsOf(labels []float64) []int {
	out := make([]int, len(labels))
	for i, l := range labels {
		out[i] = int(l)
	}
	return out
}

// slices cuts along a principal coordinate, one after the other.
func (p *principal) slices(k int, _ uint64, yield func([]int) bool) {
	labels, x := make([]float64, len(p.data.Weights)), make([]float64, len(p.data.Weights))
	for j := range p.dims {
		for i := range x {
			x[i] = p.white[i*p.dims+j]
		}
		if support.Slices(labels, x, p.data.Weights, k) != nil || !yield(groupsOf(labels)) {
			return
		}
	}
}

// nearest draws rows and gives every row to the one that is nearest in principal coordinates.
func (p *principal) nearest(k int, seed uint64, yield func([]int) bool) {
	n := len(p.data.Weights)
	if n < k {
		return
	}
	for i := range mostNearest {
		centres := runtime.Stream(seed, "nearest", uint64(i)).Perm(n)[:k]
		groups := p.assign(func(g int) []float64 { return p.row(centres[g]) }, k)
		if groups != nil && !yield(groups) {
			return
		}
	}
}

// mostNearest bounds how often rows are drawn: where rows are tied, some have none that is nearest.
const mostNearest = 1000

func (p *principal) row(i int) []float64 { return p.white[i*p.dims : (i+1)*p.dims] }

// assign gives every row to the nearest of k points; nil where one gets none.
func (p *principal) assign(centre func(g int) []float64, k int) []int {
	out, sizes := make([]int, len(p.data.Weights)), make([]int, k)
	for i := range out {
		low := math.Inf(1)
		for g := range k {
			if d := squared(p.row(i), centre(g)); d < low {
				out[i], low = g, d
			}
		}
		sizes[out[i]]++
	}
	if slices.Contains(sizes, 0) {
		return nil
	}
	return out
}

func squared(a, b []float64) float64 {
	sum := 0.0
	for i, x := range a {
		sum += (x - b[i]) * (x - b[i])
	}
	return sum
}

// wardRows are as many rows as are merged one by one; the others go where their nearest centre is.
const wardRows = 600

// ward merges rows in principal coordinates, always the two groups whose union adds the least to the sum of squares (Ward,
// Journal of the American Statistical Association 58, 1963).
func (p *principal) ward(k int, seed uint64, yield func([]int) bool) {
	n := len(p.data.Weights)
	for i := 0; n >= k && (i == 0 || n > wardRows); i++ {
		sample := runtime.Stream(seed, "ward", uint64(i)).Perm(n)[:min(n, wardRows)]
		slices.Sort(sample)
		centres := p.merge(sample, k)
		if groups := p.assign(func(g int) []float64 { return centres[g] }, k); groups == nil || !yield(groups) {
			return
		}
	}
}

// merge returns the centres of k groups of rows. Each group knows the one with which its union costs the least, and looks for
// it again when one of the two has changed.
func (p *principal) merge(rows []int, k int) [][]float64 {
	type group struct {
		centre []float64
		weight float64
	}
	groups := make([]group, 0, len(rows))
	for _, i := range rows {
		if w := p.data.Weights[i]; w > 0 {
			groups = append(groups, group{slices.Clone(p.row(i)), w})
		}
	}
	cost := func(a, b *group) float64 {
		return a.weight * b.weight / (a.weight + b.weight) * squared(a.centre, b.centre)
	}
	near, price := make([]int, len(groups)), make([]float64, len(groups))
	look := func(a int) {
		near[a], price[a] = -1, math.Inf(1)
		for b := range groups {
			if b != a && groups[b].weight > 0 {
				if c := cost(&groups[a], &groups[b]); c < price[a] {
					near[a], price[a] = b, c
				}
			}
		}
	}
	for a := range groups {
		look(a)
	}
	for left := len(groups); left > k; left-- {
		a := -1
		for g := range groups {
			if groups[g].weight > 0 && (a < 0 || price[g] < price[a]) {
				a = g
			}
		}
		b := near[a]
		total := groups[a].weight + groups[b].weight
		for j := range groups[a].centre {
			groups[a].centre[j] += groups[b].weight / total * (groups[b].centre[j] - groups[a].centre[j])
		}
		groups[a].weight, groups[b].weight = total, 0
		price[b] = math.Inf(1)
		for g := range groups {
			if groups[g].weight > 0 && (g == a || near[g] == a || near[g] == b) {
				look(g)
			}
		}
	}
	var centres [][]float64
	for g := range groups {
		if groups[g].weight > 0 {
			centres = append(centres, groups[g].centre)
		}
	}
	return centres
}

// clustersAndSpots are one cluster less, and one of the spots that these explain badly, the best first.
func (p *principal) clustersAndSpots(k int, seed uint64, yield func([]int) bool) {
	barren := 0
	base := func(groups []int) bool {
		beside := p.normals(k-1, func(row, c int) float64 {
			if groups[row] == c {
				return 1
			}
			return 0
		})
		all := p.candidates(k, seed)
		barren++
		for _, s := range p.best(all, beside.density(-1), spotsOfBase) {
			with := slices.Clone(groups)
			for _, i := range all[s.spot].rows {
				with[i] = k - 1
			}
			if !complete(with, k) {
				continue
			}
			if barren = 0; !yield(with) {
				return false
			}
		}
		return k > 2 && barren < barrenBases
	}
	if k == 2 {
		base(make([]int, len(p.data.Weights)))
		return
	}
	p.clusters(k-1, seed, base)
}

const (
	// spotsOfBase is how many of the best spots beside one set of clusters are starts.
	spotsOfBase = 8
	// After so many sets of clusters in a row with no spot beside them, as of few rows there may be none, there are no more.
	barrenBases = 8
)

// merged yields groups of the rows in which two components of a posterior are one, those that overlap most first, and another
// one is two along its longest axis.
func (p *principal) merged(q *posterior, yield func([]int) bool) {
	groups := q.largest(-1)
	for _, pair := range q.overlaps() {
		for c := range q.k {
			if c == pair[0] || c == pair[1] {
				continue
			}
			moved := slices.Clone(groups)
			for i, g := range groups {
				if g == pair[1] {
					moved[i] = pair[0]
				}
			}
			if p.split(moved, c, pair[1], nil) && !yield(moved) {
				return
			}
		}
	}
}

// swapped gives the rows of a random component to the others, and makes a random one of these two along a random direction
// (Zhao, Hautamaki and Franti, Random swap EM algorithm for Gaussian mixture models, Pattern Recognition Letters 33, 2012).
// Of one dimension there are two directions.
func (p *principal) swapped(q *posterior, rng *rand.Rand, yield func([]int) bool) {
	type halves struct {
		gone, cut int
		up        bool
	}
	seen, direction := map[halves]bool{}, make([]float64, p.dims)
	left := make([][]int, q.k) // the groups without each component
	for range 1000 {
		gone := rng.IntN(q.k)
		if left[gone] == nil {
			left[gone] = q.largest(gone)
		}
		c := left[gone][rng.IntN(len(left[gone]))] // large ones more often
		for j := range direction {
			direction[j] = rng.NormFloat64()
		}
		if way := (halves{gone, c, direction[0] > 0}); p.dims == 1 {
			if seen[way] {
				continue
			}
			seen[way] = true
		}
		if moved := slices.Clone(left[gone]); p.split(moved, c, gone, direction) && !yield(moved) {
			return
		}
	}
}

// spotted gives the rows of a component to the others, and a spot that these explain badly to it, those of the highest
// estimated likelihood first.
func (p *principal) spotted(q *posterior, seed uint64, yield func([]int) bool) {
	type move struct {
		gone, spot int
		estimate   float64
	}
	var moves []move
	all := p.candidates(q.k, seed)
	shares := q.shares()
	components := p.normals(q.k, func(row, c int) float64 { return shares[row*q.k+c] })
	for gone := range q.k {
		density := components.density(gone)
		rest := floats.Dot(p.data.Weights, density)
		for _, s := range p.best(all, density, mostSpots) {
			moves = append(moves, move{gone, s.spot, rest + s.gain})
		}
	}
	slices.SortStableFunc(moves, func(a, b move) int { return cmp.Compare(b.estimate, a.estimate) })
	for _, m := range moves {
		groups := q.largest(m.gone)
		for _, i := range all[m.spot].rows {
			groups[i] = m.gone
		}
		if !yield(groups) {
			return
		}
	}
}

// mostSpots are as many spots as one component of a posterior moves to.
const mostSpots = 20

// split cuts group c at its mean along a direction, nil for that in which it is longest; the upper part becomes another group.
// It reports whether there are two parts.
func (p *principal) split(groups []int, c, other int, direction []float64) bool {
	var rows []int
	for i, g := range groups {
		if g == c && p.data.Weights[i] > 0 {
			rows = append(rows, i)
		}
	}
	if len(rows) < 2 {
		return false
	}
	w, at := make([]float64, len(rows)), make([]float64, len(rows))
	for k, i := range rows {
		w[k] = p.data.Weights[i]
	}
	if direction == nil {
		x := mat.NewDense(len(rows), p.dims, nil)
		for k, i := range rows {
			x.SetRow(k, p.row(i))
		}
		direction = longest(x, w)
	}
	for k, i := range rows {
		for j, x := range p.row(i) {
			at[k] += direction[j] * x
		}
	}
	middle, parts := stat.Mean(at, w), 0
	for k, i := range rows {
		if at[k] > middle {
			groups[i] = other
			parts++
		}
	}
	return parts > 0 && parts < len(rows)
}

// longest returns the direction in which rows vary most.
func longest(x *mat.Dense, w []float64) []float64 {
	_, d := x.Dims()
	direction := make([]float64, d)
	direction[0] = 1
	if d == 1 {
		return direction
	}
	var cov mat.SymDense
	var eigen mat.EigenSym
	stat.CovarianceMatrix(&cov, x, w)
	if sum := mat.Sum(&cov); !math.IsNaN(sum) && !math.IsInf(sum, 0) && eigen.Factorize(&cov, true) {
		var vectors mat.Dense
		eigen.VectorsTo(&vectors)
		direction = mat.Col(nil, d-1, &vectors)
	}
	return direction
}

// complete reports whether each of k groups has a row.
func complete(groups []int, k int) bool {
	seen := make([]bool, k)
	for _, g := range groups {
		seen[g] = true
	}
	return !slices.Contains(seen, false)
}
