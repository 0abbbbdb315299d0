// Package sampler has a sampler that knows nothing of the rest, to compare posteriors with.
package sampler

import (
	"errors"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
)

// Metropolis is mean and covariance of a log-density, known up to a constant, by a random walk from start, after a tenth of
// the steps. Their covariance is in proportion to the scale matrix (Roberts, Gelman and Gilks, Weak convergence and optimal
// scaling of random walk Metropolis algorithms, Annals of Applied Probability 7, 1997). It is an error when the scale matrix
// is not positive definite.
func Metropolis(
	log func(z []float64) float64, start []float64, scale *mat.SymDense, steps int, rng *rand.Rand,
) (mean []float64, covariance *mat.SymDense, err error) {
	var chol mat.Cholesky
	if !chol.Factorize(scale) {
		return nil, nil, errors.New("sampler: the scale matrix is not positive definite")
	}
	var l mat.TriDense
	chol.LTo(&l)
	d := len(start)
	length := 2.38 / math.Sqrt(float64(d))
	z, next, e := append([]float64(nil), start...), make([]float64, d), make([]float64, d)
	at := log(z)
	mean, covariance = make([]float64, d), mat.NewSymDense(d, nil)
	change, n := make([]float64, d), 0.0
	for k := range steps {
		for i := range e {
			e[i] = rng.NormFloat64()
		}
		for i := range d {
			next[i] = z[i]
			for j := range i + 1 {
				next[i] += length * l.At(i, j) * e[j]
			}
		}
		if there := log(next); math.Log(rng.Float64()) < there-at {
			copy(z, next)
			at = there
		}
		if k < steps/10 {
			continue
		}
		n++
		for i := range d {
			change[i] = z[i] - mean[i]
			mean[i] += change[i] / n
		}
		covariance.SymRankOne(covariance, 1-1/n, mat.NewVecDense(d, change))
	}
	covariance.ScaleSym(1/n, covariance)
	return mean, covariance, nil
}
