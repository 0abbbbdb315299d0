package figure

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/sngdgen/sngdgen/internal/testseed"
	"github.com/sngdgen/sngdgen/runtime/types"

	"github.com/sngdgen/sngdgen/internal/picture"
	"github.com/sngdgen/sngdgen/runtime"
	"github.com/sngdgen/sngdgen/runtime/estimate"
)

// someRows draws numbers, many of them equal, with weights or without, at least one of them positive.
func someRows(t *rapid.T) (x, w []float64) {
	x = rapid.SliceOfN(rapid.OneOf(rapid.Float64Range(-1e3, 1e3), rapid.Map(rapid.IntRange(-3, 3), func(i int) float64 { return float64(i) })), 1, 300).Draw(t, "x")
	w = make([]float64, len(x))
	for i := range w {
		w[i] = float64(rapid.IntRange(0, 3).Draw(t, "w"))
	}
	w[0]++
	return x, w
}

// TestHistogram: the bars of a histogram and what lies outside of it are all the weight there is.
func TestHistogram(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, w := someRows(t)
		s := newSample(x, w)
		low, high := s.core()
		high += 1e-3 * (1 + high - low)
		h := s.histogram(low, high)
		area := 0.0
		for i, y := range h.heights {
			area += y * (h.edges[i+1] - h.edges[i])
		}
		if n := len(h.heights); n < leastBins || n > mostBins || len(h.edges) != n+1 {
			t.Fatalf("%d bars, %d edges", n, len(h.edges))
		}
		if all := area + s.outside(low, high)/s.total(); math.Abs(all-1) > 1e-6 { // edges round
			t.Fatalf("%v of the weight", all)
		}
	})
}

// TestQuantiles: a quantile is a number of the sample, with at least the part of the weight at or below it, and less below.
func TestQuantiles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, w := someRows(t)
		s := newSample(x, w)
		p := rapid.Float64Range(0.001, 0.999).Draw(t, "p")
		q := s.quantile(p)
		below, upTo := 0.0, 0.0
		for i, v := range x {
			if v < q {
				below += w[i]
			}
			if v <= q {
				upTo += w[i]
			}
		}
		if !slices.Contains(x, q) || upTo < p*s.total()*(1-1e-9) || below > p*s.total()*(1+1e-9) {
			t.Fatalf("the quantile %v is %v: %v below, %v up to it, of %v", p, q, below, upTo, s.total())
		}
	})
}

// TestGroups: groups of whole numbers have all frequencies, and the probabilities that are given.
func TestGroups(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		most := rapid.IntRange(1, 20_000).Draw(t, "most")
		n := rapid.IntRange(1, 100).Draw(t, "n")
		x, w := make([]float64, n), make([]float64, n)
		for i := range x {
			x[i], w[i] = float64(rapid.IntRange(0, most).Draw(t, "x")), 1+float64(i%3)
		}
		s := newSample(x, w)
		at := s.integers()
		stride := at[1] - at[0]
		d := new(estimate.Density)
		for range at {
			d.Log, d.Shares = append(d.Log, -math.Log(stride*float64(len(at)))), append(d.Shares, 0.25, 0.75)
		}
		g := group(s, at, d, 2)
		sum := func(x []float64) (total float64) {
			for _, v := range x {
				total += v
			}
			return total
		}
		if len(g.observed) > shownCounts+1 || math.Abs(sum(g.observed)-1) > 1e-9 || math.Abs(sum(g.expected)-1) > 1e-9 ||
			math.Abs(sum(g.parts[1])-0.75) > 1e-9 {
			t.Fatalf("%d bars, %v observed, %v expected, %v of the second component", len(g.observed), sum(g.observed), sum(g.expected), sum(g.parts[1]))
		}
	})
}

// TestSmooth: smoothing keeps the mass where the range ends, whatever the width of the kernel, and a normal sample has about its
// density.
func TestSmooth(t *testing.T) {
	a := axis{low: 0, high: 1, cells: 50, least: 0, most: 1}
	for _, sd := range []float64{0, 0.001, 0.02, 0.3, 2} {
		row := make([]float64, a.cells)
		row[0], row[17], row[49] = 1, 2, 3
		a.smooth(row, sd)
		sum := 0.0
		for _, v := range row {
			sum += v
		}
		if sd < 0.3 && math.Abs(sum-6) > 1e-9 {
			t.Errorf("width %v: mass %v", sd, sum)
		}
	}
	rng := runtime.Stream(1, "smooth")
	x, y := make([]float64, 40_000), make([]float64, 40_000)
	for i := range x {
		x[i], y[i] = rng.NormFloat64(), 2+3*rng.NormFloat64()
	}
	c := axis{low: -4, high: 4, cells: 100, least: math.Inf(-1), most: math.Inf(1), kernel: fullKernel}
	for i, v := range c.curve(x) {
		z := c.centers()[i]
		if want := math.Exp(-z*z/2) / math.Sqrt(2*math.Pi); math.Abs(v-want) > 0.02 {
			t.Errorf("density at %v: %v, want %v", z, v, want)
		}
	}
	d := axis{low: -12, high: 16, cells: 60, least: math.Inf(-1), most: math.Inf(1), kernel: fullKernel}
	e := axis{low: -4, high: 4, cells: 60, least: math.Inf(-1), most: math.Inf(1), kernel: fullKernel}
	z := surface(&e, &d, x, y)
	for j, v := range d.centers() {
		for i, u := range e.centers() {
			if want := math.Exp(-u*u/2-(v-2)*(v-2)/18) / (6 * math.Pi); math.Abs(z[j*60+i]-want) > 0.007 {
				t.Errorf("density at %v, %v: %v, want %v", u, v, z[j*60+i], want)
			}
		}
	}
	// Of a normal pair half of the probability is where the density is above half of its maximum, 90 % above a tenth.
	at := levels(z, e.width()*d.width(), 0.5, 0.9)
	if top := 1 / (6 * math.Pi); len(at) != 2 || math.Abs(at[0]/top-0.5) > 0.05 || math.Abs(at[1]/top-0.1) > 0.02 {
		t.Errorf("levels %v of %v", at, top)
	}
}

// TestCompareQuantiles: quantiles of a sample from the same distribution are inside the envelope at about 95 % of the levels, those of
// another distribution are not.
func TestCompareQuantiles(t *testing.T) {
	rng := runtime.Stream(2, "quantiles")
	const n, sets = 200, 199
	draws, same, other := make([]float64, n*sets), make([]float64, n), make([]float64, n)
	for i := range draws {
		draws[i] = rng.NormFloat64()
	}
	for i := range same {
		same[i], other[i] = rng.NormFloat64(), rng.ExpFloat64()-1
	}
	outside := func(x []float64) (count int) {
		q := compareQuantiles(equal(x), draws, n)
		if len(q.observed) != n || !slices.IsSorted(q.expected) || !slices.IsSorted(q.observed) {
			t.Errorf("%d quantiles", len(q.observed))
		}
		for i, v := range q.observed {
			if v < q.low[i] || v > q.high[i] {
				count++
			}
		}
		return count
	}
	if k := outside(same); k > n/5 {
		t.Errorf("%d of %d quantiles outside", k, n)
	}
	if k := outside(other); k < n/3 {
		t.Errorf("of another distribution %d of %d quantiles outside", k, n)
	}
}

// TestCourses: the runs of a start follow each other, and points without a loss are left out.
func TestCourses(t *testing.T) {
	nan := math.NaN()
	runs := []estimate.RunTrace{
		{Start: 1, Points: []estimate.TracePoint{{Iteration: 0, Loss: 9}, {Iteration: 5, Loss: 8, Seconds: 2}}},
		{Start: 0, Points: []estimate.TracePoint{{Iteration: 0, Loss: 7}, {Iteration: 1, Loss: nan}, {Iteration: 2, Loss: 6}}},
		{Start: 1, Points: []estimate.TracePoint{{Iteration: 0, Loss: 8}, {Iteration: 3, Loss: 1, Seconds: 1}}},
		{Start: 2, Points: []estimate.TracePoint{{Iteration: 0, Loss: nan}}},
	}
	all := courses(runs)
	if len(all) != 2 || !slices.Equal(all[0].iterations, []float64{0, 2}) || !slices.Equal(all[1].iterations, []float64{0, 5, 5, 8}) ||
		!slices.Equal(all[1].loss, []float64{9, 8, 8, 1}) {
		t.Errorf("%+v %+v", all[0], all[1])
	}
	r := &estimate.Report{Problem: "p", Start: 0, Details: &estimate.Details{Runs: runs}}
	if untimed := losses(r, false); len(untimed) != 1 || untimed[0].Name != "loss" {
		t.Errorf("%d panels without times", len(untimed))
	}
	panels := losses(r, true)
	if len(panels) != 2 || len(panels[0].Layers) != 1 { // of start 0 there is one point above its end
		t.Fatalf("%d panels", len(panels))
	}
	if l := panels[1].Layers[0]; panels[1].Name != "loss-seconds" || !slices.Equal(l.X, []float64{2, 2}) {
		t.Errorf("%+v", l)
	}
	if l := panels[0].Layers[0]; l.Name != "other starts" || !slices.Equal(l.Y, []float64{3, 2, 2}) {
		t.Errorf("%+v", l)
	}
}

// TestShown: what is shown is inside the range of the type, and leaves out few rows.
func TestShown(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, w := someRows(t)
		s := &Subject{Columns: []string{"x"}, Entries: rapid.SampledFrom(types.Entries[:3]).Draw(t, "type"),
			Data: runtime.Data{Values: x, Weights: w}}
		for i := range x {
			switch s.Entries {
			case types.Positive:
				x[i] = math.Exp(x[i] / 50)
			case types.Unit:
				x[i] = 1 / (1 + math.Exp(-x[i]/100))
			}
		}
		c := s.column(0)
		low, high := s.shown(0, c)
		least, most := s.support(0)
		if !(low > least && high < most && low < high) {
			t.Fatalf("%v to %v of %v to %v", low, high, least, most)
		}
		if out := c.outside(low, high); out > 0.05*c.total() {
			t.Fatalf("%v of %v rows outside", out, c.total())
		}
		if line := s.line(); !slices.IsSorted(line) || line[0] < low || line[len(line)-1] > high*(1+1e-12)+1e-300 && line[len(line)-1] > high+1e-9*(high-low) {
			t.Fatalf("%v to %v", line[0], line[len(line)-1])
		}
	})
}

func TestFileName(t *testing.T) {
	for name, want := range map[string]string{"r": "r", "mu[2]": "mu-2", "Sigma[1;2]": "Sigma-1-2", "../x": "x", "": ""} {
		if got := fileName(name); got != want {
			t.Errorf("%q becomes %q, want %q", name, got, want)
		}
	}
}

// TestProfilePanel: the note says what was found, and the picture has the curve, the estimate and the ends of the interval.
func TestProfilePanel(t *testing.T) {
	p := profile(&estimate.Profile{Name: "r", Estimate: 2, Values: []float64{1, 2, 3}, LogLikelihood: []float64{-5, -3, -6}, Level: 0.95, Low: 1.2,
		High: math.NaN(), Maximum: -3, Best: -3, Unfinished: 1})
	if p.Note != "95 % interval: 1.2 to beyond what was looked at; 1 value left out, where no maximum over the other parameters was found" {
		t.Error(p.Note)
	}
	if len(p.Layers) != 3 || !slices.Equal(p.Layers[0].Y, []float64{-2, 0, -3}) || !slices.Equal(p.Layers[2].X, []float64{1.2}) || p.Layers[0].Kind != picture.Line {
		t.Errorf("%+v", p.Layers)
	}
}

// TestRequest: what is asked for of long vectors is bounded, in numbers and in operations.
func TestRequest(t *testing.T) {
	for _, d := range []int{1, 2, 3, 50, 300, 5000} {
		s := &Subject{Entries: types.Real, Form: types.Vector, Data: runtime.Data{Columns: d, Values: make([]float64, 200*d)}}
		for i := range s.Data.Values {
			s.Data.Values[i] = float64(i * i % 101)
		}
		r := s.Request(nil)
		if n := r.Draws * d; n > max(mostNumbers, leastFitted*d) || len(r.Rows) > mostNumbers {
			t.Errorf("%d numbers of draws and %d of rows in %d columns", n, len(r.Rows), d)
		}
		work := float64(r.Scored+len(r.Rows)/d) * float64(d*d*d)
		if work > 6*scoredWork || r.Scored > r.Draws {
			t.Errorf("%v operations for %d log-densities in %d columns", work, r.Scored+len(r.Rows)/d, d)
		}
		if (r.Scored > 0) != (d > 1 && d < 250) {
			t.Errorf("%d log-densities of draws in %d columns", r.Scored, d)
		}
	}
}

// TestWideQuantiles: positive numbers that are spread over decades have logarithmic axes, others have not.
func TestWideQuantiles(t *testing.T) {
	for _, c := range []struct {
		least float64
		log   bool
	}{{0.01, true}, {5, false}, {-1, false}} {
		q := &comparedQuantiles{observed: []float64{c.least, 10, 900}, expected: []float64{8, 20, 800}}
		p := q.panel(picture.Panel{Name: "quantiles"})
		if p.X.Log != c.log || p.Y.Log != c.log || !(p.Y.Min < c.least && p.Y.Max > 900) || p.Y.Log && !(p.Y.Min > 0) {
			t.Errorf("from %v: %+v", c.least, p.Y)
		}
		if _, err := picture.Inline(&p); err != nil {
			t.Error(err)
		}
	}
}

// TestVarying: a number that is the same in all draws has no picture.
func TestVarying(t *testing.T) {
	a := &estimate.Approximation{Sample: new(estimate.PosteriorDraws)}
	a.Sample.Columns = []string{"L[1;1]", "L[1;2]", "L[2;2]"}
	rng := runtime.Stream(3, "varying")
	for range 200 {
		a.Sample.Values = append(a.Sample.Values, rng.ExpFloat64(), 0, rng.NormFloat64())
	}
	if which := varying(a); !slices.Equal(which, []int{0, 2}) {
		t.Errorf("%v", which)
	}
	a.Sample.LogJoint = make([]float64, 200)
	panels := margins(a)
	if len(panels) == 0 || len(panels[0].Grid[0]) != 2 || panels[0].Grid[0][1].Title != "L[2;2]" {
		t.Errorf("%+v", panels)
	}
}
