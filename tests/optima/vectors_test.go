package optima_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/sngdgen/sngdgen/runtime"
)

// rows is a weighted data set of vectors.
type rows struct {
	x [][]float64
	w []float64
}

func (s rows) d() int { return len(s.x[0]) }

func (s rows) data() runtime.Data {
	return runtime.Data{Values: slices.Concat(s.x...), Columns: s.d(), Weights: s.w}
}

// mean is that of vectors over the rows.
func (s rows) mean(f func(x []float64) []float64) []float64 {
	var out []float64
	n := 0.0
	for i, x := range s.x {
		v := f(x)
		if out == nil {
			out = make([]float64, len(v))
		}
		for j := range v {
			out[j] += s.w[i] * v[j]
		}
		n += s.w[i]
	}
	for j := range out {
		out[j] /= n
	}
	return out
}

// number is the mean of numbers.
func (s rows) number(f func(x []float64) float64) float64 {
	return s.mean(func(x []float64) []float64 { return []float64{f(x)} })[0]
}

func same(x []float64) []float64 { return x }

func minus(x, y []float64) []float64 {
	out := slices.Clone(x)
	for i := range out {
		out[i] -= y[i]
	}
	return out
}

func dot(x, y []float64) float64 {
	sum := 0.0
	for i := range x {
		sum += x[i] * y[i]
	}
	return sum
}

// square is w x x', row by row.
func square(w float64, x []float64) []float64 {
	var out []float64
	for _, a := range x {
		for _, b := range x {
			out = append(out, w*a*b)
		}
	}
	return out
}

// ellipse is a positive definite matrix, factorised.
type ellipse struct {
	d    int
	chol mat.Cholesky
}

func newEllipse(d int, sigma []float64) *ellipse {
	e := &ellipse{d: d}
	e.chol.Factorize(mat.NewSymDense(d, slices.Clone(sigma)))
	return e
}

func (e *ellipse) solve(x []float64) []float64 {
	out := mat.NewVecDense(e.d, nil)
	_ = e.chol.SolveVecTo(out, mat.NewVecDense(e.d, x))
	return out.RawVector().Data
}

// quad is x' inv(Sigma) x.
func (e *ellipse) quad(x []float64) float64 { return dot(x, e.solve(x)) }

func (e *ellipse) logDet() float64 { return e.chol.LogDet() }

// vectors says how problems of vectors are tested.
type vectors struct {
	draw      func(d, n int, rng *rand.Rand) [][]float64
	optimum   func(rows) []float64
	lengths   []int // of the dimension
	tolerance float64
	methods   []method // nil where there are several optima: then the best from all starts, as the command looks for it
}

var vectorOracles = map[string]vectors{
	"mvnormal":       {skewed, multivariateNormal, []int{2, 3}, 1e-9, onSurrogate},
	"diagonalnormal": {skewed, diagonalNormal, []int{2, 3}, 1e-9, onSurrogate},
	"categorical":    {categories, categorical, []int{2, 3}, 1e-9, onSurrogate},
	"dirichlet":      {parts, dirichlet, []int{2, 3, 10}, 1e-9, onSurrogate},
	"mvstudentt5":    {heavyTailed, multivariateT5, []int{2, 3}, 1e-9, onSurrogate},
	"mvstudentt":     {heavyTailed, multivariateT, []int{2, 3}, 1e-9, onSurrogate},
	"gaussiancopula": {uniforms, gaussianCopula, []int{2, 3}, 1e-9, onSurrogate},
	"tcopula":        {tails, tCopula, []int{2, 3}, 1e-9, onSurrogate},
	"skewnormal":     {skewed, skewNormal, []int{2, 3}, 1e-9, nil},
	"skewt":          {skewedTails, skewT, []int{2}, 1e-9, nil},
}

// optimum is a data set with the best parameters for it.
type optimum struct {
	rows
	theta []float64
}

// optima are those that were found, by the problem and its length: problems that differ in their coordinates share
// them.
var optima = map[string]optimum{}

// at returns the data and the optimum at a length.
func (v vectors) at(name string, d int) optimum {
	key := fmt.Sprint(name, d)
	o, ok := optima[key]
	if !ok {
		rng := rand.New(rand.NewPCG(32, uint64(d)))
		n := 200 * d
		o.rows = rows{v.draw(d, n, rng), weights(n, rng)}
		o.theta = v.optimum(o.rows)
		optima[key] = o
	}
	return o
}

// ofVectors fits a problem at several lengths of its dimension.
func ofVectors(t *testing.T, name string, newModel func() runtime.Model) {
	base := name
	if newModel().Info().Coordinates == "natural" {
		base = strings.TrimSuffix(name, "nat")
	}
	v, ok := vectorOracles[base]
	if !ok {
		t.Fatalf("no independent optimum is known here for the problem %s", name)
	}
	for _, d := range v.lengths {
		m, o := newModel(), v.at(base, d)
		if err := m.SetData(o.data()); err != nil {
			t.Fatal(err)
		}
		if v.methods != nil {
			compare(t, m, o.theta, v.tolerance, v.methods)
			continue
		}
		worst := fitted(t, fmt.Sprintf("d = %d", d), m, method{"nlbfgs", ""}, o.theta, v.tolerance)
		t.Logf("%.6g: to %.1e", o.theta, worst)
	}
}

// mixed draws rows 1 + A y, where A scales the entries with 1, 2, ..., and y has entries scale*(e + w), each -0.6 times
// the one before plus 0.8 times a normal number, so that e has unit variances; w is a half-normal number times the
// slant.
func mixed(d, n int, slant float64, scale func() float64, rng *rand.Rand) [][]float64 {
	out := make([][]float64, n)
	for i := range out {
		s, w, e := scale(), slant*math.Abs(rng.NormFloat64()), rng.NormFloat64()
		row := make([]float64, d)
		for j := range row {
			if j > 0 {
				e = -0.6*e + 0.8*rng.NormFloat64()
			}
			row[j] = 1 + float64(j+1)*s*(e+w)
		}
		out[i] = row
	}
	return out
}

func one() float64 { return 1 }

// chi is a function that draws sqrt(5/chi squared) with 5 degrees of freedom.
func chi(rng *rand.Rand) func() float64 {
	return func() float64 {
		sum := 0.0
		for range 5 {
			sum += math.Pow(rng.NormFloat64(), 2)
		}
		return math.Sqrt(5 / sum)
	}
}

func skewed(d, n int, rng *rand.Rand) [][]float64 { return mixed(d, n, 4, one, rng) }

func heavyTailed(d, n int, rng *rand.Rand) [][]float64 { return mixed(d, n, 0, chi(rng), rng) }

// categories are 1 for at most one entry.
func categories(d, n int, rng *rand.Rand) [][]float64 {
	out := make([][]float64, n)
	for i := range out {
		out[i] = make([]float64, d)
		if k := rng.IntN(d + 2); k < d {
			out[i][k] = 1
		}
	}
	return out
}

// parts are those of a sum of gamma variables with the shapes 1/2, 1, 3/2, ..., each half a chi squared one.
func parts(d, n int, rng *rand.Rand) [][]float64 {
	out := make([][]float64, n)
	for i := range out {
		sum := 0.0
		for j := range d {
			y := 0.0
			for range j + 1 {
				y += math.Pow(rng.NormFloat64(), 2)
			}
			out[i], sum = append(out[i], y), sum+y
		}
		for j := range out[i] {
			out[i][j] /= sum
		}
	}
	return out
}

func multivariateNormal(s rows) []float64 {
	mu := s.mean(same)
	return append(mu, s.mean(func(x []float64) []float64 { return square(1, minus(x, mu)) })...)
}

func diagonalNormal(s rows) []float64 {
	mu := s.mean(same)
	return append(mu, s.mean(func(x []float64) []float64 {
		out := minus(x, mu)
		for i, r := range out {
			out[i] = r * r
		}
		return out
	})...)
}

// categorical: the frequencies.
func categorical(s rows) []float64 { return s.mean(same) }

// dirichlet: psi(alpha_i) - psi(total) = mean(log x_i), each solved for alpha_i inside; the total is that of the solutions
// (the fixed point of Minka 2000, Estimating a Dirichlet distribution, equation 9, as an equation in one number).
func dirichlet(s rows) []float64 {
	want := s.mean(func(x []float64) []float64 {
		out := slices.Clone(x)
		for i := range out {
			out[i] = math.Log(out[i])
		}
		return out
	})
	entries := func(total float64) []float64 {
		out := make([]float64, s.d())
		for i := range out {
			out[i] = root(1e-4, 1e4, func(a float64) float64 { return psi(a) - psi(total) - want[i] })
		}
		return out
	}
	return entries(root(0.1, 1e3, func(total float64) float64 {
		sum := -total
		for _, a := range entries(total) {
			sum += a
		}
		return sum
	}))
}

// ellipticalT is the EM algorithm for the multivariate Student's t distribution with known nu, to its fixed point.
func ellipticalT(s rows, nu float64) (mu, sigma []float64) {
	theta := multivariateNormal(s)
	d := s.d()
	mu, sigma = theta[:d], theta[d:]
	for range 10000 {
		e := newEllipse(d, sigma)
		weight := func(x []float64) float64 { return (nu + float64(d)) / (nu + e.quad(minus(x, mu))) }
		total := s.number(weight)
		next := s.mean(func(x []float64) []float64 {
			out := slices.Clone(x)
			for i := range out {
				out[i] *= weight(x) / total
			}
			return out
		})
		sigma2 := s.mean(func(x []float64) []float64 { return square(weight(x), minus(x, next)) })
		done := largest(minus(next, mu)) <= 1e-15*largest(mu) && largest(minus(sigma2, sigma)) <= 1e-15*largest(sigma)
		if mu, sigma = next, sigma2; done {
			break
		}
	}
	return mu, sigma
}

func multivariateT5(s rows) []float64 {
	mu, sigma := ellipticalT(s, 5)
	return append(append(mu, sigma...), 5)
}

// multivariateT: the profile score in nu.
func multivariateT(s rows) []float64 {
	d := float64(s.d())
	var mu, sigma []float64
	nu := secant(4, 5, func(nu float64) float64 {
		mu, sigma = ellipticalT(s, nu)
		e := newEllipse(s.d(), sigma)
		return psi((nu+d)/2) - psi(nu/2) - d/nu + s.number(func(x []float64) float64 {
			q := e.quad(minus(x, mu))
			return (nu+d)*q/(nu*(nu+q)) - math.Log1p(q/nu)
		})
	})
	mu, sigma = ellipticalT(s, nu)
	return append(append(mu, sigma...), nu)
}
