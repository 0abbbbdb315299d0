package baseline

import (
	"math"

	"github.com/sngdgen/sngdgen/runtime/dense"
)

// Root chooses the coordinates of a positive definite matrix Sigma: the entries of a square root W of the matrix or of
// its inverse, row by row. The paper's baselines use either (So and Turner, AISTATS 2024, appendix "Experiment
// details", after Salimbeni, Eleftheriadis and Hensman, AISTATS 2018), written W' W as here; whether their W are
// triangular they leave open. Every W that is not singular is a coordinate of some Sigma, and Q W one of the same for
// every orthogonal Q: the square roots have d(d-1)/2 coordinates more than are needed, the triangular ones none (but
// for the signs of rows). A correlation matrix has the coordinates of a covariance matrix of any scale.
type Root int

// The roots.
const (
	CovarianceRoot     Root = iota // Sigma = W' W, W any d x d matrix
	CovarianceCholesky             // Sigma = W' W, W upper triangular, d(d+1)/2 coordinates
	PrecisionRoot                  // Sigma^-1 = W' W, W any d x d matrix
	PrecisionCholesky              // Sigma^-1 = W' W, W upper triangular, d(d+1)/2 coordinates
)

// String returns the name of the root.
func (r Root) String() string {
	switch r {
	case CovarianceRoot:
		return "covariance root"
	case CovarianceCholesky:
		return "covariance Cholesky"
	case PrecisionRoot:
		return "precision root"
	case PrecisionCholesky:
		return "precision Cholesky"
	}
	return "unknown root"
}

func (r Root) triangular() bool { return r == CovarianceCholesky || r == PrecisionCholesky }
func (r Root) precision() bool  { return r == PrecisionRoot || r == PrecisionCholesky }

// root is the chart of a positive definite matrix. A triangular W is packed in u, row by row.
type root struct {
	Root
	d    int
	w    []float64 // a triangular W in full
	a, b []float64 // of products
}

func newRoot(d int, r Root) *root {
	p := &root{Root: r, d: d, a: make([]float64, d*d)}
	if p.triangular() {
		p.w = make([]float64, d*d)
	}
	if p.precision() {
		p.b = make([]float64, d*d)
	}
	return p
}

func (p *root) dim() int {
	if p.triangular() {
		return p.d * (p.d + 1) / 2
	}
	return p.d * p.d
}

// full returns W as a d x d matrix.
func (p *root) full(u []float64) []float64 {
	if !p.triangular() {
		return u
	}
	for i := range p.d {
		row := p.w[i*p.d+i : (i+1)*p.d]
		u = u[copy(row, u):]
	}
	return p.w
}

// put writes the coordinates of a d x d matrix to u.
func (p *root) put(u, x []float64) {
	if !p.triangular() {
		copy(u, x)
		return
	}
	for i := range p.d {
		u = u[copy(u, x[i*p.d+i:(i+1)*p.d]):]
	}
}

// theta multiplies, and inverts through a Cholesky factor, which the transpose of a triangular W is already.
func (p *root) theta(dst, u []float64) {
	w, ok := p.full(u), true
	switch {
	case p.Root == PrecisionCholesky:
		dense.Transpose(p.a, w, p.d, p.d)
	case p.precision():
		p.gram(p.a, w)
		ok = dense.Cholesky(p.a, p.a, p.d)
	default:
		p.gram(dst, w)
		return
	}
	if !ok {
		fill(dst, math.NaN())
		return
	}
	dense.InverseFromCholesky(dst, p.a, p.d)
}

// gram writes W' W.
func (p *root) gram(dst, w []float64) {
	clear(dst)
	dense.AddWeightedGram(dst, nil, w, nil, p.d, p.d)
	dense.Mirror(dst, p.d)
}

// from writes the transpose of the Cholesky factor, which is a root of either kind.
func (p *root) from(u, theta []float64) {
	ok := dense.Cholesky(p.a, theta, p.d)
	if ok && p.precision() {
		dense.InverseFromCholesky(p.b, p.a, p.d)
		ok = dense.Cholesky(p.a, p.b, p.d)
	}
	if !ok {
		fill(u, math.NaN())
		return
	}
	if !p.triangular() {
		dense.Transpose(u, p.a, p.d, p.d)
		return
	}
	dense.Transpose(p.w, p.a, p.d, p.d)
	p.put(u, p.w)
}

// pull has G = df/dSigma, symmetric, in g. From dSigma = dW' W + W' dW, df = <G, dSigma> = <2 W G, dW>: one product.
// For the inverse, dSigma = -Sigma (dW' W + W' dW) Sigma, hence df/dW = -2 W Sigma G Sigma: three. Of a triangular W,
// the entries that are coordinates.
func (p *root) pull(du, g, u, theta []float64) {
	w, out := p.full(u), du
	if p.triangular() {
		out = p.a
	}
	if p.precision() {
		dense.Mul(p.b, w, theta, p.d, p.d, p.d)
		dense.Mul(p.a, p.b, g, p.d, p.d, p.d)
		if p.triangular() {
			out = p.b
		}
		clear(out)
		dense.AddMul(out, -2, p.a, theta, p.d, p.d, p.d)
	} else {
		clear(out)
		dense.AddMul(out, 2, w, g, p.d, p.d, p.d)
	}
	if p.triangular() {
		p.put(du, out)
	}
}

// correlation is the chart of a correlation matrix R: that of a covariance matrix Sigma, and R = S Sigma S with the
// diagonal matrix S of 1/sqrt(Sigma_ii).
type correlation struct {
	*root
	sigma []float64
	scale []float64 // the diagonal of S
}

func newCorrelation(d int, r Root) *correlation {
	return &correlation{newRoot(d, r), make([]float64, d*d), make([]float64, d)}
}

func (p *correlation) theta(dst, u []float64) {
	d := p.d
	p.root.theta(p.sigma, u)
	for i := range d {
		p.scale[i] = 1 / math.Sqrt(p.sigma[i*d+i])
	}
	for i, s := range p.scale {
		for j, t := range p.scale {
			dst[i*d+j] = s * t * p.sigma[i*d+j]
		}
		if !math.IsNaN(s) {
			dst[i*d+i] = 1
		}
	}
}

// pull has G = df/dR in g. The derivatives of R_ij = s_i s_j Sigma_ij, s_i = Sigma_ii^(-1/2), give
//
//	df/dSigma_ij = s_i s_j G_ij                  i != j
//	df/dSigma_ii = -s_i^2 sum_{j != i} G_ij R_ij
//
// in which the diagonal of G, the derivative with respect to what is constant, has dropped out.
func (p *correlation) pull(du, g, u, theta []float64) {
	d := p.d
	for i, s := range p.scale {
		row, sum := g[i*d:(i+1)*d], 0.0
		for j, t := range p.scale {
			if j != i {
				sum += row[j] * theta[i*d+j]
				row[j] *= s * t
			}
		}
		row[i] = -s * s * sum
	}
	p.root.pull(du, g, u, p.sigma)
}
