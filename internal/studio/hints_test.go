package studio

import (
	"slices"
	"testing"
)

// TestHints: where data have no covariance matrix the page says which column is made up of others, be it with an error or, where rounding hides it at
// the start, with an outcome that is no maximum.
func TestHints(t *testing.T) {
	spec := "package: p\ntarget: multivariate_normal\nsurrogate: multivariate_normal\nmap: {mu: mu, Sigma: Sigma}\n" +
		"start:\n  mu: mean(x)\n  Sigma: mean(outer(x - mean(x), x - mean(x)))\n"
	const want = "column c is a + b: leave one of them out"
	for _, text := range []string{"a,b,c\n1,2,3\n3,1,4\n4,4,8\n0,2,2\n", "a,b,c\n0.1,0.2,0.3\n0.3,0.7,1\n1.1,0.4,1.5\n0.7,0.3,1\n0.9,1.7,2.6\n0.2,1.1,1.3\n"} {
		data := dataRequest{specRequest: specRequest{Spec: spec}, Name: "sum.csv", Text: text, Columns: map[string][]string{"x": {"a", "b", "c"}}}
		got, _, fault := ask[fitted](t, "fit", fitRequest{dataRequest: data})
		switch {
		case fault != nil:
			if fault.Hint != "sum.csv: "+want {
				t.Errorf("%+v", fault)
			}
		case got.Trouble == "" || !slices.Contains(got.Notes, want):
			t.Errorf("%q, notes %q", got.Trouble, got.Notes)
		}
	}
}
