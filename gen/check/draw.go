package check

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/eval"
	"github.com/sngdgen/sngdgen/gen/bind"
	"github.com/sngdgen/sngdgen/gen/derive"
	"github.com/sngdgen/sngdgen/runtime/random"
	"github.com/sngdgen/sngdgen/spec"
)

// variable is a parameter that can be drawn.
type variable struct {
	sym  *expr.Node
	name string
	kind expr.Kind
}

func variables(params []bind.Param) []variable {
	var out []variable
	for _, p := range params {
		out = append(out, variable{p.Sym, p.Name, p.Kind})
	}
	return out
}

// point gives values to variables.
type point struct {
	vars      []variable
	values    []float64
	constants map[string]float64 // of the families, by symbol
}

// String is the point in the words of the spec: alpha = 1.5, beta = 0.25.
func (p point) String() string {
	parts := make([]string, len(p.vars))
	for i, v := range p.vars {
		parts[i] = fmt.Sprintf("%s = %.6g", v.name, p.values[i])
	}
	return strings.Join(parts, ", ")
}

// set gives the variables their values in an environment.
func (p point) set(env *eval.Env) *eval.Env {
	for i, v := range p.vars {
		env.Set(v.sym.Name, p.values[i])
	}
	return env
}

func (p point) env() *eval.Env { return p.set(eval.Scalars(p.constants)) }

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

// draw draws values for variables by their types, narrowed by the conditions of the spec as far as the facts know them.
func (c *checker) draw(rng *rand.Rand, vars []variable, decades float64) point {
	p := point{vars: vars, values: make([]float64, len(vars)), constants: c.constants}
	for i, v := range vars {
		p.values[i] = number(rng, v.sym.Facts.Range, decades)
	}
	return p
}

// maxTries is how many draws a point of the domain may take.
const maxTries = 2000

// inside draws a point that meets the conditions; ok is false when none was found.
func (c *checker) inside(rng *rand.Rand, conditions []derive.Condition, decades float64) (p point, ok bool) {
	for range maxTries {
		p = c.draw(rng, c.free, decades)
		if violated(conditions, c.env(p)) < 0 {
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

// someConstants are the constants of the families on some data set, for what must hold whatever they are.
func (c *checker) someConstants() map[string]float64 {
	env := eval.Scalars(nil)
	c.bind(env, c.data(c.stream("constants"), nil))
	out := map[string]float64{}
	for _, k := range c.p.Constants {
		out[k.Sym.Name] = env.Symbols[k.Sym.Name].Scalar
	}
	return out
}

// complete adds to an environment what follows from the standard and auxiliary parameters.
func (c *checker) complete(env *eval.Env) {
	for _, m := range []derive.Coords{c.d.Family.Natural, c.d.Family.Mean} {
		for i, v := range values(m.OfStd, env) {
			env.Set(m.Syms[i].Name, v)
		}
	}
	for _, t := range c.p.Map {
		env.Set(t.Sym.Name, value(t.Node, env))
	}
}

// violated is the index of the first condition that does not hold, -1 when all do.
func violated(conditions []derive.Condition, env *eval.Env) int {
	for i, cond := range conditions {
		if v := value(cond.Node, env); !finite(v) || !cond.Range.Contains(v) {
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
		out = append(out, derive.Condition{Node: v.sym, Range: v.kind.Range})
	}
	for _, w := range c.p.Where {
		out = append(out, derive.Condition{Node: w.Node, Range: w.Range, Text: w.Text})
	}
	return out
}

// rows is the size of synthetic data sets.
const rows = 40

// data makes a data set of the type of the observations: from the target at a point of the domain where the spec says
// how to draw from it, and otherwise, or when at is nil, from a distribution that is usual for the type.
func (c *checker) data(rng *rand.Rand, at *point) []float64 {
	if at != nil && c.p.Target.Sample != nil {
		if x, ok := c.sample(rng, *at); ok {
			return x
		}
	}
	place, spread := math.Exp(random.Normal(rng, 0, 1)), random.Uniform(rng, 0.5, 3)
	x := make([]float64, rows)
	for i := range x {
		x[i] = observation(rng, c.p.Target.Variable.Kind, place, spread)
	}
	return x
}

// observation draws one number of a type.
func observation(rng *rand.Rand, kind expr.Kind, place, spread float64) float64 {
	r := kind.Range
	switch {
	case kind.Integer && !math.IsInf(r.Hi, 1): // 0 or 1
		return random.Bernoulli(rng, place/(1+place))
	case kind.Integer: // more variable than Poisson
		return random.Poisson(rng, random.Gamma(rng, spread, spread/(5*place)))
	case r == expr.Unit:
		const edge = 1e-9 // 0 and 1 themselves are outside
		return min(max(random.Beta(rng, place, spread), edge), 1-edge)
	case r == expr.Positive:
		return random.Gamma(rng, spread, spread/place)
	}
	return random.Normal(rng, place, spread)
}

// maxObservation bounds synthetic data: the mean of heavier tails is so far out that formulas that shift by it lose all
// digits, and differences with them.
const maxObservation = 1e4

// sample draws from the target as the spec says; ok is false when that gives something else than observations.
func (c *checker) sample(rng *rand.Rand, at point) (x []float64, ok bool) {
	env := c.env(at)
	kind := c.p.Target.Variable.Kind
	for range rows {
		noise(rng, c.p.Target.Sample.Noise, env)
		v := math.NaN()
		for _, def := range c.p.Target.Sample.Values {
			v = value(def.Node, env)
			env.Set(def.Sym.Name, v)
		}
		if !kind.Range.Contains(v) || !(math.Abs(v) < maxObservation) || kind.Integer && v != math.Trunc(v) {
			return nil, false
		}
		x = append(x, v)
	}
	return x, true
}

// noise draws primitive random numbers, NaN where the parameters are impossible.
func noise(rng *rand.Rand, draws []bind.Draw, env *eval.Env) {
	for _, d := range draws {
		env.Set(d.Sym.Name, primitive(rng, d.Kind, values(d.Args, env)))
	}
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
}
