package invariants

import (
	"strings"
	"testing"

	"github.com/sngdgen/sngdgen/gen"
	"github.com/sngdgen/sngdgen/spec"
)

// triangular is a normal law with the Cholesky factor of its covariance as a parameter, which the surrogate leaves to be an
// auxiliary one: TYPE is its type.
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
	files, diags := gen.Generate(f.Problems[0], gen.Options{})
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
