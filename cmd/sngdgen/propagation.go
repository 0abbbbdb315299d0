package main

import (
	"fmt"
	"io"

	"github.com/sngdgen/sngdgen/runtime/estimate"
)

// evidenceOf says what an estimate of the evidence is.
func evidenceOf(q *estimate.Propagation) string {
	if q.Power == 0 {
		return "the evidence lower bound, by quadrature"
	}
	return "by expectation propagation"
}

// printPropagation says how a run of expectation propagation went.
func printPropagation(t io.Writer, q *estimate.Propagation) {
	fmt.Fprintf(t, "sweeps\t%d over %s, power %s\n", q.Sweeps, plural(q.Sites, "site"), digits(q.Power))
	if q.Negative > 0 {
		fmt.Fprintf(t, "negative\t%s of negative precision\n", plural(q.Negative, "site"))
	}
	if n := len(q.Skipped); n > 0 {
		fmt.Fprintf(t, "skipped\t%s without moments, the first that of factor %d\n", plural(n, "site"), q.Skipped[0])
	}
	if q.Step < 1 {
		fmt.Fprintf(t, "damping\tsteps of length %s\n", digits(q.Step))
	}
}
