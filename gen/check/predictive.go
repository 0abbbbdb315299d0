package check

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/eval"
)

const (
	scorePoints = 3
	scoreData   = 400
	// leastOthers is how many data sets of whole numbers must have another score than most have: where it is all but certain what is drawn, as no
	// successes of a small probability, the mean depends on what has not been seen, and the standard error says nothing.
	leastOthers = 30
)

// predictiveScore compares how data are drawn with the likelihood: the score, its derivative by the latent variables, has
// expectation 0 over data that are drawn with them. It is estimated along a random direction.
func (c *checker) predictiveScore() {
	v := c.p.Variational
	if v == nil || v.Predictive == nil {
		return
	}
	rng := c.stream("score")
	rare := 0
	for range scorePoints {
		env := c.modelEnv(rng)
		at := c.draw(rng, c.latents(), 0.3, c.known)
		direction := c.draw(rng, c.latents(), 0.3, c.known)
		var scores []float64
		for range scoreData {
			if !c.drawData(rng, at, env) {
				return
			}
			if v.Spec.LogLikelihood == nil { // the likelihood is not known apart from the prior
				continue
			}
			if score := c.scoreAlong(at, direction, env); finite(score) {
				scores = append(scores, score)
			}
		}
		mean, off, few := meanAndError(scores)
		if v.Predictive.Whole() && othersThanMost(scores) < leastOthers {
			rare++
			continue
		}
		if !few && len(scores) > scoreData/2 && math.Abs(mean) > closedErrors*off+1e-6*math.Max(1, off*math.Sqrt(scoreData)) {
			c.diags.Warningf(v.Spec.Sample.Span, "data that are drawn so do not have the distribution that the likelihood says: its derivative "+
				"by the latent variables is %.3g on average over %d data sets, with a standard error of %.2g, and not 0, at %v", mean,
				len(scores), off, at).WithHint("look at the sample, and at log_likelihood: terms with latent variables that it leaves out, and " +
				"terms of the prior in it, make a difference")
			return
		}
	}
	if rare == scorePoints && v.Spec.LogLikelihood != nil {
		c.diags.Notef(v.Spec.Sample.Span, "that data drawn so have the distribution that the likelihood says could not be tested: nearly all "+
			"draws are the same")
	}
}

// othersThanMost is how many numbers are not the one that there is most often.
func othersThanMost(x []float64) int {
	count, most := map[float64]int{}, 0
	for _, v := range x {
		count[v]++
		most = max(most, count[v])
	}
	return len(x) - most
}

// drawData draws the data of an environment at latent variables, and reports what cannot be data.
func (c *checker) drawData(rng *rand.Rand, at point, env *eval.Env) bool {
	q := c.p.Variational.Predictive
	for i, x := range at.vars {
		env.Symbols[x.sym.Name] = at.values[i]
	}
	count := int(env.Symbols[c.g.Size(expr.Rows).Name].Scalar)
	for _, d := range q.Noise {
		args := c.values(d.Args, env)
		list := make([]eval.Value, count)
		for i := range list {
			own := make([]eval.Value, len(args))
			for j, a := range args {
				own[j] = rowOf(a, i)
			}
			list[i] = c.noiseOf(rng, d, own, 0)
		}
		env.Symbols[d.Sym.Name] = stacked(list)
	}
	for i, x := range c.values(q.Values, env) {
		for row := range count {
			if value := rowOf(x, row); !ofKind(value, q.Data[i].Kind) || q.Data[i].Kind.Integer && slices.ContainsFunc(numbers(value), fractional) {
				c.diags.Errorf(c.p.Variational.Spec.Sample.Span, "%s is %s, but %s is drawn, at %v", q.Data[i].Name, q.Data[i].Kind.Name,
					text(value, 6), at)
				return false
			}
		}
		env.Symbols[q.Data[i].Sym.Name] = x
	}
	return true
}

func fractional(x float64) bool { return x != math.Trunc(x) }

// scoreAlong is the derivative of the likelihood by the latent variables along a direction, by central differences of fourth order.
func (c *checker) scoreAlong(at, direction point, env *eval.Env) float64 {
	f := func(step float64) float64 {
		for i, x := range at.vars {
			moved := c.zeros(x.sym.Type)
			floats.AddScaledTo(moved.RawMatrix().Data, numbers(at.values[i]), step, numbers(direction.values[i]))
			env.Symbols[x.sym.Name] = packed(x.sym.Type, moved)
		}
		return value(c.p.Variational.Likelihood, env)
	}
	const h = 1e-3
	return (8*(f(h)-f(-h)) - (f(2*h) - f(-2*h))) / (12 * h)
}
