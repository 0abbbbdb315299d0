package main

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/estimate"
	"github.com/sngdgen/sngdgen/spec"
)

func TestParseCounts(t *testing.T) {
	for text, want := range map[string][]int{
		"": nil, "5": {5}, "1..4": {1, 2, 3, 4}, "3,5,8": {3, 5, 8}, "8,3..5, 4": {3, 4, 5, 8}, "2..2": {2},
	} {
		if got, err := parseCounts(text); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"0", "-1", "x", "1..", "..3", "4..2", "1,,2", ",", "1..2..3", "1...3", "1..100000", "1.5"} {
		if got, err := parseCounts(text); err == nil {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// TestCheckCounts: what a problem says of its components, and what the flags say.
func TestCheckCounts(t *testing.T) {
	none := &spec.Problem{Package: "one"}
	open := &spec.Problem{Package: "open", Components: &spec.Components{Name: "c"}}
	named := &spec.Problem{Package: "named", Components: &spec.Components{Name: "c"}, Dimensions: []spec.Dimension{{Name: "d", Size: 2}, {Name: "c", Size: 4}}}
	number := &spec.Problem{Package: "number", Components: &spec.Components{Size: 4}}
	for _, tc := range []struct {
		p      *spec.Problem
		counts []int
		want   string
	}{
		{none, nil, ""}, {none, []int{2}, "--components is for mixtures: one is none"},
		{open, []int{2, 3}, ""}, {named, []int{4}, ""}, {number, []int{4}, ""},
		{named, []int{3}, "--components: the spec of named pins their number to 4"},
		{number, []int{4, 5}, "pins their number to 4"},
	} {
		err := checkCounts(tc.p, tc.counts)
		var usage usageError
		if (err == nil) != (tc.want == "") || err != nil && (!strings.Contains(err.Error(), tc.want) || !errors.As(err, &usage)) {
			t.Errorf("%s, %v: %v", tc.p.Package, tc.counts, err)
		}
	}
	for p, want := range map[*spec.Problem]bool{none: false, open: true, named: false, number: false} {
		err := needCounts(p, nil)
		if (err != nil) != want || want && !strings.Contains(err.Error(), "\nhint: --components=3 fits three") {
			t.Errorf("%s: %v", p.Package, err)
		}
	}
	if err := needCounts(open, []int{1}); err != nil {
		t.Error(err)
	}
	if checkFloor(none, 0.1) == nil || checkFloor(open, 0.1) != nil || checkFloor(none, 0) != nil {
		t.Error("the floor")
	}
}

func vectorValue(name string, shape []int, entries ...float64) estimate.Value {
	return estimate.Value{Name: name, Shape: shape, Entries: entries}
}

func mixtureReport() *estimate.Report {
	return &estimate.Report{Target: "t", Surrogate: "s", Method: "nlbfgs", Level: 0.95, N: 500, Rows: 500, Distinct: 500,
		Status: runtime.GradientConverged, Converged: true, Message: "gradient converged", Iterations: 9, Evaluations: 12, Seconds: 0.0123,
		LogLikelihood: -1132.3, Free: 5, AIC: 2274.6, BIC: 2295.7, Entropy: 12.4, ICL: 2339.1,
		Dimensions: estimate.Sizes{{Name: "k", Len: 2}},
		Estimate: estimate.Values{vectorValue("weights", []int{2}, 0.25, 0.75), vectorValue("nu", []int{2}, 5, 5),
			vectorValue("mu", []int{2}, -1.0917506, 1e4)},
		StdErr:     estimate.Values{vectorValue("weights", []int{2}, 0.0125, 0.0125), vectorValue("mu", []int{2}, 0.0625, 0.001)},
		Components: []estimate.Component{{Weight: 0.25, Rows: 125.04}, {Weight: 0.75, Rows: 374.96, Note: estimate.Coincides, With: []int{1, 3, 4}}},
		Optima:     []estimate.Optimum{{Loss: 2.25, Count: 2, Starts: []int{0, 3}, Examined: true}}}
}

// TestMixtureReport prints a row for each component.
func TestMixtureReport(t *testing.T) {
	var b bytes.Buffer
	if err := printReport(&b, mixtureReport()); err != nil {
		t.Fatal(err)
	}
	want := `t by s, natural L-BFGS

component    weights   nu   mu          observations
1            0.25      5    -1.091751   125.0
std. error   0.0125    -    0.0625      
2            0.75      5    10000       375.0 coincides with 1, 3 and 4
std. error   0.0125    -    0.001       

log-likelihood   -1132.3
AIC              2274.6
BIC              2295.7
ICL              2339.1
entropy          12.4
n                500
k                2

iterations   9 (12 evaluations)
optima       mean loss 2.25 from 2 starts: 0, 3
stopped      gradient converged
time         12.3 ms
`
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}

// TestShapedMixture prints vectors and matrices component by component, without standard errors here, with them there.
func TestShapedMixture(t *testing.T) {
	r := mixtureReport()
	r.ICL, r.StdErr = 0, nil
	r.Components = []estimate.Component{{Rows: estimate.Number(math.NaN()), Floored: true}, {Rows: 3, Note: estimate.Died}}
	r.Estimate = estimate.Values{vectorValue("weights", []int{2}, 0.25, 0.75), vectorValue("xi", []int{2, 3}, 1, 2, 3, 4, 5, 6),
		vectorValue("S", []int{2, 2, 2}, 1, 2, 2, 5, 6, 7, 7, 9)}
	var b bytes.Buffer
	if err := printReport(&b, r); err != nil {
		t.Fatal(err)
	}
	if want := `
component   weights   observations
1           0.25      weight at the floor
2           0.75      3.0 died

component 1: xi (3)
   1   2   3

component 1: S (2 x 2)
   1   2
   2   5

component 2: xi (3)
   4   5   6

component 2: S (2 x 2)
   6   7
   7   9

log-likelihood`; !strings.Contains(b.String(), want) {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
	r.StdErr = estimate.Values{vectorValue("weights", []int{2}, 0.1, 0.1), vectorValue("xi", []int{2, 3}, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6)}
	b.Reset()
	if err := printReport(&b, r); err != nil {
		t.Fatal(err)
	}
	if want := "component 2: xi (3)\n   4   5   6\nstd. errors\n   0.4   0.5   0.6\n"; !strings.Contains(b.String(), want) {
		t.Errorf("no %q in\n%s", want, b.String())
	}
}

// TestCompared stars the best and prints what could not be fitted.
func TestCompared(t *testing.T) {
	row := func(k int, ll, aic, bic float64, status runtime.Status, best ...string) *compared {
		r := &estimate.Report{Target: "t", Surrogate: "s", Method: "nlbfgs", N: 100, Rows: 100, Distinct: 100, Free: 3*k - 1, Seconds: 0.001 * float64(k),
			LogLikelihood: estimate.Number(ll), AIC: estimate.Number(aic), BIC: estimate.Number(bic), Status: status, Converged: status.Converged()}
		return newCompared(&estimate.Numbered{Components: k, Report: r, Best: best})
	}
	nan := math.NaN()
	rows := []*compared{row(1, -300, 604, 610, runtime.GradientConverged), row(2, -250, 510, 530, runtime.GradientConverged, "bic"),
		row(3, -240, 496, 540, runtime.PrecisionReached, "aic"), row(4, -200, nan, nan, runtime.AtInfinity),
		newCompared(&estimate.Numbered{Components: 5, Error: "no start works\non these data"})}
	var b bytes.Buffer
	if err := printCompared(&b, rows); err != nil {
		t.Fatal(err)
	}
	want := `t by s, natural L-BFGS, n = 100

components   log-likelihood   parameters   AIC     BIC     status                 time
1            -300             2            604     610     gradient converged     1 ms
2            -250             5            510     530 *   gradient converged     2 ms
3            -240             8            496 *   540     precision reached      3 ms
4            -200             11           -       -       estimate at infinity   4 ms
5            -                -            -       -       failed: no start works

* the best: 2 by BIC; 3 by AIC
`
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
	if got := incomplete(rows); got != "4, 5" {
		t.Errorf("incomplete: %s", got)
	}
}

// TestNested reads arrays of arrays of arrays, as of the matrices of components.
func TestNested(t *testing.T) {
	v, err := estimate.ParseValue("S", []byte("[[[1,2],[3,4]],[[5,6],[7,8]],[[9,10],[11,12]]]"))
	if err != nil || !slices.Equal(v.Shape, []int{3, 2, 2}) || len(v.Entries) != 12 || v.Entries[7] != 8 {
		t.Errorf("%+v, %v", v, err)
	}
	for _, text := range []string{"[[1,2],3]", "[[[1]],[2]]", "[[[[1]]]]", "[[]]", "[]", "[1,[2]]", "[[[1],[2]],[[1]]]", `[["a"]]`} {
		if v, err := estimate.ParseValue("S", []byte(text)); err == nil {
			t.Errorf("%s: %+v", text, v)
		}
	}
}
