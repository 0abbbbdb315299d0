package estimate

import (
	"errors"
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/floats"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/support"
	"github.com/sngdgen/sngdgen/runtime/types"
)

// posterior are the probabilities of the components of a mixture, given each row of the data.
type posterior struct {
	k       int
	r       []float64 // row by row; shares has them
	values  []float64 // of the rows
	columns int
	given   int             // how many of the columns, the last, there is no density of: see densityFirst
	weights []float64       // of the rows
	facts   *facts          // about the rows
	others  runtime.Reducer // that have other rows, over which sums are too
	memory  *perRow
	again   func(r []float64) // computes r, which is kept for one posterior at a time then; nil where it is kept
	order   []int             // in which r has the components, of which again has its own; nil where that is the same
}

// newPosterior returns the posterior at the end of a run; nil for models that are no mixtures, where the data are not known,
// and where it would take too long.
func newPosterior(m runtime.Model, r *Settings, z, theta []float64) *posterior {
	if _, ok := m.(runtime.Mixture); !ok {
		return nil
	}
	m = looked(m, r.Seed)
	mix := m.(runtime.Mixture)
	p := &posterior{k: mix.Components(), facts: r.facts, memory: r.perRow}
	if !p.take(m) {
		return nil
	}
	if !r.unconstrained() {
		at := slices.Clone(z)
		p.again = func(r []float64) { mix.Responsibilities(r, at) }
	} else if p.r = make([]float64, len(p.weights)*p.k); !p.fromGradients(m, theta) {
		return nil
	}
	if slices.ContainsFunc(p.shares(), func(x float64) bool { return math.IsNaN(x) }) {
		return nil
	}
	return p
}

// shares are the probabilities, row by row. They stay until those of another posterior are asked for.
func (p *posterior) shares() []float64 {
	n, m := len(p.weights)*p.k, p.memory
	switch {
	case p.again == nil || m != nil && m.of == p:
		return p.r
	case m != nil && n >= leastApart:
		if m.of != nil {
			m.give(m.of.r)
			m.of.r = nil
		}
		m.of = p
	case p.r != nil:
		return p.r
	}
	p.r = m.take(n)
	if p.again(p.r); p.order != nil {
		p.permute(p.order)
	}
	return p.r
}

// take takes the distinct rows of the data, where the model shows them.
func (p *posterior) take(m runtime.Model) bool {
	o, ok := m.(runtime.Observed)
	if !ok {
		return false
	}
	d := o.Observations()
	if p.weights = d.Weights; p.weights == nil {
		p.weights = p.memory.weights(d.Rows())
	}
	p.values, p.columns, p.given = rowsOf(m, d)
	_, distinct, _ := m.Counts()
	return distinct == len(p.weights)
}

// weighted is the rows of a model with a weight for each.
func weighted(m runtime.Observed) runtime.Data {
	d := m.Observations()
	if d.Weights == nil {
		d.Weights = slices.Repeat([]float64{1}, d.Rows())
	}
	return d
}

// rowsOf returns rows of a model as densityFirst does, and how many columns they have: without those that others determine, of a
// symmetric matrix the entries above the diagonal, of three or more shares the last. With them all rows would be in a plane.
func rowsOf(m runtime.Model, d runtime.Data) (rows []float64, columns, given int) {
	columns = max(d.Columns, 1)
	values, given := densityFirst(m, d)
	v := m.Info().Variable
	form := v.Type.Form
	if form == nil || len(m.Info().Beside) > 0 || !form.Has(types.Symmetric) && !form.Has(types.LowerTriangular) && form.Structure&(types.SumsToOne|types.RowsSumToOne) == 0 {
		return values, columns, given
	}
	n, side := v.Len(m), v.Side(m)
	var kept []int
	for i := range columns {
		switch {
		case i >= n:
		case form.Has(types.RowsSumToOne):
			if side > 2 && i%side == side-1 { // of every row
				continue
			}
		case form.Rank == 2 && i%side > i/side, form.Has(types.UnitDiagonal) && i%side == i/side, form.Has(types.SumsToOne) && n > 2 && i == n-1:
			continue
		}
		kept = append(kept, i)
	}
	for at := 0; at < len(values); at += columns {
		for _, i := range kept {
			rows = append(rows, values[at+i])
		}
	}
	return rows, len(kept), given
}

// discrete reports whether all that is observed are whole numbers: the density is a probability.
func discrete(m runtime.Model) bool {
	return !slices.ContainsFunc(m.Info().Observed(), func(v runtime.Parameter) bool { return !v.Type.Entry.Integer })
}

// densityFirst returns rows of a model with the columns last that there is no density of: what is given and, of several variables,
// those that are whole numbers, for every value of which there is a density of the others. It also returns how many these are.
func densityFirst(m runtime.Model, d runtime.Data) (values []float64, given int) {
	info, columns := m.Info(), max(d.Columns, 1)
	given = info.RowLen(m)
	for _, v := range info.Observed() {
		given -= v.Len(m)
	}
	if len(info.Beside) == 0 || discrete(m) {
		return d.Values, given
	}
	var first, last []int
	at := 0
	for _, v := range info.Observed() {
		for range v.Len(m) {
			if v.Type.Entry.Integer {
				last = append(last, at)
			} else {
				first = append(first, at)
			}
			at++
		}
	}
	given += len(last)
	for ; at < columns; at++ {
		last = append(last, at)
	}
	order := append(first, last...)
	values = make([]float64, 0, len(d.Values))
	for i := 0; i < len(d.Values); i += columns {
		for _, j := range order {
			values = append(values, d.Values[i+j])
		}
	}
	return values, given
}

// facts are what is found out of rows once, when it is asked for: of those at hand, or by a search for all of its runs, which may be several at a time.
type facts struct {
	once     sync.Once
	sorted   sync.Once
	sets     []int     // for each row the index of the first row that is equal to it
	scatter  []float64 // the lower half of their covariance matrix, of the variable given the other columns
	rounding []float64 // the variances of rounding; see roundings
}

// find finds them out of rows.
func (f *facts) find(values, weights []float64, columns, given int, memory *perRow) {
	f.once.Do(func() {
		f.scatter = conditional(covariance(values, weights, columns), columns, given)
		f.rounding = roundings(values, weights, f.scatter, columns, columns-given, memory)
	})
}

// equal are the sets of equal rows.
func (p *posterior) equal() []int {
	f := p.about()
	f.sorted.Do(func() { f.sets = sets(p.values, p.columns) })
	return f.sets
}

// redundant is the share of the variance of a column that other columns leave of it below which it is theirs but for rounding.
const redundant = 1e-12

// conditional returns the lower half of the covariance matrix of the first columns given the others, as far as these are linear: the
// Schur complement in that of all d. Columns of what is given that the others determine are left out.
func conditional(scatter []float64, d, given int) []float64 {
	rest := d - given
	s := slices.Clone(scatter)
	at := func(i, j int) *float64 { return &s[max(i, j)*d+min(i, j)] }
	column := make([]float64, d)
	for g := d - 1; g >= rest; g-- {
		pivot := *at(g, g)
		if !(pivot > redundant*scatter[g*d+g]) {
			continue
		}
		for i := range g {
			column[i] = *at(i, g)
		}
		for i := range g {
			for j := range i + 1 {
				*at(i, j) -= column[i] * column[j] / pivot
			}
		}
	}
	out := make([]float64, rest*rest)
	for i := range rest {
		copy(out[i*rest:i*rest+i+1], s[i*d:i*d+i+1])
	}
	return out
}

// sets returns for each row the index of the first row that is equal to it.
func sets(values []float64, columns int) []int {
	row := func(i int) []float64 { return values[i*columns : (i+1)*columns] }
	by := make([]int, len(values)/columns)
	for i := range by {
		by[i] = i
	}
	slices.SortStableFunc(by, func(a, b int) int { return slices.Compare(row(a), row(b)) })
	out := make([]int, len(by))
	for j, i := range by {
		out[i] = i
		if j > 0 && slices.Equal(row(i), row(by[j-1])) {
			out[i] = out[by[j-1]]
		}
	}
	return out
}

// mostWork bounds the operations that it takes to find a posterior without the coordinates of the surrogate.
const mostWork = 1e10

// about returns what there is to know of the rows.
func (p *posterior) about() *facts {
	if p.facts == nil {
		p.facts = new(facts)
	}
	p.facts.find(p.values, p.weights, p.columns, p.given, p.memory)
	return p.facts
}

// covariance returns the lower half of the covariance matrix of weighted rows.
func covariance(values, weights []float64, d int) []float64 {
	total, mean, out := 0.0, make([]float64, d), make([]float64, d*d)
	for i, w := range weights {
		if total += w; w > 0 {
			for j, x := range values[i*d : (i+1)*d] {
				mean[j] += w / total * (x - mean[j])
			}
		}
	}
	away := make([]float64, d)
	for i, w := range weights {
		if !(w > 0) {
			continue
		}
		for j, x := range values[i*d : (i+1)*d] {
			away[j] = x - mean[j]
			for l, y := range away[:j+1] {
				out[j*d+l] += w / total * away[j] * y
			}
		}
	}
	return out
}

// fromGradients finds the posterior where only the parameters are known, as at the end of methods in unconstrained
// coordinates. It takes a gradient for each row. It reports whether there are such probabilities.
func (p *posterior) fromGradients(m runtime.Model, theta []float64) bool {
	one, err := cloneByRow(m)
	f, ok := one.(runtime.Objective)
	if work := float64(len(p.weights)) * float64(len(theta)) * float64(p.columns); err != nil || !ok || work > mostWork {
		return false
	}
	g := make([]float64, len(theta))
	// Data are given to it anew, so that batches are of the distinct rows.
	return nil == eachRow(one, m.(runtime.Observed).Observations(), func(i int) error {
		f.ThetaGradient(g, theta)
		shares := p.r[i*p.k : (i+1)*p.k]
		sharesFrom(shares, theta, g)
		return failure(!(math.Abs(floats.Sum(shares)-1) < 1e-6))
	})
}

// sizes returns the sums of the weights of the rows, each row shared among the components.
func (p *posterior) sizes() []float64 {
	r := p.shares()
	return p.sums(p.k, func(i int, to []float64) {
		for c := range to {
			to[c] += p.weights[i] * r[i*p.k+c]
		}
	})
}

// sums adds up something over the rows, and over those of other processes where the posterior is of the rows of each.
func (p *posterior) sums(count int, add func(i int, to []float64)) []float64 {
	return support.OverRows(p.others, len(p.weights), count, add)
}

// assigned returns the sums of the weights of the rows for which a component is the most probable.
func (p *posterior) assigned() []float64 {
	r := p.shares()
	return p.sums(p.k, func(i int, to []float64) {
		own := r[i*p.k : (i+1)*p.k]
		to[slices.Index(own, slices.Max(own))] += p.weights[i]
	})
}

// means returns the means of the rows, each shared among the components, where a row is a number; NaN where a component has
// none of it.
func (p *posterior) means() []float64 {
	if p == nil || p.columns > 1 {
		return nil
	}
	sizes, r := p.sizes(), p.shares()
	return p.sums(p.k, func(i int, to []float64) {
		for c := range to {
			to[c] += p.weights[i] * r[i*p.k+c] / sizes[c] * p.values[i]
		}
	})
}

// entropy returns the entropy of the components given the rows, summed over these: 0 where each row belongs to one of them.
func (p *posterior) entropy() float64 {
	all := p.shares()
	return p.sums(1, func(i int, to []float64) {
		for _, r := range all[i*p.k : (i+1)*p.k] {
			if r > 0 {
				to[0] -= p.weights[i] * r * math.Log(r)
			}
		}
	})[0]
}

// ofAll is a posterior that has the sums over all rows: the one that was looked at or, where processes have a part of the rows each, that of
// these. Nil where that is not known in all of them.
func (p *posterior) ofAll(m runtime.Model, r *Settings, a *attempt) *posterior {
	if p == nil || !divided(m) {
		return p
	}
	mix, d := m.(runtime.Mixture), m.(runtime.Observed).Observations()
	if d.Weights == nil {
		d.Weights = p.memory.weights(d.Rows())
	}
	all := &posterior{k: p.k, weights: d.Weights, others: othersOf(m)}
	all.values, all.columns, all.given = rowsOf(m, d)
	all.r = p.memory.take(len(all.weights) * p.k)
	if !r.unconstrained() {
		mix.Responsibilities(all.r, a.res.Z)
	} else if bad := !all.fromGradients(m, a.theta); agreed(m, failure(bad)) != nil {
		return nil
	}
	all.reorder(a.order)
	return all
}

// failure is an error where something has failed.
func failure(failed bool) error {
	if failed {
		return errors.New("failed")
	}
	return nil
}

// reorder puts the components into an order. It may be called once.
func (p *posterior) reorder(order []int) {
	p.shares()
	p.order = order
	p.permute(order)
}

// permute puts those of all rows into an order.
func (p *posterior) permute(order []int) {
	own := make([]float64, p.k)
	for i := range p.weights {
		r := p.r[i*p.k : (i+1)*p.k]
		for to, from := range order {
			own[to] = r[from]
		}
		copy(r, own)
	}
}

// bounded reports whether the density of no component can grow without bound on few rows: probabilities of discrete ones, and where
// what the components do not share are real numbers, as locations are, and no scales.
func bounded(m runtime.Model) bool {
	shared := false
	for i, p := range m.Info().Parameters {
		switch {
		case p.Known || i == 0: // the weights
		case !p.Components:
			shared = true
		case p.Type.Entry != types.Real || p.Type.Form.Structure != 0:
			return discrete(m)
		}
	}
	return shared && componentsOf(m) > 0 || discrete(m)
}
