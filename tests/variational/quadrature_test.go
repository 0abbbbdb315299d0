// Package variational_test compares what is generated for evidence lower bounds, and the posteriors that are fitted with
// it, with the bound and its gradient by quadrature, closed forms and a Metropolis sampler, written without the generator.
package variational_test

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// density is the logarithm of the density of a posterior, up to a constant.
type density func(z []float64) float64

// distribution is a skew-normal distribution, a normal one when slant is nil.
type distribution struct {
	location []float64
	scale    *mat.SymDense
	slant    []float64
}

// each visits the nodes of the trapezoidal rule in every direction of the standard normal density, with weights that add
// up to 1. The rule converges geometrically for functions that are analytic and decay as these do (Trefethen and Weideman,
// The exponentially convergent trapezoidal rule, SIAM Review 56, 2014).
func each(d int, h float64, visit func(weight float64, e []float64)) {
	const end = 8.5
	k := int(end / h)
	e := make([]float64, d)
	var over func(i int, weight float64)
	over = func(i int, weight float64) {
		if i == d {
			visit(weight, e)
			return
		}
		for j := -k; j <= k; j++ {
			e[i] = float64(j) * h
			over(i+1, weight*h*math.Exp(-e[i]*e[i]/2)/math.Sqrt(2*math.Pi))
		}
	}
	over(0, 1)
}

// root is the lower triangle whose product with its transpose is m, and the logarithm of the determinant of m; ok is false
// when m is not positive definite.
func root(m *mat.SymDense) (l *mat.TriDense, logDet float64, ok bool) {
	var chol mat.Cholesky
	if !chol.Factorize(m) {
		return nil, math.Inf(-1), false
	}
	l = new(mat.TriDense)
	chol.LTo(l)
	return l, chol.LogDet(), true
}

// bound is the evidence lower bound of q, E[p - log q], by quadrature with steps h; NaN when q is none.
func (q distribution) bound(p density, h float64) float64 {
	d := len(q.location)
	l, logDet, ok := root(q.scale)
	if !ok {
		return math.NaN()
	}
	sum, z := 0.0, make([]float64, d)
	each(d, h, func(weight float64, e []float64) {
		if weight < 1e-17 {
			return
		}
		logQ, tilt := -logDet/2, 0.0
		for i := range d {
			z[i] = q.location[i]
			for j := range i + 1 {
				z[i] += l.At(i, j) * e[j]
			}
			logQ -= e[i]*e[i]/2 + math.Log(2*math.Pi)/2
			if q.slant != nil {
				tilt += q.slant[i] * (z[i] - q.location[i])
			}
		}
		if q.slant != nil {
			share := math.Erfc(-tilt / math.Sqrt2) // twice the distribution function
			if weight *= share; weight < 1e-30 {
				return
			}
			logQ += math.Log(share)
		}
		sum += weight * (p(z) - logQ)
	})
	return sum
}

// evidence is the logarithm of the integral of p, with nodes spread as distribution q.
func evidence(p density, q distribution, h float64) float64 {
	d := len(q.location)
	l, logDet, _ := root(q.scale)
	z := make([]float64, d)
	var logs []float64
	each(d, h, func(_ float64, e []float64) {
		for i := range d {
			z[i] = q.location[i]
			for j := range i + 1 {
				z[i] += l.At(i, j) * e[j]
			}
		}
		logs = append(logs, p(z))
	})
	most, sum := math.Inf(-1), 0.0
	for _, x := range logs {
		most = max(most, x)
	}
	for _, x := range logs {
		sum += math.Exp(x - most)
	}
	return most + math.Log(sum) + float64(d)*math.Log(h) + logDet/2
}

// symmetric is a matrix from numbers row by row, of which it takes the upper triangle.
func symmetric(d int, x []float64) *mat.SymDense {
	return mat.NewSymDense(d, append([]float64(nil), x...))
}

// inverse is k times the inverse of a positive definite matrix.
func inverse(k float64, m *mat.SymDense) *mat.SymDense {
	var chol mat.Cholesky
	out := mat.NewSymDense(m.SymmetricDim(), nil)
	if chol.Factorize(m) {
		_ = chol.InverseTo(out)
		out.ScaleSym(k, out)
	}
	return out
}

func times(m *mat.SymDense, x []float64) []float64 {
	d := len(x)
	out := make([]float64, d)
	mat.NewVecDense(d, out).MulVec(m, mat.NewVecDense(d, x))
	return out
}

// ofNatural is the distribution with natural parameters inv(scale) location and -inv(scale)/2, then the slant if there is one.
func ofNatural(d int, z []float64) distribution {
	precision := symmetric(d, z[d:d+d*d])
	precision.ScaleSym(-2, precision)
	scale := inverse(1, precision)
	return distribution{times(scale, z[:d]), scale, slantOf(z[d+d*d:])}
}

// ofMean is the distribution of which the normal part has the first two moments given.
func ofMean(d int, m []float64) distribution {
	scale := symmetric(d, m[d:d+d*d])
	scale.SymRankOne(scale, -1, mat.NewVecDense(d, m[:d]))
	return distribution{append([]float64(nil), m[:d]...), scale, slantOf(m[d+d*d:])}
}

func slantOf(x []float64) []float64 {
	if len(x) == 0 {
		return nil
	}
	return append([]float64(nil), x...)
}

// natural and mean are the inverses.
func (q distribution) natural() []float64 {
	p := inverse(1, q.scale)
	out := times(p, q.location)
	return append(append(out, entries(p, -0.5, nil)...), q.slant...)
}

func (q distribution) mean() []float64 {
	out := append([]float64(nil), q.location...)
	return append(append(out, entries(q.scale, 1, q.location)...), q.slant...)
}

// entries are those of k m + x x', row by row.
func entries(m *mat.SymDense, k float64, x []float64) []float64 {
	var out []float64
	for i := range m.SymmetricDim() {
		for j := range m.SymmetricDim() {
			v := k * m.At(i, j)
			if x != nil {
				v += x[i] * x[j]
			}
			out = append(out, v)
		}
	}
	return out
}

func logSigmoid(x float64) float64 { return min(x, 0) - math.Log1p(math.Exp(-math.Abs(x))) }

// logisticDensity is that of the problems logistic and logisticskew, for rows of d covariates and 0 or 1.
func logisticDensity(rows [][]float64, weights []float64) density {
	return func(z []float64) float64 {
		d, sum := len(z), 0.0
		for i, row := range rows {
			f := 0.0
			for j, v := range z {
				f += row[j] * v
			}
			s := logSigmoid((2*row[d] - 1) * f)
			if weights != nil {
				s *= weights[i]
			}
			sum += s
		}
		for _, v := range z {
			sum -= v * v / 2
		}
		return sum
	}
}

// robustDensity is that of the problem robustregression: coefficients, then the logarithm of the scale.
func robustDensity(rows [][]float64) density {
	a, _ := math.Lgamma(2.5)
	b, _ := math.Lgamma(2)
	constant := a - b - math.Log(4*math.Pi)/2
	return func(z []float64) float64 {
		e := len(z) - 1
		sum := -z[e] * z[e] / 2
		for _, v := range z[:e] {
			sum -= v * v / 200
		}
		for _, row := range rows {
			r := row[e]
			for j, v := range z[:e] {
				r -= row[j] * v
			}
			r /= math.Exp(z[e])
			sum += constant - 2.5*math.Log1p(r*r/4) - z[e]
		}
		return sum
	}
}
