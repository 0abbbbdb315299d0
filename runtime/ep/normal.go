package ep

import (
	"math"

	"github.com/sngdgen/sngdgen/runtime/dense"
)

// marginal is the normal distribution of the predictors of a factor: their mean, k numbers, and covariance, k x k.
type marginal struct{ mean, cov []float64 }

// natural are shift and precision of a normal distribution, or of a site: exp(shift's - s'precision s/2).
type natural struct{ shift, precision []float64 }

// of sets natural parameters to those of a distribution; false where its covariance is not positive definite in floating point. Of root,
// k x k, the Cholesky factor of the covariance is left.
func (n natural) of(m marginal, root []float64) bool {
	return inverted(n.precision, n.shift, m.cov, m.mean, root)
}

// of sets moments to those of a distribution; false where its precision is not positive definite in floating point. Of root the Cholesky
// factor of the precision is left.
func (m marginal) of(n natural, root []float64) bool {
	return inverted(m.cov, m.mean, n.precision, n.shift, root)
}

// leastPivot is the part of the variance of a number that others have to leave of it: else they determine it but for rounding.
const leastPivot = 1e-13

// inverted sets a matrix to the inverse of another one, and a vector to the product of that with another vector.
func inverted(inverse, product, a, x, root []float64) bool {
	k := len(x)
	if k == 1 {
		if !(a[0] > 0) || math.IsInf(1/a[0], 0) {
			return false
		}
		inverse[0], product[0], root[0] = 1/a[0], x[0]/a[0], math.Sqrt(a[0])
		return true
	}
	if !dense.Cholesky(root, a, k) {
		return false
	}
	for j := range k {
		if !(root[j*k+j]*root[j*k+j] > leastPivot*a[j*k+j]) {
			return false
		}
	}
	dense.InverseFromCholesky(inverse, root, k)
	for j := range k {
		product[j] = dense.Dot(inverse[j*k:j*k+k], x)
	}
	return true
}

// add adds a part of a site.
func (n natural) add(part float64, site natural) {
	dense.Axpy(n.shift, part, site.shift)
	dense.Axpy(n.precision, part, site.precision)
}
