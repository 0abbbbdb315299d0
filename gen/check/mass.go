package check

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/eval"
	"github.com/sngdgen/sngdgen/gen/bind"
	"github.com/sngdgen/sngdgen/internal/diag"
	"github.com/sngdgen/sngdgen/runtime/types"
)

const (
	massPoints  = 6
	vectorTries = 20
	// massWork bounds the operations on one density of several numbers, about, for one choice of lengths.
	massWork = 250_000_000
	// sampledTolerance is how far from 1 a mass may be found by sampling, besides its standard error.
	sampledTolerance = 0.01
	// massTolerance is how far from 1 the total mass may be found.
	massTolerance = 1e-4
	// massError is the error of a sum or an integral that counts as converged.
	massError = 1e-6
)

// density is what is checked for a total mass of 1.
type density struct {
	what, part string
	span       diag.Span
	logPDF     *expr.Node
	about      []bind.Param // what it is a density of
	params     []variable
	given      []bind.Param     // what the density is conditioned on
	support    []bind.Condition // outside of which it is 0, whatever the formula says
	known      *known

	bounds []bound // of what the functions in it are defined for, where observations may lie beyond
	parts  []part  // of an observation, one for each variable
	rng    *rand.Rand
	poll   func()
}

// mostCategories is at how many points the mass of a density that is given whole numbers is looked at, until it is 1 at enough of them.
const mostCategories = 16

// mass checks that a density sums or integrates to 1 at random parameters: by sums and integrals over one number, and over
// several whole ones; otherwise by importance sampling.
func (c *checker) mass(d density) {
	d.parts = c.partsOf(d)
	name := d.what
	for _, p := range d.parts {
		name += fmt.Sprintf(", %d by %d", p.rows, p.columns)
	}
	if c.weighed[name] || c.improper[d.what] {
		return
	}
	c.weighed[name] = true
	entries := d.entries()
	switch {
	case entries == 1 && isSimplex(d.parts[0].kind): // the number 1
		return
	case d.parts[0].isPoint():
		return
	case c.isMixture(d) && entries > 1: // its components have been looked at
		return
	}
	d.bounds, d.poll = boundsOf(c.g, d.logPDF), c.g.Poll
	enough, most := massPoints, massPoints
	d.rng = c.stream("mass of " + d.what)
	if entries > 1 { // there are several lengths, and each takes longer
		enough, most = 1, triesOf(entries) // conditions of the spec may leave out most of what is drawn
		d.rng = c.stream("mass of " + name)
	}
	if slices.ContainsFunc(d.given, func(q bind.Param) bool { return q.Kind.Integer }) { // so that both values of an indicator are among them
		most = max(most, mostCategories)
	}
	verified := map[string]int{} // by the whole numbers that are given
	var partial []weighed        // at which the mass is not 1, of a density that may have it for other such numbers
	for tries := 0; tries < most && count(verified) < enough; tries++ {
		p := c.conditioned(c.draw(d.rng, d.params, 1, d.known), d)
		m := d.total(p)
		switch category := d.category(p); {
		case m.wrong():
			partial = append(partial, weighed{p, m, category})
		case m.ok:
			verified[category]++
		}
		if wrong := faulty(partial, verified, tries+1 == most); wrong != nil {
			c.wrongMass(d, wrong.at, wrong.mass)
			c.improper[d.what] = true
			return
		}
	}
	switch {
	case len(verified) > 0 && len(partial) > 0:
		c.diags.Notef(d.span, "%s has total mass 1 for some values of what is given, but not at %v", d.what, partial[0].at)
	case len(verified) > 0:
	case entries > 1:
		c.diags.Notef(d.span, "that %s has total mass 1 could not be tested for observations with %d entries", d.what, entries)
	default:
		c.diags.Warningf(d.span, "could not verify that %s has total mass 1", d.what).
			WithHint("the sum or integral did not converge at any of %d points", massPoints)
	}
}

// count is how many points were verified.
func count(verified map[string]int) int {
	n := 0
	for _, k := range verified {
		n += k
	}
	return n
}

// weighed is a point with the mass there, and the whole numbers that are given.
type weighed struct {
	at       point
	mass     mass
	category string
}

// category is, in words, the whole numbers that are given: a density may be one of the variable for some of them only, as that of a
// time is one of those that were not censored. For some real numbers only it is none.
func (d density) category(p point) string {
	out := ""
	for _, q := range d.given {
		if !q.Kind.Integer {
			continue
		}
		for i, v := range p.vars {
			if v.sym == q.Sym {
				out += fmt.Sprint(numbers(p.values[i]), " ")
			}
		}
	}
	return out
}

// faulty is a point at which the density cannot be one that it is for other whole numbers: where it has the right mass for the same, or
// at the end for none.
func faulty(partial []weighed, verified map[string]int, last bool) *weighed {
	for i, w := range partial {
		if w.category == "" || verified[w.category] > 0 || last && len(verified) == 0 {
			return &partial[i]
		}
	}
	return nil
}

// conditioned is a point with values of what a density is conditioned on.
func (c *checker) conditioned(p point, d density) point {
	if d.given == nil {
		return p
	}
	p.vars, p.values = slices.Concat(p.vars, variables(d.given)), slices.Concat(p.values, c.covariates(d.rng))
	return p
}

// triesOf is at how many points the mass of a density of several numbers is looked at until one can be: fewer of many numbers,
// where each takes long, and says little, as weights in many dimensions have no variance.
func triesOf(entries int) int {
	const each = (firstDraws + adaptions*roundDraws + lastDraws) * kernels / 2
	return max(1, min(vectorTries, massWork/(each*entries*entries)))
}

// isMixture reports whether a density is that of several components.
func (c *checker) isMixture(d density) bool { return c.p.Mixture != nil && d.known != c.one }

// mass is the total mass of a density. Where it is not ok, value is a lower bound: no part is negative.
type mass struct {
	value, err float64 // err is the standard error of what is sampled, 0 for sums and integrals
	ok         bool
}

// wrong reports whether the mass is certainly not 1.
func (m mass) wrong() bool {
	tolerance := massTolerance
	if m.err > 0 {
		tolerance = sampledTolerance + 6*m.err
	}
	return m.value > 1+tolerance || m.ok && m.value < 1-tolerance
}

// String is the mass with its standard error.
func (m mass) String() string {
	if m.err > 0 {
		return fmt.Sprintf("%.4g (standard error %.1g)", m.value, m.err)
	}
	return fmt.Sprintf("%.6g", m.value)
}

// wrongMass reports a total that is not 1, or a part of it that is more already.
func (c *checker) wrongMass(d density, p point, m mass) {
	if !m.ok {
		c.diags.Errorf(d.span, "%s is not a density: its total mass is infinite or at least %v at %v", d.what, m, p).
			WithHint("look at %s", d.part)
		return
	}
	if c.ignores(d, p) {
		c.diags.Errorf(d.span, "%s is a density without its support: within it (%s) its mass is %v at %v", d.what, d.support[0].Text, m, p).
			WithHint("logpdf is that of a value given that it lies inside: subtract the logarithm of the mass there, %.*g at this point",
				m.digits(), math.Log(m.value))
		return
	}
	by := "large"
	if m.value < 1 {
		by = "small"
	}
	c.diags.Errorf(d.span, "%s is not a density: its total mass is %v at %v", d.what, m, p).
		WithHint("its logarithm is too %s by %.*g there: look at %s", by, m.digits(), math.Abs(math.Log(m.value)), d.part)
}

func (m mass) digits() int {
	if m.err > 0 {
		return 3
	}
	return 6
}

// total is the mass at a point.
func (d density) total(p point) mass {
	f := d.logAt(p)
	switch {
	case slices.ContainsFunc(d.parts, part.isSquare):
		return d.sampledTwice(f)
	case len(d.parts) > 1:
		return d.totalOfRecord(f)
	case d.entries() > 1:
		return d.totalOfVectors(f)
	}
	kind := d.parts[0].kind
	r := kind.Range
	var m mass
	switch {
	case kind.Integer && !math.IsInf(r.Hi, 1):
		m.value, m.ok = sumUpTo(f, r.Lo, r.Hi)
	case kind.Integer && math.IsInf(r.Lo, -1):
		m.value, m.ok = series(bothWays(f), 0)
	case kind.Integer:
		m.value, m.ok = series(f, r.Lo)
	default:
		m = d.smooth(f, kind)
	}
	return m
}

// smooth is the mass of a density of a real number, with the probabilities of those values that have one of their own.
func (d density) smooth(f logFunc, kind expr.Kind) mass {
	own, ok := probabilities(f, kind)
	if !ok {
		return mass{}
	}
	if own > 1-massError { // nothing is left for the others, or too much
		return mass{value: own, ok: true}
	}
	value, ok := integral(apart(f, kind.Type.Entry.Atoms, 1-own), smoothChart(kind))
	return mass{value: own + (1-own)*value, ok: ok}
}

// probabilities is the sum of those of the values that have one of their own.
func probabilities(f logFunc, kind expr.Kind) (float64, bool) {
	atoms := atomsOf(kind)
	if len(atoms) == 0 {
		return 0, true
	}
	return sumExp(f, atoms)
}

// atomsOf are the values of a type that have a probability of their own and lie within the range at hand.
func atomsOf(kind expr.Kind) []float64 {
	var out []float64
	for _, x := range kind.Type.Entry.Atoms {
		if kind.Range.Contains(x) {
			out = append(out, x)
		}
	}
	return out
}

// smoothChart is the chart of the other values.
func smoothChart(kind expr.Kind) chart {
	return chartOf(kind.Range.Intersect(expr.KindOf(types.Number.Of(kind.Type.Entry.Smooth())).Range))
}

// apart is a density relative to the mass that it should have, at numbers that are beside some others: at these a formula says a probability.
func apart(f logFunc, atoms []float64, share float64) logFunc {
	if len(atoms) == 0 {
		return f
	}
	return func(xs []float64) ([]float64, bool) {
		beside := slices.Clone(xs)
		for i, x := range beside {
			if slices.Contains(atoms, x) {
				beside[i] = math.Nextafter(x, math.Inf(1))
			}
		}
		logs, ok := f(beside)
		for i := range logs {
			logs[i] -= math.Log(share)
		}
		return logs, ok
	}
}

// bothWays is a function of whole numbers as one of 0, 1, 2, ..., of which each stands for two: k and -1 - k.
func bothWays(f logFunc) logFunc {
	return func(ks []float64) ([]float64, bool) {
		xs := slices.Clone(ks)
		for _, k := range ks {
			xs = append(xs, -1-k)
		}
		logs, ok := f(xs)
		if !ok {
			return nil, false
		}
		out := make([]float64, len(ks))
		for i := range out {
			a, b := logs[i], logs[len(ks)+i]
			if out[i] = math.Max(a, b); !math.IsInf(out[i], -1) {
				out[i] += math.Log1p(math.Exp(-math.Abs(a - b)))
			}
		}
		return out, true
	}
}

// signed puts whole numbers of either sign, 0, -1, 1, -2, ..., in the place of counts where a variable has them.
func (d density) signed(f logFunc) logFunc {
	var at []int
	width := 0
	for _, p := range d.parts {
		for range p.entries() {
			if p.kind.Integer && math.IsInf(p.kind.Range.Lo, -1) {
				at = append(at, width)
			}
			width++
		}
	}
	if len(at) == 0 {
		return f
	}
	return func(cells []float64) ([]float64, bool) {
		xs := slices.Clone(cells)
		for row := 0; row < len(xs); row += width {
			for _, k := range at {
				c := xs[row+k]
				if half := math.Floor(c / 2); c == 2*half {
					xs[row+k] = half
				} else {
					xs[row+k] = -1 - half
				}
			}
		}
		return f(xs)
	}
}

// totalOfVectors is the mass of a density of several numbers.
func (d density) totalOfVectors(f logFunc) mass {
	switch x := d.parts[0]; {
	case x.kind.Integer && !math.IsInf(x.kind.Range.Hi, 1):
		return ofBinary(f, x.rows)
	case x.kind.Integer:
		var m mass
		caps := slices.Repeat([]float64{math.Inf(1)}, x.rows)
		f := d.signed(f)
		m.value, m.ok = shells(func(cells []float64) (float64, bool) { return sumExp(f, cells) }, caps, maxLattice)
		return m
	case isSimplex(x.kind) && x.rows == 2:
		var m mass
		m.value, m.ok = integral(pairs(f), logRatio)
		return m
	}
	return d.sampledTwice(f)
}

// sampledTwice is a mass by sampling, with a second sample where it is wrong.
func (d density) sampledTwice(f logFunc) mass {
	if slices.ContainsFunc(d.parts, func(p part) bool { return p.kind.Type.Entry.Of != nil }) { // draws would not meet them
		return mass{}
	}
	m := sampled(d.rng, f, d.chart())
	if m.wrong() { // believed when another sample confirms it
		if again := sampled(d.rng, f, d.chart()); math.Abs(again.value-m.value) > 4*(m.err+again.err) {
			m.ok = false
			m.value = 0
		}
	}
	return m
}

// pairs is a function of vectors of sum 1 as one of the logarithm of the ratio of their two entries.
func pairs(f logFunc) logFunc {
	return func(ts []float64) ([]float64, bool) {
		xs := make([]float64, 2*len(ts))
		for i, t := range ts {
			ontoSimplex(xs[2*i:2*i+2], []float64{t})
		}
		return f(xs)
	}
}

// logRatio is the chart for pairs.
var logRatio = chart{
	x:        func(t float64) float64 { return t },
	logSlope: func(t float64) float64 { return -math.Abs(t) - 2*math.Log1p(math.Exp(-math.Abs(t))) },
	lo:       -150, hi: 150,
}

// logAt is the log-density as a function of several observations, one after the other.
func (d density) logAt(p point) logFunc {
	nodes := []*expr.Node{d.logPDF}
	for _, b := range d.bounds {
		nodes = append(nodes, b.node, cmp.Or(b.when, b.node))
	}
	nodes = append(nodes, nodesOf(d.support)...)
	return func(xs []float64) ([]float64, bool) {
		d.poll()
		env := p.env()
		d.bind(env, xs)
		v, err := eval.All(nodes, env)
		if err != nil {
			return nil, false
		}
		logs := component(v[0], 0) // of the family of a mixture model there is one component
		out := make([]float64, len(xs)/d.entries())
		for i := range out {
			out[i] = rowOf(logs, i).Scalar
			if !conditionsMet(d.support, v[1+2*len(d.bounds):], i) {
				out[i] = math.Inf(-1)
			}
			for k, b := range d.bounds {
				if b.when != nil && !slices.ContainsFunc(numbers(rowOf(component(v[2*k+2], 0), i)), func(c float64) bool { return c != 0 }) {
					continue
				}
				if b.beyond(rowOf(component(v[2*k+1], 0), i)) {
					out[i] = math.Inf(-1)
				}
			}
		}
		return out, true
	}
}

// bound is what a function is defined for: of an operand that varies with the observation. Where an operand lies beyond,
// the density is about no such observation, as that of 21 successes in 20 trials, whatever number comes out. What stands under a
// condition is looked at where that holds.
type bound struct {
	node   *expr.Node
	within expr.Range
	when   *expr.Node // not 0; nil where there is no condition
}

// beyond reports whether an operand is a number outside the domain and its ends.
func (b bound) beyond(v eval.Value) bool {
	return slices.ContainsFunc(numbers(v), func(x float64) bool { return x < b.within.Lo || x > b.within.Hi })
}

// boundsOf lists the bounds that the facts do not grant.
func boundsOf(g *expr.Graph, logPDF *expr.Node) []bound {
	type visit struct{ node, when *expr.Node }
	var out []bound
	seen := map[visit]bool{}
	add := func(n *expr.Node, r expr.Range, when *expr.Node) {
		if n.Type.Axes.Has(expr.Rows) && !n.Facts.Range.Within(expr.Range{Lo: r.Lo, Hi: r.Hi}) {
			out = append(out, bound{n, r, when})
		}
	}
	var look func(n, when *expr.Node)
	look = func(n, when *expr.Node) {
		if seen[visit{n, when}] {
			return
		}
		seen[visit{n, when}] = true
		if c, x, ok := n.Conditional(); ok {
			look(c, when)
			if when != nil {
				c = g.Mul(c, when)
			}
			look(x, c)
			return
		}
		for i, a := range n.Args {
			look(a, when)
			switch {
			case n.Op.Elementwise():
				add(a, n.Op.Domain[i], when)
			case n.Op == expr.Pow && i == 0, n.Op == expr.Prod && n.Coefs[i] != math.Trunc(n.Coefs[i]):
				add(a, expr.Nonnegative, when)
			}
		}
	}
	look(logPDF, nil)
	return out
}

// logFunc gives the logarithms of a function at several places; ok is false when it cannot be evaluated.
type logFunc func(xs []float64) (logs []float64, ok bool)

// sumUpTo sums over a few whole numbers.
func sumUpTo(f logFunc, lo, hi float64) (float64, bool) {
	var xs []float64
	for x := lo; x <= hi; x++ {
		xs = append(xs, x)
	}
	return sumExp(f, xs)
}

func sumExp(f logFunc, xs []float64) (float64, bool) {
	logs, ok := f(xs)
	sum := 0.0
	for _, l := range logs {
		sum += math.Exp(l)
	}
	return sum, ok && !math.IsNaN(sum)
}

// maxTerm is where the sum of a series is given up.
const maxTerm = 1 << 15

// series sums from lo on, in blocks of doubling length. A block whose quarters fall at least geometrically at its end has
// a tail of at most last/(1 - ratio), in quarters.
func series(f logFunc, lo float64) (float64, bool) {
	total := 0.0
	for from, n := lo, 64.0; from < maxTerm; from, n = from+n, 2*n {
		logs, ok := f(whole(from, int(n)))
		if !ok {
			return 0, false
		}
		var quarters [4]float64
		for i, l := range logs {
			quarters[4*i/len(logs)] += math.Exp(l)
		}
		for _, q := range quarters {
			total += q
		}
		if math.IsNaN(total) {
			return 0, false
		}
		if total > 1e6 { // enough to know
			return total, false
		}
		if total > 0 && falls(quarters[2], quarters[3], total) && quiet(f, from+n, total) {
			return total, true
		}
	}
	return total, false
}

// falls reports whether what follows two parts of a sum, of which each is less than the one before by the same ratio at
// least, is nothing against the total.
func falls(before, last, total float64) bool {
	if last == 0 {
		return before == 0
	}
	ratio := last / before
	return ratio < 1 && last*ratio/(1-ratio) < massError*total
}

// quiet reports whether a series has no terms that count beyond a number, as those of another mode far away: the terms at places
// whose distances grow like the numbers, each for those up to the next.
func quiet(f logFunc, from, total float64) bool {
	const places = 256
	ratio := math.Pow(maxTerm/from, 1.0/places)
	var xs []float64
	for x := from; x < maxTerm; x = math.Max(x+1, math.Floor(x*ratio)) {
		xs = append(xs, x)
	}
	if len(xs) == 0 {
		return true
	}
	logs, ok := f(xs)
	rest := 0.0
	for i, l := range logs {
		width := maxTerm - xs[i]
		if i+1 < len(xs) {
			width = xs[i+1] - xs[i]
		}
		rest += width * math.Exp(l)
	}
	return ok && rest < 10*massError*total
}

func whole(from float64, n int) []float64 {
	xs := make([]float64, n)
	for i := range xs {
		xs[i] = from + float64(i)
	}
	return xs
}
