package optima_test

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"
)

// uniforms have a Gaussian copula.
func uniforms(d, n int, rng *rand.Rand) [][]float64 {
	return ranks(mixed(d, n, 0, one, rng), distuv.Normal{Sigma: 1}.CDF)
}

// tails have a t copula.
func tails(d, n int, rng *rand.Rand) [][]float64 {
	return ranks(mixed(d, n, 0, chi(rng), rng), distuv.StudentsT{Sigma: 1, Nu: 5}.CDF)
}

// ranks takes the standardised entries of mixed rows through their distribution function.
func ranks(x [][]float64, cdf func(float64) float64) [][]float64 {
	for _, row := range x {
		for j, v := range row {
			row[j] = cdf((v - 1) / float64(j+1))
		}
	}
	return x
}

// quantiles returns the data with every entry as the quantile of a distribution.
func (s rows) quantiles(f func(u float64) float64) rows {
	z := rows{w: s.w}
	for _, row := range s.x {
		q := make([]float64, len(row))
		for j, u := range row {
			q[j] = f(u)
		}
		z.x = append(z.x, q)
	}
	return z
}

// tQuantile improves that of gonum by Newton's method on the distribution function.
func tQuantile(nu float64) func(float64) float64 {
	t := distuv.StudentsT{Sigma: 1, Nu: nu}
	return func(u float64) float64 {
		// The smaller tail keeps its digits.
		sign, p := 1.0, 1-u
		if u < 0.5 {
			sign, p = -1, u
		}
		x := -distuv.StudentsT{Sigma: 1, Nu: nu}.Quantile(p)
		for range 20 {
			step := (mathext.RegIncBeta(nu/2, 0.5, nu/(nu+x*x))/2 - p) / t.Prob(x)
			if x += step; math.Abs(step) <= 1e-15*math.Abs(x) {
				break
			}
		}
		return sign * x
	}
}

// correlations iterates Sigma' = S_w + R diag(1 - diag(inv(R) S_w)) R, R = corr(Sigma), to its fixed point, where the
// gradient of the likelihood vanishes along all correlation matrices: S_w is the second moment of z, each row weighed
// with (nu + d)/(nu + z' inv(R) z), or with 1 where nu is infinite.
func correlations(z rows, nu float64) []float64 {
	d := z.d()
	r := correlation(z.mean(func(x []float64) []float64 { return square(1, x) }), d)
	for range 10000 {
		e := newEllipse(d, r)
		s := z.mean(func(x []float64) []float64 {
			if math.IsInf(nu, 1) {
				return square(1, x)
			}
			return square((nu+float64(d))/(nu+e.quad(x)), x)
		})
		next := correlation(step(e, r, s), d)
		done := largest(minus(next, r)) <= 1e-15
		if r = next; done {
			break
		}
	}
	return r
}

// step is S_w + R diag(1 - diag(inv(R) S_w)) R.
func step(e *ellipse, r, s []float64) []float64 {
	out := slices.Clone(s)
	for k := range e.d {
		column := make([]float64, e.d) // of S_w, which is symmetric
		copy(column, s[k*e.d:])
		lambda := 1 - e.solve(column)[k]
		for i, x := range square(lambda, r[k*e.d:(k+1)*e.d]) {
			out[i] += x
		}
	}
	return out
}

// correlation scales a covariance matrix to a unit diagonal.
func correlation(s []float64, d int) []float64 {
	out := slices.Clone(s)
	for i := range d {
		for j := range d {
			if out[i*d+j] /= math.Sqrt(s[i*d+i] * s[j*d+j]); i == j {
				out[i*d+j] = 1
			}
		}
	}
	return out
}

func gaussianCopula(s rows) []float64 {
	return correlations(s.quantiles(mathext.NormalQuantile), math.Inf(1))
}

// tCopula: the profile score in nu, which is the derivative of the log-likelihood where the correlations stay.
func tCopula(s rows) []float64 {
	best := func(nu float64) []float64 { return correlations(s.quantiles(tQuantile(nu)), nu) }
	nu := secant(4, 5, func(nu float64) float64 {
		e := newEllipse(s.d(), best(nu))
		return slope(0.02*nu, func(h float64) float64 { return tCopulaLogLikelihood(s, e, nu+h) })
	})
	return append(best(nu), nu)
}

// tCopulaLogLikelihood is the mean log-likelihood up to terms without nu.
func tCopulaLogLikelihood(s rows, e *ellipse, nu float64) float64 {
	d := float64(e.d)
	joint, _ := math.Lgamma((nu + d) / 2)
	base, _ := math.Lgamma(nu / 2)
	margin, _ := math.Lgamma((nu + 1) / 2)
	return joint - base - d*(margin-base) + s.quantiles(tQuantile(nu)).number(func(z []float64) float64 {
		sum := -(nu + d) / 2 * math.Log1p(e.quad(z)/nu)
		for _, x := range z {
			sum += (nu + 1) / 2 * math.Log1p(x*x/nu)
		}
		return sum
	})
}

// slope is the derivative at 0 by central differences of order 8 with step h.
func slope(h float64, f func(float64) float64) float64 {
	sum := 0.0
	for k, c := range []float64{4. / 5, -1. / 5, 4. / 105, -1. / 280} {
		at := float64(k+1) * h
		sum += c * (f(at) - f(-at))
	}
	return sum / h
}

// secant finds a root near two positive numbers.
func secant(a, b float64, f func(float64) float64) float64 {
	fa := f(a)
	for range 50 {
		fb := f(b)
		if fb == fa {
			break
		}
		a, b, fa = b, b-fb*(b-a)/(fb-fa), fb
		if math.Abs(b-a) <= 1e-14*b {
			break
		}
	}
	return b
}
