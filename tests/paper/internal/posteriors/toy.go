package posteriors

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/estimate"
	"github.com/sngdgen/sngdgen/runtime/special"
	"github.com/sngdgen/sngdgen/tests/sampler"
)

// ToyData are n rows of two normal clusters in the plane, about (1, 5) with standard deviation 1 and about (-5, 1) with
// standard deviation 1.1: the procedure of Murphy (2012), Machine learning: a probabilistic perspective, section 8.4.
func ToyData(n int) runtime.Data {
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

// LogJoint is the logarithm of likelihood and prior, up to the constant of the prior.
func LogJoint(d runtime.Data, z []float64) float64 {
	f := -(z[0]*z[0] + z[1]*z[1]) / 2
	for i := 0; i < len(d.Values); i += 3 {
		x := d.Values[i : i+3]
		f += special.LogSigmoid((2*x[2] - 1) * (x[0]*z[0] + x[1]*z[1]))
	}
	return f
}

// Reference is what the sampler and a sum over a fine grid say of the posterior.
type Reference struct {
	Mean     []float64
	Cov      *mat.SymDense
	Evidence float64 // logarithm, of the same joint density
}

// NewReference runs the sampler for so many steps, and sums.
func NewReference(d runtime.Data, steps int) (*Reference, error) {
	log := func(z []float64) float64 { return LogJoint(d, z) }
	scale := mat.NewSymDense(2, []float64{0.3, 0, 0, 0.3})
	mean, cov, err := sampler.Metropolis(log, []float64{0, 0}, scale, steps/10, runtime.Stream(1, "scale"))
	if err != nil {
		return nil, err
	}
	r := &Reference{}
	if r.Mean, r.Cov, err = sampler.Metropolis(log, mean, cov, steps, runtime.Stream(2, "chain")); err != nil {
		return nil, err
	}
	const points, width = 600, 10.0 // of each side, in standard deviations
	high, sum := log(r.Mean), 0.0
	h := [2]float64{width * math.Sqrt(r.Cov.At(0, 0)) / points, width * math.Sqrt(r.Cov.At(1, 1)) / points}
	for i := -points; i <= points; i++ {
		for j := -points; j <= points; j++ {
			sum += math.Exp(log([]float64{r.Mean[0] + float64(i)*h[0], r.Mean[1] + float64(j)*h[1]}) - high)
		}
	}
	r.Evidence = high + math.Log(sum*h[0]*h[1])
	return r, nil
}

// Off is how far mean and covariance are from those of the sampler, in its standard deviations and in their products.
func (r *Reference) Off(a *estimate.Approximation) (mean, cov float64) {
	sd := func(i int) float64 { return math.Sqrt(r.Cov.At(i, i)) }
	for i, m := range a.Posterior.Mean[0].Entries {
		mean = math.Max(mean, math.Abs(m-r.Mean[i])/sd(i))
		for j, c := range a.Posterior.Covariance[i] {
			cov = math.Max(cov, math.Abs(float64(c)-r.Cov.At(i, j))/(sd(i)*sd(j)))
		}
	}
	return mean, cov
}

// Approximate fits a mixture of so many components, the best of several random starts.
func Approximate(ctx context.Context, problem string, data runtime.Data, k int, s *estimate.Settings) (*estimate.Approximation, error) {
	m, err := Load(problem, data, k)
	if err != nil {
		return nil, err
	}
	s.Components = k
	a, err := estimate.Approximate(ctx, m, s)
	if err == nil && !a.Complete() {
		err = fmt.Errorf("%s", a.Message)
	}
	return a, err
}
