package check

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/eval"
	"github.com/sngdgen/sngdgen/gen/bind"
	"github.com/sngdgen/sngdgen/gen/derive"
	"github.com/sngdgen/sngdgen/runtime/random"
	"github.com/sngdgen/sngdgen/runtime/types"
	"github.com/sngdgen/sngdgen/spec"
)

// variable is a parameter that can be drawn.
type variable struct {
	sym   *expr.Node
	name  string
	kind  expr.Kind
	known *expr.Node // what a parameter of the target always is; nil for what can be drawn
	// coordinate says that values are made of exponentials of these numbers, which are therefore drawn smaller.
	coordinate bool
}

func variables(params []bind.Param) []variable {
	var out []variable
	for _, p := range params {
		out = append(out, variable{sym: p.Sym, name: p.Name, kind: p.Kind})
	}
	return out
}

// targetVariables are the parameters of the target. What the map sets to a number is known, and always that.
func (c *checker) targetVariables() []variable {
	out := variables(c.p.Target.Params)
	for i, t := range c.p.Map {
		if !expr.Depends(t.Node, symbols(c.free)...) {
			out[i].known = t.Node
		}
	}
	return out
}

func symbols(vars []variable) []*expr.Node {
	out := make([]*expr.Node, len(vars))
	for i, v := range vars {
		out[i] = v.sym
	}
	return out
}

// point gives values to variables.
type point struct {
	vars   []variable
	values []eval.Value
	known  *known
	digits int // in words; 0 means 6
}

// known is what has a value whatever the point: the lengths of the dimensions, constants of the families, and in a
// mixture the numbers of the components.
type known struct {
	dims       string // in words: "d = 2, "
	values     map[string]eval.Value
	components int // of a mixture
	// shared are names of parameters of a component that all of them have in common, with that of the one value.
	shared map[string]string
}

// each makes a value of a type: one for each component where it varies over them.
func (k *known) each(t expr.Type, of func(component int) eval.Value) eval.Value {
	if !t.Axes.Has(expr.Components) {
		return of(0)
	}
	out := make([]eval.Value, k.components)
	for i := range out {
		out[i] = of(i)
	}
	return eval.PerComponent(out)
}

// String is the point in the words of the spec: alpha = 1.5, beta = 0.25.
func (p point) String() string {
	parts := make([]string, len(p.vars))
	for i, v := range p.vars {
		parts[i] = v.name + " = " + text(p.values[i], cmp.Or(p.digits, 6))
	}
	return p.known.dims + strings.Join(parts, ", ")
}

// env is an environment with the point.
func (p point) env() *eval.Env {
	env := eval.Scalars(nil)
	maps.Copy(env.Symbols, p.known.values)
	for i, v := range p.vars {
		env.Symbols[v.sym.Name] = p.values[i]
	}
	for own, one := range p.known.shared {
		if v, ok := env.Symbols[one]; ok {
			if v.Components != nil { // of a component alone
				v = v.Components[0]
				env.Symbols[one] = v
			}
			env.Symbols[own] = eval.PerComponent(slices.Repeat([]eval.Value{v}, max(p.known.components, 1)))
		}
	}
	return env
}

// number draws from a range: log-uniform over some decades on both sides of 1 from an end that is finite, uniform
// between two finite ends, normal where there is none.
func number(rng *rand.Rand, r expr.Range, decades float64) float64 {
	lo, hi := !math.IsInf(r.Lo, -1), !math.IsInf(r.Hi, 1)
	away := func() float64 { return math.Pow(10, random.Uniform(rng, -decades, decades)) }
	switch {
	case lo && hi:
		return random.Uniform(rng, r.Lo, r.Hi)
	case lo:
		return r.Lo + away()
	case hi:
		return r.Hi - away()
	}
	return random.Normal(rng, 0, 2)
}

// drawn draws a value of a type, for one component: numbers from the range of its entries, definite matrices with
// variances over some decades.
func (c *checker) drawn(rng *rand.Rand, t expr.Type, f expr.Facts, k expr.Kind, decades float64) eval.Value {
	if t.Rank == 0 {
		return eval.Value{Scalar: number(rng, f.Range, decades)}
	}
	m := c.zeros(t)
	d, _ := m.Dims()
	switch s := f.Structure; {
	case s&expr.PositiveDefinite != 0:
		m = correlation(rng, d)
		if s&expr.UnitDiagonal == 0 {
			spread(rng, m, decades)
		}
	case isSimplex(k):
		m.Apply(func(int, int, float64) float64 { return share(rng) }, m)
		m.Scale(1/mat.Sum(m), m)
	case isStochastic(k):
		m.Apply(func(int, int, float64) float64 { return share(rng) }, m)
		k.Type.Form.Arrange(m.RawMatrix().Data, d)
	case k.Type.Form != nil && k.Type.Form.Has(types.Increasing):
		m.Apply(func(int, int, float64) float64 { return number(rng, f.Range, decades) }, m)
		slices.Sort(m.RawMatrix().Data)
	case isDirection(k):
		m.Apply(func(int, int, float64) float64 { return random.Normal(rng, 0, 1) }, m)
		m.Scale(1/mat.Norm(m, 2), m)
	default:
		m.Apply(func(i, j int, _ float64) float64 {
			switch {
			case s&expr.LowerTriangular != 0 && j > i, s&expr.ZeroDiagonal != 0 && i == j:
				return 0
			case s&expr.LowerTriangular != 0 && i == j:
				return number(rng, f.Range.Intersect(expr.Positive), decades)
			}
			return number(rng, f.Range, decades)
		}, m)
	}
	return eval.Core(m)
}

// share draws a number that is to be divided by the sum of others like it.
func share(rng *rand.Rand) float64 { return random.Gamma(rng, 2, 1) }

// correlation draws a correlation matrix that is not close to singular.
func correlation(rng *rand.Rand, d int) *mat.Dense {
	g := mat.NewDense(d, d+1, nil)
	g.Apply(func(int, int, float64) float64 { return random.Normal(rng, 0, 1) }, g)
	var m mat.Dense
	m.Mul(g, g.T())
	sd := make([]float64, d)
	for i := range d {
		m.Set(i, i, 1.2*m.At(i, i))
		sd[i] = math.Sqrt(m.At(i, i))
	}
	m.Apply(func(i, j int, v float64) float64 {
		if i == j {
			return 1
		}
		return v / (sd[i] * sd[j])
	}, &m)
	return &m
}

// spread gives a correlation matrix variances.
func spread(rng *rand.Rand, m *mat.Dense, decades float64) {
	d, _ := m.Dims()
	sd := make([]float64, d)
	for i := range d {
		sd[i] = math.Sqrt(number(rng, expr.Positive, decades))
	}
	m.Apply(func(i, j int, v float64) float64 { return v * sd[i] * sd[j] }, m)
}

// draw draws values for variables by their types, narrowed by the conditions of the spec as far as the facts know them.
func (c *checker) draw(rng *rand.Rand, vars []variable, decades float64, k *known) point {
	p := point{vars: vars, values: make([]eval.Value, len(vars)), known: k}
	for i, v := range vars {
		if v.ofMixture() {
			p.values[i] = drawnWeights(rng, k.components)
			continue
		}
		if v.known != nil {
			env := point{known: k}.env()
			p.values[i] = c.spread(v.sym.Type, c.shaped(v.sym.Type, c.valueOf(v.known, env)), env)
			continue
		}
		p.values[i] = k.each(v.sym.Type, func(int) eval.Value {
			x := c.drawn(rng, v.sym.Type, v.sym.Facts, v.kind, decades)
			if v.coordinate {
				x.Scalar *= coordinateSpread
				for _, m := range x.Cores {
					m.Scale(coordinateSpread, m)
				}
			}
			return x
		})
	}
	return p
}

// coordinateSpread is how much smaller coordinates are drawn than other real numbers.
const coordinateSpread = 0.3

// maxTries is how many draws a point of the domain may take.
const maxTries = 2000

// inside draws a point that meets the conditions; ok is false when none was found.
func (c *checker) inside(rng *rand.Rand, conditions []derive.Condition, decades float64) (p point, ok bool) {
	if c.p.Mixture != nil {
		return c.insideMixture(rng, conditions, decades)
	}
	return c.insideOne(rng, conditions, decades)
}

// insideOne draws a point of one component that meets the conditions, which without a mixture is all that there is.
func (c *checker) insideOne(rng *rand.Rand, conditions []derive.Condition, decades float64) (p point, ok bool) {
	for range maxTries {
		p = c.draw(rng, c.single, decades, c.one)
		if c.violated(conditions, c.env(p)) < 0 {
			return p, true
		}
	}
	return p, false
}

// env is an environment with a point of the domain, and what follows from it: both kinds of coordinates and the
// parameters of the target.
func (c *checker) env(p point) *eval.Env {
	env := p.env()
	c.complete(env)
	return env
}

// envOn is env with a data set, on which the constants of the families may depend.
func (c *checker) envOn(p point, x []float64) *eval.Env {
	env := p.env()
	c.bind(env, x)
	c.complete(env)
	return env
}

// bind gives an environment a data set and the constants that the problem computes from it.
func (c *checker) bind(env *eval.Env, x []float64) {
	if err := c.p.BindData(env, x, nil); err != nil {
		panic("check: " + err.Error()) // constants are bound in terms of the data alone
	}
}

// someKnown are the lengths of the dimensions, and the constants of the families on some data set, for what must hold
// whatever they are, with a number of components.
func (c *checker) someKnown(components int) *known {
	out := &known{values: map[string]eval.Value{}, shared: map[string]string{}}
	for own, one := range c.p.Surrogate.Shared {
		out.shared[own.Name] = one.Name
	}
	for _, name := range c.dims {
		out.values[name] = eval.Value{Scalar: float64(c.lengths[name])}
		out.dims += fmt.Sprintf("%s = %d, ", name, c.lengths[name])
	}
	c.numberComponents(out, components)
	env := point{known: out}.env()
	c.bind(env, c.anyData(c.stream("constants"), rows))
	for _, k := range c.p.Constants {
		out.values[k.Sym.Name] = env.Symbols[k.Sym.Name]
	}
	return out
}

// complete adds to an environment what follows from the standard and auxiliary parameters.
func (c *checker) complete(env *eval.Env) {
	for _, d := range c.d.Family.Centred() {
		env.Symbols[d.Sym.Name] = c.spread(d.Sym.Type, c.valueOf(d.Node, env), env)
	}
	for _, m := range []derive.Coords{c.d.Family.Natural, c.d.Family.Mean} {
		c.coordinates(m, env)
	}
	for _, t := range c.p.Map {
		env.Symbols[t.Sym.Name] = c.spread(t.Sym.Type, c.valueOf(t.Node, env), env)
	}
}

// coordinates adds coordinates to an environment, from the standard parameters that it has.
func (c *checker) coordinates(m derive.Coords, env *eval.Env) []eval.Value {
	out := c.values(m.OfStd, env)
	for i, sym := range m.Syms {
		if out[i] = c.spread(sym.Type, out[i], env); c.isFree(sym) {
			out[i] = withoutLast(out[i])
		}
		env.Symbols[sym.Name] = out[i]
	}
	return out
}

// violated is the index of the first condition that does not hold, -1 when all do.
func (c *checker) violated(conditions []derive.Condition, env *eval.Env) int {
	for i, cond := range conditions {
		v := c.valueOf(cond.Node, env)
		if !within(v, cond.Range) || cond.Definite && !allDefinite(v) {
			return i
		}
	}
	return -1
}

// declared are the conditions that the spec states: the types of the parameters and those under where. The domain may
// need more, so that the parameters of the target have their types.
func (c *checker) declared() []derive.Condition {
	var out []derive.Condition
	for _, v := range c.free {
		out = append(out, derive.Condition{
			Node: v.sym, Range: v.kind.Range, Definite: v.kind.Structure&expr.PositiveDefinite != 0,
		})
	}
	for _, w := range c.p.Where {
		out = append(out, derive.Condition{Node: w.Node, Range: w.Range, Text: w.Text})
	}
	return out
}

// rows is the size of synthetic data sets.
const rows = 40

// data makes a data set for the problem, row by row: from the target at a point of the domain where the spec says how to
// draw from it, and otherwise, or when at is nil, from a distribution that is usual for the type, as far as that is what
// the target is for: its log-density may have values at some whole numbers only.
func (c *checker) data(rng *rand.Rand, at *point) []float64 {
	if at != nil && c.p.Target.Sample != nil {
		if x, ok := c.sample(rng, *at); ok {
			return x
		}
	}
	if c.p.Variational != nil { // the log-density of the target is not about data
		return c.anyData(rng, rows)
	}
	depth := plausible
	if at == nil { // some point of the domain, whose place and scale are not those of the data
		p, ok := c.inside(c.stream("support"), c.d.Surrogate.Conditions, 0.7)
		if !ok {
			return c.anyData(rng, rows)
		}
		at, depth = &p, math.Inf(1)
	}
	return c.dataOf(rng, depth, func(x []float64) *eval.Env { return c.envOn(*at, x) })
}

// plausible is how far a log-density may lie below the highest: e^-50 is nothing, and what lies there is rounding.
const plausible = 50.0

// dataOf makes a data set of rows at which the log-density of the target, in the environment that is made of a data set,
// is a number and at most depth below the highest. Where there are too few, it has rows twice, or is any data set.
func (c *checker) dataOf(rng *rand.Rand, depth float64, on func(x []float64) *eval.Env) []float64 {
	const batches = 8
	first := c.anyData(rng, rows)
	candidates, logs := first, []float64(nil)
	columns := len(first) / rows
	for batch := range batches {
		if batch > 0 {
			candidates = append(candidates, c.anyData(rng, rows)...)
		}
		logs = c.logDensities(on(candidates), len(candidates)/columns)
		highest := math.Inf(-1)
		for _, l := range logs {
			if finite(l) {
				highest = math.Max(highest, l)
			}
		}
		var kept []float64
		for i, l := range logs {
			if finite(l) && l >= highest-depth {
				kept = append(kept, candidates[i*columns:(i+1)*columns]...)
			}
		}
		if len(kept) >= rows*columns {
			return kept[:rows*columns]
		}
		if last := batch == batches-1; last && len(kept) > columns {
			for len(kept) < rows*columns {
				kept = append(kept, kept...)
			}
			return kept[:rows*columns]
		}
	}
	return first
}

// logDensities are the log-densities of the rows of a data set, NaN where there are none.
func (c *checker) logDensities(env *eval.Env, count int) []float64 {
	v := c.valueOf(c.p.Target.LogPDF, env)
	out := make([]float64, count)
	for i := range out {
		out[i] = rowOf(v, i).Scalar
	}
	return out
}

// anyRows makes rows of the type of the observations.
func (c *checker) anyRows(rng *rand.Rand, rows int) []float64 {
	place, spread := math.Exp(random.Normal(rng, 0, 1)), random.Uniform(rng, 0.5, 3)
	var x []float64
	for range rows {
		for _, q := range c.p.Target.Observed() {
			x = append(x, c.observation(rng, q, place, spread)...)
		}
		for _, v := range c.covariates(rng) {
			x = append(x, numbers(v)...)
		}
	}
	return x
}

// covariates draws what is given in a row: real numbers around 0, so that sums of them have both signs.
func (c *checker) covariates(rng *rand.Rand) []eval.Value {
	var out []eval.Value
	for _, q := range c.p.Target.Given {
		height, width := c.shape(q.Sym.Type)
		place := 1.0
		if q.Kind.Range == expr.Real {
			place = 0
		}
		out = append(out, packed(q.Sym.Type, mat.NewDense(height, width, c.observation(rng, q, place, 1))))
	}
	return out
}

// response is the part of a data set that is observed, without what is given.
func (c *checker) response(x []float64) []float64 {
	if len(c.p.Target.Given) == 0 {
		return x
	}
	width, observed := c.width(c.p.Target.Record()), c.width(c.p.Target.Observed())
	var out []float64
	for row := range slices.Chunk(x, width) {
		out = append(out, row[:observed]...)
	}
	return out
}

// width is how many numbers parts of a row have.
func (c *checker) width(params []bind.Param) int {
	n := 0
	for _, q := range params {
		rows, columns := c.shape(q.Sym.Type)
		n += rows * columns
	}
	return n
}

// observation draws one observation of the type of a variable.
func (c *checker) observation(rng *rand.Rand, v bind.Param, place, spread float64) []float64 {
	r, k := c.shape(v.Sym.Type)
	switch {
	case v.Sym.Type.Rank == 2 || v.Kind.Type.Form.Structure != 0:
		return numbers(c.drawn(rng, v.Sym.Type, v.Kind.Facts, v.Kind, 0.5))
	case v.Sym.Type.Rank == 1 && v.Kind.Integer && !math.IsInf(v.Kind.Range.Hi, 1): // at most one 1: also a category
		x := make([]float64, r)
		if i := rng.IntN(r + 1); i < r {
			x[i] = 1
		}
		return x
	}
	x := make([]float64, r*k)
	for i := range x {
		x[i] = oneNumber(rng, c.within(v.Kind), place, spread)
	}
	return x
}

// within is the type of a number of an entry with the range that it has at the lengths at hand; other types are as they are.
func (c *checker) within(k expr.Kind) expr.Kind {
	if name := k.Facts.Index.Name; name != "" {
		k.Range.Hi, k.Range.HiOpen = float64(c.lengths[name]+k.Beyond), false
	}
	return k
}

// atLengths are parameters with the ranges that their types have at the lengths at hand.
func (c *checker) atLengths(params []bind.Param) []bind.Param {
	out := slices.Clone(params)
	for i := range out {
		out[i].Kind = c.within(out[i].Kind)
	}
	return out
}

// oneNumber draws one number of a type.
func oneNumber(rng *rand.Rand, kind expr.Kind, place, spread float64) float64 {
	r := kind.Range
	switch {
	case kind.Type.Entry.Numbers:
		return 1 + float64(rng.IntN(int(r.Hi)))
	case kind.Integer && !math.IsInf(r.Hi, 1): // 0 or 1
		return random.Bernoulli(rng, place/(1+place))
	case kind.Type.Entry.Of != nil:
		if atoms := atomsOf(kind); len(atoms) > 0 && rng.IntN(3) == 0 {
			return atoms[rng.IntN(len(atoms))]
		}
		return oneNumber(rng, expr.KindOf(types.Number.Of(kind.Type.Entry.Of)), place, spread)
	case kind.Integer && math.IsInf(r.Lo, -1):
		return math.Round(random.Normal(rng, place, 3*spread))
	case kind.Integer: // more variable than Poisson
		return random.Poisson(rng, random.Gamma(rng, spread, spread/(5*place)))
	case r == expr.Unit:
		const edge = 1e-4 // x/(1 - x) is not beyond all bounds
		return min(max(random.Beta(rng, place, spread), edge), 1-edge)
	case r == expr.Positive:
		return random.Gamma(rng, spread, spread/place)
	}
	return random.Normal(rng, place, spread)
}

// maxObservation bounds synthetic data: the mean of heavier tails is so far out that formulas that shift by it lose all
// digits, and differences with them.
const maxObservation = 1e4

// sample draws rows from the target as the spec says; ok is false when that gives something else than observations.
func (c *checker) sample(rng *rand.Rand, at point) (x []float64, ok bool) {
	if c.p.Mixture != nil {
		return c.sampleMixture(rng, at)
	}
	list, ok := c.sampleOne(rng, at, rows)
	return slices.Concat(list...), ok
}

// sampleOne draws rows from one component of the target, which without a mixture is all that there is.
func (c *checker) sampleOne(rng *rand.Rand, at point, n int) (list [][]float64, ok bool) {
	for try := 0; len(list) < n && try < mostBatches; try++ {
		drawn, ok := c.drawRows(rng, at, n)
		if !ok {
			return nil, false
		}
		if c.p.Target.Ordered() { // whose rows belong together
			list = nil
		}
		for _, row := range drawn {
			if len(c.inSupport(row)) > 0 {
				list = append(list, row)
			}
		}
	}
	if len(list) < n {
		return nil, false
	}
	return list[:n], true
}

// drawRows draws rows from one component of the target, wherever they lie.
func (c *checker) drawRows(rng *rand.Rand, at point, n int) (list [][]float64, ok bool) {
	s := c.p.Target.Sample
	env := c.env(at)
	given := make([][]eval.Value, n)
	for i := range given {
		given[i] = c.covariates(rng)
	}
	if c.p.Target.Ordered() {
		return c.drawSequence(rng, env, given)
	}
	c.noiseRows(rng, s.Noise, n, env, func(i int) { c.give(env, given[i]) })
	for k, sym := range c.p.Target.SampleGiven {
		var column []eval.Value
		for _, row := range given {
			column = append(column, row[k])
		}
		env.Symbols[sym.Name] = stacked(column)
	}
	for _, def := range s.Values {
		env.Symbols[def.Sym.Name] = component(c.valueOf(def.Node, env), 0)
	}
	for i := range n {
		var values []float64
		for _, v := range c.p.Target.Observed() {
			own := rowOf(c.drawnOf(v, env), i)
			if !observable(v.Kind, own) {
				return nil, false
			}
			values = append(values, numbers(own)...)
		}
		for _, v := range given[i] {
			values = append(values, numbers(v)...)
		}
		list = append(list, values)
	}
	return list, true
}

// drawnOf are the draws of a variable in all rows.
func (c *checker) drawnOf(v bind.Param, env *eval.Env) eval.Value {
	values := c.p.Target.Sample.Values
	at := slices.IndexFunc(values, func(def bind.Def) bool { return def.Name == v.Name })
	return env.Symbols[values[at].Sym.Name]
}

// give tells an environment what is given in the row that is drawn.
func (c *checker) give(env *eval.Env, values []eval.Value) {
	for k, sym := range c.p.Target.SampleGiven {
		env.Symbols[sym.Name] = values[k]
	}
}

// observable reports whether a value is one of a type, and not too far out.
func observable(kind expr.Kind, v eval.Value) bool {
	for _, x := range numbers(v) {
		if !(math.Abs(x) < maxObservation) || kind.Integer && x != math.Trunc(x) {
			return false
		}
	}
	return ofKind(v, kind)
}

// stacked makes a value for each row of values without rows, for every component where they vary over these.
func stacked(list []eval.Value) eval.Value {
	if len(list) > 0 && list[0].Components != nil {
		out := make([]eval.Value, len(list[0].Components))
		for k := range out {
			own := make([]eval.Value, len(list))
			for i, v := range list {
				own[i] = component(v, k)
			}
			out[k] = stacked(own)
		}
		return eval.PerComponent(out)
	}
	if len(list) == 0 || list[0].Cores == nil {
		out := eval.Value{Rows: make([]float64, len(list))}
		for i, v := range list {
			out.Rows[i] = v.Scalar
		}
		return out
	}
	ms := make([]*mat.Dense, len(list))
	for i, v := range list {
		ms[i] = v.Cores[0]
	}
	return eval.CoreRows(ms)
}

// rowOf is a value in one row.
func rowOf(v eval.Value, i int) eval.Value {
	switch {
	case v.PerRow:
		return eval.Core(v.Cores[i])
	case v.Rows != nil:
		return eval.Value{Scalar: v.Rows[i]}
	}
	return v
}

// noise draws primitive random numbers, NaN where the parameters are impossible.
func (c *checker) noise(rng *rand.Rand, draws []bind.Draw, env *eval.Env) {
	for _, d := range draws {
		args := c.values(d.Args, env)
		env.Symbols[d.Sym.Name] = c.known.each(d.Sym.Type, func(k int) eval.Value { return c.noiseOf(rng, d, args, k) })
	}
}

// noiseRows draws primitive random numbers for each of some rows, each after a call that makes the environment that of the row.
func (c *checker) noiseRows(rng *rand.Rand, draws []bind.Draw, rows int, env *eval.Env, row func(i int)) {
	drawn := make([][]eval.Value, len(draws))
	for i := range rows {
		row(i)
		c.noise(rng, draws, env)
		for i, d := range draws {
			drawn[i] = append(drawn[i], env.Symbols[d.Sym.Name])
		}
	}
	for i, d := range draws {
		env.Symbols[d.Sym.Name] = stacked(drawn[i])
	}
}

// noiseOf draws one array of primitive random numbers, with the parameters of one component.
func (c *checker) noiseOf(rng *rand.Rand, d bind.Draw, values []eval.Value, k int) eval.Value {
	args := make([]float64, len(values))
	m, taken := c.zeros(d.Sym.Type), 0.0
	m.Apply(func(row, column int, _ float64) float64 {
		for i, v := range values {
			v = component(v, k)
			if args[i] = v.Scalar; v.Cores != nil {
				args[i] = v.Cores[0].At(row, column)
			}
		}
		if d.Kind.Shares {
			args[0] -= taken
		}
		x := primitive(rng, d.Kind, args)
		taken += x
		return x
	}, m)
	return packed(d.Sym.Type, m)
}

func primitive(rng *rand.Rand, kind *spec.NoiseKind, args []float64) float64 {
	full := make([]float64, len(kind.Params))
	for i, p := range kind.Params {
		if full[i] = p.Default; i < len(args) {
			full[i] = args[i]
		}
		if !finite(full[i]) || p.Positive && full[i] <= 0 { // the samplers panic or hang on these
			return math.NaN()
		}
	}
	return samplers[kind.Name](rng, full)
}

// samplers are the functions of package random for the kinds of random numbers.
var samplers = map[string]func(*rand.Rand, []float64) float64{
	"normal":      func(rng *rand.Rand, a []float64) float64 { return random.Normal(rng, a[0], a[1]) },
	"uniform":     func(rng *rand.Rand, a []float64) float64 { return random.Uniform(rng, a[0], a[1]) },
	"exponential": func(rng *rand.Rand, a []float64) float64 { return random.Exponential(rng, a[0]) },
	"gamma":       func(rng *rand.Rand, a []float64) float64 { return random.Gamma(rng, a[0], a[1]) },
	"poisson":     func(rng *rand.Rand, a []float64) float64 { return random.Poisson(rng, a[0]) },
	"binomial":    func(rng *rand.Rand, a []float64) float64 { return random.Binomial(rng, a[0], a[1]) },
	"share":       func(rng *rand.Rand, a []float64) float64 { return random.Share(rng, a[0], a[1]) },
	"beta":        func(rng *rand.Rand, a []float64) float64 { return random.Beta(rng, a[0], a[1]) },
	"angle":       func(rng *rand.Rand, a []float64) float64 { return random.Angle(rng, a[0]) },
	"versine":     func(rng *rand.Rand, a []float64) float64 { return random.Versine(rng, a[0], a[1]) },
}
