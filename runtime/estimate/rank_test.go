package estimate_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/mathext"

	"github.com/sngdgen/sngdgen/runtime/estimate"
)

// heavy are counts with more variance than their mean.
var heavy = []float64{0, 1, 1, 2, 0, 5, 3, 0, 9, 1, 0, 2, 4, 0, 0, 1, 12, 2, 3, 0, 7, 1, 0, 2, 1, 3, 0, 0, 6, 2}

// trigamma is the derivative of digamma by differences.
func trigamma(x float64) float64 {
	const h = 1e-4
	return (mathext.Digamma(x+h) - mathext.Digamma(x-h)) / (2 * h)
}

// The eigenvalues of the negative binomial by the gamma surrogate are those of the Hessian of its loss in shape and rate, by differences of the
// log-likelihood, in the Fisher information of the gamma distribution, which is known.
func TestRankSpectrum(t *testing.T) {
	loss := func(alpha, beta float64) float64 { // r = alpha/(1 - beta), s = beta
		r, sum := alpha/(1-beta), 0.0
		for _, x := range heavy {
			a, _ := math.Lgamma(x + r)
			b, _ := math.Lgamma(r)
			c, _ := math.Lgamma(x + 1)
			sum -= a - b - c + r*math.Log(beta) + x*math.Log(1-beta)
		}
		return sum / float64(len(heavy))
	}
	for _, problem := range []string{"negbin", "negbinnat"} {
		m := loaded(t, problem, heavy, 1, 0)
		report, err := estimate.Fit(t.Context(), m, nil)
		if err != nil {
			t.Fatal(err)
		}
		r, s := report.Theta()[0], report.Theta()[1]
		beta := s
		alpha := r * (1 - beta)
		const h = 1e-4
		second := func(i, j float64) float64 { // mixed, or pure, in steps of relative size
			da, db := h*alpha, h*beta
			switch {
			case i == 2:
				return (loss(alpha+da, beta) - 2*loss(alpha, beta) + loss(alpha-da, beta)) / (da * da)
			case j == 2:
				return (loss(alpha, beta+db) - 2*loss(alpha, beta) + loss(alpha, beta-db)) / (db * db)
			}
			return (loss(alpha+da, beta+db) - loss(alpha+da, beta-db) - loss(alpha-da, beta+db) + loss(alpha-da, beta-db)) / (4 * da * db)
		}
		hessian := mat.NewSymDense(2, []float64{second(2, 0), second(1, 1), second(1, 1), second(0, 2)})
		fisher := mat.NewSymDense(2, []float64{trigamma(alpha), -1 / beta, -1 / beta, alpha / (beta * beta)})
		var product mat.Dense
		if err := product.Solve(fisher, hessian); err != nil {
			t.Fatal(err)
		}
		trace, determinant := product.At(0, 0)+product.At(1, 1), mat.Det(&product)
		root := math.Sqrt(trace*trace/4 - determinant)
		ranked, err := estimate.Rank(t.Context(), m, nil)
		if err != nil {
			t.Fatal(err)
		}
		w := ranked.Ways[0]
		if len(w.Hessian) != 2 || math.Abs(float64(w.Hessian[0])-(trace/2-root)) > 1e-4 || math.Abs(float64(w.Hessian[1])-(trace/2+root)) > 1e-4 {
			t.Errorf("%s: eigenvalues %v, want %v and %v", problem, w.Hessian, trace/2-root, trace/2+root)
		}
		for _, run := range w.Runs {
			if run.Observed < 0 || run.Predicted > 10*run.Observed+5 {
				t.Errorf("%s, %s: %d iterations, %d predicted", problem, run.Method, run.Observed, run.Predicted)
			}
		}
	}
}

// A family by itself has the metric of its Hessian, of whatever data: all eigenvalues are 1, and so are those of the Fisher information.
func TestRankSelf(t *testing.T) {
	x := []float64{0.3, 1.2, 0.8, 2.9, 0.1, 1.7, 0.9, 4.1, 0.5}
	for _, problem := range []string{"gamma", "inversegamma", "normal"} {
		ranked, err := estimate.Rank(t.Context(), loaded(t, problem, x, 1, 0), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, values := range [][]estimate.Number{ranked.Ways[0].Hessian, ranked.Ways[0].Fisher} {
			if len(values) != 2 || math.Abs(float64(values[0])-1) > 1e-5 || math.Abs(float64(values[1])-1) > 1e-5 {
				t.Errorf("%s: eigenvalues %v", problem, values)
			}
		}
	}
}
