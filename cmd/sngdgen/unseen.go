package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/sngdgen/sngdgen/runtime/estimate"
	"github.com/sngdgen/sngdgen/spec"
)

// unseen reads the rows that are to be predicted: the parts of the data that the spec does not draw. Nil where there are none.
func (c *fitCmd) unseen(s *session, p *spec.Problem) (*estimate.Unseen, error) {
	if c.PredictFor == "" {
		return nil, nil
	}
	if p.VI.Sample == nil {
		return nil, fmt.Errorf("--predict-for: %s does not say how its data are drawn\nhint: objective vi takes a sample", p.Package)
	}
	drawn := func(name string) bool {
		return slices.ContainsFunc(p.VI.Sample.Values, func(b spec.Binding) bool { return b.Name == name })
	}
	given, vi := *p, *p.VI
	vi.Data = nil
	for _, q := range p.VI.Data {
		if !drawn(q.Name) {
			vi.Data = append(vi.Data, q)
		}
	}
	if given.VI = &vi; len(vi.Data) == 0 {
		return nil, errors.New("--predict-for: the model draws all of its data: rows have no columns")
	}
	flags := dataFlags{NA: c.NA, DecimalComma: c.DecimalComma}
	rows, err := flags.readParts(s, &given, c.PredictFor, nil, "")
	if err != nil {
		return nil, fmt.Errorf("--predict-for: %w", err)
	}
	d := rows.Data()
	return &estimate.Unseen{Columns: d.Columns, Values: d.Values}, nil
}

// writePredictions writes predictions as CSV, a line for each.
func (s *session) writePredictions(path string, list []estimate.Prediction) error {
	err := s.writeWhole(path, func(w io.Writer) error {
		out := bufio.NewWriter(w)
		fmt.Fprintln(out, "row,name,mean,std_deviation,low,median,high")
		for _, p := range list {
			name := p.Name
			if p.Entry > 0 {
				name = fmt.Sprintf("%s[%d]", name, p.Entry)
			}
			fmt.Fprintf(out, "%d,%s,%v,%v,%v,%v,%v\n", p.Row, name, float64(p.Mean), float64(p.Deviation), float64(p.Low), float64(p.Median), float64(p.High))
		}
		return out.Flush()
	})
	if err != nil {
		return fmt.Errorf("%s: cannot write the predictions: %w", path, cause(err))
	}
	return nil
}
