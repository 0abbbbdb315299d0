package main

import (
	"cmp"
	_ "embed"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

// notes is the text around the tables, whose places are at %s.
//
//go:embed notes.md
var notes string

// write prints the report.
func write(out io.Writer, o *options, known *answers, outcomes []*outcome) error {
	command := "sngdgen fit skewnormal|skewt DATA --json"
	if len(o.flags) > 0 {
		command += " " + strings.Join(o.flags, " ")
	}
	_, err := fmt.Fprintf(out, notes, command, known.Software(), counts(outcomes), behind(outcomes), all(outcomes, "normal"),
		all(outcomes, "t"))
	return err
}

func counts(outcomes []*outcome) string {
	var b strings.Builder
	verdicts := []verdict{win, tie, loss, alone, limit, contradicted, failed}
	b.WriteString("| family | subsets |")
	for _, v := range verdicts {
		fmt.Fprintf(&b, " %s |", v)
	}
	b.WriteString(" limit reached | below the limit without a word | stated limit too low | sn above | sn below |\n| --- |" +
		strings.Repeat(" ---: |", len(verdicts)+6) + "\n")
	for _, family := range []string{"normal", "t"} {
		n := map[verdict]int{}
		total, reached, silent, low, above, below := 0, 0, 0, 0, 0, 0
		for _, c := range outcomes {
			if c.family != family {
				continue
			}
			total++
			n[c.verdict]++
			reached += one(c.reaches())
			silent += one(c.silent())
			low += one(c.understated())
			above += one(c.belowSn() > tolerance)
			below += one(c.belowSn() < -tolerance)
		}
		fmt.Fprintf(&b, "| skew-%s | %d |", family, total)
		for _, v := range verdicts {
			fmt.Fprintf(&b, " %d |", n[v])
		}
		fmt.Fprintf(&b, " %d | %d | %d | %d | %d |\n", reached, silent, low, above, below)
	}
	return b.String()
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

// behind lists what is not as it should be: losses, wrong verdicts, limits that are not reached or not mentioned.
func behind(outcomes []*outcome) string {
	var bad []*outcome
	for _, c := range outcomes {
		if c.verdict == loss || c.verdict == contradicted || c.verdict == failed || c.silent() || c.understated() || c.atInfinity() && !c.reaches() {
			bad = append(bad, c)
		}
	}
	slices.SortStableFunc(bad, func(a, b *outcome) int { return cmp.Compare(b.missing(), a.missing()) })
	var b strings.Builder
	b.WriteString("| subset | family | verdict | below the best finite | missing | limit | stated | status |\n" +
		"| --- | --- | --- | ---: | ---: | ---: | ---: | --- |\n")
	for _, c := range bad {
		finite := "-"
		if c.verdict == loss || c.verdict == contradicted {
			finite = number(c.finite()-c.value(), "%.3g")
		}
		fmt.Fprintf(&b, "| %s | skew-%s | %s | %s | %s | %s | %s | %s |\n", c.test.name, c.family, c.verdict, finite,
			number(c.missing(), "%.3g"), number(c.theirs.limit(), "%.4f"), number(c.report.Supremum(), "%.4f"), status(c))
	}
	return b.String()
}

// missing is by how much what sngdgen reports, an estimate or a limit, is below the best that is known, finite or not.
func (c *outcome) missing() float64 {
	if math.IsNaN(c.value()) {
		return math.Inf(1)
	}
	return max(c.finite(), c.theirs.limit()) - c.known()
}

func status(c *outcome) string { return strings.ReplaceAll(c.report.Status, "|", "/") }

func number(x float64, format string) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return "-"
	}
	return fmt.Sprintf(format, x)
}

func all(outcomes []*outcome, family string) string {
	var b strings.Builder
	b.WriteString("| subset | n | d | best finite | slant | at infinity | as nu grows | sn, default | sn, best | sngdgen | its limit | verdict | status | " +
		"seconds: sngdgen | sn |\n" +
		"| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- | --- | ---: | ---: |\n")
	for _, c := range outcomes {
		if c.family != family {
			continue
		}
		f := c.theirs
		slant := math.NaN()
		if len(f.Finite) > 0 {
			slant = f.Finite[0].Slant
		}
		limit := number(f.Infinity, "%.4f")
		if f.Exact != nil && !*f.Exact {
			limit = ">= " + limit
		}
		fmt.Fprintf(&b, "| %s | %d | %d | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %.2g | %.2g |\n", c.test.name, len(c.test.data.Rows),
			len(c.test.data.Columns), number(c.finite(), "%.6f"), number(slant, "%.3g"), limit, optional(f.Normal, "%.4f"),
			optional(f.Sn.LogLikelihood, "%.4f"), optional(f.SnBest, "%.4f"), number(c.value(), "%.6f"), number(c.report.Supremum(), "%.4f"),
			c.verdict, status(c),
			c.report.Seconds, f.Sn.Seconds)
	}
	return b.String()
}

func optional(x *float64, format string) string {
	if x == nil {
		return "-"
	}
	return number(*x, format)
}
