package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"text/tabwriter"

	"github.com/sngdgen/sngdgen/internal/build/worker"
	"github.com/sngdgen/sngdgen/internal/figure"
	"github.com/sngdgen/sngdgen/internal/record"
	"github.com/sngdgen/sngdgen/runtime/estimate"
	"github.com/sngdgen/sngdgen/spec"
)

// refuse reports flags of variational objectives for a problem of another one, and a missing file.
func (c *fitCmd) refuse(p *spec.Problem) error {
	for _, flag := range []struct {
		name  string
		given bool
	}{
		{"draws", c.Draws != 0}, {"eval-draws", c.EvalDraws != 0}, {"draws-to", c.DrawsTo != ""},
		{"n", c.N != 0}, {"resample", c.Resample != 0}, {"predict", c.Predict},
		{"power", c.Power != nil},
	} {
		if flag.given {
			return fmt.Errorf("--%s is for variational objectives: that of %s is %s", flag.name, p.Package, p.Objective)
		}
	}
	if c.Data == "" {
		return errors.New(`expected "<data>"`)
	}
	return nil
}

// keptDraws is how many draws of a posterior are written unless the user says otherwise.
const keptDraws = 1000

// variational returns the settings of a variational objective.
func (c *fitCmd) variational(p *spec.Problem) (estimate.Variational, error) {
	v := estimate.Variational{Draws: c.Draws, EvalDraws: c.EvalDraws, Resample: c.Resample, Predict: c.Predict,
		PowerZero: c.Power != nil && *c.Power == 0}
	if c.Power != nil {
		v.Power = *c.Power
	}
	switch {
	case len(c.Profile) > 0:
		return v, errors.New("--profile is for likelihoods, of which a posterior has none to maximise")
	case (c.Predict || c.drawn()) && c.DrawsTo == "" && c.Resample == 0 && c.N == 0:
		if v.Keep = keptDraws; c.drawn() && !c.Predict {
			v.Keep = figure.PosteriorDraws
		}
	case c.N > 0 && c.Resample > 0:
		return v, errors.New("--n: --resample says how many draws there are")
	case c.N < 0:
		return v, errors.New("--n must be positive")
	case c.N > 0 && c.DrawsTo == "":
		return v, errors.New("--n is how many draws of the posterior are written: --draws-to says where")
	case c.DrawsTo != "" && c.Resample == 0:
		if v.Keep = c.N; c.N == 0 {
			v.Keep = keptDraws
		}
	}
	return v, nil
}

// approximate fits a variational objective, and prints the result even when the fit did not converge.
func (c *fitCmd) approximate(s *session, p *spec.Problem, request *estimate.Settings, counts []int) error {
	var err error
	if request.Variational, err = c.variational(p); err != nil {
		return usageError{err}
	}
	if err := request.Check(); err != nil {
		return usageError{err}
	}
	if len(counts) > 1 {
		return usageError{errors.New("--components: numbers of components are compared by likelihoods, which a variational " +
			"objective has none of: give one number")}
	}
	if len(counts) == 1 {
		request.Components = counts[0]
	}
	request.Details.Trace = c.Trace != "" || c.drawn()
	if request.Init, err = formerResult(c.Init, p); err != nil {
		return err
	}
	data, err := c.readParts(s, p, c.Data, c.Files, c.Rows)
	if err != nil {
		return err
	}
	answer, err := s.do(c.Spec, p, worker.Job{Fit: request}, data)
	if err != nil {
		return err
	}
	nameEntries(answer.Posterior, record.EntryNames(p, data.names), record.MatrixNames(p, data.names))
	return c.printApproximation(s, p, answer.Posterior, c.posteriorOrigin(p, data))
}

// nameEntries calls the entries of latent vectors and matrices by the levels and the columns of the data.
func nameEntries(a *estimate.Approximation, vectors map[string][]string, matrices map[string][][]string) {
	a.Labels, a.MatrixLabels = vectors, matrices
	posteriors := []*estimate.Posterior{&a.Posterior}
	if a.Resampled != nil && a.Resampled.Posterior != nil {
		posteriors = append(posteriors, a.Resampled.Posterior)
	}
	for _, p := range posteriors {
		for i, name := range p.Names {
			p.Names[i] = a.Labelled(name)
		}
	}
}

func (c *fitCmd) printApproximation(s *session, p *spec.Problem, a *estimate.Approximation, of *origin) error {
	for _, w := range a.Warnings {
		fmt.Fprintln(s.err, "warning:", w)
	}
	var err error
	if c.JSON {
		err = printJSON(s, printedPosterior{printed{schemaVersion, "posterior"}, a, of})
	} else {
		err = printPosterior(s.out, a)
	}
	if err == nil && a.Sample != nil && c.DrawsTo != "" {
		err = s.writeDraws(c.DrawsTo, a)
	}
	if err == nil {
		err = c.showPosterior(s, p, a)
	}
	if err == nil && !a.Complete() {
		err = fmt.Errorf("did not converge: %s", a.Message)
	}
	return cmp.Or(err, a.Refused())
}

// printPosterior prints an approximation of a posterior for a reader.
func printPosterior(w io.Writer, a *estimate.Approximation) error {
	fmt.Fprintf(w, "posterior as %s by %s, %s\n\n", a.Target, a.Surrogate, methodNames[a.Method])
	t := tabwriter.NewWriter(w, 0, 0, 3, ' ', 0)
	printLatent(t, &a.Posterior)
	if q := a.Propagation; q.Agrees() {
		fmt.Fprintf(t, "\nlog evidence\t%s\t(%s)\n", digits(float64(q.LogEvidence)), evidenceOf(q))
	}
	fmt.Fprintf(t, "\nELBO\t%s\t(%s)\n", resolved(float64(a.ELBO.Mean), math.Max(float64(a.ELBO.StandardError), leastShown), 5), certainty(a))
	fmt.Fprintf(t, "k-hat\t%.2f\t(std. error %.2f; %s)\n", float64(a.ELBO.KHat), float64(a.ELBO.KHatError), judgement(&a.ELBO))
	if a.ELBO.Ratios == estimate.RatiosReliable {
		fmt.Fprintf(t, "log evidence\t%s\t(by importance sampling)\n",
			resolved(float64(a.ELBO.LogEvidence), float64(a.ELBO.EvidenceError), 5))
	}
	fmt.Fprintf(t, "rows\t%s\n", rowsOf(a))
	for _, d := range a.Dimensions {
		fmt.Fprintf(t, "%s\t%d\n", d.Name, d.Len)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if err := cmp.Or(printResampled(w, a.Resampled), printPredictive(w, a)); err != nil {
		return err
	}
	fmt.Fprintf(w, "\nparameters of %s\n", a.Target)
	printParameters(w, a.Parameters)
	fmt.Fprintln(w)
	printSteps(t, a)
	fmt.Fprintf(t, "time\t%s\n", duration(a.Seconds))
	return t.Flush()
}

// shownLatent is how many latent variables are shown.
const shownLatent = 40

// printLatent prints a row for each latent variable.
func printLatent(t io.Writer, p *estimate.Posterior) {
	if len(p.Names) == 0 {
		return
	}
	means, sds, medians := flat(p.Mean), flat(p.SD), flat(p.Quantiles[1].Values)
	fmt.Fprintf(t, "latent\tmean\tstd. deviation\tmedian\t%v%% interval\n", math.Round(1e8*p.Level)/1e6)
	lows, highs := p.Interval.Ends()
	for i, name := range p.Names {
		if i == shownLatent {
			fmt.Fprintf(t, "and %d more: --json prints all\n", len(means)-i)
			return
		}
		fmt.Fprintf(t, "%s\t%s\t%.4g\t%s\t%s to %s\n", name, resolved(means[i], sds[i], 4), sds[i], resolved(medians[i], sds[i], 4),
			resolved(lows[i], sds[i], 4), resolved(highs[i], sds[i], 4))
	}
}

// printResampled prints what importance resampling says, beside the approximation.
func printResampled(w io.Writer, r *estimate.Resampled) error {
	if r == nil || r.Posterior == nil {
		return nil
	}
	t := tabwriter.NewWriter(w, 0, 0, 3, ' ', 0)
	tails := ""
	if r.HeavyTails {
		tails = " with heavier tails"
	}
	fmt.Fprintf(t, "\nby importance resampling: %s, %d of them distinct, from %d%s; effective sample size %.0f, k-hat %.2f\n\n",
		plural(r.Draws, "draw"), r.Distinct, r.Proposals, tails, float64(r.Effective), float64(r.KHat))
	printLatent(t, r.Posterior)
	return t.Flush()
}

// printPredictive compares the data with those that the model draws.
func printPredictive(w io.Writer, a *estimate.Approximation) error {
	if len(a.Predictive) == 0 {
		return nil
	}
	t := tabwriter.NewWriter(w, 0, 0, 3, ' ', 0)
	fmt.Fprintf(t, "\ndata\tobserved\tdrawn, mean\t%v%% interval\tshare above\n", math.Round(1e8*a.Posterior.Level)/1e6)
	for _, c := range a.Predictive {
		fmt.Fprintf(t, "%s of %s\t%s\t%s\t%s to %s\t%.3f\n", c.Statistic, c.Name, digits(float64(c.Observed)), digits(float64(c.Mean)),
			digits(float64(c.Low)), digits(float64(c.High)), float64(c.Above))
	}
	return t.Flush()
}

// flat lists all entries, one after the other.
func flat(vs estimate.Values) []float64 {
	var out []float64
	for _, v := range vs {
		if v.Shape == nil {
			out = append(out, v.Value)
		}
		out = append(out, v.Entries...)
	}
	return out
}

// leastShown is what a bound is shown to at most.
const leastShown = 1e-5

// certainty says how the bound is known.
func certainty(a *estimate.Approximation) string {
	switch q := a.Quadrature; {
	case q == nil:
		return fmt.Sprintf("std. error %.2g, %s", float64(a.ELBO.StandardError), plural(a.ELBO.Draws, "draw"))
	case q.Nodes == 0:
		return "in closed form"
	default:
		return fmt.Sprintf("by quadrature with %d nodes, error %.1g", q.Nodes, float64(q.Error))
	}
}

// judgement says what a k-hat means (Vehtari, Simpson, Gelman, Yao and Gabry, Pareto smoothed importance sampling, JMLR 25(72),
// 2024): whether the ratios of the posterior to the approximation, at its draws, have weights that can be trusted. Low, it knows nothing
// of what no draw has seen; high, nothing of moments: the tails of many dimensions that are all nearly right add up.
func judgement(e *estimate.ELBO) string {
	limit := fmt.Sprintf("%.2g", float64(e.KHatLimit))
	switch e.Ratios {
	case estimate.RatiosReliable:
		return fmt.Sprintf("below %s: importance sampling by %d draws can correct the approximation where it has draws", limit, e.PortionDraws)
	case estimate.RatiosUnreliable:
		return fmt.Sprintf("above %s: importance sampling by %d draws is not to be trusted, which alone says nothing of means and variances; "+
			"more draws, or a richer approximation, may have other ratios", limit, e.PortionDraws)
	case estimate.RatiosUnclear:
		return fmt.Sprintf("too near %s to say whether importance sampling by %d draws can correct the approximation",
			limit, e.PortionDraws)
	}
	return "not known"
}

func rowsOf(a *estimate.Approximation) string {
	if a.N != float64(a.Rows) {
		return fmt.Sprintf("%d (weights of %s in all)", a.Rows, digits(a.N))
	}
	return fmt.Sprint(a.Rows)
}

// printParameters prints the parameters of the approximation: numbers, then vectors and matrices.
func printParameters(w io.Writer, vs estimate.Values) {
	var shaped estimate.Values
	for _, v := range vs {
		if v.Shape == nil {
			fmt.Fprintf(w, "%s   %s\n", v.Name, digits(v.Value))
			continue
		}
		shaped = append(shaped, v)
	}
	for _, v := range shaped {
		if len(v.Shape) > 2 { // of the components of a mixture
			printStack(w, v)
			continue
		}
		printArray(w, v)
	}
}

// printStack prints matrices one after the other.
func printStack(w io.Writer, v estimate.Value) {
	size := v.Shape[1] * v.Shape[2]
	for c := range v.Shape[0] {
		printArray(w, estimate.Value{Name: fmt.Sprintf("%s[%d]", v.Name, c+1), Shape: v.Shape[1:], Entries: v.Entries[c*size : (c+1)*size]})
	}
}

// printSteps says how the run went.
func printSteps(t io.Writer, a *estimate.Approximation) {
	if q := a.Propagation; q != nil {
		printPropagation(t, q)
		fmt.Fprintf(t, "stopped\t%s\n", reason(a))
		return
	}
	draws := plural(a.Draws, "draw")
	if a.Quadrature != nil {
		draws = "the bound without draws"
	}
	if a.Noise != nil {
		draws = fmt.Sprintf("%d fixed draws, which leave the bound %.1g below its best, and means off by %.1g std. deviations at most",
			a.Draws, float64(a.Noise.Shortfall), float64(a.Noise.MeanError))
	}
	fmt.Fprintf(t, "steps\t%d of %s", a.Steps, draws)
	if a.Averaged > 0 {
		fmt.Fprintf(t, ", the last %d averaged", a.Averaged)
	}
	fmt.Fprintln(t)
	if a.Course.Batch < a.Rows {
		fmt.Fprintf(t, "batches\t%s, %s (%s epochs)\n", plural(a.Course.Batch, "row"), a.Course.Sampling, digits(a.Course.Epochs))
	}
	if a.Guard.Halvings > 0 {
		fmt.Fprintf(t, "shortened\t%s by half: the step led out of the domain\n", plural(a.Guard.Halvings, "time"))
	}
	if a.Guard.Skipped > 0 {
		fmt.Fprintf(t, "skipped\t%s: the gradient was not finite\n", plural(a.Guard.Skipped, "step"))
	}
	for i, e := range a.Ends {
		if i == shownOptima {
			fmt.Fprintf(t, "\tand %d more\n", len(a.Ends)-i)
			break
		}
		fmt.Fprintf(t, "%s\tELBO about %s from start %d\n", []string{"ends", ""}[min(i, 1)],
			resolved(float64(e.ELBO), float64(e.StandardError), 5), e.Start)
	}
	fmt.Fprintf(t, "stopped\t%s\n", reason(a))
}

// reason says why the run ended.
func reason(a *estimate.Approximation) string {
	return stopped(&estimate.Report{Status: a.Status, Message: a.Message})
}
