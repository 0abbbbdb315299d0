package main

import (
	"context"
	_ "embed"
	"fmt"
	"io"
	"math"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// notes is the text around the tables, whose places are at %s.
//
//go:embed notes.md
var notes string

func write(ctx context.Context, out io.Writer, o *options, known *answers, outcomes []*outcome) error {
	version, err := exec.CommandContext(ctx, o.bench.Sngdgen, "version").Output()
	if err != nil {
		return fmt.Errorf("%s version: %w", o.bench.Sngdgen, err)
	}
	command := strings.Join(append([]string{"sngdgen fit DISTRIBUTION DATA --formula FORMULA --json"}, o.flags...), " ")
	_, err = fmt.Fprintf(out, notes, time.Now().Format(time.DateOnly), command, strings.TrimSpace(string(version)), known.Software(), summary(outcomes), byKind(outcomes),
		borders(outcomes), losses(outcomes), byWarning(outcomes), bySurvreg(outcomes), bySet(outcomes))
	return err
}

// count is how many outcomes are so.
func count(outcomes []*outcome, so func(*outcome) bool) int {
	n := 0
	for _, c := range outcomes {
		if so(c) {
			n++
		}
	}
	return n
}

func summary(outcomes []*outcome) string {
	var b strings.Builder
	b.WriteString("| regressions | cases | complete | quasi-complete | scale to 0 | none | agree | losses |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n")
	for _, f := range families {
		own := of(outcomes, func(c *outcome) bool { return c.Family == f.name })
		fmt.Fprintf(&b, "| %s | %s |\n", f.called, tally(own))
	}
	fmt.Fprintf(&b, "| all | %s |\n", tally(outcomes))
	return b.String()
}

func of(outcomes []*outcome, so func(*outcome) bool) (out []*outcome) {
	for _, c := range outcomes {
		if so(c) {
			out = append(out, c)
		}
	}
	return out
}

// tally are the cells of a row.
func tally(outcomes []*outcome) string {
	cells := []any{len(outcomes)}
	for _, kind := range kinds {
		cells = append(cells, count(outcomes, func(c *outcome) bool { return c.theirs.Kind == kind }))
	}
	agree := count(outcomes, func(c *outcome) bool { return len(c.faults) == 0 })
	return fmt.Sprintf("%v | %v | %v | %v | %v | %v | %v", append(cells, agree, len(outcomes)-agree)...)
}

func byKind(outcomes []*outcome) string {
	var b strings.Builder
	b.WriteString("| regressions | by linear programming | sngdgen: complete | quasi-complete | scale to 0 | none |\n| --- | --- | ---: | ---: | ---: | ---: |\n")
	for _, f := range families {
		for _, kind := range kinds {
			if kind == shrinks && f.scale == "" {
				continue
			}
			fmt.Fprintf(&b, "| %s | %s |", f.called, kind)
			for _, said := range kinds {
				fmt.Fprintf(&b, " %d |", count(outcomes, func(c *outcome) bool { return c.Family == f.name && c.theirs.Kind == kind && c.kind() == said }))
			}
			b.WriteString("\n")
		}
	}
	return b.String()
}

// borders says of which cases what linear programming says is not proved, and how near to the border others come.
func borders(outcomes []*outcome) string {
	var open []string
	least, nearest := math.Inf(1), "none"
	for _, c := range outcomes {
		if !c.theirs.Proved {
			open = append(open, c.Name)
		}
		if c.theirs.Kind != none && c.theirs.Margin < least {
			least, nearest = c.theirs.Margin, fmt.Sprintf("%s, %.2g", c.Name, c.theirs.Margin)
		}
	}
	unproved := "none"
	if len(open) > 0 {
		unproved = strings.Join(open, ", ")
	}
	return fmt.Sprintf("Not proved: %s. The narrowest margin: %s.\n", unproved, nearest)
}

func losses(outcomes []*outcome) string {
	var b strings.Builder
	for _, c := range outcomes {
		if len(c.faults) > 0 {
			arguments := c.arguments()
			warned := strings.Join(c.theirs.Warnings, "; ")
			if warned == "" {
				warned = "no"
			}
			centred := strings.Join(c.centred, "; ")
			if centred == "" {
				centred = "agrees"
			}
			fmt.Fprintf(&b, "| %s | %d | %s | %s | %s | %s | `sngdgen fit %s %s --formula '%s'` |\n", c.Name, len(c.y), c.theirs.Kind, strings.Join(c.faults, "; "), centred, warned, filepath.Base(c.family().fitted()),
				filepath.Base(c.File), arguments[len(arguments)-1])
		}
	}
	if b.Len() == 0 {
		return "None.\n"
	}
	converged := count(outcomes, func(c *outcome) bool { return len(c.faults) > 0 && c.report.Converged && c.theirs.Kind != none })
	infinite := count(outcomes, func(c *outcome) bool {
		return len(c.faults) > 0 && c.kind() == none && c.report.Status == atInfinity
	})
	return fmt.Sprintf("Where rows are separated %d fits say that they have converged, and %d that the estimate is at infinity, but not how.\n\n", converged, infinite) + "| case | rows | by linear programming | what sngdgen says | of columns less their means | glm or survreg warns | command |\n| --- | ---: | --- | --- | --- | --- | --- |\n" + b.String()
}

// byWarning says of which kinds glm warns.
func byWarning(outcomes []*outcome) string {
	var b strings.Builder
	b.WriteString("| regressions | by linear programming | cases | glm warns |\n| --- | --- | ---: | ---: |\n")
	for _, f := range families {
		if !f.glm {
			continue
		}
		for _, kind := range []string{complete, quasi, none} {
			own := of(outcomes, func(c *outcome) bool { return c.Family == f.name && c.theirs.Kind == kind })
			fmt.Fprintf(&b, "| %s | %s | %d | %d |\n", f.called, kind, len(own), count(own, func(c *outcome) bool { return len(c.theirs.Warnings) > 0 }))
		}
	}
	return b.String()
}

func bySet(outcomes []*outcome) string {
	var b strings.Builder
	b.WriteString("| set | of | response | regressions | cases | complete | quasi-complete | scale to 0 | none | agree | losses |\n| --- | --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n")
	for len(outcomes) > 0 {
		s := outcomes[0].set
		own := of(outcomes, func(c *outcome) bool { return c.set == s })
		fmt.Fprintf(&b, "| %s | %s of %s | %s | %s | %s |\n", s.Name, s.Object, s.Package, s.Response, s.family().called, tally(own))
		outcomes = of(outcomes, func(c *outcome) bool { return c.set != s })
	}
	return b.String()
}
