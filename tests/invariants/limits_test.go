package invariants

import (
	"slices"
	"testing"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/gen"
	"github.com/sngdgen/sngdgen/gen/bind"
	"github.com/sngdgen/sngdgen/gen/derive"
)

// extremes are limits with the largest and the smallest of what varies over the rows and depends on parameters: numbers, which
// are gone through row by row, and vectors, in blocks. The
// library has vectors of a named length.
var extremes = map[string]string{
	"numbers": `
distribution: heavy
variable: {x: real}
parameters: {mu: real, sigma: positive, nu: positive}
logpdf: student_t.logpdf(x; mu, sigma, nu)
limits:
  - name: normal
    when: {nu: infinity}
    parameters: {a: real, sigma: positive}
    let:
      top: max(a*x)/2 + min((x - a)^2)*max(x)/10
    path: {mu: top, sigma: sigma, nu: t}
    logpdf: normal.logpdf(x; top, sigma^2)
    start: {a: 0.3, sigma: sd(x)}
    random_start:
      noise: {e: normal}
      a: e
      sigma: sd(x)*exp(e/5)
---
package: extremes
target: heavy
surrogate: normal
auxiliary: {lognu: real}
map: {mu: mu, sigma: sqrt(sigma2), nu: exp(lognu)}
start: {mu: mean(x), sigma2: var(x), lognu: 1}
objective: mle
`,
	"vectors": `
distribution: heavy
variable: {x: vector(d)}
parameters: {mu: vector(d), Sigma: spd(d), nu: positive}
logpdf: multivariate_student_t.logpdf(x; mu, Sigma, nu)
limits:
  - name: normal
    when: {nu: infinity}
    parameters: {u: vector(d), Sigma: spd(d)}
    let:
      top: max(dot(u, x))/dot(u, u)*u + min(quad(inv(Sigma), x - mean(x)))*mean(x)
    path: {mu: top, Sigma: Sigma, nu: t}
    logpdf: multivariate_normal.logpdf(x; top, Sigma)
    start:
      u: mean(x) + sd(x)
      Sigma: mean(outer(x - mean(x), x - mean(x)))
---
package: extremes
target: heavy
surrogate: multivariate_normal
auxiliary: {lognu: real}
map: {mu: mu, Sigma: Sigma, nu: exp(lognu)}
start:
  mu: mean(x)
  Sigma: mean(outer(x - mean(x), x - mean(x)))
  lognu: 1
dimensions: {d: 3}
objective: mle
`,
}

// TestLimitsInGo: limits with extremes are emitted with the row where they are attained, compile, and pass the tests that
// are emitted with them, which compare gradients with differences and count allocations.
func TestLimitsInGo(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs the compiler")
	}
	for name, text := range extremes {
		t.Run(name, func(t *testing.T) {
			p := problemOf(t, text)
			b, diags := bind.Bind(p)
			if diags.HasErrors() {
				t.Fatal(diags.String())
			}
			d, err := derive.Derive(b)
			if err != nil {
				t.Fatal(err)
			}
			attained := false
			expr.Walk(func(n *expr.Node) { attained = attained || n.Op == expr.Attained }, d.Limits[0].Gradient...)
			if !attained {
				t.Error("the gradient does not say where the largest value is attained")
			}
			files, diags := gen.Generate(t.Context(), p, gen.Options{})
			if diags.HasErrors() {
				t.Fatal(diags.String())
			}
			runEmitted(t, files)
		})
	}
}

// TestKnownParametersOfLimits: a parameter that the map sets to a number is known in a limit that carries it over; where the
// limit needs another value there is no such limit.
func TestKnownParametersOfLimits(t *testing.T) {
	const vectors = `
package: known
target: skew_t
surrogate: multivariate_normal
auxiliary: {a: vector(d), l: real}
start:
  mu: mean(x)
  Sigma: mean(outer(x - mean(x), x - mean(x)))
  a: sd(x)
  l: 0
objective: mle
map: `
	const numbers = `
package: known
target: student_t
surrogate: normal
auxiliary: {l: real}
start: {mu: mean(x), sigma2: var(x), l: 0}
objective: mle
map: `
	for _, c := range []struct {
		problem string
		limits  []string
		params  int // of all limits
	}{
		{vectors + "{xi: mu, Omega: Sigma, eta: a, nu: exp(l)}", []string{"skew_normal", "half_t", "half_normal"}, 3 + 4 + 1},
		{vectors + "{xi: mu, Omega: Sigma, eta: a, nu: 5}", []string{"half_t"}, 3},
		{numbers + "{mu: mu, sigma: sqrt(sigma2), nu: exp(l)}", []string{"normal"}, 2},
		{numbers + "{mu: 0, sigma: sqrt(sigma2), nu: exp(l)}", []string{"normal"}, 1},
		{numbers + "{mu: mu, sigma: sqrt(sigma2), nu: 5}", nil, 0},
	} {
		b, diags := bind.Bind(problemOf(t, c.problem+"\n"))
		if diags.HasErrors() {
			t.Fatal(diags.String())
		}
		var got []string
		params := 0
		for _, l := range b.Limits {
			got = append(got, l.Spec.Name)
			params += len(l.Params)
		}
		if !slices.Equal(got, c.limits) || params != c.params {
			t.Errorf("%s: limits %v with %d parameters, want %v with %d", c.problem, got, params, c.limits, c.params)
		}
	}
}
