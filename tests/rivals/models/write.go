package main

import (
	_ "embed"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/sngdgen/sngdgen/tests/rivals"
)

// notes is the text around the tables, whose places are at %s.
//
//go:embed notes.md
var notes string

func write(out io.Writer, known *rivals.Answers[*answer], outcomes []*outcome) error {
	var likelihoods, posteriors, asked strings.Builder
	for _, c := range outcomes {
		fmt.Fprintf(&asked, "| %s | %s | %s | `%s` | %s |\n", c.theirs.Name, c.spec["spec"], c.spec["set"],
			strings.ReplaceAll(c.spec["arguments"], "|", "\\|"), quoted(c.theirs.Call))
		r, t := c.report, c.theirs
		if t.Maximum == nil {
			m := c.moments()
			fmt.Fprintf(&posteriors, "| %s | %d | %.3f | %.3f | %.3f, %s | %.4f | %.2f | %.0f | %s | %s | %s | %s |\n",
				t.Name, t.N, m.means, m.sds, m.worst, m.of, r.ELBO.Mean,
				r.ELBO.KHat, t.ESS, number(1e3*r.Seconds), number(1e3*t.Seconds), number(r.Seconds/t.Seconds), r.Status)
			continue
		}
		p, s := distance(&r.estimate, t.Maximum)
		theirs, errors := distance(&t.estimate, t.Maximum)
		missing := (t.Maximum.LogLikelihood - r.LogLikelihood) / math.Max(1, math.Abs(t.Maximum.LogLikelihood))
		fmt.Fprintf(&likelihoods, "| %s | %d | %.6f | %s | %s | %s | %s | %s | %s | %d | %s | %s | %s | %s |\n",
			t.Name, t.N, r.LogLikelihood, number(missing), number(p), number(s),
			number(t.Maximum.LogLikelihood-t.LogLikelihood), number(theirs), number(errors), r.Iterations,
			number(1e3*r.Seconds), number(1e3*t.Seconds), number(r.Seconds/t.Seconds), r.Status)
	}
	_, err := fmt.Fprintf(out, notes, known.Software(), likelihoods.String(), posteriors.String(), asked.String())
	return err
}

func quoted(call string) string {
	if call == "" {
		return "NUTS"
	}
	return "`" + strings.ReplaceAll(call, "|", "\\|") + "`"
}

func number(x float64) string {
	if math.IsNaN(x) {
		return "-"
	}
	return fmt.Sprintf("%.2g", x)
}
