package curves

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/sngdgen/sngdgen/internal/picture"
	"github.com/sngdgen/sngdgen/tests/paper/grid"
)

// run has samples every 10 steps and every half second.
func run(losses ...float64) grid.Run {
	var r grid.Run
	for i, x := range losses {
		r.Samples = append(r.Samples, grid.Sample{Step: 10 * i, Seconds: 0.5 * float64(i), Loss: x})
	}
	return r
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-12 }

// TestOf: means and two standard errors; a run that has ended stays where it is, and one that has failed ends the curve at
// its last but one sample, as it failed on the way from the last.
func TestOf(t *testing.T) {
	r := grid.Result{Method: "A", Runs: []grid.Run{run(5, 3, 1), run(5, 1)}}
	c := Of(&r, Iterations)
	if !slices.Equal(c.X, []float64{0, 10, 20}) || !slices.Equal(c.Mean, []float64{5, 2, 1}) || !near(c.Error[1], 2) || c.Error[2] != 0 {
		t.Errorf("%+v", c)
	}
	s := Of(&r, Seconds)
	if first, last := s.X[1], s.X[len(s.X)-1]; s.X[0] != 0 || !near(first, 0.5) || !near(last, 1) || s.Mean[0] != 5 || s.Mean[1] != 2 || s.Low() != 1 {
		t.Errorf("%+v", s)
	}
	r.Runs[1].Fault = "left the domain"
	if c := Of(&r, Iterations); !slices.Equal(c.X, []float64{0}) || c.Failed != 1 {
		t.Errorf("%+v", c)
	}
	if m, wide := grid.Spread([]float64{1, 2, 3, 4}); m != 2.5 || !near(wide, 2*math.Sqrt(5./3/4)) {
		t.Errorf("%v ± %v", m, wide)
	}
}

// TestFrontier: at each place the lowest mean that any setting has reached until then.
func TestFrontier(t *testing.T) {
	rs := []grid.Result{
		{Method: "A", Text: "fast", Runs: []grid.Run{run(5, 2, 3)}},
		{Method: "A", Text: "slow", Runs: []grid.Run{run(5, 4, 1)}},
		{Method: "B", Runs: []grid.Run{run(5, 0, 0)}},
	}
	if c := Frontier(rs, "A", Iterations); !slices.Equal(c.Mean, []float64{5, 2, 1}) {
		t.Errorf("%+v", c)
	}
	if got := Methods(rs); !slices.Equal(got, []string{"A", "B"}) {
		t.Errorf("%v", got)
	}
}

// twice is a method with the same run for two seeds, but for a constant.
func twice(method string, losses ...float64) grid.Result {
	var higher []float64
	for _, x := range losses {
		higher = append(higher, x+2)
	}
	return grid.Result{Method: method, Runs: []grid.Run{run(losses...), run(higher...)}}
}

// TestLead compares where the other one ends.
func TestLead(t *testing.T) {
	pairs := Pairs([]grid.Result{twice("A", 104, 4, 0, -1), twice("B", 104, 49, 9, 4)})
	l := LeadOf(pairs[0], pairs[1], math.NaN())
	if !near(l.Level, 6) || l.At[0] != 10 || l.Other[0] != 30 || l.There[0] != (Difference{-5, 0}) || l.Best.Outcome() != Ahead {
		t.Errorf("%+v", l)
	}
	if row := l.Row(); len(row) != len(Head) || row[2] != "6" || row[3] != "10" || row[4] != "3" || row[5] != "0.5" || row[7] != "-5\u00a0±\u00a00" {
		t.Errorf("%q", row)
	}
	back := LeadOf(pairs[1], pairs[0], math.NaN())
	if back.There[0].Outcome() != Behind || back.Best.Outcome() != Behind || back.Row()[3] != "never" || back.Ratio(Iterations) != 0 {
		t.Errorf("%+v: %q", back, back.Row())
	}
	if l := LeadOf(pairs[1], pairs[0], -100); !near(l.Level, 10) || l.At[0] != 20 {
		t.Errorf("above a floor: %+v", l)
	}
	rising := Of(&grid.Result{Method: "C", Runs: []grid.Run{run(10, 0, 9)}}, Iterations)
	if text := rising.Rise(); !strings.Contains(text, "lowest at 0, after 10 iterations, and at 9 in the end") {
		t.Error(text)
	}
	if text := pairs[0][0].Rise(); text != "" {
		t.Error(text)
	}
}

// TestLess: differences are of pairs of seeds, and one pair says nothing.
func TestLess(t *testing.T) {
	curve := func(runs ...grid.Run) Curve { return Of(&grid.Result{Runs: runs}, Iterations) }
	noisy := curve(run(9, 1), run(9, 5), run(9, 30))
	lower := curve(run(9, 0.5), run(9, 4.4), run(9, 29.6))
	if d := Less(&lower, &noisy, 10); !near(d.Mean, -0.5) || !near(d.Error, 2*math.Sqrt(0.01/3)) || d.Outcome() != Ahead {
		t.Errorf("%+v", d)
	}
	other := curve(run(9, 1), run(9, 6), run(9, 28))
	if d := Less(&other, &noisy, 10); d.Outcome() != Level {
		t.Errorf("%+v", d)
	}
	one := curve(run(9, 0))
	if d := Less(&one, &noisy, 10); d.Outcome() != Level {
		t.Errorf("one pair: %+v", d)
	}
	failed := Curve{}
	if d := Less(&failed, &noisy, 10); d.Outcome() != Behind {
		t.Errorf("%+v", d)
	}
	if d := Less(&noisy, &failed, 10); d.Outcome() != Ahead {
		t.Errorf("%+v", d)
	}
}

// TestDifference: the mean has the digits of its error.
func TestDifference(t *testing.T) {
	for d, want := range map[Difference]string{{-1.234, 0.087}: "-1.234\u00a0±\u00a00.087", {290.4, 402}: "+290\u00a0±\u00a0402", {-12.3, 4.21}: "-12.3\u00a0±\u00a04.2",
		{math.Inf(1), 0}: "one has failed"} {
		if d.String() != want {
			t.Errorf("%q, not %q", d, want)
		}
	}
}

// TestRungs counts iterations to distances from an optimum.
func TestRungs(t *testing.T) {
	pairs := Pairs([]grid.Result{
		{Method: "A", Runs: []grid.Run{run(3, 1.5, 1.01)}},
		{Method: "B", Runs: []grid.Run{run(3, 2, 1.5)}},
	})
	r := RungsOf(pairs, Iterations, 1, 0.5, 0.1)
	if !slices.Equal(r.At["A"], []float64{10, 20}) || r.At["B"][0] != 20 || !math.IsInf(r.At["B"][1], 1) {
		t.Errorf("%+v", r)
	}
	for _, c := range []struct {
		ours, theirs string
		want         [3]int
	}{{"A", "B", [3]int{2, 0, 0}}, {"B", "A", [3]int{0, 0, 2}}, {"B", "B", [3]int{0, 2, 0}}} {
		if ahead, level, behind := r.Counts(c.ours, c.theirs); [3]int{ahead, level, behind} != c.want {
			t.Errorf("%s and %s: %d, %d, %d", c.ours, c.theirs, ahead, level, behind)
		}
	}
	if text := r.Sentences([]string{"A", "B"})[1]; !strings.Contains(text, "within 1e-01 of the optimum: A 20, B never") {
		t.Error(text)
	}
}

// TestPanels: each curve has a line with its name and a band, both panels have the same losses, and can be drawn; on a logarithmic axis
// nothing is below 0; what is cut off is said.
func TestPanels(t *testing.T) {
	pairs := Pairs([]grid.Result{
		{Method: "SNGD", Runs: []grid.Run{run(5, 2, 1), run(5, 3, 1)}},
		{Method: "GD", Runs: []grid.Run{run(50, 4, 2), run(60, 4, 2)}},
	})
	for _, above := range []float64{math.NaN(), 1} {
		panels := View{Name: "curves-a", Title: "a", Loss: "loss", Above: above}.Panels(pairs)
		if panels[0].Y.Min != panels[1].Y.Min || panels[0].Y.Max != panels[1].Y.Max || panels[0].X.Log || !panels[1].X.Log {
			t.Errorf("%+v and %+v", panels[0].Y, panels[1].Y)
		}
		for _, p := range panels {
			if len(p.Layers) != 4 || p.Layers[1].Name != "SNGD" || p.Layers[3].Name != "GD" || p.Layers[0].Kind != picture.Band || p.Y.Log == math.IsNaN(above) {
				t.Errorf("%+v", p)
			}
			if cutOff := strings.Contains(p.Note, "cut off"); cutOff != math.IsNaN(above) {
				t.Errorf("%q", p.Note)
			}
			if _, err := picture.Inline(&p); err != nil {
				t.Error(err)
			}
			for _, l := range p.Layers {
				if p.Y.Log && slices.ContainsFunc(slices.Concat(l.Y, l.Low), func(y float64) bool { return !(y > 0) }) {
					t.Errorf("%+v is not positive", l)
				}
			}
		}
	}
}
