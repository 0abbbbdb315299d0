package budget

import (
	"slices"
	"testing"
)

// posterior is the work of the methods of a package with a variational objective, where the rows are the draws: of one
// natural gradient, of the value of the loss, of the check of the domain, of both gradients with the loss, of the draws
// themselves, of their weights and of their densities. The work of the model is that of one draw, and its rows are those of the data.
type posterior struct {
	step, loss, domain, full, draws, weights, density, model work
	known                                                    bool // whether some terms of the log joint density are not evaluated for steps
}

func (b posterior) each(f func(method string, w work)) {
	f("NaturalGradient", b.step)
	f("Loss", b.loss)
	f("Violation", b.domain)
	f("Gradients", b.full)
	f("Latents", b.draws)
	f("Weights", b.weights)
	f("LogDensities", b.density)
	if b.known {
		f("estimated", b.model)
	} else {
		f("logJoint", b.model)
	}
}

// posteriors has a row for every package with a variational objective, all of them in natural parameters.
//
// The factor L of the precision -2 eta2 serves the check of the domain, the determinants, mu, and the draws, inv(L') e: one
// triangular solve with the draws. What the gradients of the model say about L is one weighted sum of outer products of
// them with e. From it comes the gradient with respect to the mean parameters as L lower_half(inv(L) C) L' and its
// transpose: one solve, two products. The ordinary gradient has Sigma L lower_half(inv(L) C) L' Sigma, which are two triangular
// solves, and the entries of Sigma: one inverse; a prior that is known has Sigma Sigma, one product more.
var posteriors = map[string]posterior{
	"logistic":          byNormal,
	"poissonregression": byNormal,
	"linearregression":  byNormal,
	"probit":            byNormal,

	// Their priors are not functions of one latent variable, and see entries of Sigma, for which there is an inverse in the loss, too.
	"eightschools":     byEntries,
	"robustregression": byEntries,

	// All terms are known, which is left to the bound without draws: they are evaluated at the draws, and there is no trace of a covariance.
	"funnel": byNormalWithoutTrace,

	// The quadratic form in log q has a known expectation; what is estimated is a function of one number a draw.
	"logisticskew": withInformation(byNormal),

	// The scale of a draw is random. Its derivative is the inner product of the draw, less its location, and the gradient
	// of the model: the draws are made a second time. That of the expected prior needs the trace of Sigma.
	"logistict":     byStudent,
	"logisticskewt": withInformation(bySkewStudent),

	// The surrogates of Lin, Khan and Schmidt, which have the factor of the same precision.
	"logisticmcef":  byNormal,
	"logistictmcef": byStudent,

	// Of one component. The density of every component at every draw is a product with eta2, and what the
	// responsibilities say about it a second sum of outer products. What belongs to the weights contracts the gradient with the mean parameters, for which the code makes Sigma: the one inverse. A
	// component makes its own draws only, and has its own sum of outer products with e. Latents, Weights and
	// LogDensities allot the draws by the weights, for which they factorise first.
	"logisticmix": {
		step: work{chol: 1, inv: 1, solves: 1, products: 2, ownSolves: 1, rowProducts: 1, grams: 1, ownGrams: 1},
		loss: work{chol: 1, diag: 1, ownSolves: 1, rowProducts: 1}, domain: work{chol: 1},
		full:  work{chol: 1, inv: 1, solves: 3, products: 5, ownSolves: 1, rowProducts: 1, grams: 1, ownGrams: 1},
		draws: work{chol: 2, ownSolves: 1}, weights: work{chol: 2, ownSolves: 2, rowProducts: 1},
		density: work{chol: 2, ownSolves: 2, rowProducts: 1},
	},
	"logisticskewmix": {
		step: work{chol: 1, inv: 1, solves: 1, products: 2, ownSolves: 1, rowProducts: 1, grams: 1, ownGrams: 1},
		loss: work{chol: 1, diag: 1, ownSolves: 1, rowProducts: 1}, domain: work{chol: 1},
		full:  work{chol: 1, inv: 1, solves: 3, products: 5, ownSolves: 1, rowProducts: 1, grams: 1, ownGrams: 1},
		draws: work{chol: 2, ownSolves: 1}, weights: work{chol: 2, ownSolves: 2, rowProducts: 1},
		density: work{chol: 2, ownSolves: 2, rowProducts: 1},
	},
}

// byNormal is the budget of a normal posterior with a prior whose expectation is known: that has the trace of Sigma, and is
// no part of a step. The density of a draw is a function of e'e; the draw is made with it, for those who go on with both.
var byNormal = posterior{
	step: work{chol: 1, solves: 1, products: 2, rowSolves: 1, grams: 1},
	loss: work{chol: 1, diag: 1, rowSolves: 1}, domain: work{chol: 1},
	full:  work{chol: 1, inv: 1, solves: 3, products: 3, rowSolves: 1, grams: 1},
	draws: work{chol: 1, rowSolves: 1}, weights: work{chol: 1, rowSolves: 1}, density: work{chol: 1, rowSolves: 1},
}

var byEntries = posterior{
	step: byNormal.step, loss: work{chol: 1, inv: 1, rowSolves: 1}, domain: byNormal.domain, full: byNormal.full,
	draws: byNormal.draws, weights: byNormal.weights, density: byNormal.density, known: true,
}

var byNormalWithoutTrace = posterior{
	step: byNormal.step,
	loss: work{chol: 1, rowSolves: 1}, domain: work{chol: 1},
	full:  work{chol: 1, inv: 1, solves: 3, products: 2, rowSolves: 1, grams: 1},
	draws: work{chol: 1, rowSolves: 1}, weights: work{chol: 1, rowSolves: 1}, density: work{chol: 1, rowSolves: 1},
}

// byStudent is the same without skewness, where the density of a draw is a function of e'e.
var byStudent = posterior{
	step: byRandomScale.step, loss: byRandomScale.loss, domain: byRandomScale.domain, full: byRandomScale.full,
	draws: byRandomScale.draws, weights: work{chol: 1, rowSolves: 1}, density: work{chol: 1, rowSolves: 1},
}

var byRandomScale = posterior{
	step: work{chol: 1, diag: 1, solves: 1, products: 2, rowSolves: 2, grams: 1},
	loss: work{chol: 1, diag: 1, rowSolves: 1}, domain: work{chol: 1},
	full:  work{chol: 1, inv: 1, solves: 3, products: 3, rowSolves: 2, grams: 1},
	draws: work{chol: 1, rowSolves: 1}, weights: work{chol: 1, rowSolves: 2}, density: work{chol: 1, rowSolves: 1},
}

// bySkewStudent needs no entry of the inverse's diagonal for the step, as the target has Sigma for its covariance. What its draws are made of is kept for
// the derivative in their scale.
var bySkewStudent = posterior{
	step: work{chol: 1, solves: 1, products: 2, rowSolves: 1, grams: 1}, loss: byRandomScale.loss, domain: byRandomScale.domain,
	full:  work{chol: 1, inv: 1, solves: 3, products: 3, rowSolves: 1, rowProducts: 1, grams: 1},
	draws: byRandomScale.draws, weights: work{chol: 1, rowSolves: 1}, density: work{chol: 1, rowSolves: 1},
}

// withInformation is the budget where both gradients take the Fisher information about a vector: the Gram matrix of the scores of the draws,
// and its factor.
func withInformation(b posterior) posterior {
	b.full.grams++
	b.full.chol++
	return b
}

// TestPosteriors: the work in the code is that of the table. No model does more for a draw than products of its data with
// vectors.
func TestPosteriors(t *testing.T) {
	inCode(t, slices.Concat(shaped(t, "vi"), shaped(t, "ep")), posteriors)
}
