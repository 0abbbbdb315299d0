package estimate

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/sngdgen/sngdgen/internal/fitfixture"
	"github.com/sngdgen/sngdgen/runtime"
)

// grouped has a number of components and nothing else.
type grouped struct{ *bare }

func (grouped) StartGroups(_, _ []float64, _ int) error { return nil }

// TestUntried: groups are known again whatever the numbers of the groups, and no others are.
func TestUntried(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, k := rapid.IntRange(1, 12).Draw(t, "rows"), rapid.IntRange(1, 4).Draw(t, "groups")
		label := rapid.SliceOfN(rapid.IntRange(0, k-1), n, n)
		a, b := label.Draw(t, "a"), label.Draw(t, "b")
		s := &search{mixture: grouped{&bare{sizes: []int{0, k}}}, tried: map[uint64]bool{}}
		if s.untried(a) != complete(a, k) || s.untried(a) {
			t.Fatal("not what no run has started from, or twice")
		}
		order := rapid.Permutation(seq(k)).Draw(t, "order")
		renamed := slices.Clone(a)
		for i, g := range a {
			renamed[i] = order[g]
		}
		if s.untried(renamed) {
			t.Fatal("the same groups under other numbers")
		}
		if same := samePartition(a, b); complete(a, k) && s.untried(b) != (complete(b, k) && !same) {
			t.Fatalf("%v after %v", b, a)
		}
	})
}

func seq(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// samePartition compares pairs of rows.
func samePartition(a, b []int) bool {
	for i := range a {
		for j := range i {
			if (a[i] == a[j]) != (b[i] == b[j]) {
				return false
			}
		}
	}
	return true
}

// TestSpots: rows close together in a wide cluster are the best place for one more component, wherever they are.
func TestSpots(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 20 {
		var x []float64
		for range 100 {
			x = append(x, rng.NormFloat64(), rng.NormFloat64())
		}
		at := [2]float64{rng.NormFloat64(), rng.NormFloat64()}
		for range 12 {
			x = append(x, at[0]+0.01*rng.NormFloat64(), at[1]+0.01*rng.NormFloat64())
		}
		p := newPrincipal(runtime.Data{Values: x, Columns: 2, Weights: slices.Repeat([]float64{1}, 112)})
		one := p.normals(1, func(_, _ int) float64 { return 1 })
		all := p.candidates(2, 1)
		best := p.best(all, one.density(-1), 3)
		if len(best) == 0 {
			t.Fatal("no spot")
		}
		rows := all[best[0].spot].rows
		if inside := slices.DeleteFunc(slices.Clone(rows), func(i int) bool { return i < 100 }); len(inside) < 10 || len(rows) > 20 {
			t.Errorf("the best spot has rows %v, want those from 100 on", rows)
		}
		for i, a := range best {
			if i > 0 && a.gain > best[i-1].gain {
				t.Error("not in order")
			}
		}
	}
}

// TestNormals: the density of normals with the moments of groups, against the formula; without one, of the others alone.
func TestNormals(t *testing.T) {
	x := []float64{0, 1, 2, 10, 12, 17}
	p := newPrincipal(runtime.Data{Values: x, Weights: []float64{1, 2, 1, 1, 1, 3}})
	q := p.normals(2, func(row, c int) float64 {
		if (row < 3) == (c == 0) {
			return 1
		}
		return 0
	})
	normal := func(x, mean, variance float64) float64 {
		return math.Exp(-(x-mean)*(x-mean)/(2*variance)) / math.Sqrt(2*math.Pi*variance)
	}
	moments := func(from, to int) (total, mean, variance float64) {
		for i := from; i < to; i++ {
			total += p.data.Weights[i]
			mean += p.data.Weights[i] * p.white[i]
		}
		mean /= total
		for i := from; i < to; i++ {
			variance += p.data.Weights[i] / total * (p.white[i] - mean) * (p.white[i] - mean)
		}
		return total, mean, variance + ridge
	}
	n0, m0, v0 := moments(0, 3)
	n1, m1, v1 := moments(3, 6)
	both, second := q.density(-1), q.density(0)
	for i, x := range p.white {
		f0, f1 := normal(x, m0, v0), normal(x, m1, v1)
		if want := math.Log((n0*f0 + n1*f1) / (n0 + n1)); math.Abs(both[i]-want) > 1e-12*(1+math.Abs(want)) {
			t.Errorf("row %d: %v, want %v", i, both[i], want)
		}
		if want := math.Log(f1); math.Abs(second[i]-want) > 1e-12*(1+math.Abs(want)) {
			t.Errorf("row %d without the first: %v, want %v", i, second[i], want)
		}
	}
}

// TestThin: a component of fewer rows than a normal of so many columns needs, or of few rows that lie nearly in a line, is chosen
// only where there is no other end.
func TestThin(t *testing.T) {
	p := &posterior{k: 2, columns: 2, weights: []float64{1, 1, 1, 1, 1, 1}, values: []float64{0, 0, 1, 0, 0, 1, 5, 5, 6, 5, 5, 7}, r: []float64{1, 0, 1, 0, 0.9, 0.1, 0, 1, 0, 1, 0, 1}}
	if !p.thin(false) || p.thin(true) {
		t.Error("2.9 rows of 3")
	}
	if p.r[4], p.r[5] = 1, 0; p.thin(false) {
		t.Error("3 rows of 3")
	}
	near := *p
	near.facts, near.values = nil, []float64{0, 0, 1, 0, 0, 1, 5, 5, 6, 6, 7, 7.001}
	if !near.thin(false) {
		t.Error("3 rows within a ten-thousandth of a line")
	}
	if near.facts, near.weights = nil, []float64{4, 4, 4, 4, 4, 4}; near.thin(false) {
		t.Error("12 rows within a ten-thousandth of a line")
	}
	end := func(loss float64, thin bool) attempt {
		return attempt{res: &runtime.Result{Loss: loss, Status: runtime.GradientConverged}, thin: thin, looked: true, judged: true,
			status: runtime.GradientConverged}
	}
	runs := []attempt{end(1, true), end(3, false), end(2, false), end(0, true)}
	if a := choose(t.Context(), new(fitfixture.Mixture), &Settings{}, runs); a != &runs[2] {
		t.Errorf("chose %+v", a)
	}
	runs = runs[:1]
	if a := choose(t.Context(), new(fitfixture.Mixture), &Settings{}, runs); a != &runs[0] {
		t.Errorf("chose %+v", a)
	}
}

// TestResume: what is told of a run that goes on from another is the way of both.
func TestResume(t *testing.T) {
	s := &search{}
	first := []*attempt{
		{start: 4, res: &runtime.Result{Z: []float64{1}, Iterations: 7, LossEvaluations: 2, GradientEvaluations: 9}},
		{start: 2, res: &runtime.Result{Z: []float64{2}, Iterations: 3, GradientEvaluations: 5}},
	}
	runs := s.resume(t.Context(), first, func(starts []start) []attempt {
		return []attempt{{start: 1, res: &runtime.Result{Iterations: 10, GradientEvaluations: 20}}, {start: 0, res: &runtime.Result{GradientEvaluations: 1}}}
	})
	for i, want := range []attempt{{start: 2, res: &runtime.Result{Iterations: 13, GradientEvaluations: 25}},
		{start: 4, res: &runtime.Result{Iterations: 7, LossEvaluations: 2, GradientEvaluations: 10}}} {
		got := runs[i].res
		if runs[i].start != want.start || got.Iterations != want.res.Iterations || got.LossEvaluations != want.res.LossEvaluations ||
			got.GradientEvaluations != want.res.GradientEvaluations {
			t.Errorf("run %d from start %d: %+v", i, runs[i].start, got)
		}
	}
}
