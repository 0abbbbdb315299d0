package expr

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// points are the numbers that the ranges of the test are made of and tried with.
var points = []float64{-1e200, -3, -1, -0.5, -1e-200, 0, 1e-200, 0.5, 1, 2, 1e200}

func drawRange(t *rapid.T) Range {
	ends := append([]float64{math.Inf(-1), math.Inf(1)}, points...)
	r := Range{
		rapid.SampledFrom(ends).Draw(t, "lo"), rapid.SampledFrom(ends).Draw(t, "hi"),
		rapid.Bool().Draw(t, "open"), rapid.Bool().Draw(t, "open"),
	}
	r = closed(r)
	if r.Empty() {
		return Real
	}
	return r
}

// members are the points in a range, and numbers next to its ends.
func members(r Range) []float64 {
	list := append(slices.Clone(points), r.Lo, r.Hi, math.Nextafter(r.Lo, 2), math.Nextafter(r.Hi, -2), r.Lo/2+r.Hi/2)
	return slices.DeleteFunc(list, func(v float64) bool { return math.IsInf(v, 0) || !r.Contains(v) })
}

func TestRangeArithmetic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r, s := drawRange(t), drawRange(t)
		c := rapid.SampledFrom(points).Draw(t, "factor")
		e := rapid.SampledFrom([]float64{-3, -2, -1, -0.5, 0.5, 1, 1.5, 2, 3}).Draw(t, "exponent")
		contains := func(what string, out Range, v float64) {
			if out.Empty() || !math.IsNaN(v) && !math.IsInf(v, 0) && (v < out.Lo || v > out.Hi || v != 0 && !nearly(out, v)) {
				t.Fatalf("%s: %v is not in %v (of %v, %v, %v, %v)", what, v, out, r, s, c, e)
			}
		}
		for _, x := range members(r) {
			contains("scale", r.scale(c), c*x)
			contains("power", r.power(e), math.Pow(x, e))
			contains("neg", r.neg(), -x)
			for _, y := range members(s) {
				contains("add", r.add(s), x+y)
				contains("times", r.times(s), x*y)
				if in := r.Intersect(s); s.Contains(x) != in.Contains(x) {
					t.Fatalf("%v is in %v and %v, but not in %v", x, r, s, in)
				}
			}
			if r.Within(s) && !s.Contains(x) {
				t.Fatalf("%v is within %v but has %v", r, s, x)
			}
		}
	})
}

// nearly allows a value to be rounded to an open end.
func nearly(r Range, v float64) bool { return r.Contains(v) || v == r.Lo || v == r.Hi }

// A product that can be 0 exactly has 0 in its range.
func TestRangeAttainsZero(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r, s := drawRange(t), drawRange(t)
		if (r.Contains(0) || s.Contains(0)) != r.times(s).Contains(0) && r.times(s) != Real {
			t.Fatalf("%v times %v is %v", r, s, r.times(s))
		}
		if r.Contains(0) && !r.power(2).Contains(0) || r.Contains(0) && !r.scale(-2).Contains(0) {
			t.Fatalf("%v: squared %v, scaled %v", r, r.power(2), r.scale(-2))
		}
	})
}
