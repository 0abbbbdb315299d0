package main

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/sngdgen/sngdgen/tests/sheep"
)

//go:embed TABLE.md
var written string

var rows = sync.OnceValues(func() ([]row, error) { return experiment(methods, sheep.Starts) })

// of returns the row of a method with a line search.
func of(t *testing.T, name, search string) row {
	t.Helper()
	all, err := rows()
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(all, func(r row) bool { return r.name == name && r.search == search })
	return all[i]
}

// TestPaper has the orderings of the paper that hold here, with both line searches.
func TestPaper(t *testing.T) {
	for _, search := range []string{"exact", "grid"} {
		sngd := of(t, "SNGD", search)
		for _, name := range []string{"GD", "BFGS"} {
			if other := of(t, name, search); !(sngd.median(meanOf) < other.median(meanOf)) {
				t.Errorf("%s: SNGD takes %v iterations, %s %v", search, sngd.median(meanOf), name, other.median(meanOf))
			}
		}
		for _, name := range []string{"GD", "BFGS", "NGD", "NGD-g"} {
			other := of(t, name, search)
			for k := 1; k <= 3; k++ { // the early phase, in which the paper claims the advantage
				if !(sngd.average(k) < other.average(k)) {
					t.Errorf("%s, iteration %d: SNGD is at %.1e on average, %s at %.1e", search, k, sngd.average(k), name, other.average(k))
				}
			}
		}
		for _, name := range []string{"NGD", "NGD-g"} { // which approach Newton's method, as the paper says too
			if other := of(t, name, search); !(other.median(digitsOf) < sngd.median(digitsOf)) {
				t.Errorf("%s: %s takes %v iterations to ten digits, SNGD %v", search, name, other.median(digitsOf), sngd.median(digitsOf))
			}
		}
	}
}

// TestAll: every method gets within 1e-6 from every start; and to ten digits where it can.
func TestAll(t *testing.T) {
	all, err := rows()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range all {
		if n := r.counts(totalOf); n[len(n)-1] == never {
			t.Errorf("%s, %s, does not always come within 1e-6", r.name, r.search)
		}
		if n := r.counts(digitsOf); n[len(n)-1] == never {
			t.Errorf("%s, %s, does not always reach ten digits", r.name, r.search)
		}
	}
}

// TestTable: TABLE.md is what the program prints. What depends on the last bits of a loss, the counts of evaluations and
// those to ten digits, is left out of the comparison.
func TestTable(t *testing.T) {
	all, err := rows()
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(table(all), "\n") {
		cells := strings.SplitN(line, " | ", 6)
		if want := strings.Join(cells[:min(5, len(cells))], " | "); !strings.Contains(written, want) {
			t.Errorf("TABLE.md lacks the line %s\nwrite it again: go run ./tests/paper/negbin > tests/paper/negbin/TABLE.md", line)
		}
	}
}
