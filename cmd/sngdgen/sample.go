package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/sngdgen/sngdgen/internal/build/worker"
	"github.com/sngdgen/sngdgen/internal/record"
	"github.com/sngdgen/sngdgen/internal/table"
	"github.com/sngdgen/sngdgen/runtime/estimate"
	"github.com/sngdgen/sngdgen/spec"
)

type sampleCmd struct {
	parameterFlags
	engineFlag
	N          int    `min:"1" max:"100000000" name:"n" default:"1000" placeholder:"N" help:"Number of rows (${default})."`
	Components int    `min:"1" max:"1024" placeholder:"K" help:"Number of components of a mixture, where no array of parameters tells it."`
	Seed       uint64 `default:"1" placeholder:"N" help:"Seed of the draws (${default})."`
	At         string `placeholder:"FILE" help:"Draw from a fit, as sngdgen fit --json has printed it; --set goes before its parameters."`
	Problem    string `placeholder:"NAME" help:"Which problem, if the file has several."`
	Spec       string `arg:"" optional:"" help:"Spec file, or name of a library problem; with --at the spec of the fit, if it is no longer where it was."`
}

// Run prints draws.
func (c *sampleCmd) Run(s *session) error {
	set, err := c.values()
	if err != nil {
		return err
	}
	p, arg, set, err := c.problem(s, set)
	if err != nil {
		return err
	}
	if err := checkCount(p, c.Components); err != nil {
		return err
	}
	s.engine = c.Engine
	job := worker.Job{Sample: &estimate.SampleRequest{Rows: c.N, Seed: c.Seed, Set: set, Components: c.Components}}
	answer, err := s.do(arg, p, job, new(table.Table))
	if err != nil {
		return err
	}
	return printDraws(s.out, answer.Sample)
}

// problem finds the problem by its name or by a fit, whose parameters are put in front of those that are set.
func (c *sampleCmd) problem(s *session, set []estimate.Value) (p *spec.Problem, arg string, all []estimate.Value, err error) {
	switch {
	case c.At == "" && c.Spec == "":
		return nil, "", nil, usageError{errors.New("which problem? name one, or a fit with --at")}
	case c.At == "":
		if r := shortForm(c.Spec, c.Problem); r != nil {
			return nil, "", nil, fmt.Errorf("%s is a formula of the columns of a file, without which there is nothing to draw\n"+
				"hint: sngdgen predict FIT FILE --draws 1 draws in the rows of a file, with FIT as fit --json prints it", r.Package)
		}
		p, err = oneProblem(s, c.Spec, c.Problem)
		return p, c.Spec, set, err
	case c.Param != "":
		return nil, "", nil, usageError{errors.New("--at and --param both say what the parameters are")}
	}
	f, err := s.open(c.At, c.Spec)
	if err != nil {
		return nil, "", nil, err
	}
	values := f.fit.Parameters
	if f.kind == "posterior" {
		values = f.point.Parameters
	} else if len(record.Of(f.p)) > 1 {
		return nil, "", nil, fmt.Errorf("%s: the distribution is given other columns\nhint: sngdgen predict %s FILE --draws 1 draws in the rows of a file", c.At, c.At)
	}
	for _, v := range values {
		if !slices.ContainsFunc(set, func(own estimate.Value) bool { return own.Name == v.Name }) {
			all = append(all, v)
		}
	}
	return f.p, f.arg(), append(all, set...), nil
}

// printDraws writes CSV with every digit. No name of a column needs quotes.
func printDraws(out io.Writer, d *estimate.Draws) error {
	w := bufio.NewWriter(out)
	for j, name := range d.Columns {
		if j > 0 {
			w.WriteByte(',')
		}
		w.WriteString(name)
	}
	var text []byte
	for i, x := range d.Values {
		if i%len(d.Columns) == 0 {
			w.WriteByte('\n')
		} else {
			w.WriteByte(',')
		}
		text = strconv.AppendFloat(text[:0], x, 'g', -1, 64)
		w.Write(text)
	}
	w.WriteByte('\n')
	return w.Flush()
}
