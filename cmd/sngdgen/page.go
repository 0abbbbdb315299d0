package main

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strings"

	"github.com/sngdgen/sngdgen/gen"
	"github.com/sngdgen/sngdgen/internal/figure"
	"github.com/sngdgen/sngdgen/internal/page"
	"github.com/sngdgen/sngdgen/runtime/estimate"
	"github.com/sngdgen/sngdgen/spec"
)

// checkPage finds that no page can be written to a path.
func checkPage(path string) error {
	if ext := filepath.Ext(path); ext != ".html" && ext != ".htm" {
		return usageError{fmt.Errorf("a report is a page in HTML\nhint: the name of the file ends in .html; --json prints what programs read")}
	}
	return checkOutputFile(path)
}

// writePage completes a page with what all have, and writes it.
func (f *pictureFlags) writePage(s *session, p *spec.Problem, pg *page.Page) error {
	if f.Report == "" {
		return nil
	}
	var derivation, out bytes.Buffer
	if err := gen.Explain(s, &derivation, p, false); err != nil && s.Err() == nil {
		return err
	}
	pg.Title = p.Package
	if p.Doc != "" {
		pg.Title += ": " + p.Doc
	}
	pg.Derivation, pg.Command, pg.Version = derivation.String(), shellWords(append([]string{"sngdgen"}, s.args...)), "sngdgen "+version()
	if err := pg.Write(&out); err != nil {
		return fmt.Errorf("--report=%s: %w", f.Report, err)
	}
	if err := s.Err(); err != nil {
		return err
	}
	err := s.writeWhole(f.Report, func(w io.Writer) error {
		_, err := w.Write(out.Bytes())
		return err
	})
	if err != nil {
		return fmt.Errorf("%s: %w", f.Report, cause(err))
	}
	return nil
}

// shellWords writes a command line as one would type it.
func shellWords(words []string) string {
	var out []string
	for _, w := range words {
		if w == "" || strings.ContainsFunc(w, func(r rune) bool {
			return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_=./,:+@%", r))
		}) {
			w = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
		out = append(out, w)
	}
	return strings.Join(out, " ")
}

// likelihoodPage is the report about a fit of a likelihood.
func likelihoodPage(s *figure.Subject, r *estimate.Report) *page.Page {
	pg := &page.Page{Lead: fmt.Sprintf("%s, %s", fittedBy(r.Target, r.Surrogate), methodName(r)), Verdict: stopped(r), Sound: r.Complete(),
		Warnings: r.Warnings, Tables: []page.Table{parameterTable(r), summaryTable(r)}, Panels: figure.Likelihood(s, r)}
	if r.Details != nil {
		pg.Warnings = append(pg.Warnings[:len(pg.Warnings):len(pg.Warnings)], r.Details.Notes...)
	}
	if len(r.Components) > 0 {
		pg.Tables = append(pg.Tables, componentTable(r))
	}
	return pg
}

// shownRows is how many rows a table has.
const shownRows = 200

func cutNote(n int) string {
	if n <= shownRows {
		return ""
	}
	return fmt.Sprintf("the first %d of %d: --json prints all", shownRows, n)
}

// parameterTable has a row for each number among the parameters.
func parameterTable(r *estimate.Report) page.Table {
	t := page.Table{Title: "Parameters", Head: []string{"parameter", "estimate"}}
	if r.StdErr != nil {
		t.Head = append(t.Head, "std. error")
	}
	if r.Interval != nil {
		t.Head = append(t.Head, fmt.Sprintf("%v%% interval", math.Round(1e8*r.Level)/1e6))
	}
	r = r.Whole()
	for _, v := range r.Estimate {
		errors, low, high := entriesOf(r.StdErr, v.Name), []float64(nil), []float64(nil)
		for _, i := range r.Interval {
			if i.Name == v.Name {
				low, high = estimate.Intervals{i}.Ends()
			}
		}
		names := estimate.Values{v}.EntryNames()
		for k, x := range flat(estimate.Values{v}) {
			se := at(errors, k)
			row := []string{names[k], resolved(x, se, 7)}
			if r.StdErr != nil {
				row = append(row, standardError(se))
			}
			if r.Interval != nil {
				text := ""
				if l, h := at(low, k), at(high, k); !math.IsNaN(l) && !math.IsNaN(h) {
					text = resolved(l, h-l, 5) + " to " + resolved(h, h-l, 5)
				}
				row = append(row, text)
			}
			t.Rows = append(t.Rows, row)
		}
	}
	t.Note = cutNote(len(t.Rows))
	t.Rows = t.Rows[:min(len(t.Rows), shownRows)]
	return t
}

// entriesOf are those of the value with a name, nil if there is none.
func entriesOf(vs estimate.Values, name string) []float64 {
	for _, v := range vs {
		if v.Name == name {
			return flat(estimate.Values{v})
		}
	}
	return nil
}

// at is an entry, NaN where there is none.
func at(x []float64, i int) float64 {
	if i >= len(x) {
		return math.NaN()
	}
	return x[i]
}

// summaryTable has the numbers about a fit as a whole.
func summaryTable(r *estimate.Report) page.Table {
	t := page.Table{Title: "Fit"}
	add := func(name, value string) { t.Rows = append(t.Rows, []string{name, value}) }
	add("log-likelihood", digits(float64(r.LogLikelihood)))
	if r.Penalised {
		add("penalty", digits(float64(r.Penalty)))
	}
	for _, l := range r.Limits {
		add("at infinity: "+l.Name, atInfinity(&l))
	}
	for _, c := range []struct {
		name  string
		value estimate.Number
	}{{"AIC", r.AIC}, {"BIC", r.BIC}, {"ICL", r.ICL}, {"entropy", r.Entropy}} {
		if x := float64(c.value); !math.IsNaN(x) && x != 0 {
			add(c.name, digits(x))
		}
	}
	add("free parameters", fmt.Sprint(r.Free))
	add("n", size(r))
	for _, d := range r.Dimensions {
		add(d.Name, fmt.Sprint(d.Len))
	}
	add("iterations", fmt.Sprint(r.Iterations))
	for i, o := range r.Optima {
		if i == shownOptima {
			break
		}
		add(fmt.Sprintf("optimum %d", i+1), fmt.Sprintf("mean loss %s from %s", digits(float64(o.Loss)), startsOf(&o)))
	}
	add("seed", fmt.Sprint(r.Seed))
	return t
}

// componentTable has a row for each component.
func componentTable(r *estimate.Report) page.Table {
	t := page.Table{Title: "Components", Head: []string{"component", "weight", "observations"}}
	for i := range r.Components {
		t.Rows = append(t.Rows, []string{fmt.Sprint(i + 1), digits(r.Components[i].Weight), explained(&r.Components[i])})
	}
	return t
}

// comparisonPage is the report about several numbers of components.
func comparisonPage(s *figure.Subject, c *estimate.Comparison, rows []*compared) *page.Page {
	pg := &page.Page{Lead: "numbers of components compared", Verdict: "the best: " + chosen(rows), Sound: incomplete(rows) == "", Warnings: c.Warnings,
		Panels: figure.Comparison(s, c)}
	t := page.Table{Title: "Numbers of components", Note: "* the best",
		Head: []string{"components", "log-likelihood", "parameters", "AIC", "BIC", "status"}}
	for _, row := range rows {
		for _, w := range row.Warnings {
			pg.Warnings = append(pg.Warnings, plural(row.Components, "component")+": "+w)
		}
		if row.report == nil {
			t.Rows = append(t.Rows, []string{fmt.Sprint(row.Components), "-", "-", "-", "-", row.Status + ": " + firstLine(row.Message)})
			continue
		}
		t.Rows = append(t.Rows, []string{fmt.Sprint(row.Components), digits(float64(row.LogLikelihood)), fmt.Sprint(row.Free),
			row.starred("aic", row.AIC), row.starred("bic", row.BIC), row.Status})
	}
	pg.Tables = append(pg.Tables, t)
	if n := figure.Best(c); n != nil {
		one := parameterTable(n.Report)
		one.Title += " of " + plural(n.Components, "component")
		pg.Tables = append(pg.Tables, one)
	}
	return pg
}

// posteriorPage is the report about an approximation of a posterior.
func posteriorPage(a *estimate.Approximation) *page.Page {
	return &page.Page{Lead: fmt.Sprintf("posterior as %s by %s, %s", a.Target, a.Surrogate, methodNames[a.Method]), Verdict: reason(a),
		Sound: a.Complete(), Warnings: a.Warnings, Tables: []page.Table{latentTable(&a.Posterior), boundTable(a)}, Panels: figure.Posterior(a)}
}

// latentTable has a row for each latent variable.
func latentTable(p *estimate.Posterior) page.Table {
	interval := fmt.Sprintf("%v%% interval", math.Round(1e8*p.Level)/1e6)
	t := page.Table{Title: "Latent variables", Head: []string{"latent", "mean", "std. deviation", "median", interval}, Note: cutNote(len(p.Names))}
	if len(p.Names) == 0 {
		return t
	}
	means, sds, medians := flat(p.Mean), flat(p.SD), flat(p.Quantiles[1].Values)
	lows, highs := p.Interval.Ends()
	for i, name := range p.Names[:min(len(p.Names), shownRows)] {
		t.Rows = append(t.Rows, []string{name, resolved(means[i], sds[i], 4), standardError(sds[i]), resolved(medians[i], sds[i], 4),
			resolved(lows[i], sds[i], 4) + " to " + resolved(highs[i], sds[i], 4)})
	}
	return t
}

// boundTable has the numbers about an approximation as a whole.
func boundTable(a *estimate.Approximation) page.Table {
	t := page.Table{Title: "Approximation"}
	add := func(name, value string) { t.Rows = append(t.Rows, []string{name, value}) }
	if q := a.Propagation; q.Agrees() {
		add("log evidence", fmt.Sprintf("%s (%s)", digits(float64(q.LogEvidence)), evidenceOf(q)))
	}
	add("ELBO", fmt.Sprintf("%s (%s)", resolved(float64(a.ELBO.Mean), math.Max(float64(a.ELBO.StandardError), leastShown), 5), certainty(a)))
	add("k-hat", fmt.Sprintf("%.2f (std. error %.2f; %s)", float64(a.ELBO.KHat), float64(a.ELBO.KHatError), judgement(&a.ELBO)))
	if a.ELBO.Ratios == estimate.RatiosReliable {
		add("log evidence, by importance sampling", resolved(float64(a.ELBO.LogEvidence), float64(a.ELBO.EvidenceError), 5))
	}
	add("rows", rowsOf(a))
	for _, d := range a.Dimensions {
		add(d.Name, fmt.Sprint(d.Len))
	}
	add("steps", fmt.Sprint(a.Steps))
	add("seed", fmt.Sprint(a.Seed))
	return t
}

// ladderPage is the report about several approximations.
func ladderPage(problem string, l *estimate.Ladder) *page.Page {
	pg := &page.Page{Lead: "approximations compared", Verdict: "no approximation could be fitted", Warnings: l.Warnings,
		Panels: figure.Ladder(problem, l)}
	t := page.Table{Title: "Approximations", Head: []string{"approximation", "numbers", "ELBO", "std. error", "k-hat", "means off", "sds off", "status"}}
	for i := range l.Rungs {
		r := &l.Rungs[i]
		if r.Fit == nil {
			t.Rows = append(t.Rows, []string{r.Label(), fmt.Sprint(r.Coordinates), "-", "-", "-", "-", "-", firstLine(r.Error)})
			continue
		}
		for _, w := range r.Fit.Warnings {
			pg.Warnings = append(pg.Warnings, r.Label()+": "+w)
		}
		bound, se := float64(r.Fit.ELBO.Mean), float64(r.Fit.ELBO.StandardError)
		means, sds := offs(r)
		t.Rows = append(t.Rows, []string{r.Label(), fmt.Sprint(r.Coordinates), resolved(bound, math.Max(se, leastShown), 5), fmt.Sprintf("%.2g", se),
			fmt.Sprintf("%.2f", float64(r.Fit.ELBO.KHat)), means, sds, r.Fit.Status.String()})
	}
	pg.Tables = append(pg.Tables, t)
	if l.Knee >= 0 {
		knee := &l.Rungs[l.Knee]
		pg.Verdict, pg.Sound = fmt.Sprintf("%s is the simplest that no other much exceeds", knee.Label()), knee.Fit.Complete()
		latent := latentTable(&knee.Fit.Posterior)
		latent.Title += " by " + knee.Label()
		pg.Tables = append(pg.Tables, latent)
	}
	return pg
}
