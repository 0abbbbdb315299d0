package limit

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"
)

// function is an objective for tests.
type function struct {
	n int
	f func(g, u []float64) float64
}

func (f function) Dim() int                        { return f.n }
func (f function) Gradient(g, u []float64) float64 { return f.f(g, u) }

// functions with their minima.
var functions = map[string]struct {
	function
	start []float64
	want  float64
}{
	"Rosenbrock": {function{2, func(g, u []float64) float64 {
		a, b := 1-u[0], u[1]-u[0]*u[0]
		g[0], g[1] = -2*a-400*u[0]*b, 200*b
		return a*a + 100*b*b
	}}, []float64{-1.2, 1}, 0},
	// Nesterov's first function in Lewis and Overton, section 6.1, of two variables, with 1/4 for the first term.
	"nonsmooth Rosenbrock": {function{2, func(g, u []float64) float64 {
		a, b := u[0]-1, u[1]-2*u[0]*u[0]+1
		s := math.Copysign(1, b)
		g[0], g[1] = a/2-4*u[0]*s, s
		return a*a/4 + math.Abs(b)
	}}, []float64{-1, 0.9}, 0}, // not on the kink, where the derivative of one side need not lead down
	// The largest of |u1|, 100|u2| and of two planes: a corner at 0.
	"corner": {function{2, func(g, u []float64) float64 {
		planes := [][2]float64{{1, 0}, {-1, 0}, {0, 100}, {0, -100}, {3, 7}}
		top := math.Inf(-1)
		for _, p := range planes {
			if v := p[0]*u[0] + p[1]*u[1]; v > top {
				top, g[0], g[1] = v, p[0], p[1]
			}
		}
		return top
	}}, []float64{3, 0.7}, 0},
	"bounded domain": {function{1, func(g, u []float64) float64 {
		g[0] = 1 - 1/u[0]
		if u[0] <= 0 {
			return math.NaN()
		}
		return u[0] - math.Log(u[0])
	}}, []float64{50}, 1},
	"without a minimum": {function{1, func(g, u []float64) float64 {
		g[0] = -math.Exp(-u[0])
		return math.Exp(-u[0])
	}}, []float64{0}, 0},
	"constant": {function{2, func(g, _ []float64) float64 { clear(g); return 5 }}, []float64{1, 2}, 5},
}

func TestMinima(t *testing.T) {
	for name, c := range functions {
		scale := make([]float64, c.n)
		for i := range scale {
			scale[i] = 1
		}
		s := newSearch(c, scale)
		f, err := s.polish(context.Background(), s.from(c.start))
		if err != nil || !(math.Abs(f-c.want) <= 1e-9) {
			t.Errorf("%s: %v at %v after %d evaluations, want %v; %v", name, f, s.u, s.evaluations, c.want, err)
		}
		if s.evaluations > 3000 {
			t.Errorf("%s: %d evaluations", name, s.evaluations)
		}
	}
}

// TestAbandoned: a search that cannot come to the value to beat is abandoned, once patience has run out; one that can is not, and ends where it would have.
func TestAbandoned(t *testing.T) {
	slow := functions["nonsmooth Rosenbrock"]
	run := func(beat float64, patience int) (*search, float64) {
		s := newSearch(slow, []float64{1, 1})
		s.beat, s.patience = beat, patience
		f, err := s.run(context.Background(), s.from(slow.start), fine)
		if err != nil {
			t.Fatal(err)
		}
		return s, f
	}
	whole, end := run(math.NaN(), 0)
	if whole.abandoned {
		t.Error("abandoned with nothing to beat")
	}
	for _, c := range []struct {
		beat      float64
		patience  int
		abandoned bool
	}{{-1000, 0, true}, {-1000, whole.evaluations, false}, {end, 0, false}, {end + 1, 0, false},
		{end - near/2, 0, false}} {
		s, f := run(c.beat, c.patience)
		if s.abandoned != c.abandoned {
			t.Errorf("to beat %v with a patience of %d: abandoned %v at %v after %d evaluations", c.beat, c.patience, s.abandoned, f, s.evaluations)
		}
		if !c.abandoned && f != end || c.abandoned && s.evaluations >= whole.evaluations {
			t.Errorf("to beat %v the search ended at %v after %d evaluations, by itself at %v after %d", c.beat, f, s.evaluations, end, whole.evaluations)
		}
	}
}

// TestHopeless: what is out of reach at the pace of a stretch, which counts for less where it slows down.
func TestHopeless(t *testing.T) {
	for _, c := range []struct {
		above, decrease, before float64
		want                    bool
	}{
		{9, 0.2, math.NaN(), false}, {11, 0.2, math.NaN(), true}, // 50 stretches as good as the first
		{9, 0.2, 0.2, false}, {11, 0.2, 0.2, true},
		{9, 0.2, 0.3, true}, {1.9, 0.2, 0.3, false}, // the sum of 0.2 0.9^i over all i is 2, and less from the next stretch on
		{9, 0.2, 0.25, false}, {near / 2, 0, 1, false},
	} {
		s := &search{beat: 1 - c.above, patience: 10, evaluations: 11}
		if got := s.hopeless(1, c.decrease, c.before); got != c.want {
			t.Errorf("%v above the value to beat, after decreases of %v and %v: %v", c.above, c.before, c.decrease, got)
		}
		if s.evaluations = 10; s.hopeless(1, c.decrease, c.before) {
			t.Error("before patience has run out")
		}
	}
}

// TestScales: a search in other units goes through the same points.
func TestScales(t *testing.T) {
	c := functions["nonsmooth Rosenbrock"]
	k := 1024.0
	scaled := function{2, func(g, u []float64) float64 {
		f := c.f(g, []float64{u[0] / k, u[1] * k})
		g[0], g[1] = g[0]/k, g[1]*k
		return f
	}}
	one, other := newSearch(c, []float64{1, 1}), newSearch(scaled, []float64{k, 1 / k})
	a, _ := one.run(context.Background(), one.from(c.start), fine)
	b, _ := other.run(context.Background(), other.from([]float64{c.start[0] * k, c.start[1] / k}), fine)
	if a != b || one.evaluations != other.evaluations {
		t.Errorf("%v after %d evaluations, in other units %v after %d", a, one.evaluations, b, other.evaluations)
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	c := functions["Rosenbrock"]
	s := newSearch(c, []float64{1, 1})
	if _, err := s.run(ctx, s.from(c.start), rough); err != context.Canceled {
		t.Error(err)
	}
}

// A search allocates nothing after newSearch.
func TestSearchDoesNotAllocate(t *testing.T) {
	c := functions["nonsmooth Rosenbrock"]
	s := newSearch(c, []float64{1, 1})
	if n := testing.AllocsPerRun(3, func() { s.run(context.Background(), s.from(c.start), rough) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestCount(t *testing.T) {
	ends := []float64{1, 2, 1 + 1e-9, 3, 1, 2}
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(ends), func(i, j int) { ends[i], ends[j] = ends[j], ends[i] })
	if optima, times := count(ends, 1); optima != 3 || times != 3 {
		t.Errorf("%d optima, the best %d times", optima, times)
	}
	if got := unseen(3, 6); got != 12.0/30 {
		t.Errorf("unseen %v", got)
	}
	if unseen(1, 1) != 1 {
		t.Error("one search says nothing")
	}
}

// TestCrawl: a search that takes all of its steps, and hardly gains anything by them, is given up, and said not to have ended.
func TestCrawl(t *testing.T) {
	const n, gain = 8, 1e-12
	asked := 0
	f := function{n, func(g, _ []float64) float64 {
		clear(g)
		g[asked%n] = 1e-6
		asked++
		return 1 - gain*float64(asked)
	}}
	scale := make([]float64, n)
	for i := range scale {
		scale[i] = 1
	}
	s := newSearch(f, scale)
	if _, err := s.polish(context.Background(), s.from(scale)); err != nil || !s.abandoned || asked < fine.iterations || asked > 100*fine.iterations {
		t.Errorf("after %d evaluations: given up %v; %v", asked, s.abandoned, err)
	}
}

// TestBeaten: where it is asked only whether a value is beaten, a search ends there.
func TestBeaten(t *testing.T) {
	c := functions["Rosenbrock"]
	s := newSearch(c, []float64{1, 1})
	s.beat, s.patience, s.beaten = 1, 1000, true
	f, err := s.polish(context.Background(), s.from(c.start))
	few := s.evaluations
	if err != nil || !(f < 1) || f < 1e-3 || s.abandoned {
		t.Errorf("%v at %v, %v", f, s.u, err)
	}
	s.beaten, s.evaluations = false, 0
	if s.polish(context.Background(), s.from(c.start)); few > s.evaluations/2 {
		t.Errorf("%d evaluations, to the minimum %d", few, s.evaluations)
	}
}
