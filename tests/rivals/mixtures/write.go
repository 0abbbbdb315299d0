package main

import (
	"cmp"
	_ "embed"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"
)

// notes is the text around the tables, whose places are at %s.
//
//go:embed notes.md
var notes string

// write prints the report.
func write(out io.Writer, o *options, known *answers, outcomes []*outcome) error {
	command := "sngdgen fit mvnormalmix|normalmix DATA --components k --json"
	if len(o.flags) > 0 {
		command += " " + strings.Join(o.flags, " ")
	}
	_, err := fmt.Fprintf(out, notes, time.Now().Format(time.DateOnly), command, known.Software(),
		unmeasured(known), counts(outcomes), calls(outcomes), times(outcomes), behind(outcomes), all(outcomes))
	return err
}

// unmeasured says of which cases nobody knows what rounding adds to the optima of the others.
func unmeasured(known *answers) string {
	var names []string
	for _, a := range known.Answers {
		of := func(o optimum) bool { return o.Resolution == 0 }
		if slices.ContainsFunc(a.Solutions, of) && !slices.Contains(names, a.Name) {
			names = append(names, a.Name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "What rounding adds was not asked about the optima of the others for " + strings.Join(names, ", ") + ".\n"
}

func counts(outcomes []*outcome) string {
	var b strings.Builder
	b.WriteString("| | tests | win | tie | loss | collapsed | failed | alone | none |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n")
	row := func(name string, chosen func(*outcome) bool) {
		n := map[verdict]int{}
		total := 0
		for _, c := range outcomes {
			if chosen(c) {
				n[c.verdict]++
				total++
			}
		}
		fmt.Fprintf(&b, "| %s | %d | %d | %d | %d | %d | %d | %d | %d |\n", name, total, n[win], n[tie], n[loss], n[collapsed], n[failed],
			n[unknown], n[neither])
	}
	row("all", func(*outcome) bool { return true })
	row("k = 1", func(c *outcome) bool { return c.test.k == 1 })
	row("k = 2", func(c *outcome) bool { return c.test.k == 2 })
	row("k = 3", func(c *outcome) bool { return c.test.k == 3 })
	row("k > 3", func(c *outcome) bool { return c.test.k > 3 })
	row("the best of the others is well supported", func(c *outcome) bool {
		best := c.theirs.best()
		return best != nil && best.wellSupported(c.test.columns())
	})
	return b.String()
}

// calls compares with the default calls of the others, which stop early.
func calls(outcomes []*outcome) string {
	var b strings.Builder
	b.WriteString("| sngdgen against the default call of | above | equal | below | sngdgen not sound or failed |\n" +
		"| --- | ---: | ---: | ---: | ---: |\n")
	row := func(name string, of func(*answer) *float64) {
		above, equal, below, none := 0, 0, 0, 0
		for _, c := range outcomes {
			theirs := of(c.theirs)
			switch {
			case c.verdict == collapsed || c.verdict == failed || c.verdict == neither:
				none++
			case theirs == nil || *c.report.LogLikelihood > *theirs+tolerance:
				above++
			case *c.report.LogLikelihood < *theirs-tolerance:
				below++
			default:
				equal++
			}
		}
		fmt.Fprintf(&b, "| %s | %d | %d | %d | %d |\n", name, above, equal, below, none)
	}
	row("scikit-learn", func(a *answer) *float64 { return a.Sklearn.LogLikelihood })
	row("mclust", func(a *answer) *float64 { return a.Mclust.LogLikelihood })
	return b.String()
}

// times compares the times of all tests with more than one component.
func times(outcomes []*outcome) string {
	var b strings.Builder
	b.WriteString("| sngdgen's seconds over those of | tests | median ratio | slower in |\n| --- | ---: | ---: | ---: |\n")
	row := func(name string, of func(*answer) float64) {
		var ratios []float64
		slower := 0
		for _, c := range outcomes {
			if s := of(c.theirs); s > 0 && c.theirs.K > 1 {
				ratios = append(ratios, c.seconds/s)
				if c.seconds > s {
					slower++
				}
			}
		}
		slices.Sort(ratios)
		median := math.NaN()
		if len(ratios) > 0 {
			median = ratios[len(ratios)/2]
		}
		fmt.Fprintf(&b, "| %s | %d | %.3g | %d |\n", name, len(ratios), median, slower)
	}
	row("scikit-learn, default", func(a *answer) float64 { return a.Sklearn.Seconds })
	row("mclust, default", func(a *answer) float64 { return a.Mclust.Seconds })
	row("the restarts", func(a *answer) float64 { return a.RestartSeconds })
	return b.String()
}

// behind lists what is not won or tied, worst first.
func behind(outcomes []*outcome) string {
	var bad []*outcome
	for _, c := range outcomes {
		if c.verdict != win && c.verdict != tie && c.verdict != unknown && c.verdict != neither {
			bad = append(bad, c)
		}
	}
	amount := func(c *outcome) float64 {
		if a := c.ahead(); !math.IsNaN(a) {
			return a
		}
		return math.Inf(-1)
	}
	slices.SortStableFunc(bad, func(a, b *outcome) int { return cmp.Compare(amount(a), amount(b)) })
	var b strings.Builder
	b.WriteString("| case | k | verdict | ahead | ahead of well supported | status | eigenvalue, rows of ours | of theirs | found by |\n" +
		"| --- | ---: | --- | ---: | ---: | --- | --- | --- | --- |\n")
	for _, c := range bad {
		best, found := c.theirs.best(), ""
		theirs := "-"
		if best != nil {
			found = strings.Join(best.By, "; ")
			theirs = fmt.Sprintf("%.1e, %.1f", best.Eigenvalue, best.Rows)
		}
		fmt.Fprintf(&b, "| %s | %d | %s | %s | %s | %s | %.1e, %.1f | %s | %s |\n", c.test.name, c.test.k, c.verdict, signed(c.ahead()),
			signed(c.aheadOfWellSupported()), status(c), c.ours.Eigenvalue, c.ours.Rows, theirs, found)
	}
	return b.String()
}

// aheadOfWellSupported is by how much the log-likelihood of sngdgen is above the best of the others without small components.
func (o *outcome) aheadOfWellSupported() float64 {
	best := o.theirs.bestWellSupported()
	if best == nil || o.report.LogLikelihood == nil {
		return math.NaN()
	}
	return *o.report.LogLikelihood - best.LogLikelihood
}

func status(c *outcome) string { return strings.ReplaceAll(c.report.Status, "|", "/") }

func signed(x float64) string {
	if math.IsNaN(x) {
		return "-"
	}
	if math.Abs(x) < tolerance {
		return "0"
	}
	return fmt.Sprintf("%+.3g", x)
}

func all(outcomes []*outcome) string {
	var b strings.Builder
	b.WriteString("| case | n | d | k | best of the others | scikit-learn | mclust | sngdgen | verdict | status | evaluations | " +
		"seconds: sngdgen | scikit-learn | mclust | restarts |\n" +
		"| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- | --- | ---: | ---: | ---: | ---: | ---: |\n")
	for _, c := range outcomes {
		a := c.theirs
		value := "-"
		below := func(p *float64) string { return "-" }
		if best := a.best(); best != nil {
			value = fmt.Sprintf("%.6f", best.LogLikelihood)
			below = func(p *float64) string {
				if p == nil {
					return "failed"
				}
				return signed(*p - best.LogLikelihood)
			}
		}
		fmt.Fprintf(&b, "| %s | %d | %d | %d | %s | %s | %s | %s | %s | %s | %d | %.2g | %.2g | %.2g | %.2g |\n", a.Name, a.N, a.D, a.K, value,
			below(a.Sklearn.LogLikelihood), below(a.Mclust.LogLikelihood), below(c.report.LogLikelihood), c.verdict, status(c),
			c.report.Evaluations, c.seconds, a.Sklearn.Seconds, a.Mclust.Seconds, a.RestartSeconds)
	}
	return b.String()
}
