package grid

import (
	"math"
	"testing"
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
