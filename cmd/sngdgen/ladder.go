package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/sngdgen/sngdgen/internal/build/worker"
	"github.com/sngdgen/sngdgen/internal/diag"
	"github.com/sngdgen/sngdgen/runtime/estimate"
	"github.com/sngdgen/sngdgen/spec"
)

// automatic stands for all approximations.
const automatic = "auto"

// approximationNames are the approximations that the flag names, nil where it stands for all.
func (c *fitCmd) approximationNames() []string {
	if c.Approximations == automatic {
		return nil
	}
	var out []string
	for name := range strings.SplitSeq(c.Approximations, ",") {
		out = append(out, strings.TrimSpace(name))
	}
	return out
}

// approximations finds approximations of a posterior by name.
func approximations(p *spec.Problem, names []string) (out []*spec.Approximation, err error) {
	if p.VI == nil {
		return nil, usageError{fmt.Errorf("--approximations is for variational objectives: that of %s is %s", p.Package, p.Objective)}
	}
	for _, name := range names {
		a := p.ApproximationNamed(name)
		if a == nil {
			known := p.Approximations()
			meant := ""
			if s := diag.Suggest(name, known); s != "" {
				meant = fmt.Sprintf(", did you mean %q?", s)
			}
			return nil, usageError{fmt.Errorf("--approximations: unknown approximation %q%s\nhint: known are %s, and auto for all of them", name,
				meant, strings.Join(known, ", "))}
		}
		if !slices.Contains(out, a) {
			out = append(out, a)
		}
	}
	return out, nil
}

// inForm is the problem of approximating the posterior of a model in the form that the flag names, if it names one.
func (c *fitCmd) inForm(s *session, p *spec.Problem) (*spec.Problem, error) {
	names := c.approximationNames()
	if c.Approximations == "" || len(names) != 1 {
		return p, nil
	}
	found, err := approximations(p, names)
	if err != nil {
		return nil, err
	}
	q, diags := found[0].For(p)
	return q, s.diagnose(diags)
}

// compares reports whether several approximations are to be compared.
func (c *fitCmd) compares() bool { return c.Approximations != "" && len(c.approximationNames()) != 1 }

// climb fits several approximations, prints a table, and the posterior in the simplest form that none of them much exceeds.
func (c *fitCmd) climb(s *session, p *spec.Problem, request *estimate.Settings) error {
	counts, err := parseCounts(c.Components)
	if err != nil {
		return usageError{err}
	}
	chosen, err := approximations(p, c.approximationNames())
	if err != nil {
		return err
	}
	if request.Variational, err = c.variational(p); err != nil {
		return usageError{err}
	}
	if err := cmp.Or(request.Check(), c.together(chosen, counts)); err != nil {
		return usageError{err}
	}
	if power := p.VI.Power; power != nil && c.Power == nil { // of the rungs by expectation propagation
		request.Variational.Power, request.Variational.PowerZero = *power, *power == 0
	}
	problems, err := forms(s, p, chosen)
	if err != nil {
		return err
	}
	data, err := c.readParts(s, p, c.Data, c.Files, c.Rows)
	if err != nil {
		return err
	}
	job := worker.Job{Fit: request, Counts: counts, Automatic: len(chosen) == 0}
	for _, q := range problems {
		job.Ladder = append(job.Ladder, q.Approximation.Name)
	}
	run, err := s.ownRunner(problems, job, len(data.Data().Values))
	if err != nil {
		return err
	}
	answer, err := s.runJob(run, job, data)
	if err != nil {
		return err
	}
	printed := c.printLadder(s, p, answer.Ladder)
	if !c.drawn() {
		return printed
	}
	return errors.Join(printed, c.present(s, p, ladderPage(p.Package, answer.Ladder)))
}

// together reports flags that do not go with the approximations.
func (c *fitCmd) together(chosen []*spec.Approximation, counts []int) error {
	mixture := len(chosen) == 0 || slices.ContainsFunc(chosen, (*spec.Approximation).Mixture)
	switch {
	case len(counts) > 0 && !mixture:
		return errors.New("--components is for mixtures: none of the approximations is one")
	case c.Trace != "":
		return errors.New("--trace is for one fit, and several are to be compared")
	case c.Init != "":
		return errors.New("--init starts one approximation from its former result, and several are to be compared: name one with " +
			"--approximations, or leave --init out")
	}
	return nil
}

// forms are the problems of approximating a posterior in several forms, those in between too; all that are known if none is
// named, but for those that do not go with the model, which are named.
func forms(s *session, p *spec.Problem, chosen []*spec.Approximation) (out []*spec.Problem, err error) {
	named := len(chosen) > 0
	for _, name := range p.Approximations() {
		a := p.ApproximationNamed(name)
		if named && !between(a, chosen) {
			continue
		}
		q, diags := a.For(p)
		switch {
		case !diags.HasErrors():
			out = append(out, q)
		case named:
			return nil, s.diagnose(diags)
		default:
			fmt.Fprintf(s.err, "warning: %s is left out: %s\n", name, diags.All()[0].Message)
		}
	}
	slices.SortStableFunc(out, func(a, b *spec.Problem) int { return cmp.Compare(height(a.Approximation), height(b.Approximation)) })
	if len(out) == 0 {
		return nil, fmt.Errorf("%s: there are no approximations to compare", p.Package)
	}
	return out, nil
}

// between reports whether an approximation is one of several, or contains one of them and is contained in another.
func between(a *spec.Approximation, chosen []*spec.Approximation) bool {
	above := slices.ContainsFunc(chosen, func(c *spec.Approximation) bool { return contains(c, a) })
	below := slices.ContainsFunc(chosen, func(c *spec.Approximation) bool { return contains(a, c) })
	return above && below
}

// contains reports whether an approximation is another one, or contains it.
func contains(a, other *spec.Approximation) bool {
	return a == other || slices.ContainsFunc(a.Contains, func(c spec.Contained) bool { return contains(c.Approximation, other) })
}

// height is how many approximations lie below one another in an approximation; mixtures come after all others.
func height(a *spec.Approximation) int {
	h := 0
	if a.Mixture() {
		h = 1 << 10
	}
	for _, c := range a.Contains {
		h = max(h, 1+height(c.Approximation))
	}
	return h
}

func (c *fitCmd) printLadder(s *session, p *spec.Problem, l *estimate.Ladder) error {
	for _, w := range l.Warnings {
		fmt.Fprintln(s.err, "warning:", w)
	}
	for i := range l.Rungs {
		r := &l.Rungs[i]
		if r.Fit == nil {
			fmt.Fprintf(s.err, "warning: %s: %s\n", r.Label(), firstLine(r.Error))
			continue
		}
		for _, w := range r.Fit.Warnings {
			fmt.Fprintf(s.err, "warning: %s: %s\n", r.Label(), w)
		}
	}
	if c.JSON {
		if err := printJSON(s, printedLadder{printed{schemaVersion, "ladder"}, l}); err != nil {
			return err
		}
	} else {
		fmt.Fprintf(s.out, "approximations of the posterior of %s\n\n", p.Package)
		if err := printRungs(s.out, l); err != nil {
			return err
		}
		if l.Knee >= 0 {
			if err := printPosterior(s.out, l.Rungs[l.Knee].Fit); err != nil {
				return err
			}
		}
	}
	if l.Knee < 0 {
		return errors.New("no approximation could be fitted")
	}
	if draws := l.Rungs[l.Knee].Fit.Sample; draws != nil && c.DrawsTo != "" {
		if err := s.writeDraws(c.DrawsTo, l.Rungs[l.Knee].Fit); err != nil {
			return err
		}
	}
	if knee := &l.Rungs[l.Knee]; !knee.Fit.Complete() {
		return fmt.Errorf("did not converge: %s: %s", knee.Label(), knee.Fit.Message)
	}
	return s.Err()
}

// printRungs prints a row for each approximation, and names the knee.
func printRungs(w io.Writer, l *estimate.Ladder) error {
	t := tabwriter.NewWriter(w, 0, 0, 3, ' ', 0)
	fmt.Fprintln(t, "approximation\tnumbers\tELBO\tstd. error\trise\tover\tk-hat\tmeans off\tsds off\tstatus\ttime")
	for i := range l.Rungs {
		r := &l.Rungs[i]
		if r.Fit == nil {
			fmt.Fprintf(t, "%s\t%d\t-\t-\t-\t-\t-\t-\t-\t%s\t%s\n", r.Label(), r.Coordinates, "failed", duration(r.Seconds))
			continue
		}
		rise, over := "-", "-"
		if r.From >= 0 {
			rise, over = fmt.Sprintf("%.3f (%.2g)", float64(r.Rise), float64(r.RiseError)), l.Rungs[r.From].Label()
		}
		status := r.Fit.Status.String()
		if r.Kept {
			rise, status = "none", "kept"
		}
		means, sds := offs(r)
		e := &r.Fit.ELBO
		fmt.Fprintf(t, "%s\t%d\t%s\t%.2g\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", r.Label(), r.Coordinates,
			resolved(float64(e.Mean), float64(e.StandardError), 5), float64(e.StandardError), rise, over, shape(float64(e.KHat)), means, sds, status,
			duration(r.Seconds))
	}
	if err := t.Flush(); err != nil || l.Knee < 0 {
		return err
	}
	_, err := fmt.Fprintf(w, "\nknee: %s, the first whose bound no other exceeds by more than %g and two standard errors of the difference\n%s\n",
		l.Rungs[l.Knee].Label(), estimate.NegligibleRise, momentsLine(l))
	return err
}

// offs are how far the moments of a rung are from those by importance sampling, where that is known.
func offs(r *estimate.Rung) (means, sds string) {
	if r.Moments == nil {
		return "-", "-"
	}
	return fmt.Sprintf("%.2g", float64(r.Moments.Means)), fmt.Sprintf("%.2g", float64(r.Moments.Deviations))
}

// momentsLine says which moments are nearest, if that is known.
func momentsLine(l *estimate.Ladder) string {
	c := l.Moments
	if c == nil {
		return ""
	}
	by := fmt.Sprintf("draws of %s (k-hat %.2f, limit %.2f)", l.Rungs[c.By].Label(), float64(c.KHat), float64(c.Limit))
	if c.HeavyTails {
		by = "heavier-tailed " + by
	}
	if !c.Reliable() {
		return fmt.Sprintf("moments: not compared, as importance ratios of %s are not reliable\n", by)
	}
	text := fmt.Sprintf("moments: off from those of %d weighted %s, root mean squares in standard deviations; the errors of these are %.2g and %.2g\n",
		c.Draws, by, float64(c.MeanError), float64(c.DeviationError))
	if c.Nearest == l.Knee {
		return text + fmt.Sprintf("nearest: no other has moments that are surely nearer than those of %s\n", l.Rungs[l.Knee].Label())
	}
	return text + fmt.Sprintf("nearest: the moments of %s, by %s (%.2g) nats of the divergence of marginals from those of %s\n", l.Rungs[c.Nearest].Label(),
		resolved(float64(c.Gain), float64(c.GainError), 5), float64(c.GainError), l.Rungs[l.Knee].Label())
}

// shape prints a k-hat.
func shape(k float64) string {
	if math.IsNaN(k) {
		return "-"
	}
	return fmt.Sprintf("%.2f", k)
}
