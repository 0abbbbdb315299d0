package main

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/sngdgen/sngdgen/runtime/estimate"
	"github.com/sngdgen/sngdgen/tests/paper/internal/posteriors"
)

const (
	toySteps   = 4000
	toyStarts  = 8 // of a mixture
	toyEval    = 40_000
	chainSteps = 2_000_000
)

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
				a, err := posteriors.Approximate(ctx, c.problem, data, k, fit())
				if err != nil {
					return "", fmt.Errorf("%s, %d components: %w", c.title, k, err)
				}
				mean, cov := r.Off(a)
				line := fmt.Sprintf("| %s | %d | %.4f ± %.4f | %.4f | %.3f | %.3f | %.2f |\n", c.title, k, float64(a.ELBO.Mean),
					2*float64(a.ELBO.StandardError), r.Evidence-float64(a.ELBO.Mean), mean, cov, float64(a.ELBO.KHat))
				log(fmt.Sprintf("n = %d: %s", n, strings.TrimSpace(line)))
				b.WriteString(line)
			}
		}
	}
	return b.String(), nil
}

// fit are the settings of the fits.
func fit() *estimate.Settings {
	return &estimate.Settings{Seed: 1, Starts: toyStarts, Stochastic: estimate.Stochastic{Steps: toySteps}, Variational: estimate.Variational{EvalDraws: toyEval}}
}
