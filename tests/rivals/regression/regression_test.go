package main

import (
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/sngdgen/sngdgen/internal/regression"
	"github.com/sngdgen/sngdgen/spec"
	"github.com/sngdgen/sngdgen/tests/rivals"
)

// Cases have names of their own, formulas that can be read, and distributions that take predictors.
func TestCases(t *testing.T) {
	all, err := examples()
	if err != nil {
		t.Fatal(err)
	}
	lib, seen := spec.Library(), map[string]bool{}
	for _, e := range all {
		if seen[e.Name] || e.Call == "" || e.Rival != "R" && e.Rival != "python" {
			t.Errorf("%+v: want a name of its own, a rival and its call", e)
		}
		seen[e.Name] = true
		d, f := lib.Distribution(e.Distribution), lib.Family(e.Distribution)
		if d == nil && f == nil {
			t.Errorf("%s: no distribution %s", e.Name, e.Distribution)
			continue
		}
		equations, err := regression.Parse(e.Formula)
		if err == nil {
			_, err = regression.Of(d, f).Predictors(equations)
		}
		if err != nil {
			t.Errorf("%s: %v", e.Name, err)
		}
	}
	if len(all) < 30 {
		t.Errorf("%d cases, want 30", len(all))
	}
}

// Every case has an answer, and a maximum that no rival is above.
func TestOracle(t *testing.T) {
	known, err := rivals.Load[*answer]("oracle.json")
	if err != nil {
		t.Fatal(err)
	}
	all, err := examples()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range all {
		if !slices.ContainsFunc(known.Answers, func(a *answer) bool { return a.Name == e.Name }) {
			t.Errorf("%s: no answer", e.Name)
		}
	}
	for _, a := range known.Answers {
		if a.Maximum == nil || a.N == 0 || a.Seconds <= 0 || len(a.Parameters) == 0 || len(a.Parameters) != len(a.Maximum.Parameters) {
			t.Errorf("%s: %+v", a.Name, a)
			continue
		}
		if above := a.LogLikelihood - a.Maximum.LogLikelihood; above > precise*max(1, math.Abs(a.LogLikelihood)) {
			t.Errorf("%s: the rival is above the maximum by %g", a.Name, above)
		}
		for name, values := range a.Maximum.Parameters {
			if len(values) != len(a.Parameters[name]) || len(values) != len(a.Maximum.StdErrs[name]) {
				t.Errorf("%s: %d entries of %s, %d of the rival, %d standard errors", a.Name, len(values), name, len(a.Parameters[name]), len(a.Maximum.StdErrs[name]))
			}
		}
	}
	for _, name := range []string{"R", "survival", "glmmTMB", "statsmodels", "date"} {
		if known.Versions[name] == "" {
			t.Errorf("no version of %s", name)
		}
	}
}

// The counts of the table are those of its rows, which are the cases.
func TestTable(t *testing.T) {
	text, err := os.ReadFile("TABLE.md")
	if err != nil {
		t.Fatal(err)
	}
	all, err := examples()
	if err != nil {
		t.Fatal(err)
	}
	n := map[string]int{}
	var stated []string
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		switch last := cells[len(cells)-1]; {
		case slices.Contains(verdicts, last) && len(cells) > 10 && cells[0] != "case":
			n[last]++
		case len(cells) == 1+len(verdicts) && cells[0] == strconv.Itoa(len(all)):
			stated = cells[1:]
		}
	}
	if len(stated) == 0 {
		t.Fatalf("no counts of %d cases", len(all))
	}
	for i, v := range verdicts {
		if stated[i] != strconv.Itoa(n[v]) {
			t.Errorf("%s: %s stated, %d rows", v, stated[i], n[v])
		}
	}
}

// Distances are in units of standard errors, and unknown where one of both lacks a number.
func TestDistance(t *testing.T) {
	list := func(x ...float64) numbers {
		var n numbers
		for _, v := range x {
			n = append(n, &v)
		}
		return n
	}
	a := &estimate{0, map[string]numbers{"mu": list(1, 2)}, map[string]numbers{"mu": list(0.1, 0.2)}}
	b := &estimate{0, map[string]numbers{"mu": list(1, 2.5)}, map[string]numbers{"mu": list(0.1, 0.25)}}
	if p, s := distance(a, b); math.Abs(p-2) > 1e-15 || math.Abs(s-0.2) > 1e-15 {
		t.Errorf("%v, %v, want 2, 0.2", p, s)
	}
	a.StdErrs = nil
	if p, s := distance(a, b); math.Abs(p-2) > 1e-15 || !math.IsNaN(s) {
		t.Errorf("%v, %v, want 2, NaN", p, s)
	}
}
