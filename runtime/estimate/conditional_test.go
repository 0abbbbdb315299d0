package estimate

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// TestConditional: what is left of the covariance of some columns, given others, is that of the residuals of a regression on these,
// also where some of them are combinations of the rest, or constant.
func TestConditional(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rest, given := rapid.IntRange(1, 3).Draw(t, "rest"), rapid.IntRange(0, 3).Draw(t, "given")
		d, n := rest+given, 30
		values := rapid.SliceOfN(rapid.Float64Range(-1, 1), n*d, n*d).Draw(t, "values")
		if given > 1 && rapid.Bool().Draw(t, "redundant") {
			for i := range n {
				values[i*d+d-1] = 3 - 2*values[i*d+d-2]
			}
		}
		if given > 0 && rapid.Bool().Draw(t, "intercept") {
			for i := range n {
				values[i*d+rest] = 1
			}
		}
		weights := make([]float64, n)
		for i := range weights {
			weights[i] = 1
		}
		got := conditional(covariance(values, weights, d), d, given)
		x := mat.NewDense(n, given+1, nil) // the residuals of a regression, by the pseudo-inverse
		y := mat.NewDense(n, rest, nil)
		for i := range n {
			x.Set(i, given, 1)
			for j := range given {
				x.Set(i, j, values[i*d+rest+j])
			}
			for j := range rest {
				y.Set(i, j, values[i*d+j])
			}
		}
		var svd mat.SVD
		if !svd.Factorize(x, mat.SVDThin) {
			t.Skip("no decomposition")
		}
		rank := svd.Rank(1e-9)
		var u mat.Dense
		svd.UTo(&u)
		basis := u.Slice(0, n, 0, rank)
		var scores, fitted, residual, want mat.Dense
		scores.Mul(basis.T(), y)
		fitted.Mul(basis, &scores)
		residual.Sub(y, &fitted)
		want.Mul(residual.T(), &residual)
		for i := range rest {
			for j := range i + 1 {
				if w := want.At(i, j) / float64(n); math.Abs(got[i*rest+j]-w) > 1e-6 {
					t.Fatalf("entry %d,%d is %v, of the residuals %v", i, j, got[i*rest+j], w)
				}
			}
		}
	})
}
