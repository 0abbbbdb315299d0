package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/sngdgen/sngdgen/internal/build/worker"
	"github.com/sngdgen/sngdgen/internal/record"
	"github.com/sngdgen/sngdgen/internal/table"
	"github.com/sngdgen/sngdgen/runtime/estimate"
	"github.com/sngdgen/sngdgen/spec"
)

type predictCmd struct {
	newDataFlags
	fitFlags
	Quantiles string   `default:"0.025,0.5,0.975" placeholder:"P,P" help:"Levels of the quantiles (${default}); none for no quantiles."`
	Draws     int      `min:"1" max:"100000" placeholder:"N" help:"Draw so many values in each row too."`
	Seed      uint64   `placeholder:"N" help:"Seed of the draws."`
	Given     []string `sep:"none" placeholder:"NAME=VALUE" help:"Value of a number that the distribution is given, in all rows, in the place of a column: event=1."`
	JSON      bool     `name:"json" help:"Print JSON."`
	Data      string   `arg:"" optional:"" help:"CSV or TSV file with the columns that the distribution is given; - reads the standard input."`
}

// levels are those of the quantiles.
func (c *predictCmd) levels() ([]float64, error) {
	if c.Quantiles == "none" || c.Quantiles == "" {
		return nil, nil
	}
	var out []float64
	for text := range strings.SplitSeq(c.Quantiles, ",") {
		p, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
		if err != nil || !(p > 0 && p < 1) {
			return nil, usageError{fmt.Errorf("--quantiles: %q is no number between 0 and 1", text)}
		}
		out = append(out, p)
	}
	return out, nil
}

// Run prints predictions.
func (c *predictCmd) Run(s *session) error {
	levels, err := c.levels()
	if err != nil {
		return err
	}
	f, err := s.open(c.Fit, c.fitFlags.Spec)
	if err != nil {
		return err
	}
	var data *table.Table
	if f.kind == "posterior" {
		data, err = c.unobserved(s, f)
	} else {
		data, err = c.covariates(s, f)
	}
	if err != nil {
		return err
	}
	job := worker.Job{Use: &worker.Use{Fit: f.fit, Point: f.point,
		Forecast: &estimate.ForecastSettings{Levels: levels, Draws: c.Draws, Seed: c.Seed}}}
	answer, err := s.do(f.arg(), f.p, job, data)
	if err != nil {
		return err
	}
	if data.Name == "" {
		data = nil
	}
	return c.print(s, data, levels, answer.Forecast)
}

// covariates reads the columns that the distribution is given; an empty table where there are none.
func (c *predictCmd) covariates(s *session, f *fittedFile) (*table.Table, error) {
	if len(record.Of(f.p)) == 1 {
		if c.Data != "" {
			return nil, usageError{fmt.Errorf("%s is given no columns: its predictions need no data", f.p.Package)}
		}
		return new(table.Table), nil
	}
	if c.Data == "" {
		return nil, usageError{errNoGiven}
	}
	if len(c.Given) == 0 {
		t, err := f.read(s, &c.dataFlags, c.Data, c.Rows, true)
		var fault *table.Error
		if names := givenNumbers(f); errors.As(err, &fault) && fault.Line == 0 && names != noNumbers {
			fault.Hint += "; --given NAME=NUMBER stands for a column of one value, of " + names
		}
		return t, err
	}
	return c.withGiven(s, f)
}

// unobserved reads the data of a posterior but for what the model draws, in the place of which there are numbers that do not matter.
func (c *predictCmd) unobserved(s *session, f *fittedFile) (*table.Table, error) {
	o := &f.origin.Data
	parts := record.Of(f.p)
	switch {
	case f.p.VI == nil || f.p.VI.Sample == nil:
		return nil, fmt.Errorf("%s: the spec of %s does not say how data are drawn\n"+
			"hint: add sample: beside its log_likelihood, with random numbers under noise, such as noise: {u: uniform vector(n)}, and formulas of what is drawn",
			f.path, f.p.Package)
	case len(o.Widths) != len(parts):
		return nil, fmt.Errorf("%s: predictions are for data in the rows of one file", f.path)
	case len(c.Given) > 0:
		return nil, usageError{errors.New("--given is for likelihoods given other columns")}
	case c.Data == "":
		return nil, usageError{errNoGiven}
	}
	kept, values, at := o.Recipe, map[int]float64{}, 0
	kept.Columns = nil
	for i, q := range f.p.VI.Data {
		drawn := slices.ContainsFunc(f.p.VI.Sample.Values, func(b spec.Binding) bool { return b.Name == q.Name })
		for range o.Widths[i] {
			if at >= len(o.Recipe.Columns) {
				return nil, fmt.Errorf("%s: %w", f.path, errNoFit)
			}
			if drawn {
				values[at] = q.Type.Type().Entry.Default
			} else {
				kept.Columns = append(kept.Columns, o.Recipe.Columns[at])
			}
			at++
		}
	}
	opts, err := c.options(true, c.Rows)
	if err != nil {
		return nil, err
	}
	kept.Choose(&opts)
	t, err := s.readTable(c.Data, opts)
	if err != nil {
		return nil, f.other(err)
	}
	s.tellLeftOut(t, nil)
	if t, err = kept.Make(t); err != nil {
		return nil, err
	}
	return t.Insert(o.Recipe.Columns, 0, values), nil
}

// withGiven puts numbers in the place of columns.
func (c *predictCmd) withGiven(s *session, f *fittedFile) (*table.Table, error) {
	recipe := f.origin.Data.Recipe
	first := outcomeWidth(f.p, len(recipe.Columns))
	values := map[int]float64{}
	at := first
	for _, q := range record.Of(f.p)[1:] {
		if q.Vector {
			break // names of numbers only, which --given is for, in front of vectors
		}
		for _, arg := range c.Given {
			name, text, _ := strings.Cut(arg, "=")
			if name != q.Name {
				continue
			}
			x, err := strconv.ParseFloat(text, 64)
			if err != nil {
				return nil, usageError{fmt.Errorf("--given %s: write NAME=NUMBER", arg)}
			}
			values[at] = x
		}
		at++
	}
	if len(values) < len(c.Given) {
		return nil, usageError{fmt.Errorf("--given: the numbers that %s is given in front of vectors are %s", f.p.Package, givenNumbers(f))}
	}
	kept := f.origin.Data.Recipe
	kept.Columns = slices.Clone(recipe.Columns[:first])
	for k := first; k < len(recipe.Columns); k++ {
		if _, ok := values[k]; !ok {
			kept.Columns = append(kept.Columns, recipe.Columns[k])
		}
	}
	f.origin.Data.Recipe = kept
	t, err := f.read(s, &c.dataFlags, c.Data, c.Rows, true)
	f.origin.Data.Recipe = recipe
	if err != nil {
		return nil, err
	}
	return t.Insert(recipe.Columns[first:], first, values), nil
}

// noNumbers is said where a distribution is given none.
const noNumbers = "none"

// givenNumbers names the numbers that a distribution is given.
func givenNumbers(f *fittedFile) string {
	var names []string
	for _, q := range record.Of(f.p)[1:] {
		if q.Vector {
			break
		}
		names = append(names, q.Name)
	}
	if len(names) == 0 {
		return noNumbers
	}
	return strings.Join(names, ", ")
}

// print writes CSV, or JSON.
func (c *predictCmd) print(s *session, data *table.Table, levels []float64, p *estimate.Forecast) error {
	if p.By > 0 {
		fmt.Fprintf(s.err, "note: means, standard deviations and quantiles are those of %d draws\n", p.By)
	}
	var names []string
	for _, column := range p.Columns {
		prefix := column + "."
		if len(p.Columns) == 1 {
			prefix = ""
		}
		names = append(names, prefix+"mean", prefix+"sd")
		for _, q := range levels {
			names = append(names, fmt.Sprintf("%sq%v", prefix, q))
		}
		for d := range c.Draws {
			names = append(names, fmt.Sprintf("%sdraw%d", prefix, d+1))
		}
	}
	width := len(p.Columns)
	rows := make([][]float64, p.Rows)
	for i := range rows {
		for j := range width {
			at := i*width + j
			rows[i] = append(rows[i], p.Mean[at], p.SD[at])
			rows[i] = append(rows[i], p.Quantiles[at*len(levels):(at+1)*len(levels)]...)
			for d := range c.Draws {
				rows[i] = append(rows[i], p.Draws[(i*c.Draws+d)*width+j])
			}
		}
	}
	if !c.JSON {
		return writeRows(s.out, data, names, rows)
	}
	out := printedPredictions{printed: printed{schemaVersion, "predictions"}, By: p.By, Columns: names}
	for i, row := range rows {
		number := int32(i + 1)
		if data != nil {
			number = data.Numbers()[i]
		}
		out.Rows, out.Values = append(out.Rows, number), append(out.Values, toNumbers(row))
	}
	return printJSON(s, out)
}
