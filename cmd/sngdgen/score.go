package main

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"text/tabwriter"

	"github.com/sngdgen/sngdgen/internal/build/worker"
	"github.com/sngdgen/sngdgen/internal/table"
	"github.com/sngdgen/sngdgen/runtime/estimate"
)

// newDataFlags say which rows a fit is used on.
type newDataFlags struct {
	dataFlags
	Rows string `placeholder:"LIST" help:"Rows of the data to read, by number from 1, as 1:100,150,200: (all)."`
}

type scoreCmd struct {
	newDataFlags
	fitFlags
	To   string `output:"file" placeholder:"FILE" help:"Write the log-density of each row to a file, as CSV."`
	JSON bool   `name:"json" help:"Print JSON, with the log-density of each row."`
	Data string `arg:"" help:"CSV or TSV file with the columns of the data of the fit; - reads the standard input."`
}

// Run prints the score.
func (c *scoreCmd) Run(s *session) error {
	_, data, scores, err := c.score(s, c.fitFlags, c.Data)
	if err != nil {
		return err
	}
	if c.To != "" {
		rows := make([][]float64, data.Rows())
		for i := range rows {
			rows[i] = scores.Log[i : i+1]
		}
		err := s.writeWhole(c.To, func(w io.Writer) error { return writeRows(w, data, []string{"log_density"}, rows) })
		if err != nil {
			return fmt.Errorf("%s: %w", c.To, cause(err))
		}
	}
	if c.JSON {
		return printJSON(s, printedScores{printed{schemaVersion, "scores"}, data.Rows(), scores.N, scores.Mean, scores.StdErr,
			estimate.Number(float64(scores.Mean) * scores.N), data.Numbers(), toNumbers(scores.Log)})
	}
	t := tabwriter.NewWriter(s.out, 0, 0, 3, ' ', 0)
	fmt.Fprintf(t, "rows\t%d\n", data.Rows())
	if data.Weights != nil {
		fmt.Fprintf(t, "sum of weights\t%s\n", digits(scores.N))
	}
	fmt.Fprintf(t, "log-likelihood\t%s\n", digits(float64(scores.Mean)*scores.N))
	fmt.Fprintf(t, "mean log-density\t%s\t(std. error %s)\n", digits(float64(scores.Mean)), standardError(float64(scores.StdErr)))
	fmt.Fprintf(t, "held-out loss\t%s\n", digits(-float64(scores.Mean)))
	return t.Flush()
}

// score opens a fit, reads rows, and evaluates their log-densities.
func (d *newDataFlags) score(s *session, of fitFlags, path string) (*fittedFile, *table.Table, *estimate.Scores, error) {
	f, err := s.open(of.Fit, of.Spec)
	if err == nil {
		err = f.likelihood("it")
	}
	if err != nil {
		return nil, nil, nil, err
	}
	data, err := f.read(s, &d.dataFlags, path, d.Rows, false)
	if err != nil {
		return nil, nil, nil, err
	}
	if data.Rows() == 0 {
		return nil, nil, nil, fmt.Errorf("%s: no rows to score", data.Name)
	}
	scores, err := f.score(s, data)
	return f, data, scores, err
}

// score evaluates the log-densities of rows.
func (f *fittedFile) score(s *session, data *table.Table) (*estimate.Scores, error) {
	answer, err := s.do(f.arg(), f.p, worker.Job{Use: &worker.Use{Fit: f.fit, Score: true}}, data)
	if err != nil {
		return nil, err
	}
	return answer.Scores, nil
}

func toNumbers(x []float64) []estimate.Number {
	out := make([]estimate.Number, len(x))
	for i, v := range x {
		out[i] = estimate.Number(v)
	}
	return out
}

// writeRows writes numbers for each row of a table, with the number of the row in its file in front.
func writeRows(w io.Writer, data *table.Table, names []string, rows [][]float64) error {
	out := csv.NewWriter(bufio.NewWriter(w))
	if err := out.Write(append([]string{"row"}, names...)); err != nil {
		return err
	}
	for i, row := range rows {
		cells := []string{strconv.Itoa(i + 1)}
		if data != nil {
			cells[0] = strconv.Itoa(int(data.Numbers()[i]))
		}
		for _, x := range row {
			cells = append(cells, cell(x))
		}
		if err := out.Write(cells); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// cell writes a number with every digit; what is none is NA.
func cell(x float64) string {
	if math.IsNaN(x) {
		return "NA"
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}

type assignCmd struct {
	newDataFlags
	fitFlags
	JSON bool   `name:"json" help:"Print JSON."`
	Data string `arg:"" help:"CSV or TSV file with the columns of the data of the fit; - reads the standard input."`
}

// Run prints labels and probabilities.
func (c *assignCmd) Run(s *session) error {
	f, data, scores, err := c.score(s, c.fitFlags, c.Data)
	if err != nil {
		return err
	}
	if len(scores.Shares) == 0 {
		return fmt.Errorf("%s: %s is no mixture: it has no components that rows could be assigned to", f.path, f.p.Package)
	}
	k := len(scores.Shares) / data.Rows()
	out := printedAssignment{printed: printed{schemaVersion, "assignment"}, Rows: data.Numbers()}
	names, rows := []string{"component"}, make([][]float64, data.Rows())
	for j := range k {
		names = append(names, fmt.Sprintf("p%d", j+1))
	}
	for i := range rows {
		shares, top := scores.Shares[i*k:(i+1)*k], 0
		for j, p := range shares {
			if math.IsNaN(p) {
				return fmt.Errorf("%s: row %d: no component has a density there", data.Name, data.Numbers()[i])
			}
			if p > shares[top] {
				top = j
			}
		}
		rows[i] = append([]float64{float64(top + 1)}, shares...)
		out.Component, out.Probabilities = append(out.Component, top+1), append(out.Probabilities, toNumbers(shares))
	}
	if c.JSON {
		return printJSON(s, out)
	}
	return writeRows(s.out, data, names, rows)
}

var errNoGiven = errors.New("which rows? the distribution is given other columns: name a file with them")
