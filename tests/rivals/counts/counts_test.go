package main

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/sngdgen/sngdgen/generated"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/estimate"
	"github.com/sngdgen/sngdgen/tests/rivals"
)

// The committed truths hold: the verdict in whole numbers, and the equation of the estimate,
// sum_j N(j)/(r + j) = n log(1 + mean/r) with N(j) the number of counts above j.
func TestNearlyPoisson(t *testing.T) {
	samples, err := nearlyPoisson()
	if err != nil {
		t.Fatal(err)
	}
	if len(samples) != 120 {
		t.Errorf("%d samples, want 120", len(samples))
	}
	for _, e := range samples {
		n, sum, squares, most := len(e.Rows), 0, 0, 0
		for _, row := range e.Rows {
			x := int(row[0])
			sum, squares, most = sum+x, squares+x*x, max(most, x)
		}
		if finite := n*squares-sum*sum > n*sum; finite != e.Truth.Finite {
			t.Errorf("%s: finite %v, want %v", e.Name, e.Truth.Finite, finite)
		}
		if !e.Truth.Finite {
			continue
		}
		r, err := strconv.ParseFloat(e.Truth.Estimate["r"], 64)
		if err != nil {
			t.Fatal(err)
		}
		mean := float64(sum) / float64(n)
		score := func(r float64) float64 {
			total := -float64(n) * math.Log1p(mean/r)
			for j := range most {
				above := 0
				for _, row := range e.Rows {
					if int(row[0]) > j {
						above++
					}
				}
				total += float64(above) / (r + float64(j))
			}
			return total
		}
		// The score changes its sign there; where r is large it is flat, and rounding moves the root.
		margin := 1e-9 * r * (1 + r/mean)
		if score(r-margin) <= 0 || score(r+margin) >= 0 {
			t.Errorf("%s: r = %v is no root: %v, %v, %v", e.Name, r, score(r-margin), score(r), score(r+margin))
		}
	}
	if r := samples[0].Truth.Estimate["r"]; !strings.HasPrefix(r, "525.5375") {
		t.Errorf("the first sample has r = %s, want 525.5375", r)
	}
}

// Every case has data, a model that exists, and either a maximum above the limit or a limit.
func TestCases(t *testing.T) {
	var cases []*example
	if err := json.Unmarshal(casesJSON, &cases); err != nil {
		t.Fatal(err)
	}
	for _, e := range cases {
		if (len(e.Rows) == 0) == (e.Set == "") {
			t.Errorf("%s: want rows or a set", e.Name)
		}
		if strings.HasSuffix(e.Problem, ".yaml") {
			if _, err := specs.ReadFile("specs/" + e.Problem); err != nil {
				t.Errorf("%s: %v", e.Name, err)
			}
		}
		if e.Truth.Finite == (e.Truth.LogLikelihood == "") || !e.Truth.Finite && e.Truth.Limit == "" {
			t.Errorf("%s: neither a maximum nor a limit: %+v", e.Name, e.Truth)
		}
	}
}

// TestLibraryOnCases: problems of the library on the cases that have their data with them either find the maximum or say truly that
// there is none, and which parameter is at fault.
func TestLibraryOnCases(t *testing.T) {
	var cases []*example
	if err := json.Unmarshal(casesJSON, &cases); err != nil {
		t.Fatal(err)
	}
	fitted := 0
	for _, e := range cases {
		newModel, ok := generated.Lookup(e.Problem)
		if !ok || len(e.Rows) == 0 {
			continue
		}
		fitted++
		m := newModel()
		if err := m.SetData(runtime.Data{Values: slices.Concat(e.Rows...), Columns: len(e.Rows[0])}); err != nil {
			t.Fatalf("%s: %v", e.Name, err)
		}
		rep, err := estimate.Fit(t.Context(), m, nil)
		if rep == nil {
			t.Errorf("%s: %v", e.Name, err)
			continue
		}
		ll := float64(rep.LogLikelihood)
		c := &outcome{e, &rivals.Report{Status: rep.Status.String(), Converged: rep.Converged, LogLikelihood: &ll}}
		if v := c.verdict(); v != "right" {
			t.Errorf("%s: %s: %v: %s", e.Name, v, rep.Status, rep.Message)
		}
		if !e.Truth.Finite && !namesFault(m, e.Truth.LimitIs, rep.Message) {
			t.Errorf("%s: nothing is said of a parameter of the limit, %s: %s", e.Name, e.Truth.LimitIs, rep.Message)
		}
	}
	if fitted < 8 {
		t.Errorf("%d cases", fitted)
	}
}

// namesFault reports whether a message says of a parameter that the description of the limit has that it goes somewhere.
func namesFault(m runtime.Model, limit, message string) bool {
	for _, p := range m.Info().Parameters {
		if strings.Contains(" "+limit+" ", " "+p.Name+" ") && strings.Contains(message, " "+p.Name+" goes to ") {
			return true
		}
	}
	return false
}
