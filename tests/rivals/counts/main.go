// Command counts fits what others failed on in public, and samples that are nearly Poisson, and compares with maximum likelihood
// estimates in 20 digits, or with the finding that there are none:
//
//	go run ./tests/rivals/counts > tests/rivals/counts/TABLE.md
//
// The truths are in nearly_poisson.json and cases.json, which the scripts next to them make; specs has the models that the
// library does not. The progress goes to the standard error.
package main

import (
	"context"
	"embed"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"

	"github.com/sngdgen/sngdgen/internal/console"
	"github.com/sngdgen/sngdgen/tests/rivals"
)

func main() { console.Main(command) }

//go:embed nearly_poisson.json
var nearlyPoissonJSON []byte

//go:embed cases.json
var casesJSON []byte

//go:embed specs
var specs embed.FS

// truth is what is known of a likelihood. Numbers are texts of 15 digits or more.
type truth struct {
	Finite        bool              `json:"finite"` // whether there is a maximum, above the limit
	LogLikelihood string            `json:"log_likelihood"`
	Estimate      map[string]string `json:"estimate"`
	Limit         string            `json:"limit"`    // of the log-likelihood where there is no maximum
	LimitIs       string            `json:"limit_is"` // where
}

// example is a data set, a model and the truth.
type example struct {
	Name    string   `json:"name"`
	Source  string   `json:"source"` // where others failed
	Failure string   `json:"failure"`
	Problem string   `json:"problem"` // of the library, or a file in specs
	Columns []string `json:"columns"`
	Rows    rows     `json:"rows"` // or
	Set     string   `json:"set"`  // the name of an exported data set
	Truth   truth    `json:"truth"`
}

// rows are numbers, or arrays of them.
type rows [][]float64

// UnmarshalJSON takes a number for a row of one.
func (r *rows) UnmarshalJSON(text []byte) error {
	var numbers []float64
	if json.Unmarshal(text, &numbers) != nil {
		return json.Unmarshal(text, (*[][]float64)(r))
	}
	for _, x := range numbers {
		*r = append(*r, []float64{x})
	}
	return nil
}

// nearlyPoisson reads the samples as examples.
func nearlyPoisson() ([]*example, error) {
	var samples []struct {
		Counts        rows   `json:"counts"`
		Finite        bool   `json:"finite"`
		R             string `json:"r"`
		S             string `json:"s"`
		LogLikelihood string `json:"log_likelihood"`
		Poisson       string `json:"poisson"`
	}
	if err := json.Unmarshal(nearlyPoissonJSON, &samples); err != nil {
		return nil, fmt.Errorf("nearly_poisson.json: %w", err)
	}
	examples := make([]*example, len(samples))
	for i, s := range samples {
		t := truth{Finite: s.Finite, LogLikelihood: s.LogLikelihood, Limit: s.Poisson, LimitIs: "Poisson, as r grows"}
		if s.Finite {
			t.Estimate = map[string]string{"r": s.R, "s": s.S}
		}
		examples[i] = &example{Name: fmt.Sprintf("nearly Poisson %d", i+1), Problem: "negbin", Columns: []string{"y"}, Rows: s.Counts, Truth: t}
	}
	return examples, nil
}

// options are the flags.
type options struct {
	bench rivals.Bench
	name  string
	flags []string
}

func command(ctx context.Context, args []string, out, progress io.Writer) error {
	o := &options{bench: rivals.Bench{Progress: progress}}
	f := flag.NewFlagSet("counts", flag.ContinueOnError)
	f.SetOutput(progress)
	o.bench.Flags(f)
	f.StringVar(&o.name, "case", "", "part of the names of the cases; all when empty")
	flags := f.String("args", "", "flags for sngdgen fit, with blanks between")
	if err := f.Parse(args); err != nil {
		return err
	}
	o.flags = strings.Fields(*flags)
	if err := o.bench.Prepare(ctx); err != nil {
		return err
	}
	samples, err := nearlyPoisson()
	if err != nil {
		return err
	}
	var public []*example
	if err := json.Unmarshal(casesJSON, &public); err != nil {
		return fmt.Errorf("cases.json: %w", err)
	}
	near, err := fitAll(ctx, o, samples)
	if err != nil {
		return err
	}
	known, err := fitAll(ctx, o, public)
	if err != nil {
		return err
	}
	return write(out, o, near, known)
}

// outcome is an example with the report on it.
type outcome struct {
	*example
	report *rivals.Report
}

func fitAll(ctx context.Context, o *options, examples []*example) ([]*outcome, error) {
	var outcomes []*outcome
	for _, e := range examples {
		if !strings.Contains(e.Name, o.name) {
			continue
		}
		data, err := o.data(e)
		if err != nil {
			return nil, err
		}
		problem, err := o.problem(e)
		if err != nil {
			return nil, err
		}
		r, err := o.bench.Fit(ctx, problem, data, o.flags...)
		if err != nil {
			return nil, err
		}
		c := &outcome{e, r}
		fmt.Fprintf(o.bench.Progress, "%s: %s: %s\n", e.Name, c.verdict(), r.Status)
		outcomes = append(outcomes, c)
	}
	return outcomes, nil
}

// data returns the rows of an example as a file.
func (o *options) data(e *example) (*rivals.Data, error) {
	if e.Set != "" {
		return rivals.Read(o.bench.File(e.Set), e.Columns)
	}
	var b strings.Builder
	b.WriteString(strings.Join(e.Columns, ",") + "\n")
	for _, row := range e.Rows {
		for j, x := range row {
			if j > 0 {
				b.WriteByte(',')
			}
			b.WriteString(strconv.FormatFloat(x, 'g', -1, 64))
		}
		b.WriteByte('\n')
	}
	file := o.bench.Path("counts.csv")
	if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
		return nil, err
	}
	return rivals.Read(file, e.Columns)
}

// problem returns the name of a problem of the library, or the file of a spec, written to the cache.
func (o *options) problem(e *example) (string, error) {
	if !strings.HasSuffix(e.Problem, ".yaml") {
		return e.Problem, nil
	}
	text, err := specs.ReadFile("specs/" + e.Problem)
	if err != nil {
		return "", err
	}
	file := o.bench.Path(e.Problem)
	return file, os.WriteFile(file, text, 0o644)
}

// verdict says how the report compares with the truth.
func (c *outcome) verdict() string {
	infinite := strings.Contains(c.report.Status, "infinity")
	switch {
	case c.report.LogLikelihood == nil, !infinite && !c.report.Converged:
		return "failed"
	case infinite && c.Truth.Finite:
		return "contradicted"
	case infinite:
		return "right"
	case !c.Truth.Finite:
		return "contradicted"
	case math.Abs(c.ahead()) > tolerance:
		return "wrong"
	}
	return "right"
}

// tolerance is what may separate two log-likelihoods of one optimum, relative to their size.
const tolerance = 1e-9

// ahead is by how much the log-likelihood is above the truth, relative to its size or 1.
func (c *outcome) ahead() float64 {
	want := c.Truth.LogLikelihood
	if !c.Truth.Finite {
		want = c.Truth.Limit
	}
	w, err := strconv.ParseFloat(want, 64)
	if err != nil || c.report.LogLikelihood == nil {
		return math.NaN()
	}
	return (*c.report.LogLikelihood - w) / max(1, math.Abs(w))
}

// apart is the largest relative error of the estimates, NaN where there is no truth.
func (c *outcome) apart() float64 {
	worst := math.NaN()
	for name, text := range c.Truth.Estimate {
		want, err := strconv.ParseFloat(text, 64)
		got, ok := first(c.report.Parameters[name])
		if err != nil || !ok {
			return math.NaN()
		}
		if e := math.Abs(got-want) / max(math.Abs(want), 1e-300); math.IsNaN(worst) || e > worst {
			worst = e
		}
	}
	return worst
}

// first returns the first number of a parameter, which may be a vector or a matrix.
func first(text json.RawMessage) (float64, bool) {
	var x float64
	if json.Unmarshal(text, &x) == nil {
		return x, true
	}
	var list []json.RawMessage
	if json.Unmarshal(text, &list) != nil || len(list) == 0 {
		return 0, false
	}
	return first(list[0])
}
