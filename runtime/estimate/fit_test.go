package estimate_test

import (
	"context"
	"encoding/json"
	"math"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/sngdgen/sngdgen/internal/fitfixture"
	"github.com/sngdgen/sngdgen/runtime"
	_ "github.com/sngdgen/sngdgen/runtime/baseline/general" // the methods of gonum
	"github.com/sngdgen/sngdgen/runtime/estimate"
)

func sheep() *fitfixture.NegBin { return fitfixture.NewNegBin(fitfixture.SheepData()) }

func near(t testing.TB, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol*math.Abs(want)) {
		t.Errorf("%s = %.17g, want %.17g (relative difference %.2g)", what, got, want, got/want-1)
	}
}

func TestSheepEveryMethod(t *testing.T) {
	m := sheep()
	for _, method := range estimate.Methods {
		if method == "adam" {
			continue // TestSheepStochastic
		}
		t.Run(method, func(t *testing.T) {
			rep, err := estimate.Find(context.Background(), m, estimate.Settings{Method: method, Starts: 11, Seed: 3})
			if err != nil {
				t.Fatal(err)
			}
			near(t, "r", rep.Estimate.Get("r"), fitfixture.SheepR, 1e-10)
			near(t, "s", rep.Estimate.Get("s"), fitfixture.SheepS, 1e-10)
			near(t, "log-likelihood", float64(rep.LogLikelihood), fitfixture.SheepLogLikelihood, 1e-12)
			if !rep.Converged || len(rep.Warnings) != 0 {
				t.Errorf("%v %q, warnings %q", rep.Status, rep.Message, rep.Warnings)
			}
			if len(rep.Optima) != 1 || rep.Optima[0].Count != 11 {
				t.Errorf("optima %+v", rep.Optima)
			}
			t.Logf("%s: %d iterations, %d evaluations, %v", rep.Method, rep.Iterations, rep.Evaluations, rep.Status)
		})
	}
}

func TestReport(t *testing.T) {
	rep, err := estimate.Find(context.Background(), sheep(), estimate.Settings{Level: 0.95})
	if err != nil {
		t.Fatal(err)
	}
	if rep.Method != "nlbfgs" || rep.N != 82 || rep.Rows != 26 || rep.Distinct != 21 {
		t.Errorf("%+v", rep)
	}
	near(t, "aic", float64(rep.AIC), 4-2*fitfixture.SheepLogLikelihood, 1e-12)
	near(t, "bic", float64(rep.BIC), 2*math.Log(82)-2*fitfixture.SheepLogLikelihood, 1e-12)
	text, err := json.Marshal(rep)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"parameters":{"r":1.777476160`, `"standard_errors":{"r":`, `"status":"gradient converged"`,
		`"intervals":{"r":[`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %s in %s", want, text)
		}
	}
}

// The standard errors must agree with the curvature of the log-likelihood by differences.
func TestStandardErrors(t *testing.T) {
	m := sheep()
	rep, err := estimate.Find(context.Background(), m, estimate.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	u := m.Unconstrained()
	ll := func(r, s float64) float64 {
		x := make([]float64, 2)
		u.FromTheta(x, []float64{r, s})
		return 82 * u.Loss(x)
	}
	r, s := fitfixture.SheepR, fitfixture.SheepS
	const hr, hs = 1e-3, 1e-4
	rr := (ll(r+hr, s) - 2*ll(r, s) + ll(r-hr, s)) / (hr * hr)
	ss := (ll(r, s+hs) - 2*ll(r, s) + ll(r, s-hs)) / (hs * hs)
	rs := (ll(r+hr, s+hs) - ll(r+hr, s-hs) - ll(r-hr, s+hs) + ll(r-hr, s-hs)) / (4 * hr * hs)
	det := rr*ss - rs*rs
	near(t, "se r", rep.StdErr.Get("r"), math.Sqrt(ss/det), 1e-4)
	near(t, "se s", rep.StdErr.Get("s"), math.Sqrt(rr/det), 1e-4)
}

func TestDeterministic(t *testing.T) {
	var first string
	for range 5 {
		rep, err := estimate.Find(context.Background(), sheep(), estimate.Settings{Method: "sngd", Starts: 20, Seed: 11})
		if err != nil {
			t.Fatal(err)
		}
		rep.Seconds = 0
		text, _ := json.Marshal(rep)
		if first == "" {
			first = string(text)
		}
		if string(text) != first {
			t.Fatalf("two runs differ:\n%s\n%s", first, text)
		}
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct {
		req  estimate.Settings
		want string
	}{
		{estimate.Settings{Method: "adm"}, `unknown method "adm": choose one of auto, exact, saa, ep, sngd, nlbfgs, gd, adam, bfgs, lbfgs, cg, newton, ngd, ngd-g`},
		{estimate.Settings{LineSearch: "armijo"}, `unknown line search "armijo": choose one of exact, grid, wolfe, backtracking, constant`},
		{estimate.Settings{Method: "bfgs", LineSearch: "grid"}, "method bfgs has a line search of its own"},
		{estimate.Settings{Level: 95}, "confidence level 95 is not between 0 and 1"},
		{estimate.Settings{GradientTolerance: math.NaN()}, "the tolerance NaN is not a positive number"},
		{estimate.Settings{Method: "bfgs", Root: "square"}, `unknown root "square": choose one of covariance-cholesky, covariance-root, precision-cholesky, precision-root`},
		{estimate.Settings{Root: "covariance-root"}, "the root of a matrix is for methods in unconstrained coordinates: gd, adam, bfgs, lbfgs and cg"},
		{estimate.Settings{Method: "sngd", Root: "covariance-root"}, "the root of a matrix is for methods in unconstrained coordinates: gd, adam, bfgs, lbfgs and cg"},
		{estimate.Settings{Method: "nlbfgs", Stochastic: estimate.Stochastic{Batch: 5}}, "batches, steps, epochs, rates and schedules are for the methods sngd, gd and adam, not for nlbfgs"},
		{estimate.Settings{LineSearch: "grid", Stochastic: estimate.Stochastic{Steps: 5}}, "a line search has no place where the steps are scheduled"},
		{estimate.Settings{Method: "adam", MaxIterations: 5}, "where the steps are scheduled a run ends after so many steps or epochs, not by a tolerance or a limit of iterations"},
		{estimate.Settings{Stochastic: estimate.Stochastic{Batch: -1}}, "the numbers of rows in a batch and of steps cannot be negative"},
		{estimate.Settings{Stochastic: estimate.Stochastic{Batch: 27}}, "a batch of 27 rows is larger than the data, which have 26"},
		{estimate.Settings{Stochastic: estimate.Stochastic{Replace: true}}, "rows are drawn with replacement for batches only: how many rows has one?"},
		{estimate.Settings{Stochastic: estimate.Stochastic{Schedule: "step"}}, `unknown schedule "step": choose one of decay, constant, cosine`},
		{estimate.Settings{Stochastic: estimate.Stochastic{Optimizer: "lion"}}, `unknown optimiser "lion": choose one of adam, amsgrad, adagrad, rmsprop, sgd`},
		{estimate.Settings{Method: "gd", Stochastic: estimate.Stochastic{Optimizer: "sgd"}}, "the optimiser is that of the auxiliary parameters of sngd: gd has its rate only"},
		{estimate.Settings{Stochastic: estimate.Stochastic{Rate: math.NaN()}}, "the rate cannot be NaN"},
		{estimate.Settings{Stochastic: estimate.Stochastic{Epochs: -1}}, "the number of epochs cannot be -1"},
		{estimate.Settings{Stochastic: estimate.Stochastic{OptimizerRate: math.Inf(1)}}, "the rate of the optimiser cannot be +Inf"},
		{estimate.Settings{Starts: -1}, "the numbers of starts and iterations cannot be negative"},
	} {
		rep, err := estimate.Find(context.Background(), sheep(), c.req)
		if rep != nil || err == nil || err.Error() != c.want {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}

// uninformed hides the Fisher matrix.
type uninformed struct{ runtime.Model }

func TestUninformed(t *testing.T) {
	_, err := estimate.Find(context.Background(), uninformed{sheep()}, estimate.Settings{Method: "ngd"})
	if err == nil || err.Error() != "method ngd needs the Fisher matrix of the target, which negbin does not offer" {
		t.Error(err)
	}
}

// Data with a variance below the mean have no moment start; the likelihood then grows without end in r.
func TestStartFallsBack(t *testing.T) {
	m := fitfixture.NewNegBin(runtime.Data{Values: []float64{3, 4, 4, 5, 3, 4}})
	rep, err := estimate.Find(context.Background(), m, estimate.Settings{MaxIterations: 200})
	if err != nil {
		t.Fatal(err)
	}
	if len(rep.Warnings) == 0 || !strings.HasPrefix(rep.Warnings[0], "start 0 does not work on these data (the variance does not exceed the mean)") {
		t.Errorf("warnings %q", rep.Warnings)
	}
	t.Logf("%v: %s, %v", rep.Status, rep.Message, rep.Estimate)
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, method := range []string{"sngd", "bfgs"} {
		rep, err := estimate.Find(ctx, sheep(), estimate.Settings{Method: method})
		if err != nil {
			t.Fatalf("%s: %v", method, err)
		}
		if rep.Status != runtime.Cancelled || rep.Message != "context canceled" {
			t.Errorf("%s: %v %q", method, rep.Status, rep.Message)
		}
	}
}

// Starts are not handed out once the context is done, however many were asked for.
func TestCancelledBetweenStarts(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	m := cancelling{sheep(), new(atomic.Int64), cancel}
	m.left.Store(500) // evaluations: some starts have come to their end by then
	rep, err := estimate.Find(ctx, m, estimate.Settings{Starts: 1 << 40})
	if err != nil {
		t.Fatal(err)
	}
	if len(rep.Warnings) == 0 || !strings.HasPrefix(rep.Warnings[0], "stopped after ") {
		t.Errorf("warnings %q", rep.Warnings)
	}
	near(t, "r", rep.Estimate.Get("r"), fitfixture.SheepR, 1e-10)
}

// cancelling cancels a context after so many evaluations, of all its clones together.
type cancelling struct {
	*fitfixture.NegBin
	left   *atomic.Int64
	cancel context.CancelFunc
}

func (c cancelling) Clone() runtime.Model {
	return cancelling{c.NegBin.Clone().(*fitfixture.NegBin), c.left, c.cancel}
}

func (c cancelling) Gradients(v, covector, z []float64) float64 {
	if c.left.Add(-1) == 0 {
		c.cancel()
	}
	return c.NegBin.Gradients(v, covector, z)
}
