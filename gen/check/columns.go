package check

import (
	"math"
	"slices"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/expr/eval"
)

// informationAt looks at a surrogate that is given columns of the data, whose dual coordinates, the mean parameters, are those of the rows
// at hand. They are compared with differences of the log-partition, and along the natural gradient they have to change as the gradient
// says: F v = c, whatever F has been derived as.
func (c *checker) informationAt(p point, env *eval.Env) (verified int, sound bool) {
	coords := c.d.Family.Natural
	symbols := map[string]eval.Value{}
	for name, v := range env.Symbols {
		symbols[name] = v
	}
	at := &eval.Env{Symbols: symbols, Weights: env.Weights}
	start := c.coordinates(coords, at)
	by := map[*expr.Node]*expr.Node{}
	for i, s := range c.d.Family.Std {
		by[s] = coords.ToStd[i]
	}
	logPartition := c.g.Substitute(c.g.Div(c.g.Sum(expr.Rows, c.p.Surrogate.LogPartition), c.g.Size(expr.Rows)), by)
	means := c.g.SubstituteAll(c.d.Family.Mean.OfStd, by)
	covector, natural := c.values(c.d.Surrogate.Covector, env), c.values(c.d.Surrogate.Natural, env)
	steps, ok := c.steps(system{syms: coords.Syms, ofStd: coords.OfStd}, p, env)
	if !ok {
		return 0, true
	}
	entries, k := c.allEntries(coords.Syms), 0
	far := math.Inf(1) // along the natural gradient no entry goes further than by its step
	for n, e := range entries {
		far = math.Min(far, steps[n]/math.Abs(e.of(natural[slices.Index(coords.Syms, e.sym)])))
	}
	for n, e := range entries {
		if n > 0 && e.sym != entries[n-1].sym {
			k++
		}
		mean := c.valueOf(means[k], at)
		want, doubt, ok := derivative(logPartition, e, steps[n], at)
		if ok && !agree(e.slope(mean), want, math.Abs(c.valueOf(logPartition, at).Scalar)/steps[n]+doubt) {
			c.bug("mean parameter %d of %s is %.9g, but differences of its log-partition give %.9g, at %v", k+1, c.p.Surrogate.Name, e.slope(mean), want, p)
			return verified, false
		}
		along := func(step float64) float64 {
			for i, s := range coords.Syms {
				at.Symbols[s.Name] = moved(start[i], natural[i], step)
			}
			return e.of(c.valueOf(means[k], at))
		}
		want, doubt, ok = differences(far, along)
		along(0)
		if !ok {
			continue
		}
		verified++
		if got := e.of(covector[k]); !agree(got, want, math.Abs(e.of(mean))/far+doubt) {
			c.wrongDerivative("derived natural gradient: along it mean parameter "+e.label(e.sym.Name)+" should change by the gradient, which", got, want, p)
			return verified, false
		}
	}
	return verified, true
}

// moved is a number or a vector and a multiple of another one.
func moved(v, by eval.Value, step float64) eval.Value {
	if v.Cores == nil {
		v.Scalar += step * by.Scalar
		return v
	}
	m := *v.Cores[0]
	m.CloneFrom(v.Cores[0])
	d := *by.Cores[0]
	d.CloneFrom(by.Cores[0])
	d.Scale(step, &d)
	m.Add(&m, &d)
	v.Cores = append(v.Cores[:0:0], &m)
	return v
}
