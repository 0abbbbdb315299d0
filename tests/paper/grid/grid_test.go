package grid

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/sngdgen/sngdgen/runtime"
)

// TestTable on runs by hand.
func TestTable(t *testing.T) {
	c := &Checkpoints{Steps: []int{10, 20}, Seconds: []float64{1}, Every: 10}
	of := func(losses ...float64) Run {
		var r Run
		for i, x := range losses {
			r.Samples = append(r.Samples, Sample{10 * i, 0.6 * float64(i), x})
		}
		return r
	}
	failed := of(5)
	failed.Fault = "out of the domain"
	rs := []Result{
		{"A", "fast", []Run{of(5, 2, 2), of(5, 4, 2)}},
		{"A", "slow", []Run{of(5, 3.5, 1), of(5, 3.5, 1)}},
		{"B", "broken", []Run{failed, of(5, math.NaN(), 1)}},
	}
	if s := rs[0].Score(c); math.Abs(s-(5+4+2)/3.0) > 1e-15 {
		t.Errorf("the score is %v", s)
	}
	if b := Best(rs, c); len(b) != 2 || b[0].Text != "slow" || !math.IsInf(b[1].Score(c), 1) {
		t.Errorf("the best are %v", b)
	}
	want := `| method | setting | 10 steps | 20 steps | 1 s | ms/step | back |
| --- | --- | --- | --- | --- | --- | --- |
| A | fast | 3.000 ± 2.000 | 2.000 ± 0.000 | 3.000 ± 2.000 | 60 | 0 |
| A | slow | 3.500 ± 0.000 | 1.000 ± 0.000 | 3.500 ± 0.000 | 60 | 0 |
| B | broken | failed | failed | failed | 60 | 0 |
`
	if got := Table(rs, c); got != want {
		t.Errorf("the table is\n%s\nnot\n%s", got, want)
	}
	want = `| method | 10 steps | 20 steps | 1 s |
| --- | --- | --- | --- |
| A | 3.000 | 1.000 | 3.000 |
| B | failed | failed | failed |
`
	if got := Frontier(rs, c); got != want {
		t.Errorf("the frontier is\n%s\nnot\n%s", got, want)
	}
}

// TestThin: later steps are evaluated more rarely, the last one always, and without Thin all are.
func TestThin(t *testing.T) {
	var at []int
	c := &Checkpoints{Steps: []int{230}, Every: 10, Thin: 30}
	for _, thin := range []int{30, 0} {
		c.Thin, at = thin, nil
		w := &Watch{Checkpoints: c, Loss: func([]float64) float64 { return 0 }}
		for k := 0; k <= 230; k += 10 {
			if err := w.Record(&runtime.Iteration{Index: k}); (err != nil) != (k == 230) {
				t.Errorf("step %d: %v", k, err)
			}
		}
		for _, s := range w.Samples {
			at = append(at, s.Step)
		}
		if thin > 0 && !slices.Equal(at, []int{0, 10, 20, 30, 50, 100, 150, 200, 230}) || thin == 0 && len(at) != 24 {
			t.Errorf("evaluated at %v", at)
		}
	}
}

// TestParallel: every setting is run with every seed, in the places of both, and the first error ends all.
func TestParallel(t *testing.T) {
	settings := []Setting{{Method: "a", Step: 1}, {Method: "b", Step: 2}}
	run := func(_ context.Context, s Setting, seed uint64) (Run, error) {
		if s.Step == 3 {
			return Run{}, errors.New("three")
		}
		return Run{Back: int(10*s.Step) + int(seed)}, nil
	}
	calls := 0
	done := func(Setting, uint64, Run) { calls++ }
	rs, err := Parallel(t.Context(), settings, 3, 2, run, done)
	if err != nil || calls != 6 || len(rs) != 2 {
		t.Fatalf("%v, %d calls, %v", rs, calls, err)
	}
	for i, r := range rs {
		for seed, x := range r.Runs {
			if r.Method != settings[i].Method || x.Back != 10*(i+1)+seed {
				t.Errorf("%s, seed %d: %+v", r.Method, seed, x)
			}
		}
	}
	if _, err := Parallel(t.Context(), append(settings, Setting{Step: 3}), 3, 2, run, done); err == nil || !strings.Contains(err.Error(), "three") {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Parallel(ctx, settings, 3, 2, run, done); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
