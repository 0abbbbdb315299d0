package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/sngdgen/sngdgen/internal/build/worker"
	"github.com/sngdgen/sngdgen/internal/record"
	"github.com/sngdgen/sngdgen/internal/table"
	"github.com/sngdgen/sngdgen/spec"
)

type benchCmd struct {
	dataFlags
	parameterFlags
	withoutFlag
	Components int           `min:"1" max:"1024" placeholder:"K" help:"Number of components of a mixture."`
	Data       string        `placeholder:"FILE" help:"Data, as for fit; the default is to draw them from the target."`
	Rows       int           `min:"1" max:"100000000" placeholder:"N" help:"Draw so many rows, or repeat those of the data up to so many."`
	Time       time.Duration `above:"0s" max:"1h" default:"300ms" help:"Time for each measurement, about (${default})."`
	Workers    int           `min:"1" max:"1024" default:"1" placeholder:"N" help:"How many goroutines share passes over many rows (${default})."`
	JSON       bool          `name:"json" help:"Print JSON."`
	Problem    string        `placeholder:"NAME" help:"Which problem, if the file has several."`
	Spec       string        `arg:"" help:"Spec file, or name of a library problem."`
}

// benchMethods are the fits to time; the last that is available is what the others are compared with.
var benchMethods = []string{"nlbfgs", "sngd", "bfgs"}

// Run times everything in one process, so that the numbers can be compared.
func (c *benchCmd) Run(s *session) error {
	if err := c.check(); err != nil {
		return err
	}
	s.without = c.Without
	request := &worker.BenchRequest{Methods: benchMethods, Time: c.Time, Workers: c.Workers}
	request.Components = c.Components
	var err error
	if request.Set, err = c.values(); err != nil {
		return err
	}
	p, data, err := c.problem(s, request)
	if err != nil {
		return err
	}
	answer, err := s.do(c.Spec, p, worker.Job{Bench: request}, data)
	if err != nil {
		return err
	}
	if c.JSON {
		return printJSON(s, answer.Bench)
	}
	return printBench(s, answer.Bench)
}

// problem returns the problem and its data. Only a file says how many columns a formula makes.
func (c *benchCmd) problem(s *session, request *worker.BenchRequest) (*spec.Problem, source, error) {
	if r := shortForm(c.Spec, c.Problem); r != nil {
		if len(request.Set) > 0 {
			return nil, nil, usageError{errSet}
		}
		p, data, err := c.readShort(s, c.Spec, r, c.Data, nil, "", c.Components > 0)
		if err != nil {
			return nil, nil, err
		}
		if data, err = c.repeated(s, data); err == nil {
			err = checkCount(p, c.Components)
		}
		return p, data, err
	}
	p, err := oneWithData(s, c.Spec, c.Problem)
	if err != nil {
		return nil, nil, err
	}
	if err := checkCount(p, c.Components); err != nil {
		return nil, nil, err
	}
	data, err := c.source(s, p, request)
	return p, data, err
}

// drawnRows is how many rows are drawn unless the user says otherwise.
const drawnRows = 1000

var errSet = errors.New("--set and --param are for data that are drawn, not for those of --data")

// table returns the data, or has them drawn when there is no file.
func (c *benchCmd) table(s *session, p *spec.Problem, request *worker.BenchRequest) (*table.Table, error) {
	if c.Data == "" {
		if request.Draw = c.Rows; c.Rows == 0 {
			request.Draw = drawnRows
		}
		return new(table.Table), nil
	}
	if len(request.Set) > 0 {
		return nil, usageError{errSet}
	}
	data, err := c.read(s, p, c.Data, nil, "")
	if err != nil {
		return nil, err
	}
	return c.repeated(s, data)
}

// repeated are as many rows of a file as were asked for.
func (c *benchCmd) repeated(s *session, data *table.Table) (*table.Table, error) {
	if c.Rows > 0 {
		if err := checkRepeated(c.Rows, len(data.Columns)); err != nil {
			return nil, err
		}
		data.Resize(c.Rows)
	}
	return data, s.checkDistinct(data, c.Components)
}

// mostRepeated is how many numbers there are at most once rows are repeated: 1 GiB of them.
const mostRepeated = 1 << 27

// checkRepeated refuses to repeat rows until they do not fit into memory.
func checkRepeated(rows, columns int) error {
	if float64(rows)*float64(columns) > mostRepeated {
		return usageError{fmt.Errorf("--rows: %d rows of %s are more than there is memory for: at most %d numbers", rows,
			plural(columns, "number"), mostRepeated)}
	}
	return nil
}

// source returns the data.
func (c *benchCmd) source(s *session, p *spec.Problem, request *worker.BenchRequest) (source, error) {
	if p.VI == nil {
		return c.table(s, p, request)
	}
	once := !anyByRow(record.Of(p))
	switch {
	case once && c.Rows > 0:
		return nil, usageError{fmt.Errorf("--rows: the data of %s are given once, not in rows: --set sets their lengths", p.Package)}
	case c.Data == "" && once:
		request.Draw = 1
		return new(table.Table), nil
	case c.Data == "":
		return c.table(s, p, request)
	case len(request.Set) > 0:
		return nil, usageError{errSet}
	}
	path, files := c.Data, []string(nil)
	if name, _, ok := strings.Cut(c.Data, "="); ok && slices.ContainsFunc(p.VI.Data, func(q spec.Param) bool { return q.Name == name }) {
		path, files = "", []string{c.Data}
	}
	data, err := c.readParts(s, p, path, files, "")
	if err != nil {
		return nil, err
	}
	if c.Rows > 0 {
		if err := checkRepeated(c.Rows, len(data.columns)); err != nil {
			return nil, err
		}
		data.resize(c.Rows)
	}
	return data, nil
}

func printBench(s *session, b *worker.BenchReport) error {
	fmt.Fprintf(s.out, "%s, %s, %d distinct\n\n", fittedBy(b.Info.Target, b.Info.Surrogate), plural(b.Rows, "row"), b.Distinct)
	t := tabwriter.NewWriter(s.out, 0, 0, 3, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "call           \tns\tns/distinct row\tallocations\t")
	for _, c := range b.Calls {
		fmt.Fprintf(t, "%-15s\t%.4g\t%.3g\t%v\t\n", c.Name, c.Nanoseconds, c.Nanoseconds/float64(b.Distinct), c.Allocations)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if len(b.Fits) == 0 {
		return nil
	}
	fmt.Fprintf(s.out, "\n")
	base := baseOf(b.Fits)
	fmt.Fprintf(t, "fit            \ttime\titerations\tevaluations\tloss\ttime/%s\t\n", base.Method)
	for _, f := range b.Fits {
		fmt.Fprintln(t, fitRow(f, base))
	}
	return t.Flush()
}

// baseOf returns what the fits are compared with: the last that is available.
func baseOf(fits []worker.FitTime) worker.FitTime {
	for _, f := range slices.Backward(fits) {
		if f.Seconds > 0 {
			return f
		}
	}
	return fits[len(fits)-1]
}

// fitRow is the row of one method, with its time as a multiple of that of the base.
func fitRow(f, base worker.FitTime) string {
	if f.Seconds == 0 {
		return fmt.Sprintf("%-15s\t%s\t\t\t\t\t", f.Method, f.Error)
	}
	ratio := "-"
	if base.Seconds > 0 {
		ratio = fmt.Sprintf("%.3g", f.Seconds/base.Seconds)
	}
	row := fmt.Sprintf("%-15s\t%s\t%d\t%d\t%.10g\t%s\t", f.Method, duration(f.Seconds), f.Iterations, f.Evaluations,
		float64(f.Loss), ratio)
	if !f.Status.Converged() {
		row += " " + f.Status.String()
	}
	return row
}
