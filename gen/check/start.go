package check

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/eval"
	"github.com/sngdgen/sngdgen/gen/derive"
	"github.com/sngdgen/sngdgen/internal/diag"
	"github.com/sngdgen/sngdgen/runtime/grouping"
)

// startSets is on how many synthetic data sets a start is tried.
const startSets = 20

// starts warns of starting points that lie outside the domain on synthetic data, and when there are none.
func (c *checker) starts() {
	s := c.p.Spec
	if len(c.d.Starts) == 0 && c.d.RandomStart == nil {
		c.diags.Warningf(s.PackageSpan, "%s has no start: a fit has nowhere to begin unless it is told where", s.Package).
			WithHint("add start, with a formula of the data for each parameter of the surrogate, or random_start")
	}
	for i, start := range c.d.Starts {
		c.start("start", s.Starts[i].Span, start)
	}
	if c.d.RandomStart != nil {
		c.start("random_start", s.RandomStart.Span, *c.d.RandomStart)
	}
}

func (c *checker) start(what string, span diag.Span, start derive.Start) {
	rng := c.stream(what)
	if c.p.Variational != nil {
		c.startWithoutData(rng, what, span, start)
		return
	}
	looked, bad, example := 0, 0, ""
	for k := range startSets {
		x, labels, ok := c.grouped(rng, c.source(rng, k), start)
		if !ok {
			continue
		}
		looked++
		env, i := c.startOn(rng, start, x, labels)
		if i >= 0 {
			bad++
			mean, variance := c.moments(x)
			example = fmt.Sprintf("%v, which violates %s, on data with mean %s and variance %s",
				c.startPoint(env, i), c.d.Surrogate.Conditions[i].Text, text(mean, 4), text(variance, 4))
		}
	}
	if looked == 0 {
		c.diags.Warningf(span, "%s could not be tried: no synthetic data can be put into %d groups", what, c.known.components)
	}
	if bad > 0 {
		f := c.diags.Warningf(span, "%s lies outside the domain on %d of %d synthetic data sets: %s", what, bad, looked, example)
		if all := grouping.Called(start.Groups).Blends(); len(all) > 1 {
			f.WithHint("that is so however much of all rows is mixed into the groups, up to %g%%", 100*all[len(all)-1])
		}
	}
}

// startWithoutData warns of a start of a variational objective that lies outside the domain: only random numbers vary.
func (c *checker) startWithoutData(rng *rand.Rand, what string, span diag.Span, start derive.Start) {
	tries, bad, example := 1, 0, ""
	if len(start.Noise) > 0 {
		tries = startSets
	}
	for range tries {
		if env, i := c.startOn(rng, start, nil, nil); i >= 0 {
			bad++
			example = fmt.Sprintf("%v, which violates %s", c.startPoint(env, i), c.d.Surrogate.Conditions[i].Text)
		}
	}
	switch {
	case bad > 0 && tries > 1:
		c.diags.Warningf(span, "%s lies outside the domain in %d of %d draws: %s", what, bad, tries, example)
	case bad > 0:
		c.diags.Warningf(span, "%s lies outside the domain: %s", what, example)
	}
}

// startOn makes a start on data, and finds the condition of the domain that it violates, -1 when there is none. Where the
// rows are in groups it tries more and more of all rows in each, as generated code does.
func (c *checker) startOn(rng *rand.Rand, start derive.Start, x, labels []float64) (env *eval.Env, violated int) {
	for _, share := range grouping.Called(start.Groups).Blends() {
		env = point{known: c.known}.env()
		if x != nil { // a variational objective has none
			c.bind(env, x)
		}
		c.group(env, labels, share)
		c.noise(rng, start.Noise, env)
		for _, v := range start.Values {
			env.Symbols[v.Sym.Name] = c.spread(v.Sym.Type, c.shaped(v.Sym.Type, c.valueOf(v.Node, env)), env)
		}
		c.complete(env)
		if violated = c.violated(c.d.Surrogate.Conditions, env); violated < 0 {
			break
		}
	}
	return env, violated
}

// shaped is a value in the shape of a type: the number 0 stands for zeros.
func (c *checker) shaped(t expr.Type, v eval.Value) eval.Value {
	if t.Rank > 0 && v.Cores == nil && v.Components == nil && v.Scalar == 0 {
		return packed(t, c.zeros(t))
	}
	return v
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

// startPoint is where a start violates a condition.
func (c *checker) startPoint(env *eval.Env, condition int) point {
	p := point{vars: c.free, known: c.known, digits: 4}
	for _, v := range c.free {
		p.values = append(p.values, env.Symbols[v.sym.Name])
	}
	return c.culprit(p, func(own point) bool {
		return c.violated(c.d.Surrogate.Conditions[condition:condition+1], c.env(own)) >= 0
	})
}

// moments are the mean and the variance of the rows, entry by entry.
func (c *checker) moments(x []float64) (mean, variance eval.Value) {
	x = c.response(x)
	t := c.p.Target.Variable.Sym.Type
	m, v := c.zeros(t), c.zeros(t)
	if of := c.p.Target.Observed(); len(of) > 1 { // one after the other
		t = expr.Vector(expr.Dim{Size: c.width(of)})
		m, v = c.zeros(t), c.zeros(t)
	}
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
