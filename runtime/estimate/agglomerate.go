package estimate

import (
	"math"
	"slices"

	"github.com/sngdgen/sngdgen/runtime"
)

// Model-based agglomeration merges groups of rows, always the two of which the likelihood of one normal distribution a group
// loses the least (Banfield and Raftery, Model-based Gaussian and non-Gaussian clustering, Biometrics 49, 1993), with
// covariances of any form or multiples of the identity. So clusters may differ in size and shape, which centres alone do not
// see. Covariances of few rows are shrunk towards that of a small sphere, as if there were d+1 more rows of it.

// agglomerator has the rows that are merged, in coordinates in which they vary about as much in all directions.
type agglomerator struct {
	d         int
	spherical bool
	prior     float64 // the variance of the sphere
	groups    []cluster
	near      []int     // the group with which each loses the least
	price     []float64 // what it loses, or less where the other has been merged
	stale     []bool    // whether it has
	scatter   []float64 // scratch
	away      []float64
}

// cluster is a group of rows; of those that have been merged into others the weight is 0.
type cluster struct {
	rows    []int
	weight  float64
	mean    []float64
	scatter []float64 // the lower half of the sum of squares about the mean
	cost    float64
}

const (
	// agglomerationWork bounds the operations of one agglomeration, and with it the rows that are merged one by one.
	agglomerationWork = 3e7
	// priorSpread is the standard deviation of the sphere, relative to that of k equal parts of a cube.
	priorSpread = 0.6
)

// agglomerated are groups of a sample of rows, in turn by covariances of any form and by spheres, in scaled and in principal
// coordinates; other rows go where the normal of a group is the highest.
func (p *principal) agglomerated(k int, seed uint64, yield func([]int) bool) {
	n, d := len(p.data.Weights), max(p.data.Columns, 1)
	size := min(n, int(math.Sqrt(agglomerationWork/float64(d*d*d+3*d*d+30))))
	type kind struct {
		rows      []float64
		d         int
		spherical bool
	}
	kinds := []kind{{p.scaled, d, false}, {p.white, p.dims, false}, {p.scaled, d, true}, {p.white, p.dims, true}}
	if d == 1 { // all of these are the same
		kinds = kinds[:1]
	}
	for i := 0; n >= k && (i == 0 || n > size); i++ {
		sample := runtime.Stream(seed, "agglomeration", uint64(i)).Perm(n)[:size]
		slices.Sort(sample)
		for _, kind := range kinds {
			a := newAgglomerator(kind.rows, p.data.Weights, kind.d, k, sample, kind.spherical)
			if groups := a.run(kind.rows, p.data.Weights, k); groups != nil && !yield(groups) {
				return
			}
		}
	}
}

func newAgglomerator(x, weights []float64, d, k int, sample []int, spherical bool) *agglomerator {
	spread := priorSpread * math.Pow(float64(k), -1/float64(d))
	a := &agglomerator{d: d, spherical: spherical, prior: spread * spread, scatter: make([]float64, d*d), away: make([]float64, d)}
	for _, i := range sample {
		if w := weights[i]; w > 0 {
			g := cluster{rows: []int{i}, weight: w, mean: slices.Clone(x[i*d : (i+1)*d]), scatter: make([]float64, d*d)}
			g.cost = a.cost(g.scatter, w)
			a.groups = append(a.groups, g)
		}
	}
	a.near, a.price, a.stale = make([]int, len(a.groups)), make([]float64, len(a.groups)), make([]bool, len(a.groups))
	return a
}

// cost is twice the negative log-likelihood of a group, but for what all groupings have in common. It uses up the scatter.
func (a *agglomerator) cost(scatter []float64, weight float64) float64 {
	more := float64(a.d + 1)
	if a.spherical {
		trace := 0.0
		for j := range a.d {
			trace += scatter[j*a.d+j]
		}
		d := float64(a.d)
		return weight * d * math.Log((trace/d+more*a.prior)/(weight+more))
	}
	scatter = append(a.scatter[:0], scatter...)
	for j := range a.d {
		scatter[j*a.d+j] += more * a.prior
	}
	return weight * (logDeterminant(scatter, a.d) - float64(a.d)*math.Log(weight+more))
}

// logDeterminant is that of a definite matrix of which the lower half is given, and used up: matrices are small, and there are
// many.
func logDeterminant(l []float64, d int) float64 {
	sum, product := 0.0, 1.0
	for j := range d {
		row := l[j*d : j*d+j+1]
		for c := range j {
			v, other := row[c], l[c*d:c*d+c]
			for i, x := range other {
				v -= row[i] * x
			}
			row[c] = v / l[c*d+c]
		}
		pivot := row[j]
		for _, x := range row[:j] {
			pivot -= x * x
		}
		if !(pivot > 0) {
			return math.Inf(1)
		}
		row[j] = math.Sqrt(pivot)
		if product *= pivot; !(product > 1e-200 && product < 1e200) {
			sum, product = sum+math.Log(product), 1
		}
	}
	return sum + math.Log(product)
}

// join writes the scatter of the union of two groups.
func (a *agglomerator) join(dst []float64, g, h *cluster) {
	share := g.weight * h.weight / (g.weight + h.weight)
	for j, m := range g.mean {
		a.away[j] = m - h.mean[j]
	}
	for j, x := range a.away {
		for l, y := range a.away[:j+1] {
			dst[j*a.d+l] = g.scatter[j*a.d+l] + h.scatter[j*a.d+l] + share*x*y
		}
	}
}

// look finds the group with which one loses the least.
func (a *agglomerator) look(g int) {
	a.near[g], a.price[g], a.stale[g] = -1, math.Inf(1), false
	for h := range a.groups {
		if h != g && a.groups[h].weight > 0 {
			a.offer(g, h, a.compare(g, h))
		}
	}
}

// compare returns what two groups lose as one.
func (a *agglomerator) compare(g, h int) float64 {
	one, other := &a.groups[g], &a.groups[h]
	a.join(a.scatter, one, other)
	return a.cost(a.scatter, one.weight+other.weight) - one.cost - other.cost
}

// offer takes group h for the nearest of group g if it is.
func (a *agglomerator) offer(g, h int, price float64) {
	if price < a.price[g] {
		a.near[g], a.price[g], a.stale[g] = h, price, false
	}
}

// run merges until there are k groups, and gives every row to one; nil if one has none.
func (a *agglomerator) run(x, weights []float64, k int) []int {
	for g := range a.groups {
		a.near[g], a.price[g] = -1, math.Inf(1)
		for h := range g {
			price := a.compare(g, h)
			a.offer(g, h, price)
			a.offer(h, g, price)
		}
	}
	for left := len(a.groups); left > k; left-- {
		a.merge()
	}
	out := make([]int, len(weights))
	normals, next := make([]*local, 0, k), 0
	for i := range out {
		out[i] = -1
	}
	for g := range a.groups {
		group := &a.groups[g]
		if group.weight == 0 {
			continue
		}
		one := newLocal(a.d)
		for _, i := range group.rows {
			one.add(x[i*a.d:(i+1)*a.d], weights[i])
			out[i] = next
		}
		normals = append(normals, one)
		next++
	}
	a.assign(out, normals, x)
	if !complete(out, k) {
		return nil
	}
	return out
}

// cheapest returns the group that loses the least with its nearest. Where this has been merged, what it has lost with it is
// still less than with any other, so that only those need to be looked at again that come first.
func (a *agglomerator) cheapest() int {
	for {
		g := -1
		for h := range a.groups {
			if a.groups[h].weight > 0 && (g < 0 || a.price[h] < a.price[g]) {
				g = h
			}
		}
		if !a.stale[g] {
			return g
		}
		a.look(g)
	}
}

// merge makes the two groups one that lose the least.
func (a *agglomerator) merge() {
	g := a.cheapest()
	h := a.near[g]
	one, other := &a.groups[g], &a.groups[h]
	a.join(one.scatter, one, other)
	total := one.weight + other.weight
	for j, m := range other.mean {
		one.mean[j] += other.weight / total * (m - one.mean[j])
	}
	one.weight, one.rows = total, append(one.rows, other.rows...)
	one.cost = a.cost(one.scatter, total)
	other.weight, other.rows, a.price[h] = 0, nil, math.Inf(1)
	a.near[g], a.price[g], a.stale[g] = -1, math.Inf(1), false
	for i := range a.groups {
		if i == g || a.groups[i].weight == 0 {
			continue
		}
		a.stale[i] = a.stale[i] || a.near[i] == g || a.near[i] == h
		price := a.compare(i, g)
		a.offer(i, g, price)
		a.offer(g, i, price)
	}
}

// assign gives the rows of no group to that of which the normal distribution, times its weight, is the highest.
func (a *agglomerator) assign(out []int, normals []*local, x []float64) {
	constants := make([]float64, len(normals))
	for c, q := range normals {
		more := float64(a.d + 1)
		for j := range a.d {
			q.scatter[j*a.d+j] += more * a.prior * q.weight / (q.weight + more)
		}
		constant, ok := q.factor()
		if constants[c] = constant + math.Log(q.weight); !ok {
			constants[c] = math.Inf(-1)
		}
	}
	for i, g := range out {
		if g >= 0 {
			continue
		}
		best := math.Inf(-1)
		for c, q := range normals {
			if v := constants[c] + q.density(x[i*a.d:(i+1)*a.d]); v > best || out[i] < 0 {
				out[i], best = c, v
			}
		}
	}
}
