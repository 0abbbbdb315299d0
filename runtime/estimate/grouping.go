package estimate

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/sngdgen/sngdgen/runtime"
)

// principal are rows of data, as they are and in their principal coordinates, each scaled to variance 1: there clusters that
// are long in one direction are not cut across.
type principal struct {
	data  runtime.Data
	white []float64 // row by row
	dims  int       // of white: directions in which the data vary
}

// flatDirection is the standard deviation of a principal coordinate of scaled columns, relative to the largest, below which
// it is rounding.
const flatDirection = 1e-7

func newPrincipal(d runtime.Data) *principal {
	columns := max(d.Columns, 1)
	n := len(d.Weights)
	p := &principal{data: d}
	x := mat.NewDense(n, columns, slices.Clone(d.Values))
	for j := range columns {
		column := mat.Col(nil, j, x)
		mean, sd := stat.PopMeanStdDev(column, d.Weights)
		if sd == 0 || math.IsNaN(sd) {
			sd = 1
		}
		for i, v := range column {
			x.Set(i, j, (v-mean)/sd)
		}
	}
	var pc stat.PC
	if !pc.PrincipalComponents(x, d.Weights) {
		p.white, p.dims = x.RawMatrix().Data, columns
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

// groupings are ways to group rows, each with numbers from 0 to vary it; nil where there are no more.
var groupings = []func(p *principal, k, variant int, seed uint64) []int{
	(*principal).clusters, (*principal).scaledClusters, (*principal).ward, (*principal).slices, (*principal).nearest,
}

// clusters are k-means clusters in principal coordinates.
func (p *principal) clusters(k, variant int, seed uint64) []int {
	return clustersOf(p.white, p.data.Weights, p.dims, k, seed, variant)
}

// scaledClusters are k-means clusters of columns scaled to variance 1.
func (p *principal) scaledClusters(k, variant int, seed uint64) []int {
	return clustersOf(p.data.Values, p.data.Weights, max(p.data.Columns, 1), k, seed, variant+1<<16)
}

func clustersOf(x, w []float64, columns, k int, seed uint64, variant int) []int {
	labels := make([]float64, len(w))
	if runtime.Clusters(labels, x, w, columns, k, runtime.Stream(seed, "clusters", uint64(variant))) != nil {
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
func (p *principal) slices(k, variant int, _ uint64) []int {
	if variant >= p.dims {
		return nil
	}
	labels, x := make([]float64, len(p.data.Weights)), make([]float64, len(p.data.Weights))
	for i := range x {
		x[i] = p.white[i*p.dims+variant]
	}
	if runtime.Slices(labels, x, p.data.Weights, k) != nil {
		return nil
	}
	return groupsOf(labels)
}

// nearest draws rows and gives every row to the one that is nearest in principal coordinates.
func (p *principal) nearest(k, variant int, seed uint64) []int {
	n := len(p.data.Weights)
	if n < k {
		return nil
	}
	centres := runtime.Stream(seed, "nearest", uint64(variant)).Perm(n)[:k]
	return p.assign(func(g int) []float64 { return p.row(centres[g]) }, k)
}

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
func (p *principal) ward(k, variant int, seed uint64) []int {
	n := len(p.data.Weights)
	if variant > 0 && n <= wardRows || n < k {
		return nil
	}
	sample := runtime.Stream(seed, "ward", uint64(variant)).Perm(n)[:min(n, wardRows)]
	slices.Sort(sample)
	centres := p.merge(sample, k)
	return p.assign(func(g int) []float64 { return centres[g] }, k)
}

// merge returns the centres of k groups of rows. It follows chains of nearest neighbours to pairs that are each other's, which
// merge in the order of their distances in the end (Murtagh, The Computer Journal 26, 1983).
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

// moved returns groups of the rows in which components of a posterior have moved: first those in which two that overlap most
// are one, and another one is two along its longest axis; then such that the rows of a random component go to the others,
// and a random one of these is two along a random direction (random swaps: Zhao, Hautamaki and Franti, Random swap EM
// algorithm for Gaussian mixture models, Pattern Recognition Letters 33, 2012).
func (p *principal) moved(q *posterior, count int, rng *rand.Rand) (all [][]int) {
	groups := q.largest(-1)
	for _, pair := range q.overlaps() {
		for c := range q.k {
			if c == pair[0] || c == pair[1] || 2*len(all) >= count {
				continue
			}
			moved := slices.Clone(groups)
			for i, g := range groups {
				if g == pair[1] {
					moved[i] = pair[0]
				}
			}
			if p.split(moved, c, pair[1], nil) && complete(moved, q.k) {
				all = append(all, moved)
			}
		}
	}
	for range 2 * count {
		if len(all) >= count {
			break
		}
		gone := rng.IntN(q.k)
		moved := q.largest(gone)
		c := moved[rng.IntN(len(moved))] // large ones more often
		direction := make([]float64, p.dims)
		for j := range direction {
			direction[j] = rng.NormFloat64()
		}
		if p.split(moved, c, gone, direction) && complete(moved, q.k) {
			all = append(all, moved)
		}
	}
	return all
}

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
	x, w := mat.NewDense(len(rows), p.dims, nil), make([]float64, len(rows))
	for k, i := range rows {
		x.SetRow(k, p.row(i))
		w[k] = p.data.Weights[i]
	}
	if direction == nil {
		direction = longest(x, w)
	}
	at := make([]float64, len(rows))
	for k := range rows {
		for j, v := range direction {
			at[k] += v * x.At(k, j)
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
