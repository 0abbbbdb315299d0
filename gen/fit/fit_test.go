package fit

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/sngdgen/sngdgen/gen/engine"
	"github.com/sngdgen/sngdgen/internal/diag"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/estimate"
)

const heights = `
package: heights
target: normal
surrogate: normal
step: mean
map: {mu: mu, sigma2: sigma2}
start: {mu: 0, sigma2: 1}
objective: mle
`

func open(t testing.TB, text string) *Problem {
	t.Helper()
	p, _, err := Open(t.Context(), Source{Text: text})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func columns(t testing.TB, weights []float64, list ...[]float64) runtime.Data {
	t.Helper()
	d, err := Columns(weights, list...)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// A normal distribution is fitted by the mean and the variance of the data, and somebody is told how.
func TestFit(t *testing.T) {
	var points []estimate.Progress
	s := &estimate.Settings{Progress: func(p estimate.Progress) { points = append(points, p) }}
	a, err := open(t, heights).Fit(t.Context(), columns(t, []float64{1, 2, 1}, []float64{1, 2, 7}), s)
	if err != nil {
		t.Fatal(err)
	}
	theta := a.Likelihood.Theta()
	if !a.Likelihood.Complete() || math.Abs(theta[0]-3) > 1e-6 || math.Abs(theta[1]-5.5) > 1e-5 {
		t.Errorf("%v: the mean is 3, the variance 5.5", theta)
	}
	if len(points) < 2 || points[0].Iteration != 0 || !(points[len(points)-1].Loss < points[0].Loss) {
		t.Errorf("progress: %v", points)
	}
	if a.Likelihood.Details != nil {
		t.Error("nobody has asked for details")
	}
}

const posterior = `
package: posterior
approximation: normal
objective:
  vi:
    latent: {b: vector(p)}
    data:
      X: matrix(n, p)
      y: binary vector(n)
    log_likelihood: sum(log_sigmoid((2*y - 1)*(X @ b)))
    log_prior: -dot(b, b)/2
`

// The bound of a posterior is below the logarithm of the integral of the joint density, -1.58203 by the trapezoidal rule, but not much.
func TestPosterior(t *testing.T) {
	p := open(t, posterior)
	if data := p.Model().Info().Data; len(data) != 2 || data[0].Name != "X" {
		t.Errorf("data: %+v", data)
	}
	steps := 0
	s := &estimate.Settings{Progress: func(estimate.Progress) { steps++ }}
	a, err := p.Fit(t.Context(), columns(t, nil, []float64{1, -1, 2}, []float64{0, 1, 1}), s)
	if err != nil {
		t.Fatal(err)
	}
	if e := float64(a.Posterior.ELBO.Mean); !a.Posterior.Complete() || !(e < -1.58203 && e > -1.586) {
		t.Errorf("the bound is %v", e)
	}
	if steps == 0 {
		t.Error("nobody was told")
	}
	text, _, _ := strings.Cut(posterior, "    data:")
	if _, _, err := Open(t.Context(), Source{Text: text + "    log_joint: external\n"}); !errors.As(err, new(engine.Unsupported)) {
		t.Errorf("a function in Go: %v", err)
	}
}

// What was told is what a trace has, whoever listens.
func TestProgress(t *testing.T) {
	p, data := open(t, heights), columns(t, nil, []float64{1, 2, 7})
	told := map[int]int{}
	s := &estimate.Settings{Starts: 3, Progress: func(q estimate.Progress) { told[q.Run]++ }}
	s.Details.Trace = true
	a, err := p.Fit(t.Context(), data, s)
	if err != nil {
		t.Fatal(err)
	}
	all, kept := 0, 0
	for _, n := range told {
		all += n
	}
	for _, r := range a.Likelihood.Details.Runs {
		kept += len(r.Points)
	}
	if all != kept || kept == 0 {
		t.Errorf("%d points were told, %d kept", all, kept)
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	p := open(t, strings.Replace(heights, "step: mean", "step: natural", 1))
	s := &estimate.Settings{Method: "sngd", Progress: func(estimate.Progress) { cancel() }}
	a, err := p.Fit(ctx, columns(t, nil, []float64{1, 2, 7, 30, 31}), s)
	if err == nil && a.Likelihood.Complete() {
		t.Errorf("the fit went on: %+v", a.Likelihood.Message)
	}
	if _, _, err := Open(ctx, Source{Text: heights}); err == nil {
		t.Error("the derivation went on")
	}
}

// What is wrong with a spec has a place.
func TestFaults(t *testing.T) {
	for _, c := range []struct{ text, problem, want string }{
		{"", "", "defines nothing"},
		{"package: a\nx: [", "", "spec.yaml:2"},
		{strings.Replace(heights, "sigma2: sigma2}", "sigma2: sigmma2}", 1), "", "spec.yaml:6:"},
		{heights + "---" + strings.Replace(heights, "heights", "others", 1), "", "several problems"},
		{heights, "others", `no problem "others"`},
		{"package: a\ntarget: poisson\nformula: y ~ x", "", "a is a formula, of which data say how many columns it has\nhint: "},
		{"import: [secrets.yaml]\n---" + heights, "", "secrets.yaml"},
	} {
		_, _, err := Open(t.Context(), Source{Text: c.text, Problem: c.problem})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v", c.want, err)
		}
	}
	if _, found, err := Open(t.Context(), Source{Text: "package: a"}); !errors.As(err, new(*diag.ListError)) || !found.HasErrors() {
		t.Error(err)
	}
}

func TestColumns(t *testing.T) {
	d := columns(t, []float64{1, 2}, []float64{1, 2}, []float64{3, 4})
	if d.Columns != 2 || len(d.Values) != 4 || d.Values[1] != 3 || d.Values[2] != 2 {
		t.Errorf("%+v", d)
	}
	for _, err := range []error{
		func() error { _, err := Columns(nil); return err }(),
		func() error { _, err := Columns(nil, []float64{1}, nil); return err }(),
		func() error { _, err := Columns([]float64{1, 2}, []float64{1}); return err }(),
	} {
		if err == nil {
			t.Error("columns of several lengths")
		}
	}
	if _, err := open(t, heights).Fit(t.Context(), columns(t, nil, []float64{1, 2}, []float64{3, math.NaN()}), nil); err == nil {
		t.Error("a column too many")
	}
	if _, err := open(t, heights).Fit(t.Context(), columns(t, nil, []float64{3, 4}), &estimate.Settings{Method: "none"}); err == nil {
		t.Error("there is no such method")
	}
}
