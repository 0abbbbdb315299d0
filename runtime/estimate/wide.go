package estimate

import (
	"cmp"
	"fmt"

	"github.com/sngdgen/sngdgen/runtime"
)

// mostCovariance is the number of latent variables up to which there is a covariance matrix. For more there are standard deviations
// alone: an approximation of many variables has less memory than the matrix takes.
const mostCovariance = 1000

// wideDraws are those of which the moments of many variables are estimated: a standard deviation to 2 percent.
const wideDraws = 1000

// summariseWide estimates moments and quantiles of many latent variables, in memory linear in their number.
func (a *Approximation) summariseWide(m runtime.Variational, r *Settings, z []float64) error {
	clone := m.Clone().(runtime.Variational)
	if err := clone.SetDraws(wideDraws); err != nil {
		return fmt.Errorf("the moments of the posterior could not be estimated: %w", err)
	}
	d := m.Info().Variable.Len(m)
	clone.Draw(runtime.Stream(r.Seed, "moments"))
	x := make([]float64, clone.Draws()*d)
	clone.Latents(x, z)
	x, d = shown(clone, x), shownLen(m)
	q := marginals{x: x, d: d}
	level := cmp.Or(r.Level, defaultLevel)
	a.Posterior = newPosteriorSummary(shownParts(m), marginalMoments(x, d), q.quantiles(probabilities(level)), level)
	return nil
}

// marginalMoments are moments with the variances in the place of the covariance matrix.
func marginalMoments(x []float64, d int) *runtime.Moments {
	out := &runtime.Moments{Mean: make([]float64, d), Covariance: make([]float64, d), Draws: len(x) / d}
	for n := 1; len(x) >= d; n, x = n+1, x[d:] {
		for i, v := range x[:d] {
			change := v - out.Mean[i]
			out.Mean[i] += change / float64(n)
			out.Covariance[i] += change * (v - out.Mean[i])
		}
	}
	for i := range out.Covariance {
		out.Covariance[i] /= float64(out.Draws - 1)
	}
	return out
}
