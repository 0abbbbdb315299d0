package main

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/estimate"
	"github.com/sngdgen/sngdgen/tests/paper/internal/posteriors"
)

const (
	toySteps   = 4000
	toyStarts  = 8 // of a mixture
	toyEval    = 40_000
	chainSteps = 2_000_000
)

// off is how far mean and covariance are from those of the sampler, in its standard deviations and in their products.
func off(r *posteriors.Reference, a *estimate.Approximation) (mean, cov float64) {
	sd := func(i int) float64 { return math.Sqrt(r.Cov.At(i, i)) }
	for i, m := range a.Posterior.Mean[0].Entries {
		mean = math.Max(mean, math.Abs(m-r.Mean[i])/sd(i))
		for j, c := range a.Posterior.Covariance[i] {
			cov = math.Max(cov, math.Abs(float64(c)-r.Cov.At(i, j))/(sd(i)*sd(j)))
		}
	}
	return mean, cov
}

// toy writes the table of the posteriors of two dimensions.
func toy(ctx context.Context, log func(string)) (string, error) {
	var b strings.Builder
	for _, n := range []int{30, 60} {
		data := posteriors.ToyData(n)
		r, err := posteriors.NewReference(data, chainSteps)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "\n## Two clusters, n = %d\n\nLog evidence %.3f. By %d steps of the sampler the mean is (%.3f, %.3f), the standard "+
			"deviations are %.3f and %.3f, and the correlation is %.3f.\n\n", n, r.Evidence, chainSteps, r.Mean[0], r.Mean[1],
			math.Sqrt(r.Cov.At(0, 0)), math.Sqrt(r.Cov.At(1, 1)), r.Cov.At(0, 1)/math.Sqrt(r.Cov.At(0, 0)*r.Cov.At(1, 1)))
		b.WriteString("| approximation | components | ELBO | evidence - ELBO | mean off | covariance off | k-hat |\n" +
			"| --- | --- | --- | --- | --- | --- | --- |\n")
		for _, c := range []struct{ title, problem string }{{"normal", "logisticmix"}, {"skew-normal", "logisticskewmix"}} {
			for _, k := range []int{1, 3, 5} {
				a, err := approximate(ctx, c.problem, data, k)
				if err != nil {
					return "", fmt.Errorf("%s, %d components: %w", c.title, k, err)
				}
				mean, cov := off(r, a)
				line := fmt.Sprintf("| %s | %d | %.4f ± %.4f | %.4f | %.3f | %.3f | %.2f |\n", c.title, k, float64(a.ELBO.Mean),
					2*float64(a.ELBO.StandardError), r.Evidence-float64(a.ELBO.Mean), mean, cov, float64(a.ELBO.KHat))
				log(fmt.Sprintf("n = %d: %s", n, strings.TrimSpace(line)))
				b.WriteString(line)
			}
		}
	}
	return b.String(), nil
}

// approximate fits a mixture, the best of several random starts.
func approximate(ctx context.Context, problem string, data runtime.Data, k int) (*estimate.Approximation, error) {
	m, err := posteriors.Load(problem, data, k)
	if err != nil {
		return nil, err
	}
	a, err := estimate.Approximate(ctx, m, &estimate.Settings{
		Seed: 1, Starts: toyStarts, Components: k, Stochastic: estimate.Stochastic{Steps: toySteps},
		Variational: estimate.Variational{EvalDraws: toyEval},
	})
	if err == nil && !a.Complete() {
		err = fmt.Errorf("%s", a.Message)
	}
	return a, err
}
