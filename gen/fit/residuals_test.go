package fit

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/estimate"
)

const lines = `
distribution: line
variable: {y: real}
given: {x: real}
parameters: {a: real, b: real, s: positive}
logpdf: normal.logpdf(y; a + b*x, s^2)
---
package: line
target: line
surrogate: none
auxiliary: {a1: real, b1: real, ls: real}
map: {a: a1, b: b1, s: exp(ls)}
start: {a1: mean(y), b1: 0, ls: 0}
`

const logLines = `
distribution: logline
variable: {y: count}
given: {x: real}
parameters: {a: real, b: real}
logpdf: poisson.logpdf(y; exp(a + b*x))
---
package: logline
target: logline
surrogate: none
auxiliary: {a1: real, b1: real}
map: {a: a1, b: b1}
start: {a1: log(mean(y) + 1), b1: 0}
`

// described fits a spec to pairs of a number and what it is given, and asks for the distributions of all rows.
func described(t *testing.T, text string, x, y []float64, r estimate.ConditionalRequest) ([]float64, *estimate.Conditional) {
	t.Helper()
	data := columns(t, nil, y, x)
	r.Rows = data.Values
	a, err := open(t, text).Fit(t.Context(), data, &estimate.Settings{Details: estimate.DetailRequest{Conditional: r}})
	if err != nil {
		t.Fatal(err)
	}
	d := a.Likelihood.Details
	if d.Conditional == nil || len(d.Notes) > 0 {
		t.Fatalf("no distributions: %q", d.Notes)
	}
	return a.Likelihood.Theta(), d.Conditional
}

// TestResiduals: those of a linear regression are its standardised residuals, also far out, and means are on the line.
func TestResiduals(t *testing.T) {
	x := []float64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 1000, 2000}
	y := []float64{1.2, 2.9, 5.3, 6.6, 9.4, 10.7, 13.1, 15.3, 16.5, 19.1, 0.7, 3.2, 4.8, 7.1, 8.8, 11.4, 12.9, 14.6, 17.2, 40, 2001.3, 4000.6}
	theta, got := described(t, lines, x, y, estimate.ConditionalRequest{})
	for i := range x {
		mean := theta[0] + theta[1]*x[i]
		if want := (y[i] - mean) / theta[2]; math.Abs(got.Residuals[i]-want) > 1e-7*(1+math.Abs(want)) {
			t.Errorf("row %d: residual %v, want %v", i, got.Residuals[i], want)
		}
		if math.Abs(got.Mean[i]-mean) > 1e-7*(1+math.Abs(mean)) || math.Abs(got.SD[i]-theta[2]) > 1e-6*theta[2] {
			t.Errorf("row %d: mean %v, sd %v, want %v, %v", i, got.Mean[i], got.SD[i], mean, theta[2])
		}
	}
}

// TestCountResiduals: residuals of counts are between the normal quantiles of the distribution function below and at what was observed, and
// expected probabilities are weighted means over the rows.
func TestCountResiduals(t *testing.T) {
	var x, y, w, at []float64
	rng := runtime.Stream(2, "counts")
	for i := range 40 {
		x, w = append(x, float64(i%10)/5), append(w, float64(1+i%3))
		y = append(y, math.Floor(math.Exp(1+x[i]/2+0.4*rng.NormFloat64())))
		at = append(at, float64(i))
	}
	theta, got := described(t, logLines, x, y, estimate.ConditionalRequest{Weights: w, Values: at})
	expected, total, sum := make([]float64, len(at)), 0.0, 0.0
	for i := range x {
		p := distuv.Poisson{Lambda: math.Exp(theta[0] + theta[1]*x[i])}
		low, high := 0.0, p.CDF(y[i])
		if y[i] > 0 {
			low = p.CDF(y[i] - 1)
		}
		if u := distuv.UnitNormal.CDF(got.Residuals[i]); u < low-1e-9 || u > high+1e-9 {
			t.Errorf("row %d: the residual is at %v, not between %v and %v", i, u, low, high)
		}
		total, sum = total+w[i], sum+got.Residuals[i]
		for k := range at {
			expected[k] += w[i] * p.Prob(at[k])
		}
	}
	for k := range at {
		if want := expected[k] / total; math.Abs(got.Expected[k]-want) > 1e-9 {
			t.Errorf("probability of %v: %v, want %v", at[k], got.Expected[k], want)
		}
	}
	if math.Abs(sum/float64(len(x))) > 4/math.Sqrt(float64(len(x))) {
		t.Errorf("the mean of the residuals is %v", sum/float64(len(x)))
	}
}

// TestNoResiduals: what is no density of the variable, as that of a time that is censored, has none, and says so.
func TestNoResiduals(t *testing.T) {
	const text = `
distribution: times
variable: {t: positive}
given: {died: binary}
parameters: {r: positive}
logpdf: died*log(r) - r*t
---
package: times
target: times
surrogate: none
auxiliary: {lr: real}
map: {r: exp(lr)}
start: {lr: 0}
`
	data := columns(t, nil, []float64{1, 2, 3, 1.5}, []float64{1, 0, 1, 1})
	a, err := open(t, text).Fit(t.Context(), data, &estimate.Settings{Details: estimate.DetailRequest{
		Conditional: estimate.ConditionalRequest{Rows: data.Values}}})
	if err != nil {
		t.Fatal(err)
	}
	if d := a.Likelihood.Details; d.Conditional != nil || len(d.Notes) != 1 {
		t.Errorf("%+v, %q", d.Conditional, d.Notes)
	}
}

const chain = `
package: chain
target: autoregression
surrogate: none
auxiliary: {m: real, f: "real(-1, 1)", s: positive}
map: {mu: m, phi: f, sigma2: s}
start: {m: mean(x), f: 0.5, s: var(x)/2}
`

// TestSequenceResiduals: those of an autoregression are its standardised one-step errors; of the first row, of which nothing is known, those
// of the stationary distribution. Of a long sequence the last rows are described, and of a very long one none.
func TestSequenceResiduals(t *testing.T) {
	rng := runtime.Stream(4, "chain")
	x := make([]float64, 2000)
	for i := range x {
		x[i] = 3 + rng.NormFloat64()
		if i > 0 {
			x[i] += 0.6 * (x[i-1] - 3)
		}
	}
	fitted := func(x []float64) ([]float64, *estimate.Details) {
		data := columns(t, nil, x)
		a, err := open(t, chain).Fit(t.Context(), data, &estimate.Settings{Details: estimate.DetailRequest{Conditional: estimate.ConditionalRequest{Rows: x}}})
		if err != nil {
			t.Fatal(err)
		}
		return a.Likelihood.Theta(), a.Likelihood.Details
	}
	for _, n := range []int{60, 300} {
		theta, d := fitted(x[:n])
		if d.Conditional == nil || len(d.Notes) > 0 {
			t.Fatalf("%d rows: %q", n, d.Notes)
		}
		got, mu, phi, sd := d.Conditional, theta[0], theta[1], math.Sqrt(theta[2])
		if described := len(got.Residuals); described+got.Skipped != n || described < 60 {
			t.Fatalf("%d of %d rows, %d skipped", described, n, got.Skipped)
		}
		for k, residual := range got.Residuals {
			i, mean, own := got.Skipped+k, mu, sd/math.Sqrt(1-phi*phi)
			if i > 0 {
				mean, own = mu+phi*(x[i-1]-mu), sd
			}
			if want := (x[i] - mean) / own; math.Abs(residual-want) > 1e-6 || math.Abs(got.Mean[k]-mean) > 1e-6 || math.Abs(got.SD[k]-own) > 1e-6 {
				t.Errorf("row %d of %d: residual %v, mean %v, sd %v, want %v, %v, %v", i, n, residual, got.Mean[k], got.SD[k], want, mean, own)
			}
		}
	}
	if _, d := fitted(x); d.Conditional != nil || len(d.Notes) != 1 {
		t.Errorf("2,000 rows are described: %q", d.Notes)
	}
}
