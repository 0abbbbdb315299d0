package main

import (
	"math"
	"slices"
	"testing"

	"github.com/sngdgen/sngdgen/tests/variational/datasets"
)

// TestMeasure: the variance of a gradient of independent draws falls as their number grows, and that of a conjugate posterior with matched draws,
// of which there are twice as many as normal numbers, is none but rounding.
func TestMeasure(t *testing.T) {
	p := posterior{name: "stand-in", problem: "linearregression"}
	data, err := datasets.Read("../../rivals/posteriors/testdata/linearknown.csv")
	if err != nil {
		t.Fatal(err)
	}
	p.data = data
	m, err := p.load()
	if err != nil {
		t.Fatal(err)
	}
	z, err := start(m, 1)
	if err != nil {
		t.Fatal(err)
	}
	variance := func(w way, draws int) float64 {
		if err := m.SetDraws(draws); err != nil {
			t.Fatal(err)
		}
		return measure(m, z, w, 400).variance
	}
	few, many := variance(ways[0], 8), variance(ways[0], 32)
	if ratio := few / many; !(ratio > 3 && ratio < 5.3) {
		t.Errorf("four times the draws have the variance divided by %v", ratio)
	}
	matched := ways[slices.IndexFunc(ways, func(w way) bool { return w.name == "matched" })]
	if left := variance(matched, 4*normals(m)); !(math.Abs(left) < 1e-6*many) {
		t.Errorf("matched draws leave %v of %v", left, many)
	}
}

// TestOppose: of each part the second half are the negatives of the first.
func TestOppose(t *testing.T) {
	values := []float64{1, 2, 9, 9, 3, 4, 9, 9}
	oppose(values, 4)
	if !slices.Equal(values, []float64{1, 2, -1, -2, 3, 4, -3, -4}) {
		t.Errorf("%v", values)
	}
}

// TestNumbers: numbers of draws are even, in order and each once.
func TestNumbers(t *testing.T) {
	for d := 1; d < 60; d++ {
		list := numbers(d)
		for i, n := range list {
			if n%2 != 0 && d%2 == 0 || i > 0 && n <= list[i-1] {
				t.Errorf("of %d normal numbers %v", d, list)
			}
		}
	}
}
