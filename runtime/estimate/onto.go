package estimate

import (
	"math"
	"slices"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/types"
)

const (
	// foldsOnto is by how many factors of e a scale is made smaller where the density is put on equal rows, and lighterTails how many times other positive
	// numbers are, by one each time, as few degrees of freedom are needed where few rows are equal.
	foldsOnto    = 24
	lighterTails = 8
)

// tie is rows that are equal in some columns, those of the first of them.
type tie struct {
	columns []int
	first   int
	weight  float64
}

// shrinksOnto looks for a point at which the density contracts on rows that are equal, in all columns or in some, and the likelihood grows without bound: from the first
// start, with a parameter of the form of the variable at their values, the scale of these columns near 0, and other positive numbers ever smaller. It says in words what goes
// to 0 there, and what the total log-likelihood is; "" where nothing was found. What has no such parameter is not looked at, nor points that are not higher than one that is given.
func shrinksOnto(m runtime.Model, above float64) (words string, there float64) {
	o, shown := m.(runtime.Observed)
	if !shown || componentsOf(m) > 0 || discrete(m) || divided(m) {
		return "", 0
	}
	d, info := o.Observations(), m.Info()
	ties := tiesOf(d)
	z, start := make([]float64, dimension(m)), make([]float64, thetaLen(m))
	if len(ties) == 0 || m.Start(z, 0, runtime.Stream(1, "onto")) != nil {
		return "", 0
	}
	m.Theta(start, z)
	at := 0
	for i := range info.Parameters {
		p := &info.Parameters[i]
		from := at
		at += p.Len(m)
		if p.Known || p.Type != info.Variable.Type || p.Type.Entry != types.Real || p.Len(m) != d.Columns {
			continue
		}
		for _, t := range ties {
			theta := slices.Clone(start)
			for _, j := range t.columns {
				theta[from+j] = d.Values[t.first*d.Columns+j]
			}
			if words, there = contractionOf(m, theta).shrinksOn(t.columns, d.Columns, above); words != "" {
				return words, there
			}
		}
	}
	return "", 0
}

// shrinksOn is shrinks with the scale of some of the columns made small, and other positive numbers smaller and smaller.
func (c *contraction) shrinksOn(columns []int, all int, above float64) (words string, there float64) {
	list := positives(c.m, c.params)
	for i := range list {
		s := list[i].whole()
		if len(columns) < all {
			if list[i].side != all {
				continue
			}
			s = list[i].within(columns)
		}
		small := *c // without an end: theta is another one each time
		small.theta = c.grown(&s, -foldsOnto)
		for range lighterTails {
			if there = small.logLikelihood(&s); there > above {
				if words = small.shrinksBy(&s); words != "" {
					return words, there
				}
			}
			for k := range list {
				if k != i {
					other := list[k].whole()
					other.grow(small.theta, -1)
				}
			}
		}
	}
	return "", 0
}

// logLikelihood is the total one; NaN where there is none.
func (c *contraction) logLikelihood(s *shrinking) float64 {
	loss, err := c.losses(s)
	if err != nil {
		return math.NaN()
	}
	return -loss(0)
}

// tiesOf are the rows on which a density of several entries may contract: those that are equal to most others, and those with the most frequent value of a column, then of one
// more column, and so on, where they are enough. A density whose tails fall with the distance of the whole row, as those of elliptical ones do, is lower at each other row by more
// than the factor by which the scale has shrunk, once for each column that has not: else it would have no integral.
func tiesOf(d runtime.Data) (ties []tie) {
	n := 0.0
	for i := range d.Rows() {
		n += d.Weight(i)
	}
	whole := tie{columns: indices(d.Columns), weight: 1}
	for i, w := range d.Weights { // equal rows have been put together
		if w > whole.weight {
			whole.first, whole.weight = i, w
		}
	}
	if whole.weight >= 2 {
		ties = append(ties, whole)
	}
	if d.Rows() > mostLooked { // which rows it contracts on is not looked at then
		return ties
	}
	all, enough := indices(d.Rows()), n/float64(d.Columns)
	for j := range d.Columns {
		if mostAlike(d, all, j) <= enough {
			continue
		}
		t, rows := tie{weight: n}, slices.Clone(all)
		for next := j; ; next = t.mostEqual(d, rows) {
			if rows = t.narrow(d, rows, next); t.weight <= enough { // as no more columns than all can be enough
				break
			}
			if own := len(t.columns); own == d.Columns {
				break
			} else if t.weight*float64(own) > (n-t.weight)*float64(d.Columns-own) {
				ties = append(ties, tie{slices.Clone(t.columns), t.first, t.weight})
			}
		}
	}
	return ties
}

// narrow adds a column, and leaves the rows that have its most frequent value.
func (t *tie) narrow(d runtime.Data, rows []int, column int) []int {
	value, first, weight := mode(d, rows, column)
	t.columns, t.first, t.weight = append(t.columns, column), first, weight
	return slices.DeleteFunc(rows, func(i int) bool { return d.Values[i*d.Columns+column] != value })
}

// mostEqual is the column besides those of the tie in which most of the rows are equal.
func (t *tie) mostEqual(d runtime.Data, rows []int) (column int) {
	most := 0.0
	for j := range d.Columns {
		if slices.Contains(t.columns, j) {
			continue
		}
		if _, _, weight := mode(d, rows, j); weight > most {
			column, most = j, weight
		}
	}
	return column
}

// mode is the most frequent value of a column in some rows, the first of several, with the first row that has it and what those weigh that do.
func mode(d runtime.Data, rows []int, column int) (value float64, first int, weight float64) {
	weights := make(map[float64]float64, len(rows))
	for _, i := range rows {
		weights[d.Values[i*d.Columns+column]] += d.Weight(i)
	}
	for _, i := range rows {
		if x := d.Values[i*d.Columns+column]; weights[x] > weight {
			value, first, weight = x, i, weights[x]
		}
	}
	return value, first, weight
}

// mostAlike is what rows weigh at most that have one value of a column: those whose values have the same bits of a hash, which takes a tenth of the time.
func mostAlike(d runtime.Data, rows []int, column int) (most float64) {
	var weights [1 << 12]float64
	for _, i := range rows {
		const golden = 0x9e3779b97f4a7c15
		w := &weights[math.Float64bits(d.Values[i*d.Columns+column]+0)*golden>>52]
		*w += d.Weight(i)
		most = max(most, *w)
	}
	return most
}
