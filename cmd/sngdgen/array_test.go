package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/sngdgen/sngdgen/runtime/estimate"
)

// counting is a vector or matrix of 1, 2, 3, ...
func counting(name string, shape ...int) estimate.Value {
	v := estimate.Value{Name: name, Shape: shape}
	n := shape[0]
	if len(shape) == 2 {
		n *= shape[1]
	}
	for i := range n {
		v.Entries = append(v.Entries, float64(i+1))
	}
	return v
}

func TestPrintArrays(t *testing.T) {
	third := estimate.Value{Name: "eta", Shape: []int{2}, Entries: []float64{-1.0 / 3, 1e-9}}
	for want, vs := range map[string]estimate.Values{
		"eta (2)\n   -0.33333   1e-09\n":                                              {third},
		"A (2 x 3)\n   1   2   3\n   4   5   6\n":                                     {counting("A", 2, 3)},
		"a (1)\n   1\n\nb (2)\n   1   2\n":                                            {counting("a", 1), counting("b", 2)},
		"\nb (1)\n   1\n":                                                             {{Name: "nu", Value: 3}, counting("b", 1)},
		"v (8)\n   1   2   3   4   5   6   7   8\n":                                   {counting("v", 8)},
		"v (9), abbreviated: --json prints all\n   1   2   3   4   5   6   ...   9\n": {counting("v", 9)},
	} {
		var b bytes.Buffer
		if printArrays(&b, vs); b.String() != want {
			t.Errorf("got\n%s\nwant\n%s", b.String(), want)
		}
	}
	var b bytes.Buffer
	printArrays(&b, estimate.Values{counting("big", 43, 43)})
	lines := strings.Split(strings.TrimSpace(b.String()), "\n")
	if len(lines) != 1+shownEntries || len(lines[8]) > 80 || !strings.HasSuffix(lines[8], "1849") || !strings.Contains(lines[7], "...") {
		t.Error(b.String())
	}
}

// A report of vectors and matrices alone has no table of numbers.
func TestShapedReport(t *testing.T) {
	r := &estimate.Report{Target: "t", Surrogate: "s", Method: "nlbfgs", Estimate: estimate.Values{counting("mu", 2), counting("Sigma", 2, 2)},
		Dimensions: estimate.Sizes{{Name: "d", Len: 2}}, Rows: 7, N: 7, Distinct: 7,
		Optima: []estimate.Optimum{{Loss: 1, Count: 2, Starts: []int{0, 3}, Examined: true}, {Loss: 2, Count: 1, Start: 1, Starts: []int{1}, Examined: true}}}
	var b bytes.Buffer
	if err := printReport(&b, r); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"t by s, natural L-BFGS\n\nmu (2)\n   1   2\n\nSigma (2 x 2)\n   1   2\n   3   4\n\nlog-likelihood",
		"n                7\nd                2\n", "optima       mean loss 1 from 2 starts: 0, 3\n", "mean loss 2 from 1 start: 1\n"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}
