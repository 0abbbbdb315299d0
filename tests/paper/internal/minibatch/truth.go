package minibatch

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/dense"
	"github.com/sngdgen/sngdgen/runtime/random"
	"github.com/sngdgen/sngdgen/runtime/special"
)

// Truth is a distribution that data are drawn from, by its parameters. The draws are written here again, not taken from
// the generated packages: a factor serves all rows, and they are something independent to hold the densities against.
type Truth struct {
	Parameters map[string][]float64
	scale      []float64 // Cholesky factor of the covariance of the normal part
	location   []float64
	skew       []float64 // beta in x = |w| beta + ..., nil for none
	Nu         float64   // degrees of freedom, +Inf for a normal tail
	Uniform    bool      // the marginals are made uniform
}

// covariance draws W'W/d + 1e-4 I with standard normal W (So and Turner 2024, appendix "Experiment details").
func covariance(d int, rng *rand.Rand) []float64 {
	s := make([]float64, d*d)
	w := normals(d*d, rng)
	dense.AddWeightedGram(s, nil, w, nil, d, d)
	dense.Mirror(s, d)
	dense.Scale(s, 1/float64(d), s)
	for i := range d {
		s[i*d+i] += 1e-4
	}
	return s
}

func normals(n int, rng *rand.Rand) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	return x
}

// Skewed draws the parameters of the skew-normal distribution, and with a finite nu those of the skew-t (same
// appendix). With beta = Omega eta/sqrt(1 + eta' Omega eta), the sum of |w| beta and a normal vector with covariance
// Omega - beta beta', w standard normal, is skew-normal (Azzalini and Capitanio 2013, section 5.1).
func Skewed(nu float64) func(d int, rng *rand.Rand) (*Truth, error) {
	return func(d int, rng *rand.Rand) (*Truth, error) {
		xi, eta, omega := normals(d, rng), normals(d, rng), covariance(d, rng)
		beta := make([]float64, d)
		dense.MulVec(beta, omega, eta, d, d)
		dense.Scale(beta, 1/math.Sqrt(1+dense.Dot(eta, beta)), beta)
		rest := append([]float64(nil), omega...)
		dense.AddSymmetricOuter(rest, -1, beta, d)
		t := &Truth{
			Parameters: map[string][]float64{"xi": xi, "Omega": omega, "eta": eta, "nu": {nu}},
			scale:      rest, location: xi, skew: beta, Nu: nu,
		}
		return t, t.factorise(d)
	}
}

// Copula draws the correlations of a t copula.
func Copula(nu float64) func(d int, rng *rand.Rand) (*Truth, error) {
	return func(d int, rng *rand.Rand) (*Truth, error) {
		r := covariance(d, rng)
		sd := make([]float64, d)
		for i := range sd {
			sd[i] = math.Sqrt(r[i*d+i])
		}
		for i := range r {
			r[i] /= sd[i/d] * sd[i%d]
		}
		for i := range d {
			r[i*d+i] = 1
		}
		t := &Truth{
			Parameters: map[string][]float64{"R": r, "nu": {nu}},
			scale:      append([]float64(nil), r...), Nu: nu, Uniform: true,
		}
		return t, t.factorise(d)
	}
}

func (t *Truth) factorise(d int) error {
	if !dense.Cholesky(t.scale, t.scale, d) {
		return fmt.Errorf("the covariance drawn is not positive definite at d = %d", d)
	}
	return nil
}

// Rows draws n rows of length d.
func (t *Truth) Rows(n, d int, rng *rand.Rand) []float64 {
	const block = 100
	x, e := make([]float64, n*d), make([]float64, min(n, block)*d)
	for i := 0; i < n; i += block {
		b := min(block, n-i)
		for j := range e[:b*d] {
			e[j] = rng.NormFloat64()
		}
		dense.MulNT(x[i*d:(i+b)*d], e, t.scale, b, d, d)
	}
	for i := range n {
		t.finish(x[i*d:(i+1)*d], rng)
	}
	return x
}

// finish makes a row of its normal part.
func (t *Truth) finish(x []float64, rng *rand.Rand) {
	if t.skew != nil {
		dense.Axpy(x, math.Abs(rng.NormFloat64()), t.skew)
	}
	if !math.IsInf(t.Nu, 1) {
		dense.Scale(x, 1/math.Sqrt(random.Gamma(rng, t.Nu/2, t.Nu/2)), x)
	}
	if t.location != nil {
		dense.Axpy(x, 1, t.location)
	}
	if t.Uniform {
		for j := range x {
			x[j] = special.TCDF(x[j], t.Nu)
		}
	}
}

// theta returns the parameters in the order and layout of a model.
func (t *Truth) theta(m runtime.Model) ([]float64, error) {
	var theta []float64
	for _, p := range m.Info().Parameters {
		x, ok := t.Parameters[p.Name]
		if !ok || len(x) != p.Len(m) {
			return nil, fmt.Errorf("%s: the truth does not know the parameter %s of length %d", m.Info().Name, p.Name, p.Len(m))
		}
		theta = append(theta, x...)
	}
	return theta, nil
}
