package check

import (
	"maps"
	"strings"
	"testing"

	"github.com/sngdgen/sngdgen/gen/bind"
	"github.com/sngdgen/sngdgen/gen/derive"
	"github.com/sngdgen/sngdgen/spec"
)

// The work on large vectors and matrices is bounded by counts.
func TestWorkIsBounded(t *testing.T) {
	for entries, want := range map[int]int{2: 20, 10: 20, 20: 5, 41: 1, 1000: 1} {
		if got := triesOf(entries); got != want {
			t.Errorf("the mass of %d numbers is looked at %d times, want %d", entries, got, want)
		}
	}
	for _, c := range []struct{ rows, columns, want int }{{3, 5, 20}, {200, 200, 20}, {400, 500, 6}, {902, 902, 0}} {
		if got := pointsOf(c.rows, c.columns); got != c.want {
			t.Errorf("%d by %d: %d points, want %d", c.rows, c.columns, got, c.want)
		}
	}
	c := newChecker(derived(t, "mvnormal"))
	if c.some(mostDifferences) != nil || c.sampled != 0 {
		t.Error("entries are left out of few")
	}
	first, second := c.some(900), c.some(900)
	if len(first) != mostDifferences || len(second) != mostDifferences || maps.Equal(first, second) || c.sampled != 900 {
		t.Errorf("%d and %d entries of 900, the same: %v", len(first), len(second), maps.Equal(first, second))
	}
}

// manyLatents is a posterior of 12 latent variables, by a normal distribution with 78 entries of its covariance.
const manyLatents = `
package: many
target: multivariate_normal
surrogate: multivariate_normal
step: natural
map: {mu: mu, Sigma: Sigma}
start: {mu: 0, Sigma: eye(d)/100}
dimensions: {q: 12}
objective:
  vi:
    latent: {b: vector(q)}
    data: {y: vector(n)}
    log_likelihood: -sum(y^2)/2 - sum(y)*total(softplus(b))
    log_prior: -dot(b, b)/2 - q*log(2*pi)/2
`

// A posterior of many latent variables is checked, wrong derivatives are still found, and what was not looked at is said.
func TestManyLatents(t *testing.T) {
	f, diags := spec.Parse("many.yaml", []byte(manyLatents), nil)
	if diags.HasErrors() {
		t.Fatal(diags.String())
	}
	b, diags := bind.Bind(f.Problems[0])
	if diags.HasErrors() {
		t.Fatal(diags.String())
	}
	d, err := derive.Derive(b)
	if err != nil {
		t.Fatal(err)
	}
	found := Check(d)
	if want := "along 40 entries of each vector or matrix at each point, chosen at random: the largest has 78"; !strings.Contains(found.String(), want) {
		t.Errorf("no %q in\n%s", want, found.String())
	}
	if found.HasErrors() {
		t.Error(found.String())
	}
	c := &d.Surrogate.Covector[1]
	*c = b.Graph.Scale(1+1e-4, *c)
	if !findsWrongDerivative(d) {
		t.Error("did not notice a wrong derivative")
	}
}
