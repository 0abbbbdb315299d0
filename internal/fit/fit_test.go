package fit_test

import (
	"context"
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/sngdgen/sngdgen/internal/fit"
	"github.com/sngdgen/sngdgen/internal/fitfixture"
	"github.com/sngdgen/sngdgen/runtime"
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
	for _, method := range fit.Methods {
		if method == "adam" {
			continue // TestSheepStochastic
		}
		t.Run(method, func(t *testing.T) {
			rep, err := fit.Run(context.Background(), m, fit.Request{Method: method, Starts: 11, Seed: 3})
			if err != nil {
				t.Fatal(err)
			}
			near(t, "r", rep.Parameters.Get("r"), fitfixture.SheepR, 1e-10)
			near(t, "s", rep.Parameters.Get("s"), fitfixture.SheepS, 1e-10)
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
	rep, err := fit.Run(context.Background(), sheep(), fit.Request{Level: 0.95})
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
	rep, err := fit.Run(context.Background(), m, fit.Request{})
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
	near(t, "se r", rep.StandardErrors.Get("r"), math.Sqrt(ss/det), 1e-4)
	near(t, "se s", rep.StandardErrors.Get("s"), math.Sqrt(rr/det), 1e-4)
}

func TestDeterministic(t *testing.T) {
	var first string
	for range 5 {
		rep, err := fit.Run(context.Background(), sheep(), fit.Request{Method: "sngd", Starts: 20, Seed: 11})
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
		req  fit.Request
		want string
	}{
		{fit.Request{Method: "adm"}, `unknown method "adm": choose one of auto, sngd, nlbfgs, gd, adam, bfgs, lbfgs, cg, newton, ngd, ngd-g`},
		{fit.Request{LineSearch: "armijo"}, `unknown line search "armijo": choose one of exact, grid, wolfe, backtracking, constant`},
		{fit.Request{Method: "bfgs", LineSearch: "grid"}, "method bfgs has a line search of its own"},
		{fit.Request{Level: 95}, "confidence level 95 is not between 0 and 1"},
		{fit.Request{GradientTolerance: math.NaN()}, "the tolerance NaN is not a positive number"},
		{fit.Request{Method: "bfgs", Root: "square"}, `unknown root "square": choose one of covariance-cholesky, covariance-root, precision-cholesky, precision-root`},
		{fit.Request{Root: "covariance-root"}, "the root of a matrix is for methods in unconstrained coordinates: gd, adam, bfgs, lbfgs and cg"},
		{fit.Request{Method: "sngd", Root: "covariance-root"}, "the root of a matrix is for methods in unconstrained coordinates: gd, adam, bfgs, lbfgs and cg"},
		{fit.Request{Method: "nlbfgs", Stochastic: fit.Stochastic{Batch: 5}}, "batches, steps, epochs, rates and schedules are for the methods sngd, gd and adam, not for nlbfgs"},
		{fit.Request{LineSearch: "grid", Stochastic: fit.Stochastic{Steps: 5}}, "a line search has no place where the steps are scheduled"},
		{fit.Request{Method: "adam", MaxIterations: 5}, "where the steps are scheduled a run ends after so many steps or epochs, not by a tolerance or a limit of iterations"},
		{fit.Request{Stochastic: fit.Stochastic{Batch: -1}}, "the numbers of rows in a batch and of steps cannot be negative"},
		{fit.Request{Stochastic: fit.Stochastic{Batch: 27}}, "a batch of 27 rows is larger than the data, which have 26"},
		{fit.Request{Stochastic: fit.Stochastic{Replace: true}}, "rows are drawn with replacement for batches only: how many rows has one?"},
		{fit.Request{Stochastic: fit.Stochastic{Schedule: "step"}}, `unknown schedule "step": choose one of decay, constant, cosine`},
		{fit.Request{Stochastic: fit.Stochastic{Optimizer: "lion"}}, `unknown optimiser "lion": choose one of adam, amsgrad, adagrad, rmsprop, sgd`},
		{fit.Request{Method: "gd", Stochastic: fit.Stochastic{Optimizer: "sgd"}}, "the optimiser is that of the auxiliary parameters of sngd: gd has its rate only"},
		{fit.Request{Stochastic: fit.Stochastic{Rate: math.NaN()}}, "the rate cannot be NaN"},
		{fit.Request{Stochastic: fit.Stochastic{Epochs: -1}}, "the number of epochs cannot be -1"},
		{fit.Request{Stochastic: fit.Stochastic{OptimizerRate: math.Inf(1)}}, "the rate of the optimiser cannot be +Inf"},
		{fit.Request{Starts: -1}, "the numbers of starts and iterations cannot be negative"},
	} {
		rep, err := fit.Run(context.Background(), sheep(), c.req)
		if rep != nil || err == nil || err.Error() != c.want {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}

// uninformed hides the Fisher matrix.
type uninformed struct{ runtime.Model }

func TestUninformed(t *testing.T) {
	_, err := fit.Run(context.Background(), uninformed{sheep()}, fit.Request{Method: "ngd"})
	if err == nil || err.Error() != "method ngd needs the Fisher matrix of the target, which negbin does not offer" {
		t.Error(err)
	}
}

// Data with a variance below the mean have no moment start; the likelihood then grows without end in r.
func TestStartFallsBack(t *testing.T) {
	m := fitfixture.NewNegBin(runtime.Data{Values: []float64{3, 4, 4, 5, 3, 4}})
	rep, err := fit.Run(context.Background(), m, fit.Request{MaxIterations: 200})
	if err != nil {
		t.Fatal(err)
	}
	if len(rep.Warnings) == 0 || !strings.HasPrefix(rep.Warnings[0], "start 0 does not work on these data (the variance does not exceed the mean)") {
		t.Errorf("warnings %q", rep.Warnings)
	}
	t.Logf("%v: %s, %v", rep.Status, rep.Message, rep.Parameters)
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, method := range []string{"sngd", "bfgs"} {
		rep, err := fit.Run(ctx, sheep(), fit.Request{Method: method})
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
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	rep, err := fit.Run(ctx, sheep(), fit.Request{Starts: 1 << 40})
	if err != nil {
		t.Fatal(err)
	}
	if len(rep.Warnings) == 0 || !strings.HasPrefix(rep.Warnings[0], "stopped after ") {
		t.Errorf("warnings %q", rep.Warnings)
	}
	near(t, "r", rep.Parameters.Get("r"), fitfixture.SheepR, 1e-10)
}
