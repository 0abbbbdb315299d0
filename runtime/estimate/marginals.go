package estimate

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/sngdgen/sngdgen/runtime"
)

// marginals are draws of d numbers, row by row, of which the quantiles of every number are estimated. Controls, if there are
// any, are numbers that go with them, as closely as a linear function of the random numbers of the draws can, and of which all
// quantiles are known: normal with mean 0 and the given deviations.
type marginals struct {
	x          []float64
	d          int
	weights    []float64 // of the rows, which sum to 1; nil for equal ones
	controls   []float64 // as x; nil where there are none
	deviations []float64
}

// control finds controls by least squares on the spherical random numbers of the draws, which are normal: no other numbers are
// independent with a distribution that rotations do not change (Maxwell).
func (q *marginals) control(arrays []runtime.Noise) {
	n := len(q.x) / q.d
	mean := make([]float64, q.d)
	for i := range n {
		for j := range mean {
			mean[j] += q.x[i*q.d+j] / float64(n)
		}
	}
	centred := mat.NewDense(n, q.d, nil)
	for i := range n {
		for j, m := range mean {
			centred.Set(i, j, q.x[i*q.d+j]-m)
		}
	}
	controls := mat.NewDense(n, q.d, nil)
	q.deviations = make([]float64, q.d)
	for _, a := range arrays {
		if !a.Spherical || len(a.Values) == 0 {
			continue
		}
		e := mat.NewDense(n, a.Length, a.Values)
		var slopes, part mat.Dense // the numbers have second moments 1
		slopes.Mul(centred.T(), e)
		slopes.Scale(1/float64(n), &slopes)
		part.Mul(e, slopes.T())
		controls.Add(controls, &part)
		for j := range q.d {
			q.deviations[j] = math.Hypot(q.deviations[j], mat.Norm(slopes.RowView(j), 2))
		}
	}
	q.controls = controls.RawMatrix().Data
}

// quantiles returns those of each probability, one for every number of a row.
func (q *marginals) quantiles(probabilities []float64) [][]float64 {
	out := make([][]float64, len(probabilities))
	for i := range out {
		out[i] = make([]float64, q.d)
	}
	for j := range q.d {
		x := newSortedColumn(q.x, q.d, j)
		var u *sortedColumn
		if q.controls != nil && q.deviations[j] > 0 {
			u = newSortedColumn(q.controls, q.d, j)
		}
		for i, p := range probabilities {
			at := x.place(p, q.weights)
			if u != nil {
				at += x.slope(u, p) * (u.find(q.deviations[j]*distuv.UnitNormal.Quantile(p)) - at)
			}
			out[i][j] = x.at(at)
		}
	}
	return out
}

// sortedColumn is a column of numbers in ascending order.
type sortedColumn struct {
	values []float64
	rows   []int // where they are from
	ranks  []int // by row
}

func newSortedColumn(x []float64, d, column int) *sortedColumn {
	type numbered struct {
		value float64
		row   int
	}
	n := len(x) / d
	sorted := make([]numbered, n) // with their numbers beside them, as to fetch them from their rows takes longer than all else
	for i := range sorted {
		sorted[i] = numbered{x[i*d+column], i}
	}
	slices.SortFunc(sorted, func(a, b numbered) int { return cmp.Compare(a.value, b.value) })
	r := &sortedColumn{values: make([]float64, n), rows: make([]int, n), ranks: make([]int, n)}
	for rank, s := range sorted {
		r.values[rank], r.rows[rank], r.ranks[s.row] = s.value, s.row, rank
	}
	return r
}

// place is where among the ordered numbers the quantile of p is, from 0 for the first: between two of them, so that number i has
// the probability of those before it and half its own (Hyndman and Fan, Sample quantiles in statistical packages, The American
// Statistician 50, 1996, definition 5).
func (r *sortedColumn) place(p float64, weights []float64) float64 {
	if weights == nil {
		return p*float64(len(r.values)) - 0.5
	}
	before, last := 0.0, 0.0
	for i, row := range r.rows {
		middle := before + weights[row]/2
		if middle >= p {
			if i == 0 {
				return 0
			}
			return float64(i) - (middle-p)/(middle-last)
		}
		before, last = before+weights[row], middle
	}
	return float64(len(r.values) - 1)
}

// at is the number at a place, by linear interpolation.
func (r *sortedColumn) at(place float64) float64 {
	last := len(r.values) - 1
	place = math.Max(0, math.Min(place, float64(last)))
	i := min(int(place), last-1)
	if i < 0 {
		return r.values[0]
	}
	part := place - float64(i)
	return r.values[i] + part*(r.values[i+1]-r.values[i])
}

// find is the place of a number: the inverse of at.
func (r *sortedColumn) find(x float64) float64 {
	last := len(r.values) - 1
	i, _ := slices.BinarySearch(r.values, x)
	switch {
	case i == 0:
		return 0
	case i > last:
		return float64(last)
	}
	return float64(i) - (r.values[i]-x)/(r.values[i]-r.values[i-1])
}

// slope is the coefficient of a control in the estimate of the distribution function at the quantile of p, by least squares:
// how much more often the numbers are below their quantiles together than by chance. It is 1 for numbers in the same order.
// Control variates for quantiles are those of Hsu and Nelson, Control variates for quantile estimation, Management Science 36, 1990.
func (r *sortedColumn) slope(u *sortedColumn, p float64) float64 {
	n := len(r.values)
	below := max(1, min(n-1, int(math.Round(p*float64(n)))))
	both := 0
	for _, row := range r.rows[:below] {
		if u.ranks[row] < below {
			both++
		}
	}
	f := float64(below) / float64(n)
	return math.Max(0, (float64(both)/float64(n)-f*f)/(f*(1-f)))
}
