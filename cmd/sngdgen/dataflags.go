package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/sngdgen/sngdgen/internal/record"
	"github.com/sngdgen/sngdgen/internal/table"
	"github.com/sngdgen/sngdgen/spec"
)

// dataFlags choose columns and rows of a data file, and say how it is written.
type dataFlags struct {
	Column       []string `sep:"none" placeholder:"COL" help:"Column of the data, by name or by number from 1; for a vector several, as a,b,c, a..c, 1-3 or x* (all by default)."`
	Weights      string   `placeholder:"COL" help:"Column of frequency weights, by name or by number from 1."`
	NA           string   `name:"na" default:"error" enum:"error,skip" placeholder:"WHAT" help:"What to do with a row in which a value is missing (an empty cell, NA, NaN and the like): error, or skip the row (${default})."`
	Where        []string `sep:"none" placeholder:"COL=VALUE" help:"Read only rows with this in a column; also != < <= > >=. Repeated, all must hold."`
	DecimalComma bool     `help:"Numbers are written with a decimal comma, as 1,5."`

	readers int // workers that read, 0 as many as there are processors
}

// options are what to read of a file of data.
func (d *dataFlags) options(several bool, rows string) (table.Options, error) {
	o := table.Options{Columns: d.Column, Weights: d.Weights, Several: several, SkipMissing: d.NA == "skip", DecimalComma: d.DecimalComma, Workers: d.readers}
	for _, text := range d.Where {
		c, err := table.ParseCondition(text)
		if err != nil {
			return o, usageError{fmt.Errorf("--where: %w", err)}
		}
		o.Where = append(o.Where, c)
	}
	if rows != "" {
		var err error
		if o.Rows, err = table.ParseRows(rows); err != nil {
			return o, usageError{fmt.Errorf("--rows: %w", err)}
		}
	}
	return o, nil
}

// read reads a data file for a problem. The mapping says of which columns the parts of a row are made, where it has several.
func (d *dataFlags) read(s *session, p *spec.Problem, path string, mapping []string, rows string) (*table.Table, error) {
	if parts := record.Of(p); len(mapping) > 0 || len(parts) > 1 || parts[0].Numbers.Any() {
		return d.readRecord(s, p, path, mapping, rows)
	}
	o, err := d.options(!record.Variable(p).Type.IsScalar(), rows)
	if err != nil {
		return nil, err
	}
	s.ofProcess(&o)
	data, err := s.readTable(path, o)
	if err != nil {
		return nil, err
	}
	if !o.Several {
		data.Ignored = nil // there is one column of numbers
	}
	s.tellLeftOut(data, nil)
	return data, nil
}

// readRecord reads rows of several parts from one file: by the names of the columns, or as --data says.
func (d *dataFlags) readRecord(s *session, p *spec.Problem, path string, mapping []string, rows string) (*table.Table, error) {
	parts := record.Of(p)
	if path == "" {
		return nil, usageError{fmt.Errorf("which data? give a file with the columns %s", orderOf(parts))}
	}
	if len(mapping) > 0 || record.OwnNames(parts) {
		t, _, err := d.readMapped(s, parts, path, mapping, rows)
		return t, err
	}
	t, of, err := d.readColumns(s, parts, path, rows)
	if err != nil {
		return nil, err
	}
	var columns []table.Column
	for _, list := range of {
		for _, c := range list {
			columns = append(columns, table.Column{Name: t.Columns[c], Of: []int{c}, Level: []int{-1}})
		}
	}
	return t.Arrange(columns)
}

// readMapped reads rows whose parts are made of columns as --data NAME=TERM+TERM says; it also returns of how many.
func (d *dataFlags) readMapped(s *session, parts []part, path string, mapping []string, rows string) (*table.Table, []int, error) {
	if len(d.Column) > 0 {
		return nil, nil, usageError{errors.New("--data says of which columns the data are made: --column has no meaning beside it")}
	}
	o, err := d.options(true, rows)
	if err != nil {
		return nil, nil, err
	}
	r := record.Reader{Options: o, Notes: s.err, Open: func(o table.Options) (*table.Table, error) { return s.readTable(path, o) }}
	t, widths, err := r.Read(parts, mapping)
	return t, widths, asked(err)
}

// asked makes an error in what was asked for one of the command line.
func asked(err error) error {
	var fault record.Fault
	if errors.As(err, &fault) {
		return usageError{fault.Unwrap()}
	}
	return err
}

// tellLeftOut says what is not read of a file, and whether anybody asked for that.
func (s *session) tellLeftOut(t *table.Table, otherNames []string) {
	if len(t.Ignored) > 0 {
		fmt.Fprintf(s.err, "warning: %s: left out, not being numbers: %s\n", t.Name, strings.Join(t.Ignored, ", "))
	}
	if len(otherNames) > 0 {
		fmt.Fprintf(s.err, "warning: %s: left out, being no part of the data by their names: %s\n", t.Name, strings.Join(otherNames, ", "))
	}
	if t.Unnamed != "" {
		fmt.Fprintf(s.err, "note: %s: left out %s, taken for the numbers of the rows, as it has no name; --column chooses it\n", t.Name,
			t.Unnamed)
	}
	if t.Missing > 0 {
		fmt.Fprintf(s.err, "note: %s: left out %s in which a value is missing, of %d\n", t.Name, plural(t.Missing, "row"), t.Missing+t.Rows())
	}
}

// checkDistinct refuses more components than there are different rows, before anything is made for them.
func (s *session) checkDistinct(data *table.Table, components int) error {
	if components == 0 || data.Rows() == 0 {
		return nil
	}
	n, err := s.distinct(data, components)
	if err != nil {
		return err
	}
	if n < components {
		what := "values"
		if len(data.Columns) > 1 {
			what = "rows"
		}
		return &table.Error{Name: data.Name, Text: fmt.Sprintf("%d components need as many different %s, but the data have %d",
			components, what, n)}
	}
	return nil
}

// distinct is how many different rows there are, up to a number: of those of all processes, where each has some.
func (s *session) distinct(data *table.Table, most int) (int, error) {
	width := len(data.Columns)
	values := data.Distinct(most)
	if !data.Shared {
		return len(values) / width, nil
	}
	ends := make([]float64, s.others.size+1) // of those of each process, among all
	for i := s.others.rank + 1; i < len(ends); i++ {
		ends[i] = float64(len(values))
	}
	if err := s.others.Sum(ends); err != nil {
		return 0, err
	}
	together := table.Table{Columns: data.Columns, Values: make([]float64, int(ends[s.others.size]))}
	copy(together.Values[int(ends[s.others.rank]):], values)
	if err := s.others.Sum(together.Values); err != nil {
		return 0, err
	}
	return len(together.Distinct(most)) / width, nil
}

// observed returns what the target of a problem is about.
func observed(p *spec.Problem) []spec.Param { return p.Observed() }

// givenColumns returns what the target of a problem is given.
func givenColumns(p *spec.Problem) []spec.Param { return p.Given() }
