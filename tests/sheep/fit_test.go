package sheep_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sngdgen/sngdgen/generated/negbin"
	"github.com/sngdgen/sngdgen/generated/negbinnat"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/baseline"
	_ "github.com/sngdgen/sngdgen/runtime/baseline/general" // the methods of gonum
	"github.com/sngdgen/sngdgen/runtime/estimate"
	"github.com/sngdgen/sngdgen/tests/sheep"
)

// pinned is a model whose only start is a given point, so that package fit starts from there.
type pinned struct {
	baseline.InformedModel
	z []float64
}

func (p pinned) Start(z []float64, _ int, _ *rand.Rand) error { copy(z, p.z); return nil }
func (p pinned) Clone() runtime.Model {
	return pinned{p.InformedModel.Clone().(baseline.InformedModel), p.z}
}

// fits are methods and line searches; "" is the line search of the method. Missing is natural gradient descent under the
// target in (log r, logit s) from the step 1: from one start (r = 5.9, s = 0.88) its first steps go to where the negative
// binomial is all but a Poisson distribution, r above 1e16, and backtracking takes them because the loss is lower there.
var fits = []struct{ method, search string }{
	{"sngd", "exact"}, {"sngd", "grid"}, {"sngd", "backtracking"}, {"sngd", "constant"}, {"sngd", "wolfe"},
	{"nlbfgs", "wolfe"}, {"nlbfgs", "exact"}, {"nlbfgs", "backtracking"},
	{"ngd-g", "exact"}, {"ngd-g", "backtracking"},
	{"gd", "exact"}, {"gd", "backtracking"}, {"bfgs", ""}, {"lbfgs", ""}, {"cg", ""}, {"newton", ""}, {"ngd", "exact"},
}

// TestFit: every method finds the estimates of other programs from every start of the paper: r and s to 10 digits, the
// log-likelihood to 12.
func TestFit(t *testing.T) {
	m, err := negbin.New(sheep.Ticks())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range fits {
		t.Run(f.method+"-"+f.search, func(t *testing.T) { fromAllStarts(t, m, f.method, f.search) })
	}
}

// TestFitNatural: the same in natural coordinates of the surrogate, for the methods that use them.
func TestFitNatural(t *testing.T) {
	m, err := negbinnat.New(sheep.Ticks())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range fits[:10] {
		t.Run(f.method+"-"+f.search, func(t *testing.T) { fromAllStarts(t, m, f.method, f.search) })
	}
}

func fromAllStarts(t *testing.T, m baseline.InformedModel, method, search string) {
	worst, most := 0.0, 0
	for i := range sheep.Starts {
		z, err := sheep.Start(m, i)
		if err != nil {
			t.Fatal(err)
		}
		r, err := estimate.Fit(context.Background(), pinned{m, z}, &estimate.Settings{Method: method, LineSearch: search})
		if err != nil {
			t.Fatalf("start %d: %v", i, err)
		}
		if !r.Converged {
			t.Errorf("start %d: %v after %d iterations", i, r.Message, r.Iterations)
		}
		most = max(most, r.Iterations)
		worst = max(worst, close(t, i, "r", r.Estimate.Get("r"), sheep.R, 1e-10))
		worst = max(worst, close(t, i, "s", r.Estimate.Get("s"), sheep.S, 1e-10))
		close(t, i, "log-likelihood", float64(r.LogLikelihood), sheep.LogLikelihood, 1e-12)
	}
	t.Logf("parameters to %.1e, up to %d iterations", worst, most)
}

// close compares a relative difference and returns it.
func close(t *testing.T, start int, what string, got, want, tolerance float64) float64 {
	t.Helper()
	e := math.Abs(got/want - 1)
	if !(e <= tolerance) {
		t.Errorf("start %d: %s = %.17g, want %.17g (relative difference %.1e)", start, what, got, want, e)
	}
	return e
}
