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
		env := point{known: c.known}.env()
		c.bind(env, x)
		c.noise(rng, start.Noise, env)
		for _, v := range start.Values {
			env.Symbols[v.Sym.Name] = c.valueOf(v.Node, env)
		}
		c.complete(env)
		if i := c.violated(c.d.Surrogate.Conditions, env); i >= 0 {
			bad++
			mean, variance := c.moments(x)
			example = fmt.Sprintf("%s, which violates %s, on data with mean %s and variance %s",
				c.startText(env), c.d.Surrogate.Conditions[i].Text, text(mean, 4), text(variance, 4))
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
		parts[i] = v.name + " = " + text(env.Symbols[v.sym.Name], 4)
	}
	return c.known.dims + strings.Join(parts, ", ")
}

// moments are the mean and the variance of the rows, entry by entry.
func (c *checker) moments(x []float64) (mean, variance eval.Value) {
	t := c.p.Target.Variable.Sym.Type
	m, v := c.zeros(t), c.zeros(t)
	sum, square := m.RawMatrix().Data, v.RawMatrix().Data
	columns := len(sum)
	n := float64(len(x) / columns)
	for i, xi := range x {
		sum[i%columns] += xi
	}
	m.Scale(1/n, m)
	for i, xi := range x {
		square[i%columns] += math.Pow(xi-sum[i%columns], 2)
	}
	v.Scale(1/n, v)
	return packed(t, m), packed(t, v)
}
