package main

import (
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/sngdgen/sngdgen/generated/mvnormalmix"
	"github.com/sngdgen/sngdgen/generated/normalmix"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/estimate"
	"github.com/sngdgen/sngdgen/tests/rivals"
)

// TestPublishedTables: on data that are published tables the default search finds what the others find by many starts, with no
// component that has fewer rows than a density needs, and says where rows are few.
func TestPublishedTables(t *testing.T) {
	known, err := rivals.Load[*answer]("oracle.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		ks   []int
	}{
		{"USArrests", []int{1, 2}},          // McNeil, Interactive Data Analysis, 1977: murders, assaults and rapes
		{"precip", []int{1, 2, 3, 4, 5, 6}}, // the same
		{"acidity", []int{2, 3, 4, 5, 6}},   // Crawford, JASA 89, 1994: many starts collapse on equal values
		{"galaxies", []int{2, 3, 4}},        // Roeder, JASA 85, 1990
	} {
		data, err := rivals.Read(filepath.Join("testdata", c.name+".csv"), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range c.ks {
			one := &test{c.name, data, k}
			theirs := answerTo(one, known)
			if theirs == nil {
				t.Fatalf("%s: no answer of the others", one.key())
			}
			checkAgainst(t, one, theirs)
		}
	}
}

// aboutRows matches the warning about few rows.
var aboutRows = regexp.MustCompile(`explains? .*rows`)

func checkAgainst(t *testing.T, one *test, theirs *answer) {
	t.Helper()
	var m runtime.Model = new(normalmix.Model)
	if one.columns() > 1 {
		m = new(mvnormalmix.Model)
	}
	values := slices.Concat(one.data.Rows...)
	if err := estimate.Load(m, runtime.Data{Values: values, Columns: one.columns()}, one.k); err != nil {
		t.Fatal(err)
	}
	rep, err := estimate.Fit(t.Context(), m, nil)
	if err != nil {
		t.Errorf("%s: %v", one.key(), err)
		return
	}
	if best := theirs.best(); float64(rep.LogLikelihood) < best.LogLikelihood-tolerance {
		t.Errorf("%s: log-likelihood %.8g, by %v %.8g", one.key(), float64(rep.LogLikelihood), best.By, best.LogLikelihood)
	}
	few := false
	for i, c := range rep.Components {
		few = few || float64(c.Rows) < float64(3*(one.columns()+1))
		if float64(c.Rows) < float64(one.columns()+1)-1e-6 {
			t.Errorf("%s: component %d has %v rows", one.key(), i+1, c.Rows)
		}
	}
	if named := slices.ContainsFunc(rep.Warnings, func(w string) bool { return aboutRows.MatchString(w) }); named != few {
		t.Errorf("%s: few rows: %v, warnings %q", one.key(), few, rep.Warnings)
	}
}
