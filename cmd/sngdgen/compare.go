package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/sngdgen/sngdgen/internal/build/worker"
	"github.com/sngdgen/sngdgen/internal/table"
	"github.com/sngdgen/sngdgen/runtime/estimate"
	"github.com/sngdgen/sngdgen/spec"
)

// compared is the fit of one number of components, in a row of the table that compares several.
type compared struct {
	Components    int             `json:"components"`
	LogLikelihood estimate.Number `json:"log_likelihood"`
	Free          int             `json:"free_parameters"`
	AIC           estimate.Number `json:"aic"`
	BIC           estimate.Number `json:"bic"`
	ICL           estimate.Number `json:"icl"`
	Status        string          `json:"status"`
	Converged     bool            `json:"converged"`
	Message       string          `json:"message"`
	Seconds       float64         `json:"seconds"`
	Warnings      []string        `json:"warnings,omitempty"`
	// Best has the criteria, of aic, bic and icl, by which this number is the best of those whose fit converged.
	Best []string `json:"best,omitempty"`

	report *estimate.Report // nil where there was nothing to report
}

// missing is a number that there is not; it is null in JSON.
var missing = estimate.Number(math.NaN())

// compare fits each number of components and prints one table.
func (c *fitCmd) compare(s *session, arg string, p *spec.Problem, counts []int, data *table.Table) error {
	request, subject := c.request(), newSubject(p, data)
	request.Checkpoint = c.checkpoint(p)
	var err error
	if request.Details, err = c.wanted(subject); err != nil {
		return err
	}
	if c.Trace != "" {
		return usageError{errors.New("--trace is for one fit: give one number of components")}
	}
	answer, err := s.do(arg, p, worker.Job{Fit: request, Counts: counts}, data)
	if err != nil {
		return err
	}
	var rows []*compared
	for _, fitted := range answer.Compared.Fits {
		row := newCompared(&fitted)
		for _, w := range row.Warnings {
			fmt.Fprintf(s.err, "warning: %s: %s\n", plural(row.Components, "component"), w)
		}
		rows = append(rows, row)
	}
	for _, w := range answer.Compared.Warnings {
		fmt.Fprintln(s.err, "warning:", w)
	}
	if err := c.printCompared(s, rows, answer.Compared.Warnings); err != nil {
		return err
	}
	if c.drawn() {
		if err := c.present(s, p, comparisonPage(subject, answer.Compared, rows)); err != nil {
			return err
		}
	}
	if failed := incomplete(rows); failed != "" {
		return fmt.Errorf("did not converge: %s components", failed)
	}
	return s.Err()
}

func newCompared(n *estimate.Numbered) *compared {
	if n.Report == nil {
		return &compared{Components: n.Components, LogLikelihood: missing, AIC: missing, BIC: missing, ICL: missing,
			Status: "failed", Message: n.Error}
	}
	r := n.Report
	row := &compared{Components: n.Components, LogLikelihood: r.LogLikelihood, Free: r.Free, AIC: r.AIC, BIC: r.BIC, ICL: missing,
		Status: r.Status.String(), Converged: r.Converged, Message: r.Message, Seconds: r.Seconds, Warnings: r.Warnings, Best: n.Best,
		report: r}
	if r.ICL != 0 {
		row.ICL = r.ICL
	}
	return row
}

func (c *compared) complete() bool { return c.report != nil && c.report.Complete() }

// incomplete lists the numbers of components whose fits did not come to their end.
func incomplete(rows []*compared) string {
	var counts []string
	for _, row := range rows {
		if !row.complete() {
			counts = append(counts, strconv.Itoa(row.Components))
		}
	}
	return strings.Join(counts, ", ")
}

func (c *fitCmd) printCompared(s *session, rows []*compared, warnings []string) error {
	if c.JSON {
		return printJSON(s, printedComparison{printed{schemaVersion, "comparison"}, rows, warnings})
	}
	return printCompared(s.out, rows)
}

// printCompared prints a row for each number of components, with a star at the best AIC and BIC.
func printCompared(w io.Writer, rows []*compared) error {
	for _, row := range rows {
		if r := row.report; r != nil {
			fmt.Fprintf(w, "%s, %s, n = %s\n\n", fittedBy(r.Target, r.Surrogate), methodName(r), size(r))
			break
		}
	}
	t := tabwriter.NewWriter(w, 0, 0, 3, ' ', 0)
	fmt.Fprintln(t, "components\tlog-likelihood\tparameters\tAIC\tBIC\tstatus\ttime")
	for _, row := range rows {
		if row.report == nil {
			fmt.Fprintf(t, "%d\t-\t-\t-\t-\t%s: %s\n", row.Components, row.Status, firstLine(row.Message))
			continue
		}
		fmt.Fprintf(t, "%d\t%s\t%d\t%s\t%s\t%s\t%s\n", row.Components, digits(float64(row.LogLikelihood)), row.Free,
			row.starred("aic", row.AIC), row.starred("bic", row.BIC), row.Status, duration(row.Seconds))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if best := chosen(rows); best != "" {
		fmt.Fprintf(w, "\n* the best: %s\n", best)
	}
	return nil
}

func (c *compared) starred(name string, x estimate.Number) string {
	if math.IsNaN(float64(x)) {
		return "-"
	}
	text := digits(float64(x))
	for _, best := range c.Best {
		if best == name {
			text += " *"
		}
	}
	return text
}

// chosen says how many components are the best by which criteria.
func chosen(rows []*compared) string {
	var out []string
	for _, row := range rows {
		if len(row.Best) > 0 {
			out = append(out, fmt.Sprintf("%d by %s", row.Components, strings.ToUpper(strings.Join(row.Best, ", "))))
		}
	}
	return strings.Join(out, "; ")
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}
