package main

import (
	"math"
	"slices"
	"testing"

	"github.com/sngdgen/sngdgen/tests/rivals"
)

// Every answer is about a case of cases.csv, with its optima in order and above none that it leaves out.
func TestOracle(t *testing.T) {
	known, err := rivals.Load[*answer]("oracle.json")
	if err != nil {
		t.Fatal(err)
	}
	cases, err := rivals.Records(casesCSV)
	if err != nil {
		t.Fatal(err)
	}
	sets := map[string]bool{}
	for _, a := range known.Answers {
		sets[a.Name] = true
		if !slices.ContainsFunc(cases, func(r map[string]string) bool { return r["name"] == a.Name }) {
			t.Errorf("%s: no case", a.Key())
		}
		if !slices.IsSortedFunc(a.Solutions, func(x, y optimum) int { return int(math.Copysign(1, y.LogLikelihood-x.LogLikelihood)) }) {
			t.Errorf("%s: optima out of order", a.Key())
		}
		if a.N < rowsPerParameter*parameters(a.D, a.K) {
			t.Errorf("%s: %d rows for %d parameters", a.Key(), a.N, parameters(a.D, a.K))
		}
		if a.K == 1 && (len(a.Solutions) != 1 || math.Abs(a.Solutions[0].Eigenvalue-1) > 1e-9) {
			t.Errorf("%s: %+v, want the covariance of the data", a.Key(), a.Solutions)
		}
		// What a default call finds is among the optima or below the best of them, unless it is not sound.
		if best := a.bestWellSupported(); best != nil && a.K == 1 && math.Abs(*a.Mclust.LogLikelihood-best.LogLikelihood) > 1e-6*math.Abs(best.LogLikelihood) {
			t.Errorf("%s: mclust %v, best %v", a.Key(), *a.Mclust.LogLikelihood, best.LogLikelihood)
		}
	}
	if len(sets) < 20 {
		t.Errorf("%d cases, want 20", len(sets))
	}
}

// With the overall covariance as unit, a component as wide as the data has eigenvalue 1, in any coordinates.
func TestSmallest(t *testing.T) {
	rows := [][]float64{{1, 10}, {2, 13}, {4, 11}, {3, 19}, {0, 12}}
	root, err := covarianceRoot(rows)
	if err != nil {
		t.Fatal(err)
	}
	var s [2][2]float64
	for i := range 2 {
		for j := range 2 {
			for k := range i + 1 {
				if k <= j {
					s[i][j] += root.At(i, k) * root.At(j, k)
				}
			}
		}
	}
	whole := [][]float64{{s[0][0], s[0][1]}, {s[1][0], s[1][1]}}
	if e := smallest(whole, root); math.Abs(e-1) > 1e-12 {
		t.Errorf("the whole covariance: %v, want 1", e)
	}
	// Less 0.99 of what it has along (1, 2) in whitened coordinates: the least eigenvalue is 0.01.
	u := [2]float64{1 / math.Sqrt(5), 2 / math.Sqrt(5)}
	v := [2]float64{root.At(0, 0) * u[0], root.At(1, 0)*u[0] + root.At(1, 1)*u[1]}
	thin := [][]float64{{whole[0][0] - 0.99*v[0]*v[0], whole[0][1] - 0.99*v[0]*v[1]}, {whole[1][0] - 0.99*v[1]*v[0], whole[1][1] - 0.99*v[1]*v[1]}}
	if e := smallest(thin, root); math.Abs(e-0.01) > 1e-12 {
		t.Errorf("a thin covariance: %v, want 0.01", e)
	}
}

func TestJudge(t *testing.T) {
	value := func(x float64) *float64 { return &x }
	theirs := &answer{D: 1, Solutions: []optimum{{LogLikelihood: 9, Eigenvalue: 1e-9, Rows: 5}, {LogLikelihood: 5, Eigenvalue: 0.1, Rows: 5}}}
	sound := optimum{Eigenvalue: 0.1, Rows: 9}
	test := &test{data: &rivals.Data{Columns: []string{"x"}}}
	for _, c := range []struct {
		ours      optimum
		value     float64
		converged bool
		theirs    *answer
		want      verdict
	}{
		{sound, 5 + 1e-7, true, theirs, tie},
		{sound, 5.1, true, theirs, win},
		{sound, 4.9, true, theirs, loss},
		{sound, 4.9, false, theirs, failed},
		{optimum{Eigenvalue: 1e-7, Rows: 9}, 20, true, theirs, collapsed},
		{optimum{Eigenvalue: 0.1, Rows: 1.5}, 20, true, theirs, collapsed},
		{sound, 5, true, &answer{D: 1}, unknown},
		{optimum{Eigenvalue: 0.1, Rows: 9, Resolution: 1.9}, 20, true, theirs, collapsed},
		{optimum{Eigenvalue: 1e-7, Rows: 5, Narrow: 9, Resolution: 3}, 20, true, theirs, win},
		{optimum{Eigenvalue: 1e-7, Rows: 9, Narrow: 9, Resolution: 1}, 20, true, theirs, collapsed},
		{optimum{Eigenvalue: 1e-7, Rows: 5, Narrow: 5, Resolution: 3}, 20, true, theirs, collapsed},
	} {
		o := &outcome{test: test, theirs: c.theirs, ours: c.ours, report: &rivals.Report{LogLikelihood: value(c.value), Converged: c.converged}}
		if got := o.judge(); got != c.want {
			t.Errorf("%+v: %s, want %s", c, got, c.want)
		}
	}
}
