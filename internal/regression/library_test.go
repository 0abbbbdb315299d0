package regression_test

import (
	"slices"
	"testing"

	"github.com/sngdgen/sngdgen/gen"
	"github.com/sngdgen/sngdgen/internal/diag"
	"github.com/sngdgen/sngdgen/internal/regression"
	"github.com/sngdgen/sngdgen/spec"
)

// TestLibrary: every distribution of numbers of the library takes predictors of all its parameters, and what comes out is a density with
// the right gradients.
func TestLibrary(t *testing.T) {
	lib := spec.Library()
	tried := 0
	for _, name := range slices.Concat(lib.Distributions(), lib.Families()) {
		m := regression.Of(lib.Distribution(name), lib.Family(name))
		if m.Check() != nil {
			continue
		}
		tried++
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for i := range m.Parameters {
				m.Parameters[i].Columns, m.Parameters[i].Information = 2, 1
				m.Parameters[i].Start = m.Parameters[i].Default()
			}
			f, diags := spec.Parse("formula.yaml", []byte(m.Spec()), nil)
			if diags.HasErrors() {
				t.Fatalf("%s\n%s", m.Spec(), diags.String())
			}
			diags = gen.Check(t.Context(), f.Problems[0], gen.Options{})
			for _, d := range diags.All() {
				if d.Severity != diag.Note { // as that a censored time has no density
					t.Errorf("%s\n%s", m.Spec(), diags.String())
				}
			}
		})
	}
	if tried < 20 {
		t.Errorf("%d distributions of numbers", tried)
	}
}

// TestByMean: of a distribution whose mean is a formula of its parameters there are others of which a parameter is the mean; of one whose mean is a
// parameter, or is not known, there are none.
func TestByMean(t *testing.T) {
	lib, found := spec.Library(), 0
	for _, name := range lib.Distributions() {
		d := lib.Distribution(name)
		others := regression.ByMean(d, lib)
		if (regression.Mean(d) != "" || d.Mean == nil) && len(others) > 0 {
			t.Errorf("%s: %d others", name, len(others))
		}
		for _, o := range others {
			found++
			if regression.Mean(o) == "" || o.Variable.Type.String() != d.Variable.Type.String() {
				t.Errorf("%s: %s is about other numbers, or has no mean among its parameters", name, o.Name)
			}
		}
	}
	if found == 0 {
		t.Error("no distribution has another by its mean")
	}
}
