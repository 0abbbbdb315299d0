package main

import (
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

func write(out io.Writer, o *options, known *answers, outcomes []*outcome) error {
	command := "sngdgen fit DISTRIBUTION DATA --formula FORMULA --json"
	if len(o.flags) > 0 {
		command += " " + strings.Join(o.flags, " ")
	}
	_, err := fmt.Fprintf(out, notes, command, known.Software(), counts(outcomes), precision(outcomes), times(outcomes), all(outcomes), apart(outcomes),
		models(outcomes))
	return err
}

func counts(outcomes []*outcome) string {
	n := map[string]int{}
	for _, c := range outcomes {
		n[c.verdict()]++
	}
	head, line := "| cases |", fmt.Sprintf("| %d |", len(outcomes))
	for _, v := range verdicts {
		head += " " + v + " |"
		line += fmt.Sprintf(" %d |", n[v])
	}
	return head + "\n|" + strings.Repeat(" ---: |", len(verdicts)+1) + "\n" + line + "\n"
}

// precision counts, of both, what agrees with the maximum.
func precision(outcomes []*outcome) string {
	var b strings.Builder
	b.WriteString("| of | with a maximum | log-likelihood to 1e-9 | estimates to 1e-4 standard errors | standard errors to 1e-4 |\n| --- | ---: | ---: | ---: | ---: |\n")
	for _, who := range []struct {
		name string
		of   func(*outcome) *estimate
	}{{"sngdgen", func(c *outcome) *estimate { return c.report.estimate() }}, {"rivals", func(c *outcome) *estimate { return &c.theirs.estimate }}} {
		n, likelihoods, estimates, errors := 0, 0, 0, 0
		for _, c := range outcomes {
			if c.theirs.Maximum == nil {
				continue
			}
			a := agree(who.of(c), c.theirs.Maximum)
			n++
			likelihoods += one(math.Abs(a.missing) <= precise)
			estimates += one(a.parameters <= digits)
			errors += one(a.errors <= digits)
		}
		fmt.Fprintf(&b, "| %s | %d | %d | %d | %d |\n", who.name, n, likelihoods, estimates, errors)
	}
	return b.String()
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

// times says how iterations and ratios of times are spread.
func times(outcomes []*outcome) string {
	var iterations, fits, commands []float64
	for _, c := range outcomes {
		iterations = append(iterations, float64(c.report.Iterations))
		fits = append(fits, c.report.Seconds/c.theirs.Seconds)
		commands = append(commands, c.command/c.theirs.Seconds)
	}
	var b strings.Builder
	b.WriteString("| of sngdgen | least | median | most |\n| --- | ---: | ---: | ---: |\n")
	for _, row := range []struct {
		name   string
		values []float64
	}{{"iterations", iterations}, {"time of the fit, as a part of the rival's", fits}, {"processor time of the command, as a part of the rival's", commands}} {
		slices.Sort(row.values)
		n := len(row.values)
		if n == 0 {
			continue
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", row.name, number(row.values[0]), number(row.values[n/2]), number(row.values[n-1]))
	}
	return b.String()
}

func all(outcomes []*outcome) string {
	var b strings.Builder
	b.WriteString("| case | n | by | rival | log-likelihood | above the rival's | below the maximum, relative | estimates | standard errors | iterations | rival's | " +
		"fit, ms | command, ms | rival's | fit / rival's | verdict |\n" +
		"| --- | ---: | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |\n")
	for _, c := range outcomes {
		e := c.report.estimate()
		a := agreement{math.NaN(), math.NaN(), math.NaN()}
		if c.theirs.Maximum != nil {
			a = agree(e, c.theirs.Maximum)
		}
		iterations := "-"
		if c.theirs.Iterations >= 0 {
			iterations = fmt.Sprint(c.theirs.Iterations)
		}
		fmt.Fprintf(&b, "| %s | %d | %s | %s | %.6f | %s | %s | %s | %s | %d | %s | %s | %s | %s | %s | %s |\n", c.Name, c.theirs.N, c.Distribution, c.software(),
			e.LogLikelihood, number(e.LogLikelihood-c.theirs.LogLikelihood), number(a.missing), number(a.parameters), number(a.errors), c.report.Iterations,
			iterations, number(1e3*c.report.Seconds), number(1e3*c.command), number(1e3*c.theirs.Seconds), number(c.report.Seconds/c.theirs.Seconds), c.verdict())
	}
	return b.String()
}

// apart lists where the rival's estimates or standard errors differ by more than digits, with who is nearer to the maximum.
func apart(outcomes []*outcome) string {
	var b strings.Builder
	b.WriteString("| case | rival | estimates differ by | standard errors by | its errors are from | log-likelihood of the rival below the maximum | " +
		"its estimates | its standard errors | it says |\n| --- | --- | ---: | ---: | --- | ---: | ---: | ---: | --- |\n")
	for _, c := range outcomes {
		e := c.report.estimate()
		p, s := distance(e, &c.theirs.estimate)
		if p <= digits && s <= digits {
			continue
		}
		a := agreement{math.NaN(), math.NaN(), math.NaN()}
		if m := c.theirs.Maximum; m != nil {
			a = agree(&c.theirs.estimate, m)
			a.missing = m.LogLikelihood - c.theirs.LogLikelihood
		}
		said := strings.ReplaceAll(strings.Join(c.theirs.Warnings, "; "), "\n", " ")
		if said == "" {
			said = "-"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s information | %s | %s | %s | %s |\n", c.Name, c.software(), number(p), number(s), c.theirs.Errors,
			number(a.missing), number(a.parameters), number(a.errors), strings.ReplaceAll(said, "|", "/"))
	}
	return b.String()
}

// models lists what was asked, of both.
func models(outcomes []*outcome) string {
	var b strings.Builder
	b.WriteString("| case | data | of | formula | call |\n| --- | --- | --- | --- | --- |\n")
	for _, c := range outcomes {
		fmt.Fprintf(&b, "| %s | %s | %s | `%s` | `%s` |\n", c.Name, c.Set, c.Rival, strings.TrimSpace(c.Formula+" "+c.Arguments), strings.ReplaceAll(c.Call, "|", "\\|"))
	}
	return b.String()
}

func number(x float64) string {
	if math.IsNaN(x) {
		return "-"
	}
	if x == math.Trunc(x) && math.Abs(x) < 1e6 || math.Abs(x) >= 10 && math.Abs(x) < 1e6 {
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprintf("%.2g", x)
}
