package main

import (
	"errors"
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/sngdgen/sngdgen/internal/build/worker"
)

type benchCmd struct {
	dataFlags
	Data    string        `placeholder:"FILE" help:"Data, as for fit."`
	Rows    int           `placeholder:"N" help:"Repeat the data up to so many rows, or cut them down."`
	Time    time.Duration `default:"300ms" help:"Time for each measurement, about (${default})."`
	JSON    bool          `name:"json" help:"Print JSON."`
	Problem string        `placeholder:"NAME" help:"Which problem, if the file has several."`
	Spec    string        `arg:"" help:"Spec file, or name of a library problem."`
}

// benchMethods are the fits to time; the last is what the others are compared with.
var benchMethods = []string{"nlbfgs", "sngd", "bfgs"}

// Run times everything in one process, so that the numbers can be compared.
func (c *benchCmd) Run(s *session) error {
	p, err := oneProblem(s, c.Spec, c.Problem)
	if err != nil {
		return err
	}
	if c.Data == "" {
		return usageError{errors.New("bench needs data: give a file with --data, and perhaps a size with --rows")}
	}
	if c.Rows < 0 || c.Time <= 0 {
		return usageError{errors.New("--rows and --time must be positive")}
	}
	data, err := c.read(s, c.Data)
	if err != nil {
		return err
	}
	if c.Rows > 0 {
		data.Resize(c.Rows)
	}
	job := worker.Job{Bench: &worker.BenchRequest{Methods: benchMethods, Time: c.Time}}
	answer, err := s.do(c.Spec, p, job, data)
	if err != nil {
		return err
	}
	if c.JSON {
		return printJSON(s, answer.Bench)
	}
	return printBench(s, answer.Bench)
}

func printBench(s *session, b *worker.BenchReport) error {
	fmt.Fprintf(s.out, "%s by %s, %s, %d distinct\n\n", b.Info.Target, b.Info.Surrogate, plural(b.Rows, "row"), b.Distinct)
	t := tabwriter.NewWriter(s.out, 0, 0, 3, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "call\tns\tns/distinct row\tallocations\t")
	for _, c := range b.Calls {
		fmt.Fprintf(t, "%s\t%.4g\t%.3g\t%v\t\n", c.Name, c.Nanoseconds, c.Nanoseconds/float64(b.Distinct), c.Allocations)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(s.out, "\n")
	base := b.Fits[len(b.Fits)-1]
	fmt.Fprintf(t, "fit\ttime\titerations\tevaluations\tloss\ttime/%s\t\n", base.Method)
	for _, f := range b.Fits {
		fmt.Fprintln(t, fitRow(f, base))
	}
	return t.Flush()
}

// fitRow is the row of one method, with its time as a multiple of that of the base.
func fitRow(f, base worker.FitTime) string {
	if f.Report == nil {
		return fmt.Sprintf("%s\t%s\t\t\t\t\t", f.Method, f.Error)
	}
	note := ""
	if !f.Report.Converged {
		note = " (did not converge)"
	}
	ratio := "-"
	if base.Seconds > 0 {
		ratio = fmt.Sprintf("%.3g", f.Seconds/base.Seconds)
	}
	return fmt.Sprintf("%s\t%s\t%d\t%d\t%.10g%s\t%s\t", f.Method, duration(f.Seconds), f.Report.Iterations,
		f.Report.Evaluations, float64(f.Report.Loss), note, ratio)
}
