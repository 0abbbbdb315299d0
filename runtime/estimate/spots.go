package estimate

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/dense"
)

// Spots are groups of rows close together that a mixture explains badly: where one more component would gain most, which
// neither clusters nor halves of components are. They are looked for around rows, in sizes from a few rows on, and measured
// as if the components were normal: by what the log-likelihood gains on the rows of the spot with a normal of their own mean
// and covariance beside the others (compare Verbeek, Vlassis and Krose, Efficient greedy learning of Gaussian mixture models,
// Neural Computation 15, 2003).

// spot is such a group, with the logarithms of the density of its normal at its rows, times the odds of its share of all rows.
type spot struct {
	rows    []int
	density []float64
	loss    float64 // of all rows, which have less of the others
}

const (
	// spotWork bounds the operations of a search for spots: of many rows only some are centres.
	spotWork = 4e6
	// spotGrowth is the ratio of the sizes that are tried.
	spotGrowth = 1.4
	// sameSpot is the share of common rows from which on two spots are one.
	sameSpot = 0.5
	// ridge is added to variances in principal coordinates, those of all rows being 1: ties make no spot.
	ridge = 1e-6
)

// candidates are groups of rows close together, of no more than so many, which is 1/k of all, and those of addSpots. The former
// are looked for once.
func (p *principal) candidates(k int, seed uint64) []spot {
	if p.spots != nil {
		return p.spots
	}
	n, d := len(p.data.Weights), p.dims
	centres := runtime.Stream(seed, "spots").Perm(n)
	centres = centres[:min(n, max(k, int(spotWork/(float64(n)*float64(d*d+d+20)))))]
	p.spots = []spot{}
	for _, i := range centres {
		p.spots = p.appendSpots(p.spots, i, n/k)
	}
	return p.spots
}

// addSpots adds the components of a mixture to the candidates, by the rows that each explains best: groups of other shapes and
// sizes than those of rows close together.
func (p *principal) addSpots(q *posterior, seed uint64) {
	p.candidates(q.k, seed)
	groups, total := q.largest(-1), floats.Sum(p.data.Weights)
	for c := range q.k {
		own := newLocal(p.dims)
		var rows []int
		for i, g := range groups {
			if w := p.data.Weights[i]; g == c && w > 0 {
				own.add(p.row(i), w)
				rows = append(rows, i)
			}
		}
		if own.weight < float64(p.dims+2) || own.weight >= total/2 {
			continue
		}
		if s, ok := own.spot(p, rows, total); ok {
			p.spots = append(p.spots, s)
		}
	}
}

// appendSpots appends the spots around a row.
func (p *principal) appendSpots(all []spot, centre, most int) []spot {
	near := p.neighbours(centre)
	local, total := newLocal(p.dims), floats.Sum(p.data.Weights)
	next := p.dims + 1
	for m, i := range near {
		local.add(p.row(i), p.data.Weights[i])
		if m+1 < next || local.weight < float64(p.dims+2) { // of fewer rows every normal is as good as any
			continue
		}
		if next = max(m+2, int(float64(m+1)*spotGrowth)); m+1 > max(most, 2*p.dims+4) || local.weight >= total/2 {
			break
		}
		if s, ok := local.spot(p, near[:m+1], total); ok {
			all = append(all, s)
		}
	}
	return all
}

// rated is a spot with what the log-likelihood is estimated to gain by a component there.
type rated struct {
	spot int
	gain float64
}

// best returns the spots where one more component gains most beside a mixture that has the given log-densities at the rows,
// the best first: as many as there are, up to count, that have not most of their rows in common.
func (p *principal) best(candidates []spot, density []float64, count int) (chosen []rated) {
	var order []rated
	for k := range candidates {
		s := &candidates[k]
		gain := -s.loss
		for j, i := range s.rows {
			if more := s.density[j] - density[i]; !(more <= 0) { // NaN counts, and math.Max is a call
				gain += p.data.Weights[i] * more
			}
		}
		if gain > 0 {
			order = append(order, rated{k, gain})
		}
	}
	slices.SortStableFunc(order, func(a, b rated) int { return cmp.Compare(b.gain, a.gain) })
	var inside []marked // the rows of those chosen
	for _, r := range order {
		if len(chosen) == count {
			break
		}
		s := candidates[r.spot]
		if slices.ContainsFunc(inside, s.like) {
			continue
		}
		rows := make([]bool, len(p.data.Weights))
		for _, i := range s.rows {
			rows[i] = true
		}
		chosen, inside = append(chosen, r), append(inside, marked{rows, len(s.rows)})
	}
	return chosen
}

// marked are some of all rows.
type marked struct {
	rows  []bool
	count int
}

// like reports whether a spot has most rows in common with the rows of another.
func (s spot) like(other marked) bool {
	common := 0
	for _, i := range s.rows {
		if other.rows[i] {
			common++
		}
	}
	return float64(common) >= sameSpot*float64(len(s.rows)+other.count-common)
}

// neighbours are the rows that have a weight, the nearest to one first.
func (p *principal) neighbours(centre int) []int {
	type at struct {
		row      int
		distance float64
	}
	all := make([]at, 0, len(p.data.Weights))
	for i, w := range p.data.Weights {
		if w > 0 {
			all = append(all, at{i, squared(p.row(i), p.row(centre))})
		}
	}
	slices.SortFunc(all, func(a, b at) int { return cmp.Or(cmp.Compare(a.distance, b.distance), a.row-b.row) })
	rows := make([]int, len(all))
	for k, a := range all {
		rows[k] = a.row
	}
	return rows
}

// local is a normal distribution with the mean and covariance of some rows.
type local struct {
	d       int
	weight  float64
	mean    []float64
	scatter []float64
	l, x    []float64 // scratch
}

func newLocal(d int) *local {
	return &local{d: d, mean: make([]float64, d), scatter: make([]float64, d*d), l: make([]float64, d*d), x: make([]float64, d)}
}

// add takes in a row with a weight (West, Communications of the ACM 22, 1979).
func (q *local) add(row []float64, w float64) {
	q.weight += w
	for j, v := range row {
		q.x[j] = v - q.mean[j]
	}
	share := w / q.weight
	for j, v := range q.x {
		for i := range j + 1 {
			q.scatter[j*q.d+i] += w * (1 - share) * v * q.x[i]
		}
		q.mean[j] += share * v
	}
}

// factor prepares density, and returns the logarithm of what it has in front; false where the covariance is singular.
func (q *local) factor() (constant float64, ok bool) {
	for j := range q.d {
		for i := range j + 1 {
			v := q.scatter[j*q.d+i] / q.weight
			if i == j {
				v += ridge
			}
			q.l[j*q.d+i], q.l[i*q.d+j] = v, v
		}
	}
	if !dense.Cholesky(q.l, q.l, q.d) {
		return 0, false
	}
	return -(float64(q.d)*math.Log(2*math.Pi) + dense.LogDet(q.l, q.d)) / 2, true
}

// density returns the exponent of the density at a row.
func (q *local) density(row []float64) float64 {
	for j, v := range row {
		q.x[j] = v - q.mean[j]
	}
	dense.SolveLower(q.x, q.l, q.d)
	sum := 0.0
	for _, v := range q.x {
		sum += v * v
	}
	return -sum / 2
}

// spot returns the spot of some rows, which the normal has been made of; false where they lie in a plane.
func (q *local) spot(p *principal, rows []int, total float64) (spot, bool) {
	constant, ok := q.factor()
	share := q.weight / total
	s := spot{rows, make([]float64, len(rows)), -total * math.Log1p(-share)}
	odds := constant + math.Log(share) - math.Log1p(-share)
	for j, i := range rows {
		s.density[j] = odds + q.density(p.row(i))
	}
	return s, ok
}

// normals are components as if they were normal: the logarithm of weight times density of each at each row.
type normals struct {
	terms   [][]float64
	weights []float64 // which sum to 1
}

// normals returns the normals of k components that have shares in the rows; those that lie in a plane are left out.
func (p *principal) normals(k int, share func(row, component int) float64) *normals {
	q, total := &normals{weights: make([]float64, k)}, floats.Sum(p.data.Weights)
	for c := range k {
		one := newLocal(p.dims)
		for i, w := range p.data.Weights {
			if s := w * share(i, c); s > 0 {
				one.add(p.row(i), s)
			}
		}
		terms := slices.Repeat([]float64{math.Inf(-1)}, len(p.data.Weights))
		if constant, ok := one.factor(); ok && one.weight > 0 {
			q.weights[c] = one.weight / total
			for i := range terms {
				terms[i] = math.Log(q.weights[c]) + constant + one.density(p.row(i))
			}
		}
		q.terms = append(q.terms, terms)
	}
	return q
}

// density returns the logarithm of the density of the mixture at each row, without one component; -1 stands for none.
func (q *normals) density(without int) []float64 {
	var terms []float64
	n, scale := len(q.terms[0]), 0.0
	for c, t := range q.terms {
		if c != without {
			terms = append(terms, t...)
		} else {
			scale = -math.Log1p(-q.weights[c])
		}
	}
	out := make([]float64, n)
	dense.LogSumExp(out, terms, n, len(terms)/n)
	floats.AddConst(scale, out)
	return out
}
