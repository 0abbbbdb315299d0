package invariants

import (
	"strings"
	"testing"

	"github.com/sngdgen/sngdgen/gen"
	"github.com/sngdgen/sngdgen/spec"
)

// triangular is a normal distribution with the Cholesky factor of its covariance as a parameter, which the surrogate leaves
// to be an auxiliary one: TYPE is its type.
const triangular = `
distribution: triangular
variable: {x: vector(d)}
parameters:
  mu: vector(d)
  L: TYPE
logpdf: multivariate_normal.logpdf(inv(L) @ (x - mu); 0*x, eye(d)) - total(log(diag(L)))
---
package: every
target: triangular
surrogate: diagonal_normal
auxiliary:
  L:
    type: TYPE
map: {mu: mu, L: L}
start: {mu: mean(x), sigma2: var(x), L: eye(d)}
objective: mle
`

func generated(t *testing.T, text string) ([]gen.File, string) {
	t.Helper()
	f, diags := spec.Parse("triangular.yaml", []byte(text), nil)
	if diags.HasErrors() {
		t.Fatal(diags.String())
	}
	files, diags := gen.Generate(t.Context(), f.Problems[0], gen.Options{})
	return files, diags.String()
}

// TestTriangles: products with the inverse of a triangular matrix are solves with the matrix itself, and the inverse of one
// that nothing makes symmetric or triangular is refused.
func TestTriangles(t *testing.T) {
	files, faults := generated(t, strings.ReplaceAll(triangular, "TYPE", "lower(d)"))
	if files == nil {
		t.Fatal(faults)
	}
	if strings.Contains(string(files[0].Data), "dense.Cholesky") {
		t.Error("a triangular matrix is factorised")
	}
	if !testing.Short() {
		runEmitted(t, files)
	}
	if _, faults := generated(t, strings.ReplaceAll(triangular, "TYPE", "matrix(d, d)")); !strings.Contains(faults, "symmetric or triangular") {
		t.Errorf("the inverse of any matrix: %q", faults)
	}
}

// ofTriangles has a triangular parameter in all kinds of places, in terms that are small beside a density.
const ofTriangles = `
distribution: triangular
variable: {x: vector(d)}
parameters:
  mu: vector(d)
  L: lower(d)
  S: spd(d)
logpdf: multivariate_normal.logpdf(x; mu, S) - 0.001*(TERMS)
---
package: every
target: triangular
surrogate: multivariate_normal
auxiliary:
  L:
    type: lower(d)
map: {mu: mu, S: Sigma, L: L}
start: {mu: mean(x), Sigma: "mean(outer(x - mu, x - mu)) + eye(d)", L: eye(d)}
objective: mle
`

// TestTriangularTerms runs the emitted tests of a sum of terms with a triangular matrix, its products and inverses.
func TestTriangularTerms(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs the compiler")
	}
	terms := []string{
		"quad(inv(L @ L'), x)", "dot(inv(L)' @ inv(L) @ x, x)", "logdet(L @ L')", "total(diag(L)^2)", "quad(L @ S @ L', x)",
		"quad(inv(L @ S @ L'), x - mu)", "tr(inv(L) @ S @ inv(L)')", "total((L' @ x)^2)", "total((inv(S) @ L @ x)^2)",
		"quad(S + L @ L', x)", "logdet(S + L @ L')", "total((chol(S) @ inv(L) @ x)^2)", "quad(corr(S), x)",
		"total((diag(exp(-mu^2)) @ L @ x)^2)",
	}
	files, faults := generated(t, strings.ReplaceAll(ofTriangles, "TERMS", strings.Join(terms, " + ")))
	if files == nil {
		t.Fatal(faults)
	}
	runEmitted(t, files)
}
