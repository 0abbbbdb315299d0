package main

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/sngdgen/sngdgen/generated/negbin"
	"github.com/sngdgen/sngdgen/runtime"
)

// estimate replaces the natural gradient of a problem by F^-1 c with F, the Fisher matrix of the target, the mean of the
// squared scores of draws from it.
type estimate struct {
	runtime.Problem
	model  *negbin.Model
	theta  func(dst, x []float64)
	fisher func(dst, x, xs, ws []float64) (mass, mean, square float64)
	rng    *rand.Rand
	draws  int
}

// Gradients estimates F at x. The weights of the draws undo the density that they are multiplied with.
func (e *estimate) Gradients(v, c, x []float64) float64 {
	loss := e.Problem.Gradients(v, c, x)
	if math.IsNaN(loss) {
		return loss
	}
	theta, f := make([]float64, 2), make([]float64, 4)
	e.theta(theta, x)
	draws, weights := make([]float64, e.draws), make([]float64, e.draws)
	for i := range draws {
		e.model.Sample(draws[i:i+1], theta, e.rng)
		density := math.Exp(negbin.LogDensity(draws[i], negbin.Theta{R: theta[0], S: theta[1]}))
		weights[i] = 1 / (density * float64(e.draws))
	}
	e.fisher(f, x, draws, weights)
	var chol mat.Cholesky
	if !chol.Factorize(mat.NewSymDense(2, f)) {
		return math.NaN()
	}
	if err := chol.SolveVecTo(mat.NewVecDense(2, v), mat.NewVecDense(2, c)); err != nil {
		return math.NaN()
	}
	return loss
}
