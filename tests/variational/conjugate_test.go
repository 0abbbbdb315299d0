package variational_test

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/sngdgen/sngdgen/generated/linearregression"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/estimate"
)

// regression is a data set of a line with errors of variance 1 and prior of precision 1.
type regression struct {
	rows      [][]float64
	posterior distribution
}

func newRegression(n, d int) regression {
	rng := runtime.Stream(3, "regression")
	truth, r := []float64{0.5, -1, 0.8}, regression{}
	precision := mat.NewSymDense(d, nil)
	moment := make([]float64, d)
	for i := range d {
		precision.SetSym(i, i, 1)
	}
	for range n {
		row := make([]float64, d+1)
		row[d] = rng.NormFloat64()
		for j := range d {
			row[j] = 0.7*rng.NormFloat64() + 0.5
			row[d] += truth[j] * row[j]
		}
		precision.SymRankOne(precision, 1, mat.NewVecDense(d, row[:d]))
		for j := range d {
			moment[j] += row[j] * row[d]
		}
		r.rows = append(r.rows, row)
	}
	scale := inverse(1, precision)
	r.posterior = distribution{times(scale, moment), scale, nil}
	return r
}

// evidence is the density of y, which is normal with covariance I + X X'.
func (r regression) evidence() float64 {
	n, d := len(r.rows), len(r.posterior.location)
	c, y := mat.NewSymDense(n, nil), mat.NewVecDense(n, nil)
	for i, a := range r.rows {
		y.SetVec(i, a[d])
		for j, b := range r.rows[:i+1] {
			v := 0.0
			for k := range d {
				v += a[k] * b[k]
			}
			if i == j {
				v++
			}
			c.SetSym(i, j, v)
		}
	}
	_, logDet, _ := root(c)
	p := inverse(1, c)
	return -(mat.Inner(y, p, y) + logDet + float64(n)*math.Log(2*math.Pi)) / 2
}

// density is that of data and coefficients.
func (r regression) density(z []float64) float64 {
	sum := -float64(len(z)+len(r.rows)) * math.Log(2*math.Pi) / 2
	for _, v := range z {
		sum -= v * v / 2
	}
	for _, row := range r.rows {
		f := row[len(z)]
		for j, v := range z {
			f -= row[j] * v
		}
		sum -= f * f / 2
	}
	return sum
}

func (r regression) model(t *testing.T) *linearregression.Model {
	t.Helper()
	m, err := linearregression.New(dataOf(r.rows, nil))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestConjugateSteps: natural gradients at any approximation are, in expectation, the natural parameters less those of
// the posterior, so that the averages of runs have the natural parameters of the posterior as their expectation.
func TestConjugateSteps(t *testing.T) {
	r := newRegression(25, 3)
	want := r.posterior.natural()
	for _, batch := range []int{0, 5} {
		got := make([]sample, len(want))
		m := r.model(t)
		for seed := range 24 {
			z := make([]float64, len(want))
			if err := m.Start(z, 0, nil); err != nil {
				t.Fatal(err)
			}
			res, err := runtime.Descend(t.Context(), m, z, &runtime.Stochastic{
				Seed: uint64(seed), Step: runtime.Constant{Step: 0.05}, MaxSteps: 1500, Average: 0.5,
				Batch: batch, Rows: len(r.rows),
			})
			if err != nil || res.Averaged == 0 || res.Halvings > 0 {
				t.Fatal(err, res)
			}
			for i, x := range res.Z {
				got[i].add(x)
			}
		}
		for i := range got {
			got[i].check(t, fmt.Sprintf("batch %d, natural parameter %d", batch, i), want[i])
		}
	}
}

// TestConjugateBound: at the posterior the bound is the evidence, and so is every weight; near by the bound is as by
// quadrature, and importance sampling knows the evidence.
func TestConjugateBound(t *testing.T) {
	for d := 1; d <= 3; d++ {
		r := newRegression(25, d)
		m, want := r.model(t), r.evidence()
		z := r.posterior.natural()
		e, err := runtime.ELBO(m, z, 2000, 1)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(e.Mean-want) > 1e-9 || math.Abs(e.LogEvidence-want) > 1e-9 || e.StandardError > 1e-9 {
			t.Errorf("%+v at the posterior, evidence %v", e, want)
		}
		z[0] += 0.1 * math.Abs(z[0]) // near by
		if e, err = runtime.ELBO(m, z, 20000, 1); err != nil {
			t.Fatal(err)
		}
		near := ofNatural(d, z)
		exact := near.bound(r.density, 0.5)
		if !(math.Abs(e.Mean-exact) < 5*e.StandardError) || !(exact < want) {
			t.Errorf("%+v, exactly %v, evidence %v", e, exact, want)
		}
		if !(e.KHat < 0.3) || !e.Reliable() || !(math.Abs(e.LogEvidence-want) < 0.02) {
			t.Errorf("%+v, evidence %v", e, want)
		}
	}
}

// TestConjugateFit: the fit is the posterior.
func TestConjugateFit(t *testing.T) {
	r := newRegression(25, 2)
	want := r.evidence()
	for seed := range uint64(4) {
		a, err := estimate.Approximate(t.Context(), r.model(t), &estimate.Settings{Seed: seed})
		if err != nil || !a.Complete() || len(a.Warnings) > 0 {
			t.Fatal(err, a)
		}
		compareMoments(t, "fit", a, r.posterior.location, r.posterior.scale, 0.05, 0.07)
		if got := float64(a.ELBO.Mean); !(got > want-0.01 && got < want+4*float64(a.ELBO.StandardError)) {
			t.Errorf("bound %v, evidence %v", got, want)
		}
		if !(float64(a.ELBO.KHat) < 0.3) || a.ELBO.Ratios != estimate.RatiosReliable || !(math.Abs(float64(a.ELBO.LogEvidence)-want) < 0.01) {
			t.Errorf("%+v, evidence %v", a.ELBO, want)
		}
	}
}

// compareMoments compares the posterior of a fit with mean and covariance, in standard deviations.
func compareMoments(
	t *testing.T, what string, a *estimate.Approximation, mean []float64, covariance mat.Symmetric, ofMean, ofCovariance float64,
) {
	t.Helper()
	for i := range mean {
		sd := math.Sqrt(covariance.At(i, i))
		if got := (a.Posterior.Mean[0].Entries[i] - mean[i]) / sd; !(math.Abs(got) < ofMean) {
			t.Errorf("%s: mean %d is off by %.4f standard deviations", what, i, got)
		}
		for j := range i + 1 {
			scale := sd * math.Sqrt(covariance.At(j, j))
			got := (float64(a.Posterior.Covariance[i][j]) - covariance.At(i, j)) / scale
			if !(math.Abs(got) < ofCovariance) {
				t.Errorf("%s: covariance %d, %d is off by %.4f", what, i, j, got)
			}
		}
	}
}
