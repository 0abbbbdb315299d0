package main

import (
	"context"
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/estimate"
	"github.com/sngdgen/sngdgen/runtime/special"
	"github.com/sngdgen/sngdgen/tests/sampler"
)

const (
	toySteps   = 4000
	toyStarts  = 8 // of a mixture
	toyEval    = 40_000
	chainSteps = 2_000_000
)

// toyData are n rows of two normal clusters in the plane, about (1, 5) with standard deviation 1 and about (-5, 1) with
// standard deviation 1.1: the procedure of Murphy (2012), Machine learning: a probabilistic perspective, section 8.4.
func toyData(n int) runtime.Data {
	rng := runtime.Stream(1, "clusters")
	d := runtime.Data{Columns: 3}
	for i := range n {
		y, centre, sd := 1.0, []float64{1, 5}, 1.0
		if i >= n/2 {
			y, centre, sd = 0, []float64{-5, 1}, 1.1
		}
		d.Values = append(d.Values, centre[0]+sd*rng.NormFloat64(), centre[1]+sd*rng.NormFloat64(), y)
	}
	return d
}

// logJoint is the logarithm of likelihood and prior, up to the constant of the prior.
func logJoint(d runtime.Data, z []float64) float64 {
	f := -(z[0]*z[0] + z[1]*z[1]) / 2
	for i := 0; i < len(d.Values); i += 3 {
		x := d.Values[i : i+3]
		f += special.LogSigmoid((2*x[2] - 1) * (x[0]*z[0] + x[1]*z[1]))
	}
	return f
}

// reference is what the sampler and a sum over a fine grid say of the posterior.
type reference struct {
	mean     []float64
	cov      *mat.SymDense
	evidence float64 // logarithm, of the same joint density
}

func newReference(d runtime.Data, steps int) (*reference, error) {
	log := func(z []float64) float64 { return logJoint(d, z) }
	scale := mat.NewSymDense(2, []float64{0.3, 0, 0, 0.3})
	mean, cov, err := sampler.Metropolis(log, []float64{0, 0}, scale, steps/10, runtime.Stream(1, "scale"))
	if err != nil {
		return nil, err
	}
	r := &reference{}
	if r.mean, r.cov, err = sampler.Metropolis(log, mean, cov, steps, runtime.Stream(2, "chain")); err != nil {
		return nil, err
	}
	const points, width = 600, 10.0 // of each side, in standard deviations
	high, sum := log(r.mean), 0.0
	h := [2]float64{width * math.Sqrt(r.cov.At(0, 0)) / points, width * math.Sqrt(r.cov.At(1, 1)) / points}
	for i := -points; i <= points; i++ {
		for j := -points; j <= points; j++ {
			sum += math.Exp(log([]float64{r.mean[0] + float64(i)*h[0], r.mean[1] + float64(j)*h[1]}) - high)
		}
	}
	r.evidence = high + math.Log(sum*h[0]*h[1])
	return r, nil
}

// off is how far mean and covariance are from those of the sampler, in its standard deviations and in their products.
func (r *reference) off(a *estimate.Approximation) (mean, cov float64) {
	sd := func(i int) float64 { return math.Sqrt(r.cov.At(i, i)) }
	for i, m := range a.Posterior.Mean[0].Entries {
		mean = math.Max(mean, math.Abs(m-r.mean[i])/sd(i))
		for j, c := range a.Posterior.Covariance[i] {
			cov = math.Max(cov, math.Abs(float64(c)-r.cov.At(i, j))/(sd(i)*sd(j)))
		}
	}
	return mean, cov
}

// toy writes the table of the posteriors of two dimensions.
func toy(ctx context.Context, log func(string)) (string, error) {
	var b strings.Builder
	for _, n := range []int{30, 60} {
		data := toyData(n)
		r, err := newReference(data, chainSteps)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "\n## Two clusters, n = %d\n\nLog evidence %.3f. By %d steps of the sampler the mean is (%.3f, %.3f), the standard "+
			"deviations are %.3f and %.3f, and the correlation is %.3f.\n\n", n, r.evidence, chainSteps, r.mean[0], r.mean[1],
			math.Sqrt(r.cov.At(0, 0)), math.Sqrt(r.cov.At(1, 1)), r.cov.At(0, 1)/math.Sqrt(r.cov.At(0, 0)*r.cov.At(1, 1)))
		b.WriteString("| approximation | components | ELBO | evidence - ELBO | mean off | covariance off | k-hat |\n" +
			"| --- | --- | --- | --- | --- | --- | --- |\n")
		for _, c := range []struct{ title, problem string }{{"normal", "logisticmix"}, {"skew-normal", "logisticskewmix"}} {
			for _, k := range []int{1, 3, 5} {
				a, err := approximate(ctx, c.problem, data, k)
				if err != nil {
					return "", fmt.Errorf("%s, %d components: %w", c.title, k, err)
				}
				mean, cov := r.off(a)
				line := fmt.Sprintf("| %s | %d | %.4f ± %.4f | %.4f | %.3f | %.3f | %.2f |\n", c.title, k, float64(a.ELBO.Mean),
					2*float64(a.ELBO.StandardError), r.evidence-float64(a.ELBO.Mean), mean, cov, float64(a.ELBO.KHat))
				log(fmt.Sprintf("n = %d: %s", n, strings.TrimSpace(line)))
				b.WriteString(line)
			}
		}
	}
	return b.String(), nil
}

// approximate fits a mixture, the best of several random starts.
func approximate(ctx context.Context, problem string, data runtime.Data, k int) (*estimate.Approximation, error) {
	m, err := load(problem, data, k)
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
