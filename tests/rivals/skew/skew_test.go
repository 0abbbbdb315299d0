package main

import (
	"math"
	"slices"
	"testing"

	"github.com/sngdgen/sngdgen/tests/rivals"
)

// What the answers say of limits and maxima fits together.
func TestOracle(t *testing.T) {
	known, err := rivals.Load[*answer]("oracle.json")
	if err != nil {
		t.Fatal(err)
	}
	descending := func(ends []end) bool {
		return slices.IsSortedFunc(ends, func(x, y end) int { return int(math.Copysign(1, y.LogLikelihood-x.LogLikelihood)) })
	}
	for _, a := range known.Answers {
		if !descending(a.Normal.Finite) || !descending(a.T.Finite) {
			t.Errorf("%s: maxima out of order", a.Name)
		}
		// The skew-normal is the limit of the skew-t.
		if a.T.Infinity < a.Normal.Infinity || a.T.Normal == nil || *a.T.Normal < a.Normal.Infinity {
			t.Errorf("%s: limits of the skew-t are below those of the skew-normal", a.Name)
		}
		if len(a.Normal.Finite) > 0 && *a.T.Normal < a.Normal.Finite[0].LogLikelihood {
			t.Errorf("%s: the skew-t tends to no less than the skew-normal", a.Name)
		}
		// What sn reports is no higher than a maximum or the supremum.
		best := a.Normal.limit()
		if len(a.Normal.Finite) > 0 {
			best = max(best, a.Normal.Finite[0].LogLikelihood)
		}
		if a.Normal.SnBest != nil && *a.Normal.SnBest > best+1e-6*(1+math.Abs(best)) {
			t.Errorf("%s: sn reports %v, above all maxima and the supremum %v", a.Name, *a.Normal.SnBest, best)
		}
	}
}

func TestJudge(t *testing.T) {
	value := func(x float64) *float64 { return &x }
	with := &family{Infinity: 3, Finite: []end{{LogLikelihood: 5}}}
	below := &family{Infinity: 6, Finite: []end{{LogLikelihood: 5}}}
	without := &family{Infinity: 3}
	for _, c := range []struct {
		theirs    *family
		value     float64
		limits    []rivals.Limit
		status    string
		converged bool
		want      verdict
		silent    bool
	}{
		{with, 5, nil, "gradient converged", true, tie, false},
		{with, 4, nil, "gradient converged", true, loss, false},
		{with, 6, nil, "gradient converged", true, win, false},
		{below, 5, nil, "gradient converged", true, tie, true},
		{below, 5, []rivals.Limit{{LogLikelihood: value(6)}}, "gradient converged", true, tie, false},
		{with, 2.9, nil, "estimate at infinity", false, contradicted, false},
		{below, 5.9, nil, "estimate at infinity", false, limit, false},
		{without, 3, nil, "estimate at infinity", false, limit, false},
		{without, 2, nil, "gradient converged", true, alone, true},
		{with, 5, nil, "failed", false, failed, false},
	} {
		o := &outcome{theirs: c.theirs, report: &rivals.Report{LogLikelihood: value(c.value), Limits: c.limits, Status: c.status, Converged: c.converged}}
		if got := o.judge(); got != c.want || o.silent() != c.silent {
			t.Errorf("%+v: %s, silent %v", c, got, o.silent())
		}
	}
}
