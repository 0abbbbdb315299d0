package oracle_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/sngdgen/sngdgen/generated"
	"github.com/sngdgen/sngdgen/runtime"
	_ "github.com/sngdgen/sngdgen/runtime/baseline/general" // the methods of gonum
	"github.com/sngdgen/sngdgen/runtime/estimate"
	"github.com/sngdgen/sngdgen/runtime/special"
)

// copula is a Student-t copula, or with nu = +Inf the Gaussian one, with data drawn from it and weights.
type copula struct {
	r  *mat.SymDense
	nu float64
	u  *mat.Dense
	w  []float64
}

// newCopula has a correlation matrix that the identity keeps away from singular ones: that of I + W'W, W of d x d
// standard normal entries.
func newCopula(d, n int, nu float64, rng *rand.Rand) *copula {
	c := &copula{nu: nu, u: mat.NewDense(n, d, nil), w: make([]float64, n)}
	w := gaussians(d, d, rng)
	var square mat.Dense
	square.Mul(w.T(), w)
	c.r = correlation(d, func(i, j int) float64 {
		if i == j {
			return 1 + square.At(i, i)
		}
		return square.At(i, j)
	})
	c.draw(rng)
	return c
}

// correlation is the correlation matrix of a covariance matrix.
func correlation(d int, s func(i, j int) float64) *mat.SymDense {
	out := mat.NewSymDense(d, nil)
	for i := range d {
		out.SetSym(i, i, 1)
		for j := range i {
			out.SetSym(i, j, s(i, j)/math.Sqrt(s(i, i)*s(j, j)))
		}
	}
	return out
}

func gaussians(r, c int, rng *rand.Rand) *mat.Dense {
	out := mat.NewDense(r, c, nil)
	out.Apply(func(int, int, float64) float64 { return rng.NormFloat64() }, out)
	return out
}

// draw fills in data. Nu must be whole: a chi-squared number is a sum of so many squares.
func (c *copula) draw(rng *rand.Rand) {
	n, d := c.u.Dims()
	var chol mat.Cholesky
	chol.Factorize(c.r)
	var upper mat.TriDense
	chol.UTo(&upper)
	c.u.Mul(gaussians(n, d, rng), &upper)
	for i := range n {
		c.w[i] = 0.5 + rng.Float64()
		scale := 1.0
		if !math.IsInf(c.nu, 1) {
			chi := 0.0
			for range int(c.nu) {
				chi += math.Pow(rng.NormFloat64(), 2)
			}
			scale = math.Sqrt(c.nu / chi)
		}
		for j := range d {
			c.u.Set(i, j, cdf(scale*c.u.At(i, j), c.nu))
		}
	}
}

func cdf(x, nu float64) float64 {
	if math.IsInf(nu, 1) {
		return special.Ndtr(x)
	}
	return special.TCDF(x, nu)
}

func quantile(u, nu float64) float64 {
	if math.IsInf(nu, 1) {
		return special.NormalQuantile(u)
	}
	return special.TQuantile(u, nu)
}

func (c *copula) data() runtime.Data {
	_, d := c.u.Dims()
	return runtime.Data{Values: c.u.RawMatrix().Data, Columns: d, Weights: c.w}
}

// moment is the second moment S_w of the quantiles z of the data, each row weighed with (nu + d)/(nu + z' inv(R) z), or
// with 1 where nu is infinite.
func (c *copula) moment(r mat.Symmetric, nu float64) *mat.SymDense {
	n, d := c.u.Dims()
	var chol mat.Cholesky
	chol.Factorize(r)
	s, total := mat.NewSymDense(d, nil), 0.0
	z, solved := mat.NewVecDense(d, nil), mat.NewVecDense(d, nil)
	for i := range n {
		for j := range d {
			z.SetVec(j, quantile(c.u.At(i, j), nu))
		}
		weight := c.w[i]
		if !math.IsInf(nu, 1) {
			_ = chol.SolveVecTo(solved, z)
			weight *= (nu + float64(d)) / (nu + mat.Dot(z, solved))
		}
		s.SymRankOne(s, weight, z)
		total += c.w[i]
	}
	s.ScaleSym(1/total, s)
	return s
}

// step is what one step from Sigma = R must lead to: S_w + R diag(1 - diag(inv(R) S_w)) R. With the gradient
// G = (inv(R) - inv(R) S_w inv(R))/2 of the loss in R, and that of R = corr(Sigma) in Sigma at a unit diagonal, the
// gradient in Sigma is G - diag(diag(G R)); the natural gradient is 2 Sigma times it times Sigma.
func (c *copula) step(r mat.Symmetric, nu float64) *mat.Dense {
	d := r.SymmetricDim()
	s := c.moment(r, nu)
	var inverse, left, out mat.Dense
	_ = inverse.Inverse(r)
	left.Mul(&inverse, s)
	diagonal := mat.NewDiagDense(d, nil)
	for i := range d {
		diagonal.SetDiag(i, 1-left.At(i, i))
	}
	out.Product(r, diagonal, r)
	out.Add(&out, s)
	return &out
}

// copulas are the problems in mean coordinates, with the nu of data for them.
var copulas = map[string]float64{"gaussiancopula": math.Inf(1), "tcopula": 5}

func eachCopula(t *testing.T, test func(t *testing.T, name string, d int, rng *rand.Rand)) {
	for name := range copulas {
		for _, d := range []int{2, 5, 20} {
			t.Run(fmt.Sprintf("%s/%d", name, d), func(t *testing.T) { test(t, name, d, rand.New(rand.NewPCG(51, uint64(d)))) })
		}
	}
}

// on returns the generated problem with the data.
func (c *copula) on(t *testing.T, name string) runtime.Model {
	t.Helper()
	newModel, _ := generated.Lookup(name)
	m := newModel()
	if err := m.SetData(c.data()); err != nil {
		t.Fatal(err)
	}
	return m
}

// coordinates are those of a correlation matrix and, where nu is finite, of nu = exp(lognu).
func coordinates(r mat.Symmetric, nu float64) []float64 {
	z := mat.DenseCopyOf(r).RawMatrix().Data
	if !math.IsInf(nu, 1) {
		z = append(z, math.Log(nu))
	}
	return z
}

// stepped is where one undamped step of the generated code leads.
func stepped(m runtime.Model, z []float64) []float64 {
	v := newPoint(m)
	m.NaturalGradient(v, z)
	end := own(m)
	return moved(z[:end], v[:end], -1)
}

// TestCopulaStep compares one undamped step in mean parameters, from correlation matrices that do not fit the data,
// with the closed form.
func TestCopulaStep(t *testing.T) {
	eachCopula(t, func(t *testing.T, name string, d int, rng *rand.Rand) {
		c := newCopula(d, 300+20*d, copulas[name], rng)
		m := c.on(t, name)
		for range 5 {
			r, nu := newCopula(d, 1, 3, rng).r, 2.5+4*rng.Float64()
			if math.IsInf(c.nu, 1) {
				nu = c.nu
			}
			want := c.step(r, nu).RawMatrix().Data
			agree(t, "one step", stepped(m, coordinates(r, nu)), want, 0, 1e-12)
		}
	})
}

// TestCopulaFixedPoint: where a fit ends, one more step from its correlation matrix leads nowhere.
func TestCopulaFixedPoint(t *testing.T) {
	eachCopula(t, func(t *testing.T, name string, d int, rng *rand.Rand) {
		c := newCopula(d, 300+20*d, copulas[name], rng)
		m := c.on(t, name)
		r, nu := fitted(t, m)
		z := coordinates(r, nu)
		agree(t, "one step from the fit", stepped(m, z), z[:d*d], 1, 1e-9)
		agree(t, "one step in closed form", c.step(r, nu).RawMatrix().Data, z[:d*d], 1, 1e-9)
	})
}

// fitted runs a fit as the command does.
func fitted(t *testing.T, m runtime.Model) (r *mat.SymDense, nu float64) {
	t.Helper()
	rep, err := estimate.Fit(context.Background(), m, &estimate.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	if !rep.Converged {
		t.Errorf("not converged: %s", rep.Message)
	}
	t.Logf("%s: %d iterations from start %d, %.2f s, %q", rep.Status, rep.Iterations, rep.Start, rep.Seconds, rep.Warnings)
	nu = math.Inf(1)
	if len(rep.Estimate) == 2 {
		nu = rep.Estimate[1].Value
	}
	p := rep.Estimate[0]
	return mat.NewSymDense(p.Shape[0], slices.Clone(p.Entries)), nu
}

// TestCopulaDegreesOfFreedom holds the gradient in lognu, which goes through the quantiles of every observation,
// against differences of the loss.
func TestCopulaDegreesOfFreedom(t *testing.T) {
	for _, d := range []int{2, 5, 20} {
		rng := rand.New(rand.NewPCG(52, uint64(d)))
		c := newCopula(d, 40*d, 5, rng)
		m := c.on(t, "tcopula")
		for _, nu := range []float64{0.7, 1.5, 2.05, 2.5, 4, 9, 60, 3000} {
			z := coordinates(c.r, nu)
			lognu := len(z) - 1
			want := ridders(0.2, func(h float64) float64 {
				at := slices.Clone(z)
				at[lognu] += h
				return m.Loss(at)
			})
			a := answersAt(m, z)
			for _, got := range []float64{a.c[lognu], a.only[lognu], a.v[lognu] * 0.1} { // 0.1 is the metric
				// The log-gamma functions of 1500 have an ulp of 2e-12, which differences divide by their steps.
				if !near(got, want, 5e-4, 1e-6) {
					t.Errorf("d = %d, nu = %v: the derivative in lognu is %v, by differences %v", d, nu, got, want)
				}
			}
		}
	}
}

// TestCopulaRecovered fits data drawn from a t copula. The tolerances are sampling errors. For large n the estimate of
// a correlation rho has the standard deviation (1 - rho^2) sqrt((nu + d + 2)/((nu + d) n)), that of an elliptical
// distribution with unknown scales; scales that are known, as here, make it smaller. That of lognu is at least what the
// curvature of the loss says. The largest of some hundred errors is below 5 of them, and their root mean square below
// 1.2.
func TestCopulaRecovered(t *testing.T) {
	for _, d := range []int{20, 50} {
		t.Run(fmt.Sprint(d), func(t *testing.T) { checkRecovered(t, d, 1000) })
	}
}

func checkRecovered(t *testing.T, d, n int) {
	rng := rand.New(rand.NewPCG(53, uint64(d)))
	c := newCopula(d, n, 5, rng)
	for i := range c.w {
		c.w[i] = 1
	}
	m := c.on(t, "tcopula")
	r, nu := fitted(t, m)
	worst, squares, pairs := 0.0, 0.0, 0.0
	for i := range d {
		for j := range i {
			rho := c.r.At(i, j)
			sd := (1 - rho*rho) * math.Sqrt((c.nu+float64(d)+2)/((c.nu+float64(d))*float64(n)))
			e := (r.At(i, j) - rho) / sd
			worst, squares, pairs = max(worst, math.Abs(e)), squares+e*e, pairs+1
		}
	}
	rms := math.Sqrt(squares / pairs)
	if !(worst <= 5 && rms <= 1.2 && rms >= 0.3) {
		t.Errorf("the correlations are off by up to %.2f standard deviations, %.2f in the mean", worst, rms)
	}
	z := coordinates(r, nu)
	end := len(z) - 1
	curvature := ridders(0.1, func(h float64) float64 {
		at := slices.Clone(z)
		at[end] += h
		return answersAt(m, at).c[end]
	})
	sd := 1 / math.Sqrt(float64(n)*curvature)
	e := (z[end] - math.Log(c.nu)) / sd
	if !(math.Abs(e) <= 4) {
		t.Errorf("nu = %v is off by %.2f standard deviations", nu, e)
	}
	t.Logf("d = %d: correlations off by %.2f standard deviations at most, %.2f in the mean; nu = %.3f, off by %.2f of %.3f "+
		"in lognu", d, worst, rms, nu, e, sd)
}
