package estimate_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/sngdgen/sngdgen/generated/linearregression"
	"github.com/sngdgen/sngdgen/generated/logistic"
	"github.com/sngdgen/sngdgen/generated/poissonregression"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/estimate"
)

// Without draws a posterior with more coefficients than rows is fitted to its maximum: its bound is that of many draws, and not
// below that of a fit by draws.
func TestWithoutDraws(t *testing.T) {
	m, err := logistic.New(logits(40, 60))
	if err != nil {
		t.Fatal(err)
	}
	a, err := estimate.Approximate(t.Context(), m, nil)
	if err != nil || a.Method != "exact" || a.Status != runtime.BoundConverged || !(a.Quadrature.Error <= 1e-5) {
		t.Fatalf("%v, %+v", err, a)
	}
	bound, err := runtime.ELBO(m, natural(t, m, a.Theta()), 100_000, 3)
	if err != nil || !(math.Abs(bound.Mean-float64(a.ELBO.Mean)) < 5*bound.StandardError) {
		t.Errorf("%v: bound %v, by draws %v with standard error %v", err, a.ELBO.Mean, bound.Mean, bound.StandardError)
	}
	b, err := estimate.Approximate(t.Context(), m, &estimate.Settings{Method: "saa"})
	if b == nil {
		t.Fatal(err)
	}
	rise, err := runtime.Rise(m, natural(t, m, b.Theta()), natural(t, m, a.Theta()), 20_000, 5)
	if err != nil || !(rise.Mean > -4*rise.StandardError) {
		t.Errorf("%v: a fit by draws is higher by %v, with standard error %v", err, -rise.Mean, rise.StandardError)
	}
	moved := natural(t, m, a.Theta()) // no point beside it is higher
	m.SetNodes(a.Quadrature.Nodes)
	best := m.ExactLoss(moved)
	for i := range 30 {
		old := moved[i]
		moved[i] += 1e-3
		if loss := m.ExactLoss(moved); !(loss > best) {
			t.Errorf("coordinate %d moved: %v is not above %v", i, loss, best)
		}
		moved[i] = old
	}
}

// A linear regression is a normal posterior: one step leads there, and the bound is the evidence.
func TestWithoutDrawsLinear(t *testing.T) {
	data := logits(30, 4)
	m, err := linearregression.New(data)
	if err != nil {
		t.Fatal(err)
	}
	a, err := estimate.Approximate(t.Context(), m, nil)
	if err != nil || a.Method != "exact" || a.Quadrature.Nodes != 0 || a.Steps != 1 {
		t.Fatalf("%v, %+v", err, a)
	}
	// y is normal with mean 0 and covariance I + X X'.
	x, y := mat.NewDense(30, 4, nil), mat.NewVecDense(30, nil)
	for i := range 30 {
		x.SetRow(i, data.Values[5*i:5*i+4])
		y.SetVec(i, data.Values[5*i+4])
	}
	c := mat.NewSymDense(30, nil)
	c.SymOuterK(1, x)
	for i := range 30 {
		c.SetSym(i, i, c.At(i, i)+1)
	}
	var factor mat.Cholesky
	var solved mat.VecDense
	if !factor.Factorize(c) || factor.SolveVecTo(&solved, y) != nil {
		t.Fatal("not positive definite")
	}
	evidence := -(mat.Dot(y, &solved) + factor.LogDet() + 30*math.Log(2*math.Pi)) / 2
	if !(math.Abs(float64(a.ELBO.Mean)-evidence) < 1e-9*math.Abs(evidence)) {
		t.Errorf("bound %v, evidence %v", a.ELBO.Mean, evidence)
	}
}

// Expectations of exponentials are known in closed form.
func TestWithoutDrawsPoisson(t *testing.T) {
	data := logits(50, 5)
	for i := range data.Values {
		if i%6 == 5 {
			data.Values[i] = float64(i % 4)
		}
	}
	m, err := poissonregression.New(data)
	if err != nil {
		t.Fatal(err)
	}
	a, err := estimate.Approximate(t.Context(), m, nil)
	if err != nil || a.Method != "exact" || a.Quadrature.Nodes != 0 || a.Draws != 0 {
		t.Fatalf("%v, %+v", err, a)
	}
	bound, err := runtime.ELBO(m, natural(t, m, a.Theta()), 100_000, 3)
	if err != nil || !(math.Abs(bound.Mean-float64(a.ELBO.Mean)) < 5*bound.StandardError) {
		t.Errorf("%v: bound %v, by draws %v with standard error %v", err, a.ELBO.Mean, bound.Mean, bound.StandardError)
	}
}

// Where a predictor varies by so much that nodes of quadrature are too few, no bound is claimed: the default takes draws, and who
// has asked for quadrature is told.
func TestQuadratureFails(t *testing.T) {
	data := logits(8, 12)
	for i := range data.Values {
		if i%13 < 12 {
			data.Values[i] *= 3000
		}
	}
	m, err := logistic.New(data)
	if err != nil {
		t.Fatal(err)
	}
	a, err := estimate.Approximate(t.Context(), m, &estimate.Settings{Method: "exact"})
	if err == nil || a.Complete() || !strings.Contains(a.Message, "quadrature with 256 nodes leaves the bound uncertain") {
		t.Errorf("%v, %+v", err, a)
	}
	b, err := estimate.Approximate(t.Context(), m, nil)
	if b == nil || b.Method != "saa" || b.Quadrature != nil {
		t.Errorf("%v, %+v", err, b)
	}
}

// TestWithoutDrawsErrors: what has no meaning without draws.
func TestWithoutDrawsErrors(t *testing.T) {
	m, err := logistic.New(logits(20, 2))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		r    estimate.Settings
		want string
	}{
		{estimate.Settings{Method: "exact", Variational: estimate.Variational{Draws: 30}}, "takes no draws"},
		{estimate.Settings{Method: "exact", Stochastic: estimate.Stochastic{Steps: 30}}, "not for exact"},
		{estimate.Settings{Method: "adam"}, "by exact, saa or sngd, not by adam"},
	} {
		if _, err := estimate.Approximate(t.Context(), m, &c.r); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v", c.r, err)
		}
	}
	if !slices.Contains(estimate.Methods, "exact") {
		t.Error("the method has no name")
	}
}
