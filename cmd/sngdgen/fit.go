package main

import (
	"encoding/json"
	"fmt"

	"github.com/sngdgen/sngdgen/internal/build/worker"
	"github.com/sngdgen/sngdgen/internal/fit"
	"github.com/sngdgen/sngdgen/internal/table"
)

type fitCmd struct {
	dataFlags
	Method        string  `default:"auto" enum:"${methods}" help:"One of ${enum}."`
	LineSearch    string  `default:"" enum:",${searches}" help:"One of ${searches}; the default is that of the method."`
	Seed          uint64  `placeholder:"N" help:"Seed of the random starts."`
	Starts        int     `placeholder:"N" help:"Number of starts: first those from the data, then random ones."`
	MaxIterations int     `placeholder:"N" help:"Limit of the iterations from each start."`
	Tolerance     float64 `placeholder:"X" help:"Norm of the natural gradient at which to stop."`
	Level         float64 `default:"0.95" placeholder:"P" help:"Level of the confidence intervals (${default})."`
	JSON          bool    `name:"json" help:"Print JSON, with every digit."`
	Problem       string  `placeholder:"NAME" help:"Which problem, if the file has several."`
	Spec          string  `arg:"" help:"Spec file, or name of a library problem."`
	Data          string  `arg:"" help:"CSV or TSV file, with a header or not, perhaps compressed (.gz); - reads the standard input."`
}

// dataFlags choose columns of a data file.
type dataFlags struct {
	Column  []string `sep:"none" placeholder:"COL" help:"Column of the data, by name or by number from 1."`
	Weights string   `placeholder:"COL" help:"Column of frequency weights, by name or by number from 1."`
}

// read reads a data file.
func (d *dataFlags) read(s *session, path string) (*table.Table, error) {
	return table.ReadFile(path, s.in, table.Options{Columns: d.Column, Weights: d.Weights})
}

func (c *fitCmd) request() *fit.Request {
	return &fit.Request{Method: c.Method, LineSearch: c.LineSearch, Seed: c.Seed, Starts: c.Starts,
		MaxIterations: c.MaxIterations, GradientTolerance: c.Tolerance, Level: c.Level}
}

// Run fits, and prints the result even when the fit did not converge.
func (c *fitCmd) Run(s *session) error {
	p, err := oneProblem(s, c.Spec, c.Problem)
	if err != nil {
		return err
	}
	data, err := c.read(s, c.Data)
	if err != nil {
		return err
	}
	answer, err := s.do(c.Spec, p, worker.Job{Fit: c.request()}, data)
	if err != nil {
		return err
	}
	r := answer.Fit
	for _, w := range r.Warnings {
		fmt.Fprintln(s.err, "warning:", w)
	}
	if err := c.print(s, r); err != nil {
		return err
	}
	if !r.Converged {
		return fmt.Errorf("did not converge: %s", r.Message)
	}
	return nil
}

func (c *fitCmd) print(s *session, r *fit.Report) error {
	if c.JSON {
		return printJSON(s, r)
	}
	return printReport(s.out, r)
}

func printJSON(s *session, v any) error {
	e := json.NewEncoder(s.out)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
