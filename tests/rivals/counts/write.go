package main

import (
	_ "embed"
	"fmt"
	"io"
	"math"
	"strings"
)

// notes is the text around the tables, whose places are at %s.
//
//go:embed notes.md
var notes string

func write(out io.Writer, o *options, near, known []*outcome) error {
	flags := ""
	if len(o.flags) > 0 {
		flags = " with flags `" + strings.Join(o.flags, " ") + "`"
	}
	_, err := fmt.Fprintf(out, notes, flags, counts(near), notRight(near), cases(known))
	return err
}

func counts(near []*outcome) string {
	var b strings.Builder
	b.WriteString("| maximum | samples | right | contradicted | wrong | failed | largest relative error of r and s |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n")
	for _, finite := range []bool{true, false} {
		n, worst, total := map[string]int{}, math.NaN(), 0
		for _, c := range near {
			if c.Truth.Finite != finite {
				continue
			}
			total++
			n[c.verdict()]++
			if e := c.apart(); c.verdict() == "right" && !(e <= worst) && !math.IsNaN(e) {
				worst = e
			}
		}
		name := "none"
		if finite {
			name = "finite"
		}
		fmt.Fprintf(&b, "| %s | %d | %d | %d | %d | %d | %s |\n", name, total, n["right"], n["contradicted"], n["wrong"], n["failed"],
			number(worst))
	}
	return b.String()
}

func notRight(near []*outcome) string {
	var b strings.Builder
	b.WriteString("| sample | n | r | above the limit | verdict | status | r of sngdgen |\n| --- | ---: | ---: | ---: | --- | --- | ---: |\n")
	for _, c := range near {
		if c.verdict() == "right" {
			continue
		}
		r, ok := first(c.report.Parameters["r"])
		if !ok {
			r = math.NaN()
		}
		fmt.Fprintf(&b, "| %s | %d | %s | %s | %s | %s | %s |\n", c.Name, len(c.Rows), short(c.Truth.Estimate["r"]), above(c), c.verdict(),
			status(c), number(r))
	}
	return b.String()
}

// above is how far a maximum is above the limit.
func above(c *outcome) string {
	var maximum, limit float64
	if n, _ := fmt.Sscan(c.Truth.LogLikelihood, &maximum); n != 1 {
		return "-"
	}
	if n, _ := fmt.Sscan(c.Truth.Limit, &limit); n != 1 {
		return "-"
	}
	return fmt.Sprintf("%.3g", maximum-limit)
}

func cases(known []*outcome) string {
	var b strings.Builder
	b.WriteString("| case | of | what failed there | model | truth | sngdgen | verdict | relative error of the log-likelihood | of the estimates |\n" +
		"| --- | --- | --- | --- | --- | --- | --- | ---: | ---: |\n")
	for _, c := range known {
		what := "maximum " + short(c.Truth.LogLikelihood)
		if !c.Truth.Finite {
			what = "no maximum; limit " + short(c.Truth.Limit) + ": " + c.Truth.LimitIs
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s | %s | %s | %s |\n", c.Name, c.Source, c.Failure, c.Problem, what, status(c),
			c.verdict(), number(c.ahead()), number(c.apart()))
	}
	return b.String()
}

func status(c *outcome) string {
	s := c.report.Status
	if c.report.Message != "" && c.report.Message != s {
		s += ": " + c.report.Message
	}
	return strings.ReplaceAll(s, "|", "/")
}

func short(text string) string {
	var x float64
	if n, _ := fmt.Sscan(text, &x); n != 1 {
		return "-"
	}
	return fmt.Sprintf("%.9g", x)
}

func number(x float64) string {
	if math.IsNaN(x) {
		return "-"
	}
	return fmt.Sprintf("%.2g", x)
}
