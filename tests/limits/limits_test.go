// Package limits tests the suprema of likelihoods outside the parameters: against convex hulls, closed forms and the
// likelihood itself on the way there.
package limits

import (
	"bufio"
	"context"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/sngdgen/sngdgen/generated/skewnormal"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/limit"
)

// TestSkewNormalAgainstHulls: the supremum at infinite slant belongs to the nearest facet of the convex hull, here found by
// scipy (testdata/hull.py).
func TestSkewNormalAgainstHulls(t *testing.T) {
	tables := map[string][][]float64{}
	for _, row := range lines(t, "hull.tsv")[1:] {
		fields := strings.Split(row, "\t")
		if tables[fields[0]] == nil {
			tables[fields[0]] = table(t, fields[0]+".csv")
		}
		var columns []int
		for _, c := range strings.Fields(fields[1]) {
			i, err := strconv.Atoi(c)
			if err != nil {
				t.Fatal(err)
			}
			columns = append(columns, i)
		}
		want, err := strconv.ParseFloat(fields[2], 64)
		if err != nil {
			t.Fatal(err)
		}
		m := new(skewnormal.Model)
		if err := m.SetData(runtime.Data{Values: choose(tables[fields[0]], columns), Columns: len(columns)}); err != nil {
			t.Fatal(err)
		}
		got, err := limit.Supremum(context.Background(), m, 0, nil)
		if err != nil {
			t.Errorf("%s: %v", row, err)
			continue
		}
		if off := math.Abs(-got.Loss - want); !(off <= 1e-8*math.Abs(want)) {
			t.Errorf("%s: %.15g, off by %.2g; %d searches, %d optima, %d times the best, %d evaluations", row, -got.Loss, off,
				got.Searches, got.Optima, got.Times, got.Evaluations)
		}
	}
}

func lines(t *testing.T, name string) []string {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []string
	for s := bufio.NewScanner(f); s.Scan(); {
		out = append(out, s.Text())
	}
	return out
}

func table(t *testing.T, name string) [][]float64 {
	t.Helper()
	var out [][]float64
	for _, line := range lines(t, name) {
		var row []float64
		for _, cell := range strings.Split(line, ",") {
			v, err := strconv.ParseFloat(cell, 64)
			if err != nil {
				t.Fatal(err)
			}
			row = append(row, v)
		}
		out = append(out, row)
	}
	return out
}

// choose lists the given columns of a table, row by row.
func choose(rows [][]float64, columns []int) []float64 {
	var out []float64
	for _, row := range rows {
		for _, c := range columns {
			out = append(out, row[c])
		}
	}
	return out
}
