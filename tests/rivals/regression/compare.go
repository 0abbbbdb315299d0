package main

import (
	"context"
	"fmt"
	"math"
	"strings"
)

// report is what sngdgen fit --json says.
type report struct {
	Status        string             `json:"status"`
	Converged     bool               `json:"converged"`
	Iterations    int                `json:"iterations"`
	LogLikelihood *float64           `json:"log_likelihood"`
	Parameters    map[string]numbers `json:"parameters"`
	StdErrs       map[string]numbers `json:"standard_errors"`
	Seconds       float64            `json:"seconds"`
}

// estimate is the point that a report is about.
func (r *report) estimate() *estimate {
	e := &estimate{math.NaN(), r.Parameters, r.StdErrs}
	if r.LogLikelihood != nil {
		e.LogLikelihood = *r.LogLikelihood
	}
	return e
}

// outcome is a case with what both say.
type outcome struct {
	*example
	report *report
	theirs *answer
	// command is the processor time of the command, less what it takes to start.
	command float64
}

// repetitions are how often a fit is repeated: the least time counts.
const repetitions = 5

func (o *options) compare(ctx context.Context, known *answers, chosen []*example) ([]*outcome, error) {
	starting, err := o.bench.Starting(ctx)
	if err != nil {
		return nil, err
	}
	var out []*outcome
	for _, e := range chosen {
		c := &outcome{example: e, theirs: answerTo(e, known), command: math.Inf(1)}
		if c.theirs == nil {
			fmt.Fprintf(o.bench.Progress, "%s: no answer of the others for these data\n", e.Name)
			continue
		}
		arguments := append(append([]string{e.Distribution, e.File, "--formula", e.Formula}, strings.Fields(e.Arguments)...), o.flags...)
		for i := range 1 + repetitions { // the first may compile
			r := new(report)
			ended, err := o.bench.FitInto(ctx, r, arguments...)
			if err != nil {
				return nil, err
			}
			if ended.Fault != "" {
				r.Status = ended.Fault
			}
			if c.report != nil && i > 1 {
				r.Seconds = min(r.Seconds, c.report.Seconds)
			}
			if c.report = r; i > 0 {
				c.command = min(c.command, ended.Processor-starting)
			}
		}
		fmt.Fprintf(o.bench.Progress, "%s: %s: %s\n", e.Name, c.verdict(), c.report.Status)
		out = append(out, c)
	}
	return out, nil
}

// decisive is the difference of two log-likelihoods from which one is better.
const decisive = 1e-6

// The verdicts: the rival's log-likelihood is lower, higher, or the same.
const (
	win    = "win"
	tie    = "tie"
	loss   = "loss"
	failed = "failed"
)

// verdicts are all of them.
var verdicts = []string{win, tie, loss, failed}

// verdict compares with the rival.
func (c *outcome) verdict() string {
	ahead := c.report.estimate().LogLikelihood - c.theirs.LogLikelihood
	switch {
	case !c.report.Converged || math.IsNaN(ahead):
		return failed
	case ahead > decisive:
		return win
	case ahead < -decisive:
		return loss
	}
	return tie
}

// distance compares two estimates by the standard errors of the second: the largest difference of parameters in these units, and the
// largest relative difference of standard errors. NaN where either lacks one.
func distance(a, b *estimate) (parameters, errors float64) {
	for name, values := range b.Parameters {
		for i, v := range values {
			se, mine, own := b.StdErrs[name].at(i), a.Parameters[name].at(i), a.StdErrs[name].at(i)
			parameters = worst(parameters, math.Abs(mine-*v)/se)
			errors = worst(errors, math.Abs(own/se-1))
		}
	}
	return parameters, errors
}

// worst is the larger, NaN if one of them is.
func worst(a, b float64) float64 { return math.Max(a, b) }

func (n numbers) at(i int) float64 {
	if i >= len(n) || n[i] == nil {
		return math.NaN()
	}
	return *n[i]
}

// digits is what is left of four digits.
const digits = 1e-4

// precise is the relative error of log-likelihoods that may stand.
const precise = 1e-9

// agreement is how an estimate agrees with the maximum: what its log-likelihood lacks, relative to its size or 1, and the distances.
type agreement struct{ missing, parameters, errors float64 }

func agree(e, maximum *estimate) agreement {
	p, s := distance(e, maximum)
	return agreement{(maximum.LogLikelihood - e.LogLikelihood) / max(1, math.Abs(maximum.LogLikelihood)), p, s}
}

// software names the function of the rival.
func (c *outcome) software() string {
	name, _, _ := strings.Cut(c.Call, "(")
	if name == "skellam" {
		return "SciPy " + name
	}
	if c.Rival == "python" {
		return "statsmodels " + name
	}
	return name
}
