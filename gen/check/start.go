package check

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/sngdgen/sngdgen/expr/eval"
	"github.com/sngdgen/sngdgen/gen/derive"
	"github.com/sngdgen/sngdgen/internal/diag"
)

// startSets is on how many synthetic data sets a start is tried.
const startSets = 20

// starts warns of starting points that lie outside the domain on synthetic data.
func (c *checker) starts() {
	s := c.p.Spec
	for i, start := range c.d.Starts {
		c.start("start", s.Starts[i].Span, start)
	}
	if c.d.RandomStart != nil {
		c.start("random_start", s.RandomStart.Span, *c.d.RandomStart)
	}
}

func (c *checker) start(what string, span diag.Span, start derive.Start) {
	rng := c.stream(what)
	bad, example := 0, ""
	for k := range startSets {
		x := c.data(rng, c.source(rng, k))
		env := eval.Scalars(nil)
		c.bind(env, x)
		noise(rng, start.Noise, env)
		for _, v := range start.Values {
			env.Set(v.Sym.Name, value(v.Node, env))
		}
		c.complete(env)
		if i := violated(c.d.Surrogate.Conditions, env); i >= 0 {
			bad++
			example = fmt.Sprintf("%s, which violates %s, on data with mean %.4g and variance %.4g",
				c.startText(env), c.d.Surrogate.Conditions[i].Text, mean(x), variance(x))
		}
	}
	if bad > 0 {
		c.diags.Warningf(span, "%s lies outside the domain on %d of %d synthetic data sets: %s", what, bad, startSets, example)
	}
}

// source is where the data come from: every other set is drawn from the target itself, where that can be done.
func (c *checker) source(rng *rand.Rand, k int) *point {
	if k%2 == 0 {
		return nil
	}
	p, ok := c.inside(rng, c.d.Surrogate.Conditions, 0.7)
	if !ok {
		return nil
	}
	return &p
}

func (c *checker) startText(env *eval.Env) string {
	parts := make([]string, len(c.free))
	for i, v := range c.free {
		parts[i] = fmt.Sprintf("%s = %.4g", v.name, env.Symbols[v.sym.Name].Scalar)
	}
	return strings.Join(parts, ", ")
}

func mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}

func variance(x []float64) float64 {
	m, sum := mean(x), 0.0
	for _, v := range x {
		sum += math.Pow(v-m, 2)
	}
	return sum / float64(len(x))
}
