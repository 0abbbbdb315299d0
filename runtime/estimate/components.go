package estimate

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/dense"
)

// Component is what a report says of one component of a mixture, beside its parameters.
type Component struct {
	Weight float64 `json:"weight"`
	// Mean of the rows, each shared among the components by the posterior probabilities, where a row is a number; null where
	// it is not.
	Mean Number `json:"mean"`
	// Rows is the sum of the weights of the rows, each shared in the same way: how many observations the component explains.
	Rows Number `json:"rows"`
	// Assigned is the sum of the weights of the rows for which the component is the most probable one.
	Assigned Number `json:"assigned"`
	Floored  bool   `json:"floored,omitempty"` // the weight is held at the floor
	// Note is one of Died, Collapsed, Unresolved and Coincides, or "".
	Note string `json:"note,omitempty"`
	With []int  `json:"with,omitempty"` // the components it coincides with, counted from 1
}

// The notes on components that are none.
const (
	Died       = "died"       // it explains less than one observation
	Collapsed  = "collapsed"  // it explains one distinct row only, or of vectors no more than a row has columns
	Unresolved = "unresolved" // its rows lie in a plane but for the steps in which the data are recorded
	Coincides  = "coincides"  // with another one: their densities are the same on the data
)

const (
	// One row that a component explains counts as one although others have a share of so much.
	shared = 1e-3
	// Densities that are the same do not differ by more, relative to either.
	sameDensity = 1e-6
)

// components describes the components at theta, whose posterior is p, that of all rows all.
func (p *posterior) components(all *posterior, theta []float64, discrete bool) []Component {
	out := make([]Component, p.k)
	sizes, assigned, means := all.sizes(), all.assigned(), all.means()
	for c := range out {
		out[c] = Component{Weight: theta[c], Rows: Number(sizes[c]), Assigned: Number(assigned[c]), Mean: Number(math.NaN())}
		if means != nil {
			out[c].Mean = Number(means[c])
		}
		switch {
		case sizes[c] < 1:
			out[c].Note = Died
		case p.collapsed(c, discrete):
			out[c].Note = Collapsed
		case !discrete && p.unresolved(c, sizes[c]):
			out[c].Note = Unresolved
		}
	}
	for a := range out {
		for b := a + 1; b < p.k; b++ {
			if out[a].Note != Died && out[b].Note != Died && p.coincide(theta, a, b) {
				out[a].With, out[b].With = append(out[a].With, b+1), append(out[b].With, a+1)
			}
		}
	}
	for c := range out {
		if out[c].With != nil && out[c].Note == "" {
			out[c].Note = Coincides
		}
	}
	return out
}

// collapsed reports whether a component is there for one distinct row only, as counted by (sum r)^2 / sum r^2. Vectors of so
// few rows as they have columns, or less, lie in a plane, which is no better; discrete ones need not have a scale.
func (p *posterior) collapsed(c int, discrete bool) bool {
	most := 1.0
	if !discrete {
		most = float64(p.columns)
	}
	if p.several(c, most+shared) {
		return false
	}
	shares, sets, r := make([]float64, len(p.weights)), p.equal(), p.shares()
	for i, w := range p.weights {
		if w > 0 {
			shares[sets[i]] = r[i*p.k+c]
		}
	}
	sum, squares := 0.0, 0.0
	for _, r := range shares {
		sum, squares = sum+r, squares+r*r
	}
	return sum*sum/squares < most+shared && p.distinct() > most
}

// several reports whether a component has distinct rows whose probabilities sum to more than some number, of those that it explains better than the
// others, which are nearly always found among the first ones. Probabilities are at most 1, so that (sum r)^2 / sum r^2 is at least the sum.
func (p *posterior) several(c int, most float64) bool {
	var found []int
	row := func(i int) []float64 { return p.values[i*p.columns : (i+1)*p.columns] }
	sum, all := 0.0, p.shares()
	for i, w := range p.weights {
		r := all[i*p.k+c]
		if r < 0.5 || w == 0 || slices.ContainsFunc(found, func(j int) bool { return slices.Equal(row(i), row(j)) }) {
			continue
		}
		found = append(found, i)
		if sum += r; sum > most*(1+thinMargin) {
			return true
		}
	}
	return false
}

// distinct returns the number of distinct rows that have a weight.
func (p *posterior) distinct() float64 {
	n := 0.0
	for i, first := range p.equal() {
		if i == first {
			n++
		}
	}
	return n
}

// coincide reports whether two components have the same density on the data, or so nearly that the likelihood would be as
// high if they had: near such a point it is so flat that runs end before the densities agree to the last digits.
func (p *posterior) coincide(theta []float64, a, b int) bool {
	return p.alike(theta, a, b) || p.lossBelow(nothing, theta, a, b) || p.lossBelow(nothing, theta, b, a)
}

// alike reports whether two components have the same density at each row, up to rounding.
func (p *posterior) alike(theta []float64, a, b int) bool {
	r := p.shares()
	for i, w := range p.weights {
		x, y := r[i*p.k+a]*theta[b], r[i*p.k+b]*theta[a]
		if w != 0 && !(math.Abs(x-y) <= sameDensity*math.Max(x, y)) {
			return false
		}
	}
	return true
}

// lossBelow reports whether the total log-likelihood falls by less than a limit if component b gets the density of component a. Logarithms are taken only where
// log(1+t) <= t - t^2/(2(1+max(t, 0))), from which the fall is at least so much, does not tell: components that are apart are told so by products.
func (p *posterior) lossBelow(limit float64, theta []float64, a, b int) bool {
	least, r, ratio := 0.0, p.shares(), theta[b]/theta[a]
	for i, w := range p.weights {
		if w > 0 {
			t := r[i*p.k+a]*ratio - r[i*p.k+b]
			least += w * (t*t/(2*(1+max(t, 0))) - t)
		}
	}
	if least > 2*limit { // twice, so that rounding does not decide
		return false
	}
	return p.loss(theta, a, b) < limit
}

// loss returns by how much the total log-likelihood falls if component b gets the density of component a.
func (p *posterior) loss(theta []float64, a, b int) float64 {
	sum, r := 0.0, p.shares()
	for i, w := range p.weights {
		if w > 0 {
			sum -= w * math.Log1p(r[i*p.k+a]*theta[b]/theta[a]-r[i*p.k+b])
		}
	}
	return sum
}

// describe fills in what there is to say of the components of a mixture, which theta has in the order of the report.
func (rep *Report) describe(m runtime.Model, r *Settings, best *attempt, theta []float64) {
	k, unknown := componentsOf(m), Number(math.NaN())
	if k == 0 {
		return
	}
	rep.WeightFloor = r.WeightFloor
	for _, c := range best.order {
		rep.Order = append(rep.Order, c+1)
	}
	for i, p := range m.Info().Parameters {
		if i > 0 && !p.Components { // the first are the weights
			rep.Shared = append(rep.Shared, p.Name)
		}
	}
	rep.Components = slices.Repeat([]Component{{Rows: unknown, Assigned: unknown, Mean: unknown}}, k)
	bounded := bounded(m)
	if all := best.posterior.ofAll(m, r, best); all != nil {
		rep.Components = best.posterior.components(all, theta, bounded)
		rep.Entropy = Number(all.entropy())
		rep.ICL = rep.BIC + 2*rep.Entropy
	}
	for c := range rep.Components {
		rep.Components[c].Weight = theta[c]
		rep.Components[c].Floored = held(theta[c], r.WeightFloor)
	}
	rep.Warnings = append(rep.Warnings, componentWarnings(rep.Components, r.WeightFloor, bounded)...)
	if best.posterior != nil && !discrete(m) {
		rep.Warnings = append(rep.Warnings, fewRows(rep.Components, best.posterior.columns)...)
	}
}

// wellSupported is how many rows for each of d + 1 a component has of which nobody would say that it fits chance alone.
const wellSupported = 3

// fewRows is the warning about components that rest on few rows of so many columns: maxima of that kind are many, and most
// are there by chance (McLachlan and Peel, Finite Mixture Models, Wiley 2000, section 3.10).
func fewRows(cs []Component, columns int) []string {
	var which []int
	least, need := math.Inf(1), wellSupported*(columns+1)
	for i, c := range cs {
		if c.Note == "" && float64(c.Rows) < float64(need) {
			which = append(which, i+1)
			least = math.Min(least, float64(c.Rows))
		}
	}
	switch len(which) {
	case 0:
		return nil
	case 1:
		return []string{fmt.Sprintf("component %d explains %.3g rows only: a maximum that rests on fewer than %d may be there by "+
			"chance; try fewer components", which[0], least, need)}
	}
	return []string{fmt.Sprintf("components %s explain few rows, one of them %.3g only: a maximum that rests on fewer than %d may "+
		"be there by chance; try fewer components", enumerate(which), least, need)}
}

// held reports whether a floor holds a weight.
func held(weight, floor float64) bool { return floor > 0 && weight <= floor*(1+atFloor) }

// sound reports whether all components are some, and none is held at the floor.
func (p *posterior) sound(theta []float64, floor float64) bool {
	for c, one := range p.components(p, theta, false) {
		if one.Note != "" || held(theta[c], floor) {
			return false
		}
	}
	return true
}

// flatShare is the share of the variance of a column, given those before it, at which rows lie in a plane but for rounding.
const flatShare = 1e-12

// leastRows is how many rows a component must explain to be one at all: one that has died explains next to nothing.
const leastRows = 0.5

// degenerate returns a component that explains nothing but rows in a plane, or one value, on which a density can grow without
// bound, or would if the rows were not rounded, and why it is one; -1 if there is none. Probabilities of discrete rows are
// bounded.
func (p *posterior) degenerate(discrete bool) (component int, why string) {
	if discrete {
		return -1, ""
	}
	sizes, scatter := p.sizes(), make([]float64, p.columns*p.columns)
	for c := range p.k {
		if sizes[c] < leastRows {
			continue
		}
		magnitude := p.core(scatter, c, sizes[c])
		own := conditional(scatter, p.columns, p.given)
		switch {
		case p.flat(scatter, own, magnitude) || p.collapsed(c, false):
			return c, unboundedThere
		case rounded(own, p.about().rounding):
			return c, unresolvedThere
		}
	}
	return -1, ""
}

// What is wrong with a degenerate component.
const (
	unboundedThere  = "the likelihood grows without bound as its scale goes to 0 on the rows that it explains"
	unresolvedThere = "the rows that it explains lie in a plane, or are one value, but for the steps in which the data are " +
		"recorded, so that its density says how they were rounded"
)

// unresolved reports whether the rows of a component, of which it has the sum of the shares, have no more variance along some
// direction than data that are exactly the same in that direction get by rounding, but for a factor; see rounded.
func (p *posterior) unresolved(c int, size float64) bool {
	scatter := make([]float64, p.columns*p.columns)
	p.core(scatter, c, size)
	return rounded(conditional(scatter, p.columns, p.given), p.about().rounding)
}

// leastSpread is the smallest variance that a component of few rows may have along a direction, relative to that of all rows: a
// thousandth of their standard deviation. A bound of this kind is what makes the largest likelihood of a mixture of normals a
// number at all (Hathaway, A constrained formulation of maximum-likelihood estimation for normal mixture distributions, Annals
// of Statistics 13, 1985): without one, there is a higher maximum wherever rows are more nearly tied.
const leastSpread = 1e-6

// thin reports whether a component explains too few rows to be taken for one: fewer than a density in so many dimensions
// needs, d + 1 in general position being a simplex, which a normal fits as well however they lie; or fewer than would support it
// well, with less than leastSpread along some direction. Such a maximum says nothing but how close the rows are, and nearly
// every data set has many of them. Probabilities of discrete rows are bounded.
func (p *posterior) thin(discrete bool) bool {
	if discrete {
		return false
	}
	sizes := p.sizes()
	return slices.Min(sizes) < float64(p.columns+1)*(1-thinMargin) || p.narrow(sizes)
}

// narrow reports whether a component that is not well supported has less than leastSpread along a direction, given the sums of the
// shares. Of rows that lie in a plane altogether that cannot be said.
func (p *posterior) narrow(sizes []float64) bool {
	if slices.Min(sizes) >= float64(wellSupported*(p.columns+1)) {
		return false
	}
	d, all := p.columns-p.given, p.about().scatter
	l, scatter := make([]float64, d*d), make([]float64, p.columns*p.columns)
	if !dense.Cholesky(l, all, d) {
		return false
	}
	for c, size := range sizes {
		if size >= float64(wellSupported*(p.columns+1)) {
			continue
		}
		p.scatter(scatter, c, 0, size)
		own := conditional(scatter, p.columns, p.given)
		for i, v := range all {
			own[i] -= leastSpread * v
		}
		if !dense.Cholesky(l, own, d) { // the smallest eigenvalue in the coordinates of all rows is below leastSpread
			return true
		}
	}
	return false
}

// thinMargin allows for rows that lose a little of their share to others.
const thinMargin = 1e-9

// besides is the part of the rows of a component that may be those that others explain better, without a say in whether the
// rest lie in a plane. Where the density of the component is stationary at a scale, rows outside the plane balance those in
// it, so that with a smaller part they would have to be some thousand variances away.
const besides = 1e-3

// flat reports whether the rows of a component lie in a plane, or are one number, but for a few of which it has small shares, given
// the core of their scatter, the part of it that is left given what the density is conditioned on, and the magnitudes of the columns.
// On the way to a collapse all others lose their shares, under normal distributions to the last digit, under those of heavy tails
// slowly.
func (p *posterior) flat(scatter, own, magnitude []float64) bool {
	d := p.columns
	rest := d - p.given
	for j, top := range magnitude[:rest] {
		if v := own[j*rest+j]; math.Sqrt(math.Max(v, 0)) <= 1e-14*top || p.given > 0 && v <= flatShare*scatter[j*d+j] {
			return true
		}
	}
	return leastShare(own, rest) <= flatShare
}

// core is scatter of the rows of a component without those that others explain better, as far as these are a small part.
func (p *posterior) core(dst []float64, c int, size float64) (magnitude []float64) {
	inner := 0.0
	p.each(c, 0.5, func(w float64, _ []float64) { inner += w })
	if size-inner <= besides*size {
		return p.scatter(dst, c, 0.5, inner)
	}
	return p.scatter(dst, c, 0, size)
}

// scatter writes the lower half of the covariance matrix of the rows of which a component explains at least a part, and has
// the sum of the shares, and returns the magnitudes of the columns.
func (p *posterior) scatter(dst []float64, c int, least, size float64) (magnitude []float64) {
	d := p.columns
	mean, magnitude := make([]float64, d), make([]float64, d)
	p.each(c, least, func(w float64, row []float64) {
		for j, x := range row {
			mean[j] += w / size * x
			magnitude[j] = math.Max(magnitude[j], math.Abs(x))
		}
	})
	clear(dst)
	p.each(c, least, func(w float64, row []float64) {
		for i := range row {
			for j := range i + 1 {
				dst[i*d+j] += w / size * (row[i] - mean[i]) * (row[j] - mean[j])
			}
		}
	})
	return magnitude
}

// each calls f with the rows of which a component explains at least a part, and their shares.
func (p *posterior) each(c int, least float64, f func(share float64, row []float64)) {
	all := p.shares()
	for i, w := range p.weights {
		r := all[i*p.k+c]
		if share := w * r; r >= least && share > 0 {
			f(share, p.values[i*p.columns:(i+1)*p.columns])
		}
	}
}

// atFloor is the relative distance from the floor within which package runtime counts weights as held there.
const atFloor = 1e-6

// componentWarnings names the components that are none, and those whose weight is held at the floor.
func componentWarnings(cs []Component, floor float64, discrete bool) []string {
	var out []string
	for i, c := range cs {
		switch c.Note {
		case Died:
			out = append(out, fmt.Sprintf("component %d has died: it explains %.2g observations", i+1, float64(c.Rows)))
		case Collapsed:
			out = append(out, collapse(i+1, c.Mean, discrete))
		case Unresolved:
			out = append(out, fmt.Sprintf("component %d is not resolved: %s", i+1, unresolvedThere))
		}
		if c.With != nil && c.With[0] > i+1 { // the first of those that are the same
			out = append(out, fmt.Sprintf("components %s coincide: their densities are the same on the data, where fewer would do",
				enumerate(append([]int{i + 1}, c.With...))))
		}
	}
	if held := floored(cs); held != "" {
		out = append(out, fmt.Sprintf("the floor of %v holds the weight of %s", floor, held))
	}
	return out
}

// collapse is the warning about a component that explains next to nothing. Where the likelihood is bounded, as that of counts, and of
// components with a common scale, such a maximum is one like others.
func collapse(component int, mean Number, bounded bool) string {
	rows := "no more distinct rows than these have columns"
	if !math.IsNaN(float64(mean)) {
		rows = fmt.Sprintf("the one value %.7g", float64(mean))
	}
	if bounded {
		return fmt.Sprintf("component %d explains %s: a component less may say as much", component, rows)
	}
	return fmt.Sprintf("component %d has collapsed onto %s: if its scale can go to 0, the likelihood is unbounded there", component, rows)
}

// floored lists the components whose weights are held at the floor, "" when none are.
func floored(cs []Component) string {
	var which []int
	for i, c := range cs {
		if c.Floored {
			which = append(which, i+1)
		}
	}
	switch len(which) {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf("component %d", which[0])
	}
	return "components " + enumerate(which)
}

// enumerate writes "1, 2 and 3".
func enumerate(numbers []int) string {
	var words []string
	for _, n := range numbers {
		words = append(words, strconv.Itoa(n))
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " and " + words[last]
}
