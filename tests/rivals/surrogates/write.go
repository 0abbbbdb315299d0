package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	_ "embed"
)

//go:embed notes.md
var notes string

// theirStarts is how many bad starts R was given, of the same distribution.
const theirStarts = 20

// write makes the table.
func write(out io.Writer, versions map[string]string, now time.Time, outcomes []*outcome) error {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(versions)) {
		list = append(list, name+" "+versions[name])
	}
	head := fmt.Sprintf("# Regressions as surrogates\n\nMade by `go run ./tests/rivals/surrogates > tests/rivals/surrogates/TABLE.md` on %s, beside %s.\n\n",
		now.Format(time.DateOnly), strings.Join(list, ", "))
	_, err := fmt.Fprintf(out, "%s%s\n%s\n%s\n%s", head, strings.TrimSpace(notes)+"\n", summary(outcomes), courses(outcomes), starts(outcomes))
	return err
}

// iterations are those of a course to the maximum, of one that does not come there a limit.
func (e *outcome) iterations(c *course) int {
	if k := c.reached(e.usual, e.n); k >= 0 {
		return k
	}
	return mostEvaluations
}

// summary counts who needs fewer iterations than the surrogate by natural L-BFGS.
func summary(outcomes []*outcome) string {
	var b strings.Builder
	b.WriteString("## Summary\n\n| the surrogate by natural L-BFGS against | fewer iterations | as many | more | fewer evaluations | as many | more |\n" +
		"| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n")
	for i := range ways[1:] {
		var it, ev [3]int
		for _, e := range outcomes {
			a, c := e.results[0].good, e.results[i+1].good
			it[1+sign(e.iterations(a)-e.iterations(c))]++
			ev[1+sign(e.evaluations(a)-e.evaluations(c))]++
		}
		fmt.Fprintf(&b, "| %s | %d | %d | %d | %d | %d | %d |\n", ways[i+1].name, it[0], it[1], it[2], ev[0], ev[1], ev[2])
	}
	reached, of := make([]int, len(ways)), 0
	theirs, ofTheirs := 0, 0
	for _, e := range outcomes {
		of += badStarts
		for i, r := range e.results {
			reached[i] += e.fromBad(r)
		}
		if e.theirs.LogLikelihood != 0 {
			theirs, ofTheirs = theirs+e.theirs.FromBad, ofTheirs+theirStarts
		}
	}
	b.WriteString("\n| from bad starts | come to the maximum | of |\n| --- | ---: | ---: |\n")
	for i, w := range ways {
		fmt.Fprintf(&b, "| %s | %d | %d |\n", w.name, reached[i], of)
	}
	fmt.Fprintf(&b, "| R | %d | %d |\n", theirs, ofTheirs)
	return b.String()
}

func sign(x int) int {
	switch {
	case x < 0:
		return -1
	case x > 0:
		return 1
	}
	return 0
}

func (e *outcome) evaluations(c *course) int {
	if k := c.reached(e.usual, e.n); k >= 0 {
		return c.evaluations[k]
	}
	return 10 * mostEvaluations
}

// fromBad is how many bad starts lead to the maximum.
func (e *outcome) fromBad(r *result) int {
	n := 0
	for _, c := range r.bad {
		if c.reached(e.best, e.n) >= 0 {
			n++
		}
	}
	return n
}

// courses lists iterations, evaluations and times from the usual start.
func courses(outcomes []*outcome) string {
	var b strings.Builder
	b.WriteString("## From the usual start\n\nIterations (evaluations), milliseconds.\n\n| case | n | target | log-likelihood |")
	for _, w := range ways {
		b.WriteString(" " + w.name + " |")
	}
	b.WriteString(" R |\n| --- | ---: | --- | ---: |" + strings.Repeat(" ---: |", len(ways)+1) + "\n")
	for _, e := range outcomes {
		fmt.Fprintf(&b, "| %s | %.0f | %s | %.6f%s |", e.name, e.n, e.spec, e.usual, e.higher())
		for _, r := range e.results {
			k := r.good.reached(e.usual, e.n)
			if k < 0 {
				fmt.Fprintf(&b, " not in %d |", len(r.good.losses)-1)
				continue
			}
			fmt.Fprintf(&b, " %d (%d), %.3g |", k, r.good.evaluations[k], 1e3*r.good.seconds[k])
		}
		fmt.Fprintf(&b, " %s |\n", e.r())
	}
	return b.String()
}

// r is what R needed, and how far below the maximum it ended.
func (e *outcome) r() string {
	a := e.theirs
	if a.LogLikelihood == 0 {
		return "-"
	}
	text := fmt.Sprintf("%s, %.3g", e.rival, 1e3*a.Seconds)
	if a.Iterations >= 0 {
		text = fmt.Sprintf("%s %d, %.3g", e.rival, a.Iterations, 1e3*a.Seconds)
	}
	if below := e.usual - a.LogLikelihood; below > near {
		text += fmt.Sprintf(", %.2g below", below)
	}
	return text
}

// higher says how much higher the maximum is that a bad start led to.
func (e *outcome) higher() string {
	if e.best-e.usual <= near {
		return ""
	}
	return fmt.Sprintf(" (%.2g higher from a bad start)", e.best-e.usual)
}

// starts lists what became of bad starts: how many led to the maximum, and the median of the evaluations of these.
func starts(outcomes []*outcome) string {
	var b strings.Builder
	fmt.Fprintf(&b, "## From %d bad starts\n\nHow many come to the maximum, the median of the evaluations that these take.\n\n| case |", badStarts)
	for _, w := range ways {
		b.WriteString(" " + w.name + " |")
	}
	b.WriteString(" R |\n| --- |" + strings.Repeat(" ---: |", len(ways)+1) + "\n")
	for _, e := range outcomes {
		fmt.Fprintf(&b, "| %s |", e.name)
		for _, r := range e.results {
			var evaluations []int
			for _, c := range r.bad {
				if k := c.reached(e.best, e.n); k >= 0 {
					evaluations = append(evaluations, c.evaluations[k])
				}
			}
			slices.Sort(evaluations)
			if len(evaluations) == 0 {
				b.WriteString(" 0 |")
				continue
			}
			fmt.Fprintf(&b, " %d, %d |", len(evaluations), evaluations[len(evaluations)/2])
		}
		if e.theirs.LogLikelihood == 0 {
			b.WriteString(" - |\n")
		} else {
			fmt.Fprintf(&b, " %d of %d |\n", e.theirs.FromBad, theirStarts)
		}
	}
	return b.String()
}
