package estimate_test

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/sngdgen/sngdgen/generated/gamma"
	"github.com/sngdgen/sngdgen/generated/logistic"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/estimate"
)

// refined is a model whose density has an integral, which a finer rule finds to be another by so much in total log-likelihood.
type refined struct {
	runtime.Model
	by    float64
	kinds []string
}

func (r refined) Clone() runtime.Model { return refined{r.Model.Clone(), r.by, r.kinds} }

func (r refined) Info() *runtime.Info {
	info := *r.Model.Info()
	info.Approximated = r.kinds
	return &info
}

func (r refined) FinerLoss(theta []float64) float64 {
	u := make([]float64, r.Unconstrained().Dim())
	r.Unconstrained().FromTheta(u, theta)
	_, _, n := r.Counts()
	return r.Unconstrained().Loss(u) - r.by/n
}

// TestFinerRules: a maximum of a likelihood that a finer rule says is another one is none, in either direction, and where it has no value.
func TestFinerRules(t *testing.T) {
	values := []float64{1.3, 0.4, 2.2, 3.1, 0.9, 1.8, 2.7, 0.6, 1.1, 4.2}
	both := []string{"integral", "series"}
	for _, c := range []struct {
		by       float64
		kinds    []string
		resolved bool
	}{
		{0, both, true}, {0.009, both, true}, {0.02, both, false}, {-0.02, both, false}, {math.NaN(), both[:1], false}, {1, nil, true},
	} {
		rep, err := estimate.Fit(context.Background(), refined{must(gamma.New(values)), c.by, c.kinds}, nil)
		if rep == nil || rep.Converged != c.resolved || (err == nil) != c.resolved {
			t.Fatalf("%v: %+v, %v", c, rep, err)
		}
		if finer := float64(rep.FinerLogLikelihood); len(c.kinds) == 0 && finer != 0 ||
			len(c.kinds) > 0 && !(math.Abs(finer-float64(rep.LogLikelihood)-c.by) < 1e-9) && !math.IsNaN(c.by) {
			t.Errorf("%v: log-likelihood %v, %v by finer rules", c, rep.LogLikelihood, rep.FinerLogLikelihood)
		}
		if c.resolved {
			continue
		}
		if rep.Status != runtime.Unresolved || !math.IsNaN(float64(rep.AIC)) || rep.StdErr != nil {
			t.Errorf("%v: %v, AIC %v, standard errors %v", c, rep.Status, rep.AIC, rep.StdErr)
		}
		if got := strings.Contains(rep.Message, "by finer rules for its integrals"); !got {
			t.Error(rep.Message)
		}
		for _, part := range []string{"integral(u in (a, b), f, 4)", "a series is the sum of its first terms"}[:len(c.kinds)] {
			if !strings.Contains(rep.Message, part) {
				t.Errorf("no %q in %s", part, rep.Message)
			}
		}
	}
}

// refinedBound is a posterior whose bound a finer rule finds to be another by so much.
type refinedBound struct {
	runtime.Variational
	by    float64
	kinds []string
}

func (r refinedBound) Clone() runtime.Model {
	return refinedBound{r.Variational.Clone().(runtime.Variational), r.by, r.kinds}
}

func (r refinedBound) Info() *runtime.Info {
	info := *r.Variational.Info()
	info.Approximated = r.kinds
	return &info
}

func (r refinedBound) FinerWeights(dst, z []float64) {
	r.Weights(dst, z)
	for i := range dst {
		dst[i] += r.by
	}
}

// TestFinerBound: a bound that a finer rule says is another one has not converged, in either direction, and where it has no value.
func TestFinerBound(t *testing.T) {
	rows := []float64{1, 0, 1, 1, -1, 0, -1, 1, 0.5, 0, -0.5, 1, 2, 1, -2, 0} // of so many that the approximation is close enough for an evidence
	m := must(logistic.New(runtime.Data{Values: slices.Repeat(rows, 100), Columns: 2}))
	settings := func() *estimate.Settings {
		return &estimate.Settings{Variational: estimate.Variational{EvalDraws: 4000}}
	}
	for _, c := range []struct {
		by       float64
		kinds    []string
		resolved bool
	}{
		{0, []string{"series"}, true}, {0.009, []string{"series"}, true}, {0.02, []string{"series"}, false}, {-0.02, []string{"integral"}, false},
		{math.NaN(), []string{"integral"}, false}, {1, nil, true},
	} {
		a, err := estimate.Approximate(context.Background(), refinedBound{m, c.by, c.kinds}, settings())
		if a == nil || a.Converged != c.resolved || (err == nil) != c.resolved {
			t.Fatalf("%v: %+v, %v", c, a, err)
		}
		if e := a.ELBO; len(c.kinds) == 0 && e.FinerMean != 0 || len(c.kinds) > 0 && !(math.Abs(float64(e.FinerMean-e.Mean)-c.by) < 1e-9) && !math.IsNaN(c.by) {
			t.Errorf("%v: %v, %v by finer rules", c, e.Mean, e.FinerMean)
		}
		if a.Status == runtime.Unresolved == c.resolved || math.IsNaN(float64(a.ELBO.LogEvidence)) == c.resolved {
			t.Errorf("%v: %v, evidence %v", c, a.Status, a.ELBO.LogEvidence)
		}
	}
	// A run that was given its length has not come to the end that it was meant to have either.
	s := settings()
	s.Method, s.MaxIterations, s.Stochastic.Steps = "sngd", 0, 5
	a, _ := estimate.Approximate(context.Background(), refinedBound{m, 1, []string{"series"}}, s)
	if a == nil || a.Complete() || a.Status != runtime.Unresolved {
		t.Errorf("%+v", a)
	}
}
