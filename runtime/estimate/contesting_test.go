package estimate

import (
	"testing"

	"github.com/sngdgen/sngdgen/runtime"
)

// TestContesting: a run that has failed, or has been ended, at a higher likelihood than all that is known of infinity speaks against a report that there is no maximum;
// one that is below a supremum, has ended at a maximum, or where there is no bound, does not.
func TestContesting(t *testing.T) {
	const rows = 100
	run := func(logLikelihood float64, s runtime.Status) attempt {
		return attempt{status: s, looked: true, res: &runtime.Result{Loss: -logLikelihood / rows, Status: s}}
	}
	rising := func(limits ...AtInfinity) *Report {
		return &Report{N: rows, LogLikelihood: -500, Status: runtime.AtInfinity, Message: noMaximum + "nu goes to infinity", Limits: limits}
	}
	bounded, above := AtInfinity{LogLikelihood: -500}, AtInfinity{LogLikelihood: -300}
	for name, c := range map[string]struct {
		rep  *Report
		runs []attempt
		want int // the run, -1 for none
	}{
		"failed":             {rising(bounded), []attempt{run(-500, runtime.AtInfinity), run(-450, runtime.Failed), run(-400, runtime.Failed)}, 2},
		"ended by a limit":   {rising(bounded), []attempt{run(-450, runtime.IterationLimit), run(-500, runtime.AtInfinity)}, 0},
		"a saddle point":     {rising(), []attempt{run(-450, runtime.SaddlePoint)}, 0},
		"not higher":         {rising(bounded), []attempt{run(-500, runtime.AtInfinity), run(-500, runtime.Failed)}, -1},
		"below a supremum":   {rising(bounded, above), []attempt{run(-500, runtime.AtInfinity), run(-400, runtime.Failed)}, -1},
		"without a bound":    {rising(AtInfinity{Unbounded: "Omega goes to 0"}), []attempt{run(-400, runtime.Failed)}, -1},
		"also to infinity":   {rising(bounded), []attempt{run(-400, runtime.AtInfinity)}, -1},
		"collapsed":          {rising(bounded), []attempt{run(-400, runtime.Collapsed)}, -1},
		"of another verdict": {&Report{N: rows, LogLikelihood: -500, Status: runtime.Failed}, []attempt{run(-400, runtime.Failed)}, -1},
		"never begun":        {rising(bounded), []attempt{{}}, -1},
	} {
		got := contesting(c.rep, c.runs)
		if c.want < 0 && got != nil || c.want >= 0 && got != &c.runs[c.want] {
			t.Errorf("%s: %v, want run %d", name, got, c.want)
		}
	}
}
