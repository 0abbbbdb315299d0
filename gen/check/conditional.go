package check

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/sngdgen/sngdgen/expr/eval"
	"github.com/sngdgen/sngdgen/gen/bind"
	"github.com/sngdgen/sngdgen/gen/derive"
)

// A family in one variable given others has no total mass to look at, and its log-partition is a mean over the others. What
// has to hold is that the gradient of this mean is the mean of the statistics: it is compared with draws of all variables.
const (
	meanPoints  = 4
	meanDraws   = 4000
	meanDecades = 0.5
	// meanErrors is how many standard errors a mean may be off.
	meanErrors = 6
)

// meanOfStatistics checks the mean map of a conditional family, one component of a mixture.
func (c *checker) meanOfStatistics(fam *bind.Family, coords *derive.Family) {
	rng, looked := c.stream("mean of "+fam.Name), 0
	for range meanPoints {
		p, ok := c.insideAlone(rng, c.declared(), meanDecades)
		if !ok {
			continue
		}
		env := c.env(p)
		c.noiseRows(rng, fam.Sample.Noise, meanDraws, env, func(int) {})
		c.drawAll(fam, env)
		for i, s := range fam.Statistics {
			draws, want := component(c.valueOf(s, env), 0), numbers(component(c.valueOf(coords.Mean.OfStd[i], env), 0))
			for entry, w := range want {
				mean, err := meanOfEntry(draws, entry)
				if !finite(mean - w) {
					continue
				}
				if looked++; math.Abs(mean-w) > meanErrors*err+mapTolerance*math.Abs(mean) {
					c.diags.Errorf(c.p.Spec.Surrogate.Statistics[i].Whole(),
						"draws of family %s have %.4g, with a standard error of %.2g, for the mean of this statistic, but log_partition has %.4g, at %v",
						fam.Name, mean, err, w, p).
						WithHint("log_partition is the mean of the log-partition given %s, and the draws are of all variables", fam.Given[0].Name)
					c.sound = false
					return
				}
			}
		}
	}
	if looked == 0 && c.last {
		c.diags.Warningf(c.p.Spec.Surrogate.NameSpan, "could not verify the mean parameters of %s", fam.Name)
	}
}

// drawAll gives an environment with random numbers the variable of a family, and what is given, in every row.
func (c *checker) drawAll(fam *bind.Family, env *eval.Env) {
	for _, def := range fam.Sample.Values {
		env.Symbols[def.Sym.Name] = component(c.valueOf(def.Node, env), 0)
		for _, q := range slices.Concat(fam.Given, []bind.Param{fam.Variable}) {
			if q.Name == def.Name {
				env.Symbols[q.Sym.Name] = env.Symbols[def.Sym.Name]
			}
		}
	}
}

// meanOfEntry is the mean of one entry over the rows, with its standard error.
func meanOfEntry(draws eval.Value, entry int) (mean, err float64) {
	x := make([]float64, meanDraws)
	for row := range x {
		x[row] = numbers(rowOf(draws, row))[entry]
	}
	mean, sd := stat.MeanStdDev(x, nil)
	return mean, sd / math.Sqrt(meanDraws)
}
