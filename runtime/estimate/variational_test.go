package estimate_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/sngdgen/sngdgen/internal/fitfixture"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/estimate"
	"github.com/sngdgen/sngdgen/runtime/types"
)

// regressionData are 40 rows of a regression with an intercept.
func regressionData() runtime.Data {
	rng := runtime.Stream(5, "regression")
	out := runtime.Data{Columns: 4}
	for range 40 {
		x, y := rng.NormFloat64(), rng.NormFloat64()
		out.Values = append(out.Values, 1, x, y, 0.5-x+2*y+rng.NormFloat64())
	}
	return out
}

// exact returns mean and covariance of the posterior of a regression.
func exact(t *testing.T, m *fitfixture.Regression) (mean []float64, covariance *mat.SymDense) {
	t.Helper()
	z, theta := make([]float64, 12), make([]float64, 12)
	m.Exact(z)
	m.Theta(theta, z)
	return theta[:3], mat.NewSymDense(3, theta[3:])
}

// TestApproximateRegression: the posterior is among the approximations, so that the fit finds it and its evidence.
func TestApproximateRegression(t *testing.T) {
	m := fitfixture.NewRegression(regressionData())
	mean, covariance := exact(t, m)
	for _, r := range []estimate.Settings{
		{Seed: 1},
		{Seed: 2, Stochastic: estimate.Stochastic{Steps: 2000, Schedule: "cosine"}},
		{Seed: 3, Stochastic: estimate.Stochastic{Batch: 10}},
		{Seed: 4, Variational: estimate.Variational{Draws: 5, EvalDraws: 500}},
	} {
		a, err := estimate.Seek(t.Context(), m, r)
		if err != nil || !a.Complete() || len(a.Warnings) > 0 {
			t.Fatalf("%+v: %v %+v", r, err, a)
		}
		for i, want := range mean {
			sd := math.Sqrt(covariance.At(i, i))
			if got := a.Posterior.Mean[0].Entries[i]; !(math.Abs(got-want) < 0.1*sd) {
				t.Errorf("%+v: mean %d is %v, want %v", r, i, got, want)
			}
			if got := a.Posterior.SD[0].Entries[i]; !(math.Abs(got-sd) < 0.1*sd) {
				t.Errorf("%+v: deviation %d is %v, want %v", r, i, got, sd)
			}
			for j := range mean {
				scale := sd * math.Sqrt(covariance.At(j, j))
				if got := float64(a.Posterior.Covariance[i][j]); !(math.Abs(got-covariance.At(i, j)) < 0.1*scale) {
					t.Errorf("%+v: covariance %d, %d is %v, want %v", r, i, j, got, covariance.At(i, j))
				}
			}
		}
		evidence, bound := m.Evidence(), &a.ELBO
		if got := float64(bound.Mean); !(got < evidence+1e-9+4*float64(bound.StandardError) && got > evidence-0.05) {
			t.Errorf("%+v: bound %v, evidence %v", r, got, evidence)
		}
		if bound.Ratios != estimate.RatiosReliable || !(math.Abs(float64(bound.LogEvidence)-evidence) < 0.02) {
			t.Errorf("%+v: %+v, evidence %v", r, bound, evidence)
		}
	}
	if m.Draws() != 20 {
		t.Error("the model has another number of draws")
	}
}

// TestApproximateReport looks at what a report says, and that the same seed gives the same.
func TestApproximateReport(t *testing.T) {
	dim := runtime.Dim{Size: 2}
	r := estimate.Settings{Seed: 7, Stochastic: estimate.Stochastic{Steps: 300}, Variational: estimate.Variational{Keep: 2500}}
	run := func() *estimate.Approximation {
		m := fitfixture.NewRegression(regressionData())
		m.Latent = []runtime.Parameter{{Name: "a", Type: types.Number.Of(types.Real)}, {Name: "b", Type: types.Vector.Of(types.Real), Shape: []runtime.Dim{dim}}}
		a, err := estimate.SeekOn(t.Context(), m, regressionData(), r)
		if err != nil {
			t.Fatal(err)
		}
		a.Seconds = 0
		return a
	}
	a := run()
	if b := run(); !reflect.DeepEqual(a, b) {
		t.Error("two runs with the same seed differ")
	}
	if a.Steps != 300 || a.Averaged < 150 || a.Status != runtime.IterationLimit || !a.Complete() || a.Draws != 20 || a.ELBO.Draws < 1000 {
		t.Errorf("%+v", a)
	}
	names := []string{"a", "b[1]", "b[2]"}
	if !slices.Equal(a.Posterior.Names, names) || !slices.Equal(a.Sample.Columns, names) || len(a.Sample.Values) != 3*2500 {
		t.Errorf("%v, %v, %d values", a.Posterior.Names, a.Sample.Columns, len(a.Sample.Values))
	}
	for j, want := range []float64{a.Posterior.Mean[0].Value, a.Posterior.Mean[1].Entries[0], a.Posterior.Mean[1].Entries[1]} {
		sum := 0.0
		for i := j; i < len(a.Sample.Values); i += 3 {
			sum += a.Sample.Values[i] / 2500
		}
		if sd := math.Sqrt(float64(a.Posterior.Covariance[j][j])); !(math.Abs(sum-want) < 5*sd/50) {
			t.Errorf("the mean of draws of %s is %v, that of the posterior %v", names[j], sum, want)
		}
	}
	text, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"objective":"vi"`, `"mean":{"a":`, `"b":[`, `"covariance":[[`, `"k_hat":`, `"domain_guard":{"halvings":`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %s in %s", want, text)
		}
	}
	for _, not := range []string{"log_likelihood", "aic", "bic"} {
		if strings.Contains(string(text), not) {
			t.Errorf("%s in %s", not, text)
		}
	}
}

// scattered is a regression with random starts, some of which do not work.
type scattered struct{ *fitfixture.Regression }

func (m scattered) Info() *runtime.Info {
	info := *m.Regression.Info()
	info.RandomStart = true
	return &info
}

func (m scattered) Clone() runtime.Model {
	return scattered{m.Regression.Clone().(*fitfixture.Regression)}
}

func (m scattered) Start(z []float64, i int, rng *rand.Rand) error {
	if err := m.Regression.Start(z, 0, rng); i == 0 || err != nil {
		return err
	}
	for j := range 3 {
		z[j] = rng.NormFloat64()
	}
	if i == 2 {
		z[3] = 1 // outside the domain
	}
	return nil
}

// TestApproximateStarts: runs from several starts are compared by their bounds, and one that fails is a warning.
func TestApproximateStarts(t *testing.T) {
	m := scattered{fitfixture.NewRegression(regressionData())}
	a, err := estimate.Seek(t.Context(), m, estimate.Settings{Starts: 4, Stochastic: estimate.Stochastic{Steps: 400}})
	if err != nil || len(a.Ends) != 3 || a.Start != a.Ends[0].Start || len(a.Warnings) != 1 ||
		!strings.HasPrefix(a.Warnings[0], "1 of 4 starts did not converge (start 2: ") {
		t.Fatalf("%v %+v", err, a)
	}
	for i, e := range a.Ends {
		if i > 0 && e.ELBO > a.Ends[i-1].ELBO+1e-6 || !(math.Abs(float64(e.ELBO)-m.Evidence()) < 0.1) {
			t.Errorf("%+v, evidence %v", a.Ends, m.Evidence())
		}
	}
}

// TestApproximateErrors: requests that make no sense for an evidence lower bound.
func TestApproximateErrors(t *testing.T) {
	m := fitfixture.NewRegression(regressionData())
	for _, c := range []struct {
		r    estimate.Settings
		want string
	}{
		{estimate.Settings{Method: "adam"}, "fit maximises it by saa or sngd, not by adam"},
		{estimate.Settings{Method: "nlbfgs"}, "fit maximises it by saa or sngd, not by nlbfgs"},
		{estimate.Settings{Method: "sngd", LineSearch: "exact"}, "a line search has no place"},
		{estimate.Settings{MaxIterations: 3}, "not by a tolerance or a limit of iterations"},
		{estimate.Settings{GradientTolerance: 1}, "not by a tolerance"},
		{estimate.Settings{Components: 2}, "it has no components to count"},
		{estimate.Settings{WeightFloor: 0.1}, "it has no weights that a floor could hold"},
		{estimate.Settings{Stochastic: estimate.Stochastic{Batch: 41}}, "a batch of 41 rows is larger than the data, which have 40"},
		{estimate.Settings{Variational: estimate.Variational{Draws: -1}}, "cannot be negative"},
		{estimate.Settings{Variational: estimate.Variational{EvalDraws: 10}}, "at least 100"},
	} {
		if a, err := estimate.Seek(t.Context(), m, c.r); err == nil || !strings.Contains(err.Error(), c.want) || a != nil {
			t.Errorf("%+v: %v", c.r, err)
		}
	}
	m.Antithetic = true
	if _, err := estimate.Seek(t.Context(), m, estimate.Settings{Variational: estimate.Variational{Draws: 3}}); err == nil {
		t.Error("3 antithetic draws were made")
	}
	if _, err := estimate.Find(t.Context(), m, estimate.Settings{}); err == nil || !strings.Contains(err.Error(), "evidence lower bound") {
		t.Errorf("a likelihood was maximised: %v", err)
	}
}
