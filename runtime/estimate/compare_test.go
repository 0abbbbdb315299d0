package estimate_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/sngdgen/sngdgen/internal/fitfixture"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/estimate"
)

// TestCompare: the likelihood rises with the number of components, the criteria agree with their formulas, and the number
// that data were drawn from is found.
func TestCompare(t *testing.T) {
	m := fitfixture.NewMixture(runtime.Data{Values: threeMixed()}, 1)
	c, err := estimate.Compare(t.Context(), m, []int{4, 1, 2, 3, 3}, nil)
	if err != nil || len(c.Fits) != 4 {
		t.Fatal(c, err)
	}
	for i, n := range c.Fits {
		if n.Components != i+1 || n.Report == nil || len(n.Report.Components) != i+1 {
			t.Fatalf("%+v", n)
		}
		if i > 0 && n.Report.LogLikelihood < c.Fits[i-1].Report.LogLikelihood-1e-6 {
			t.Errorf("the likelihood falls from %d to %d components", i, i+1)
		}
		if starred := slices.Contains(n.Best, "bic"); starred != (n.Components == 3) {
			t.Errorf("%d components: the best by %q", n.Components, n.Best)
		}
	}
	if len(c.Warnings) > 0 {
		t.Error(c.Warnings)
	}
	if _, err := estimate.Compare(t.Context(), m, nil, nil); err == nil || !strings.Contains(err.Error(), "no numbers") {
		t.Error(err)
	}
}

// TestCollapseIsNotChosen: data with ties, on which a component of any run may collapse: what is reported is sound, or says
// that it is not and has no criteria.
func TestCollapseIsNotChosen(t *testing.T) {
	x := mixed(60, []float64{0.5, 0.5}, []float64{0, 6}, []float64{1, 1})
	x = append(x, 30, 30, 30, 30, 30)
	for k := 2; k <= 5; k++ {
		rep, err := estimate.FindOn(t.Context(), new(fitfixture.Mixture), runtime.Data{Values: x}, estimate.Settings{Components: k})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range rep.Components {
			if collapsed := c.Note == estimate.Collapsed; collapsed && (rep.Converged || rep.Complete() || rep.Status != runtime.Collapsed || rep.AIC == rep.AIC) {
				t.Errorf("%d components: %v, AIC %v, %+v", k, rep.Status, rep.AIC, rep.Components)
			}
		}
	}
}

// TestSingleRow: a component that ends on one row has collapsed, whatever the digits of its last step say.
func TestSingleRow(t *testing.T) {
	x := append(mixed(60, []float64{0.5, 0.5}, []float64{0, 6}, []float64{1, 1}), 60)
	m := placed{fitfixture.NewMixture(runtime.Data{Values: x}, 3),
		normals{[]float64{0.49, 0.49, 0.02}, []float64{0, 6, 60}, []float64{1, 1, 1}}}
	rep, err := estimate.Find(t.Context(), m, estimate.Settings{Starts: 1})
	if err != nil {
		t.Fatal(err)
	}
	if rep.Converged || rep.Status != runtime.Collapsed || rep.Components[2].Note != estimate.Collapsed {
		t.Errorf("%v: %+v", rep.Status, rep.Components)
	}
}
