// Package families fits distributions of the library to data that others collected, against maxima found by scipy.
package families

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"github.com/sngdgen/sngdgen/gen/fit"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/estimate"
)

// oracle is what testdata/oracle.py has written.
type oracle struct {
	Problem       string
	Data          []float64
	LogLikelihood float64 `json:"log_likelihood"`
	Parameters    map[string][]float64
	Columns       int
	Weights       []float64 // of the components of a mixture, the smallest first
	Kappa         []float64 // their concentrations
}

func TestMaxima(t *testing.T) {
	text, err := os.ReadFile("testdata/oracle.json")
	if err != nil {
		t.Fatal(err)
	}
	var all struct{ Cases []oracle }
	if err := json.Unmarshal(text, &all); err != nil || len(all.Cases) == 0 {
		t.Fatal("no cases", err)
	}
	problems, err := os.ReadFile("testdata/problems.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range all.Cases {
		t.Run(c.Problem, func(t *testing.T) { c.check(t, string(problems)) })
	}
}

// check compares the log-likelihood to 1e-9, and the parameters, which move it by the square of their change, to 1e-5.
func (c *oracle) check(t *testing.T, problems string) {
	p, _, err := fit.Open(t.Context(), fit.Source{Text: problems, Problem: c.Problem})
	if err != nil {
		t.Fatal(err)
	}
	answer, err := p.Fit(t.Context(), runtime.Data{Values: c.Data, Columns: max(c.Columns, 1)}, &estimate.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	report := answer.Likelihood
	if !report.Converged {
		t.Errorf("not converged: %s", report.Message)
	}
	if got := float64(report.LogLikelihood); !(math.Abs(got-c.LogLikelihood) <= 1e-9*math.Abs(c.LogLikelihood)) {
		t.Errorf("log-likelihood %.12g, scipy has %.12g", got, c.LogLikelihood)
	}
	estimates := map[string][]float64{}
	for _, v := range report.Estimate {
		if estimates[v.Name] = v.Entries; v.Shape == nil {
			estimates[v.Name] = []float64{v.Value}
		}
	}
	if c.Weights != nil {
		small := 0
		if w := estimates["weights"]; w[1] < w[0] {
			small = 1
		}
		c.Parameters = map[string][]float64{"weights": c.Weights, "kappa": c.Kappa}
		for _, name := range []string{"weights", "kappa"} {
			estimates[name] = []float64{estimates[name][small], estimates[name][1-small]}
		}
	}
	for name, want := range c.Parameters {
		got := estimates[name]
		if len(got) != len(want) {
			t.Fatalf("%s is %v, want %v", name, got, want)
		}
		for i := range want {
			if !(math.Abs(got[i]-want[i]) <= 1e-5*math.Abs(want[i])) {
				t.Errorf("%s is %.9g, scipy has %.9g", name, got[i], want[i])
			}
		}
	}
}
