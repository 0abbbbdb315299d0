package regression_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/sngdgen/sngdgen/gen"
	"github.com/sngdgen/sngdgen/internal/diag"
	"github.com/sngdgen/sngdgen/internal/regression"
	"github.com/sngdgen/sngdgen/spec"
)

// TestLimitsOfLibrary: a distribution with a predictor of its first parameter has the limits that keep this as it is, and the density tends to them.
func TestLimitsOfLibrary(t *testing.T) {
	lib, tried := spec.Library(), 0
	for _, name := range lib.Distributions() {
		d := lib.Distribution(name)
		m := regression.Of(d, nil)
		if len(d.Limits) == 0 || m.Check() != nil {
			continue
		}
		for i := range m.Parameters {
			m.Parameters[i].Information, m.Parameters[i].Start = 1, m.Parameters[i].Default()
		}
		m.Parameters[0].Columns = 2
		for _, offset := range []bool{false, true} {
			m.Parameters[0].Offset = offset
			f, diags := spec.Parse("formula.yaml", []byte(m.Spec()), nil)
			if diags.HasErrors() {
				t.Fatalf("%s\n%s", m.Spec(), diags.String())
			}
			tried += len(f.Problems[0].TargetDist.Limits)
			for _, d := range gen.Check(t.Context(), f.Problems[0], gen.Options{}).All() {
				if d.Severity != diag.Note {
					t.Errorf("%s\n%v", m.Spec(), d)
				}
			}
		}
	}
	if tried < 4 {
		t.Errorf("%d limits", tried)
	}
}

// TestLimits: a limit is kept where predictors have the same place in it.
func TestLimits(t *testing.T) {
	const distribution = `
distribution: some
variable: {x: real}
parameters: {mu: real, sigma: positive, nu: positive}
logpdf: student_t.logpdf(x; mu, sigma, nu)
limits:
  - name: normal
    when: {nu: infinity}
`
	kept := `    parameters: {m: real, sigma: positive}
    path: {mu: m, sigma: sigma, nu: t}
    from: {m: mu, sigma: sigma}
    logpdf: normal.logpdf(x; m, sigma^2)
    start: {m: mean(x), sigma: sd(x)}
`
	for _, c := range []struct {
		what      string
		limit     string
		predicted []string
		want      string // a line of what is written; "" where there is no limit
	}{
		{"a predictor of what is kept", kept, []string{"mu"}, "      m: dot(x_mu, b_m)"},
		{"two", kept, []string{"mu", "sigma"}, "      sigma: exp(dot(x_sigma, b_sigma))"},
		{"of what goes to infinity", kept, []string{"nu"}, ""},
		{"of what enters another formula", strings.Replace(kept, "nu: t", "nu: t*sigma", 1), []string{"sigma"}, ""},
		{"of another", strings.Replace(kept, "nu: t", "nu: t*sigma", 1), []string{"mu"}, "      nu: t*sigma"},
		{"of another that is kept twice", strings.Replace(kept, "nu: t", "nu: sigma", 1), []string{"mu"}, "      nu: sigma"},
		{"of what is not kept", strings.Replace(kept, "mu: m,", "mu: m + 1/t,", 1), []string{"mu"}, ""},
		{"without a way back", strings.Replace(kept, "    from: {m: mu, sigma: sigma}\n", "", 1), []string{"mu"}, ""},
		{"of another type", strings.Replace(kept, "m: real", "m: positive", 1), []string{"mu"}, ""},
		{"with definitions", strings.Replace(kept, "    path", "    let: {a: 1}\n    path", 1), []string{"mu"}, ""},
	} {
		f, diags := spec.Parse("some.yaml", []byte(distribution+c.limit), nil)
		if diags.HasErrors() {
			t.Fatalf("%s: %s", c.what, diags.String())
		}
		m := regression.Of(f.Distributions[0], nil)
		m.Import = "some.yaml"
		for i := range m.Parameters {
			p := &m.Parameters[i]
			p.Information, p.Start = 1, p.Default()
			if slices.Contains(c.predicted, p.Name) {
				p.Columns = 2
			}
		}
		written := m.Spec()
		if got := strings.Contains(written, "limits:"); got != (c.want != "") || !strings.Contains(written, c.want) {
			t.Errorf("%s:\n%s", c.what, written)
		}
	}
}
