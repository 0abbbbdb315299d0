package main

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/sngdgen/sngdgen/tests/rivals"
)

// tolerance is what may separate two log-likelihoods of one optimum.
const tolerance = 1e-6

// near is how close to a supremum at infinity a run must come to have reached it: it is approached as the slant grows.
const near = 1e-2

// verdict is how what sngdgen says compares with what is known.
type verdict string

const (
	win          verdict = "win"          // a finite maximum above those of the others
	tie          verdict = "tie"          // the best finite maximum
	loss         verdict = "loss"         // a finite maximum, and not the best
	alone        verdict = "alone"        // a finite maximum where the others have none
	limit        verdict = "limit"        // an estimate at infinity, and nothing finite is higher than the limit
	contradicted verdict = "contradicted" // an estimate at infinity, though a finite maximum is higher than the limit
	failed       verdict = "failed"
)

// outcome is a fit of one family next to what the others know.
type outcome struct {
	test    *test
	family  string
	theirs  *family
	report  *rivals.Report
	verdict verdict
}

// compare fits both families to every subset to which there is an answer.
func compare(ctx context.Context, o *options, known *answers, tests []*test) ([]*outcome, error) {
	var outcomes []*outcome
	for _, t := range tests {
		a := answerTo(t, known)
		if a == nil {
			fmt.Fprintf(o.bench.Progress, "%s: no answer of the others for these data: -oracle asks them\n", t.name)
			continue
		}
		for _, c := range []*outcome{
			{test: t, family: "normal", theirs: &a.Normal},
			{test: t, family: "t", theirs: &a.T},
		} {
			if o.family != "" && o.family != c.family {
				continue
			}
			var err error
			if c.report, err = o.bench.Fit(ctx, "skew"+c.family, t.data, o.flags...); err != nil {
				return nil, err
			}
			c.verdict = c.judge()
			fmt.Fprintf(o.bench.Progress, "%s, %s: %s %s\n", t.name, c.family, c.verdict, c.report.Status)
			outcomes = append(outcomes, c)
		}
	}
	return outcomes, nil
}

func (c *outcome) judge() verdict {
	finite := c.finite()
	switch {
	case c.report.LogLikelihood == nil:
		return failed
	case c.atInfinity() && finite > c.theirs.limit()+tolerance:
		return contradicted
	case c.atInfinity():
		return limit
	case !c.report.Converged:
		return failed
	case math.IsInf(finite, -1):
		return alone
	case c.value() < finite-tolerance:
		return loss
	case c.value() > finite+tolerance:
		return win
	}
	return tie
}

// finite is the best finite maximum of the others, minus infinity if they have none.
func (c *outcome) finite() float64 {
	if len(c.theirs.Finite) == 0 {
		return math.Inf(-1)
	}
	return c.theirs.Finite[0].LogLikelihood
}

// value is the log-likelihood that sngdgen reports, NaN if there is none.
func (c *outcome) value() float64 {
	if c.report.LogLikelihood == nil {
		return math.NaN()
	}
	return *c.report.LogLikelihood
}

// atInfinity reports whether the status says so.
func (c *outcome) atInfinity() bool { return strings.Contains(c.report.Status, "infinity") }

// silent reports a finite verdict below the supremum at infinity, where the report has no limit that comes near it.
func (c *outcome) silent() bool {
	return c.report.Converged && c.theirs.limit() > c.value()+near && c.report.Supremum() < c.theirs.limit()-near
}

// reaches reports whether an estimate at infinity, or the limit that is reported with it, comes near the supremum.
func (c *outcome) reaches() bool { return c.atInfinity() && c.known() > c.theirs.limit()-near }

// understated reports whether the highest limit that the report states is below the supremum at infinity.
func (c *outcome) understated() bool {
	return len(c.report.Limits) > 0 && c.report.Supremum() < c.theirs.limit()-near && c.known() < c.theirs.limit()+near
}

// known is the highest log-likelihood that sngdgen reports, of the estimate or of a limit.
func (c *outcome) known() float64 { return max(c.value(), c.report.Supremum()) }

// belowSn is by how much sn's best log-likelihood is above what sngdgen reports, an estimate or a limit.
func (c *outcome) belowSn() float64 {
	if c.theirs.SnBest == nil {
		return math.NaN()
	}
	return *c.theirs.SnBest - c.known()
}
