package estimate_test

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/sngdgen/sngdgen/runtime/estimate"
)

// The point of a hull that is nearest to 0, on paper.
func TestLeastOfHull(t *testing.T) {
	for _, c := range []struct {
		what string
		of   [][]float64
		want []float64
	}{
		{"one", [][]float64{{3, 4}}, []float64{3, 4}},
		{"an edge", [][]float64{{1, 2}, {1, -3}, {4, 0}}, []float64{1, 0}},
		{"a corner", [][]float64{{1, 1}, {2, 5}, {5, 2}}, []float64{1, 1}},
		{"a face", [][]float64{{3, 0, 0}, {0, 3, 0}, {0, 0, 3}, {4, 4, 4}}, []float64{1, 1, 1}},
		{"0 is inside", [][]float64{{1, 0}, {-1, 1}, {-1, -1}}, []float64{0, 0}},
	} {
		if got := estimate.LeastOfHull(c.of); floats.Distance(got, c.want, 2) > 1e-3 {
			t.Errorf("%s: %v, want %v", c.what, got, c.want)
		}
	}
}

// spent is an objective of rows of counts, each the exponential of a predictor less a multiple of it.
func spent(rows [][]float64, y []float64) func(g, x []float64) float64 {
	return func(g, x []float64) float64 {
		clear(g)
		f := 0.0
		for i, row := range rows {
			eta := floats.Dot(row, x)
			f += math.Exp(eta) - y[i]*eta
			floats.AddScaled(g, math.Exp(eta)-y[i], row)
		}
		return f
	}
}

// A run has ended at (10, 1, -11), where a row of 3 says that the first coordinate is 10 and rows of 0 are at exp(-20) and less. The second and third alone are on the wrong side of one of those, and the directions in which
// they grow are those within 90 degrees of what the rows of 0 are against; where these are opposite there is none.
func TestCuttingPlanes(t *testing.T) {
	for _, c := range []struct {
		what  string
		zeros [][]float64
		found bool
	}{
		{"one side", [][]float64{{-3, 10, 0}, {0, 3, 3}, {0, -1, 2}}, true},
		{"a corner", [][]float64{{-3, 10, 0}, {0, 1, 2}, {0, 0.5, 3}}, true},
		{"both sides", [][]float64{{-3, 10, 0}, {-4, -10, 0}, {0, 1, 2}, {-5, -1, -2}}, false},
	} {
		rows, y := append([][]float64{{math.Log(3) / 10, 0, 0}}, c.zeros...), make([]float64, 1+len(c.zeros))
		y[0] = 3
		way := estimate.Recession(&sheet{3, spent(rows, y)}, []float64{10, 1, -11})
		if (way != nil) != c.found {
			t.Errorf("%s: %v", c.what, way)
			continue
		}
		if way != nil && slices.ContainsFunc(c.zeros, func(row []float64) bool { return floats.Dot(row, way) >= 0 }) {
			t.Errorf("%s: %v is on the wrong side of a row", c.what, way)
		}
	}
}

// Rows of 0 on both sides of each of many coordinates leave no direction, in spans that would take a thousand candidates to exclude, one by one: a search ends where it has tried some.
func TestCandidatesEnd(t *testing.T) {
	const d, all = 40, 301 // those that are 0 are none of the span
	rows, at := [][]float64{make([]float64, all)}, make([]float64, all)
	rows[0][0], at[0] = math.Log(3)/10, 10
	for j := range d {
		at[1+j] = 1 + float64(j%3)
		for _, side := range []float64{3, -3} {
			row := make([]float64, all)
			row[0], row[1+j], row[1+(j+1)%d] = -3, side, side/4
			rows = append(rows, row)
		}
	}
	y := make([]float64, len(rows))
	y[0] = 3
	way, left := estimate.Candidates(&sheet{all, spent(rows, y)}, at)
	if way != nil || left > 8 {
		t.Errorf("%v, and %d candidates left", way, left)
	}
}
