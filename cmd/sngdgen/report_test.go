package main

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/estimate"
)

func TestDigits(t *testing.T) {
	for x, want := range map[float64]string{
		1.7774761608462538: "1.777476", 0.213166209956725916: "0.2131662", -237.961846839069226: "-237.9618",
		82: "82", 123456789.125: "123456789.1", -2.5e6: "-2500000.0", 1e-9: "1e-09", 1e300: "1e+300", math.Inf(1): "+Inf",
	} {
		if got := digits(x); got != want {
			t.Errorf("%v: %s, want %s", x, got, want)
		}
	}
}

func TestDuration(t *testing.T) {
	for seconds, want := range map[float64]string{
		1.2345e-5: "12.3 µs", 0.0501: "50.1 ms", 1.5: "1.5 s", 3725.4: "1h2m5s",
	} {
		if got := duration(seconds); got != want {
			t.Errorf("%v: %s, want %s", seconds, got, want)
		}
	}
}

// TestReportWithoutErrors prints what there is when standard errors could not be computed and starts disagreed.
func TestReportWithoutErrors(t *testing.T) {
	r := &estimate.Report{Target: "t", Surrogate: "s", Method: "unheard of", Status: runtime.Failed, Message: "outside the domain",
		Estimate: estimate.Values{{Name: "a", Value: math.NaN()}}, LogLikelihood: estimate.Number(math.NaN()), N: 2.5, Rows: 2, Distinct: 2}
	for i := range shownOptima + 2 {
		r.Optima = append(r.Optima, estimate.Optimum{Loss: estimate.Number(i), Count: 1, Examined: i == 0})
	}
	var b bytes.Buffer
	if err := printReport(&b, r); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"t by s, unheard of\n", "parameter   estimate\n", "a           NaN\n", "NaN\n",
		"2.5 (weights of 2 rows)", "mean loss 0 from 1 start\n", "mean loss 1 from 1 start (not examined)\n", "and 2 more\n", "failed: outside the domain"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}

// TestKnownParameters prints parameters that the map sets to a number: they have no standard error.
func TestKnownParameters(t *testing.T) {
	r := &estimate.Report{Target: "t", Surrogate: "s", Method: "bfgs", Level: 0.9,
		Estimate: estimate.Values{{Name: "nu", Value: 5}, {Name: "mu", Value: 1e8 + 0.25}},
		StdErr:   estimate.Values{{Name: "mu", Value: 0.01}},
		Interval: estimate.Intervals{{Name: "mu", Low: 1e8 + 0.2, High: 1e8 + 0.3}}}
	var b bytes.Buffer
	if err := printReport(&b, r); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"nu          5              known        \n", "mu          100000000.25   0.01         100000000.2 to 100000000.3\n"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}

// TestShapedErrors prints standard errors under vectors and small matrices.
func TestShapedErrors(t *testing.T) {
	filled := func(v estimate.Value, entries ...float64) estimate.Value {
		for i := range v.Entries {
			v.Entries[i] = entries[i%len(entries)]
		}
		return v
	}
	r := &estimate.Report{Target: "t", Surrogate: "s", Method: "nlbfgs", Level: 0.9, Rows: 7, N: 7, Distinct: 7,
		Estimate: estimate.Values{{Name: "nu", Value: 4}, counting("R", 2, 2), counting("mu", 9), counting("big", 9, 9), counting("fixed", 1)},
		StdErr: estimate.Values{{Name: "nu", Value: 0.5}, filled(counting("R", 2, 2), math.NaN(), 0.123456, 0.123456),
			filled(counting("mu", 9), 1.0/3), counting("big", 9, 9)},
		Interval: estimate.Intervals{{Name: "nu", Low: 3, High: 5}, {Name: "R", Shape: []int{2, 2}}}}
	r.StdErr[1].Entries[3] = math.NaN()
	var b bytes.Buffer
	if err := printReport(&b, r); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"nu          4          0.5          3 to 5\n\nR (2 x 2)\n   1   2\n   3   4\n",
		"\nstd. errors\n        -   0.1235\n   0.1235        -\n\nmu (9), abbreviated",
		"   ...   9\nstd. errors\n   0.3333   0.3333   0.3333   0.3333   0.3333   0.3333   ...   0.3333\n\nbig (9 x 9), abbr",
		"81\n\nfixed (1)\n   1\n\nlog-likelihood"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}
