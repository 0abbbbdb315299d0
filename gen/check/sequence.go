package check

import (
	"math"
	"math/rand/v2"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/eval"
)

// drawSequence draws rows of a sequence, one after the other, with the states that they carry along.
func (c *checker) drawSequence(rng *rand.Rand, env *eval.Env, given [][]eval.Value) (list [][]float64, ok bool) {
	t := c.p.Target
	s := t.Sample
	for i := range given {
		if i == 0 || s.Series != nil && c.anotherSeries(given[i-1], given[i]) {
			c.setStates(env, s.Start)
		}
		c.give(env, given[i])
		c.noise(rng, s.Noise, env)
		for _, def := range s.Values {
			env.Symbols[def.Sym.Name] = c.valueOf(def.Node, env)
		}
		var row []float64
		for _, v := range t.Observed() {
			own := c.drawnOf(v, env)
			if !observable(v.Kind, own) {
				return nil, false
			}
			row = append(row, numbers(own)...)
		}
		for _, v := range given[i] {
			row = append(row, numbers(v)...)
		}
		list = append(list, row)
		c.setStates(env, s.Next)
	}
	return list, true
}

// setStates gives the states of a sequence new values, all at once.
func (c *checker) setStates(env *eval.Env, to []*expr.Node) {
	for i, v := range c.values(to, env) {
		env.Symbols[c.p.Target.States[i].Sym.Name] = v
	}
}

// anotherSeries reports whether a row belongs to another series than the one in front of it.
func (c *checker) anotherSeries(before, row []eval.Value) bool {
	for k, sym := range c.p.Target.SampleGiven {
		if sym == c.p.Target.Sample.Series {
			return before[k].Scalar != row[k].Scalar
		}
	}
	return false
}

// scoreSeries is how many series of a sequence the score is averaged over.
const scoreSeries = 100

// sequenceScore compares how a sequence is drawn with its density: the derivative of the log-likelihood by the parameters has
// expectation 0 over data that are drawn with them. It is taken along the way to other parameters, so that what is a simplex remains one.
func (c *checker) sequenceScore() {
	if !c.p.Target.Ordered() || c.p.Target.Sample == nil || c.diags.HasErrors() {
		return
	}
	rng := c.stream("score of sequences")
	for range scorePoints {
		at, ok := c.inside(rng, c.d.Surrogate.Conditions, 0.3)
		other, found := c.inside(rng, c.d.Surrogate.Conditions, 0.3)
		if !ok || !found {
			return
		}
		towards := c.env(other)
		var scores []float64
		for range scoreSeries {
			x, ok := c.sample(rng, at)
			if !ok {
				break
			}
			if score := c.scoreTowards(c.envOn(at, x), towards); finite(score) {
				scores = append(scores, score)
			}
		}
		mean, off, few := meanAndError(scores)
		if !few && len(scores) > scoreSeries/2 && math.Abs(mean) > closedErrors*off+1e-6*math.Max(1, off*math.Sqrt(scoreSeries)) {
			c.diags.Errorf(c.p.Target.Span, "rows that are drawn from %s do not have the distribution that its logpdf says: the derivative of their "+
				"log-likelihood by the parameters is %.3g on average over %d data sets, with a standard error of %.2g, and not 0, at %v", c.p.Target.Name,
				mean, len(scores), off, at).WithHint("look at the sample, at the logpdf, and at what follows each state")
			return
		}
	}
}

// scoreTowards is the derivative of the log-likelihood along the way from the parameters of an environment to others, by central
// differences of fourth order.
func (c *checker) scoreTowards(env, others *eval.Env) float64 {
	const h = 1e-3
	from := map[string]eval.Value{}
	for _, q := range c.p.Target.Params {
		from[q.Sym.Name] = env.Symbols[q.Sym.Name]
	}
	f := func(step float64) float64 {
		for _, q := range c.p.Target.Params {
			moved, to := numbers(from[q.Sym.Name]), numbers(others.Symbols[q.Sym.Name])
			value := c.zeros(q.Sym.Type)
			for i, x := range moved {
				value.RawMatrix().Data[i] = x + step*(to[i]-x)
			}
			env.Symbols[q.Sym.Name] = packed(q.Sym.Type, value)
		}
		return value(c.g.Sum(expr.Rows, c.p.Target.LogPDF), env)
	}
	return (8*(f(h)-f(-h)) - (f(2*h) - f(-2*h))) / (12 * h)
}
