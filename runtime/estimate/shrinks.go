package estimate

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/baseline"
	"github.com/sngdgen/sngdgen/runtime/support"
	"github.com/sngdgen/sngdgen/runtime/types"
)

// Densities with a scale and heavy tails contract on rows that are equal: as the scale goes to 0 at a value that m of n rows have, the likelihood grows by m - a (n-m)
// for every factor of e, where tails fall as the power a+1, which is above 0 for tails heavy enough (Fernandez and Steel, Biometrika 86, 1999). A run follows
// until no digits are left. What it has come along shows where it was going: with the parameter larger by some factors of e the likelihood is lower by the same
// amount for each of them. At a maximum the first makes no difference yet. Where a matrix of scales becomes singular the density contracts on the rows of a plane, which need not
// be equal.

const (
	// flatter is the ratio of eigenvalues below which the smaller ones alone are taken to go to 0.
	flatter = 1e-8
	// lastFolds is how many factors of e at the end of a run may not be even, as its location has no digits left there. After them the density is contracted
	// on the rows at which its logarithm rises by so much in evenFolds factors of e, and is denserBy above that of all others before: where a scale is far above that of
	// the data it rises at all rows.
	lastFolds  = 16
	contracted = evenFolds / 4
	denserBy   = 4.0
)

// contraction is what is known of a model, or of one of its limits, where a search has ended.
type contraction struct {
	m      runtime.Model
	params []runtime.Parameter
	chart  func(m runtime.Model) (runtime.Unconstrained, error)
	theta  []float64
	end    *endPoint // at theta; nil where nobody has been there
}

// coordinates are those of the model, which know what there is at theta if somebody has been there.
func (c *contraction) coordinates() (runtime.Unconstrained, error) {
	if c.end != nil {
		return c.end, nil
	}
	return c.chart(c.m)
}

// shrinking is a parameter that may go to 0, or become singular, or one whose inverse may go to 0.
type shrinking struct {
	words string
	grow  func(theta []float64, t float64) // by t factors of e
	size  func(theta []float64) float64    // of the numbers that go to 0; nil where these are none of theta
	// flat is how many directions of a matrix go to 0 where others do not: the density contracts on a plane, whose rows need not be equal. 0 where all do.
	flat int
	// together is whether the rows on which it contracts have to be equal, or lie in a plane, as where other densities are about them: groups far apart may be as narrow.
	together bool
}

// shrinks says in words which parameter has gone to 0 on which rows, evenly and so without end; "" where none has.
func (c *contraction) shrinks() string {
	if _, shown := c.m.(runtime.Observed); !shown || componentsOf(c.m) > 0 || discrete(c.m) {
		return ""
	}
	all := append(shrinkable(c.m, c.params, c.theta), concentrating(c.m, c.params)...)
	for i := range all {
		if words := c.shrinksBy(&all[i]); words != "" {
			return words
		}
	}
	return ""
}

// collapses is shrinks of the components of a mixture, with tails that are heavy: what they explain is then not only the rows that they have collapsed onto, of which no two need be near each other.
// Those that explain no more have been found by their rows.
func (c *contraction) collapses() string {
	o, shown := c.m.(runtime.Observed)
	if !shown || bounded(c.m) {
		return ""
	}
	tied := mostEqual(o.Observations()) >= 2
	for _, p := range positives(c.m, c.params) {
		if !p.Components {
			continue
		}
		var all []shrinking
		if tied {
			all = append(all, p.whole())
		}
		if p.matrix {
			all = append(all, shrinkingPlane(p.name, c.theta, p.from, p.side)...)
		}
		for i := range all {
			all[i].together = true
			if words := c.shrinksBy(&all[i]); words != "" {
				return words
			}
		}
	}
	return ""
}

// shrinksBy is shrinks of one parameter.
func (c *contraction) shrinksBy(s *shrinking) string {
	loss, err := c.losses(s)
	if err != nil || !c.mayShrink(s, loss) {
		return ""
	}
	for from, next := 0, 0; from < lastFolds; from = next {
		var even bool
		if next, even = fallsEvenly(loss, from); !even {
			continue
		}
		where, known := c.gaining(s, float64(from))
		// Where rows cannot be looked at, a plane could be all of them, with a scale far above that of the data.
		if where != "" || !known && s.flat == 0 && from == 0 && c.hasShrunk(s) {
			return s.words + where
		}
	}
	return ""
}

// hasShrunk reports whether a parameter is far smaller than where a search starts, if that is known.
func (c *contraction) hasShrunk(s *shrinking) bool {
	z, start := make([]float64, dimension(c.m)), make([]float64, thetaLen(c.m))
	if s.size == nil || len(c.theta) != len(start) || c.m.Start(z, 0, runtime.Stream(1, "shrunk")) != nil {
		return true
	}
	c.m.Theta(start, z)
	return s.size(c.theta) < math.Exp(-evenFolds)*s.size(start)
}

// losses returns the total loss where a parameter is larger by some factors of e, each of which is evaluated once, and only if it is asked for.
func (c *contraction) losses(s *shrinking) (loss func(t int) float64, err error) {
	u, err := c.coordinates()
	if err != nil {
		return nil, err
	}
	_, _, n := c.m.Counts()
	x, known := make([]float64, u.Dim()), map[int]float64{}
	return func(t int) float64 {
		if f, ok := known[t]; ok {
			return f
		}
		u.FromTheta(x, c.grown(s, float64(t)))
		known[t] = n * u.Loss(x)
		return known[t]
	}, nil
}

// fallsEvenly reports whether the likelihood falls by the same amount for each of evenFolds factors of e from some on, and the next from which it may. It begins with
// the last of them: where one is uneven with those behind it, no row of folds with all of these is even.
func fallsEvenly(loss func(t int) float64, from int) (next int, even bool) {
	least, most := math.Inf(1), 0.0
	for t := from + evenFolds - 1; t >= from; t-- {
		fall := loss(t+1) - loss(t)
		least, most = math.Min(least, fall), math.Max(most, fall)
		if !(least > 10*nothing) || most > evenly*least { // NaN: the domain ends
			return t + 1, false
		}
	}
	return from + 1, true
}

// mayShrink looks in long steps first: on no rows the likelihood falls by more, for a factor of e, than they weigh, for each column, while the scale is far below the distances
// of others. At a maximum all rows are soon near each other, and it falls by what they all weigh. How many are in a plane is not counted beforehand.
func (c *contraction) mayShrink(s *shrinking, loss func(t int) float64) bool {
	d := c.m.(runtime.Observed).Observations()
	most := mostEqual(d) * evenly * float64(max(d.Columns, 1))
	if s.flat > 0 {
		_, _, n := c.m.Counts()
		most = n * float64(s.flat)
	}
	before := loss(0)
	for t := evenFolds; t <= lastFolds+evenFolds; t += evenFolds {
		next := loss(t)
		if fall := (next - before) / evenFolds; fall > 10*nothing && fall <= most {
			return true
		}
		before = next
	}
	return false
}

// mostEqual is the largest weight of rows that are equal. Where rows are many, equal ones have been put together.
func mostEqual(d runtime.Data) float64 {
	rows, columns := d.Rows(), max(d.Columns, 1)
	if rows > mostLooked {
		if d.Weights == nil {
			return 1
		}
		return slices.Max(d.Weights)
	}
	return support.MostEqual(d.Values, columns, support.WeightsOf(d.Weights, rows))
}

// grown are the parameters with one of them larger by t factors of e.
func (c *contraction) grown(s *shrinking, t float64) []float64 {
	theta := slices.Clone(c.theta)
	s.grow(theta, t)
	return theta
}

// shrinkable are the positive numbers, the vectors of them and the positive definite matrices among parameters, and what of them may go to 0 by itself: entries, and the
// part of a matrix that is nearly singular.
func shrinkable(m runtime.Model, params []runtime.Parameter, theta []float64) (list []shrinking) {
	for _, p := range positives(m, params) {
		if p.Components {
			continue
		}
		list = append(list, p.whole())
		switch {
		case p.matrix:
			list = append(list, shrinkingPlane(p.Name, theta, p.from, p.side)...)
		case p.to-p.from > 1:
			for k := range p.to - p.from {
				list = append(list, shrinkingNumbers(entryName(m, p.Parameter, k), p.from+k, p.from+k+1))
			}
		}
	}
	return list
}

// positive is a parameter that may go to 0, that of one component where it belongs to components, and its place in theta.
type positive struct {
	*runtime.Parameter
	name     string
	from, to int
	matrix   bool
	side     int // of a matrix, or the length of a vector
}

// positives are the positive numbers, the vectors of them and the positive definite matrices among parameters, of which those with a unit diagonal cannot go to 0.
func positives(m runtime.Model, params []runtime.Parameter) (list []positive) {
	at := 0
	for i := range params {
		p := &params[i]
		_, count, each := parts(m, p)
		form := p.Type.Form
		matrix := form.Has(types.PositiveDefinite) && !form.Has(types.UnitDiagonal)
		vector := p.Type.Entry == types.Positive && form.Structure == 0
		for c := range count {
			from := at
			at += each
			one := positive{p, nameOf(p, c), from, at, matrix, each}
			if matrix {
				one.side = p.Side(m)
			}
			if !p.Known && (matrix || vector) {
				list = append(list, one)
			}
		}
	}
	return list
}

// concentrating are the positive numbers that may go to infinity, as the shape of a Weibull distribution does, which is the inverse of the scale of its logarithm.
func concentrating(m runtime.Model, params []runtime.Parameter) (list []shrinking) {
	at := 0
	for i := range params {
		p := &params[i]
		from := at
		if at += p.Len(m); p.Known || p.Components || p.Shape != nil || p.Type.Entry != types.Positive {
			continue
		}
		list = append(list, shrinking{
			words: p.Name + " goes to infinity",
			grow:  func(theta []float64, t float64) { theta[from] *= math.Exp(-t) },
			size:  func(theta []float64) float64 { return 1 / theta[from] },
		})
	}
	return list
}

// whole is all of it, which goes to 0 together.
func (p *positive) whole() shrinking {
	if !p.matrix {
		return shrinkingNumbers(p.name, p.from, p.to)
	}
	return shrinking{words: p.name + " goes to 0", grow: func(theta []float64, t float64) {
		for i := range theta[p.from:p.to] {
			theta[p.from+i] *= math.Exp(2 * t)
		}
	}}
}

// within is the part of a scale of vectors that belongs to some of their entries: entries of a vector, or rows and columns of a matrix, whose correlations stay.
func (p *positive) within(entries []int) shrinking {
	if !p.matrix {
		return shrinking{words: p.Name + " goes to 0 in some entries", flat: len(entries), grow: func(theta []float64, t float64) {
			for _, k := range entries {
				theta[p.from+k] *= math.Exp(t)
			}
		}}
	}
	return shrinking{words: p.Name + becomesSingular, flat: len(entries), grow: func(theta []float64, t float64) {
		for _, k := range entries {
			for i := range p.side {
				theta[p.from+k*p.side+i] *= math.Exp(t)
				theta[p.from+i*p.side+k] *= math.Exp(t)
			}
		}
	}}
}

const becomesSingular = " becomes singular"

// shrinkingNumbers are numbers that may go to 0 together.
func shrinkingNumbers(name string, from, to int) shrinking {
	grow := func(theta []float64, t float64) {
		for i := range theta[from:to] {
			theta[from+i] *= math.Exp(t)
		}
	}
	return shrinking{words: name + " goes to 0", grow: grow, size: func(theta []float64) float64 { return slices.Max(theta[from:to]) }}
}

// shrinkingPlane is the part of a matrix whose eigenvalues are much smaller than others, where there is one.
func shrinkingPlane(name string, theta []float64, from, d int) []shrinking {
	matrix := mat.NewSymDense(d, slices.Clone(theta[from:from+d*d]))
	var eigen mat.EigenSym
	if d == 1 || !eigen.Factorize(matrix, true) {
		return nil
	}
	values := eigen.Values(nil)
	small := 0
	for small < d && values[small] < flatter*values[d-1] {
		small++
	}
	if small == 0 {
		return nil
	}
	var vectors mat.Dense
	eigen.VectorsTo(&vectors)
	return []shrinking{{words: name + becomesSingular, flat: small, grow: func(theta []float64, t float64) {
		grown := mat.NewSymDense(d, theta[from:from+d*d])
		for k := range small {
			grown.SymRankOne(grown, values[k]*math.Expm1(2*t), vectors.ColView(k))
		}
		for i := range d {
			for j := range i {
				theta[from+i*d+j] = grown.At(i, j)
			}
		}
	}}}
}

// gaining says in words at which rows the density is higher the smaller a parameter is, from where it is larger by t+evenFolds factors of e to where it is by t, and above that
// of all others; "" where it is so at none. Known is whether it can be told. Above all others it need be at the end of a run only, with t = 0: the run itself has come along.
func (c *contraction) gaining(s *shrinking, t float64) (where string, known bool) {
	d := c.m.(runtime.Observed).Observations()
	if d.Rows() > mostLooked || divided(c.m) {
		return "", false
	}
	small, large := c.rowLosses(d, c.grown(s, t)), c.rowLosses(d, c.grown(s, t+evenFolds))
	if small == nil || large == nil {
		return "", false
	}
	gains := func(i int) bool { return large[i]-small[i] > contracted }
	from := large
	if t == 0 {
		from = small
	}
	others := math.Inf(-1) // the highest density of the others
	for i, loss := range from {
		if d.Weight(i) > 0 && !gains(i) {
			others = math.Max(others, -loss)
		}
	}
	if math.IsInf(others, -1) { // all gain, or it cannot fall any more
		return "", true
	}
	var rows []int
	for i, loss := range from {
		if gains(i) && -loss > others+denserBy {
			rows = append(rows, i)
		}
	}
	if rows == nil || s.together && !lieTogether(d, rows, s.flat > 0) {
		return "", true
	}
	return c.shared(d, rows), true
}

// lieTogether reports whether rows are equal, or lie in a plane.
func lieTogether(d runtime.Data, rows []int, plane bool) bool {
	same := equalIn(d, rows)
	if !plane || slices.Contains(same, true) {
		return !slices.Contains(same, false) || plane
	}
	x := mat.NewDense(len(rows), d.Columns, nil)
	for i, row := range rows {
		x.SetRow(i, d.Values[row*d.Columns:(row+1)*d.Columns])
	}
	var scatter mat.SymDense
	stat.CovarianceMatrix(&scatter, x, nil)
	return leastShare(mat.DenseCopyOf(&scatter).RawMatrix().Data, d.Columns) <= flatShare
}

// equalIn says in which columns some rows are equal.
func equalIn(d runtime.Data, rows []int) []bool {
	columns := max(d.Columns, 1)
	same := slices.Repeat([]bool{true}, columns)
	for _, i := range rows {
		for j := range same {
			same[j] = same[j] && d.Values[i*columns+j] == d.Values[rows[0]*columns+j]
		}
	}
	return same
}

// rowLosses are minus the logarithms of the densities of all rows, 0 of those that weigh nothing; nil where they are not known.
func (c *contraction) rowLosses(d runtime.Data, theta []float64) []float64 {
	one, err := cloneByRow(c.m)
	if err != nil {
		return nil
	}
	u, err := c.chart(one)
	if err != nil {
		return nil
	}
	x, losses := make([]float64, u.Dim()), make([]float64, d.Rows())
	u.FromTheta(x, theta)
	if eachRow(one, d, func(i int) error { losses[i] = u.Loss(x); return nil }) != nil {
		return nil
	}
	return losses
}

// shared says what some rows have in common.
func (c *contraction) shared(d runtime.Data, rows []int) string {
	_, _, n := c.m.Counts()
	columns, weight, same := max(d.Columns, 1), 0.0, equalIn(d, rows)
	for _, i := range rows {
		weight += d.Weight(i)
	}
	first := d.Values[rows[0]*columns : (rows[0]+1)*columns]
	switch {
	case !slices.Contains(same, true):
		return fmt.Sprintf(" at %.6g of %.6g rows", weight, n)
	case slices.Contains(same, false):
		return fmt.Sprintf(" at %.6g of %.6g rows, in which %s", weight, n, strings.Join(equalities(c.m, first, same), " and "))
	case columns > 1:
		return fmt.Sprintf(" at values that %.6g of %.6g rows have", weight, n)
	}
	return fmt.Sprintf(" at %.6g, the value of %.6g of %.6g rows", first[0], weight, n)
}

// equalities are the entries of a row that others share with it, as text.
func equalities(m runtime.Model, row []float64, same []bool) (list []string) {
	at := 0
	for _, v := range m.Info().Record() {
		for i := range v.Len(m) {
			if at < len(row) && same[at] {
				list = append(list, fmt.Sprintf("%s is %.6g", entryName(m, &v, i), row[at]))
			}
			at++
		}
	}
	return list
}

// contractionOf is that of a model, not of a limit.
func contractionOf(m runtime.Model, theta []float64) *contraction {
	chart := func(m runtime.Model) (runtime.Unconstrained, error) {
		return Coordinates(m, baseline.CovarianceCholesky)
	}
	return &contraction{m: m, params: m.Info().Parameters, chart: chart, theta: theta}
}
