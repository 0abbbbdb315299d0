package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/sngdgen/sngdgen/internal/build/worker"
	"github.com/sngdgen/sngdgen/internal/record"
	"github.com/sngdgen/sngdgen/internal/table"
	"github.com/sngdgen/sngdgen/runtime/estimate"
	"github.com/sngdgen/sngdgen/spec"
)

type fitCmd struct {
	dataFlags
	engineFlag
	Method        string  `type:"method" default:"auto" enum:"${choices}" placeholder:"NAME" help:"One of ${list} (${default})."`
	LineSearch    string  `type:"search" default:"" enum:",${choices}" placeholder:"NAME" help:"One of ${list}; the default is that of the method."`
	Root          string  `type:"root" default:"" enum:",${choices}" placeholder:"NAME" help:"Coordinates of positive definite matrices for gd, adam, bfgs, lbfgs and cg, square roots of the matrix or of its inverse: one of ${list} (the first)."`
	Seed          uint64  `placeholder:"N" help:"Seed of the random starts and of the minibatches."`
	Starts        int     `min:"1" max:"100000" placeholder:"N" help:"Number of starts: first those from the data, then random ones. The default is all from the data and some random ones, more where these do not agree."`
	MaxIterations int     `min:"1" placeholder:"N" help:"Limit of the iterations from each start."`
	Tolerance     float64 `above:"0" placeholder:"X" help:"Norm of the natural gradient at which to stop."`
	Components    string  `placeholder:"K" help:"Number of components of a mixture; several, as 1..8 or 2,3,5, are compared in a table."`
	WeightFloor   float64 `min:"0" below:"1" placeholder:"X" help:"Raise the weights of the components of a mixture to this after each step, so that none dies."`
	Init          string  `placeholder:"FILE" help:"Start from a former result of the same problem, as --json printed it, and look for no other optima."`
	Penalty       bool    `help:"Subtract the penalty of the target's spec from the log-likelihood, for estimates that are finite."`
	Formula       string  `placeholder:"Y~X+Z" help:"Linear predictors for parameters of a distribution, SPEC, whose name or file it is: 'y ~ age + sex; sigma ~ age'."`
	SpecTo        string  `output:"file" placeholder:"FILE" help:"Write the spec that --formula stands for."`
	Level         float64 `min:"0" below:"1" default:"0.95" placeholder:"P" help:"Level of the confidence intervals (${default})."`
	Checkpoint    string  `output:"file" placeholder:"FILE" help:"Keep the gradients of a likelihood in a file, and go on from there when the same command is run again after it was stopped."`
	Workers       int     `min:"1" max:"1024" placeholder:"N" help:"How many goroutines share the work: starts, and passes over many rows (as many as there are processors). What is printed does not depend on it."`
	memoryFlags
	stochasticFlags
	variationalFlags
	pictureFlags
	Rows    string `placeholder:"LIST" help:"Rows of the data to read, by number from 1, as 1:100,150,200: (all)."`
	JSON    bool   `name:"json" help:"Print JSON, with every digit."`
	Problem string `placeholder:"NAME" help:"Which problem, if the file has several."`
	Spec    string `arg:"" help:"Spec file, or name of a library problem."`
	Data    string `arg:"" optional:"" help:"CSV or TSV file, with a header or not, perhaps compressed (.gz), or an array of NumPy (.npy); a pattern, as 'part-*.csv' in quotes, for several files; - reads the standard input."`
}

// variationalFlags are for objectives that are evidence lower bounds.
type variationalFlags struct {
	Files          []string `group:"variational" name:"data" sep:"none" placeholder:"NAME=FILE" help:"File of a part of the data, instead of one file with the columns of all; may be repeated, or list several, as X=x.csv,y=y.csv. Of a likelihood given covariates columns of the one file: t=time,x=1+age+sex."`
	Draws          int      `min:"1" max:"100000" group:"variational" placeholder:"N" help:"Draws of the latent variables for each gradient (as in the spec)."`
	EvalDraws      int      `min:"1" max:"100000000" group:"variational" placeholder:"N" help:"Draws with which the bound is evaluated at the end (10,000, or fewer where they take long; more where k-hat is near its limit)."`
	DrawsTo        string   `output:"file" group:"variational" placeholder:"FILE" help:"Write draws of the posterior with their log-densities to a file that ArviZ reads: CSV as CmdStan has it, or JSON if the name ends in .json."`
	N              int      `min:"1" max:"100000000" group:"variational" name:"n" placeholder:"N" help:"How many of them (1000)."`
	Predict        bool     `group:"variational" help:"Draw data from the model for each of them too, where its spec has a sample: written with the draws, and compared with the data that were observed."`
	Resample       int      `min:"1" max:"10000000" group:"variational" placeholder:"N" help:"Correct the approximation by importance resampling, to so many draws from ten times as many."`
	Power          *float64 `group:"variational" placeholder:"X" help:"Power of expectation propagation: 1 matches moments, 0 is variational inference (as in the spec)."`
	Approximations string   `aliases:"approximation" group:"variational" placeholder:"NAMES" help:"Form of the approximation in place of that of the spec; several, separated by commas, or auto for all that are known (see sngdgen list), are compared in a table, each fitted from those that it contains."`
}

// stochasticFlags schedule steps. Any of them makes sngd and gd stochastic; adam always is.
type stochasticFlags struct {
	Batch         int     `min:"1" group:"stochastic" placeholder:"N" help:"Rows of each gradient (all)."`
	Replace       bool    `group:"stochastic" name:"with-replacement" help:"Draw them with replacement, instead of going through all rows in random order."`
	Steps         int     `min:"1" group:"stochastic" placeholder:"N" help:"End after so many steps (10000, unless there is a number of epochs)."`
	Epochs        float64 `above:"0" group:"stochastic" placeholder:"X" help:"End after going through the rows so many times."`
	Rate          float64 `above:"0" group:"stochastic" placeholder:"X" help:"First step, as a multiple of the gradient (0.1 for sngd, 0.01 for gd); rate of adam (0.001)."`
	Schedule      string  `group:"stochastic" type:"schedule" default:"" enum:",${choices}" placeholder:"NAME" help:"How steps shrink: one of ${list}. Left out, those of sngd decay and others are constant."`
	Optimizer     string  `group:"stochastic" type:"optimizer" default:"" enum:",${choices}" placeholder:"NAME" help:"Method for the auxiliary parameters of sngd: one of ${list} (the first)."`
	OptimizerRate float64 `above:"0" group:"stochastic" placeholder:"X" help:"Its rate."`
}

func (c *fitCmd) request() *estimate.Settings {
	return &estimate.Settings{Method: c.Method, LineSearch: c.LineSearch, Seed: c.Seed, Starts: c.Starts,
		MaxIterations: c.MaxIterations, GradientTolerance: c.Tolerance, Level: c.Level, Root: c.Root, WeightFloor: c.WeightFloor, Penalty: c.Penalty, Workers: c.Workers,
		Stochastic: estimate.Stochastic(c.stochasticFlags)}
}

// checkpoint is where a fit of a problem keeps its gradients.
func (c *fitCmd) checkpoint(p *spec.Problem) estimate.Checkpoint {
	if c.Checkpoint == "" {
		return estimate.Checkpoint{}
	}
	return estimate.Checkpoint{File: c.Checkpoint, Identity: p.Checksum() + " " + fullVersion()}
}

// counts returns the numbers of components to fit, none where the problem says it or has none.
func (c *fitCmd) counts(p *spec.Problem) ([]int, error) {
	counts, err := parseCounts(c.Components)
	if err != nil {
		return nil, usageError{err}
	}
	err = cmp.Or(checkCounts(p, counts), checkFloor(p, c.WeightFloor))
	if c.Init == "" { // which says it
		err = cmp.Or(err, needCounts(p, counts))
	}
	return counts, err
}

// Run fits, and prints the result even when the fit did not converge.
func (c *fitCmd) Run(s *session) (err error) {
	defer func() { err = s.others.said(err) }()
	request := c.request()
	if err := request.Check(); err != nil {
		return usageError{err}
	}
	s.engine, c.readers = c.Engine, c.Workers
	if err := s.asProcess(); err != nil {
		return err
	}
	if err := c.memoryFlags.open(s, c.Data); err != nil {
		return err
	}
	defer s.space.Close()
	if s.others != nil && c.Engine == engineCompiled {
		return usageError{errors.New("several processes interpret specs, or run problems of the library: leave --engine out")}
	}
	if c.Formula == "" {
		if p := shortForm(c.Spec, c.Problem); p != nil {
			return c.fitShort(s, p, request)
		}
	}
	if c.Formula != "" || c.SpecTo != "" {
		return c.regress(s, request)
	}
	return c.fitProblem(s, request)
}

// fitProblem fits a problem of a spec or of the library.
func (c *fitCmd) fitProblem(s *session, request *estimate.Settings) error {
	p, err := oneWithData(s, c.Spec, c.Problem)
	if err != nil {
		return err
	}
	if s.others != nil && (p.VI != nil || c.compares()) {
		return usageError{errOneProcess}
	}
	if c.Checkpoint != "" && p.VI != nil {
		return usageError{errors.New("--checkpoint is for likelihoods: fits of posteriors keep nothing that they could go on with")}
	}
	if p.VI != nil && s.space != nil {
		return usageError{errors.New("--memory and --cache are for likelihoods: a posterior takes all of its data in memory")}
	}
	if c.compares() {
		return c.climb(s, p, request)
	}
	if p, err = c.inForm(s, p); err != nil {
		return err
	}
	counts, err := c.counts(p)
	if err != nil {
		return err
	}
	if p.VI != nil {
		return c.approximate(s, p, request, counts)
	}
	if err := c.refuse(p); err != nil {
		return usageError{err}
	}
	if s.others != nil && len(counts) > 1 {
		return usageError{errOneProcess}
	}
	data, err := c.read(s, p, c.Data, c.Files, c.Rows)
	if err != nil {
		return err
	}
	switch {
	case len(counts) > 1 && c.Init != "":
		return usageError{errors.New("--init is the start of one fit: give one number of components")}
	case len(counts) > 1:
		return c.compare(s, c.Spec, p, counts, data)
	case len(counts) == 1:
		request.Components = counts[0]
	}
	if err := s.checkDistinct(data, request.Components); err != nil {
		return err
	}
	return c.fitted(s, c.Spec, p, request, data)
}

// fitted fits a likelihood to data, and prints and draws what comes out.
func (c *fitCmd) fitted(s *session, arg string, p *spec.Problem, request *estimate.Settings, data *table.Table) (err error) {
	if request.Init, err = formerResult(c.Init, p); err != nil {
		return err
	}
	request.Checkpoint = c.checkpoint(p)
	subject := newSubject(p, data)
	if request.Details, err = c.wanted(subject); err != nil {
		return err
	}
	names := record.Labels(p, data)
	request.Details.Profile = byNumber(request.Details.Profile, names)
	var of *origin
	if c.JSON { // a report for people does not show it, and a digest goes through all numbers
		if of, err = c.newOrigin(s, arg, p, data); err != nil {
			return err
		}
	}
	answer, err := s.do(arg, p, worker.Job{Fit: request}, data)
	if err != nil {
		return withHints(err, p, data)
	}
	r := answer.Fit
	r.Labels = names
	if r.Details != nil {
		for i := range r.Details.Profiles {
			r.Details.Profiles[i].Name = labelled(r.Details.Profiles[i].Name, names)
		}
	}
	for _, w := range r.Warnings {
		fmt.Fprintln(s.err, "warning:", w)
	}
	if err := c.print(s, r, of); err != nil {
		return err
	}
	if err := c.show(s, p, subject, r); err != nil {
		return err
	}
	if !r.Complete() {
		return withHints(fmt.Errorf("did not converge: %s", r.Message), p, data)
	}
	return nil
}

// withHints adds to an error what is wrong with the data as a whole, of which processes that share them have not seen enough.
func withHints(err error, p *spec.Problem, data *table.Table) error {
	if data.Shared {
		return err
	}
	return record.WithHints(err, p, data)
}

func (c *fitCmd) print(s *session, r *estimate.Report, of *origin) error {
	if c.JSON {
		return printJSON(s, printedFit{printed{schemaVersion, "likelihood"}, r, of})
	}
	return printReport(s.out, r)
}

func printJSON(s *session, v any) error {
	e := json.NewEncoder(s.out)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
