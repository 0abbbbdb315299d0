package main

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/sngdgen/sngdgen/tests/rivals"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// tolerance is what may separate two log-likelihoods of one optimum.
const tolerance = 1e-6

// verdict is how sngdgen fares in a test.
type verdict string

const (
	win       verdict = "win"
	tie       verdict = "tie"
	loss      verdict = "loss"
	collapsed verdict = "collapsed" // what it chose has a component that is none
	failed    verdict = "failed"    // it did not converge, or ended with an error
	neither   verdict = "none"      // it says that what it has is no maximum, and the others have no sound optimum either
	unknown   verdict = "alone"     // the others have no sound optimum
)

// outcome is a test with both answers.
type outcome struct {
	test    *test
	theirs  *answer
	report  *rivals.Report
	ours    optimum
	seconds float64 // of the processor, without those that the command takes to start
	verdict verdict
}

// ahead is by how much the log-likelihood of sngdgen is above the best of the others.
func (o *outcome) ahead() float64 {
	best := o.theirs.best()
	if best == nil || o.report.LogLikelihood == nil {
		return math.NaN()
	}
	return *o.report.LogLikelihood - best.LogLikelihood
}

// shortest is the resolution of processor times.
const shortest = 1e-3

// compare fits with sngdgen every test to which there is an answer.
func compare(ctx context.Context, o *options, known *answers, tests []*test) ([]*outcome, error) {
	starting, err := o.bench.Starting(ctx)
	if err != nil {
		return nil, err
	}
	kept, err := readReports(o.reports)
	if err != nil {
		return nil, err
	}
	var outcomes []*outcome
	for _, t := range tests {
		theirs := answerTo(t, known)
		if theirs == nil {
			fmt.Fprintf(o.bench.Progress, "%s: no answer of the others for these data: -oracle asks them\n", t.key())
			continue
		}
		c := &outcome{test: t, theirs: theirs}
		if err := c.fit(ctx, o, kept); err != nil {
			return nil, err
		}
		c.seconds = max(c.report.Processor-starting, shortest)
		fmt.Fprintf(o.bench.Progress, "%s: %s %+.3g\n", t.key(), c.verdict, c.ahead())
		outcomes = append(outcomes, c)
	}
	return outcomes, nil
}

func (c *outcome) fit(ctx context.Context, o *options, kept *reports) (err error) {
	if c.report = kept.of(c.test); c.report == nil {
		problem := "mvnormalmix"
		if c.test.columns() == 1 {
			problem = "normalmix"
		}
		flags := append([]string{fmt.Sprintf("--components=%d", c.test.k)}, o.flags...)
		if c.report, err = o.bench.Fit(ctx, problem, c.test.data, flags...); err != nil {
			return err
		}
		if err := kept.keep(c.test, c.report); err != nil {
			return err
		}
	}
	if c.report.LogLikelihood == nil {
		c.verdict = failed
		return nil
	}
	if c.ours, err = described(c.test, c.report); err != nil {
		return fmt.Errorf("%s: %w", c.test.key(), err)
	}
	c.verdict = c.judge()
	return nil
}

func (c *outcome) judge() verdict {
	switch best := c.theirs.best(); {
	case best == nil && c.report.Status == "collapsed":
		return neither
	case !c.ours.sound(c.test.columns()):
		return collapsed
	case !c.report.Converged:
		return failed
	case best == nil:
		return unknown
	case c.ahead() < -tolerance:
		return loss
	case c.ahead() > tolerance:
		return win
	}
	return tie
}

// described measures the components of an estimate by what makes an optimum sound.
func described(t *test, r *rivals.Report) (optimum, error) {
	var weights []float64
	if err := r.Parameter("weights", &weights); err != nil {
		return optimum{}, err
	}
	var covariances [][][]float64
	if t.columns() == 1 {
		var variances []float64
		if err := r.Parameter("sigma2", &variances); err != nil {
			return optimum{}, err
		}
		for _, v := range variances {
			covariances = append(covariances, [][]float64{{v}})
		}
	} else if err := r.Parameter("Sigma", &covariances); err != nil {
		return optimum{}, err
	}
	o := optimum{LogLikelihood: *r.LogLikelihood, Eigenvalue: math.Inf(1), Resolution: math.Inf(1), Rows: math.Inf(1)}
	steps := roundingRoot(t.data.Rows)
	root, err := covarianceRoot(t.data.Rows)
	if err != nil {
		return optimum{}, err
	}
	for j, c := range covariances {
		rows, eigenvalue := weights[j]*float64(t.rows()), smallest(c, root)
		o.Rows, o.Eigenvalue = min(o.Rows, rows), min(o.Eigenvalue, eigenvalue)
		if eigenvalue < smallestEigenvalue && (o.Narrow == 0 || rows < o.Narrow) {
			o.Narrow = rows
		}
		o.Resolution = min(o.Resolution, smallest(c, steps))
	}
	return o, nil
}

// roundingRoot has the standard deviations that rounding to the decimals of a column adds on its diagonal.
func roundingRoot(rows [][]float64) *mat.TriDense {
	l := mat.NewTriDense(len(rows[0]), mat.Lower, nil)
	for j := range rows[0] {
		decimals := 0
		for _, row := range rows {
			_, after, _ := strings.Cut(strconv.FormatFloat(row[j], 'f', -1, 64), ".")
			decimals = max(decimals, len(after))
		}
		l.SetTri(j, j, math.Pow(10, -float64(decimals))/math.Sqrt(12))
	}
	return l
}

// covarianceRoot returns the lower Cholesky factor of the covariance of rows.
func covarianceRoot(rows [][]float64) (*mat.TriDense, error) {
	n, d := len(rows), len(rows[0])
	x := mat.NewDense(n, d, nil)
	for i, row := range rows {
		x.SetRow(i, row)
	}
	var s mat.SymDense
	stat.CovarianceMatrix(&s, x, nil)
	s.ScaleSym(float64(n-1)/float64(n), &s)
	var f mat.Cholesky
	if !f.Factorize(&s) {
		return nil, fmt.Errorf("the covariance of the data is not positive definite")
	}
	var l mat.TriDense
	f.LTo(&l)
	return &l, nil
}

// smallest returns the smallest eigenvalue of inv(root) c inv(root)'.
func smallest(c [][]float64, root *mat.TriDense) float64 {
	d := len(c)
	m := mat.NewDense(d, d, nil)
	for i, row := range c {
		m.SetRow(i, row)
	}
	var half, whole mat.Dense
	if half.Solve(root, m) != nil || whole.Solve(root, half.T()) != nil {
		return math.NaN()
	}
	s := mat.NewSymDense(d, nil)
	for i := range d {
		for j := i; j < d; j++ {
			s.SetSym(i, j, (whole.At(i, j)+whole.At(j, i))/2)
		}
	}
	var e mat.EigenSym
	if !e.Factorize(s, false) {
		return math.NaN()
	}
	return e.Values(nil)[0]
}
