package main

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sngdgen/sngdgen/gen"
	"github.com/sngdgen/sngdgen/spec"
	"github.com/sngdgen/sngdgen/tests/rivals"
)

// Every spec becomes a package, those too that have not been compared with others yet.
func TestSpecs(t *testing.T) {
	files, err := filepath.Glob("specs/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		f, diags := spec.LoadFile(file)
		if !diags.HasErrors() {
			_, diags = gen.Generate(t.Context(), f.Problems[0], gen.Options{})
		}
		if diags.HasErrors() {
			t.Error(diags.String())
		}
	}
}

// Every case has a spec, an answer, and a row of the table that agrees with the maximum.
func TestCases(t *testing.T) {
	cases, err := rivals.Records(casesCSV)
	if err != nil {
		t.Fatal(err)
	}
	known, err := rivals.Load[*answer]("oracle.json")
	if err != nil {
		t.Fatal(err)
	}
	table, err := os.ReadFile("TABLE.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		if _, err := os.Stat(c["spec"]); err != nil && spec.Library().Problem(c["spec"]) == nil {
			t.Error(err)
		}
		i := slices.IndexFunc(known.Answers, func(a *answer) bool { return a.Name == c["name"] })
		if i < 0 {
			t.Errorf("%s: no answer", c["name"])
			continue
		}
		a := known.Answers[i]
		if posteriors[c["spec"]] != (a.Maximum == nil) || a.N == 0 || a.Seconds <= 0 {
			t.Errorf("%s: %+v", a.Name, a)
		}
		if a.Maximum != nil && a.LogLikelihood-a.Maximum.LogLikelihood > 1e-9*math.Abs(a.LogLikelihood) {
			t.Errorf("%s: the rival is above the maximum", a.Name)
		}
		if a.Maximum == nil && !(a.RHat < 1.05 && a.ESS > 200) && a.Name != "horseshoe" {
			t.Errorf("%s: the sampler has not converged: %v, %v", a.Name, a.RHat, a.ESS)
		}
		if !strings.Contains(string(table), "\n| "+a.Name+" |") {
			t.Errorf("%s: no row in the table", a.Name)
		}
	}
	for _, name := range []string{"R", "lme4", "ordinal", "numpyro", "date"} {
		if known.Versions[name] == "" {
			t.Errorf("no version of %s", name)
		}
	}
}

// Distances are in units of standard errors, the largest of all entries, and unknown where one is.
func TestDistance(t *testing.T) {
	a := &estimate{0, map[string]values{"b": {1, 2}}, map[string]values{"b": {0.1, 0.2}}}
	b := &estimate{0, map[string]values{"b": {1, 2.5}}, map[string]values{"b": {0.1, 0.25}}}
	if p, s := distance(a, b); math.Abs(p-2) > 1e-15 || math.Abs(s-0.2) > 1e-15 {
		t.Errorf("%v, %v, want 2, 0.2", p, s)
	}
	a.Parameters["b"] = values{1}
	if p, _ := distance(a, b); !math.IsNaN(p) {
		t.Errorf("%v, want NaN", p)
	}
	var v values
	if err := v.UnmarshalJSON([]byte("[[1, null], [3, 4]]")); err != nil || len(v) != 4 || v[0] != 1 || !math.IsNaN(v[1]) || v[3] != 4 {
		t.Errorf("%v, %v", v, err)
	}
}
