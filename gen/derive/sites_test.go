package derive_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/sngdgen/sngdgen/expr"
	"github.com/sngdgen/sngdgen/spec"
)

// TestSeveralPredictorsOfSites: of how many factors of how many linear numbers a joint density consists, counted by hand: "row 2" is a
// factor of two numbers for every row, "1" one that is the same for all rows.
func TestSeveralPredictorsOfSites(t *testing.T) {
	cases := []struct {
		likelihood, prior string
		want              []string
	}{
		// What rows say of the scale alone belongs to what they say of both, and a prior of it does not.
		{"sum(-((y - a - X @ b)*exp(-l))^2/2 - l)", "-dot(b, b)/2 - a^2/2 + l - exp(l)", []string{"1", "row 2"}},
		{"sum(-((y - a - X @ b)*exp(-l))^2/2) - n*l", "-dot(b, b)/2 - a^2/2 - l^2/2", []string{"row 2"}},
		{"sum(t_logpdf((y - X @ b)*exp(-l), exp(a)) - l)", "-dot(b, b)/2 - l^2/2 - a^2/2", []string{"row 3"}},
		// Two multiples of one number are one, and a number of the same rows that another factor sees too joins that; n*sin(l) is none.
		{"sum(log_sigmoid(y*exp(l)*(X @ b)) - exp(2*(X @ b)) + sin(l))", "-dot(b, b)/2 - a^2/2 - l^2/2", []string{"1", "row 2"}},
		// Products of two numbers are of second degree, and need no site.
		{"sum(y*a*l - (X @ b)*a/10)", "-dot(b, b) - a^2 - l^2", nil},
		{"sum(y*(X @ b) - exp(X @ b))", "-dot(b, b)/2 - a^2/2 - l^2/2 - exp(a*l)", []string{"2", "row 1"}},
		// Only numbers that rows see together are factors together.
		{"sum(-exp(a + y*l) - exp(X @ b))", "-dot(b, b)/2 - a^2/2 - l^2/2", []string{"row 1", "row 1"}},
	}
	for _, c := range cases {
		text := fmt.Sprintf("package: every\napproximation: normal\nobjective:\n  ep:\n    latent: {a: real, b: vector(p), l: real}\n"+
			"    data:\n      X: matrix(n, p)\n      y: vector(n)\n    log_likelihood: %s\n    log_prior: %s\n", c.likelihood, c.prior)
		f, diags := spec.Parse("every.yaml", []byte(text), nil)
		if diags.HasErrors() {
			t.Fatal(diags.String())
		}
		s := derived(t, f.Problems[0]).Variational.Sites
		var got []string
		for _, part := range s.Parts {
			name := fmt.Sprint(len(part.S))
			if part.ByRow {
				name = "row " + name
			}
			if len(part.Coefs) != len(part.S) {
				t.Errorf("%s: %d predictors have coefficients, of %d", c.likelihood, len(part.Coefs), len(part.S))
			}
			got = append(got, name)
		}
		slices.Sort(got)
		if !slices.Equal(got, c.want) {
			t.Errorf("%s and %s: factors %q, want %q: %v", c.likelihood, c.prior, got, c.want, s.Quadratic)
		}
	}
}

// TestLinearTermsOfSites: what is linear in a predictor belongs to the factor of a row that sees it, however sums of the rows have been
// taken apart: nothing of the response is left over in the quadratic part.
func TestLinearTermsOfSites(t *testing.T) {
	for _, likelihood := range []string{
		"sum(y*(w*a[g] + v*b[g]) - exp(w*a[g] + v*b[g]))",
		"sum(y*(w*a[g] + v*b[g])) - sum(exp(-w*a[g] - v*b[g]))",
		"sum(y*(A[g, 1] + w*A[g, 2] + v*b[g] + l) - exp(A[g, 1] + w*A[g, 2] + v*b[g] + l))",
		"sum(y*(c[1] + w*c[2] + dot(A[g, :], X)) - 2*softplus((c[1] + w*c[2] + dot(A[g, :], X))/2))",
		"sum(y*(dot(B[g, :], Z) + l) - exp(dot(B[g, :], Z) + l))",
	} {
		text := "package: every\napproximation: normal\nobjective:\n  ep:\n    latent: {a: vector(J), b: vector(J), c: vector(2), A: \"matrix(J, 2)\", " +
			"B: \"matrix(J, q)\", l: real}\n    data:\n      w: vector(n)\n      v: vector(n)\n      X: matrix(n, 2)\n      Z: matrix(n, q)\n" +
			"      g: index(J) vector(n)\n      y: vector(n)\n    log_likelihood: " + likelihood +
			"\n    log_prior: -dot(a, a) - dot(b, b) - dot(c, c) - tr(A' @ A) - tr(B' @ B) - l^2\n"
		f, diags := spec.Parse("every.yaml", []byte(text), nil)
		if diags.HasErrors() {
			t.Fatal(diags.String())
		}
		d := derived(t, f.Problems[0])
		s := d.Variational.Sites
		for _, q := range d.Problem.Variational.Data {
			if q.Name == "y" && expr.Depends(s.Quadratic, q.Sym) {
				t.Errorf("%s: the quadratic part is %v", likelihood, s.Quadratic)
			}
		}
		if len(s.Parts) != 1 || len(s.Parts[0].S) != 1 {
			t.Errorf("%s: %d parts", likelihood, len(s.Parts))
		}
	}
}
